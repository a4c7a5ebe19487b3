/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's load of a key on a stack of its own, and a search for words of the key on it afterwards. */
#include <string.h>
#include <ucontext.h>

#include "wideblock_engine.h"
#include WIDEBLOCK_ENGINE_REGS

uint32_t (*model_read)(uint32_t address);
void (*model_write)(uint32_t address, uint32_t value);

static ucontext_t caller, callee;
static uint8_t stack[1 << 16];
static struct wideblock_engine engine = {.keys = 0x1000, .engine = 0x10000, .attempts = 4};
static struct wideblock_engine_key key;
static int result;

static uint32_t answers(uint32_t address)
{
  (void)address;
  return WIDEBLOCK_KEY_CTRL_RDY_MASK | WIDEBLOCK_KEY_CTRL_DONE_MASK;
}

static void ignores(uint32_t address, uint32_t value)
{
  (void)address;
  (void)value;
}

static void load(void)
{
  result = wideblock_engine_keyslot_program(&engine, &key, 3);
}

/* Returns the number of the key's words that are on the stack, or -1 if the load has failed. */
int words_left(const uint8_t *bytes, uint32_t size)
{
  int found = 0;

  model_read = answers;
  model_write = ignores;
  memset(stack, 0, sizeof stack);
  key = (struct wideblock_engine_key){.bytes = bytes, .size = size};
  getcontext(&callee);
  callee.uc_stack.ss_sp = stack;
  callee.uc_stack.ss_size = sizeof stack;
  callee.uc_link = &caller;
  makecontext(&callee, load, 0);
  swapcontext(&caller, &callee);
  for (uint32_t at = 0; at < size; at += 4)
    for (uint32_t place = 0; place + 4 <= sizeof stack; place++)
      found += !memcmp(stack + place, bytes + at, 4);
  return result ? -1 : found;
}
