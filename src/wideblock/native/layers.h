// SPDX-License-Identifier: Apache-2.0
// The vector layer of a translation unit, `Wide`, in a namespace of its own: the compiler's flags differ from unit to
// unit, and so may no function be shared. `One` is the layer of the same instructions with one block.
//
// A layer has a type V of `lanes` blocks, byte 0 of a block lowest, and the operations below on it. XOR, AND and shifts
// of 64-bit halves, logical on U, are operators of the compiler.
//
//   load, store       any alignment                      broadcast   one block to all lanes
//   load_part, store_part(n)    the first n bytes, at most a vector; the others are zeros, and are not stored
//   up, down<n>       each block times, over 2^8n        swap        the halves of each block
//   low(x)            x in the low half of each block    add         of 64-bit halves, modulo 2^64
//   clmul<i>          product of 64-bit halves: i = 0 low by low, 1 high by low, 17 high by high
//   reverse           the bytes of each block            fold        the sum of all lanes
//   widen             one block and zeros                gather      blocks `stride` bytes apart
//   left, right       of 64-bit halves by halves, several lanes alone; by 64 or more gives 0
//   cipher<decrypt>   AES of N vectors, and `beside(0)` to `beside(7)`, other work, between the rounds
#pragma once

#include "portable.h"

#define INLINE_MEMBER inline __attribute__((always_inline))
#define INLINE static INLINE_MEMBER
#define INLINE_LAMBDA __attribute__((always_inline))

namespace WIDEBLOCK_LAYER {

// Parts of a vector, by way of a whole one in memory.
template <class W> INLINE typename W::V load_part_of(const void *p, size_t n) {
    if (n == sizeof(typename W::V)) return W::load(p);
    uint8_t t[sizeof(typename W::V)] = {};
    memcpy(t, p, n);
    return W::load(t);
}
template <class W> INLINE void store_part_of(void *p, typename W::V a, size_t n) {
    if (n == sizeof a) return W::store(p, a);
    uint8_t t[sizeof a];
    W::store(t, a);
    memcpy(p, t, n);
}

}  // namespace WIDEBLOCK_LAYER

#if defined(__x86_64__) && WIDEBLOCK_LANES
#include <immintrin.h>

namespace WIDEBLOCK_LAYER {

INLINE __m128i backwards() { return _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); }

struct Aesni {
    using V = __m128i;
    typedef unsigned long long U __attribute__((vector_size(16)));
    static constexpr int lanes = 1;
    INLINE V load(const void *p) { return _mm_loadu_si128((const V *)p); }
    INLINE void store(void *p, V a) { _mm_storeu_si128((V *)p, a); }
    INLINE V load_part(const void *p, size_t n) { return load_part_of<Aesni>(p, n); }
    INLINE void store_part(void *p, V a, size_t n) { store_part_of<Aesni>(p, a, n); }
    INLINE V broadcast(__m128i a) { return a; }
    template <int n> INLINE V up(V a) { return _mm_slli_si128(a, n); }
    template <int n> INLINE V down(V a) { return _mm_srli_si128(a, n); }
    INLINE V swap(V a) { return _mm_shuffle_epi32(a, 0x4e); }
    INLINE V low(uint64_t x) { return _mm_cvtsi64_si128((long long)x); }
    INLINE V add(V a, V b) { return _mm_add_epi64(a, b); }
    template <int i> INLINE V clmul(V a, V b) { return _mm_clmulepi64_si128(a, b, i); }
    INLINE V reverse(V a) { return _mm_shuffle_epi8(a, backwards()); }
    INLINE V widen(V a) { return a; }
    INLINE V gather(const uint8_t *p, size_t) { return load(p); }
    INLINE __m128i fold(V a) { return a; }
    INLINE V enc(V a, V k) { return _mm_aesenc_si128(a, k); }
    INLINE V enc_last(V a, V k) { return _mm_aesenclast_si128(a, k); }
    INLINE V dec(V a, V k) { return _mm_aesdec_si128(a, k); }
    INLINE V dec_last(V a, V k) { return _mm_aesdeclast_si128(a, k); }
};
using One = Aesni;

#if WIDEBLOCK_LANES > 1
struct Vaes256 {
    using V = __m256i;
    typedef unsigned long long U __attribute__((vector_size(32)));
    static constexpr int lanes = 2;
    INLINE V load(const void *p) { return _mm256_loadu_si256((const V *)p); }
    INLINE void store(void *p, V a) { _mm256_storeu_si256((V *)p, a); }
    INLINE V load_part(const void *p, size_t n) { return n == 16 ? widen(One::load(p)) : load_part_of<Vaes256>(p, n); }
    INLINE void store_part(void *p, V a, size_t n) {
        if (n == 16) One::store(p, _mm256_castsi256_si128(a));
        else store_part_of<Vaes256>(p, a, n);
    }
    INLINE V left(V a, V n) { return _mm256_sllv_epi64(a, n); }
    INLINE V right(V a, V n) { return _mm256_srlv_epi64(a, n); }
    INLINE V broadcast(__m128i a) { return _mm256_broadcastsi128_si256(a); }
    template <int n> INLINE V up(V a) { return _mm256_slli_si256(a, n); }
    template <int n> INLINE V down(V a) { return _mm256_srli_si256(a, n); }
    INLINE V swap(V a) { return _mm256_shuffle_epi32(a, 0x4e); }
    INLINE V low(uint64_t x) { return broadcast(One::low(x)); }
    INLINE V add(V a, V b) { return _mm256_add_epi64(a, b); }
    template <int i> INLINE V clmul(V a, V b) { return _mm256_clmulepi64_epi128(a, b, i); }
    INLINE V reverse(V a) { return _mm256_shuffle_epi8(a, broadcast(backwards())); }
    INLINE V widen(__m128i a) { return _mm256_zextsi128_si256(a); }
    INLINE V gather(const uint8_t *p, size_t stride) {
        return _mm256_inserti128_si256(_mm256_castsi128_si256(One::load(p)), One::load(p + stride), 1);
    }
    INLINE __m128i fold(V a) { return _mm256_castsi256_si128(a) ^ _mm256_extracti128_si256(a, 1); }
    INLINE V enc(V a, V k) { return _mm256_aesenc_epi128(a, k); }
    INLINE V enc_last(V a, V k) { return _mm256_aesenclast_epi128(a, k); }
    INLINE V dec(V a, V k) { return _mm256_aesdec_epi128(a, k); }
    INLINE V dec_last(V a, V k) { return _mm256_aesdeclast_epi128(a, k); }
};
#endif

#if WIDEBLOCK_LANES > 2
struct Vaes512 {
    using V = __m512i;
    typedef unsigned long long U __attribute__((vector_size(64)));
    static constexpr int lanes = 4;
    INLINE V load(const void *p) { return _mm512_loadu_si512(p); }
    INLINE void store(void *p, V a) { _mm512_storeu_si512(p, a); }
    INLINE __mmask64 first(size_t n) { return n < 64 ? (1ull << n) - 1 : ~0ull; }
    INLINE V load_part(const void *p, size_t n) { return _mm512_maskz_loadu_epi8(first(n), p); }
    INLINE void store_part(void *p, V a, size_t n) { _mm512_mask_storeu_epi8(p, first(n), a); }
    INLINE V left(V a, V n) { return _mm512_sllv_epi64(a, n); }
    INLINE V right(V a, V n) { return _mm512_srlv_epi64(a, n); }
    INLINE V broadcast(__m128i a) { return _mm512_broadcast_i32x4(a); }
    template <int n> INLINE V up(V a) { return _mm512_bslli_epi128(a, n); }
    template <int n> INLINE V down(V a) { return _mm512_bsrli_epi128(a, n); }
    INLINE V swap(V a) { return _mm512_shuffle_epi32(a, _MM_PERM_BADC); }
    INLINE V low(uint64_t x) { return broadcast(One::low(x)); }
    INLINE V add(V a, V b) { return _mm512_add_epi64(a, b); }
    template <int i> INLINE V clmul(V a, V b) { return _mm512_clmulepi64_epi128(a, b, i); }
    INLINE V reverse(V a) { return _mm512_shuffle_epi8(a, broadcast(backwards())); }
    INLINE V widen(__m128i a) { return _mm512_zextsi128_si512(a); }
    INLINE V gather(const uint8_t *p, size_t stride) {
        __m256i high = Vaes256::gather(p + 2 * stride, stride);
        return _mm512_inserti64x4(_mm512_castsi256_si512(Vaes256::gather(p, stride)), high, 1);
    }
    INLINE __m128i fold(V a) {
        return Vaes256::fold(_mm512_castsi512_si256(a) ^ _mm512_extracti64x4_epi64(a, 1));
    }
    INLINE V enc(V a, V k) { return _mm512_aesenc_epi128(a, k); }
    INLINE V enc_last(V a, V k) { return _mm512_aesenclast_epi128(a, k); }
    INLINE V dec(V a, V k) { return _mm512_aesdec_epi128(a, k); }
    INLINE V dec_last(V a, V k) { return _mm512_aesdeclast_epi128(a, k); }
};
using Wide = Vaes512;
using Half = Vaes256;
#elif WIDEBLOCK_LANES > 1
using Wide = Vaes256;
using Half = Vaes256;
#else
using Wide = Aesni;
using Half = Aesni;
#endif

// Round keys in all lanes: `e` in order, `d` of the equivalent inverse cipher.
struct Keys {
    alignas(64) uint8_t e[15][16 * Wide::lanes], d[15][16 * Wide::lanes];
    int rounds;

    void set(const uint8_t *key, size_t key_bytes) {
        uint8_t w[15][16];
        rounds = portable::expand(key, key_bytes, w);
        for (int r = 0; r <= rounds; r++) {
            One::V forth = One::load(w[r]), back = One::load(w[rounds - r]);
            if (r && r < rounds) back = _mm_aesimc_si128(back);
            Wide::store(e[r], Wide::broadcast(forth));
            Wide::store(d[r], Wide::broadcast(back));
        }
    }
};

template <class W, bool decrypt, int N, class Beside>
INLINE void cipher(const Keys &keys, typename W::V (&s)[N], Beside beside) {
    const auto *k = decrypt ? keys.d : keys.e;
    typename W::V first = W::load(k[0]);
    for (auto &x : s) x ^= first;
    auto round = [&](int r) {
        typename W::V key = W::load(k[r]);
        for (auto &x : s) x = decrypt ? W::dec(x, key) : W::enc(x, key);
    };
#pragma GCC unroll 9
    for (int r = 1; r < 10; r++) {
        round(r);
        if (r < 9) beside(r - 1);
    }
    int rounds = keys.rounds;
    if (rounds > 10) {
        round(10);
        round(11);
    }
    if (rounds > 12) {
        round(12);
        round(13);
    }
    typename W::V last = W::load(k[rounds]);
    for (auto &x : s) x = decrypt ? W::dec_last(x, last) : W::enc_last(x, last);
}

}  // namespace WIDEBLOCK_LAYER

#elif defined(__aarch64__) && WIDEBLOCK_LANES
#include <arm_neon.h>

namespace WIDEBLOCK_LAYER {

struct Neon {
    using V = uint64x2_t;
    typedef unsigned long long U __attribute__((vector_size(16)));
    static constexpr int lanes = 1;
    INLINE V load(const void *p) { return vreinterpretq_u64_u8(vld1q_u8((const uint8_t *)p)); }
    INLINE void store(void *p, V a) { vst1q_u8((uint8_t *)p, vreinterpretq_u8_u64(a)); }
    INLINE V load_part(const void *p, size_t n) { return load_part_of<Neon>(p, n); }
    INLINE void store_part(void *p, V a, size_t n) { store_part_of<Neon>(p, a, n); }
    INLINE V broadcast(V a) { return a; }
    template <int n> INLINE V up(V a) {
        return vreinterpretq_u64_u8(vextq_u8(vdupq_n_u8(0), vreinterpretq_u8_u64(a), 16 - n));
    }
    template <int n> INLINE V down(V a) {
        return vreinterpretq_u64_u8(vextq_u8(vreinterpretq_u8_u64(a), vdupq_n_u8(0), n));
    }
    INLINE V swap(V a) { return vextq_u64(a, a, 1); }
    INLINE V low(uint64_t x) { return V{x, 0}; }
    INLINE V add(V a, V b) { return vaddq_u64(a, b); }
    template <int i> INLINE V clmul(V a, V b) {
        return vreinterpretq_u64_p128(vmull_p64((poly64_t)a[i & 1], (poly64_t)b[i >> 4]));
    }
    INLINE V reverse(V a) { return swap(vreinterpretq_u64_u8(vrev64q_u8(vreinterpretq_u8_u64(a)))); }
    INLINE V widen(V a) { return a; }
    INLINE V gather(const uint8_t *p, size_t) { return load(p); }
    INLINE V fold(V a) { return a; }
};
using One = Neon;
using Wide = Neon;
using Half = Neon;

// Round keys: `e` in order, `d` of the equivalent inverse cipher.
struct Keys {
    uint8x16_t e[15], d[15];
    int rounds;

    void set(const uint8_t *key, size_t key_bytes) {
        uint8_t w[15][16];
        rounds = portable::expand(key, key_bytes, w);
        for (int r = 0; r <= rounds; r++) {
            e[r] = vld1q_u8(w[r]);
            d[r] = vld1q_u8(w[rounds - r]);
            if (r && r < rounds) d[r] = vaesimcq_u8(d[r]);
        }
    }
};

template <class W, bool decrypt, int N, class Beside>
INLINE void cipher(const Keys &keys, typename W::V (&s)[N], Beside beside) {
    const uint8x16_t *k = decrypt ? keys.d : keys.e;
    int rounds = keys.rounds;
    for (int r = 0; r < rounds; r++) {
        if (r < 8) beside(r);
        for (auto &x : s) {
            uint8x16_t b = vreinterpretq_u8_u64(x);
            b = decrypt ? vaesdq_u8(b, k[r]) : vaeseq_u8(b, k[r]);
            if (r < rounds - 1) b = decrypt ? vaesimcq_u8(b) : vaesmcq_u8(b);
            x = vreinterpretq_u64_u8(b);
        }
    }
    for (auto &x : s) x ^= vreinterpretq_u64_u8(k[rounds]);
}

}  // namespace WIDEBLOCK_LAYER

#else

namespace WIDEBLOCK_LAYER {

struct Plain {
    using V = portable::V;
    typedef unsigned long long U __attribute__((vector_size(16)));
    static constexpr int lanes = 1;
    INLINE V load(const void *p) {
        V a;
        memcpy(&a, p, 16);
        return a;
    }
    INLINE void store(void *p, V a) { memcpy(p, &a, 16); }
    INLINE V load_part(const void *p, size_t n) { return load_part_of<Plain>(p, n); }
    INLINE void store_part(void *p, V a, size_t n) { store_part_of<Plain>(p, a, n); }
    INLINE V broadcast(V a) { return a; }
    template <int n> INLINE V up(V a) { return (V)((unsigned __int128)a << 8 * n); }
    template <int n> INLINE V down(V a) { return (V)((unsigned __int128)a >> 8 * n); }
    INLINE V swap(V a) { return V{a[1], a[0]}; }
    INLINE V low(uint64_t x) { return V{x, 0}; }
    INLINE V add(V a, V b) { return a + b; }
    template <int i> INLINE V clmul(V a, V b) { return portable::product64(a[i & 1], b[i >> 4]); }
    INLINE V reverse(V a) { return V{__builtin_bswap64(a[1]), __builtin_bswap64(a[0])}; }
    INLINE V widen(V a) { return a; }
    INLINE V gather(const uint8_t *p, size_t) { return load(p); }
    INLINE V fold(V a) { return a; }
};
using One = Plain;
using Wide = Plain;
using Half = Plain;

// Round keys as planes: each bit of a key eight times.
struct Keys {
    portable::Row e[15][8];
    int rounds;

    void set(const uint8_t *key, size_t key_bytes) {
        uint8_t w[15][16];
        rounds = portable::expand(key, key_bytes, w);
        for (int r = 0; r <= rounds; r++)
            for (int i = 0; i < 8; i++) {
                uint8_t plane[16];
                for (int p = 0; p < 16; p++) plane[p] = (uint8_t)-(w[r][p] >> i & 1);
                memcpy(&e[r][i], plane, 16);
            }
    }
};

inline void add_key(portable::Row (&x)[8], const portable::Row (&key)[8]) {
    for (int i = 0; i < 8; i++) x[i] ^= key[i];
}

template <bool decrypt> void eight(const Keys &keys, portable::Row (&x)[8]) {
    using namespace portable;
    transpose(x);
    add_key(x, keys.e[decrypt ? keys.rounds : 0]);
    for (int r = 1; r <= keys.rounds; r++) {
        sub_bytes<decrypt>(x);
        shift_rows<decrypt>(x);
        if (decrypt) add_key(x, keys.e[keys.rounds - r]);
        if (r < keys.rounds) mix_columns<decrypt>(x);
        if (!decrypt) add_key(x, keys.e[r]);
    }
    transpose(x);
}

template <class W, bool decrypt, int N, class Beside>
INLINE void cipher(const Keys &keys, typename W::V (&s)[N], Beside beside) {
    for (int r = 0; r < 8; r++) beside(r);
    portable::Row x[8] = {};
    static_assert(N <= 8, "a pass has eight blocks");
    for (int i = 0; i < N; i++) x[i] = (portable::Row)s[i];
    eight<decrypt>(keys, x);
    for (int i = 0; i < N; i++) s[i] = (typename W::V)x[i];
}

}  // namespace WIDEBLOCK_LAYER

#endif
