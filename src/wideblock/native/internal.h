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

enum Seals { NEVER, SEALS, SEALS_ALONE };

// The schemes, one a line: number, class in schemes.cpp, name, bytes of sectors: whole steps from least to most, bytes of
// tweaks, least and most, whether it seals sectors, and bytes of keys. AEZ-core has tweaks of 0 and 16 bytes alone.
// What SEALS_ALONE enciphers an ICV and a sector, as all that seals, but never a sector as it is.
#define WIDEBLOCK_SCHEMES(X)                                                                          \
    X(XTS, Xts, "xts", BLOCK, 1, BLOCK << 20, 16, 16, NEVER, 32, 64)                                  \
    X(HCTR2, Hctr2, "hctr2", BLOCK, 1, MOST_SECTOR, 0, MOST_TWEAK, SEALS, 16, 24, 32)                 \
    X(FAST_BRW, Fast<true>, "fast-brw", 4 * BLOCK, BLOCK, MOST_SECTOR, 16, 16, SEALS, 16, 32)         \
    X(FAST_HORNER, Fast<false>, "fast-horner", 3 * BLOCK, BLOCK, MOST_SECTOR, 16, 16, SEALS, 16, 32)  \
    X(EME2, Eme2, "eme2", BLOCK, 1, MOST_SECTOR, 0, MOST_TWEAK, SEALS, 48, 64)                        \
    X(HEH_BRW, Heh<BRW>, "heh-brw", 2 * BLOCK, BLOCK, MOST_SECTOR, 16, 16, SEALS, 32, 48)             \
    X(HEH_PAPER, Heh<PAPER>, "heh-brw-paper", 2 * BLOCK, BLOCK, MOST_SECTOR, 16, 16, SEALS, 32, 48)   \
    X(HEH_HORNER, Heh<HORNER>, "heh-horner", 2 * BLOCK, BLOCK, MOST_SECTOR, 16, 16, SEALS, 32, 48)    \
    X(HMCH_BRW, Hmch<BRW>, "hmch-brw", 2 * BLOCK, BLOCK, MOST_SECTOR, 16, 16, SEALS, 32, 48)          \
    X(HMCH_PAPER, Hmch<PAPER>, "hmch-brw-paper", 2 * BLOCK, BLOCK, MOST_SECTOR, 16, 16, SEALS, 32, 48)\
    X(HMCH_HORNER, Hmch<HORNER>, "hmch-horner", 2 * BLOCK, BLOCK, MOST_SECTOR, 16, 16, SEALS, 32, 48) \
    X(XCB, Xcb, "xcb", BLOCK, 1, MOST_SECTOR, 0, MOST_TWEAK, NEVER, 16, 32)                           \
    X(AEZ_CORE, AezCore, "aez-core", 2 * BLOCK, 2 * BLOCK, MOST_SECTOR, 0, 16, NEVER, 16)             \
    X(AES_GCM, Gcm, "aes-gcm", BLOCK + 1, 1, MOST_SECTOR, 20, 20, SEALS_ALONE, 16, 24, 32)

#define WIDEBLOCK_NUMBER(number, ...) number,
enum { WIDEBLOCK_SCHEMES(WIDEBLOCK_NUMBER) SCHEMES };
#undef WIDEBLOCK_NUMBER
