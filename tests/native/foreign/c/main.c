/* SPDX-License-Identifier: Apache-2.0 */
/* Prints two sectors of 512 zeros, enciphered under HCTR2 and their numbers from 5 on, and the message for a short key. */
#include <stdio.h>
#include <wideblock.h>

int main(void) {
    uint8_t key[16], first[16] = {5};
    static uint8_t data[2 * 512];
    for (int i = 0; i < 16; i++) key[i] = (uint8_t)i;
    wideblock *context;
    wideblock_options options = {.size = sizeof options, .width = wideblock_width(0)};
    if (wideblock_open2(&context, "hctr2", key, sizeof key, &options)) return 1;
    if (wideblock_crypt_numbered(context, 0, data, data, 2, 512, first, 16, 2)) return 2;
    wideblock_close(context);
    for (size_t i = 0; i < sizeof data; i++) printf("%02x", data[i]);
    printf(" %s\n", wideblock_message(wideblock_open2(&context, "hctr2", key, 15, NULL)));
    return 0;
}
