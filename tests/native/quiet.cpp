// SPDX-License-Identifier: Apache-2.0
// Counts allocations and starts of threads in calls of wideblock_crypt_segments. Prints a line a scheme and size of a
// sector; those of a context that the system granted no thread; then, as a control, those of a call of wideblock_crypt
// that needs both.

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <vector>

#include "wideblock.h"

static int allocations, starts;
static bool refuses;

extern "C" void *aligned_alloc(size_t alignment, size_t size) noexcept {
    allocations++;
    return memalign(alignment, size);
}

extern "C" void *malloc(size_t size) noexcept {
    allocations++;
    return memalign(16, size);
}

extern "C" int pthread_create(pthread_t *made, const pthread_attr_t *how, void *(*work)(void *), void *with) noexcept {
    starts++;
    if (refuses) return EAGAIN;
    return ((decltype(&pthread_create))dlsym(RTLD_NEXT, "pthread_create"))(made, how, work, with);
}

int main() {
    static uint8_t key[64], first[16], data[300000];
    const struct {
        const char *scheme;
        size_t key, tweak;
    } cases[] = {
        {"xts", 64, 16}, {"hctr2", 32, 255}, {"fast-brw", 32, 16}, {"fast-horner", 32, 16}, {"eme2", 64, 32},
        {"heh-brw", 48, 16}, {"heh-brw-paper", 48, 16}, {"heh-horner", 48, 16}, {"hmch-brw", 48, 16},
        {"hmch-brw-paper", 48, 16}, {"hmch-horner", 48, 16}, {"xcb", 32, 16}, {"aez-core", 16, 16},
    };
    for (size_t i = 0; i < sizeof key; i++) key[i] = (uint8_t)i;
    wideblock *context;
    for (auto &each : cases)
        for (size_t bytes : {512, 4096}) {
            wideblock_options options{};
            options.size = sizeof options, options.threads = 2, options.tweak_bytes = each.tweak;
            if (wideblock_open2(&context, each.scheme, key, each.key, &options)) return 1;
            iovec segments[] = {{data + 1, 1000}, {data + 2000, 64 * 4096 - 1000}};
            allocations = starts = 0;
            if (wideblock_crypt_segments(context, 0, segments, 2, segments, 2, bytes, first)) return 2;
            printf("%s %zu %d %d\n", each.scheme, bytes, allocations, starts);
            wideblock_close(context);
        }
    wideblock_options options{};
    options.size = sizeof options, options.threads = 2, refuses = true;
    if (wideblock_open2(&context, "xts", key, 64, &options)) return 5;
    refuses = false, allocations = starts = 0;
    iovec whole{data, 64 * 4096};
    if (wideblock_crypt_segments(context, 0, &whole, 1, &whole, 1, 4096, first)) return 6;
    printf("refused 4096 %d %d\n", allocations, starts);
    wideblock_close(context);
    if (wideblock_open(&context, "aez-core", key, 16, nullptr)) return 3;
    allocations = starts = 0;
    if (wideblock_crypt_numbered(context, 0, data, data, 4, 65536, first, 16, 2)) return 4;
    printf("control 65536 %d %d\n", allocations, starts);
    wideblock_close(context);
}
