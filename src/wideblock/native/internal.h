// SPDX-License-Identifier: Apache-2.0
// The parts between the C interface and the layers.
#pragma once

#include <cstddef>
#include <cstdint>

// Sectors of `bytes` each with their tweaks, and room for a scheme's own values.
struct Job {
    const uint8_t *in;
    uint8_t *out;
    size_t sectors, bytes;
    const uint8_t *tweaks;
    size_t tweak_bytes;
    uint8_t *room;
};

constexpr size_t MOST_SECTOR = (size_t)1 << 30, MOST_TWEAK = (size_t)1 << 16;  // bytes that any scheme takes

// A scheme in a layer. `size`: bytes of its values under a key, which stand at 64 bytes' alignment. `room`: bytes beside
// them that `crypt` needs for sectors of so many. `stack`: more than the bytes of stack that `crypt` uses for these, and
// `set` for sectors of 0; the caller wipes them.
struct Scheme {
    size_t size;
    void (*set)(void *values, const uint8_t *key, size_t key_bytes);
    void (*crypt)(const void *values, bool decrypt, const Job &job);
    size_t (*room)(size_t bytes);
    size_t (*stack)(size_t bytes);
};

// The order of every layer's schemes.
enum { XTS, HCTR2, FAST_BRW, FAST_HORNER, EME2, HEH_BRW, HEH_PAPER, HEH_HORNER, HMCH_BRW, HMCH_PAPER, HMCH_HORNER,
       XCB, AEZ_CORE, SCHEMES };
