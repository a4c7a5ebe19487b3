/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of the driver, as functions that a test sets. */
#include <stdint.h>

extern uint32_t (*model_read)(uint32_t address);
extern void (*model_write)(uint32_t address, uint32_t value);

#define WIDEBLOCK_ENGINE_READ32(address) model_read((uint32_t)(address))
#define WIDEBLOCK_ENGINE_WRITE32(address, value) model_write((uint32_t)(address), (value))
