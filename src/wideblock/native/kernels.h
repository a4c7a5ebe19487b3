// SPDX-License-Identifier: Apache-2.0
// The kernels that all schemes are made of, AES of many blocks, sequences of masks, and the two polynomial hashes. `n`
// counts blocks; `in` and `out` are equal or apart.
#pragma once

#include "internal.h"
#include "layers.h"

namespace WIDEBLOCK_LAYER {

using B = One::V;
using V = Wide::V;
constexpr size_t BLOCK = 16, LANES = Wide::lanes, GROUP = 8 * LANES;  // blocks that are under way at a time
constexpr size_t PAGE = 4096;  // bytes; the processor itself fetches no more than a page ahead

INLINE B block(const void *p) { return One::load(p); }
INLINE void put(void *p, B a) { One::store(p, a); }

template <bool decrypt> INLINE B aes(const Keys &keys, B x) {
    B s[1] = {x};
    cipher<One, decrypt>(keys, s, [](int) {});
    return s[0];
}

INLINE B sum(const uint8_t *p, size_t n) {
    V s = {};
    for (; n >= LANES; n -= LANES, p += BLOCK * LANES) s ^= Wide::load(p);
    B r = Wide::fold(s);
    for (; n; n--, p += BLOCK) r ^= block(p);
    return r;
}

// Fewer than 16 bytes, the byte `end`, and zeros up to a block.
INLINE B padded(const uint8_t *p, size_t size, uint8_t end) {
    uint8_t t[BLOCK] = {};
    memcpy(t, p, size);
    t[size] = end;
    return block(t);
}

INLINE const uint8_t *vector(const uint8_t *p, int k) { return p + BLOCK * LANES * (size_t)k; }
INLINE uint8_t *vector(uint8_t *p, int k) { return p + BLOCK * LANES * (size_t)k; }

// A GROUP of blocks, by its vectors.
struct Whole {
    static constexpr bool whole = true;
    const uint8_t *in;
    uint8_t *out;
    INLINE_MEMBER V load(int k) const { return Wide::load(vector(in, k)); }
    INLINE_MEMBER void store(int k, V a) const { Wide::store(vector(out, k), a); }
};

// Fewer bytes than that: vectors are completed by zeros, whose results are dropped.
struct Part {
    static constexpr bool whole = false;
    const uint8_t *in;
    uint8_t *out;
    size_t bytes;
    INLINE_MEMBER size_t left(int k) const {
        size_t at = BLOCK * LANES * (size_t)k, most = BLOCK * LANES;
        return bytes < at ? 0 : bytes - at < most ? bytes - at : most;
    }
    INLINE_MEMBER V load(int k) const { return Wide::load_part(vector(in, k), left(k)); }
    INLINE_MEMBER void store(int k, V a) const { Wide::store_part(vector(out, k), a, left(k)); }
};

template <int n> struct Vectors { static constexpr int N = n; };

// `step` with a Part of fewer blocks than a GROUP, as 4 or 8 vectors.
template <class Step> INLINE void tail(const uint8_t *in, uint8_t *out, size_t bytes, Step step) {
    if (bytes > BLOCK * GROUP / 2) step(Part{in, out, bytes}, Vectors<8>());
    else if (bytes) step(Part{in, out, bytes}, Vectors<4>());
}

// `step` with each GROUP of blocks of `bytes`, and with the rest.
template <class Step> INLINE void groups(const uint8_t *in, uint8_t *out, size_t bytes, Step step) {
    constexpr size_t most = BLOCK * GROUP;
    for (; bytes >= most; bytes -= most, in += most, out += most) step(Whole{in, out}, Vectors<8>());
    tail(in, out, bytes, step);
}

// ---- GF(2^128) mod x^128 + x^7 + x^2 + x + 1

// t, at most 57 bits in each low half, times x^7 + x^2 + x + 1.
template <class W> INLINE typename W::V times_87(typename W::V t) { return t ^ t << 1 ^ t << 2 ^ t << 7; }

// x^k times each block in the reading LE, 0 < k < 57.
template <class W, int k> INLINE typename W::V times_x(typename W::V a) {
    using T = typename W::V;
    T carry = W::swap((T)((typename W::U)a >> (64 - k))), over = carry & W::low(~0ull);
    return a << k ^ carry ^ over ^ times_87<W>(over);
}

INLINE B twice(B a) { return times_x<One, 1>(a); }

// first, x first, x^2 first, ..: a lane each.
template <class W> INLINE typename W::V doubled(B first) {
    using T = typename W::V;
    if constexpr (W::lanes == 1) {
        return first;
    } else {
        static constexpr uint64_t less[8] = {0, 0, 1, 1, 2, 2, 3, 3}, more[8] = {64, 64, 63, 63, 62, 62, 61, 61};
        T a = W::broadcast(first), carry = W::swap(W::right(a, W::load(more))), over = carry & W::low(~0ull);
        return W::left(a, W::load(less)) ^ carry ^ over ^ times_87<W>(over);
    }
}

// x^GROUP times each block in the reading LE, with the unit of products, which AES uses too, or with shifts.
template <bool by_product> INLINE V times_x_group(V a) {
    constexpr int bytes = GROUP / 8;
    V over = Wide::down<16 - bytes>(a);
    return Wide::up<bytes>(a) ^ (by_product && LANES > 1 ? Wide::clmul<0>(over, Wide::low(0x87)) : times_87<Wide>(over));
}

// first, x first, x^2 first, ..: masks of a GROUP. The next ones are made beside the cipher, one by one. MIXED: by products
// and by shifts in turn, where the cipher has no other company.
template <bool MIXED> struct DoubledByVectors {
    V m[2][8];
    int now = 0;
    INLINE_MEMBER explicit DoubledByVectors(B first) {
        m[0][0] = doubled<Wide>(first);
        rest<1>();
    }
    // The first masks of another. Four lanes are read; two are sooner made.
    INLINE_MEMBER DoubledByVectors(const DoubledByVectors &o) {
        if (LANES > 2) {
            for (int k = 0; k < 8; k++) m[0][k] = o.m[0][k];
        } else {
            m[0][0] = o.m[0][0];
            rest<1>();
        }
    }
    template <int i> INLINE_MEMBER void rest() {
        m[0][i] = times_x<Wide, i * (int)LANES>(m[0][0]);
        if constexpr (i < 7) rest<i + 1>();
    }
    INLINE_MEMBER V at(int k) const { return m[now][k]; }
    INLINE_MEMBER void ahead(int k) {
        const V a = m[now][k];
        m[!now][k] = MIXED && k % 2 ? times_x_group<false>(a) : times_x_group<true>(a);
    }
    INLINE_MEMBER void next() { now = !now; }
};

// The same by whole numbers, which leaves the vector units to the cipher where a vector has one block. The masks are
// made two groups ahead: a vector that is read soon after its halves were stored waits for them.
struct DoubledByNumbers {
    static constexpr int AHEAD = 2;
    alignas(16) uint64_t m[4][8][2];
    uint64_t low, high;
    int now = 0;
    INLINE_MEMBER explicit DoubledByNumbers(B first) {
        uint64_t t[2];
        put(t, first);
        low = t[0];
        high = t[1];
        for (int i = 0; i < 8 * AHEAD; i++) store(m[i / 8][i % 8]);
    }
    INLINE_MEMBER DoubledByNumbers(const DoubledByNumbers &o) : low(o.low), high(o.high) {
        for (int i = 0; i < 8 * AHEAD; i++) Wide::store(m[i / 8][i % 8], Wide::load(o.m[i / 8][i % 8]));
    }
    INLINE_MEMBER void store(volatile uint64_t *to) {  // volatile: not as one vector, which would have to be made
        to[0] = low;
        to[1] = high;
        uint64_t over = (uint64_t)((int64_t)high >> 63) & 0x87;
        high = high << 1 | low >> 63;
        low = low << 1 ^ over;
    }
    INLINE_MEMBER V at(int k) const { return Wide::load(m[now][k]); }
    INLINE_MEMBER void ahead(int k) { store(m[(now + AHEAD) % 4][k]); }
    INLINE_MEMBER void next() { now = (now + 1) % 4; }
};

template <bool MIXED, bool several> struct DoubledBy { using Type = DoubledByVectors<MIXED>; };
template <bool MIXED> struct DoubledBy<MIXED, false> { using Type = DoubledByNumbers; };
template <bool MIXED> using Doubled = typename DoubledBy<MIXED, (LANES > 1)>::Type;

// The same with a sum added to all.
struct Offset : DoubledByVectors<false> {
    V add;
    INLINE_MEMBER Offset(B first, B sum) : DoubledByVectors<false>(first), add(Wide::broadcast(sum)) {}
    INLINE_MEMBER V at(int k) const { return DoubledByVectors<false>::at(k) ^ add; }
};

// 0, 1, .. in the low halves.
struct Numbers {
    alignas(64) uint64_t of[GROUP][2] = {};
    constexpr Numbers() {
        for (size_t i = 0; i < GROUP; i++) of[i][0] = i;
    }
    INLINE_MEMBER V at(int k) const { return Wide::load(vector((const uint8_t *)of, k)); }
};
static constexpr Numbers numbers;

// base + bin(first), base + bin(first + 1), ..: little-endian numbers.
struct Numbered {
    V base, now;
    INLINE_MEMBER Numbered(B to, uint64_t first) : base(Wide::broadcast(to)), now(Wide::low(first)) {}
    INLINE_MEMBER V at(int k) const { return base ^ Wide::add(numbers.at(k), now); }
    INLINE_MEMBER void ahead(int) {}
    INLINE_MEMBER void next() { now = Wide::add(now, Wide::low(GROUP)); }
};

// D, incr(D), ..: the last four bytes are a big-endian number modulo 2^32. Source: SP 800-38D, 6.2.
struct Incremented {
    V base, now;
    INLINE_MEMBER explicit Incremented(B D) {
        B back = One::reverse(D), number = back & One::low(0xffffffff);
        base = Wide::broadcast(back ^ number);
        now = Wide::broadcast(number);
    }
    INLINE_MEMBER V at(int k) const {
        return Wide::reverse(base ^ (Wide::add(numbers.at(k), now) & Wide::low(0xffffffff)));
    }
    INLINE_MEMBER void ahead(int) {}
    INLINE_MEMBER void next() { now = Wide::add(now, Wide::low(GROUP)); }
};

// One group of counter mode, and `beside(0)` to `beside(7)` between the rounds.
template <class Piece, int N, class Source, class Beside>
INLINE void counters(const Keys &keys, Piece piece, Vectors<N>, Source &source, Beside beside) {
    V s[N];
    for (int k = 0; k < N; k++) s[k] = source.at(k);
    cipher<Wide, false>(keys, s, [&](int k) {
        if (piece.whole) source.ahead(k);
        beside(k);
    });
    source.next();
    for (int k = 0; k < N; k++) piece.store(k, piece.load(k) ^ s[k]);
}

// out = in + AES of each block of `source`.
template <class Source>
INLINE void counter_mode(const Keys &keys, const uint8_t *in, uint8_t *out, size_t bytes, Source source) {
    groups(in, out, bytes, [&](auto piece, auto vectors) INLINE_LAMBDA {
        counters(keys, piece, vectors, source, [](int) {});
    });
}

// No masks.
struct Bare {
    INLINE_MEMBER V at(int) const { return V{}; }
    INLINE_MEMBER void ahead(int) {}
    INLINE_MEMBER void next() {}
};

// out = AES(in + before) + after, with masks from block to block; `after` may be `before` itself.
template <bool decrypt, class Before, class After>
INLINE void code_book(const Keys &keys, const uint8_t *in, uint8_t *out, size_t n, Before &before, After &after) {
    groups(in, out, BLOCK * n, [&](auto piece, auto vectors) INLINE_LAMBDA {
        constexpr int N = decltype(vectors)::N;
        V s[N];
        for (int k = 0; k < N; k++) s[k] = piece.load(k) ^ before.at(k);
        bool one = (void *)&before == (void *)&after;
        cipher<Wide, decrypt>(keys, s, [&](int k) {
            if (!piece.whole) return;
            before.ahead(k);
            if (!one) after.ahead(k);
        });
        for (int k = 0; k < N; k++) piece.store(k, s[k] ^ after.at(k));
        before.next();
        if (!one) after.next();
    });
}

// A product before its reduction: lo + mid x^64 + hi x^128, lo and hi still missing in mid (Karatsuba).
template <class W> struct Product {
    typename W::V lo, mid, hi;
    INLINE_MEMBER void operator^=(const Product &o) {
        lo ^= o.lo;
        mid ^= o.mid;
        hi ^= o.hi;
    }
};

// The sum of the halves of each block, in its low half.
template <class W> INLINE typename W::V halves(typename W::V a) { return a ^ W::swap(a); }

template <class W>
INLINE Product<W> product(typename W::V a, typename W::V b, typename W::V b_halves) {
    return {W::template clmul<0>(a, b), W::template clmul<0>(halves<W>(a), b_halves), W::template clmul<17>(a, b)};
}
template <class W> INLINE Product<W> product(typename W::V a, typename W::V b) {
    return product<W>(a, b, halves<W>(b));
}

INLINE Product<One> fold(const Product<Wide> &p) { return {Wide::fold(p.lo), Wide::fold(p.mid), Wide::fold(p.hi)}; }

// Reading LE: bit i of the little-endian integer is the coefficient of x^i.
struct Little {
    template <class W> INLINE typename W::V reduce(Product<W> p) {
        using T = typename W::V;
        const T poly = W::low(0x87);
        p.mid ^= p.lo ^ p.hi ^ W::template clmul<1>(p.hi, poly);  // three products in a short chain, and one shuffle
        return p.lo ^ W::template clmul<0>(p.hi, poly) ^ W::template clmul<1>(p.mid, poly) ^ W::template up<8>(p.mid);
    }
};

// RFC 8452's dot(a, b) in the reading of POLYVAL: a b x^-128 of the reversed field.
struct Dot {
    template <class W> INLINE typename W::V reduce(Product<W> p) {
        using T = typename W::V;
        const T poly = W::low(0xc200000000000000);
        p.mid ^= p.lo ^ p.hi;
        T lo = p.lo ^ W::template up<8>(p.mid);
        lo = W::swap(lo) ^ W::template clmul<0>(lo, poly);
        lo = W::swap(lo) ^ W::template clmul<0>(lo, poly);
        return lo ^ p.hi ^ W::template down<8>(p.mid);
    }
};

template <class F, class W = One> INLINE typename W::V times(typename W::V a, typename W::V b) {
    return F::template reduce<W>(product<W>(a, b));
}

// ---- h Horner_h: X_1 h^n + X_2 h^(n-1) + .. + X_n h

template <class F> struct Horner {
    static constexpr size_t MOST = LANES > 1 ? 256 : 32;  // blocks before a reduction
    alignas(64) uint8_t power[MOST + LANES][BLOCK], halved[MOST + LANES][BLOCK];  // h^MOST, .., h, and sums of halves; zeros

    void set(B h) {
        B p = h;
        for (size_t l = 1; put(power[MOST - l], p), l < LANES; l++) p = times<F>(p, h);
        V wide = Wide::load(power[MOST - LANES]), step = Wide::broadcast(p);
        for (size_t i = MOST; i; wide = times<F, Wide>(wide, step)) {
            i -= LANES;
            Wide::store(power[i], wide);
            Wide::store(halved[i], halves<Wide>(wide));
        }
        Wide::store(power[MOST], V{});
        Wide::store(halved[MOST], V{});
    }

    // The hash of `left` blocks after those of hash `acc`, which come vector by vector. `reversed`: the bytes of each block
    // are taken backwards.
    template <bool reversed = false> struct Running {
        const Horner &by;
        size_t left, at;  // blocks from the reduction before on, and the power of the next
        V first;
        Product<Wide> many = {};

        INLINE_MEMBER Running(const Horner &h, B acc, size_t n) : by(h), left(n), first(Wide::widen(acc)) { begin(); }
        INLINE_MEMBER void begin() { at = MOST - (left < MOST ? left : MOST); }
        // `begins`: it may be the first since `turn`.
        INLINE_MEMBER void take(V x, bool begins = true) {
            if (reversed) x = Wide::reverse(x);
            if (begins) {
                x ^= first;
                first = V{};
            }
            many ^= product<Wide>(x, Wide::load(by.power[at]), Wide::load(by.halved[at]));
            at += LANES;
        }
        // To be called where MOST blocks may have come, and at the end. A reduction costs as much as ten products.
        INLINE_MEMBER void turn() {
            if (at < MOST) return;
            left -= left < MOST ? left : MOST;
            first = Wide::widen(F::template reduce<One>(fold(many)));
            many = Product<Wide>{};
            begin();
        }
        // The last n blocks. Returns the hash.
        INLINE_MEMBER B end(const uint8_t *p, size_t n) {
            for (; n >= LANES; n -= LANES, p += BLOCK * LANES) {
                take(Wide::load(p));
                turn();
            }
            if (n) {
                take(Wide::load_part(p, BLOCK * n));
                turn();
            }
            return One::load(&first);
        }
    };

    template <bool reversed = false> B operator()(B acc, const uint8_t *p, size_t n) const {
        return Running<reversed>(*this, acc, n).end(p, n);
    }

    B operator()(B acc, B x) const { return times<F>(acc ^ x, block(power[MOST - 1])); }
};

// The hash of n blocks in memory, of which whole GROUPs may be taken beside other work, where there are registers for it.
template <class F> struct Aside {
    typename Horner<F>::template Running<> hash;
    const uint8_t *in;
    size_t n;
    INLINE_MEMBER Aside(const Horner<F> &h, B acc, const uint8_t *p, size_t blocks) : hash(h, acc, blocks), in(p), n(blocks) {}
    INLINE_MEMBER bool any() const { return LANES > 2 && n >= GROUP; }
    INLINE_MEMBER void take(int k) {
        __builtin_prefetch(vector(in, k) + PAGE, 0, 2);  // into the second cache
        hash.take(Wide::load(vector(in, k)), !k);
    }
    INLINE_MEMBER void turn() {
        hash.turn();
        in += BLOCK * GROUP;
        n -= GROUP;
    }
    INLINE_MEMBER B end() { return hash.end(in, n); }
};

// Counter mode, and the hash of its n whole blocks: that of each group is taken beside the cipher of the next one, and so
// is `aside`. Block 0 is `block_0` for the hash.
template <class F, class Source>
INLINE B hashed_counter_mode(const Keys &keys, const uint8_t *in, uint8_t *out, size_t bytes, Source source,
                             const Horner<F> &by, B block_0, Aside<F> &aside) {
    constexpr size_t most = BLOCK * GROUP;
    typename Horner<F>::template Running<> hash(by, B{}, bytes / BLOCK);
    auto none = [](int) {};
    auto group_before = [&](int k) INLINE_LAMBDA { hash.take(Wide::load(vector(out - most, k)), !k); };
    auto group = [&](auto before) INLINE_LAMBDA {
        if (!aside.any()) return counters(keys, Whole{in, out}, Vectors<8>(), source, before);
        counters(keys, Whole{in, out}, Vectors<8>(), source, [&](int k) INLINE_LAMBDA {
            before(k);
            aside.take(k);
        });
        aside.turn();
    };
    if (bytes < most) {
        tail(in, out, bytes, [&](auto piece, auto vectors) INLINE_LAMBDA { counters(keys, piece, vectors, source, none); });
        hash.first = Wide::widen(block_0 ^ block(out));
        return hash.end(out, bytes / BLOCK);
    }
    group(none);
    hash.first = Wide::widen(block_0 ^ block(out));
    for (bytes -= most, in += most, out += most; bytes >= most; bytes -= most, in += most, out += most, hash.turn())
        group(group_before);
    if (bytes >= BLOCK) {
        tail(in, out, bytes, [&](auto piece, auto vectors) INLINE_LAMBDA {
            counters(keys, piece, vectors, source, group_before);
        });
        hash.turn();
        return hash.end(out, bytes / BLOCK);
    }
    tail(in, out, bytes, [&](auto piece, auto vectors) INLINE_LAMBDA { counters(keys, piece, vectors, source, none); });
    return hash.end(out - most, GROUP);
}

// ---- BRW_h, the Bernstein-Rabin-Winograd polynomial, in the reading LE

struct Brw {
    static constexpr int LEVELS = __builtin_ctzll(MOST_SECTOR / BLOCK) + 1;
    static constexpr int LOWEST = 2, AT_ONCE = 5;  // levels of the least tree, and those that are one piece of code
    static constexpr size_t FEW = LANES > 2 ? 64 : 0;  // blocks below which joining four lanes costs more than it saves
    uint8_t power[LEVELS][BLOCK];  // h, h^2, h^4, ..
    bool first_by_h;               // BRW of two blocks: Y1 h + Y2, else Y2 h + Y1

    void set(B h) {
        for (int k = 0; k < LEVELS; k++, h = times<Little>(h, h)) put(power[k], h);
    }

    // Sums that wait for the block above them, a whole tree of 2^k blocks each, from <= k < to.
    template <class W, int from, int to> struct Waiting {
        Product<W> tree[to - from];
        uint64_t there = 0;
        INLINE_MEMBER Product<W> below(Product<W> s, int level) {  // takes the trees of less than 2^level blocks
            for (uint64_t left = there & ((1ull << level) - 1); left; left &= left - 1) s ^= tree[__builtin_ctzll(left) - from];
            there &= ~0ull << level;
            return s;
        }
        INLINE_MEMBER void add(int level, const Product<W> &p) {
            tree[level - from] = p;
            there |= 1ull << level;
        }
    };

    // BRW of n blocks at p; with `last` of the n - 1 blocks at p and that one.
    B operator()(const uint8_t *p, size_t n, const uint8_t *last = nullptr) const {
        auto at = [&](size_t i) { return block(last && i == n - 1 ? last : p + BLOCK * i); };
        Waiters waiting;
        size_t done = 0;
        B rest = {};
        if (n < FEW)
            while (n >= done + 4 * Half::lanes - 1) done = trees<Half>(p, at, n, done, waiting, rest);
        while (n >= done + 4 * LANES - 1) done = trees<Wide>(p, at, n, done, waiting, rest);
        while (n >= done + 3) done = trees<One>(p, at, n, done, waiting, rest);
        if (n == done + 1) rest ^= at(done);
        if (n == done + 2) {
            B by_h = at(first_by_h ? done : done + 1), other = at(first_by_h ? done + 1 : done);
            rest ^= times<Little>(by_h, block(power[0])) ^ other;
        }
        return rest ^ Little::reduce<One>(waiting.below(Product<One>{}, LEVELS));
    }

    // BRW of each of W::lanes messages of n blocks, a lane each: no lanes are joined. All but the last blocks of the first
    // message are at p, those of others `stride` bytes behind; they have at most a PAGE.
    template <class W>
    INLINE_MEMBER typename W::V of_lanes(const uint8_t *p, size_t stride, size_t n, typename W::V last) const {
        constexpr int MOST = __builtin_ctzll(PAGE / BLOCK) + 1;
        auto at = [&](size_t i) INLINE_LAMBDA { return i == n - 1 ? last : W::gather(p + BLOCK * i, stride); };
        Product<W> sum = {};
        typename W::V rest = {};
        size_t done = 0;
        while (n >= done + 3) {
            int top = 63 - __builtin_clzll(n - done + 1);
            const uint8_t *q = p + BLOCK * done;
            size_t size = (size_t)1 << top;
            Product<W> s = top < AT_ONCE ? tree<W, LOWEST, AT_ONCE>(q, size, stride) : tree<W, AT_ONCE, MOST>(q, size, stride);
            typename W::V left = Little::reduce<W>(s) ^ at(done + size - 2);
            done += size;
            if (done > n) rest ^= left;
            else sum ^= product<W>(left, at(done - 1) ^ W::broadcast(block(power[top])));
        }
        if (n == done + 1) rest ^= at(done);
        if (n == done + 2) {
            typename W::V by_h = at(first_by_h ? done : done + 1), other = at(first_by_h ? done + 1 : done);
            rest ^= times<Little, W>(by_h, W::broadcast(block(power[0]))) ^ other;
        }
        return rest ^ Little::reduce<W>(sum);
    }

    using Waiters = Waiting<One, LOWEST, LEVELS>;

    // Bytes of stack for the sums that wait, of sectors of so many.
    static size_t stack(size_t bytes) {
        bool large = bytes / BLOCK + 1 >= LANES << AT_ONCE;
        return sizeof(Waiters) + (large ? sizeof(Waiting<Wide, AT_ONCE, LEVELS>) + BLOCK * LANES * 16 : 0);
    }

  private:
    // The sum over the 2^level - 1 blocks at q, in all lanes, before its reduction. The last of them is to be added after
    // it: `plain`.
    template <class W, int level>
    INLINE_MEMBER Product<W> open(const uint8_t *q, size_t stride, typename W::V &plain) const {
        if constexpr (level == LOWEST) {
            auto at = [&](size_t j) { return W::gather(q + BLOCK * j, stride); };
            plain = at(2);
            return product<W>(at(0) ^ W::broadcast(block(power[0])), at(1) ^ W::broadcast(block(power[1])));
        } else {
            constexpr size_t half = (size_t)1 << (level - 1);
            typename W::V left;
            Product<W> s = open<W, level - 1>(q, stride, left);
            s = root<W>(s, left, q + BLOCK * (half - 1), stride, level - 1);
            s ^= open<W, level - 1>(q + BLOCK * half, stride, plain);
            return s;
        }
    }

    // The product of a tree of 2^level blocks from its open sum and that sum's last block; the root is at q.
    template <class W>
    INLINE_MEMBER Product<W> root(Product<W> sum, typename W::V plain, const uint8_t *q, size_t stride, int level) const {
        return product<W>(Little::reduce<W>(sum) ^ plain, W::gather(q, stride) ^ W::broadcast(block(power[level])));
    }

    // The open sum of a tree of `size` blocks a lane at q, by trees of 2^level blocks; size < 2^most.
    template <class W, int level, int most>
    INLINE_MEMBER Product<W> tree(const uint8_t *q, size_t size, size_t stride) const {
        constexpr size_t PART = (size_t)1 << level;
        Waiting<W, level, most> inner;
        typename W::V plain;
        for (size_t i = PART; i < size; i += PART, q += BLOCK * PART) {
            int above = __builtin_ctzll(i);
            Product<W> s = inner.below(open<W, level>(q, stride, plain), above);
            inner.add(above, root<W>(s, plain, q + BLOCK * (PART - 1), stride, above));
        }
        return inner.below(open<W, level>(q, stride, plain), LEVELS);
    }

    // Apart, so that small sectors do not use its stack.
    template <class W> __attribute__((noinline)) Product<W> large_tree(const uint8_t *q, size_t size) const {
        return tree<W, AT_ONCE, LEVELS>(q, size, BLOCK * size);
    }

    // Adds a tree a lane, as high as the blocks from `done` on allow; the root of the last may be missing, and is then
    // the end. Returns the blocks done, that root counted.
    template <class W, class At>
    INLINE_MEMBER size_t trees(const uint8_t *p, At at, size_t n, size_t done, Waiters &waiting, B &rest) const {
        constexpr size_t L = W::lanes;
        int top = 63 - __builtin_clzll((n - done + 1) / L);
        size_t size = (size_t)1 << top;
        const uint8_t *q = p + BLOCK * done;
        uint8_t left[BLOCK * L];
        for (size_t l = 0; l < L; l++) put(left + BLOCK * l, at(done + l * size + size - 2));
        Product<W> s = top < AT_ONCE ? tree<W, LOWEST, AT_ONCE>(q, size, BLOCK * size) : large_tree<W>(q, size);
        W::store(left, Little::reduce<W>(s) ^ W::load(left));
        for (size_t l = 0; l < L; l++) {
            done += size;
            int level = __builtin_ctzll(done);
            if (done > n) {
                rest ^= block(left + BLOCK * l);
                break;
            }
            B above = Little::reduce<One>(waiting.below(Product<One>{}, level));
            waiting.add(level, product<One>(block(left + BLOCK * l) ^ above, at(done - 1) ^ block(power[level])));
        }
        return done;
    }
};

}  // namespace WIDEBLOCK_LAYER
