/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver of the master of a wideblock engine (dma=axi4): rings of jobs in memory.
 *
 * C11, freestanding: no heap, no library. Accesses of registers, WIDEBLOCK_ENGINE_REGS and errors are those of
 * wideblock_engine.h; keys are loaded by its functions. WIDEBLOCK_DMA_BARRIER() orders accesses of memory and registers;
 * define it for a processor that is not x86, ARM or RISC-V. The rings must be coherent for the master, or not cached; the
 * caller flushes caches of sources before submit, and invalidates those of targets after poll.
 *
 * A function returns 0 or a negative error, whose number is that of Linux. No function sleeps.
 */
#ifndef WIDEBLOCK_DMA_H
#define WIDEBLOCK_DMA_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WIDEBLOCK_DMA_DESCRIPTOR_BYTES 64u /* of an entry of the submission ring */
#define WIDEBLOCK_DMA_COMPLETION_BYTES 16u /* of an entry of the completion ring */
#define WIDEBLOCK_DMA_LONG_TWEAK_BYTES 32u

enum wideblock_dma_error {
  WIDEBLOCK_DMA_EPERM = 1,      /* the windows are locked */
  WIDEBLOCK_DMA_EAGAIN = 11,    /* no completion is there */
  WIDEBLOCK_DMA_EIO = 5,        /* the engine has failed; only a reset helps */
  WIDEBLOCK_DMA_EBUSY = 16,     /* the rings run; or there is no room in them */
  WIDEBLOCK_DMA_ENODEV = 19,    /* no master, or one of another version */
  WIDEBLOCK_DMA_EINVAL = 22,    /* an argument that the master cannot have */
  WIDEBLOCK_DMA_ETIMEDOUT = 110 /* no answer after `attempts` reads */
};

/* Result of a job; docs/dma.md says what is written for each. */
enum wideblock_dma_status {
  WIDEBLOCK_DMA_JOB_OK = 0,
  WIDEBLOCK_DMA_JOB_ENGINE = 1,
  WIDEBLOCK_DMA_JOB_ALIGN = 2,
  WIDEBLOCK_DMA_JOB_LENGTH = 3,
  WIDEBLOCK_DMA_JOB_OVERLAP = 4,
  WIDEBLOCK_DMA_JOB_WINDOW = 5,
  WIDEBLOCK_DMA_JOB_READ = 6,
  WIDEBLOCK_DMA_JOB_WRITE = 7,
  WIDEBLOCK_DMA_JOB_LIST = 8,
  WIDEBLOCK_DMA_JOB_DESCRIPTOR = 9,
  WIDEBLOCK_DMA_JOB_FETCH = 10
};

/* Memory of the rings, each with 2^size entries: as the processor reaches it, and its address for the master. */
struct wideblock_dma_rings {
  uint8_t *jobs, *completions;
  uint64_t jobs_at, completions_at; /* multiples of 64 */
  uint32_t size;                    /* 1 to 15 */
};

/* A master. The fields from `rings` on are the driver's. */
struct wideblock_dma {
  uintptr_t registers; /* address of the registers of s_axi_dma */
  uintptr_t engine;    /* address of those of s_axi */
  uint32_t attempts;   /* reads of a status, at most, for one wait */
  struct wideblock_dma_rings rings;
  uint32_t submitted, completed; /* jobs since the start */
};

/*
 * An entry of a list of segments, which is in memory that the master reads, at a multiple of 16. Bytes are a multiple
 * of 16, the numbers little-endian; `zero` is 0.
 */
struct wideblock_dma_segment {
  uint64_t address; /* a multiple of 16 */
  uint32_t bytes, zero;
};

/*
 * `units` units of `bytes` bytes, one behind the other. The step is added to the tweak after each unit. With a number of
 * segments, source or target is the address of a list, and the units go through its segments one after another. With a
 * long tweak, for a master with CAPS.LONG_TWEAKS, the step is 1 whatever `step` is, and there are no lists.
 */
struct wideblock_dma_job {
  uint64_t source, target; /* multiples of 16; may be equal */
  uint32_t bytes;
  uint16_t units, slot;
  bool decrypt, long_tweak;
  uint32_t cookie;
  uint8_t tweak[WIDEBLOCK_DMA_LONG_TWEAK_BYTES]; /* the first half, without long_tweak */
  uint32_t step;
  uint16_t source_segments, target_segments; /* 0: no list */
};

struct wideblock_dma_result {
  uint32_t cookie;
  uint16_t units;  /* that are in memory, from the first one on */
  uint8_t status;  /* WIDEBLOCK_DMA_JOB_.. */
  uint8_t cause;   /* of status ENGINE: a bit of the port `fault` */
  uint64_t address;
};

/* Finds the master. -ENODEV: there is none, or its registers have another major version. */
int wideblock_dma_probe(struct wideblock_dma *d, uintptr_t registers, uintptr_t engine, uint32_t attempts);

/*
 * Opens window `number` for reads, writes or both, from the page of byte `first` to that of byte `last`. With neither it
 * is closed. -EBUSY: the rings run. -EPERM: the windows are locked.
 */
int wideblock_dma_set_window(const struct wideblock_dma *d, uint32_t number, uint64_t first, uint64_t last, bool reads,
                             bool writes);

/* Locks all windows until reset. */
void wideblock_dma_lock_windows(const struct wideblock_dma *d);

/* Starts empty rings. -EBUSY: they run, or the engine is not ready: wideblock_engine_wait_ready(). -EIO: it has failed.
 * -EINVAL: a size or an address that rings cannot have. */
int wideblock_dma_start(struct wideblock_dma *d, const struct wideblock_dma_rings *rings);

/* Gives the master a job. -EBUSY: 2^size - 1 jobs have no result that was taken. -EINVAL: a long tweak, and a list. */
int wideblock_dma_submit(struct wideblock_dma *d, const struct wideblock_dma_job *job);

/* Takes the oldest result, without a read of a register. -EAGAIN: it is not there yet, or the master has halted. */
int wideblock_dma_poll(struct wideblock_dma *d, struct wideblock_dma_result *result);

/* Returns WIDEBLOCK_DMA_STATUS_HALT_.., the cause of a halt; -EAGAIN: the master runs, or still finishes its bursts. */
int wideblock_dma_halted(const struct wideblock_dma *d);

/* Halts the master and waits for the end of its bursts. Jobs without a result then have an undefined target. */
int wideblock_dma_stop(const struct wideblock_dma *d);

/* Interrupts: bits are WIDEBLOCK_DMA_IRQ_STATUS_.._MASK. */
void wideblock_dma_irq_enable(const struct wideblock_dma *d, uint32_t bits);
/* Returns the enabled events that have happened, and clears them. */
uint32_t wideblock_dma_irq_take(const struct wideblock_dma *d);

#ifdef __cplusplus
}
#endif

#endif /* WIDEBLOCK_DMA_H */
