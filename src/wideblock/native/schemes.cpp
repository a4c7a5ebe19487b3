// SPDX-License-Identifier: Apache-2.0
// Every scheme in one layer, which the macros WIDEBLOCK_LAYER and WIDEBLOCK_LANES choose. Symbols, equations and their
// sources are those of the specifications of the same names.

#include "internal.h"
#include "kernels.h"

namespace WIDEBLOCK_LAYER {

// Bytes of stack, a tenth more than g++ 12 and clang 16 make of the deepest calls, but for what a scheme adds.
constexpr size_t STACK = WIDEBLOCK_LANES ? 2560 + 384 * LANES : 6144;

// A scheme that needs no room of its own.
struct Roomless {
    static size_t room(size_t) { return 0; }
    static size_t stack(size_t) { return STACK; }
    void prepare(size_t, uint8_t *) const {}
};

struct Xts : Roomless {
    Keys k1, k2;

    void set(const uint8_t *key, size_t key_bytes) {
        k1.set(key, key_bytes / 2), k2.set(key + key_bytes / 2, key_bytes / 2);
    }

    template <bool decrypt> void sector(const uint8_t *in, uint8_t *out, size_t bytes, B T) const {
        size_t rest = bytes % BLOCK, n = bytes / BLOCK - (rest > 0);  // with a rest, the last whole block is stolen from
        Doubled masks(T);
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

// A scheme whose sectors are each on their own.
template <class S, bool decrypt> void each_sector(const S &scheme, const Job &job) {
    scheme.prepare(job.bytes, job.room);
    for (size_t i = 0; i < job.sectors; i++)
        scheme.template sector<decrypt>(job.in + job.bytes * i, job.out + job.bytes * i, job.bytes,
                                        job.tweaks + job.tweak_bytes * i, job.tweak_bytes, job.room);
}

struct Hctr2 : Roomless {
    Keys k;
    Horner<Dot> hash;
    uint8_t L[BLOCK];

    void set(const uint8_t *key, size_t key_bytes) {
        k.set(key, key_bytes);
        hash.set(aes<false>(k, B{})), put(L, aes<false>(k, One::low(1)));
    }

    B head(const uint8_t *T, size_t tweak_bytes, bool partial) const {
        B acc = hash(B{}, One::low(16 * tweak_bytes + 2 + partial));
        acc = hash(acc, T, tweak_bytes / BLOCK);
        size_t rest = tweak_bytes % BLOCK;
        return rest ? hash(acc, padded(T + tweak_bytes - rest, rest, 0)) : acc;
    }

    B H(B acc, const uint8_t *N, size_t bytes) const {
        size_t rest = bytes % BLOCK;
        acc = hash(acc, N, bytes / BLOCK);
        return rest ? hash(acc, padded(N + bytes - rest, rest, 1)) : acc;
    }

    template <bool decrypt>
    void sector(const uint8_t *in, uint8_t *out, size_t bytes, const uint8_t *T, size_t tweak_bytes, uint8_t *) const {
        const uint8_t *N = in + BLOCK;
        uint8_t *V = out + BLOCK;
        bytes -= BLOCK;
        B start = head(T, tweak_bytes, bytes % BLOCK > 0);
        B before = block(in) ^ H(start, N, bytes), after = aes<decrypt>(k, before);
        counter_mode(k, N, V, bytes, Numbered(before ^ after ^ block(L)));
        put(out, after ^ H(start, V, bytes));
    }
};

template <bool brw> struct Fast : Roomless {
    Keys k;
    Horner<Little> horner;
    Brw tree;

    static size_t stack(size_t bytes) { return STACK + (brw ? Brw::stack(bytes) : 0); }

    void set(const uint8_t *key, size_t key_bytes) {
        k.set(key, key_bytes);
        B tau = aes<false>(k, B{});
        horner.set(tau), tree.set(tau), tree.first_by_h = true;
    }

    B by_tau(B x) const { return horner(B{}, x); }

    B h(const uint8_t *T, const uint8_t *X3, size_t n) const {
        if (brw) return by_tau(tree(X3, n + 1, T));
        return horner(horner(horner(B{}, One::low(1)), X3, n), block(T));
    }

    template <bool decrypt>
    void sector(const uint8_t *in, uint8_t *out, size_t bytes, const uint8_t *T, size_t, uint8_t *) const {
        const uint8_t *P3 = in + 2 * BLOCK;
        uint8_t *C3 = out + 2 * BLOCK;
        size_t n = bytes / BLOCK - 2;
        B F1, F2, first = block(in), second = block(in + BLOCK);
        if (decrypt) {
            B B2 = second ^ by_tau(h(T, P3, n)), B1 = first ^ by_tau(B2);
            F2 = B1, F1 = B2 ^ aes<false>(k, F2);
        } else {
            B A1 = first ^ h(T, P3, n), A2 = second ^ by_tau(A1);
            F1 = A2, F2 = A1 ^ aes<false>(k, F1);
        }
        counter_mode(k, P3, C3, BLOCK * n, Numbered(F1 ^ F2));
        if (decrypt) {
            B A2 = F1, A1 = F2 ^ aes<false>(k, F1);
            put(out, A1 ^ h(T, C3, n)), put(out + BLOCK, A2 ^ by_tau(A1));
        } else {
            B B1 = F2, B2 = F1 ^ aes<false>(k, F2);
            put(out, B1 ^ by_tau(B2)), put(out + BLOCK, B2 ^ by_tau(h(T, C3, n)));
        }
    }
};

// out = in + first, in + x first, ..
INLINE void add_doubled(uint8_t *p, size_t n, B first) {
    Doubled masks(first);
    groups(p, p, BLOCK * n, [&](const uint8_t *from, uint8_t *to) {
        for (int k = 0; k < 8; k++) {
            Wide::store(vector(to, k), Wide::load(vector(from, k)) ^ masks.at(k));
            masks.ahead(k);
        }
        masks.next();
    });
}

struct Eme2 : Roomless {
    static constexpr size_t REFRESH = 128;
    Keys k;
    uint8_t K_AD[BLOCK], K_ECB[BLOCK];

    static size_t stack(size_t) { return STACK + 2 * sizeof(Offset); }

    void set(const uint8_t *key, size_t key_bytes) {
        memcpy(K_AD, key, BLOCK), memcpy(K_ECB, key + BLOCK, BLOCK);
        k.set(key + 2 * BLOCK, key_bytes - 2 * BLOCK);
    }

    B T_star(const uint8_t *T, size_t bytes) const {
        B L = block(K_AD), result = {};
        if (!bytes) return aes<false>(k, L);
        for (; bytes >= BLOCK; bytes -= BLOCK, T += BLOCK) {
            L = twice(L);
            result ^= aes<false>(k, block(T) ^ L) ^ L;
        }
        if (!bytes) return result;
        L = twice(twice(L));
        return result ^ aes<false>(k, padded(T, bytes, 0x80) ^ L) ^ L;
    }

    // CCC_1 to CCC_(n-1) in the place of PPP_1 to PPP_(n-1).
    template <bool decrypt> void mix(uint8_t *PPP, size_t n, B M_1) const {
        B M = M_1;
        for (size_t j = 1; j < n;) {
            size_t end = (j / REFRESH + 1) * REFRESH < n ? (j / REFRESH + 1) * REFRESH : n;
            add_doubled(PPP + BLOCK * j, end - j, twice(M));
            j = end;
            if (j == n) break;
            B MP = block(PPP + BLOCK * j) ^ M_1, MC = aes<decrypt>(k, MP);
            M = MP ^ MC;
            put(PPP + BLOCK * j++, MC ^ M_1);
        }
    }

    template <bool decrypt>
    void sector(const uint8_t *in, uint8_t *out, size_t bytes, const uint8_t *T, size_t tweak_bytes, uint8_t *) const {
        size_t n = bytes / BLOCK, rest = bytes % BLOCK;
        uint8_t last[BLOCK] = {};
        memcpy(last, in + BLOCK * n, rest);
        B star = T_star(T, tweak_bytes);
        Bare none;
        Doubled L(block(K_ECB)), L_again = L;
        code_book<decrypt>(k, in, out, n, L, none);
        B MP = sum(out, n) ^ star, MM = MP;
        if (rest) {
            MP ^= padded(last, rest, 0x80), MM = aes<decrypt>(k, MP);
            put(last, block(last) ^ MM);
        }
        B MC = aes<decrypt>(k, MM);
        mix<decrypt>(out, n, MP ^ MC);
        B first = sum(out + BLOCK, n - 1) ^ MC ^ star;
        if (rest) first ^= padded(last, rest, 0x80);
        put(out, first);
        code_book<decrypt>(k, out, out, n, none, L_again);
        memcpy(out + BLOCK * n, last, rest);
    }
};

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
            x = whole, whole += 4;
        } else {
            continue;
        }
        pi[x - 1] = 2 * place + 1, pi[x] = 2 * place + 2, place++;
        uint32_t above = x + (x & -x);
        if (above <= n && --parts[above] == 0) waiting[end] = above, since[end++] = clock + 3;
    }
}

enum Psi { BRW, PAPER, HORNER };

// Parts that HEH and HMCH share.
template <Psi kind> struct PsiScheme {
    Keys k;
    Horner<Little> horner;
    Brw tree;

    void set(const uint8_t *key, size_t key_bytes) {
        k.set(key, key_bytes - BLOCK);
        B h = block(key + key_bytes - BLOCK);
        horner.set(h), tree.set(h), tree.first_by_h = false;
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

struct Xcb : Roomless {
    Keys e, d, c;
    Horner<Dot> hash;

    static size_t stack(size_t) { return STACK + sizeof(Keys); }

    void set(const uint8_t *key, size_t key_bytes) {
        Keys K;
        uint8_t derived[7][BLOCK];
        K.set(key, key_bytes);
        for (uint64_t i = 0; i < 7; i++) put(derived[i], aes<false>(K, One::reverse(One::low(i))));
        // GHASH is POLYVAL of reversed blocks under x times its key. Source: RFC 8452, appendix A.
        hash.set(times_x_polyval(One::reverse(block(derived[0]))));
        e.set(derived[1], key_bytes), d.set(derived[3], key_bytes), c.set(derived[5], key_bytes);
    }

    // x times a mod x^128 + x^127 + x^126 + x^121 + 1, bit i of the little-endian integer the coefficient of x^i.
    static B times_x_polyval(B a) {
        B carry = One::swap((B)((One::U)a >> 63)), top = One::up<8>(carry);
        return a << 1 ^ carry ^ top << 57 ^ top << 62 ^ top << 63;
    }

    // The hash of whole and padded blocks, with the bytes of each backwards.
    B absorb(B acc, const uint8_t *p, size_t bytes) const {
        size_t rest = bytes % BLOCK;
        acc = hash.template operator()<true>(acc, p, bytes / BLOCK);
        return rest ? hash(acc, One::reverse(padded(p + bytes - rest, rest, 0))) : acc;
    }

    // be64(a) || be64(b), reversed.
    static B lengths(uint64_t a, uint64_t b) { return One::up<8>(One::low(a)) ^ One::low(b); }

    B h1(const uint8_t *Z, size_t tweak_bytes, const uint8_t *B_, size_t bytes) const {
        uint64_t whole = (bytes + BLOCK - 1) / BLOCK * BLOCK + BLOCK;
        B acc = hash(absorb(absorb(hash(B{}, B{}), Z, tweak_bytes), B_, bytes), B{});
        return One::reverse(hash(acc, lengths(8 * (tweak_bytes + BLOCK), 8 * whole)));
    }

    B h2(const uint8_t *Z, size_t tweak_bytes, const uint8_t *E, size_t bytes) const {
        uint64_t whole = (bytes + BLOCK - 1) / BLOCK * BLOCK + BLOCK, A = 8 * (tweak_bytes + BLOCK);
        B acc = hash(absorb(B{}, Z, tweak_bytes), B{});
        acc = hash(absorb(acc, E, bytes), lengths(A, 8 * bytes));
        return One::reverse(hash(acc, lengths(A, 8 * whole)));
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

struct AezCore {
    Keys k;
    uint8_t I[4][BLOCK], J[60][BLOCK];  // 0, I, 2 I, 3 I, and x^i J; 4 I is x^2 I

    static B twice_be(B a) { return One::reverse(twice(One::reverse(a))); }

    void set(const uint8_t *key, size_t key_bytes) {
        k.set(key, key_bytes);
        B i = aes<false>(k, B{}), j = aes<false>(k, One::reverse(One::low(1)));
        put(I[0], B{}), put(I[1], i), put(I[2], twice_be(i)), put(I[3], twice_be(i) ^ i);
        for (auto &each : J) put(each, j), j = twice_be(j);
    }

    static size_t padded_pairs(size_t bytes) { return (bytes / BLOCK / 2 + GROUP - 1) / GROUP * GROUP; }
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

    // to_i += AES(from_i + mask_i + layer); no masks for a null pointer, and one `from` for all if it is not an array.
    template <class From> INLINE_MEMBER void add(uint8_t *to, From from, const uint8_t *masks, size_t n, const uint8_t *layer) const {
        V all = Wide::broadcast(block(layer));
        groups(to, to, BLOCK * n, [&](const uint8_t *, uint8_t *o) {
            V s[8];
            size_t at = (size_t)(o - to);
            for (int x = 0; x < 8; x++) {
                s[x] = from(at + BLOCK * LANES * (size_t)x) ^ all;
                if (masks) s[x] ^= Wide::load(masks + at + BLOCK * LANES * (size_t)x);
            }
            cipher<Wide, false>(k, s, [](int) {});
            for (int x = 0; x < 8; x++) Wide::store(vector(o, x), Wide::load(vector(o, x)) ^ s[x]);
        });
    }

    template <bool decrypt>
    void sector(const uint8_t *in, uint8_t *out, size_t bytes, const uint8_t *T, size_t tweak_bytes, uint8_t *room) const {
        size_t m = bytes / BLOCK / 2 - 1, n = padded_pairs(bytes);
        int first = decrypt ? 2 : 1, second = 3 - first;
        uint8_t *a = room, *b = a + BLOCK * n, *jJ = b + BLOCK * n;
        for (size_t i = 0; i < m; i++)
            memcpy(a + BLOCK * i, in + 2 * BLOCK * i, BLOCK), memcpy(b + BLOCK * i, in + 2 * BLOCK * i + BLOCK, BLOCK);
        B Mx = block(in + 2 * BLOCK * m), My = block(in + 2 * BLOCK * m + BLOCK);
        B Delta = tweak_bytes ? E(3, 1, block(T)) : B{};
        auto of = [](const uint8_t *p) { return [p](size_t at) { return Wide::load(p + at); }; };
        size_t whole = (m + GROUP - 1) / GROUP * GROUP;
        add(a, of(b), jJ, whole, I[2]);       // W
        add(b, of(a), nullptr, whole, I[1]);  // X
        B Sx = Mx ^ Delta ^ sum(b, m) ^ E(0, first, My), Sy = My ^ E(-1, first, Sx);
        V S = Wide::broadcast(Sx ^ Sy);
        auto same = [S](size_t) { return S; };
        add(a, same, jJ, whole, I[3]), add(b, same, jJ, whole, I[3]);  // Y and Z
        B Y = sum(a, m);
        add(a, of(b), nullptr, whole, I[1]);  // C'
        add(b, of(a), jJ, whole, I[2]);       // C
        B Cy = Sx ^ E(-1, second, Sy), Cx = Sy ^ Y ^ Delta ^ E(0, second, Cy);
        for (size_t i = 0; i < m; i++)
            memcpy(out + 2 * BLOCK * i, b + BLOCK * i, BLOCK), memcpy(out + 2 * BLOCK * i + BLOCK, a + BLOCK * i, BLOCK);
        put(out + 2 * BLOCK * m, Cx), put(out + 2 * BLOCK * m + BLOCK, Cy);
    }
};

template <class S> void set(void *values, const uint8_t *key, size_t key_bytes) { ((S *)values)->set(key, key_bytes); }

template <class S> void crypt(const void *values, bool decrypt, const Job &job) {
    const S &scheme = *(const S *)values;
    decrypt ? each_sector<S, true>(scheme, job) : each_sector<S, false>(scheme, job);
}

template <> void crypt<Xts>(const void *values, bool decrypt, const Job &job) {
    const Xts &scheme = *(const Xts *)values;
    decrypt ? scheme.crypt<true>(job) : scheme.crypt<false>(job);
}

template <class S> constexpr Scheme scheme() { return {sizeof(S), set<S>, crypt<S>, S::room, S::stack}; }

extern const Scheme schemes[SCHEMES];
const Scheme schemes[SCHEMES] = {
    scheme<Xts>(), scheme<Hctr2>(), scheme<Fast<true>>(), scheme<Fast<false>>(), scheme<Eme2>(),
    scheme<Heh<BRW>>(), scheme<Heh<PAPER>>(), scheme<Heh<HORNER>>(),
    scheme<Hmch<BRW>>(), scheme<Hmch<PAPER>>(), scheme<Hmch<HORNER>>(), scheme<Xcb>(), scheme<AezCore>(),
};

}  // namespace WIDEBLOCK_LAYER
