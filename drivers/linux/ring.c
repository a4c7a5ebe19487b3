// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * The ring of jobs that the device has. It reads and writes the memory of a request where its addresses permit that, by
 * lists if there are several pieces; other data pass through buffers of the ring.
 */
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/moduleparam.h>
#include <linux/pci.h>
#include <crypto/internal/skcipher.h>
#include <crypto/scatterwalk.h>

#include "regs.h"
#include "wideblock.h"

#define RING_SIZE	4	/* the logarithm of WBK_RING */
#define POLL_US		10
#define STOP_US		1000000
#define TRIES		10	/* to start a ring, while the engine clears itself again and again */
#define BLOCK		16	/* bytes of which addresses and lengths of segments are multiples */
#define SEGMENTS	16	/* of a list; a job has two lists */
#define LISTS		4096	/* offset of the lists; before them are the rings */
#define BUFFERS		(LISTS + WBK_RING * 2 * SEGMENTS * sizeof(struct wbk_segment))
#define MEMORY		(BUFFERS + WBK_RING * WBK_BOUNCE)

struct wbk_descriptor {
	__le64 source, target;
	__le32 bytes;
	__le16 units, slot;
	__le32 flags, cookie;
	union {
		u8 tweak[32];	/* a short one ends after 16 bytes; then all but segments is 0 */
		struct {
			u8 tweak_and_step[20];
			__le16 source_segments, target_segments;	/* 0: the address is that of data, not of a list */
		};
	};
};

struct wbk_segment {
	__le64 address;
	__le32 bytes, zero;
};

struct wbk_completion {
	__le32 cookie;
	__le16 units, status;
	__le64 address;
};

#define DESCRIPTOR_DECRYPT	BIT(0)
#define DESCRIPTOR_LONG_TWEAK	BIT(1)
#define SHORT_TWEAK		16	/* bytes */
#define COMPLETION_STATUS	0xff
#define COMPLETION_PHASE	BIT(15)
#define COMPLETIONS		(WBK_RING * sizeof(struct wbk_descriptor))	/* offset */

static_assert(sizeof(struct wbk_descriptor) == 64);
static_assert(sizeof(struct wbk_completion) == 16);
static_assert(sizeof(struct wbk_segment) == 16);
static_assert(WBK_RING == 1 << RING_SIZE);
static_assert(COMPLETIONS + WBK_RING * sizeof(struct wbk_completion) <= LISTS);

static bool wbk_copy;
module_param_named(copy, wbk_copy, bool, 0444);
MODULE_PARM_DESC(copy, "Copy all data, so that the window of the device is the memory of its ring alone");

static void *wbk_bounce(struct wbk_device *w, u32 job)
{
	return w->memory + BUFFERS + job % WBK_RING * WBK_BOUNCE;
}

/*
 * Returns the number of pieces that data are in; 0: the device cannot use them, as there are more than `most`, or one is
 * not aligned, to cache lines where caches are not coherent.
 */
static unsigned int wbk_pieces(struct scatterlist *sg, unsigned int most, u32 bytes)
{
	u32 line = dma_get_cache_alignment(), unit = max_t(u32, line, BLOCK);
	unsigned int n;

	for (n = 0; sg && bytes; n++, sg = sg_next(sg)) {
		u32 part = min(sg->length, bytes);

		bytes -= part;
		if (n == most || !part || sg->offset % unit || part % (bytes ? unit : line))
			return 0;
	}
	return bytes ? 0 : n;
}

/*
 * Maps memory of a request. Returns the number of segments and their place, which is that of their list if there are
 * several; 0: the device cannot use them, and nothing is mapped.
 */
static unsigned int wbk_map_one(struct wbk_device *w, struct scatterlist *sg, u32 bytes, enum dma_data_direction way,
				struct wbk_segment *list, __le64 *place)
{
	unsigned int most = w->cipher->alg.ivsize > SHORT_TWEAK ? 1 : SEGMENTS; /* a long tweak leaves no room for numbers */
	unsigned int pieces = wbk_pieces(sg, most, bytes);
	unsigned int segments = pieces ? dma_map_sg(w->dev, sg, pieces, way) : 0;
	unsigned int n;

	for (n = 0; n < segments; n++, sg = sg_next(sg))
		list[n] = (struct wbk_segment){
			.address = cpu_to_le64(sg_dma_address(sg)),
			.bytes = cpu_to_le32(ALIGN(sg_dma_len(sg), BLOCK)),
		};
	*place = segments == 1 ? list->address : cpu_to_le64(w->memory_at + ((void *)list - w->memory));
	return segments;
}

static enum dma_data_direction wbk_way_of_source(struct skcipher_request *req)
{
	return req->src == req->dst ? DMA_BIDIRECTIONAL : DMA_TO_DEVICE;
}

/* Has a job use the request's own memory. Returns the most segments of its source or target; 0: its data are to be copied. */
static unsigned int wbk_map(struct wbk_device *w, struct skcipher_request *req, struct wbk_descriptor *desc, u32 job)
{
	struct wbk_segment *list = w->memory + LISTS + job % WBK_RING * 2 * SEGMENTS * sizeof(*list);
	unsigned int sources, targets;

	if (wbk_copy)
		return 0;
	sources = wbk_map_one(w, req->src, req->cryptlen, wbk_way_of_source(req), list, &desc->source);
	if (!sources)
		return 0;
	targets = sources;
	desc->target = desc->source;
	if (req->src != req->dst)
		targets = wbk_map_one(w, req->dst, req->cryptlen, DMA_FROM_DEVICE, list + SEGMENTS, &desc->target);
	if (!targets) {
		dma_unmap_sg(w->dev, req->src, sg_nents_for_len(req->src, req->cryptlen), DMA_TO_DEVICE);
		return 0;
	}
	if (sources > 1)
		desc->source_segments = cpu_to_le16(sources);
	if (targets > 1)
		desc->target_segments = cpu_to_le16(targets);
	return max(sources, targets);
}

static void wbk_unmap(struct wbk_device *w, struct skcipher_request *req)
{
	dma_unmap_sg(w->dev, req->src, sg_nents_for_len(req->src, req->cryptlen), wbk_way_of_source(req));
	if (req->src != req->dst)
		dma_unmap_sg(w->dev, req->dst, sg_nents_for_len(req->dst, req->cryptlen), DMA_FROM_DEVICE);
}

/* Gives the device a job. False: the ring has begun anew meanwhile, and the request is the next one again. */
bool wbk_ring_submit(struct wbk_device *w, struct skcipher_request *req, unsigned int slot)
{
	struct wbk_request *own = skcipher_request_ctx(req);
	u32 job = READ_ONCE(w->tail);
	size_t at = job % WBK_RING;
	struct wbk_descriptor *desc = (struct wbk_descriptor *)w->memory + at;
	dma_addr_t data = w->memory_at + (wbk_bounce(w, job) - w->memory);
	u32 flags_of_job = own->decrypt ? DESCRIPTOR_DECRYPT : 0;
	unsigned int segments;
	unsigned long flags;
	bool given;

	if (w->cipher->alg.ivsize > SHORT_TWEAK)
		flags_of_job |= DESCRIPTOR_LONG_TWEAK;
	*desc = (struct wbk_descriptor){
		.bytes = cpu_to_le32(req->cryptlen),
		.units = cpu_to_le16(1),
		.slot = cpu_to_le16(slot),
		.flags = cpu_to_le32(flags_of_job),
		.cookie = cpu_to_le32(job),
	};
	memcpy(desc->tweak, req->iv, w->cipher->alg.ivsize);
	segments = wbk_map(w, req, desc, job);
	own->copied = !segments;
	if (own->copied) {
		desc->source = cpu_to_le64(data);
		desc->target = desc->source;
		scatterwalk_map_and_copy(wbk_bounce(w, job), req->src, 0, req->cryptlen, 0);
	}

	spin_lock_irqsave(&wbk_lock, flags);
	given = w->running && w->tail == job;
	if (given) {
		w->job[at] = req;
		w->job_slot[at] = &w->slot[slot];
		w->tail++;
		if (!w->stopped && queue_delayed_work(w->workqueue, &w->watch, WBK_WATCH_S * HZ))
			w->seen = w->head;
		atomic_inc(&wbk_counters.hardware);
		atomic_add(own->copied, &wbk_counters.copied);
		atomic_add(segments > 1, &wbk_counters.lists);
		dma_wmb(); /* the descriptor before its number */
		iowrite32(w->tail % WBK_RING, w->dma + DMA_DOORBELL_OFFSET);
	} else {
		w->slot[slot].jobs--;
		w->delayed = &req->base;
	}
	spin_unlock_irqrestore(&wbk_lock, flags);
	if (!given && own->copied)
		memzero_explicit(wbk_bounce(w, job), req->cryptlen);
	else if (!given)
		wbk_unmap(w, req);
	return given;
}

/* Takes the oldest job from the ring. */
struct skcipher_request *wbk_ring_retire(struct wbk_device *w)
{
	size_t at = w->head % WBK_RING;
	struct skcipher_request *req = w->job[at];
	struct wbk_request *own = skcipher_request_ctx(req);
	unsigned long flags;

	if (own->copied)
		memzero_explicit(wbk_bounce(w, w->head), req->cryptlen);
	else
		wbk_unmap(w, req);
	spin_lock_irqsave(&wbk_lock, flags);
	w->job_slot[at]->jobs--;
	w->head++;
	spin_unlock_irqrestore(&wbk_lock, flags);
	return req;
}

/* Of a request that the device has not processed. */
static int wbk_error_of(struct skcipher_request *req)
{
	return wbk_is_revoked(crypto_skcipher_ctx(crypto_skcipher_reqtfm(req))) ? -ENOKEY : -EIO;
}

/* Takes back the jobs that the device has done. */
void wbk_ring_reap(struct wbk_device *w)
{
	struct wbk_completion *completions = w->memory + COMPLETIONS;
	bool any = false;

	while (wbk_under_way(w)) {
		struct wbk_completion *done = &completions[w->head % WBK_RING];
		u16 status = le16_to_cpu(READ_ONCE(done->status));
		struct skcipher_request *req;
		struct wbk_request *own;
		int err = 0;

		if (!(status & COMPLETION_PHASE) == !(w->head / WBK_RING % 2))
			break;
		dma_rmb(); /* the rest of the entry, the data and the request of the job, behind its phase */
		req = w->job[w->head % WBK_RING];
		own = skcipher_request_ctx(req);
		if (status & COMPLETION_STATUS || le32_to_cpu(done->cookie) != w->head) {
			err = wbk_error_of(req);
			dev_err_ratelimited(w->dev, "job %u ends with status %#x of %u\n", w->head, status,
					    le32_to_cpu(done->cookie));
		} else if (own->copied) {
			scatterwalk_map_and_copy(wbk_bounce(w, w->head), req->dst, 0, req->cryptlen, 1);
		}
		wbk_finish(wbk_ring_retire(w), err);
		any = true;
	}
	if (any)
		queue_work(w->workqueue, &w->work);
}

/* Has the ring halt, if it has not: the device reads and writes no memory then, and knows of no job. */
int wbk_ring_halt(struct wbk_device *w)
{
	u32 status = ioread32(w->dma + DMA_STATUS_OFFSET);
	int err = 0;

	if (!(status & DMA_STATUS_IDLE_MASK)) {
		iowrite32(DMA_CONTROL_STOP_MASK, w->dma + DMA_CONTROL_OFFSET);
		err = read_poll_timeout(ioread32, status, status & DMA_STATUS_IDLE_MASK, POLL_US, STOP_US, false,
					w->dma + DMA_STATUS_OFFSET);
		if ((status & DMA_STATUS_HALT_MASK) >> DMA_STATUS_HALT_SHIFT == DMA_STATUS_HALT_STOP)
			iowrite32(DMA_IRQ_STATUS_HALTED_MASK, w->dma + DMA_IRQ_STATUS_OFFSET); /* not one to be told of */
	}
	if (status != ~0U)
		return err;
	wbk_is_gone(w, status);
	return -ENODEV;
}

/* Has a ring that has halted begin with no job. */
static void wbk_ring_empty(struct wbk_device *w)
{
	unsigned long flags;

	memset(w->memory, 0, BUFFERS);
	spin_lock_irqsave(&wbk_lock, flags);
	w->head = 0;
	w->tail = 0;
	w->seen = ~0U;
	spin_unlock_irqrestore(&wbk_lock, flags);
}

/* Starts the rings at their beginning. They do not start while the engine clears itself. */
int wbk_ring_start(struct wbk_device *w)
{
	u64 first = wbk_copy ? w->memory_at : 0;
	u64 last = wbk_copy ? w->memory_at + MEMORY - 1 : DMA_BIT_MASK(64);
	unsigned long flags;
	unsigned int n;
	u32 status = 0;
	int err;

	for (n = 0; n < TRIES && !(status & DMA_STATUS_RUNNING_MASK); n++) {
		err = wbk_ring_halt(w); /* on the old addresses: a start of a ring that runs is refused */
		if (!err)
			err = wbk_wait_ready(w);
		if (err)
			return err;
		wbk_ring_empty(w);
		iowrite32(RING_SIZE, w->dma + DMA_RING_OFFSET);
		iowrite32(lower_32_bits(w->memory_at), w->dma + DMA_SUBMISSION_LO_OFFSET);
		iowrite32(upper_32_bits(w->memory_at), w->dma + DMA_SUBMISSION_HI_OFFSET);
		iowrite32(lower_32_bits(w->memory_at + COMPLETIONS), w->dma + DMA_COMPLETION_LO_OFFSET);
		iowrite32(upper_32_bits(w->memory_at + COMPLETIONS), w->dma + DMA_COMPLETION_HI_OFFSET);
		iowrite32(upper_32_bits(first), w->dma + DMA_WINDOW_BASE_HI_OFFSET);
		iowrite32(lower_32_bits(last), w->dma + DMA_WINDOW_LAST_LO_OFFSET);
		iowrite32(upper_32_bits(last), w->dma + DMA_WINDOW_LAST_HI_OFFSET);
		iowrite32(lower_32_bits(first) | DMA_WINDOW_BASE_LO_READ_MASK | DMA_WINDOW_BASE_LO_WRITE_MASK,
			  w->dma + DMA_WINDOW_BASE_LO_OFFSET);
		iowrite32(0, w->dma + DMA_DOORBELL_OFFSET);
		iowrite32(DMA_CONTROL_START_MASK, w->dma + DMA_CONTROL_OFFSET);
		status = ioread32(w->dma + DMA_STATUS_OFFSET);
		if (wbk_is_gone(w, status))
			return -ENODEV;
	}
	if (!(status & DMA_STATUS_RUNNING_MASK))
		return -EBUSY;
	spin_lock_irqsave(&wbk_lock, flags);
	w->running = true;
	spin_unlock_irqrestore(&wbk_lock, flags);
	return 0;
}

static void wbk_ring_refuse(struct wbk_device *w)
{
	unsigned long flags;

	spin_lock_irqsave(&wbk_lock, flags);
	w->running = false;
	spin_unlock_irqrestore(&wbk_lock, flags);
}

/* Ends the jobs of a ring that has halted, whose targets are undefined, and begins anew. */
void wbk_ring_halted(struct wbk_device *w)
{
	int err;

	wbk_ring_refuse(w);
	err = wbk_ring_halt(w); /* it may run again, if the engine has cleared itself twice */
	while (!err && wbk_under_way(w)) {
		struct skcipher_request *req = wbk_ring_retire(w);

		wbk_finish(req, wbk_error_of(req));
	}
	if (!err)
		err = wbk_ring_start(w);
	if (err)
		wbk_give_up(w, "the ring does not start again");
}

/* Has the device read and write no memory, and interrupt no more. What it has done can be reaped. */
void wbk_ring_end(struct wbk_device *w)
{
	if (w->listens)
		disable_irq(w->irq); /* whose thread would begin the ring anew */
	w->listens = false;
	wbk_ring_refuse(w);
	iowrite32(0, w->dma + DMA_IRQ_ENABLE_OFFSET);
	if (!wbk_ring_halt(w))
		return;
	dev_err(w->dev, "the ring does not stop\n");
	if (dev_is_pci(w->dev)) /* memory of requests is their owner's again */
		pci_clear_master(to_pci_dev(w->dev));
}

int wbk_ring_init(struct wbk_device *w)
{
	w->memory = dmam_alloc_coherent(w->dev, MEMORY, &w->memory_at, GFP_KERNEL);
	return w->memory ? 0 : -ENOMEM;
}

void wbk_ring_exit(struct wbk_device *w)
{
	memzero_explicit(w->memory, MEMORY);
}
