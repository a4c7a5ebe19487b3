// SPDX-License-Identifier: Apache-2.0
// Tweaks that are made of the numbers of sectors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "wideblock.h"

namespace {

// 16 bytes, little-endian.
using Number = unsigned __int128;

Number number(const uint8_t *p) {
    Number n = 0;
    for (int i = 16; i--;) n = n << 8 | p[i];
    return n;
}

enum Word { ZERO, LOW, LOW_32, LOW_INVERTED, LOW_SWAPPED, HIGH, HIGH_SWAPPED };
enum Place { FIRST, LAST };

struct Convention {
    const char *name;
    unsigned bits;
    Word words[2];
    Place place;
    size_t counts, sector;
};

const Convention conventions[] = {
#define CONVENTION(name, bits, first, second, place, counts, sector, meaning) \
    {name, bits, {first, second}, place, counts, sector},
#include "conventions.h"
#undef CONVENTION
};

const Convention *convention(const char *name) {
    auto *found = std::find_if(std::begin(conventions), std::end(conventions),
                               [&](const Convention &each) { return !strcmp(each.name, name); });
    return found == std::end(conventions) ? nullptr : found;
}

// A convention and the size of a tweak, and what is added to each number.
struct Numbering {
    const Convention *rule = conventions;
    size_t tweak_bytes = 16;
    Number offset = 0;

    // Of sectors from `first` on: the number in the tweak of the first one, and the difference from one to the next.
    // Returns a result of the interface.
    int start(Number first, size_t sectors, size_t sector_bytes, Number &from, size_t &step) const {
        if (rule->sector && sector_bytes != rule->sector) return WIDEBLOCK_SECTOR;
        if (rule->counts && sector_bytes % rule->counts) return WIDEBLOCK_SECTOR;
        step = rule->counts ? sector_bytes / rule->counts : 1;
        from = 0;
        if (!sectors) return WIDEBLOCK_OK;
        Number last;
        bool beyond = __builtin_mul_overflow(first, (Number)step, &from) || __builtin_add_overflow(from, offset, &from);
        beyond = beyond || __builtin_add_overflow(from, (Number)(sectors - 1) * step, &last);
        const size_t bytes = std::min<size_t>(tweak_bytes, 16), zeros = rule->place == FIRST && rule->words[0] == ZERO ? 8 : 0;
        const size_t bits = std::min<size_t>(rule->bits, 8 * (bytes - std::min(bytes, zeros)));
        return beyond || (bits < 128 && last >> bits) ? WIDEBLOCK_NUMBER : WIDEBLOCK_OK;
    }

    void write(uint8_t *p, Number n) const {
        const uint64_t words[2] = {word(rule->words[0], n), word(rule->words[1], n)};
        if (tweak_bytes == sizeof words) return (void)memcpy(p, words, sizeof words);
        size_t size = std::min(tweak_bytes, sizeof words);
        memset(p, 0, tweak_bytes);
        if (rule->place == FIRST) memcpy(p, words, size);
        else memcpy(p + tweak_bytes - size, (const uint8_t *)words + sizeof words - size, size);
    }

  private:
    static uint64_t word(Word kind, Number n) {
        const uint64_t low = (uint64_t)n, high = (uint64_t)(n >> 64);
        switch (kind) {
            case LOW: return low;
            case LOW_32: return (uint32_t)low;
            case LOW_INVERTED: return ~low & ~0ull >> 1;
            case LOW_SWAPPED: return __builtin_bswap64(low);
            case HIGH: return high;
            case HIGH_SWAPPED: return __builtin_bswap64(high);
            case ZERO: break;
        }
        return 0;
    }
};

}  // namespace
