/* SPDX-License-Identifier: Apache-2.0 */
/* Encrypts standard input under HCTR2, 4,096 bytes a sector, to standard output; -d as the first argument decrypts.
 *
 * The key is read from the file that the next argument names, 16, 24 or 32 bytes. The tweak of a sector is its number.
 *
 *     cc example.c -o example -L. -lwideblock -Wl,-rpath,. && ./example key.bin < disk.img > disk.enc
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wideblock.h"

enum { SECTOR = 4096, SECTORS = 256, TWEAK = 16 };

static int fail(const char *what) {
    fprintf(stderr, "example: %s\n", what);
    return 1;
}

int main(int argc, char **argv) {
    int decrypt = argc > 1 && !strcmp(argv[1], "-d");
    if (argc != 2 + decrypt) return fail("usage: example [-d] KEYFILE");

    uint8_t key[64];
    FILE *file = fopen(argv[1 + decrypt], "rb");
    if (!file) return fail("cannot open KEYFILE");
    size_t key_bytes = fread(key, 1, sizeof key, file);
    fclose(file);
    wideblock *context;
    int result = wideblock_open(&context, "hctr2", key, key_bytes, NULL);
    for (size_t i = 0; i < sizeof key; i++) ((volatile uint8_t *)key)[i] = 0;  /* a memset may be left out */
    if (result) return fail(wideblock_message(result));

    static uint8_t data[SECTORS * SECTOR];
    uint64_t number = 0;
    size_t n;
    while ((n = fread(data, 1, sizeof data, stdin))) {
        if (n % SECTOR) return fail("the input ends inside a sector");
        uint8_t first[16] = {0};
        for (int i = 0; i < 8; i++) first[i] = (uint8_t)(number >> 8 * i);
        result = wideblock_crypt_numbered(context, decrypt, data, data, n / SECTOR, SECTOR, first, TWEAK, 2);
        if (result) return fail(wideblock_message(result));
        if (fwrite(data, 1, n, stdout) != n) return fail("cannot write");
        number += n / SECTOR;
    }
    wideblock_close(context);
    return 0;
}
