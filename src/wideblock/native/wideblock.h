/* SPDX-License-Identifier: Apache-2.0 */
/* Sector ciphers at the speed of the machine: many sectors a call, bit-identical to wideblock's specifications.
 *
 * A context is a scheme under one key. Any number of threads may use one context at the same time; only wideblock_close
 * needs it alone. Every function that takes a const context leaves it as it was.
 *
 * Timing depends on lengths, scheme and direction, never on a key, a tweak, data or a verdict. No scheme authenticates as it
 * is: wideblock_seal adds 16 bytes to a sector, by which wideblock_unseal knows one that was changed.
 *
 * A context holds the key's values until wideblock_close wipes them. Nothing else keeps a key, or a value of one, after
 * a call: wideblock_open and the crypt functions overwrite the stack that they used, on each of their threads, and clear
 * the registers of x86-64 and aarch64 that a call may change. Key, tweaks and data are the caller's to wipe.
 */
#ifndef WIDEBLOCK_H
#define WIDEBLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

typedef struct wideblock wideblock;

/* Version of this header, and of the library that is loaded: MAJOR.MINOR.PATCH.
 *
 * MAJOR is the number in the library's name, libwideblock.so.0. As long as it is the same, a function, a result and a
 * scheme keep their names, their meaning and their types, and a program needs no new compilation. MINOR rises with what
 * is added: functions, results, schemes, members at the end of an options struct. The version that brought a function is
 * that of its symbol, so a program that needs a newer library ends as it starts. PATCH rises with everything else. */
#define WIDEBLOCK_VERSION "0.9.0"
const char *wideblock_version(void);

/* Results. Nothing is written unless the result is WIDEBLOCK_OK or WIDEBLOCK_FORGED, but NULL to `*context` of
 * wideblock_open. Any value of any argument has a result, but addresses without the memory that the sizes promise. */
enum {
    WIDEBLOCK_OK = 0,
    WIDEBLOCK_SCHEME,    /* no scheme of this name */
    WIDEBLOCK_KEY,       /* a size that the scheme does not take, or an XTS key of equal halves */
    WIDEBLOCK_TWEAK,     /* a size that the scheme does not take */
    WIDEBLOCK_SECTOR,    /* a size that the scheme does not take */
    WIDEBLOCK_WIDTH,     /* no width of this name, or not on this processor */
    WIDEBLOCK_MEMORY,    /* no memory */
    WIDEBLOCK_NUMBER,    /* sector numbers beyond 2^128 - 1, or beyond the tweak */
    WIDEBLOCK_NULL,      /* a pointer that is NULL: not of an array of 0 bytes, nor where NULL is allowed */
    WIDEBLOCK_RANGE,     /* sectors or tweaks that end beyond the last address */
    WIDEBLOCK_OVERLAP,   /* `out` overlaps `tweaks`, or overlaps `in` at another address */
    WIDEBLOCK_OPTIONS,   /* options without their size, or with members that this library does not have */
    WIDEBLOCK_CONVENTION, /* no convention of tweaks of this name */
    WIDEBLOCK_SEGMENTS,  /* segments in and out of different sizes, or not of whole sectors */
    WIDEBLOCK_NO_ICV,    /* a scheme that seals no sectors */
    WIDEBLOCK_FORGED,    /* of wideblock_unseal, which has written: a sector was not sealed under this key and tweak */
    WIDEBLOCK_NONCE      /* a scheme that takes sectors in wideblock_seal and wideblock_unseal alone, under nonces */
};

/* One line of English for a result. */
const char *wideblock_message(int result);

/* Scheme number i, from 0 on; NULL after the last. Keys are of the schemes' specifications, in bytes:
 *
 *   xts                    32, 64           Key1 || Key2, which must differ
 *   hctr2                  16, 24, 32
 *   fast-brw, fast-horner  16, 32
 *   eme2                   48, 64           K_AD || K_ECB || K_AES
 *   heh-MODE, hmch-MODE    32, 48           K || h; MODE is brw, brw-paper (the paper's order of blocks) or horner
 *   xcb                    16, 32           BROKEN: must not protect data
 *   aez-core               16               a benchmark
 *   aes-gcm                16, 24, 32       seals sectors of any size, and does nothing else, under nonces
 *
 * A sector has at most 2^30 bytes, of xts 2^24; a tweak 16, or for hctr2, eme2 and xcb at most 2^16. A tweak of aes-gcm has
 * 20: the associated data of dm-crypt, which are the number of the sector in 8 bytes, little-endian, and a nonce in 12.
 */
const char *wideblock_scheme(size_t i);

/* Width number i that this processor has, from 0 on, the widest first; NULL after the last.
 *
 *   vaes512, vaes256, aesni   x86-64 with those instructions and carry-less multiplication
 *   neon                      aarch64 with the AES and PMULL instructions
 *   portable                  any little-endian one: bit-sliced, no table and no branch depends on a secret
 */
const char *wideblock_width(size_t i);

/* Convention number i by which a sector's number becomes its tweak, from 0 on; NULL after the last. docs/block-device.md
 * of wideblock has a table: le128 and be128, those of dm-crypt, of Linux's inline encryption, and of SPDK. */
const char *wideblock_tweak(size_t i);

/* Makes a context. `width` is one of wideblock_width, or NULL: the environment's WIDEBLOCK_WIDTH, if it is set and not
 * empty, or the widest. */
int wideblock_open(wideblock **context, const char *scheme, const uint8_t *key, size_t key_bytes, const char *width);

/* Options of a context. Set all of them to 0, which is their default, then `size`, then those that you want:
 *
 *     wideblock_options options = {.size = sizeof options, .width = "portable"};
 *
 * Later versions add members at the end. A library takes options of any size, and refuses those in which a member that
 * it does not have is not 0. */
typedef struct wideblock_options {
    size_t size;         /* sizeof(wideblock_options) */
    const char *width;   /* as that of wideblock_open */
    unsigned threads;    /* the most that work on a call of wideblock_crypt_segments, the calling one included; they are
                            started now, as far as the system has them. 0 counts as 1, more than 256 as 256 */
    const char *tweak;   /* one of wideblock_tweak, by which that call makes tweaks; NULL is le128 */
    size_t tweak_bytes;  /* of these tweaks; 0 counts as 16 */
    uint8_t tweak_offset[16]; /* added to each number, in its unit; little-endian */
} wideblock_options;

/* As wideblock_open, with options; NULL is all defaults. */
int wideblock_open2(wideblock **context, const char *scheme, const uint8_t *key, size_t key_bytes,
                    const wideblock_options *options);

/* Wipes and frees a context; NULL is allowed. */
void wideblock_close(wideblock *context);

/* WIDEBLOCK_OK, or the reason for which the context's scheme does not take sectors and tweaks of these sizes. */
int wideblock_check(const wideblock *context, size_t sector_bytes, size_t tweak_bytes);

/* Encrypts (decrypt = 0) or decrypts `sectors` sectors of `sector_bytes` each, back to back at `in`, to `out`. Sector k
 * has the `tweak_bytes` at tweaks + k * tweak_bytes. `in` and `out` are the same address or do not overlap; `out` and
 * `tweaks` do not overlap. No alignment is needed. `threads`: the most that work, the calling one included; 0 counts as
 * 1, more than 256 as 256; the context starts those that it does not have, and keeps them. `out` holds intermediate
 * values during the call. */
int wideblock_crypt(const wideblock *context, int decrypt, const uint8_t *in, uint8_t *out, size_t sectors,
                    size_t sector_bytes, const uint8_t *tweaks, size_t tweak_bytes, unsigned threads);

/* As wideblock_crypt, with the sectors' numbers as their tweaks: little-endian, zeros behind 16 bytes. `first` is the
 * number of the first sector, 16 bytes, little-endian, read before `out` is written; the others follow it. The numbers
 * must fit the tweak. */
int wideblock_crypt_numbered(const wideblock *context, int decrypt, const uint8_t *in, uint8_t *out, size_t sectors,
                             size_t sector_bytes, const uint8_t first[16], size_t tweak_bytes, unsigned threads);

/* The call of storage: encrypts or decrypts whole sectors of `sector_bytes`, gathered from `ins` segments and scattered to
 * `outs` segments, which may end inside a sector. Both lists have the same sum of bytes, and either the same segments, or
 * no byte in common; no two segments of `out` overlap. Tweaks are made of the sectors' numbers from `first` on, 16 bytes,
 * little-endian, by the context's options.
 *
 * It starts no thread; and it allocates nothing for sectors of up to 4,096 bytes with tweaks of up to 255. */
int wideblock_crypt_segments(const wideblock *context, int decrypt, const struct iovec *in, size_t ins,
                             const struct iovec *out, size_t outs, size_t sector_bytes, const uint8_t first[16]);

/* The tweaks that wideblock_crypt_segments gives `sectors` sectors from number `first` on, one after the other, to
 * `tweaks`; or the reason for which it does not take them. */
int wideblock_tweaks(const wideblock *context, size_t sector_bytes, const uint8_t first[16], size_t sectors,
                     uint8_t *tweaks);

/* Bytes of an integrity check value (ICV). */
#define WIDEBLOCK_ICV_BYTES 16

/* Seals sectors: encrypts 16 zero bytes and the sector as one, under its tweak, as wideblock_crypt does; the first 16 bytes
 * of the result are its ICV, the others go to `out`. ICV k stands at icvs + 16 * k. A scheme takes sectors of 16 bytes less
 * than wideblock_check says; xts, xcb and aez-core take none, WIDEBLOCK_NO_ICV. `in` and `out` are the same address
 * or do not overlap; nothing else that is written overlaps another argument.
 *
 * The ICV of aes-gcm is its tag. A NONCE THAT COMES TWICE UNDER A KEY, in the last 12 bytes of a tweak, gives the hash key
 * away, and from then on any sector can be forged. Random nonces serve 2^32 sectors (SP 800-38D, 8.3). No other scheme
 * needs one.
 *
 * Whoever writes to the storage can put back an old sector with its old ICV: that is not seen. */
int wideblock_seal(const wideblock *context, const uint8_t *in, uint8_t *out, uint8_t *icvs, size_t sectors,
                   size_t sector_bytes, const uint8_t *tweaks, size_t tweak_bytes, unsigned threads);

/* Decrypts sectors that were sealed, and judges each: verdicts[k] is 1 if sector k was sealed with its ICV under this key and
 * its tweak, and then its plain data are written; else 0, and zeros are written. The result is WIDEBLOCK_FORGED if a
 * verdict is 0. No byte of a forged sector's plain data leaves the call, and its time does not depend on verdicts. */
int wideblock_unseal(const wideblock *context, const uint8_t *in, uint8_t *out, const uint8_t *icvs, uint8_t *verdicts,
                     size_t sectors, size_t sector_bytes, const uint8_t *tweaks, size_t tweak_bytes, unsigned threads);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
