// SPDX-License-Identifier: Apache-2.0
// Prints GB/s (10^9 bytes a second of processor time of one thread, of wall time of several) of one scheme.
// Arguments: scheme, bytes of key, width, threads, sectors a call, bytes a sector. Median of seven runs.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "wideblock.h"

int main(int, char **argv) {
    size_t key_bytes = strtoul(argv[2], nullptr, 0), n = strtoul(argv[5], nullptr, 0), size = strtoul(argv[6], nullptr, 0);
    unsigned threads = (unsigned)strtoul(argv[4], nullptr, 0);
    std::vector<uint8_t> key(key_bytes), in(n * size), out(n * size);
    for (size_t i = 0; i < key.size(); i++) key[i] = (uint8_t)(17 * i);
    for (size_t i = 0; i < in.size(); i++) in[i] = (uint8_t)(i * i >> 3), out[i] = 1;
    wideblock *context;
    if (int wrong = wideblock_open(&context, argv[1], key.data(), key_bytes, argv[3]))
        return fprintf(stderr, "%s\n", wideblock_message(wrong)), 1;
    const uint8_t first[16] = {};
    auto seconds = [&] {
        timespec t;
        clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
        return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    };
    std::vector<double> found;
    size_t calls = 1;
    for (int run = 0; run < 7; run++) {
        double began = seconds(), took;
        for (size_t i = 0; i < calls; i++)
            wideblock_crypt_numbered(context, 0, in.data(), out.data(), n, size, first, 16, threads);
        took = seconds() - began;
        if (took < 0.03)
            calls *= 2, run--;
        else
            found.push_back((double)(calls * n * size) / took / 1e9);
    }
    wideblock_close(context);
    std::sort(found.begin(), found.end());
    printf("%.3f\n", found[found.size() / 2]);
}
