/* SPDX-License-Identifier: Apache-2.0 */
/* See wideblock_engine.h. Order of the key registers: that of Caliptra's firmware, which OCP L.O.C.K. 1.1 describes. */
#include "wideblock_engine.h"

#ifdef WIDEBLOCK_ENGINE_REGS
#include WIDEBLOCK_ENGINE_REGS
#else
#include "wideblock_regs.h"
#endif

#ifndef WIDEBLOCK_ENGINE_READ32
#define WIDEBLOCK_ENGINE_READ32(address) (*(const volatile uint32_t *)(address))
#define WIDEBLOCK_ENGINE_WRITE32(address, value) (*(volatile uint32_t *)(address) = (value))
#endif

#define KEY_WORDS WIDEBLOCK_KEY_MEK_COUNT
#define WORD 4u

/* An offset of a register, and its fields; `r` is its name behind WIDEBLOCK_. */
#define OFFSET(r) WIDEBLOCK_##r##_OFFSET
#define MASK(f) WIDEBLOCK_##f##_MASK
#define GET(value, f) (((value) & WIDEBLOCK_##f##_MASK) >> WIDEBLOCK_##f##_SHIFT)
#define PUT(value, f) (((uint32_t)(value) << WIDEBLOCK_##f##_SHIFT) & WIDEBLOCK_##f##_MASK)

#define MAJOR 1u /* of the register map that this driver knows */
#define IDENTIFICATION 0x6b626477u /* "wdbk" */

/* Of engines whose requests state the bytes of a tweak; headers of others do not have them. */
#define CAPS3_TWEAK_SIZE (1u << 9)
#define WINDOW_TWEAK_SIZE 0x10cu

static uint32_t key_read(const struct wideblock_engine *w, uint32_t offset)
{
  return WIDEBLOCK_ENGINE_READ32(w->keys + offset);
}

static void key_write(const struct wideblock_engine *w, uint32_t offset, uint32_t value)
{
  WIDEBLOCK_ENGINE_WRITE32(w->keys + offset, value);
}

static uint32_t engine_read(const struct wideblock_engine *w, uint32_t offset)
{
  return WIDEBLOCK_ENGINE_READ32(w->engine + offset);
}

static void engine_write(const struct wideblock_engine *w, uint32_t offset, uint32_t value)
{
  WIDEBLOCK_ENGINE_WRITE32(w->engine + offset, value);
}

void wideblock_engine_wipe(volatile void *place, size_t size)
{
  volatile uint8_t *bytes = place;

  while (size--)
    *bytes++ = 0;
}

/* Writes `size` bytes and zeros up to `words` words. No word of them stays in memory. */
static void write_bytes(uintptr_t address, const uint8_t *bytes, uint32_t size, uint32_t words)
{
  volatile uint32_t word = 0;

  for (uint32_t at = 0; at < words; at++) {
    word = 0;
    for (uint32_t n = 0; n < WORD; n++)
      if (WORD * at + n < size)
        word |= (uint32_t)bytes[WORD * at + n] << (8u * n);
    WIDEBLOCK_ENGINE_WRITE32(address + WORD * at, word);
  }
  wideblock_engine_wipe(&word, sizeof word);
}

/* Waits until a register of the engine has `value` in the bits of `mask`. */
static int wait_engine(const struct wideblock_engine *w, uint32_t offset, uint32_t mask, uint32_t value)
{
  for (uint32_t n = 0; n < w->attempts; n++)
    if ((engine_read(w, offset) & mask) == value)
      return 0;
  return -WIDEBLOCK_ENGINE_ETIMEDOUT;
}

int wideblock_engine_probe(struct wideblock_engine *w, uintptr_t keys, uintptr_t engine, uint32_t attempts)
{
  uint32_t caps;

  *w = (struct wideblock_engine){.keys = keys, .engine = engine, .attempts = attempts};
  if (engine_read(w, OFFSET(ENGINE_ID)) != IDENTIFICATION)
    return -WIDEBLOCK_ENGINE_ENODEV;
  if (GET(engine_read(w, OFFSET(ENGINE_VERSION)), ENGINE_VERSION_MAJOR) != MAJOR)
    return -WIDEBLOCK_ENGINE_ENODEV;
  w->slots = GET(engine_read(w, OFFSET(ENGINE_CAPS0)), ENGINE_CAPS0_SLOTS);
  caps = engine_read(w, OFFSET(ENGINE_CAPS2));
  w->most_tweak_bytes = GET(caps, ENGINE_CAPS2_TWEAK_BYTES);
  w->tweak_sizes = (engine_read(w, OFFSET(ENGINE_CAPS3)) & CAPS3_TWEAK_SIZE) != 0;
  w->window_bytes = GET(caps, ENGINE_CAPS2_WINDOW_BYTES);
  w->tweak_bytes = w->most_tweak_bytes;
  if (w->tweak_sizes && w->window_bytes) /* the register is one of the window */
    w->tweak_bytes = engine_read(w, WINDOW_TWEAK_SIZE);
  w->causes = GET(caps, ENGINE_CAPS2_CAUSES);
  w->encrypts = (caps & MASK(ENGINE_CAPS2_ENCRYPT)) != 0;
  w->decrypts = (caps & MASK(ENGINE_CAPS2_DECRYPT)) != 0;
  return 0;
}

int wideblock_engine_wait_ready(const struct wideblock_engine *w)
{
  for (uint32_t n = 0; n < w->attempts; n++) {
    uint32_t status = engine_read(w, OFFSET(ENGINE_STATUS));

    if (status & MASK(ENGINE_STATUS_FATAL))
      return -WIDEBLOCK_ENGINE_EIO;
    if (status & MASK(ENGINE_STATUS_READY))
      return 0;
  }
  return -WIDEBLOCK_ENGINE_ETIMEDOUT;
}

/* The reason for which an engine is not ready: it clears itself, or has failed. */
static int unready(const struct wideblock_engine *w)
{
  return engine_read(w, OFFSET(ENGINE_STATUS)) & MASK(ENGINE_STATUS_FATAL) ? -WIDEBLOCK_ENGINE_EIO : -WIDEBLOCK_ENGINE_EBUSY;
}

/* The error of Linux for a result of a command. */
static int as_errno(uint32_t error)
{
  switch (error) {
  case WIDEBLOCK_KEY_CTRL_ERR_OK:
    return 0;
  case WIDEBLOCK_KEY_CTRL_ERR_COMMAND:
    return -WIDEBLOCK_ENGINE_EOPNOTSUPP;
  case WIDEBLOCK_KEY_CTRL_ERR_NO_SLOT:
  case WIDEBLOCK_KEY_CTRL_ERR_METD:
  case WIDEBLOCK_KEY_CTRL_ERR_AUX:
    return -WIDEBLOCK_ENGINE_EINVAL;
  case WIDEBLOCK_KEY_CTRL_ERR_NOT_LOADED:
    return -WIDEBLOCK_ENGINE_ENOKEY;
  case WIDEBLOCK_KEY_CTRL_ERR_LOADED:
    return -WIDEBLOCK_ENGINE_EEXIST;
  case WIDEBLOCK_KEY_CTRL_ERR_EQUAL_HALVES:
    return -WIDEBLOCK_ENGINE_EKEYREJECTED;
  case WIDEBLOCK_KEY_CTRL_ERR_LOCKED:
    return -WIDEBLOCK_ENGINE_EPERM;
  case WIDEBLOCK_KEY_CTRL_ERR_BUSY: /* these three: the engine has cleared itself meanwhile */
  case WIDEBLOCK_KEY_CTRL_ERR_INCOMPLETE:
  case WIDEBLOCK_KEY_CTRL_ERR_CLEARED:
    return -WIDEBLOCK_ENGINE_EBUSY;
  default:
    return -WIDEBLOCK_ENGINE_EIO;
  }
}

/* Waits for the end of a command, takes its result and frees the registers. */
static int finish(const struct wideblock_engine *w, uint32_t *error)
{
  for (uint32_t n = 0; n < w->attempts; n++) {
    uint32_t control = key_read(w, OFFSET(KEY_CTRL));

    if (control & MASK(KEY_CTRL_DONE)) {
      uint32_t result = GET(control, KEY_CTRL_ERR);

      key_write(w, OFFSET(KEY_CTRL), MASK(KEY_CTRL_DONE));
      if (error)
        *error = result;
      return as_errno(result);
    }
  }
  return -WIDEBLOCK_ENGINE_ETIMEDOUT;
}

int wideblock_engine_command(const struct wideblock_engine *w, uint32_t command, uint32_t slot,
                             const struct wideblock_engine_key *key, uint32_t *error)
{
  static const struct wideblock_engine_key none = {0};
  const struct wideblock_engine_key *given = key ? key : &none;

  if (!w->keys)
    return -WIDEBLOCK_ENGINE_ENODEV;
  if (slot > MASK(KEY_METD_SLOT) || given->size > WORD * KEY_WORDS || given->size % WORD)
    return -WIDEBLOCK_ENGINE_EINVAL;
  if (key_read(w, OFFSET(KEY_CTRL)) & MASK(KEY_CTRL_EXE)) { /* all other writes would be bus errors */
    int result = -WIDEBLOCK_ENGINE_EBUSY;

    if (command != WIDEBLOCK_KEY_CTRL_CMD_ZEROIZE)
      return result;
    key_write(w, OFFSET(KEY_CTRL), PUT(command, KEY_CTRL_CMD) | MASK(KEY_CTRL_EXE));
    result = finish(w, error);
    return result == -WIDEBLOCK_ENGINE_EBUSY ? 0 : result; /* the command that was given up ends with CLEARED */
  }
  key_write(w, OFFSET(KEY_CTRL), MASK(KEY_CTRL_DONE)); /* of a command that somebody else did not free */
  if (!(key_read(w, OFFSET(KEY_CTRL)) & MASK(KEY_CTRL_RDY)))
    return unready(w);
  key_write(w, OFFSET(KEY_METD), PUT(slot, KEY_METD_SLOT));
  write_bytes(w->keys + OFFSET(KEY_METD_REST), NULL, 0, WIDEBLOCK_KEY_METD_REST_COUNT);
  write_bytes(w->keys + OFFSET(KEY_AUX_OFFSET), given->tweak_offset,
              given->tweak_offset ? WORD * WIDEBLOCK_KEY_AUX_OFFSET_COUNT : 0, WIDEBLOCK_KEY_AUX_OFFSET_COUNT);
  key_write(w, OFFSET(KEY_AUX_MODE), given->mode);
  write_bytes(w->keys + OFFSET(KEY_AUX_REST), NULL, 0, WIDEBLOCK_KEY_AUX_REST_COUNT);
  if (key)
    write_bytes(w->keys + OFFSET(KEY_MEK), given->bytes, given->size, KEY_WORDS);
  key_write(w, OFFSET(KEY_CTRL), PUT(command, KEY_CTRL_CMD) | MASK(KEY_CTRL_EXE));
  return finish(w, error);
}

int wideblock_engine_keyslot_program(const struct wideblock_engine *w, const struct wideblock_engine_key *key,
                                     uint32_t slot)
{
  int result = wideblock_engine_command(w, WIDEBLOCK_KEY_CTRL_CMD_LOAD, slot, key, NULL);

  if (result != -WIDEBLOCK_ENGINE_EEXIST)
    return result;
  result = wideblock_engine_keyslot_evict(w, key, slot);
  if (result == -WIDEBLOCK_ENGINE_ENOKEY) /* the engine has cleared itself between */
    result = 0;
  return result ? result : wideblock_engine_command(w, WIDEBLOCK_KEY_CTRL_CMD_LOAD, slot, key, NULL);
}

int wideblock_engine_keyslot_evict(const struct wideblock_engine *w, const struct wideblock_engine_key *key,
                                   uint32_t slot)
{
  (void)key;
  return wideblock_engine_command(w, WIDEBLOCK_KEY_CTRL_CMD_UNLOAD, slot, NULL, NULL);
}

int wideblock_engine_keyslot_program_kat(const struct wideblock_engine *w, uint32_t slot)
{
  return wideblock_engine_command(w, WIDEBLOCK_KEY_CTRL_CMD_LOAD_KAT, slot, NULL, NULL);
}

int wideblock_engine_zeroize(const struct wideblock_engine *w)
{
  engine_write(w, OFFSET(ENGINE_ZEROIZE), MASK(ENGINE_ZEROIZE_START));
  return wideblock_engine_wait_ready(w);
}

int wideblock_engine_crypt(const struct wideblock_engine *w, uint32_t slot, bool decrypt, const uint8_t *tweak,
                           const uint8_t *in, uint8_t *out, uint32_t size, uint32_t *cause)
{
  uint32_t status, request;
  int result;

  if (slot > MASK(ENGINE_WINDOW_REQUEST_SLOT) || !size || size > w->window_bytes)
    return -WIDEBLOCK_ENGINE_EINVAL;
  if (w->tweak_sizes ? w->tweak_bytes > w->most_tweak_bytes : w->tweak_bytes != w->most_tweak_bytes)
    return -WIDEBLOCK_ENGINE_EINVAL;
  /* a request that is refused for these reasons ends with FAULT, or is a bus error while another one is under way */
  if (engine_read(w, OFFSET(ENGINE_POLICY)) & MASK(ENGINE_POLICY_CLOSE_WINDOW))
    return -WIDEBLOCK_ENGINE_EPERM;
  status = engine_read(w, OFFSET(ENGINE_STATUS));
  if (status & MASK(ENGINE_STATUS_FATAL)) {
    if (cause)
      *cause = WIDEBLOCK_ENGINE_WINDOW_STATUS_CAUSE_GONE;
    return -WIDEBLOCK_ENGINE_EIO;
  }
  if (!(status & MASK(ENGINE_STATUS_READY)) || status & MASK(ENGINE_STATUS_WINDOW))
    return -WIDEBLOCK_ENGINE_EBUSY;
  write_bytes(w->engine + OFFSET(ENGINE_WINDOW_TWEAK), tweak, w->tweak_bytes, (w->tweak_bytes + WORD - 1) / WORD);
  if (w->tweak_sizes)
    engine_write(w, WINDOW_TWEAK_SIZE, w->tweak_bytes);
  write_bytes(w->engine + OFFSET(ENGINE_WINDOW_DATA_IN), in, size, (size + WORD - 1) / WORD);
  engine_write(w, OFFSET(ENGINE_WINDOW_SIZE), PUT(size, ENGINE_WINDOW_SIZE_BYTES));
  request = PUT(slot, ENGINE_WINDOW_REQUEST_SLOT) | PUT(decrypt, ENGINE_WINDOW_REQUEST_DECRYPT);
  engine_write(w, OFFSET(ENGINE_WINDOW_REQUEST), request | MASK(ENGINE_WINDOW_REQUEST_START));
  result = wait_engine(w, OFFSET(ENGINE_WINDOW_STATUS),
                       MASK(ENGINE_WINDOW_STATUS_DONE) | MASK(ENGINE_WINDOW_STATUS_BUSY),
                       MASK(ENGINE_WINDOW_STATUS_DONE));
  if (result)
    return result;
  status = engine_read(w, OFFSET(ENGINE_WINDOW_STATUS));
  if (status & MASK(ENGINE_WINDOW_STATUS_FAULT)) {
    if (cause)
      *cause = GET(status, ENGINE_WINDOW_STATUS_CAUSE);
    return -WIDEBLOCK_ENGINE_EIO;
  }
  for (uint32_t at = 0; at < size; at += WORD) {
    uint32_t word = engine_read(w, OFFSET(ENGINE_WINDOW_DATA_OUT) + at);

    for (uint32_t n = 0; n < WORD && at + n < size; n++)
      out[at + n] = (uint8_t)(word >> (8u * n));
  }
  status = engine_read(w, OFFSET(ENGINE_WINDOW_STATUS)); /* a zeroize meanwhile makes the words that follow 0 */
  if (status & MASK(ENGINE_WINDOW_STATUS_FAULT)) {
    wideblock_engine_wipe(out, size);
    if (cause)
      *cause = GET(status, ENGINE_WINDOW_STATUS_CAUSE);
    return -WIDEBLOCK_ENGINE_EIO;
  }
  return 0;
}

int wideblock_engine_selftest(const struct wideblock_engine *w, uint32_t *number)
{
  uint32_t result;
  int waited;

  if (engine_read(w, OFFSET(ENGINE_STATUS)) & MASK(ENGINE_STATUS_FATAL))
    return -WIDEBLOCK_ENGINE_EIO;
  if (!(engine_read(w, OFFSET(ENGINE_SELFTEST)) & MASK(ENGINE_SELFTEST_BUSY))) /* else it is that one's end */
    engine_write(w, OFFSET(ENGINE_SELFTEST), MASK(ENGINE_SELFTEST_START));
  waited = wait_engine(w, OFFSET(ENGINE_SELFTEST), MASK(ENGINE_SELFTEST_DONE) | MASK(ENGINE_SELFTEST_BUSY),
                       MASK(ENGINE_SELFTEST_DONE));
  if (waited)
    return waited;
  result = engine_read(w, OFFSET(ENGINE_SELFTEST));
  if (result & MASK(ENGINE_SELFTEST_PASSED))
    return 0;
  if (GET(result, ENGINE_SELFTEST_FAILED) == WIDEBLOCK_ENGINE_SELFTEST_FAILED_NOT_RUN)
    return -WIDEBLOCK_ENGINE_EBUSY;
  if (number)
    *number = GET(result, ENGINE_SELFTEST_FAILED);
  return -WIDEBLOCK_ENGINE_EIO;
}

int wideblock_engine_read_slot(const struct wideblock_engine *w, uint32_t slot, struct wideblock_engine_slot *result)
{
  uint32_t low;

  if (slot >= w->slots)
    return -WIDEBLOCK_ENGINE_EINVAL;
  engine_write(w, OFFSET(ENGINE_SLOT_SELECT), PUT(slot, ENGINE_SLOT_SELECT_SLOT));
  result->state = engine_read(w, OFFSET(ENGINE_SLOT_STATE));
  low = engine_read(w, OFFSET(ENGINE_SLOT_BLOCKS_LO)); /* first: it keeps the high part */
  result->blocks = (uint64_t)engine_read(w, OFFSET(ENGINE_SLOT_BLOCKS_HI)) << 32 | low;
  return 0;
}

/* The halves take effect one by one: in this order the number is never below both the old and the new one. */
static void write_number(const struct wideblock_engine *w, uint32_t low, uint32_t high, uint64_t number)
{
  const uint32_t above = (uint32_t)(number >> 32);
  const bool rises = above > engine_read(w, high);

  if (rises)
    engine_write(w, high, above);
  engine_write(w, low, (uint32_t)number);
  if (!rises)
    engine_write(w, high, above);
}

int wideblock_engine_set_limits(const struct wideblock_engine *w, uint64_t limit, uint64_t warn)
{
  const uint64_t most = (uint64_t)MASK(ENGINE_LIMIT_HI_BLOCKS) << 32 | MASK(ENGINE_LIMIT_LO_BLOCKS);

  if (limit > most || warn > most)
    return -WIDEBLOCK_ENGINE_EINVAL;
  if (engine_read(w, OFFSET(ENGINE_POLICY)) & MASK(ENGINE_POLICY_FREEZE_LIMITS))
    return -WIDEBLOCK_ENGINE_EPERM;
  write_number(w, OFFSET(ENGINE_LIMIT_LO), OFFSET(ENGINE_LIMIT_HI), limit);
  write_number(w, OFFSET(ENGINE_WARN_LO), OFFSET(ENGINE_WARN_HI), warn);
  return 0;
}

int wideblock_engine_set_policy(const struct wideblock_engine *w, uint32_t bits)
{
  engine_write(w, OFFSET(ENGINE_POLICY), bits);
  return (engine_read(w, OFFSET(ENGINE_POLICY)) & bits) == bits ? 0 : -WIDEBLOCK_ENGINE_EIO;
}

uint32_t wideblock_engine_fault_count(const struct wideblock_engine *w, uint32_t cause)
{
  return cause < w->causes ? engine_read(w, OFFSET(ENGINE_FAULT_COUNT) + WORD * cause) : 0;
}

struct wideblock_engine_fault wideblock_engine_first_fault(const struct wideblock_engine *w)
{
  uint32_t first = engine_read(w, OFFSET(ENGINE_FIRST_FAULT));

  return (struct wideblock_engine_fault){
      .valid = (first & MASK(ENGINE_FIRST_FAULT_VALID)) != 0,
      .slot = GET(first, ENGINE_FIRST_FAULT_SLOT),
      .cause = GET(first, ENGINE_FIRST_FAULT_CAUSE),
  };
}

void wideblock_engine_clear_faults(const struct wideblock_engine *w)
{
  engine_write(w, OFFSET(ENGINE_FAULT_CLEAR), MASK(ENGINE_FAULT_CLEAR_CLEAR));
}

void wideblock_engine_irq_enable(const struct wideblock_engine *w, uint32_t bits)
{
  engine_write(w, OFFSET(ENGINE_IRQ_ENABLE), bits);
}

uint32_t wideblock_engine_irq_take(const struct wideblock_engine *w)
{
  uint32_t events = engine_read(w, OFFSET(ENGINE_IRQ_STATUS)) & engine_read(w, OFFSET(ENGINE_IRQ_ENABLE));

  engine_write(w, OFFSET(ENGINE_IRQ_STATUS), events);
  return events;
}
