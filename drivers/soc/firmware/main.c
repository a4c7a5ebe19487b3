/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Firmware that uses an engine by its driver: keys in several slots, sectors under each in turn, refusals, faults,
 * interrupts, self-test, eviction and zeroize. Each step prints a line; the last one is PASS or FAIL.
 */
#include <stdbool.h>

#include "board.h"
#include "jobs.h"
#include "known_answers.h"
#include "soc.h"
#include "wideblock_engine.h"
#include WIDEBLOCK_ENGINE_REGS

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ATTEMPTS 100000u

enum { CODE_PASS = 1, CODE_FAIL = 2 };

static struct wideblock_engine engine;
static uint32_t failures;
static uint8_t buffer[LONGEST];

/* Prints a step and whether it was as it must be. */
static void step(const char *text, bool right)
{
  print(right ? "ok    " : "WRONG ");
  print(text);
  print("\n");
  failures += !right;
}

/* Prints the cycles that something took, by all: engine, driver and bus. */
static void took(uint32_t since, const char *text)
{
  uint32_t cycles = cycles_now() - since;

  print("      ");
  print_number(cycles);
  print(" cycles for ");
  print(text);
  print("\n");
}

static bool same(const uint8_t *a, const uint8_t *b, uint32_t size)
{
  uint32_t differ = 0;

  for (uint32_t n = 0; n < size; n++)
    differ |= (uint32_t)(a[n] ^ b[n]);
  return !differ;
}

static struct wideblock_engine_key key_of(const struct known_key *known)
{
  return (struct wideblock_engine_key){.bytes = known->bytes, .size = known->size};
}

/* Whether a sector is enciphered as the specification does it, and back where the engine deciphers. */
static bool right(uint32_t slot, const struct known_sector *sector)
{
  if (wideblock_engine_crypt(&engine, slot, false, sector->tweak, sector->plain, buffer, sector->size, NULL))
    return false;
  if (!same(buffer, sector->sealed, sector->size))
    return false;
  if (!engine.decrypts)
    return true;
  return !wideblock_engine_crypt(&engine, slot, true, sector->tweak, buffer, buffer, sector->size, NULL) &&
         same(buffer, sector->plain, sector->size);
}

/* The number of sectors that are right, each under the key of its slot, of those whose key is not number `but`. */
static uint32_t right_sectors(uint32_t but)
{
  uint32_t number = 0;

  for (uint32_t n = 0; n < COUNT(SECTORS); n++)
    if (SECTORS[n].key != but)
      number += right(KEYS[SECTORS[n].key].slot, &SECTORS[n]);
  return number;
}

/* Whether the slot refuses a sector, for that cause, and leaves the buffer as it was. */
static bool refuses(uint32_t slot, bool decrypt, uint32_t cause)
{
  const struct known_sector *sector = &SECTORS[0];
  uint32_t found = ~0u;

  for (uint32_t n = 0; n < sector->size; n++)
    buffer[n] = (uint8_t)n;
  if (wideblock_engine_crypt(&engine, slot, decrypt, sector->tweak, sector->plain, buffer, sector->size, &found) !=
      -WIDEBLOCK_ENGINE_EIO)
    return false;
  for (uint32_t n = 0; n < sector->size; n++)
    if (buffer[n] != (uint8_t)n)
      return false;
  return found == cause;
}

/* Whether there is an engine that works: without one nothing else is tried. */
static bool start(void)
{
  bool found = !wideblock_engine_probe(&engine, S_AXI_KEY_BASE, S_AXI_BASE, ATTEMPTS);

  step("engine found", found);
  print("      slots ");
  print_number(engine.slots);
  print(", window of ");
  print_number(engine.window_bytes);
  print(" bytes\n");
  step("ready after reset", !wideblock_engine_wait_ready(&engine));
  step("self-test on demand", !wideblock_engine_selftest(&engine, NULL));
  return !failures;
}

/* The driver writes METD, AUX and MEK of the key registers, then CTRL with LOAD, and waits for DONE. */
static void load_all(void)
{
  uint32_t loaded = 0;
  uint32_t since = 0;

  for (uint32_t n = 0; n < COUNT(KEYS); n++) {
    struct wideblock_engine_key key = key_of(&KEYS[n]);

    since = cycles_now();
    loaded += !wideblock_engine_keyslot_program(&engine, &key, KEYS[n].slot);
  }
  took(since, "the load of a key");
  step("keys loaded into slots", loaded == COUNT(KEYS));
}

static void sectors(void)
{
  uint32_t blocks = 0;
  uint32_t read = 0;
  struct wideblock_engine_slot slot = {0, 0};

  step("sectors under each key in turn are those of the specification", right_sectors(~0u) == COUNT(SECTORS));
  for (uint32_t n = 0; n < COUNT(SECTORS); n++)
    if (!SECTORS[n].key)
      blocks += (engine.decrypts ? 2u : 1u) * ((SECTORS[n].size + 15u) / 16u);
  step("a slot counts the blocks of its key",
       !wideblock_engine_read_slot(&engine, KEYS[0].slot, &slot) && slot.blocks == blocks);
  for (uint32_t n = COUNT(SECTORS) - 2; n < COUNT(SECTORS); n++) {
    const struct known_sector *sector = &SECTORS[n];
    uint32_t since = cycles_now();

    (void)wideblock_engine_crypt(&engine, KEYS[sector->key].slot, false, sector->tweak, sector->plain, buffer,
                                 sector->size, NULL);
    took(since, sector->size == LONGEST ? "the longest sector through the window" : "a sector of 512 bytes");
  }
  for (uint32_t n = 0; n < WIDEBLOCK_KEY_MEK_COUNT; n++)
    read |= *(const volatile uint32_t *)(S_AXI_KEY_BASE + WIDEBLOCK_KEY_MEK_OFFSET + 4 * n);
  step("no byte of a key can be read", !read);
}

static void refused_commands(void)
{
  struct wideblock_engine_key key = key_of(&KEYS[0]);
  struct wideblock_engine_key equal = {.bytes = EQUAL_HALVES, .size = sizeof EQUAL_HALVES};
  uint32_t error = 0;

  wideblock_engine_command(&engine, WIDEBLOCK_KEY_CTRL_CMD_LOAD, KEYS[0].slot, &key, &error);
  step("load of a loaded slot is refused", error == WIDEBLOCK_KEY_CTRL_ERR_LOADED);
  wideblock_engine_command(&engine, WIDEBLOCK_KEY_CTRL_CMD_LOAD, engine.slots, &key, &error);
  step("load of a slot that there is not is refused", error == WIDEBLOCK_KEY_CTRL_ERR_NO_SLOT);
  wideblock_engine_command(&engine, 0, KEYS[0].slot, NULL, &error);
  step("a command that there is not is refused", error == WIDEBLOCK_KEY_CTRL_ERR_COMMAND);
  step("unload of an empty slot is refused",
       wideblock_engine_keyslot_evict(&engine, NULL, KEYS[1].slot + 1) == -WIDEBLOCK_ENGINE_ENOKEY);
#if HALVES_DIFFER
  step("a key of equal halves is refused",
       wideblock_engine_keyslot_program(&engine, &equal, KEYS[1].slot + 1) == -WIDEBLOCK_ENGINE_EKEYREJECTED);
#else
  step("a key of equal halves is a key as any other",
       !wideblock_engine_keyslot_program(&engine, &equal, KEYS[1].slot + 1) &&
       !wideblock_engine_keyslot_evict(&engine, NULL, KEYS[1].slot + 1));
#endif
}

static void faults(void)
{
  uint32_t empty = KEYS[1].slot + 1;
  uint32_t before = interrupts_taken();
  struct wideblock_engine_fault first;

  wideblock_engine_clear_faults(&engine);
  (void)wideblock_engine_irq_take(&engine);
  wideblock_engine_irq_enable(&engine, WIDEBLOCK_ENGINE_IRQ_STATUS_FAULT_MASK);
  interrupts_on();
  step("a sector under an empty slot is refused", refuses(empty, false, WIDEBLOCK_ENGINE_FIRST_FAULT_CAUSE_SLOT));
  step("the CPU took one interrupt", interrupts_taken() == before + 1);
  step("its cause is a fault", wideblock_engine_irq_take(&engine) == WIDEBLOCK_ENGINE_IRQ_STATUS_FAULT_MASK);
  interrupts_again();
  first = wideblock_engine_first_fault(&engine);
  step("the first fault has its slot and cause",
       first.valid && first.slot == empty && first.cause == WIDEBLOCK_ENGINE_FIRST_FAULT_CAUSE_SLOT);
  step("its cause is counted once",
       wideblock_engine_fault_count(&engine, WIDEBLOCK_ENGINE_FIRST_FAULT_CAUSE_SLOT) == 1);
  wideblock_engine_clear_faults(&engine);
  step("the log of faults is empty after its clearing", !wideblock_engine_first_fault(&engine).valid);
  step("no interrupt came behind it", interrupts_taken() == before + 1);
  wideblock_engine_irq_enable(&engine, 0);
}

static void limits(void)
{
  struct wideblock_engine_key key = key_of(&OTHER_KEY);
  uint32_t slot = KEYS[1].slot + 1;

  key.mode = WIDEBLOCK_KEY_AUX_MODE_NO_ENCRYPT_MASK;
  step("a key is loaded that must not encrypt", !wideblock_engine_keyslot_program(&engine, &key, slot));
  step("its slot refuses to encrypt", refuses(slot, false, WIDEBLOCK_ENGINE_FIRST_FAULT_CAUSE_FORBIDDEN));
  step("it is evicted", !wideblock_engine_keyslot_evict(&engine, NULL, slot));
  step("the constant key of known answers is loaded", !wideblock_engine_keyslot_program_kat(&engine, slot));
  step("a sector under it is that of the specification", right(slot, &KAT_SECTOR));
  step("it is evicted, too", !wideblock_engine_keyslot_evict(&engine, NULL, slot));
}

static void evict_and_reload(void)
{
  struct wideblock_engine_key key = key_of(&OTHER_KEY);
  uint32_t slot = KEYS[0].slot;
  uint32_t others = 0;

  step("a key is evicted", !wideblock_engine_keyslot_evict(&engine, NULL, slot));
  step("its slot refuses sectors", refuses(slot, false, WIDEBLOCK_ENGINE_FIRST_FAULT_CAUSE_SLOT));
  for (uint32_t n = 0; n < COUNT(SECTORS); n++)
    others += SECTORS[n].key != 0;
  step("the other slots' sectors are right", right_sectors(0) == others);
  step("another key is loaded into the slot", !wideblock_engine_keyslot_program(&engine, &key, slot));
  step("its sector is that of the specification", right(slot, &OTHER_SECTOR));
  step("the self-test passes between keys, and the other slots' sectors are right",
       !wideblock_engine_selftest(&engine, NULL) && right_sectors(0) == others);
}

/* The self-test loads its key into the last slot, so it must not run where that has one. */
static void selftest_slot(void)
{
  struct wideblock_engine_key key = key_of(&OTHER_KEY);
  uint32_t slot = engine.slots - 1;
  bool refused = !wideblock_engine_keyslot_program(&engine, &key, slot) &&
                 wideblock_engine_selftest(&engine, NULL) == -WIDEBLOCK_ENGINE_EBUSY;

  step("the self-test does not run while its slot has a key", refused);
  step("that key is whole, and the engine works", right(slot, &OTHER_SECTOR));
  step("the self-test runs after its eviction",
       !wideblock_engine_keyslot_evict(&engine, NULL, slot) && !wideblock_engine_selftest(&engine, NULL));
}

static void zeroize(void)
{
  struct wideblock_engine_slot slot = {0, 0};
  uint32_t empty = 0;

  step("zeroize", !wideblock_engine_zeroize(&engine));
  for (uint32_t n = 0; n < engine.slots; n++)
    empty += !wideblock_engine_read_slot(&engine, n, &slot) && !slot.state && !slot.blocks;
  step("every slot is empty", empty == engine.slots);
  step("a slot that had a key refuses sectors",
       refuses(KEYS[1].slot, false, WIDEBLOCK_ENGINE_FIRST_FAULT_CAUSE_SLOT));
  load_all();
  step("sectors are right again", right_sectors(~0u) == COUNT(SECTORS));
}

int main(void)
{
  if (start()) {
    load_all();
    sectors();
    refused_commands();
    faults();
    limits();
    evict_and_reload();
    selftest_slot();
#ifdef S_AXI_DMA_BASE
    jobs(&engine, KEYS[1].slot, KEYS[2].slot, step);
#endif
    zeroize();
  }
  print(failures ? "FAIL\n" : "PASS\n");
  finish(failures ? CODE_FAIL : CODE_PASS);
}
