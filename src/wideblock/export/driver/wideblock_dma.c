/* SPDX-License-Identifier: Apache-2.0 */
/* See wideblock_dma.h. */
#include "wideblock_dma.h"

#ifdef WIDEBLOCK_ENGINE_REGS
#include WIDEBLOCK_ENGINE_REGS
#else
#include "wideblock_regs.h"
#endif

#ifndef WIDEBLOCK_ENGINE_READ32
#define WIDEBLOCK_ENGINE_READ32(address) (*(const volatile uint32_t *)(address))
#define WIDEBLOCK_ENGINE_WRITE32(address, value) (*(volatile uint32_t *)(address) = (value))
#endif

#ifndef WIDEBLOCK_DMA_BARRIER /* of memory and of registers: a fence of C11 leaves out the latter on some processors */
#if defined(__x86_64__) || defined(__i386__)
#define WIDEBLOCK_DMA_BARRIER() __sync_synchronize()
#elif defined(__riscv)
#define WIDEBLOCK_DMA_BARRIER() __asm__ volatile("fence iorw, iorw" ::: "memory")
#elif defined(__aarch64__) || (defined(__ARM_ARCH) && __ARM_ARCH >= 7)
#define WIDEBLOCK_DMA_BARRIER() __asm__ volatile("dsb sy" ::: "memory")
#else
#error "define WIDEBLOCK_DMA_BARRIER(): no access of memory or of a register passes it"
#endif
#endif

/* An offset of a register, and its fields; `r` is its name behind WIDEBLOCK_DMA_. */
#define OFFSET(r) WIDEBLOCK_DMA_##r##_OFFSET
#define MASK(f) WIDEBLOCK_DMA_##f##_MASK
#define GET(value, f) (((value) & WIDEBLOCK_DMA_##f##_MASK) >> WIDEBLOCK_DMA_##f##_SHIFT)

#define MAJOR 1u /* of the register map that this driver knows */
#define IDENTIFICATION 0x616d6477u /* "wdma" */
#define WORD 4u
#define MOST_SIZE 15u
#define DECRYPT 1u
#define LONG_TWEAK 2u
#define PHASE 0x80u /* in byte 7 of a completion */
#define CAUSE 0x1fu
#define ENGINE_READY WIDEBLOCK_ENGINE_STATUS_READY_MASK
#define ENGINE_FATAL WIDEBLOCK_ENGINE_STATUS_FATAL_MASK

/* Bytes of a descriptor at which its fields are. */
enum { TARGET = 8, BYTES = 16, UNITS = 20, SLOT = 22, FLAGS = 24, COOKIE = 28, TWEAK = 32, STEP = 48, SEGMENTS = 52 };

static uint32_t reg_read(const struct wideblock_dma *d, uint32_t offset)
{
  return WIDEBLOCK_ENGINE_READ32(d->registers + offset);
}

static void reg_write(const struct wideblock_dma *d, uint32_t offset, uint32_t value)
{
  WIDEBLOCK_ENGINE_WRITE32(d->registers + offset, value);
}

static void put(volatile uint8_t *place, uint64_t value, uint32_t size)
{
  for (uint32_t n = 0; n < size; n++, value >>= 8)
    place[n] = (uint8_t)value;
}

static uint64_t get(const volatile uint8_t *place, uint32_t size)
{
  uint64_t value = 0;

  while (size--)
    value = value << 8 | place[size];
  return value;
}

static void write_address(const struct wideblock_dma *d, uint32_t low, uint32_t high, uint64_t value)
{
  reg_write(d, low, (uint32_t)value);
  reg_write(d, high, (uint32_t)(value >> 32));
}

static bool is_idle(const struct wideblock_dma *d)
{
  return (reg_read(d, OFFSET(STATUS)) & MASK(STATUS_IDLE)) != 0;
}

int wideblock_dma_probe(struct wideblock_dma *d, uintptr_t registers, uintptr_t engine, uint32_t attempts)
{
  *d = (struct wideblock_dma){.registers = registers, .engine = engine, .attempts = attempts};
  if (reg_read(d, OFFSET(ID)) != IDENTIFICATION || GET(reg_read(d, OFFSET(VERSION)), VERSION_MAJOR) != MAJOR)
    return -WIDEBLOCK_DMA_ENODEV;
  return 0;
}

int wideblock_dma_set_window(const struct wideblock_dma *d, uint32_t number, uint64_t first, uint64_t last, bool reads,
                             bool writes)
{
  const uint64_t flags = (reads ? MASK(WINDOW_BASE_LO_READ) : 0) | (writes ? MASK(WINDOW_BASE_LO_WRITE) : 0);
  const uint64_t pages = ~(uint64_t)0 << 32 | MASK(WINDOW_BASE_LO_PAGE);
  const uint32_t at = WORD * number;

  if (number >= GET(reg_read(d, OFFSET(CAPS)), CAPS_WINDOWS) || first > last)
    return -WIDEBLOCK_DMA_EINVAL;
  if (!is_idle(d)) /* a write would be a bus error */
    return -WIDEBLOCK_DMA_EBUSY;
  if (reg_read(d, OFFSET(LOCK)) & MASK(LOCK_WINDOWS))
    return -WIDEBLOCK_DMA_EPERM;
  reg_write(d, OFFSET(WINDOW_BASE_LO) + at, 0); /* no state between is wider than the old window or the new one */
  write_address(d, OFFSET(WINDOW_LAST_LO) + at, OFFSET(WINDOW_LAST_HI) + at, last & pages);
  reg_write(d, OFFSET(WINDOW_BASE_HI) + at, (uint32_t)(first >> 32));
  reg_write(d, OFFSET(WINDOW_BASE_LO) + at, (uint32_t)((first & pages) | flags));
  return 0;
}

void wideblock_dma_lock_windows(const struct wideblock_dma *d)
{
  reg_write(d, OFFSET(LOCK), MASK(LOCK_WINDOWS));
}

int wideblock_dma_start(struct wideblock_dma *d, const struct wideblock_dma_rings *rings)
{
  const uint64_t unaligned = (rings->jobs_at | rings->completions_at) % WIDEBLOCK_DMA_DESCRIPTOR_BYTES;
  const uint32_t status = WIDEBLOCK_ENGINE_READ32(d->engine + WIDEBLOCK_ENGINE_STATUS_OFFSET);

  if (!rings->size || rings->size > MOST_SIZE || unaligned)
    return -WIDEBLOCK_DMA_EINVAL;
  if (status & ENGINE_FATAL)
    return -WIDEBLOCK_DMA_EIO;
  if (!is_idle(d) || !(status & ENGINE_READY))
    return -WIDEBLOCK_DMA_EBUSY; /* a start would be a bus error */
  d->rings = *rings;
  d->submitted = d->completed = 0;
  for (uint32_t n = 0; n < WIDEBLOCK_DMA_COMPLETION_BYTES << rings->size; n++)
    ((volatile uint8_t *)rings->completions)[n] = 0;
  reg_write(d, OFFSET(RING), rings->size);
  write_address(d, OFFSET(SUBMISSION_LO), OFFSET(SUBMISSION_HI), rings->jobs_at);
  write_address(d, OFFSET(COMPLETION_LO), OFFSET(COMPLETION_HI), rings->completions_at);
  reg_write(d, OFFSET(DOORBELL), 0);
  WIDEBLOCK_DMA_BARRIER();
  reg_write(d, OFFSET(CONTROL), MASK(CONTROL_START));
  return is_idle(d) ? -WIDEBLOCK_DMA_EBUSY : 0;
}

int wideblock_dma_submit(struct wideblock_dma *d, const struct wideblock_dma_job *job)
{
  const uint32_t entries = 1u << d->rings.size;
  volatile uint8_t *entry = d->rings.jobs + WIDEBLOCK_DMA_DESCRIPTOR_BYTES * (d->submitted % entries);

  if (job->long_tweak && (job->source_segments || job->target_segments))
    return -WIDEBLOCK_DMA_EINVAL;
  if (d->submitted - d->completed == entries - 1)
    return -WIDEBLOCK_DMA_EBUSY;
  put(entry, job->source, TARGET);
  put(entry + TARGET, job->target, BYTES - TARGET);
  put(entry + BYTES, job->bytes, UNITS - BYTES);
  put(entry + UNITS, job->units, SLOT - UNITS);
  put(entry + SLOT, job->slot, FLAGS - SLOT);
  put(entry + FLAGS, (job->decrypt ? DECRYPT : 0) | (job->long_tweak ? LONG_TWEAK : 0), COOKIE - FLAGS);
  put(entry + COOKIE, job->cookie, TWEAK - COOKIE);
  for (uint32_t n = TWEAK; n < WIDEBLOCK_DMA_DESCRIPTOR_BYTES; n++)
    entry[n] = n < STEP || job->long_tweak ? job->tweak[n - TWEAK] : 0;
  if (!job->long_tweak) {
    put(entry + STEP, job->step, SEGMENTS - STEP);
    put(entry + SEGMENTS, job->source_segments, 2);
    put(entry + SEGMENTS + 2, job->target_segments, 2);
  }
  d->submitted++;
  WIDEBLOCK_DMA_BARRIER(); /* the descriptor, and the data, before the number of the entry */
  reg_write(d, OFFSET(DOORBELL), d->submitted % entries);
  return 0;
}

int wideblock_dma_poll(struct wideblock_dma *d, struct wideblock_dma_result *result)
{
  const uint32_t entries = 1u << d->rings.size;
  const volatile uint8_t *entry = d->rings.completions + WIDEBLOCK_DMA_COMPLETION_BYTES * (d->completed % entries);
  const uint8_t expected = d->completed / entries % 2 ? 0 : PHASE;

  if (d->submitted == d->completed || (entry[7] & PHASE) != expected)
    return -WIDEBLOCK_DMA_EAGAIN;
  WIDEBLOCK_DMA_BARRIER(); /* the rest of the entry, and the data, behind its phase */
  result->cookie = (uint32_t)get(entry, WORD);
  result->units = (uint16_t)get(entry + 4, 2);
  result->status = entry[6];
  result->cause = entry[7] & CAUSE;
  result->address = get(entry + 8, 8);
  d->completed++;
  return 0;
}

int wideblock_dma_halted(const struct wideblock_dma *d)
{
  uint32_t status = reg_read(d, OFFSET(STATUS));

  WIDEBLOCK_DMA_BARRIER(); /* the last results behind the end */
  return status & MASK(STATUS_IDLE) ? (int)GET(status, STATUS_HALT) : -WIDEBLOCK_DMA_EAGAIN;
}

int wideblock_dma_stop(const struct wideblock_dma *d)
{
  reg_write(d, OFFSET(CONTROL), MASK(CONTROL_STOP));
  for (uint32_t n = 0; n < d->attempts; n++)
    if (wideblock_dma_halted(d) >= 0)
      return 0;
  return -WIDEBLOCK_DMA_ETIMEDOUT;
}

void wideblock_dma_irq_enable(const struct wideblock_dma *d, uint32_t bits)
{
  reg_write(d, OFFSET(IRQ_ENABLE), bits);
}

uint32_t wideblock_dma_irq_take(const struct wideblock_dma *d)
{
  uint32_t events = reg_read(d, OFFSET(IRQ_STATUS)) & reg_read(d, OFFSET(IRQ_ENABLE));

  reg_write(d, OFFSET(IRQ_STATUS), events);
  (void)reg_read(d, OFFSET(IRQ_STATUS));
  WIDEBLOCK_DMA_BARRIER(); /* the events are cleared before results are looked for: later ones raise the line again */
  return events;
}
