// SPDX-License-Identifier: Apache-2.0
// Arguments: scheme, key, tweak (- for none), sector, in hexadecimal. Prints a line a width of this processor: its name,
// and the sector encrypted and the sector decrypted.
#include <cstdio>
#include <cstring>
#include <string>

#include "wideblock.h"

static std::string bytes(const char *hex) {
    std::string out;
    unsigned byte;
    for (; sscanf(hex, "%2x", &byte) == 1; hex += 2) out += (char)byte;
    return out;
}

int main(int, char **argv) {
    std::string key = bytes(argv[2]), tweak = bytes(argv[3]), data = bytes(argv[4]), out = data;
    for (size_t i = 0; const char *width = wideblock_width(i); i++) {
        wideblock *context;
        if (wideblock_open(&context, argv[1], (uint8_t *)key.data(), key.size(), width)) return 1;
        printf("%s ", width);
        for (int decrypt : {0, 1}) {
            if (wideblock_crypt(context, decrypt, (uint8_t *)data.data(), (uint8_t *)&out[0], 1, data.size(),
                                (uint8_t *)tweak.data(), tweak.size(), 1))
                return 2;
            for (unsigned char c : out) printf("%02x", c);
        }
        puts("");
        wideblock_close(context);
    }
}
