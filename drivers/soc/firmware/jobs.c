/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Firmware that gives jobs to the master by the driver: sectors in place in RAM, back again, through lists of segments,
 * and jobs that end with an error.
 */
#include "jobs.h"

#include "board.h"
#include "soc.h"

#ifdef S_AXI_DMA_BASE
#include "wideblock_dma.h"

#define ATTEMPTS 100000u
#define SECTORS 64u
#define SECTOR_BYTES 512u
#define RING_SIZE 7u

static _Alignas(64) uint8_t submission[WIDEBLOCK_DMA_DESCRIPTOR_BYTES << RING_SIZE];
static _Alignas(64) uint8_t completion[WIDEBLOCK_DMA_COMPLETION_BYTES << RING_SIZE];
static _Alignas(16) uint8_t data[SECTORS][SECTOR_BYTES];
static _Alignas(16) uint8_t back[SECTOR_BYTES];
static _Alignas(16) struct wideblock_dma_segment segments[3];
static uint8_t plain[SECTOR_BYTES], sealed[SECTOR_BYTES];
static struct wideblock_dma master;

static uint64_t at(const void *object)
{
  return (uintptr_t)object;
}

static void fill(uint8_t *sector, uint32_t number)
{
  for (uint32_t n = 0; n < SECTOR_BYTES; n++)
    sector[n] = (uint8_t)(31 * n + 7 * number + (n >> 3));
}

static uint32_t differences(const uint8_t *a, const uint8_t *b)
{
  uint32_t found = 0;

  for (uint32_t n = 0; n < SECTOR_BYTES; n++)
    found += a[n] != b[n];
  return found;
}

static struct wideblock_dma_job job_of(uint32_t number, uint32_t slot, bool decrypt)
{
  struct wideblock_dma_job job = {.bytes = SECTOR_BYTES, .units = 1, .slot = (uint16_t)slot, .decrypt = decrypt};

  job.source = job.target = at(data[number]);
  job.cookie = number;
  job.tweak[0] = (uint8_t)number;
  return job;
}

/* The result of the oldest job; false if there is none in time. The master writes behind the processor's cache. */
static bool result(struct wideblock_dma_result *found)
{
  for (uint32_t n = 0; n < ATTEMPTS; n++) {
    forget_cache();
    if (!wideblock_dma_poll(&master, found))
      return true;
  }
  return false;
}

/* All sectors, each under the key of one slot or the other in turn; the number of those that are done, in order. */
static uint32_t all(uint32_t first, uint32_t second, bool decrypt)
{
  struct wideblock_dma_result found;
  uint32_t done = 0;

  for (uint32_t n = 0; n < SECTORS; n++) {
    struct wideblock_dma_job job = job_of(n, n % 2 ? second : first, decrypt);

    if (wideblock_dma_submit(&master, &job))
      return 0;
  }
  for (uint32_t n = 0; n < SECTORS && result(&found); n++)
    done += found.cookie == n && found.units == 1 && found.status == WIDEBLOCK_DMA_JOB_OK;
  return done;
}

/* The status of one job; none of the statuses if there is no result. */
static uint32_t ends_with(const struct wideblock_dma_job *job)
{
  struct wideblock_dma_result found;

  return !wideblock_dma_submit(&master, job) && result(&found) ? found.status : ~0u;
}

static bool started(void)
{
  struct wideblock_dma_rings rings = {submission, completion, at(submission), at(completion), RING_SIZE};
  struct wideblock_dma_rings odd = rings;

  odd.jobs_at += 16;
  return !wideblock_dma_set_window(&master, 0, SRAM_BASE, SRAM_BASE + SRAM_BYTES - 1, true, true) &&
         wideblock_dma_start(&master, &odd) == -WIDEBLOCK_DMA_EINVAL && !wideblock_dma_start(&master, &rings);
}

/* The number of sectors that are those of the window of the engine, which compares itself with the specification. */
static uint32_t as_by_window(const struct wideblock_engine *engine, uint32_t first, uint32_t second)
{
  uint32_t right = 0;

  for (uint32_t n = 0; n < SECTORS; n++) {
    const struct wideblock_dma_job job = job_of(n, n % 2 ? second : first, false);

    fill(plain, n);
    right += !wideblock_engine_crypt(engine, job.slot, false, job.tweak, plain, sealed, SECTOR_BYTES, NULL) &&
             !differences(sealed, data[n]);
  }
  return right;
}

/* A sector that lies in three places goes into one. */
static bool gathered(uint32_t slot)
{
  const uint32_t sizes[] = {112, 16, 384};
  struct wideblock_dma_job job = job_of(0, slot, false);
  uint32_t place = 0;

  for (uint32_t n = 0; n < 3; n++) {
    segments[n] = (struct wideblock_dma_segment){.address = at(data[5 * n + 3]) + 16 * n, .bytes = sizes[n]};
    fill(plain, 0);
    for (uint32_t byte = 0; byte < sizes[n]; byte++)
      data[5 * n + 3][16 * n + byte] = plain[place++];
  }
  job.source = at(segments);
  job.source_segments = 3;
  job.target = at(back);
  if (ends_with(&job) != WIDEBLOCK_DMA_JOB_OK)
    return false;
  job = job_of(0, slot, true);
  job.source = job.target = at(back);
  return ends_with(&job) == WIDEBLOCK_DMA_JOB_OK && !differences(plain, back);
}

void jobs(const struct wideblock_engine *engine, uint32_t first, uint32_t second, void (*step)(const char *, bool))
{
  struct wideblock_dma_job wrong = job_of(0, first, false);
  uint32_t since, right = 0;

  step("master found", !wideblock_dma_probe(&master, S_AXI_DMA_BASE, S_AXI_BASE, ATTEMPTS));
  step("a ring at a wrong address is refused, a right one starts", started());
  for (uint32_t n = 0; n < SECTORS; n++)
    fill(data[n], n);
  since = cycles_now();
  step("64 jobs under two keys in turn are done, in order", all(first, second, false) == SECTORS);
  since = cycles_now() - since;
  print("      ");
  print_number(since);
  print(" cycles for them, of submit and poll, too\n");
  step("their sectors are those of the window", as_by_window(engine, first, second) == SECTORS);
  step("64 jobs back are done", all(first, second, true) == SECTORS);
  for (uint32_t n = 0; n < SECTORS; n++) {
    fill(plain, n);
    right += !differences(plain, data[n]);
  }
  step("their sectors are as they were", right == SECTORS);
  step("a sector in three segments is enciphered, and back", gathered(first));
  wrong.target = 0x40000000;
  step("a job with a target outside of the windows ends with an error", ends_with(&wrong) == WIDEBLOCK_DMA_JOB_WINDOW);
  wrong = job_of(0, first, false);
  wrong.source += 4;
  step("a job with an odd address ends with an error", ends_with(&wrong) == WIDEBLOCK_DMA_JOB_ALIGN);
  wrong = job_of(0, engine->slots, false);
  step("a job for a slot that there is not ends with an error", ends_with(&wrong) == WIDEBLOCK_DMA_JOB_ENGINE);
  step("the master halts", !wideblock_dma_stop(&master));
}
#endif
