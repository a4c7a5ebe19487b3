// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* A device: its start and end, its interrupt, zeroize, sleep. What it is on is of pci.c and platform.c. */
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/pm.h>

#include "regs.h"
#include "wideblock.h"

#define POLL_US		10
#define CLEAR_MS	5000	/* the engine clears itself, and tests itself after reset */
#define EVENTS		(DMA_IRQ_STATUS_DONE_MASK | DMA_IRQ_STATUS_HALTED_MASK)
#define BOTH_WAYS	(ENGINE_CAPS2_ENCRYPT_MASK | ENGINE_CAPS2_DECRYPT_MASK)
#define READY_OR_FATAL	(ENGINE_STATUS_READY_MASK | ENGINE_STATUS_FATAL_MASK)
#define ENGINE_LETTERS	0x6b626477
#define DMA_LETTERS	0x616d6477
#define MAJOR_VERSION	1

struct wbk_device *wbk_device;
DEFINE_SPINLOCK(wbk_lock);
DEFINE_MUTEX(wbk_keys);
atomic_t wbk_epoch = ATOMIC_INIT(0);

/* Has software take all requests from now on, until the device is bound anew. Runs anywhere. */
void wbk_give_up(struct wbk_device *w, const char *why)
{
	if (READ_ONCE(w->gone))
		return;
	dev_err(w->dev, "%s; software takes its requests\n", why);
	WRITE_ONCE(w->gone, true);
	queue_work(w->workqueue, &w->work);
}

/* Whether a register that was read is that of a device that is no longer there: all its bits are 1; or the device is given up. */
bool wbk_is_gone(struct wbk_device *w, u32 value)
{
	if (value != ~0U)
		return READ_ONCE(w->gone);
	wbk_give_up(w, "the device does not answer");
	return true;
}

/* Waits for the end of a clear or self-test. */
int wbk_wait_ready(struct wbk_device *w)
{
	u32 value;
	int err = read_poll_timeout(ioread32, value, value & READY_OR_FATAL, POLL_US,
				    1000 * CLEAR_MS, false, w->engine + ENGINE_STATUS_OFFSET);

	if (wbk_is_gone(w, value))
		return -ENODEV;
	return value & ENGINE_STATUS_FATAL_MASK ? -EIO : err;
}

/*
 * Ends the use of all keys that were set, as the engine's are gone: requests end with -ENOKEY until the next setkey, and
 * keys wait to be wiped by wbk_settle(). Runs anywhere.
 */
static void wbk_revoke(void)
{
	atomic_inc(&wbk_epoch);
	atomic_inc(&wbk_counters.revoked);
}

/* Does what a revocation left for a place that may sleep. */
void wbk_settle(struct wbk_device *w)
{
	unsigned int epoch = atomic_read(&wbk_epoch);

	lockdep_assert_held(&wbk_keys);
	if (w->epoch == epoch)
		return;
	w->epoch = epoch;
	wbk_slots_forget(w, true); /* one may have been loaded after the clear that the driver now knows of */
	wbk_wipe_revoked();
}

/* Has the engine clear itself, which halts the ring; its interrupt does not revoke keys meanwhile, and begins anew. */
static int wbk_clear(struct wbk_device *w)
{
	int err = 0;

	lockdep_assert_held(&wbk_keys);
	reinit_completion(&w->cleared);
	WRITE_ONCE(w->clearing, true);
	iowrite32(ENGINE_ZEROIZE_START_MASK, w->engine + ENGINE_ZEROIZE_OFFSET);
	if (READ_ONCE(w->gone) || !w->listens)
		err = -ENODEV;
	else if (!wait_for_completion_timeout(&w->cleared, msecs_to_jiffies(CLEAR_MS)))
		err = -ETIMEDOUT;
	WRITE_ONCE(w->clearing, false);
	wbk_slots_forget(w, false);
	return err;
}

/* Clears keys and data of the engine, and revokes the kernel's keys: for a user who wants them gone. */
static ssize_t zeroize_store(struct device *dev, struct device_attribute *attr, const char *text, size_t size)
{
	struct wbk_device *w = dev_get_drvdata(dev);
	bool wanted;
	int err = kstrtobool(text, &wanted);

	if (err || !wanted)
		return err ? err : -EINVAL;
	mutex_lock(&wbk_keys);
	wbk_revoke();
	err = wbk_clear(w);
	wbk_settle(w);
	mutex_unlock(&wbk_keys);
	return err ? err : size;
}
static DEVICE_ATTR_WO(zeroize);

static struct attribute *wbk_attrs[] = {
	&dev_attr_zeroize.attr,
	NULL
};

static const struct attribute_group wbk_group = {
	.attrs = wbk_attrs,
};

const struct attribute_group *wbk_groups[] = {
	&wbk_group,
	NULL
};

/* A thread, which may take its time. It ends with the line low, so that the next event raises it again. */
static irqreturn_t wbk_interrupt(int irq, void *data)
{
	struct wbk_device *w = data;
	bool any = false;
	u32 events, status;

	atomic_inc(&wbk_counters.interrupts);
	for (;;) {
		events = ioread32(w->dma + DMA_IRQ_STATUS_OFFSET);
		if (wbk_is_gone(w, events)) {
			iowrite32(0, w->dma + DMA_IRQ_ENABLE_OFFSET); /* for a line that stays high */
			return IRQ_HANDLED;
		}
		if (!(events & EVENTS))
			break;
		any = true;
		iowrite32(events, w->dma + DMA_IRQ_STATUS_OFFSET);
		wbk_ring_reap(w);
		if (!(events & DMA_IRQ_STATUS_HALTED_MASK))
			continue;
		status = ioread32(w->dma + DMA_STATUS_OFFSET);
		if (!READ_ONCE(w->clearing)) {
			dev_warn(w->dev, "the ring has halted, status %#x; keys are revoked\n", status);
			wbk_revoke();
		}
		wbk_ring_halted(w);
		complete(&w->cleared);
		queue_work(w->workqueue, &w->work); /* requests that waited, and copies of keys */
	}
	return any ? IRQ_HANDLED : IRQ_NONE;
}

/* The scheme's name, of up to 8 letters. */
static void wbk_read_scheme(struct wbk_device *w, char scheme[9])
{
	__le32 words[2] = {
		cpu_to_le32(ioread32(w->engine + ENGINE_SCHEME0_OFFSET)),
		cpu_to_le32(ioread32(w->engine + ENGINE_SCHEME1_OFFSET)),
	};

	memcpy(scheme, words, sizeof(words));
	scheme[8] = 0;
}

/* -ENODEV: a block of registers is none, or one of a version that the driver does not know. */
static int wbk_identify(struct wbk_device *w, void __iomem *block, u32 letters)
{
	u32 id = ioread32(block + ENGINE_ID_OFFSET);
	u32 version = ioread32(block + ENGINE_VERSION_OFFSET) >> ENGINE_VERSION_MAJOR_SHIFT;

	if (id == letters && version == MAJOR_VERSION)
		return 0;
	dev_err(w->dev, "registers %#x of version %u, not %#x of version %u\n", id, version, letters, MAJOR_VERSION);
	return -ENODEV;
}

static void wbk_read_capabilities(struct wbk_device *w)
{
	u32 value = ioread32(w->engine + ENGINE_CAPS0_OFFSET);

	w->sector_bytes = ioread32(w->engine + ENGINE_CAPS1_OFFSET) & ENGINE_CAPS1_SECTOR_BYTES_MASK;
	w->key_bits = value >> ENGINE_CAPS0_KEY_BITS_SHIFT;
	/* The last slot is that of the self-test on demand. */
	w->slots = clamp_t(unsigned int, (value & ENGINE_CAPS0_SLOTS_MASK) - 1, 1, WBK_MAX_SLOTS);
}

/* Makes a device the one that takes requests. -EBUSY: there is another. */
static int wbk_enter(struct wbk_device *w)
{
	int err = -EBUSY;

	mutex_lock(&wbk_keys);
	spin_lock_irq(&wbk_lock);
	if (!wbk_device) {
		wbk_device = w;
		err = 0;
	}
	spin_unlock_irq(&wbk_lock);
	mutex_unlock(&wbk_keys);
	return err;
}

static void wbk_leave(struct wbk_device *w)
{
	mutex_lock(&wbk_keys);
	spin_lock_irq(&wbk_lock);
	if (wbk_device == w)
		wbk_device = NULL;
	spin_unlock_irq(&wbk_lock);
	mutex_unlock(&wbk_keys);
}

/* Lets a device work, which may have a ring and keys of a driver before. */
static int wbk_start(struct wbk_device *w)
{
	int err = wbk_ring_halt(w);

	if (!err)
		err = wbk_wait_ready(w);
	if (err)
		return err;
	iowrite32(ENGINE_ZEROIZE_START_MASK, w->engine + ENGINE_ZEROIZE_OFFSET);
	err = wbk_wait_ready(w);
	if (err)
		return err;
	iowrite32(~0U, w->dma + DMA_IRQ_STATUS_OFFSET);
	err = wbk_ring_start(w);
	if (err)
		return err;
	iowrite32(EVENTS, w->dma + DMA_IRQ_ENABLE_OFFSET);
	enable_irq(w->irq);
	w->listens = true;
	return 0;
}

/* Ends the work of a device, which keeps no key: transforms load theirs anew where it works again. */
void wbk_quiesce(struct wbk_device *w)
{
	int err;

	wbk_queue_stop(w);
	mutex_lock(&wbk_keys);
	iowrite32(ENGINE_ZEROIZE_START_MASK, w->engine + ENGINE_ZEROIZE_OFFSET);
	err = wbk_wait_ready(w);
	if (err && err != -ENODEV)
		dev_err(w->dev, "the engine does not clear itself, error %d\n", err);
	wbk_slots_forget(w, false);
	wbk_settle(w);
	mutex_unlock(&wbk_keys);
}

/* Starts a device whose registers are mapped, and gives it the requests of its cipher. */
int wbk_attach(struct wbk_device *w)
{
	char scheme[9];
	u32 ability, tweak;
	int err;

	w->epoch = atomic_read(&wbk_epoch);
	err = wbk_identify(w, w->engine, ENGINE_LETTERS);
	if (!err)
		err = wbk_identify(w, w->dma, DMA_LETTERS);
	if (err)
		return err;
	wbk_read_capabilities(w);
	wbk_read_scheme(w, scheme);
	w->cipher = wbk_cipher_find(scheme);
	if (!w->cipher)
		return dev_err_probe(w->dev, -ENODEV, "no cipher of the kernel is scheme %s\n", scheme);
	ability = ioread32(w->engine + ENGINE_CAPS2_OFFSET);
	if ((ability & BOTH_WAYS) != BOTH_WAYS)
		return dev_err_probe(w->dev, -ENODEV, "the engine has one direction, a cipher of the kernel has two\n");
	tweak = ability & ENGINE_CAPS2_TWEAK_BYTES_MASK;
	if (tweak != w->cipher->alg.ivsize)
		return dev_err_probe(w->dev, -ENODEV, "tweaks of %u bytes, %s has %u\n", tweak,
				     w->cipher->alg.base.cra_name, w->cipher->alg.ivsize);
	init_completion(&w->cleared);
	err = dma_set_mask_and_coherent(w->dev, DMA_BIT_MASK(64));
	if (err)
		return err;
	err = wbk_ring_init(w);
	if (!err)
		err = wbk_queue_init(w);
	if (err)
		return err;
	err = request_threaded_irq(w->irq, NULL, wbk_interrupt, IRQF_ONESHOT | IRQF_NO_AUTOEN, WBK_NAME, w);
	if (err)
		goto no_interrupt;
	dev_set_drvdata(w->dev, w);
	err = wbk_start(w);
	if (err) {
		dev_err(w->dev, "the device does not start, error %d\n", err);
		goto not_started;
	}
	err = wbk_enter(w);
	if (!err)
		err = wbk_cipher_register(w->cipher);
	if (err)
		goto not_entered;
	dev_info(w->dev, "%s with %u slots\n", w->cipher->alg.base.cra_driver_name, w->slots);
	return 0;

not_entered:
	wbk_quiesce(w);
	wbk_leave(w);
not_started:
	free_irq(w->irq, w);
no_interrupt:
	wbk_queue_exit(w);
	wbk_ring_exit(w);
	return err;
}

/* Ends the use of a device. Its transforms live on by software. */
void wbk_detach(struct wbk_device *w)
{
	wbk_quiesce(w);
	free_irq(w->irq, w);
	wbk_leave(w);
	wbk_queue_exit(w);
	wbk_ring_exit(w);
}

static int wbk_suspend(struct device *dev)
{
	wbk_quiesce(dev_get_drvdata(dev));
	return 0;
}

static int wbk_resume(struct device *dev)
{
	struct wbk_device *w = dev_get_drvdata(dev);
	int err;

	if (READ_ONCE(w->gone))
		return 0;
	err = wbk_start(w);
	if (!err)
		WRITE_ONCE(w->stopped, false);
	return err;
}

DEFINE_SIMPLE_DEV_PM_OPS(wbk_pm_ops, wbk_suspend, wbk_resume);
