// SPDX-License-Identifier: Apache-2.0
// The C interface: names, sizes, the choice of a width, and threads.

#include "wideblock.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <exception>
#include <thread>
#include <vector>

#include "internal.h"
#include "wipe.h"

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

// Whether this processor has a width. It is asked once: CPUID takes microseconds in a virtual machine.
bool present(const Width &width) {
    static const auto known = [] {
        std::array<bool, sizeof widths / sizeof *widths> made{};
        for (size_t i = 0; i < made.size(); i++) made[i] = widths[i].here();
        return made;
    }();
    return known[(size_t)(&width - widths)];
}

constexpr size_t BLOCK = 16, ANY = MOST_SECTOR, ANY_TWEAK = MOST_TWEAK;

// Sizes that a scheme takes, in bytes. Sectors: whole `step`s from `least` to `most`.
struct Rule {
    const char *name;
    size_t keys[3], least, step, most, least_tweak, most_tweak;
};

const Rule rules[SCHEMES] = {
    {"xts", {32, 64}, BLOCK, 1, BLOCK << 20, 16, 16},
    {"hctr2", {16, 24, 32}, BLOCK, 1, ANY, 0, ANY_TWEAK},
    {"fast-brw", {16, 32}, 4 * BLOCK, BLOCK, ANY, 16, 16},
    {"fast-horner", {16, 32}, 3 * BLOCK, BLOCK, ANY, 16, 16},
    {"eme2", {48, 64}, BLOCK, 1, ANY, 0, ANY_TWEAK},
    {"heh-brw", {32, 48}, 2 * BLOCK, BLOCK, ANY, 16, 16},
    {"heh-brw-paper", {32, 48}, 2 * BLOCK, BLOCK, ANY, 16, 16},
    {"heh-horner", {32, 48}, 2 * BLOCK, BLOCK, ANY, 16, 16},
    {"hmch-brw", {32, 48}, 2 * BLOCK, BLOCK, ANY, 16, 16},
    {"hmch-brw-paper", {32, 48}, 2 * BLOCK, BLOCK, ANY, 16, 16},
    {"hmch-horner", {32, 48}, 2 * BLOCK, BLOCK, ANY, 16, 16},
    {"xcb", {16, 32}, BLOCK, 1, ANY, 0, ANY_TWEAK},
    {"aez-core", {16}, 2 * BLOCK, 2 * BLOCK, ANY, 0, 16},  // of tweaks, 0 and 16 alone
};

const char *const messages[] = {
    "done", "unknown scheme", "key size or key that the scheme does not take",
    "tweak size that the scheme does not take", "sector size that the scheme does not take",
    "unknown width, or one that this processor does not have",
    "out of memory", "sector number that does not fit the tweak", "NULL in the place of bytes or of a context",
    "more sectors or tweaks than memory has", "output that overlaps the tweaks, or a part of the input",
    "options without their size, or with members that this library does not have",
};

struct Free {
    size_t size;
    void operator()(uint8_t *p) const { wipe(p, size), free(p); }
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

// Bytes of an argument: `count` pieces of `each`. The sizes are a caller's, so the product is checked.
struct Span {
    uintptr_t at;
    size_t size = 0;
    int wrong = WIDEBLOCK_OK;

    Span(const void *p, size_t count, size_t each) : at((uintptr_t)p) {
        if (__builtin_mul_overflow(count, each, &size) || size > UINTPTR_MAX - at) wrong = WIDEBLOCK_RANGE;
        else if (size && !p) wrong = WIDEBLOCK_NULL;
    }
    bool overlaps(const Span &o) const { return size && o.size && at < o.at + o.size && o.at < at + size; }
};

constexpr size_t FEW = 2048;          // bytes of a room that needs no allocation
constexpr size_t BATCH = 256;         // sectors whose numbers become tweaks at a time
constexpr size_t SHARE = 1 << 16;     // bytes below which another thread costs more than it saves

// Sectors of a call, whose tweaks are given or numbers from `first` on.
struct Call {
    const wideblock *context;
    bool decrypt;
    Job job;
    bool numbered;
    Number first;

    // WIDEBLOCK_OK, or the result of sizes and addresses that are not taken.
    int refused() const {
        if (int wrong = wideblock_check(context, job.bytes, job.tweak_bytes)) return wrong;
        Span in(job.in, job.sectors, job.bytes), out(job.out, job.sectors, job.bytes);
        Span tweaks(job.tweaks, numbered ? 0 : job.sectors, job.tweak_bytes);
        for (const Span *each : {&in, &out, &tweaks})
            if (each->wrong) return each->wrong;
        return (in.at != out.at && in.overlaps(out)) || tweaks.overlaps(out) ? WIDEBLOCK_OVERLAP : WIDEBLOCK_OK;
    }

    size_t tweaks_at_once() const { return numbered ? std::min(BATCH, job.sectors) : 0; }
    size_t room_bytes() const { return context->scheme->room(job.bytes) + tweaks_at_once() * job.tweak_bytes; }

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

    // The same, leaving no secret on the stack of this thread.
    void wiped_part(size_t from, size_t to, uint8_t *room) const {
        call_and_wipe(context->scheme->stack(job.bytes), [&] { part(from, to, room); });
    }

    int run(unsigned threads) const {
        size_t most = std::max<size_t>(1, job.sectors * job.bytes / SHARE);
        size_t n = std::min({(size_t)std::max(1u, threads), most, std::max<size_t>(1, job.sectors)});
        return n == 1 ? alone() : together(n);
    }

    int alone() const {
        alignas(64) uint8_t few[FEW];
        size_t bytes = room_bytes();
        Room many = bytes > FEW ? room(bytes) : Room();
        if (bytes > FEW && !many) return WIDEBLOCK_MEMORY;
        wiped_part(0, job.sectors, many ? many.get() : few);
        if (!many) wipe(few, bytes);
        return WIDEBLOCK_OK;
    }

    int together(size_t n) const {
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
                    others.emplace_back([&, i = started] { wiped_part(from(i), from(i + 1), rooms[i].get()); });
            } catch (const std::exception &) {  // no more threads: their parts are done here
            }
            wiped_part(from(0), from(1), rooms[0].get());
            wiped_part(from(started), from(n), rooms[0].get());
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

// Copies the members that this library has; false if the size cannot be one, or if one of the others is not 0.
bool known(const wideblock_options &given, wideblock_options &options) {
    if (given.size < sizeof given.size) return false;
    const char *bytes = (const char *)&given;
    for (size_t i = sizeof options; i < given.size; i++)
        if (bytes[i]) return false;
    memcpy(&options, bytes, std::min(given.size, sizeof options));
    return true;
}

}  // namespace

const char *wideblock_version(void) { return WIDEBLOCK_VERSION; }

const char *wideblock_message(int result) {
    bool known = result >= 0 && (size_t)result < sizeof messages / sizeof *messages;
    return known ? messages[result] : "unknown result";
}

const char *wideblock_scheme(size_t i) { return i < SCHEMES ? rules[i].name : nullptr; }

const char *wideblock_width(size_t i) {
    for (const Width &width : widths)
        if (present(width) && i-- == 0) return width.name;
    return nullptr;
}

int wideblock_open(wideblock **context, const char *scheme, const uint8_t *key, size_t key_bytes, const char *width) {
    wideblock_options options{sizeof options, width};
    return wideblock_open2(context, scheme, key, key_bytes, &options);
}

int wideblock_open2(wideblock **context, const char *scheme, const uint8_t *key, size_t key_bytes,
                    const wideblock_options *given) {
    if (!context) return WIDEBLOCK_NULL;
    *context = nullptr;
    if (!scheme || !key) return WIDEBLOCK_NULL;
    wideblock_options options{};
    if (given && !known(*given, options)) return WIDEBLOCK_OPTIONS;
    const char *width = options.width;
    const Rule *rule = std::find_if(rules, rules + SCHEMES, [&](const Rule &r) { return !strcmp(r.name, scheme); });
    if (rule == rules + SCHEMES) return WIDEBLOCK_SCHEME;
    if (!key_bytes || std::find(rule->keys, rule->keys + 3, key_bytes) == rule->keys + 3) return WIDEBLOCK_KEY;
    if (!width) width = getenv("WIDEBLOCK_WIDTH");
    if (width && !*width) width = nullptr;
    for (const Width &each : widths) {
        if (!present(each) || (width && strcmp(width, each.name))) continue;
        const Scheme *s = each.schemes + (rule - rules);
        auto *made = new (std::nothrow) wideblock{s, rule, room(s->size)};
        if (!made || !made->values) return delete made, WIDEBLOCK_MEMORY;
        bool weak = false;
        call_and_wipe(s->stack(0), [&] {
            weak = rule == rules + XTS && equal(key, key + key_bytes / 2, key_bytes / 2);
            if (!weak) s->set(made->values.get(), key, key_bytes);
        });
        if (weak) return delete made, WIDEBLOCK_KEY;
        *context = made;
        return WIDEBLOCK_OK;
    }
    return WIDEBLOCK_WIDTH;
}

void wideblock_close(wideblock *context) { delete context; }

int wideblock_check(const wideblock *context, size_t sector_bytes, size_t tweak_bytes) {
    if (!context) return WIDEBLOCK_NULL;
    const Rule &rule = *context->rule;
    if (sector_bytes < rule.least || sector_bytes > rule.most || sector_bytes % rule.step) return WIDEBLOCK_SECTOR;
    if (tweak_bytes < rule.least_tweak || tweak_bytes > rule.most_tweak) return WIDEBLOCK_TWEAK;
    if (&rule == rules + AEZ_CORE && tweak_bytes && tweak_bytes != BLOCK) return WIDEBLOCK_TWEAK;
    return WIDEBLOCK_OK;
}

int wideblock_crypt(const wideblock *context, int decrypt, const uint8_t *in, uint8_t *out, size_t sectors,
                    size_t sector_bytes, const uint8_t *tweaks, size_t tweak_bytes, unsigned threads) {
    Call call{context, decrypt != 0, {in, out, sectors, sector_bytes, tweaks, tweak_bytes, nullptr}, false, 0};
    if (int wrong = call.refused()) return wrong;
    return call.run(threads);
}

int wideblock_crypt_numbered(const wideblock *context, int decrypt, const uint8_t *in, uint8_t *out, size_t sectors,
                             size_t sector_bytes, const uint8_t first[16], size_t tweak_bytes, unsigned threads) {
    if (!first) return WIDEBLOCK_NULL;
    Number from = number(first), last = from + (sectors - 1);
    Call call{context, decrypt != 0, {in, out, sectors, sector_bytes, nullptr, tweak_bytes, nullptr}, true, from};
    if (int wrong = call.refused()) return wrong;
    if (!sectors) return WIDEBLOCK_OK;
    if (last < from || (tweak_bytes < 16 && last >> 8 * tweak_bytes)) return WIDEBLOCK_NUMBER;
    return call.run(threads);
}
