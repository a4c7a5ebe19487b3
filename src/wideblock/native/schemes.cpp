// SPDX-License-Identifier: Apache-2.0
// Every scheme in one layer, which the macros WIDEBLOCK_LAYER and WIDEBLOCK_LANES choose. Symbols, equations and their
// sources are those of the specifications of the same names.

#include "internal.h"
#include "kernels.h"

namespace WIDEBLOCK_LAYER {

#if !defined(__OPTIMIZE__) || defined(__OPTIMIZE_SIZE__)
#error "compile with -O2 or -O3: the stack that is wiped after a call is that of such code"
#endif

// Bytes of stack, a tenth more than g++ 12 and clang 16 make of the deepest calls, but for what a scheme adds.
constexpr size_t STACK = WIDEBLOCK_LANES ? 2560 + 384 * LANES : 6144;

// A scheme that needs no room of its own.
struct Roomless {
    static constexpr bool STRIDES = false, ALONE = true;
    static size_t room(size_t) { return 0; }
    static size_t stack(size_t) { return STACK; }
    void prepare(size_t, uint8_t *) const {}
};

struct Xts : Roomless {
    static constexpr bool ALONE = false;
    Keys k1, k2;

    void set(const uint8_t *key, size_t key_bytes) {
        k1.set(key, key_bytes / 2);
        k2.set(key + key_bytes / 2, key_bytes / 2);
    }

    template <bool decrypt> void sector(const uint8_t *in, uint8_t *out, size_t bytes, B T) const {
        size_t rest = bytes % BLOCK, n = bytes / BLOCK - (rest > 0);  // with a rest, the last whole block is stolen from
        Doubled<true> masks(T);
        code_book<decrypt>(k1, in, out, n, masks, masks);
        if (!rest) return;
        for (size_t i = 0; i < n / 32; i++) T = times_x<One, 32>(T);
        for (size_t i = 0; i < n % 32; i++) T = twice(T);
        B first = decrypt ? twice(T) : T, second = decrypt ? T : twice(T);
        uint8_t whole[BLOCK], last[BLOCK];
        put(whole, aes<decrypt>(k1, block(in + BLOCK * n) ^ first) ^ first);
        memcpy(last, in + BLOCK * (n + 1), rest);
        memcpy(last + rest, whole + rest, BLOCK - rest);
        put(out + BLOCK * n, aes<decrypt>(k1, block(last) ^ second) ^ second);
        memcpy(out + BLOCK * (n + 1), whole, rest);
    }

    template <bool decrypt> void crypt(const Job &job) const {
        for (size_t done = 0; done < job.sectors;) {
            uint8_t T[BLOCK * GROUP];
            size_t now = job.sectors - done < GROUP ? job.sectors - done : GROUP;
            Bare bare;
            code_book<false>(k2, job.tweaks + BLOCK * done, T, now, bare, bare);
            for (size_t i = 0; i < now; i++, done++)
                sector<decrypt>(job.in + job.bytes * done, job.out + job.bytes * done, job.bytes, block(T + BLOCK * i));
        }
    }
};

// Bytes that are read soon, into the second cache: for schemes that read in an order that the processor does not foresee.
INLINE void fetch(const uint8_t *p, size_t bytes) {
    for (size_t j = 0; j < bytes; j += 64) __builtin_prefetch(p + j, 0, 2);
}

// A scheme whose sectors are each on their own. STRIDES: to be fetched ahead.
template <class S, bool decrypt> void each_sector(const S &scheme, const Job &job) {
    scheme.prepare(job.bytes, job.room);
    for (size_t i = 0; i < job.sectors; i++) {
        if (S::STRIDES && i + 1 < job.sectors) fetch(job.in + job.bytes * (i + 1), job.bytes < PAGE ? job.bytes : PAGE);
        scheme.template sector<decrypt>(job.in + job.bytes * i, job.out + job.bytes * i, job.bytes,
                                        job.tweaks + job.tweak_bytes * i, job.tweak_bytes, job.room);
    }
}

constexpr size_t TOGETHER = 8;  // sectors whose single blocks are enciphered in one call of AES, at most
using Blocks = uint8_t[TOGETHER][BLOCK];

// AES of a block each of n sectors.
template <bool decrypt> INLINE void singles(const Keys &keys, const Blocks &in, Blocks &out, size_t n) {
    if (n == 1) return put(out[0], aes<decrypt>(keys, block(in[0])));
    V s[TOGETHER / LANES];
    for (size_t i = 0; i < TOGETHER / LANES; i++) s[i] = Wide::load(in[LANES * i]);
    cipher<Wide, decrypt>(keys, s, [](int) {});
    for (size_t i = 0; i < TOGETHER / LANES; i++) Wide::store(out[LANES * i], s[i]);
}

// Sectors that are enciphered together: as many as have `bytes`, but one that is larger than a PAGE is alone.
INLINE size_t together(const Job &job, size_t bytes = TOGETHER * PAGE) {
    const size_t n = bytes / job.bytes;
    return job.bytes > PAGE ? 1 : n < TOGETHER ? n : TOGETHER;
}

// Sectors of a job from `first` on, at most so many.
struct Some {
    const Job *job;
    size_t first, n;
    Some(const Job &of, size_t from, size_t most) : job(&of), first(from) {
        const size_t left = of.sectors - from;
        n = left < most ? left : most;
    }
    const uint8_t *in(size_t i) const { return job->in + job->bytes * (first + i); }
    uint8_t *out(size_t i) const { return job->out + job->bytes * (first + i); }
    const uint8_t *tweak(size_t i) const { return job->tweaks + job->tweak_bytes * (first + i); }
};

#pragma GCC push_options
#if WIDEBLOCK_LANES > 2  // products are summed where they are made: sums at the end of a loop need more than 32 registers
#pragma GCC optimize("no-tree-ter", "no-tree-reassoc")
#endif

struct Hctr2 : Roomless {
    static constexpr bool ALONE = false;
    Keys k;
    Horner<Dot> hash;
    uint8_t L[BLOCK];

    static size_t stack(size_t) { return STACK + 5 * sizeof(Blocks); }

    void set(const uint8_t *key, size_t key_bytes) {
        k.set(key, key_bytes);
        hash.set(aes<false>(k, B{}));
        put(L, aes<false>(k, One::low(1)));
    }

    // The block that, multiplied by the hash key, is the hash of length and tweak. It takes the place of block 0.
    B opening(const uint8_t *T, size_t tweak_bytes, bool partial) const {
        B length = One::low(16 * tweak_bytes + 2 + partial);
        if (!tweak_bytes) return length;
        size_t before = (tweak_bytes - 1) / BLOCK, rest = tweak_bytes - BLOCK * before;
        return hash(hash(B{}, length), T, before) ^ (rest == BLOCK ? block(T + BLOCK * before) : padded(T + BLOCK * before, rest, 0));
    }

    // The hash of the bytes behind whole blocks whose hash is `acc`.
    B end(B acc, const uint8_t *in, size_t bytes) const {
        size_t rest = bytes % BLOCK;
        return rest ? hash(acc, padded(in + bytes - rest, rest, 1)) : acc;
    }

    template <bool decrypt> void crypt(const Job &job) const {
        size_t n = job.bytes / BLOCK;
        Blocks x0[2], before[2], after;  // of these sectors, and of the next, whose first hashes are taken beside the cipher
        auto begin = [&](int turn, const Some &some, size_t i) INLINE_LAMBDA {
            if (i >= some.n) return Aside<Dot>(hash, B{}, nullptr, 0);
            B x = opening(some.tweak(i), job.tweak_bytes, job.bytes % BLOCK > 0);
            put(x0[turn][i], x);
            return Aside<Dot>(hash, x ^ block(some.in(i)), some.in(i), n);
        };
        auto finish = [&](int turn, const Some &some, size_t i, Aside<Dot> &first) INLINE_LAMBDA {
            if (i < some.n) put(before[turn][i], block(some.in(i)) ^ end(first.end(), some.in(i), job.bytes));
        };
        const size_t most = together(job);
        Some some(job, 0, most);
        for (size_t i = 0; i < some.n; i++) {
            Aside<Dot> first = begin(0, some, i);
            finish(0, some, i, first);
        }
        for (int now = 0; some.n; now = !now) {
            const Some next(job, some.first + some.n, most);
            singles<decrypt>(k, before[now], after, some.n);
            for (size_t i = 0; i < some.n; i++) {
                uint8_t *out = some.out(i);
                Aside<Dot> first = begin(!now, next, i);
                Numbered source(block(before[now][i]) ^ block(after[i]) ^ block(L), 0);
                B second = hashed_counter_mode(k, some.in(i), out, job.bytes, source, hash, block(x0[now][i]), first);
                put(out, block(after[i]) ^ end(second, out, job.bytes));
                finish(!now, next, i, first);
            }
            some = next;
        }
    }
};

template <bool brw> struct Fast : Roomless {
    static constexpr bool ALONE = false;
    Keys k;
    Horner<Little> horner;
    Brw tree;

    static size_t stack(size_t bytes) { return STACK + 4 * sizeof(Blocks) + (brw ? Brw::stack(bytes) : 0); }

    void set(const uint8_t *key, size_t key_bytes) {
        k.set(key, key_bytes);
        B tau = aes<false>(k, B{});
        horner.set(tau);
        tree.set(tau);
        tree.first_by_h = true;
    }

    template <class W> INLINE_MEMBER typename W::V by_tau(typename W::V x) const {
        return times<Little, W>(x, W::broadcast(block(tree.power[0])));
    }

    // Of W::lanes sectors, a lane each.
    template <class W>
    INLINE_MEMBER typename W::V h(const uint8_t *T, const uint8_t *X3, size_t n, size_t stride) const {
        if constexpr (W::lanes > 1) return by_tau<W>(tree.template of_lanes<W>(X3, stride, n + 1, W::load(T)));
        else if (brw) return by_tau<One>(tree(X3, n + 1, T));
        else return horner(horner(horner(B{}, One::low(1)), X3, n), block(T));
    }

    // Encryption: A_2 = F_1, A_1 then F_2 = B_1, B_2; decryption: B_1 = F_2, B_2 then F_1 = A_2, A_1.
    struct Feistel {
        Blocks x, y, z, E;
    };

    template <class W, bool decrypt> void begin(const Some &some, size_t i, Feistel &of) const {
        const size_t stride = some.job->bytes;
        const uint8_t *in = some.in(i);
        typename W::V first = W::gather(in, stride), second = W::gather(in + BLOCK, stride);
        typename W::V hashed = h<W>(some.tweak(i), in + 2 * BLOCK, stride / BLOCK - 2, stride);
        typename W::V a = decrypt ? second ^ by_tau<W>(hashed) : first ^ hashed;
        W::store(of.y[i], a);
        W::store(of.x[i], (decrypt ? first : second) ^ by_tau<W>(a));
    }

    template <class W, bool decrypt> void end(const Some &some, size_t i, Feistel &of) const {
        const size_t stride = some.job->bytes, after = i + W::lanes;
        uint8_t *out = some.out(i);
        for (size_t l = i; l < after; l++) {
            Numbered source(block(of.x[l]) ^ block(of.y[l]), ~0ull);  // from P_1 on: whole vectors; C_1 and C_2 follow
            groups(some.in(l), some.out(l), stride, [&](auto piece, auto vectors) INLINE_LAMBDA {
                if (brw) fetch(piece.in + stride * some.n, BLOCK * GROUP);
                counters(k, piece, vectors, source, [](int) {});
            });
        }
        typename W::V Y = W::load(of.y[i]), Z = W::load(of.z[i]), by_Z = by_tau<W>(Z);
        typename W::V hashed = h<W>(some.tweak(i), out + 2 * BLOCK, stride / BLOCK - 2, stride);
        W::store(of.y[i], decrypt ? Z ^ hashed : Y ^ by_Z);
        W::store(of.z[i], decrypt ? Y ^ by_Z : Z ^ by_tau<W>(hashed));
        for (size_t l = i; l < after; l++) {
            put(some.out(l), block(of.y[l]));
            put(some.out(l) + BLOCK, block(of.z[l]));
        }
    }

    template <bool decrypt> void crypt(const Job &job) const {
        const size_t most = together(job);
        for (Some some(job, 0, most); some.n; some = Some(job, some.first + some.n, most)) {
            Feistel of;
            const size_t in_lanes = brw ? some.n / LANES * LANES : 0;
            if constexpr (brw)
                for (size_t i = 0; i < in_lanes; i += LANES) begin<Wide, decrypt>(some, i, of);
            for (size_t i = in_lanes; i < some.n; i++) begin<One, decrypt>(some, i, of);
            singles<false>(k, of.x, of.E, some.n);
            for (size_t i = 0; i < some.n; i++) put(of.y[i], block(of.y[i]) ^ block(of.E[i]));
            singles<false>(k, of.y, of.E, some.n);
            for (size_t i = 0; i < some.n; i++) put(of.z[i], block(of.x[i]) ^ block(of.E[i]));
            if constexpr (brw)
                for (size_t i = 0; i < in_lanes; i += LANES) end<Wide, decrypt>(some, i, of);
            for (size_t i = in_lanes; i < some.n; i++) end<One, decrypt>(some, i, of);
        }
    }
};

struct Eme2 : Roomless {
    static constexpr bool ALONE = false;
    static constexpr size_t REFRESH = 128, CACHED = 1 << 13;  // bytes kept in the first cache between two layers
    Keys k;
    uint8_t K_AD[BLOCK], K_ECB[BLOCK];

    static size_t stack(size_t) { return STACK + 3 * sizeof(Offset) + 5 * sizeof(Blocks); }

    void set(const uint8_t *key, size_t key_bytes) {
        memcpy(K_AD, key, BLOCK);
        memcpy(K_ECB, key + BLOCK, BLOCK);
        k.set(key + 2 * BLOCK, key_bytes - 2 * BLOCK);
    }

    // T* of each sector.
    INLINE_MEMBER void T_stars(const Some &some, Blocks &star) const {
        const size_t bytes = some.job->tweak_bytes;
        B L = block(K_AD), first = bytes ? B{} : aes<false>(k, L);
        Blocks x;
        for (size_t i = 0; i < some.n; i++) put(star[i], first);
        for (size_t at = 0; at < bytes; at += BLOCK) {
            const size_t left = bytes - at;
            L = left < BLOCK ? twice(twice(L)) : twice(L);
            for (size_t i = 0; i < some.n; i++) {
                const uint8_t *T = some.tweak(i) + at;
                put(x[i], L ^ (left < BLOCK ? padded(T, left, 0x80) : block(T)));
            }
            singles<false>(k, x, x, some.n);
            for (size_t i = 0; i < some.n; i++) put(star[i], block(star[i]) ^ block(x[i]) ^ L);
        }
    }

    // E of each block + L. Returns their sum.
    template <bool decrypt> B first_layer(const uint8_t *in, uint8_t *out, size_t n, const Doubled<false> &from) const {
        V all = {};
        Doubled<false> L(from);
        groups(in, out, BLOCK * n, [&](auto piece, auto vectors) INLINE_LAMBDA {
            constexpr int N = decltype(vectors)::N;
            V s[N];
            for (int i = 0; i < N; i++) s[i] = piece.load(i) ^ L.at(i);
            cipher<Wide, decrypt>(k, s, [&](int i) { L.ahead(i); });
            L.next();
            for (int i = 0; i < N; i++) piece.store(i, s[i]);
            if (piece.whole)
                for (int i = 0; i < N; i++) all ^= s[i];
        });
        size_t rest = n % GROUP;
        return Wide::fold(all) ^ sum(out + BLOCK * (n - rest), rest);
    }

    // CCC_i of PPP_i, and E of it + L in its place, but for block 0, whose mask is M_1. Fetches what stands in `soon`.
    // Returns the sum of all CCC_i.
    template <bool decrypt>
    B second_layer(uint8_t *PPP, size_t n, B M_1, const Doubled<false> &from, const uint8_t *soon) const {
        V all = {};
        B few = {}, M = M_1;
        Doubled<false> L(from);
        for (size_t j = 0; j < n; j += REFRESH, PPP += BLOCK * REFRESH, soon += BLOCK * REFRESH) {
            if (j) {
                B MP = block(PPP) ^ M_1;
                M = MP ^ aes<decrypt>(k, MP);  // so PPP_j + M is MC + M_1
            }
            Doubled<false> masks(M);
            groups(PPP, PPP, BLOCK * (n - j < REFRESH ? n - j : REFRESH), [&](auto piece, auto vectors) INLINE_LAMBDA {
                constexpr int N = decltype(vectors)::N;
                V s[N];
                for (int i = 0; i < N; i++) s[i] = piece.load(i) ^ masks.at(i);
                if (piece.whole) {
                    for (int i = 0; i < N; i++) all ^= s[i];
                } else {
                    for (int i = 0; i < N; i++) piece.store(i, s[i]);
                    few ^= sum(piece.out, (n - j) % GROUP);
                }
                cipher<Wide, decrypt>(k, s, [&](int i) {
                    masks.ahead(i);
                    L.ahead(i);
                    __builtin_prefetch(vector(soon + (piece.out - PPP), i), 0, 2);
                });
                masks.next();
                for (int i = 0; i < N; i++) piece.store(i, s[i] ^ L.at(i));
                L.next();
            });
        }
        return Wide::fold(all) ^ few;
    }

    template <bool decrypt> void crypt(const Job &job) const {
        const size_t n = job.bytes / BLOCK, rest = job.bytes % BLOCK, most = together(job, CACHED);
        const Doubled<false> L(block(K_ECB));
        for (Some some(job, 0, most); some.n; some = Some(job, some.first + some.n, most)) {
            Blocks star, MP, MM, MC;
            auto each = [&](auto step) INLINE_LAMBDA {
                for (size_t i = 0; i < some.n; i++) step(i, some.out(i), some.out(i) + BLOCK * n);
            };
            T_stars(some, star);
            each([&](size_t i, uint8_t *out, uint8_t *last) INLINE_LAMBDA {
                B sum = first_layer<decrypt>(some.in(i), out, n, L) ^ block(star[i]);
                memmove(last, some.in(i) + BLOCK * n, rest);
                put(MP[i], rest ? sum ^ padded(last, rest, 0x80) : sum);
            });
            singles<decrypt>(k, MP, MM, some.n);
            if (rest) {
                each([&](size_t i, uint8_t *, uint8_t *last) INLINE_LAMBDA {
                    for (size_t j = 0; j < rest; j++) last[j] ^= MM[i][j];
                });
                singles<decrypt>(k, MM, MC, some.n);
            }
            each([&](size_t i, uint8_t *out, uint8_t *last) INLINE_LAMBDA {
                const uint8_t *soon = some.n > 1 ? some.in(i + some.n) : out;
                B PPP_0 = block(out), M_1 = block(MP[i]) ^ block(rest ? MC[i] : MM[i]);
                B CCC_0 = second_layer<decrypt>(out, n, M_1, L, soon) ^ PPP_0 ^ block(MP[i]) ^ block(star[i]);
                put(star[i], rest ? CCC_0 ^ padded(last, rest, 0x80) : CCC_0);
            });
            singles<decrypt>(k, star, MC, some.n);
            each([&](size_t i, uint8_t *out, uint8_t *) INLINE_LAMBDA { put(out, block(MC[i]) ^ block(K_ECB)); });
        }
    }
};

#pragma GCC pop_options

// The order of n blocks in BRW, `pi` with numbers from 1 on, by the paper's circuit; see brw_order of the specification.
static void brw_order(uint32_t n, uint32_t *pi, uint32_t *work) {
    uint32_t *parts = work, *waiting = work + n + 1, *since = work + 2 * (n + 1);  // a queue and its clocks
    uint32_t first = 0, end = 0, whole = 2, place = 0;
    for (uint32_t x = 2; x <= n; x += 2) parts[x] = (uint32_t)__builtin_ctz(x) - 1;
    for (uint32_t i = 1; i <= n; i++) pi[i] = i;
    for (uint32_t clock = 1; whole <= n || first < end; clock++) {
        uint32_t x;
        if (first < end && since[first] <= clock) {
            x = waiting[first++];
        } else if (whole <= n) {
            x = whole;
            whole += 4;
        } else {
            continue;
        }
        pi[x - 1] = 2 * place + 1;
        pi[x] = 2 * place + 2;
        place++;
        uint32_t above = x + (x & -x);
        if (above <= n && --parts[above] == 0) {
            waiting[end] = above;
            since[end++] = clock + 3;
        }
    }
}

enum Psi { BRW, PAPER, HORNER };

// Parts that HEH and HMCH share.
template <Psi kind> struct PsiScheme {
    static constexpr bool STRIDES = kind == BRW, ALONE = true;
    Keys k;
    Horner<Little> horner;
    Brw tree;

    void set(const uint8_t *key, size_t key_bytes) {
        k.set(key, key_bytes - BLOCK);
        B h = block(key + key_bytes - BLOCK);
        horner.set(h);
        tree.set(h);
        tree.first_by_h = false;
    }

    static size_t room(size_t bytes) { return kind == PAPER ? bytes + 4 * sizeof(uint32_t) * (bytes / BLOCK) : 0; }

    static size_t stack(size_t bytes) { return STACK + sizeof(Offset) + (kind == HORNER ? 0 : Brw::stack(bytes)); }

    // Puts the order for sectors of so many bytes into the room, behind a sector's blocks.
    void prepare(size_t bytes, uint8_t *room) const {
        size_t n = bytes / BLOCK;
        uint32_t *pi = (uint32_t *)(room + bytes);
        if (kind == PAPER) brw_order((uint32_t)(n - 1), pi, pi + n);
    }

    B psi(const uint8_t *X, size_t n, uint8_t *room) const {
        if (kind == HORNER) return horner(B{}, X, n);
        if (kind == PAPER) {
            const uint32_t *pi = (const uint32_t *)(room + BLOCK * (n + 1));
            for (size_t i = 0; i < n; i++) put(room + BLOCK * i, block(X + BLOCK * (pi[i + 1] - 1)));
            X = room;
        }
        return horner(B{}, tree(X, n));
    }
};

template <Psi kind> struct Heh : PsiScheme<kind> {
    template <bool decrypt>
    void sector(const uint8_t *in, uint8_t *out, size_t bytes, const uint8_t *T, size_t, uint8_t *room) const {
        size_t n = bytes / BLOCK - 1;
        B b1 = aes<false>(this->k, block(T)), b2 = twice(b1), before = decrypt ? b2 : b1, after = decrypt ? b1 : b2;
        B U = block(in + BLOCK * n) ^ this->psi(in, n, room), V = aes<decrypt>(this->k, U ^ before) ^ after;
        Offset first(twice(before), U), second(twice(after), V);
        code_book<decrypt>(this->k, in, out, n, first, second);
        put(out + BLOCK * n, V ^ this->psi(out, n, room));
    }
};

template <Psi kind> struct Hmch : PsiScheme<kind> {
    template <bool decrypt>
    void sector(const uint8_t *in, uint8_t *out, size_t bytes, const uint8_t *T, size_t, uint8_t *room) const {
        size_t n = bytes / BLOCK - 1;
        B b1 = aes<false>(this->k, block(T)), before = block(in) ^ this->psi(in + BLOCK, n, room);
        B after = aes<decrypt>(this->k, before);
        counter_mode(this->k, in + BLOCK, out + BLOCK, BLOCK * n, Offset(b1, before ^ after ^ b1 ^ twice(b1)));
        put(out, after ^ this->psi(out + BLOCK, n, room));
    }
};

// GHASH, by POLYVAL of reversed blocks under x times its key. Source: RFC 8452, appendix A.
struct Ghash {
    Horner<Dot> hash;

    void set(B H) { hash.set(times_x_polyval(One::reverse(H))); }

    // x times a mod x^128 + x^127 + x^126 + x^121 + 1, bit i of the little-endian integer the coefficient of x^i.
    static B times_x_polyval(B a) {
        B carry = One::swap((B)((One::U)a >> 63)), top = One::up<8>(carry);
        return a << 1 ^ carry ^ top << 57 ^ top << 62 ^ top << 63;
    }

    B operator()(B acc, B x) const { return hash(acc, x); }

    // The hash of whole and padded blocks, with the bytes of each backwards.
    B absorb(B acc, const uint8_t *p, size_t bytes) const {
        size_t rest = bytes % BLOCK;
        acc = hash.template operator()<true>(acc, p, bytes / BLOCK);
        return rest ? hash(acc, One::reverse(padded(p + bytes - rest, rest, 0))) : acc;
    }

    // be64(a) || be64(b), reversed.
    static B lengths(uint64_t a, uint64_t b) { return One::up<8>(One::low(a)) ^ One::low(b); }
};

struct Xcb : Roomless {
    Keys e, d, c;
    Ghash hash;

    static size_t stack(size_t) { return STACK + sizeof(Keys); }

    void set(const uint8_t *key, size_t key_bytes) {
        Keys K;
        uint8_t derived[7][BLOCK];
        K.set(key, key_bytes);
        for (uint64_t i = 0; i < 7; i++) put(derived[i], aes<false>(K, One::reverse(One::low(i))));
        hash.set(block(derived[0]));
        e.set(derived[1], key_bytes);
        d.set(derived[3], key_bytes);
        c.set(derived[5], key_bytes);
    }

    B h1(const uint8_t *Z, size_t tweak_bytes, const uint8_t *B_, size_t bytes) const {
        uint64_t whole = (bytes + BLOCK - 1) / BLOCK * BLOCK + BLOCK;
        B acc = hash(hash.absorb(hash.absorb(hash(B{}, B{}), Z, tweak_bytes), B_, bytes), B{});
        return One::reverse(hash(acc, Ghash::lengths(8 * (tweak_bytes + BLOCK), 8 * whole)));
    }

    B h2(const uint8_t *Z, size_t tweak_bytes, const uint8_t *E, size_t bytes) const {
        uint64_t whole = (bytes + BLOCK - 1) / BLOCK * BLOCK + BLOCK, A = 8 * (tweak_bytes + BLOCK);
        B acc = hash(hash.absorb(B{}, Z, tweak_bytes), B{});
        acc = hash(hash.absorb(acc, E, bytes), Ghash::lengths(A, 8 * bytes));
        return One::reverse(hash(acc, Ghash::lengths(A, 8 * whole)));
    }

    template <bool decrypt>
    void sector(const uint8_t *in, uint8_t *out, size_t bytes, const uint8_t *Z, size_t tweak_bytes, uint8_t *) const {
        bytes -= BLOCK;
        B single = aes<false>(decrypt ? d : e, block(in + bytes));
        B D = single ^ (decrypt ? h2(Z, tweak_bytes, in, bytes) : h1(Z, tweak_bytes, in, bytes));
        counter_mode(c, in, out, bytes, Incremented(D));
        B back = D ^ (decrypt ? h1(Z, tweak_bytes, out, bytes) : h2(Z, tweak_bytes, out, bytes));
        put(out + bytes, aes<true>(decrypt ? e : d, back));
    }
};

// AES-GCM of a message P of whole and part blocks, in the form in which all that seals is called: x || P becomes
// x + tag || C, and x || C becomes x + tag || P. The associated data A end with the nonce. Source: SP 800-38D, 7.
struct Gcm : Roomless {
    static constexpr size_t NONCE = 12;
    Keys k;
    Ghash hash;

    void set(const uint8_t *key, size_t key_bytes) {
        k.set(key, key_bytes);
        hash.set(aes<false>(k, B{}));
    }

    B S(const uint8_t *A, size_t a_bytes, const uint8_t *C, size_t bytes) const {
        B acc = hash.absorb(hash.absorb(B{}, A, a_bytes), C, bytes);
        return One::reverse(hash(acc, Ghash::lengths(8 * a_bytes, 8 * bytes)));
    }

    template <bool decrypt>
    void sector(const uint8_t *in, uint8_t *out, size_t bytes, const uint8_t *A, size_t a_bytes, uint8_t *) const {
        uint8_t counter[BLOCK] = {};
        memcpy(counter, A + a_bytes - NONCE, NONCE);
        counter[BLOCK - 1] = 1;
        B tag = block(in) ^ aes<false>(k, block(counter));
        counter[BLOCK - 1] = 2;
        bytes -= BLOCK;
        if (decrypt) tag ^= S(A, a_bytes, in + BLOCK, bytes);
        counter_mode(k, in + BLOCK, out + BLOCK, bytes, Incremented(block(counter)));
        if (!decrypt) tag ^= S(A, a_bytes, out + BLOCK, bytes);
        put(out, tag);
    }
};

struct AezCore {
    static constexpr bool STRIDES = false, ALONE = true;
    static constexpr size_t FEW = 2048;  // bytes of a sector below which four lanes cost more than they save
    Keys k;
    uint8_t I[4][BLOCK], J[60][BLOCK];  // 0, I, 2 I, 3 I, and x^i J; 4 I is x^2 I

    static B twice_be(B a) { return One::reverse(twice(One::reverse(a))); }

    void set(const uint8_t *key, size_t key_bytes) {
        k.set(key, key_bytes);
        B i = aes<false>(k, B{}), j = aes<false>(k, One::reverse(One::low(1)));
        put(I[0], B{});
        put(I[1], i);
        put(I[2], twice_be(i));
        put(I[3], twice_be(i) ^ i);
        for (auto &each : J) {
            put(each, j);
            j = twice_be(j);
        }
    }

    static size_t whole(size_t n) { return (n + GROUP / 2 - 1) / (GROUP / 2) * (GROUP / 2); }
    static size_t padded_pairs(size_t bytes) { return whole(bytes / BLOCK / 2); }
    static size_t room(size_t bytes) { return 3 * BLOCK * padded_pairs(bytes); }
    static size_t stack(size_t) { return STACK; }

    // Puts J, 2 J, 3 J, .. into the last third of the room.
    void prepare(size_t bytes, uint8_t *room) const {
        size_t n = padded_pairs(bytes);
        memset(room, 0, 2 * BLOCK * n);
        uint8_t *jJ = room + 2 * BLOCK * n - BLOCK;  // from 1 J on
        for (size_t j = 1; j <= n; j++) {
            size_t less = j & (j - 1);
            put(jJ + BLOCK * j, block(J[__builtin_ctzll(j)]) ^ (less ? block(jJ + BLOCK * less) : B{}));
        }
    }

    B E(int i, int j, B X) const {  // i of -1, 0, 3; j of 1, 2
        B layer = i == 3 ? twice_be(block(I[2])) : block(I[i + 1]);
        return aes<false>(k, X ^ layer ^ block(J[j - 1]));
    }

    // to_i += AES(from_i + mask_i + layer), and so for `also`; no masks for a null pointer.
    template <class W, class From>
    INLINE_MEMBER void add(uint8_t *to, uint8_t *also, From from, const uint8_t *masks, size_t n, const uint8_t *layer) const {
        constexpr size_t each = BLOCK * W::lanes;
        typename W::V added = W::broadcast(block(layer));
        size_t at = 0;
        auto some = [&](auto vectors) INLINE_LAMBDA {
            constexpr int N = decltype(vectors)::N;
            typename W::V s[N];
            for (int x = 0; x < N; x++) {
                size_t here = at + each * (size_t)x;
                s[x] = from(here) ^ added;
                if (masks) s[x] ^= W::load(masks + here);
            }
            cipher<W, false>(k, s, [](int) {});
            for (int x = 0; x < N; x++, at += each) {
                W::store(to + at, W::load(to + at) ^ s[x]);
                if (also) W::store(also + at, W::load(also + at) ^ s[x]);
            }
        };
        while (at + 8 * each <= BLOCK * n) some(Vectors<8>());
        if (at < BLOCK * n) some(Vectors<4>());
    }

    template <bool decrypt>
    void sector(const uint8_t *in, uint8_t *out, size_t bytes, const uint8_t *T, size_t tweak_bytes, uint8_t *room) const {
        if (bytes < FEW) some<Half, decrypt>(in, out, bytes, T, tweak_bytes, room);
        else some<Wide, decrypt>(in, out, bytes, T, tweak_bytes, room);
    }

    template <class W, bool decrypt>
    void some(const uint8_t *in, uint8_t *out, size_t bytes, const uint8_t *T, size_t tweak_bytes, uint8_t *room) const {
        constexpr size_t lanes = W::lanes;
        size_t m = bytes / BLOCK / 2 - 1, n = padded_pairs(bytes);
        int first = decrypt ? 2 : 1, second = 3 - first;
        uint8_t *a = room, *b = a + BLOCK * n, *jJ = b + BLOCK * n;
        size_t i = 0;
        for (const uint8_t *p = in; i + lanes <= m + 1; i += lanes, p += 2 * BLOCK * lanes) {
            W::store(a + BLOCK * i, W::gather(p, 2 * BLOCK));
            W::store(b + BLOCK * i, W::gather(p + BLOCK, 2 * BLOCK));
        }
        for (; i < m; i++) {
            memcpy(a + BLOCK * i, in + 2 * BLOCK * i, BLOCK);
            memcpy(b + BLOCK * i, in + 2 * BLOCK * i + BLOCK, BLOCK);
        }
        B Mx = block(in + 2 * BLOCK * m), My = block(in + 2 * BLOCK * m + BLOCK);
        B Delta = tweak_bytes ? E(3, 1, block(T)) : B{};
        auto of = [](const uint8_t *p) { return [p](size_t at) { return W::load(p + at); }; };
        size_t all = whole(m);
        add<W>(a, nullptr, of(b), jJ, all, I[2]);       // W
        add<W>(b, nullptr, of(a), nullptr, all, I[1]);  // X
        B Sx = Mx ^ Delta ^ sum(b, m) ^ E(0, first, My), Sy = My ^ E(-1, first, Sx);
        typename W::V S = W::broadcast(Sx ^ Sy);
        add<W>(a, b, [S](size_t) { return S; }, jJ, all, I[3]);  // Y and Z
        B Y = sum(a, m);
        add<W>(a, nullptr, of(b), nullptr, all, I[1]);  // C'
        add<W>(b, nullptr, of(a), jJ, all, I[2]);       // C
        B Cy = Sx ^ E(-1, second, Sy), Cx = Sy ^ Y ^ Delta ^ E(0, second, Cy);
        for (i = 0; i < m; i++) {
            memcpy(out + 2 * BLOCK * i, b + BLOCK * i, BLOCK);
            memcpy(out + 2 * BLOCK * i + BLOCK, a + BLOCK * i, BLOCK);
        }
        put(out + 2 * BLOCK * m, Cx);
        put(out + 2 * BLOCK * m + BLOCK, Cy);
    }
};

template <class S> void set(void *values, const uint8_t *key, size_t key_bytes) { ((S *)values)->set(key, key_bytes); }

template <class S> void crypt(const void *values, bool decrypt, const Job &job) {
    const S &scheme = *(const S *)values;
    if constexpr (S::ALONE) decrypt ? each_sector<S, true>(scheme, job) : each_sector<S, false>(scheme, job);
    else decrypt ? scheme.template crypt<true>(job) : scheme.template crypt<false>(job);
}


template <class S> constexpr Scheme scheme() { return {sizeof(S), set<S>, crypt<S>, S::room, S::stack}; }

extern const Scheme schemes[SCHEMES];
#define WIDEBLOCK_VALUES(number, type, ...) scheme<type>(),
const Scheme schemes[SCHEMES] = {WIDEBLOCK_SCHEMES(WIDEBLOCK_VALUES)};

}  // namespace WIDEBLOCK_LAYER
