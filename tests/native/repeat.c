/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the library one after the other, in place: between them there is no Python, as there is none between those of
 * a peer. Returns the first result that is not 0. */
#include <stddef.h>

#include "wideblock.h"

int repeat(size_t times, const wideblock *context, unsigned char *data, size_t sectors, size_t sector_bytes,
           unsigned threads, int (*crypt)(const wideblock *, int, const unsigned char *, unsigned char *, size_t, size_t,
                                          const unsigned char *, size_t, unsigned)) {
    static const unsigned char first[16];
    int result = 0;
    while (times-- && !result) result = crypt(context, 0, data, data, sectors, sector_bytes, first, 16, threads);
    return result;
}
