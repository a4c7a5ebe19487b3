/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver of a wideblock engine: a core with key slots behind registers.
 *
 * C11, freestanding: no heap, no library. Its registers are those of NAME_regs.h, which `wideblock generate` writes
 * beside the Verilog; define WIDEBLOCK_ENGINE_REGS as the name of that file in quotes. The driver reads from the engine
 * what differs from core to core, so it serves all of them.
 *
 * WIDEBLOCK_ENGINE_READ32(address) and WIDEBLOCK_ENGINE_WRITE32(address, value) are the accesses; define both for a bus
 * that is not memory of the processor. They must not be reordered.
 *
 * A function returns 0 or a negative error, whose number is that of Linux. No function sleeps; a wait reads a status at
 * most `attempts` times. One engine must not be used from two threads at once.
 */
#ifndef WIDEBLOCK_ENGINE_H
#define WIDEBLOCK_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum wideblock_engine_error {
  WIDEBLOCK_ENGINE_EPERM = 1,         /* the slot is locked, or a policy forbids it */
  WIDEBLOCK_ENGINE_EIO = 5,           /* a request was refused, or the engine has failed; only a reset ends the latter */
  WIDEBLOCK_ENGINE_EBUSY = 16,        /* the engine does something else */
  WIDEBLOCK_ENGINE_EEXIST = 17,       /* the slot has a key */
  WIDEBLOCK_ENGINE_ENODEV = 19,       /* no engine, one of another version, or no access to its key registers */
  WIDEBLOCK_ENGINE_EINVAL = 22,       /* an argument that the engine cannot have */
  WIDEBLOCK_ENGINE_EOPNOTSUPP = 95,   /* the engine has no such command */
  WIDEBLOCK_ENGINE_ETIMEDOUT = 110,   /* no answer after `attempts` reads */
  WIDEBLOCK_ENGINE_ENOKEY = 126,      /* the slot has no key */
  WIDEBLOCK_ENGINE_EKEYREJECTED = 129 /* two halves of the key are equal */
};

/* An engine. The fields from `slots` on are as wideblock_engine_probe() has read them. */
struct wideblock_engine {
  uintptr_t keys;        /* address of the key registers, or 0 where this processor does not reach them */
  uintptr_t engine;      /* address of the other registers */
  uint32_t attempts;     /* reads of a status, at most, for one wait */
  uint32_t slots;        /* 0 to slots - 1 */
  uint32_t tweak_bytes;  /* of a tweak; with tweak_sizes the caller may set others, up to most_tweak_bytes */
  uint32_t window_bytes; /* of the longest sector for wideblock_engine_crypt(); 0: there is no window */
  uint32_t causes;       /* of faults */
  bool encrypts, decrypts;
  bool tweak_sizes;      /* each request states the bytes of its tweak */
  uint32_t most_tweak_bytes;
};

/*
 * A key, and limits of its slot. `bytes` are those of MEK, in the order that its text in NAME_regs.h states; of XTS they
 * are Key1 for the data, then Key2 for the tweak. `bytes` and `tweak_offset` (16 bytes, or NULL) stay the caller's, who
 * wipes them.
 */
struct wideblock_engine_key {
  const uint8_t *bytes;
  uint32_t size;               /* a multiple of 4, at most 64 */
  const uint8_t *tweak_offset;
  uint32_t mode;               /* WIDEBLOCK_KEY_AUX_MODE_.._MASK: NO_ENCRYPT, NO_DECRYPT, LOCKED */
};

/* State of a slot: bits are WIDEBLOCK_ENGINE_SLOT_STATE_.._MASK. */
struct wideblock_engine_slot {
  uint32_t state;
  uint64_t blocks; /* of 16 bytes, that its key has processed */
};

/* The first fault since the last wideblock_engine_clear_faults(). `cause` is a bit of the engine's port `fault`. */
struct wideblock_engine_fault {
  bool valid;
  uint32_t slot, cause;
};

/* Reads the engine's capabilities. -ENODEV: there is none, or its registers have another major version. */
int wideblock_engine_probe(struct wideblock_engine *w, uintptr_t keys, uintptr_t engine, uint32_t attempts);

/* Waits until commands and sectors are accepted. -EIO: the engine has failed. */
int wideblock_engine_wait_ready(const struct wideblock_engine *w);

/*
 * Runs a command (WIDEBLOCK_KEY_CTRL_CMD_..) of the key registers. `key` is NULL but for a load. Sets *error, unless it
 * is NULL, to the engine's own result (WIDEBLOCK_KEY_CTRL_ERR_..). ZEROIZE gives up a command that runs, whose result it
 * then has, CLEARED; to any other it is -EBUSY. -EIO: the engine has failed.
 */
int wideblock_engine_command(const struct wideblock_engine *w, uint32_t command, uint32_t slot,
                             const struct wideblock_engine_key *key, uint32_t *error);

/* The operations of Linux's struct blk_crypto_ll_ops. A key in the slot is overwritten. */
int wideblock_engine_keyslot_program(const struct wideblock_engine *w, const struct wideblock_engine_key *key,
                                     uint32_t slot);
/* The key of the slot ends; sectors that began before it finish. -ENOKEY: there is none. `key` is not read. */
int wideblock_engine_keyslot_evict(const struct wideblock_engine *w, const struct wideblock_engine_key *key,
                                   uint32_t slot);

/* Loads the constant key of known-answer tests, which only wideblock_engine_crypt() may name. */
int wideblock_engine_keyslot_program_kat(const struct wideblock_engine *w, uint32_t slot);

/* Clears all keys and data, and waits for the end. Reaches the engine without access to its key registers, too. */
int wideblock_engine_zeroize(const struct wideblock_engine *w);

/*
 * Encrypts or decrypts a sector of `size` bytes through the window, under a tweak of `w->tweak_bytes`. `in` and `out`
 * may be the same. -EINVAL: the window does not take these sizes. -EIO: there is no result; *cause, unless it is NULL,
 * is the cause, a bit of the port `fault`, or GONE of WINDOW_STATUS. `out` is then as it was, or zeros if the result
 * went while it was read.
 */
int wideblock_engine_crypt(const struct wideblock_engine *w, uint32_t slot, bool decrypt, const uint8_t *tweak,
                           const uint8_t *in, uint8_t *out, uint32_t size, uint32_t *cause);

/*
 * Runs the self-test and waits for its end. -EIO: it has failed, *number (or NULL) is the first wrong answer's; or the engine had failed. -EBUSY:
 * it did not run, since its slot, the last, has a key.
 */
int wideblock_engine_selftest(const struct wideblock_engine *w, uint32_t *number);

/* State of a slot and use of its key. */
int wideblock_engine_read_slot(const struct wideblock_engine *w, uint32_t slot, struct wideblock_engine_slot *result);

/* Blocks that a key may process, and those from which on it is warned of. -EPERM: frozen. At most 2^45 - 1. */
int wideblock_engine_set_limits(const struct wideblock_engine *w, uint64_t limit, uint64_t warn);

/* Sets bits of POLICY (WIDEBLOCK_ENGINE_POLICY_.._MASK), which hold until reset. -EIO: one did not stay. */
int wideblock_engine_set_policy(const struct wideblock_engine *w, uint32_t bits);

/* Faults: number of a cause (saturating), the first one, and an end to both. */
uint32_t wideblock_engine_fault_count(const struct wideblock_engine *w, uint32_t cause);
struct wideblock_engine_fault wideblock_engine_first_fault(const struct wideblock_engine *w);
void wideblock_engine_clear_faults(const struct wideblock_engine *w);

/* Interrupts: bits are WIDEBLOCK_ENGINE_IRQ_STATUS_.._MASK. */
void wideblock_engine_irq_enable(const struct wideblock_engine *w, uint32_t bits);
/* Returns the enabled events that have happened, and clears them. */
uint32_t wideblock_engine_irq_take(const struct wideblock_engine *w);

/* Overwrites `size` bytes with zeros; a compiler does not leave it out. */
void wideblock_engine_wipe(volatile void *place, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* WIDEBLOCK_ENGINE_H */
