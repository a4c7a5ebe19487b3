/* SPDX-License-Identifier: Apache-2.0 */
#include "board.h"

#include <stddef.h>

#include "soc.h"

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

#define MSTATUS_MIE 8u
#define MIE_EXTERNAL 0x800u
#define INTERRUPT_CAUSE 0x8000000bu /* external interrupt of machine mode. Source: RISC-V privileged specification */
/* VexRiscv's own mask of its 32 interrupt lines is CSR bc0h in LiteX. */

enum { CODE_TRAP = 3 };

static volatile uint32_t taken;

/* The functions that a compiler may call for copies and fills. */
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int value, size_t size);

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
  uint8_t *out = to;
  const uint8_t *in = from;

  while (size--)
    *out++ = *in++;
  return to;
}

void *memset(void *to, int value, size_t size)
{
  uint8_t *out = to;

  while (size--)
    *out++ = (uint8_t)value;
  return to;
}

void print(const char *text)
{
  for (; *text; text++) {
    while (REGISTER(CSR_UART_TXFULL))
      ;
    REGISTER(CSR_UART_RXTX) = (uint8_t)*text;
  }
}

void print_number(uint32_t number)
{
  char digits[11];
  char *at = digits + sizeof digits;

  *--at = 0;
  do {
    *--at = (char)('0' + number % 10);
    number /= 10;
  } while (number);
  print(at);
}

uint32_t cycles_now(void)
{
  REGISTER(CSR_TIMER0_UPTIME_LATCH) = 1;
  return REGISTER(CSR_TIMER0_UPTIME_CYCLES + 4); /* LiteX has the low word behind the high one */
}

void interrupts_on(void)
{
  REGISTER(CSR_ENGINE_EV_ENABLE) = 1;
  interrupts_again();
  __asm__ volatile("csrs mie, %0" ::"r"(MIE_EXTERNAL));
  __asm__ volatile("csrs mstatus, %0" ::"r"(MSTATUS_MIE));
}

void interrupts_again(void)
{
  __asm__ volatile("csrw 0xbc0, %0" ::"r"(1u << ENGINE_INTERRUPT));
}

uint32_t interrupts_taken(void)
{
  return taken;
}

/* Leaves the engine's registers to the program, which may be in the midst of an access to them. */
void on_trap(uint32_t cause, uint32_t where);
void on_trap(uint32_t cause, uint32_t where)
{
  if (cause != INTERRUPT_CAUSE) {
    print("trap of cause ");
    print_number(cause);
    print(" at ");
    print_number(where);
    print("\n");
    finish(CODE_TRAP);
  }
  taken++;
  __asm__ volatile("csrw 0xbc0, zero");
}

void finish(uint32_t code)
{
  while (!REGISTER(CSR_UART_TXEMPTY))
    ;
  for (;;)
    REGISTER(CSR_RESULT_CODE) = code;
}

void forget_cache(void)
{
  __asm__ volatile(".word 0x500f" ::: "memory"); /* VexRiscv's own instruction */
}
