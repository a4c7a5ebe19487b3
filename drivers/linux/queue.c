// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Requests that wait. A worker gives them to the ring, in order, or to software if the device is given up; the interrupt's
 * thread takes them back. A request allocates nothing.
 */
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/stringify.h>

#include "regs.h"
#include "wideblock.h"

#define POLL_US		100
#define DRAIN_US	5000000

void wbk_finish(struct skcipher_request *req, int err)
{
	if (err)
		atomic_inc(&wbk_counters.errors);
	local_bh_disable();
	skcipher_request_complete(req, err);
	local_bh_enable();
}

static void wbk_by_software(struct skcipher_request *req)
{
	struct wbk_ctx *ctx = crypto_skcipher_ctx(crypto_skcipher_reqtfm(req));

	wbk_finish(req, wbk_is_revoked(ctx) ? -ENOKEY : wbk_fallback(req));
}

/*
 * Adds a request to the queue, and gives what its user gets. False: it is not for the device, which is not there or has
 * keys or sectors of another size.
 */
bool wbk_queue_add(struct skcipher_request *req, struct wbk_cipher *cipher, int *err)
{
	struct wbk_ctx *ctx = crypto_skcipher_ctx(crypto_skcipher_reqtfm(req));
	struct wbk_device *w;
	unsigned long flags;
	bool taken;

	spin_lock_irqsave(&wbk_lock, flags);
	w = wbk_device;
	taken = w && !w->stopped && !READ_ONCE(w->gone) && w->cipher == cipher &&
		ctx->key_size == cipher->keys * w->key_bits / 8 &&
		(!cipher->one_size || req->cryptlen == w->sector_bytes);
	if (taken) {
		*err = crypto_enqueue_request(&w->queue, &req->base);
		queue_work(w->workqueue, &w->work);
	}
	spin_unlock_irqrestore(&wbk_lock, flags);
	return taken;
}

/* Takes the next request that waits, or NULL; one that waited for room in the queue is told that it now waits in it. */
static struct skcipher_request *wbk_queue_take(struct wbk_device *w, bool for_ring)
{
	struct crypto_async_request *next = NULL, *backlog = NULL;
	unsigned long flags;

	spin_lock_irqsave(&wbk_lock, flags);
	if (for_ring && !READ_ONCE(w->gone) && (!w->running || wbk_under_way(w) == WBK_RING - 1)) {
		/* The interrupt's thread starts the worker again. */
	} else if (w->delayed) {
		next = w->delayed;
		w->delayed = NULL;
	} else {
		backlog = crypto_get_backlog(&w->queue);
		next = crypto_dequeue_request(&w->queue);
	}
	spin_unlock_irqrestore(&wbk_lock, flags);
	if (backlog) {
		local_bh_disable();
		crypto_request_complete(backlog, -EINPROGRESS);
		local_bh_enable();
	}
	return next ? skcipher_request_cast(next) : NULL;
}

/* Keeps a request until a slot is free. False: one may be free already, since no job is under way. */
static bool wbk_delay(struct wbk_device *w, struct skcipher_request *req)
{
	unsigned long flags;
	bool waits;

	atomic_inc(&wbk_counters.waits);
	spin_lock_irqsave(&wbk_lock, flags);
	w->delayed = &req->base;
	waits = wbk_under_way(w);
	spin_unlock_irqrestore(&wbk_lock, flags);
	return waits;
}

static void wbk_work(struct work_struct *work)
{
	struct wbk_device *w = container_of(work, struct wbk_device, work);
	struct skcipher_request *req;

	mutex_lock(&wbk_keys);
	wbk_settle(w);
	wbk_slots_tidy(w);
	mutex_unlock(&wbk_keys);
	while ((req = wbk_queue_take(w, true))) {
		struct wbk_ctx *ctx = crypto_skcipher_ctx(crypto_skcipher_reqtfm(req));
		int slot;

		mutex_lock(&wbk_keys);
		slot = READ_ONCE(w->gone) ? -ENODEV : wbk_slot_get(w, ctx);
		mutex_unlock(&wbk_keys);
		if (slot >= 0)
			wbk_ring_submit(w, req, slot);
		else if (slot == -ENODEV)
			wbk_by_software(req);
		else if (slot != -EAGAIN)
			wbk_finish(req, slot);
		else if (wbk_delay(w, req))
			return;
	}
}

/*
 * Ends what is left of ring and queue, by software. Of jobs that were not copied a part of the target may be written,
 * which is the source of those in place: they end with -EIO.
 */
static void wbk_queue_flush(struct wbk_device *w)
{
	struct skcipher_request *req;
	struct wbk_request *own;

	wbk_ring_reap(w);
	cancel_work_sync(&w->work);
	while (wbk_under_way(w)) {
		req = wbk_ring_retire(w);
		own = skcipher_request_ctx(req);
		if (own->copied)
			wbk_by_software(req);
		else
			wbk_finish(req, -EIO);
	}
	while ((req = wbk_queue_take(w, false)))
		wbk_by_software(req);
}

static void wbk_queue_refuse(struct wbk_device *w)
{
	unsigned long flags;

	spin_lock_irqsave(&wbk_lock, flags);
	w->stopped = true;
	spin_unlock_irqrestore(&wbk_lock, flags);
}

/* Gives up a device if no job has ended since the last look. Runs in the place of the worker, not beside it. */
static void wbk_watch(struct work_struct *work)
{
	struct wbk_device *w = container_of(to_delayed_work(work), struct wbk_device, watch);
	unsigned long flags;
	bool stuck;

	spin_lock_irqsave(&wbk_lock, flags);
	stuck = wbk_under_way(w) && w->head == w->seen;
	w->seen = w->head;
	if (wbk_under_way(w) && !stuck)
		queue_delayed_work(w->workqueue, &w->watch, WBK_WATCH_S * HZ);
	spin_unlock_irqrestore(&wbk_lock, flags);
	if (!stuck)
		return;
	wbk_give_up(w, "no job has ended in " __stringify(WBK_WATCH_S) " s");
	wbk_queue_refuse(w);
	wbk_ring_end(w);
	iowrite32(ENGINE_ZEROIZE_START_MASK, w->engine + ENGINE_ZEROIZE_OFFSET); /* it keeps no key if it hears that */
	wbk_queue_flush(w);
}

int wbk_queue_init(struct wbk_device *w)
{
	crypto_init_queue(&w->queue, WBK_QUEUE);
	INIT_WORK(&w->work, wbk_work);
	INIT_DELAYED_WORK(&w->watch, wbk_watch);
	w->workqueue = alloc_ordered_workqueue(WBK_NAME, WQ_MEM_RECLAIM);
	return w->workqueue ? 0 : -ENOMEM;
}

void wbk_queue_exit(struct wbk_device *w)
{
	destroy_workqueue(w->workqueue);
}

static bool wbk_is_idle(struct wbk_device *w)
{
	unsigned long flags;
	bool idle;

	spin_lock_irqsave(&wbk_lock, flags);
	idle = !w->queue.qlen && !w->delayed && !wbk_under_way(w);
	spin_unlock_irqrestore(&wbk_lock, flags);
	return idle || READ_ONCE(w->gone);
}

/* Takes no more requests, gives the device time for those that it has, and ends what is left. */
void wbk_queue_stop(struct wbk_device *w)
{
	bool idle;

	wbk_queue_refuse(w);
	cancel_delayed_work_sync(&w->watch);
	if (read_poll_timeout(wbk_is_idle, idle, idle, POLL_US, DRAIN_US, false, w))
		dev_err(w->dev, "jobs do not end; software takes them\n");
	wbk_ring_end(w);
	wbk_queue_flush(w);
}
