/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of the master of an engine, where there is one. */
#ifndef JOBS_H
#define JOBS_H

#include <stdbool.h>

#include "wideblock_engine.h"

/* Sectors under the keys of two slots through the master and back, compared with the window; `step` takes each outcome. */
void jobs(const struct wideblock_engine *engine, uint32_t first, uint32_t second, void (*step)(const char *, bool));

#endif
