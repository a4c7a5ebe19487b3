// SPDX-License-Identifier: Apache-2.0
// A program for valgrind's memcheck, or for MemorySanitizer of clang: keys, tweaks and data are marked as undefined, so
// each branch and each address that depends on them is reported. Arguments: a width, and the word `leak` for an address
// that must be.

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define UNDEFINED(p, size) __msan_poison(p, size)
#endif
#endif
#ifndef UNDEFINED
#include <valgrind/memcheck.h>
#define UNDEFINED(p, size) VALGRIND_MAKE_MEM_UNDEFINED(p, size)
#endif

#include <cstdio>
#include <cstring>
#include <vector>

#include "wideblock.h"

namespace {

// More than are enciphered together, so a call has sectors in all lanes, fewer, and one alone.
constexpr size_t SECTORS = 15;

struct Sizes {
    const char *scheme;
    size_t keys[3], sectors[4], tweaks[2];
};

// Lengths take every path: tails of each kind, and a sector of the usual size. 0 ends a list.
const Sizes all[] = {
    {"xts", {32, 64}, {16, 95, 512, 1040}, {16}},
    {"hctr2", {16, 24, 32}, {16, 100, 555, 1024}, {16, 33}},
    {"fast-brw", {16, 32}, {64, 80, 496, 1024}, {16}},
    {"fast-horner", {16, 32}, {48, 512, 1040}, {16}},
    {"eme2", {48, 64}, {16, 100, 1024, 2100}, {16, 33}},
    {"heh-brw", {32, 48}, {32, 560, 1024}, {16}},
    {"heh-brw-paper", {32, 48}, {32, 560, 1024}, {16}},
    {"heh-horner", {32, 48}, {32, 560, 1024}, {16}},
    {"hmch-brw", {32, 48}, {32, 560, 1024}, {16}},
    {"hmch-brw-paper", {32, 48}, {32, 560, 1024}, {16}},
    {"hmch-horner", {32, 48}, {32, 560, 1024}, {16}},
    {"xcb", {16, 32}, {16, 100, 1024}, {16, 33}},
    {"aez-core", {16}, {32, 640, 1024}, {16}},
    {"aes-gcm", {16, 24, 32}, {17, 100, 1040}, {20}},
};

std::vector<uint8_t> secret(size_t size) {
    std::vector<uint8_t> made(size);
    for (size_t i = 0; i < size; i++) made[i] = (uint8_t)(i * 37 + 11);
    UNDEFINED(made.data(), size);
    return made;
}

int run(const Sizes &sizes, const char *width) {
    int calls = 0;
    for (size_t key_bytes : sizes.keys) {
        if (!key_bytes) continue;
        auto key = secret(key_bytes);
        // Whether the halves of a key of XTS are equal is public: these two bytes decide it.
        key[0] = 1, key[key_bytes / 2] = 2;
        wideblock *context;
        if (wideblock_open(&context, sizes.scheme, key.data(), key_bytes, width)) return -1;
        for (size_t bytes : sizes.sectors)
            for (size_t tweak_bytes : sizes.tweaks) {
                if (!bytes || !tweak_bytes) continue;
                auto data = secret(SECTORS * bytes), tweaks = secret(SECTORS * tweak_bytes);
                const int check = wideblock_check(context, bytes, tweak_bytes);
                for (int decrypt = 0; decrypt < 2 && check != WIDEBLOCK_NONCE; decrypt++, calls++)
                    if (wideblock_crypt(context, decrypt, data.data(), data.data(), SECTORS, bytes, tweaks.data(), tweak_bytes, 1))
                        return -1;
                if (bytes <= 16 || (check && check != WIDEBLOCK_NONCE)) continue;
                // Sectors that are forged: a verdict, and so the result, may decide only behind the call.
                auto icvs = secret(16 * SECTORS), verdicts = secret(SECTORS);
                uint8_t *p = data.data();
                int result = wideblock_seal(context, p, p, icvs.data(), SECTORS, bytes - 16, tweaks.data(), tweak_bytes, 1);
                if (result == WIDEBLOCK_NO_ICV) continue;
                if (result) return -1;
                wideblock_unseal(context, p, p, tweaks.data(), verdicts.data(), SECTORS, bytes - 16, tweaks.data(), tweak_bytes, 1);
                calls += 2;
            }
        wideblock_close(context);
    }
    return calls;
}

}  // namespace

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    int calls = 0;
    for (const Sizes &sizes : all) {
        int made = run(sizes, argv[1]);
        if (made < 0) return fprintf(stderr, "%s refused a size or width %s\n", sizes.scheme, argv[1]), 1;
        calls += made;
    }
    if (argc > 2 && !strcmp(argv[2], "leak")) {
        static const volatile char table[256] = {};
        calls += table[secret(1)[0]];
    }
    printf("%d calls\n", calls);
    return 0;
}
