// SPDX-License-Identifier: Apache-2.0
// The C interface: names, sizes, the choice of a width, and threads.

#include "wideblock.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <exception>
#include <thread>
#include <vector>

#include "internal.h"

#if defined(__aarch64__)
#include <sys/auxv.h>
#elif defined(__x86_64__)
#include <cpuid.h>
#endif

namespace vaes512 { extern const Scheme schemes[SCHEMES]; }
namespace vaes256 { extern const Scheme schemes[SCHEMES]; }
namespace aesni { extern const Scheme schemes[SCHEMES]; }
namespace neon { extern const Scheme schemes[SCHEMES]; }
namespace plain { extern const Scheme schemes[SCHEMES]; }

namespace {

#if defined(__x86_64__)
// VAES and VPCLMULQDQ, bits 9 and 10 of leaf 7's ECX; clang's __builtin_cpu_supports does not know the first.
bool has_vectors_of_aes() {
    unsigned a, b, c = 0, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c >> 9 & 3) == 3;
}
#endif

struct Width {
    const char *name;
    const Scheme *schemes;
    bool (*here)();
};

const Width widths[] = {
#if defined(__x86_64__)
    {"vaes512", vaes512::schemes, [] {
        return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && has_vectors_of_aes(); }},
    {"vaes256", vaes256::schemes, [] { return __builtin_cpu_supports("avx2") && has_vectors_of_aes(); }},
    {"aesni", aesni::schemes, [] {
        return __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("avx"); }},
#elif defined(__aarch64__)
    {"neon", neon::schemes, [] {
        return (getauxval(AT_HWCAP) & (HWCAP_AES | HWCAP_PMULL)) == (HWCAP_AES | HWCAP_PMULL); }},
#endif
    {"portable", plain::schemes, [] { return true; }},
};

constexpr size_t BLOCK = 16, ANY = SIZE_MAX;

// Sizes that a scheme takes, in bytes. Sectors: whole `step`s from `least` to `most`.
struct Rule {
    const char *name;
    size_t keys[3], least, step, most, least_tweak, most_tweak;
};

const Rule rules[SCHEMES] = {
    {"xts", {32, 64}, BLOCK, 1, BLOCK << 20, 16, 16},
    {"hctr2", {16, 24, 32}, BLOCK, 1, ANY, 0, ANY},
    {"fast-brw", {16, 32}, 4 * BLOCK, BLOCK, ANY, 16, 16},
    {"fast-horner", {16, 32}, 3 * BLOCK, BLOCK, ANY, 16, 16},
    {"eme2", {48, 64}, BLOCK, 1, ANY, 0, ANY},
    {"heh-brw", {32, 48}, 2 * BLOCK, BLOCK, ANY, 16, 16},
    {"heh-brw-paper", {32, 48}, 2 * BLOCK, BLOCK, ANY, 16, 16},
    {"heh-horner", {32, 48}, 2 * BLOCK, BLOCK, ANY, 16, 16},
    {"hmch-brw", {32, 48}, 2 * BLOCK, BLOCK, ANY, 16, 16},
    {"hmch-brw-paper", {32, 48}, 2 * BLOCK, BLOCK, ANY, 16, 16},
    {"hmch-horner", {32, 48}, 2 * BLOCK, BLOCK, ANY, 16, 16},
    {"xcb", {16, 32}, BLOCK, 1, ANY, 0, ANY},
    {"aez-core", {16}, 2 * BLOCK, 2 * BLOCK, ANY, 0, 16},  // of tweaks, 0 and 16 alone
};

const char *const messages[] = {
    "done", "unknown scheme", "key size or key that the scheme does not take", "tweak size that the scheme does not take",
    "sector size that the scheme does not take", "unknown width, or one that this processor does not have",
    "out of memory", "sector number that does not fit the tweak",
};

struct Free {
    size_t size;
    void operator()(uint8_t *p) const {
        memset(p, 0, size);
        __asm__ volatile("" : : "r"(p) : "memory");
        free(p);
    }
};
using Room = std::unique_ptr<uint8_t[], Free>;

Room room(size_t size) {
    size = (size + 64) / 64 * 64;
    return Room((uint8_t *)aligned_alloc(64, size), Free{size});
}

// 16 bytes, little-endian.
using Number = unsigned __int128;

Number number(const uint8_t *p) {
    Number n = 0;
    for (int i = 16; i--;) n = n << 8 | p[i];
    return n;
}

void write(uint8_t *p, Number n, size_t size) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    size_t known = std::min(size, sizeof n);
    memcpy(p, &n, known), memset(p + known, 0, size - known);
#else
    for (size_t i = 0; i < size; i++, n >>= 8) p[i] = (uint8_t)n;
#endif
}

}  // namespace

struct wideblock {
    const Scheme *scheme;
    const Rule *rule;
    Room values;
};

namespace {

constexpr size_t BATCH = 256;         // sectors whose numbers become tweaks at a time
constexpr size_t SHARE = 1 << 16;     // bytes below which another thread costs more than it saves

// Sectors of a call, whose tweaks are given or numbers from `first` on.
struct Call {
    const wideblock *context;
    bool decrypt;
    Job job;
    bool numbered;
    Number first;

    size_t room_bytes() const { return context->scheme->room(job.bytes) + (numbered ? BATCH * job.tweak_bytes : 0); }

    // Sectors from `from` to before `to`, with a room of its own.
    void part(size_t from, size_t to, uint8_t *room) const {
        Job now = job;
        now.room = room;
        uint8_t *tweaks = room + context->scheme->room(job.bytes);
        for (size_t next; from < to; from = next) {
            next = numbered ? std::min(to, from + BATCH) : to;
            now.in = job.in + job.bytes * from, now.out = job.out + job.bytes * from, now.sectors = next - from;
            now.tweaks = numbered ? tweaks : job.tweaks + job.tweak_bytes * from;
            if (numbered)
                for (size_t i = from; i < next; i++)
                    write(tweaks + job.tweak_bytes * (i - from), first + i, job.tweak_bytes);
            context->scheme->crypt(context->values.get(), decrypt, now);
        }
    }

    int run(unsigned threads) const {
        size_t most = std::max<size_t>(1, job.sectors * job.bytes / SHARE);
        size_t n = std::min({(size_t)std::max(1u, threads), most, std::max<size_t>(1, job.sectors)});
        try {
            std::vector<Room> rooms;
            for (size_t i = 0; i < n; i++) {
                rooms.push_back(room(room_bytes()));
                if (!rooms.back()) return WIDEBLOCK_MEMORY;
            }
            std::vector<std::thread> others;
            others.reserve(n);
            auto from = [&](size_t i) { return job.sectors / n * i + std::min(i, job.sectors % n); };
            size_t started = 1;
            try {
                for (; started < n; started++)
                    others.emplace_back([&, i = started] { part(from(i), from(i + 1), rooms[i].get()); });
            } catch (const std::exception &) {  // no more threads: their parts are done here
            }
            part(from(0), from(1), rooms[0].get());
            part(from(started), from(n), rooms[0].get());
            for (auto &other : others) other.join();
        } catch (const std::bad_alloc &) {
            return WIDEBLOCK_MEMORY;
        }
        return WIDEBLOCK_OK;
    }
};

// The difference of two byte strings, in a time that depends on their length alone.
bool equal(const uint8_t *a, const uint8_t *b, size_t n) {
    uint8_t different = 0;
    for (size_t i = 0; i < n; i++) different |= a[i] ^ b[i];
    return !different;
}

}  // namespace

const char *wideblock_message(int result) {
    bool known = result >= 0 && (size_t)result < sizeof messages / sizeof *messages;
    return known ? messages[result] : "unknown result";
}

const char *wideblock_scheme(size_t i) { return i < SCHEMES ? rules[i].name : nullptr; }

const char *wideblock_width(size_t i) {
    for (const Width &width : widths)
        if (width.here() && i-- == 0) return width.name;
    return nullptr;
}

int wideblock_open(wideblock **context, const char *scheme, const uint8_t *key, size_t key_bytes, const char *width) {
    *context = nullptr;
    const Rule *rule = std::find_if(rules, rules + SCHEMES, [&](const Rule &r) { return !strcmp(r.name, scheme); });
    if (rule == rules + SCHEMES) return WIDEBLOCK_SCHEME;
    if (!key_bytes || std::find(rule->keys, rule->keys + 3, key_bytes) == rule->keys + 3) return WIDEBLOCK_KEY;
    if (rule == rules + XTS && equal(key, key + key_bytes / 2, key_bytes / 2)) return WIDEBLOCK_KEY;
    if (!width) width = getenv("WIDEBLOCK_WIDTH");
    if (width && !*width) width = nullptr;
    for (const Width &each : widths) {
        if (!each.here() || (width && strcmp(width, each.name))) continue;
        const Scheme *s = each.schemes + (rule - rules);
        auto *made = new (std::nothrow) wideblock{s, rule, room(s->size)};
        if (!made || !made->values) return delete made, WIDEBLOCK_MEMORY;
        s->set(made->values.get(), key, key_bytes);
        *context = made;
        return WIDEBLOCK_OK;
    }
    return WIDEBLOCK_WIDTH;
}

void wideblock_close(wideblock *context) { delete context; }

int wideblock_check(const wideblock *context, size_t sector_bytes, size_t tweak_bytes) {
    const Rule &rule = *context->rule;
    if (sector_bytes < rule.least || sector_bytes > rule.most || sector_bytes % rule.step) return WIDEBLOCK_SECTOR;
    if (tweak_bytes < rule.least_tweak || tweak_bytes > rule.most_tweak) return WIDEBLOCK_TWEAK;
    if (&rule == rules + AEZ_CORE && tweak_bytes && tweak_bytes != BLOCK) return WIDEBLOCK_TWEAK;
    return WIDEBLOCK_OK;
}

int wideblock_crypt(const wideblock *context, int decrypt, const uint8_t *in, uint8_t *out, size_t sectors,
                    size_t sector_bytes, const uint8_t *tweaks, size_t tweak_bytes, unsigned threads) {
    if (int wrong = wideblock_check(context, sector_bytes, tweak_bytes)) return wrong;
    return Call{context, decrypt != 0, {in, out, sectors, sector_bytes, tweaks, tweak_bytes, nullptr}, false, 0}.run(threads);
}

int wideblock_crypt_numbered(const wideblock *context, int decrypt, const uint8_t *in, uint8_t *out, size_t sectors,
                             size_t sector_bytes, const uint8_t first[16], size_t tweak_bytes, unsigned threads) {
    if (int wrong = wideblock_check(context, sector_bytes, tweak_bytes)) return wrong;
    if (!sectors) return WIDEBLOCK_OK;
    Number from = number(first), last = from + (sectors - 1);
    if (last < from || (tweak_bytes < 16 && last >> 8 * tweak_bytes)) return WIDEBLOCK_NUMBER;
    return Call{context, decrypt != 0, {in, out, sectors, sector_bytes, nullptr, tweak_bytes, nullptr}, true, from}.run(threads);
}
