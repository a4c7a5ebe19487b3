/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Parts of the driver of wideblock accelerators: ciphers above the queue, above key slots and ring, above a device. */
#ifndef WIDEBLOCK_H
#define WIDEBLOCK_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/device.h>
#include <linux/interrupt.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <crypto/algapi.h>
#include <crypto/internal/skcipher.h>

#define WBK_NAME	"wideblock"
#define WBK_MAX_KEY	64	/* bytes of MEK */
#define WBK_MAX_SLOTS	256
#define WBK_NO_SLOT	(-1)
#define WBK_RING	16	/* entries of a ring; one fewer jobs are under way at most */
#define WBK_BOUNCE	16384	/* bytes of the longest request of the device */
#define WBK_QUEUE	128	/* requests that wait for the device */
#define WBK_WATCH_S	30	/* in which one job ends, or the device is given up */

/* Sums since the module was loaded; main.c has a file of debugfs for each. */
struct wbk_counters {
	atomic_t hardware, copied, lists, fallback;
	atomic_t errors, commands, loads, evictions, waits, interrupts, revoked, wiped, refused_keys;
};

extern struct wbk_counters wbk_counters;

/* A cipher of the kernel; skcipher.c has the table of all. */
struct wbk_cipher {
	const char *scheme;	/* its name in the engine's registers */
	unsigned int keys;	/* of AES, in a key of the cipher */
	bool one_size;		/* the engine takes requests of the size of its sectors alone */
	int (*verify)(struct crypto_skcipher *tfm, const u8 *key, unsigned int size);	/* or NULL */
	bool (*is_refused)(const u8 *key, unsigned int size);				/* by the engine; or NULL */
	struct skcipher_alg alg;
	bool registered;
};

/* A transform: a key of a user of the kernel's API. */
struct wbk_ctx {
	struct crypto_skcipher *fallback;
	struct list_head node;	/* under wbk_keys */
	u8 key[WBK_MAX_KEY];
	unsigned int key_size;
	int epoch;		/* of the key */
	bool refused;		/* the engine does not take the key */
	bool loaded;		/* the slot has this key, not an earlier one */
	int slot;		/* or WBK_NO_SLOT */
};

/* A request of a transform. */
struct wbk_request {
	bool decrypt;
	bool copied;	/* to a buffer of the ring and back; or the device has its memory, which is mapped */
	struct skcipher_request sub;	/* of the fallback, whose own part is behind it */
};

/* A key slot of the engine. */
struct wbk_slot {
	struct wbk_ctx *owner;	/* or NULL */
	unsigned int jobs;	/* under way; under wbk_lock */
	u64 used;		/* time of the last request, in requests */
};

struct wbk_device {
	struct device *dev;
	void __iomem *keys, *engine, *dma;	/* three blocks of registers */
	int irq;
	bool listens;		/* the interrupt is on */
	struct wbk_cipher *cipher;
	unsigned int key_bits;	/* of an AES key */
	unsigned int sector_bytes;
	bool stopped;		/* takes no more requests */
	bool gone;		/* given up: software takes all */

	/* Under wbk_keys. */
	struct wbk_slot slot[WBK_MAX_SLOTS];
	unsigned int slots;
	u64 clock;
	int epoch;		/* up to which revoked keys were wiped */
	atomic_t untidy;	/* a slot has a key whose transform has another one */
	bool clearing;		/* the engine clears itself as the driver wants it */
	struct completion cleared;

	/* Under wbk_lock. */
	struct crypto_queue queue;
	struct crypto_async_request *delayed;	/* before those of the queue */
	bool running;		/* the ring takes jobs */
	u32 tail, head;		/* jobs that the device got, and has done */
	u32 seen;		/* head, as the watch saw it last */
	struct skcipher_request *job[WBK_RING];
	struct wbk_slot *job_slot[WBK_RING];

	void *memory;		/* rings, then buffers */
	dma_addr_t memory_at;
	struct workqueue_struct *workqueue;
	struct work_struct work;
	struct delayed_work watch;
};

/*
 * The device that takes requests, or NULL: under both locks, and read under either. wbk_keys also holds the key registers;
 * it is taken before wbk_lock, and not by the interrupt's thread.
 */
extern struct wbk_device *wbk_device;
extern struct mutex wbk_keys;
extern spinlock_t wbk_lock;

/* Grows as keys are revoked. */
extern atomic_t wbk_epoch;

static inline bool wbk_is_revoked(const struct wbk_ctx *ctx)
{
	return ctx->epoch != atomic_read(&wbk_epoch);
}

static inline unsigned int wbk_under_way(const struct wbk_device *w)
{
	return w->tail - w->head;
}

/* device.c */
int wbk_attach(struct wbk_device *w);
void wbk_detach(struct wbk_device *w);
void wbk_quiesce(struct wbk_device *w);
void wbk_give_up(struct wbk_device *w, const char *why);
bool wbk_is_gone(struct wbk_device *w, u32 value);
int wbk_wait_ready(struct wbk_device *w);
void wbk_settle(struct wbk_device *w);
extern const struct attribute_group *wbk_groups[];
extern const struct dev_pm_ops wbk_pm_ops;

/* slots.c */
int wbk_slot_get(struct wbk_device *w, struct wbk_ctx *ctx);
void wbk_slot_forget(struct wbk_ctx *ctx);
void wbk_slots_forget(struct wbk_device *w, bool unload);
void wbk_slots_tidy(struct wbk_device *w);

/* queue.c */
int wbk_queue_init(struct wbk_device *w);
void wbk_queue_exit(struct wbk_device *w);
bool wbk_queue_add(struct skcipher_request *req, struct wbk_cipher *cipher, int *err);
void wbk_queue_stop(struct wbk_device *w);
void wbk_finish(struct skcipher_request *req, int err);

/* ring.c */
int wbk_ring_init(struct wbk_device *w);
void wbk_ring_exit(struct wbk_device *w);
int wbk_ring_halt(struct wbk_device *w);
int wbk_ring_start(struct wbk_device *w);
bool wbk_ring_submit(struct wbk_device *w, struct skcipher_request *req, unsigned int slot);
void wbk_ring_reap(struct wbk_device *w);
struct skcipher_request *wbk_ring_retire(struct wbk_device *w);
void wbk_ring_halted(struct wbk_device *w);
void wbk_ring_end(struct wbk_device *w);

/* skcipher.c */
struct wbk_cipher *wbk_cipher_find(const char *scheme);
int wbk_cipher_register(struct wbk_cipher *cipher);
void wbk_ciphers_unregister(void);
int wbk_fallback(struct skcipher_request *req);
void wbk_wipe_revoked(void);

/* pci.c, platform.c */
int wbk_pci_register(void);
void wbk_pci_unregister(void);
int wbk_platform_register(void);
void wbk_platform_unregister(void);

#endif
