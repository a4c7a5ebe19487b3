// SPDX-License-Identifier: Apache-2.0
// The layer for any 64-bit processor: AES on eight blocks as bit planes, carry-less products by integer products.
// Key expansion of every layer is done here, too. No branch and no address depends on data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace WIDEBLOCK_LAYER {
namespace portable {

typedef uint64_t V __attribute__((vector_size(16)));    // a block, byte 0 lowest
typedef uint32_t Row __attribute__((vector_size(16)));  // a plane: byte p has one bit of byte p of eight blocks

template <int c> inline Row shifted(Row x) {  // column k is column k + c of x
    return Row{x[c & 3], x[(c + 1) & 3], x[(c + 2) & 3], x[(c + 3) & 3]};
}

// Eight blocks to eight planes and back: the 8 x 8 bits of each byte position transposed.
inline void transpose(Row (&x)[8]) {
    const uint32_t masks[] = {0x55555555, 0x33333333, 0x0f0f0f0f};
    for (int level = 0; level < 3; level++)
        for (int i = 0; i < 8; i++) {
            int d = 1 << level;
            if (i & d) continue;
            Row t = ((x[i] >> d) ^ x[i + d]) & masks[level];
            x[i + d] ^= t;
            x[i] ^= t << d;
        }
}

// Bit i of the result is the sum of the bits in byte i of `matrix`.
inline void linear(const uint8_t (&matrix)[8], Row (&x)[8]) {
    Row out[8] = {};
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            if (matrix[i] >> j & 1) out[i] ^= x[j];
    memcpy(x, out, sizeof x);
}

// GF(16) = GF(2)[y] / (y^4 + y + 1), a bit a plane.
struct Nibble {
    Row b[4];
    Nibble operator^(const Nibble &o) const {
        return {{b[0] ^ o.b[0], b[1] ^ o.b[1], b[2] ^ o.b[2], b[3] ^ o.b[3]}};
    }
    Nibble operator*(const Nibble &o) const {
        Row p[7] = {};
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) p[i + j] ^= b[i] & o.b[j];
        return {{p[0] ^ p[4], p[1] ^ p[4] ^ p[5], p[2] ^ p[5] ^ p[6], p[3] ^ p[6]}};
    }
    Nibble squared() const { return {{b[0] ^ b[2], b[2], b[1] ^ b[3], b[3]}}; }
    Nibble times_y3() const { return {{b[1], b[1] ^ b[2], b[2] ^ b[3], b[0] ^ b[3]}}; }
};

// The inverse in GF(16)[z] / (z^2 + z + y^3), the high nibble that of z; 0 maps to 0.
inline void invert(Row (&x)[8]) {
    Nibble low{{x[0], x[1], x[2], x[3]}}, high{{x[4], x[5], x[6], x[7]}};
    Nibble n = high.squared().times_y3() ^ high * low ^ low.squared();
    Nibble n2 = n.squared(), n4 = n2.squared(), inverse = n2 * n4 * n4.squared();
    low = (high ^ low) * inverse;
    high = high * inverse;
    memcpy(x, low.b, sizeof low);
    memcpy(x + 4, high.b, sizeof high);
}

// Maps between FIPS 197's field and that tower, the affine map of SubBytes included; tests hold them to FIPS 197.
constexpr uint8_t TO_TOWER[8] = {0x09, 0x38, 0x7a, 0xc8, 0xa2, 0x0c, 0xd2, 0xa0};
constexpr uint8_t AFFINE_FROM_TOWER[8] = {0xcf, 0x43, 0x7d, 0x2f, 0x69, 0x76, 0x70, 0xce};
constexpr uint8_t TO_TOWER_FROM_AFFINE[8] = {0x81, 0xfb, 0x9b, 0x5e, 0x8f, 0xb7, 0x78, 0xc6};
constexpr uint8_t FROM_TOWER[8] = {0xc5, 0x90, 0xe4, 0xc4, 0x1c, 0xda, 0x96, 0x5a};

inline void add_63(Row (&x)[8]) {
    for (int i = 0; i < 8; i++)
        if (0x63 >> i & 1) x[i] = ~x[i];
}

template <bool decrypt> inline void sub_bytes(Row (&x)[8]) {
    if (decrypt) add_63(x);
    linear(decrypt ? TO_TOWER_FROM_AFFINE : TO_TOWER, x);
    invert(x);
    linear(decrypt ? FROM_TOWER : AFFINE_FROM_TOWER, x);
    if (!decrypt) add_63(x);
}

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "blocks are loaded as little-endian words");

template <bool decrypt> inline void shift_rows(Row (&x)[8]) {  // a column is a word, row r its byte r
    constexpr int one = decrypt ? 3 : 1, three = 4 - one;
    for (Row &p : x)
        p = (p & 0xff) | (shifted<one>(p) & 0xff00) | (shifted<2>(p) & 0xff0000) | (shifted<three>(p) & 0xff000000);
}

inline void times_2(Row (&x)[8]) {
    Row top = x[7];
    for (int i = 7; i > 0; i--) x[i] = x[i - 1];
    x[0] = top;
    x[1] ^= top;
    x[3] ^= top;
    x[4] ^= top;
}

inline Row rotated(Row x, int rows) { return x >> 8 * rows | x << (32 - 8 * rows); }  // row r is row r + rows of x

// circulant(2, 3, 1, 1), and for the inverse after circulant(5, 0, 4, 0): their product is circulant(14, 11, 13, 9).
template <bool decrypt> inline void mix_columns(Row (&x)[8]) {
    Row t[8];
    if (decrypt) {
        for (int i = 0; i < 8; i++) t[i] = x[i] ^ rotated(x[i], 2);
        times_2(t);
        times_2(t);
        for (int i = 0; i < 8; i++) x[i] ^= t[i];
    }
    for (int i = 0; i < 8; i++) t[i] = x[i] ^ rotated(x[i], 1);  // a + b
    Row rest[8];
    for (int i = 0; i < 8; i++) rest[i] = rotated(x[i], 1) ^ rotated(t[i], 2);  // b + (c + d)
    times_2(t);
    for (int i = 0; i < 8; i++) x[i] = t[i] ^ rest[i];
}

// Round keys of FIPS 197, 5.2: `keys` has rounds + 1 blocks. Returns the rounds.
inline int expand(const uint8_t *key, size_t key_bytes, uint8_t (*keys)[16]) {
    int words = (int)key_bytes / 4, rounds = words + 6;
    uint8_t(*w)[4] = (uint8_t(*)[4])keys;
    uint8_t rcon = 1;
    memcpy(w, key, key_bytes);
    for (int i = words; i < 4 * (rounds + 1); i++) {
        uint8_t t[16] = {};
        memcpy(t, w[i - 1], 4);
        if (i % words == 0 || (words > 6 && i % words == 4)) {
            Row x[8] = {};
            memcpy(x, t, 16);
            transpose(x);
            sub_bytes<false>(x);
            transpose(x);
            memcpy(t, x, 16);
            if (i % words == 0) {
                uint8_t first = t[0];
                t[0] = t[1] ^ rcon;
                t[1] = t[2];
                t[2] = t[3];
                t[3] = first;
                rcon = (uint8_t)(rcon << 1 ^ (rcon >> 7) * 0x1b);
            }
        }
        for (int k = 0; k < 4; k++) w[i][k] = w[i - words][k] ^ t[k];
    }
    return rounds;
}

// a * b as polynomials over GF(2), from integer products of every fifth bit: at most 13 ones meet in a place, so no
// carry reaches the next, and the lowest bit of a place is their sum.
inline V product64(uint64_t a, uint64_t b) {
    typedef unsigned __int128 Wide;
    const uint64_t fifths = 0x1084210842108421;  // bits 0, 5, .. 60
    const Wide places = (Wide)0x2108421084210842 << 64 | fifths;  // bits 0, 5, .. 125
    Wide sum = 0;
    for (int k = 0; k < 5; k++) {
        Wide part = 0;
        for (int i = 0; i < 5; i++) part ^= (Wide)(a & fifths << i) * (b & fifths << (k + 5 - i) % 5);
        sum ^= part & places << k;
    }
    return V{(uint64_t)sum, (uint64_t)(sum >> 64)};
}

}  // namespace portable
}  // namespace WIDEBLOCK_LAYER
