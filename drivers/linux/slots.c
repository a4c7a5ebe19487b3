// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Key slots: commands of the engine's key registers, and the choice of the slot that a key gets. */
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/iopoll.h>

#include "regs.h"
#include "wideblock.h"

#define POLL_US		2
#define COMMAND_US	1000000

/* Runs a command of the key registers, which are freed before and after. -ENOKEY: the engine clears itself. */
static int wbk_command(struct wbk_device *w, u32 command, unsigned int slot, const u8 *key, unsigned int size)
{
	static const __le32 aux[KEY_AUX_OFFSET_COUNT + KEY_AUX_MODE_COUNT + KEY_AUX_REST_COUNT];
	__le32 metd[1 + KEY_METD_REST_COUNT] = { cpu_to_le32(slot) };
	u32 value;
	int err;

	lockdep_assert_held(&wbk_keys);
	if (w->gone)
		return -ENODEV;
	atomic_inc(&wbk_counters.commands);
	iowrite32(KEY_CTRL_DONE_MASK, w->keys + KEY_CTRL_OFFSET);
	value = ioread32(w->keys + KEY_CTRL_OFFSET);
	if (wbk_is_gone(w, value))
		return -ENODEV;
	if (!(value & KEY_CTRL_RDY_MASK)) /* the engine clears itself: no key of now survives */
		return -ENOKEY;
	memcpy_toio(w->keys + KEY_METD_OFFSET, metd, sizeof(metd));
	memcpy_toio(w->keys + KEY_AUX_OFFSET_OFFSET, aux, sizeof(aux));
	if (key)
		memcpy_toio(w->keys + KEY_MEK_OFFSET, key, size);
	iowrite32(command << KEY_CTRL_CMD_SHIFT | KEY_CTRL_EXE_MASK, w->keys + KEY_CTRL_OFFSET);
	err = read_poll_timeout(ioread32, value, value & KEY_CTRL_DONE_MASK, POLL_US, COMMAND_US, false, w->keys + KEY_CTRL_OFFSET);
	if (err)
		wbk_give_up(w, "a command of a key does not end");
	if (wbk_is_gone(w, value))
		return -ENODEV;
	iowrite32(KEY_CTRL_DONE_MASK, w->keys + KEY_CTRL_OFFSET);
	value = (value & KEY_CTRL_ERR_MASK) >> KEY_CTRL_ERR_SHIFT;
	if (!value)
		return 0;
	if (command == KEY_CTRL_CMD_UNLOAD && value == KEY_CTRL_ERR_NOT_LOADED) /* the engine has cleared itself before */
		return 0;
	if (value == KEY_CTRL_ERR_CLEARED || value == KEY_CTRL_ERR_BUSY || value == KEY_CTRL_ERR_INCOMPLETE)
		return -ENOKEY; /* meanwhile */
	dev_err_ratelimited(w->dev, "command %u of slot %u ends with error %u\n", command, slot, value);
	return -EIO;
}

/* Ends the key of a slot. */
static int wbk_slot_unload(struct wbk_device *w, struct wbk_slot *slot)
{
	struct wbk_ctx *ctx = slot->owner;

	slot->owner = NULL;
	ctx->slot = WBK_NO_SLOT;
	ctx->loaded = false;
	return wbk_command(w, KEY_CTRL_CMD_UNLOAD, slot - w->slot, NULL, 0);
}

/* The slot that was used longest ago, of those without a key if there are some; NULL: all have jobs. Under wbk_lock. */
static struct wbk_slot *wbk_slot_choose(struct wbk_device *w)
{
	struct wbk_slot *slot, *best = NULL;

	for (slot = w->slot; slot < w->slot + w->slots; slot++) {
		if (slot->jobs)
			continue;
		if (!best || (!slot->owner && best->owner) ||
		    (!slot->owner == !best->owner && slot->used < best->used))
			best = slot;
	}
	return best;
}

/*
 * Gives the slot that has the key of ctx, with one more job; -EAGAIN: none is free before a job ends. A new key takes
 * another slot than the one before, so that tests of the kernel, which have one transform, see every slot.
 */
int wbk_slot_get(struct wbk_device *w, struct wbk_ctx *ctx)
{
	struct wbk_slot *slot;
	unsigned long flags;
	int err = 0;

	lockdep_assert_held(&wbk_keys);
	wbk_settle(w);
	if (wbk_is_revoked(ctx))
		return -ENOKEY;
	slot = ctx->slot == WBK_NO_SLOT ? NULL : &w->slot[ctx->slot];
	if (!slot || !ctx->loaded) {
		struct wbk_slot *old = slot;

		spin_lock_irqsave(&wbk_lock, flags);
		slot = old && old->jobs ? NULL : wbk_slot_choose(w);
		spin_unlock_irqrestore(&wbk_lock, flags);
		if (!slot)
			return -EAGAIN;
		if (slot->owner && slot != old) {
			atomic_inc(&wbk_counters.evictions);
			err = wbk_slot_unload(w, slot);
		}
		if (!err && old)
			err = wbk_slot_unload(w, old);
		if (!err) {
			atomic_inc(&wbk_counters.loads);
			err = wbk_command(w, KEY_CTRL_CMD_LOAD, slot - w->slot, ctx->key, ctx->key_size);
		}
		if (err)
			return err;
		slot->owner = ctx;
		ctx->slot = slot - w->slot;
		ctx->loaded = true;
	}
	slot->used = ++w->clock;
	spin_lock_irqsave(&wbk_lock, flags);
	slot->jobs++;
	spin_unlock_irqrestore(&wbk_lock, flags);
	return ctx->slot;
}

/* Ends the key that a transform has in the device, if there is one. */
void wbk_slot_forget(struct wbk_ctx *ctx)
{
	struct wbk_device *w = wbk_device;

	lockdep_assert_held(&wbk_keys);
	if (!w || ctx->slot == WBK_NO_SLOT)
		return;
	wbk_settle(w);
	if (ctx->slot != WBK_NO_SLOT && wbk_slot_unload(w, &w->slot[ctx->slot]))
		dev_err(w->dev, "the key of a transform that has ended stays in the engine\n");
}

/* Ends keys of slots whose transforms have got other ones. Keys of jobs under way stay until the call after these. */
void wbk_slots_tidy(struct wbk_device *w)
{
	struct wbk_slot *slot;

	lockdep_assert_held(&wbk_keys);
	if (!atomic_xchg(&w->untidy, 0))
		return;
	for (slot = w->slot; slot < w->slot + w->slots; slot++) {
		if (!slot->owner || slot->owner->loaded)
			continue;
		if (READ_ONCE(slot->jobs))
			atomic_set(&w->untidy, 1);
		else if (wbk_slot_unload(w, slot) && !w->gone)
			dev_err(w->dev, "slot %td keeps its key\n", slot - w->slot);
	}
}

/* Has every transform load its key anew: the engine has none any more, or is told to end each if `unload`. */
void wbk_slots_forget(struct wbk_device *w, bool unload)
{
	struct wbk_slot *slot;

	lockdep_assert_held(&wbk_keys);
	for (slot = w->slot; slot < w->slot + w->slots; slot++) {
		struct wbk_ctx *ctx = slot->owner;

		if (!ctx)
			continue;
		if (unload && wbk_slot_unload(w, slot) && !w->gone)
			dev_err(w->dev, "slot %td keeps its key\n", slot - w->slot);
		slot->owner = NULL;
		ctx->slot = WBK_NO_SLOT;
		ctx->loaded = false;
	}
}
