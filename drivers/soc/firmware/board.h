/* SPDX-License-Identifier: Apache-2.0 */
/* The SoC around the engine: characters out, the engine's interrupt, and the end of the program. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

void print(const char *text);
void print_number(uint32_t number);

/* Cycles since reset, modulo 2^32. */
uint32_t cycles_now(void);

/* The engine's interrupt reaches the CPU from here on. */
void interrupts_on(void);

/* Number of interrupts that the CPU has taken. After one the engine's interrupt is masked until the next call. */
uint32_t interrupts_taken(void);
void interrupts_again(void);

/* The next reads of memory are not those of the processor's cache. */
void forget_cache(void);

/* Tells the bench how the program has ended: 1 for success. Nothing runs behind it. */
_Noreturn void finish(uint32_t code);

#endif
