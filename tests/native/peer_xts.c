/* SPDX-License-Identifier: Apache-2.0 */
/* peer_xts openssl|isal LIBRARY BITS BYTES: prints GB/s of AES-XTS in a shared library of OpenSSL or isa-l_crypto, on
 * 256 KiB in sectors of BYTES, in place, with expanded keys and a tweak a sector: the best of runs in processor time. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZE = 1 << 18, CALLS = 16, RUNS = 40 };

static void *library;
static unsigned char data[SIZE], key[64], tweak[16];

/* OpenSSL: a context has the expanded keys; each sector gives it a tweak, then its bytes. */
static void *context;
static int (*begin)(void *, const void *, const void *, const void *, const void *);
static int (*update)(void *, void *, int *, const void *, int);

/* isa-l_crypto: the two keys, expanded. */
static unsigned char first[16 * 15], second[16 * 15], unused[16 * 15];
static int (*encrypt)(const void *, const void *, const void *, uint64_t, const void *, void *);

static void *named(const char *name) {
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "the library has no %s\n", name);
        exit(1);
    }
    return found;
}

static int by_openssl(void *sector, int bytes) {
    int written;
    return begin(context, NULL, NULL, NULL, tweak) == 1 && update(context, sector, &written, sector, bytes) == 1;
}

static int by_isal(void *sector, int bytes) {
    return encrypt(second, first, tweak, (uint64_t)bytes, sector, sector) == 0;
}

static int set_up_openssl(int bits) {
    void *(*made)(void), *(*cipher)(void);
    *(void **)&made = named("EVP_CIPHER_CTX_new");
    *(void **)&cipher = named(bits == 128 ? "EVP_aes_128_xts" : "EVP_aes_256_xts");
    *(void **)&begin = named("EVP_EncryptInit_ex");
    *(void **)&update = named("EVP_EncryptUpdate");
    context = made();
    return context && begin(context, cipher(), NULL, key, tweak) == 1;
}

static int set_up_isal(int bits) {
    int (*expand)(const void *, void *, void *);
    *(void **)&expand = named(bits == 128 ? "isal_aes_keyexp_128" : "isal_aes_keyexp_256");
    *(void **)&encrypt = named(bits == 128 ? "isal_aes_xts_enc_128_expanded_key" : "isal_aes_xts_enc_256_expanded_key");
    return expand(key, first, unused) == 0 && expand(key + bits / 8, second, unused) == 0;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int count, char **words) {
    if (count != 5 || !(library = dlopen(words[2], RTLD_NOW))) {
        fprintf(stderr, "%s\n", count == 5 ? dlerror() : "peer_xts openssl|isal LIBRARY BITS BYTES");
        return 1;
    }
    int openssl = !strcmp(words[1], "openssl"), bits = atoi(words[3]), bytes = atoi(words[4]);
    for (int i = 0; i < (int)sizeof key; i++) key[i] = (unsigned char)i;
    int right = openssl ? set_up_openssl(bits) : set_up_isal(bits);
    double best = 1e9;
    for (int run = 0; run < RUNS; run++) {
        double begun = now();
        for (int call = 0; call < CALLS; call++) {
            for (int at = 0; at < SIZE; at += bytes) {
                memcpy(tweak, &at, sizeof at);
                right &= openssl ? by_openssl(data + at, bytes) : by_isal(data + at, bytes);
            }
        }
        double took = now() - begun;
        if (took < best) best = took;
    }
    if (!right) {
        fprintf(stderr, "a call of the library failed\n");
        return 1;
    }
    printf("%.4f\n", (double)SIZE * CALLS / best / 1e9);
    return 0;
}
