// SPDX-License-Identifier: Apache-2.0
// The C interface: names, sizes, the choice of a width, segments, and the parts of a call.

#include "wideblock.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "internal.h"
#include "numbering.h"
#include "pool.h"
#include "wipe.h"

#if defined(__aarch64__)
#include <sys/auxv.h>
#elif defined(__x86_64__)
#include <cpuid.h>
#endif

// The layers that a machine may have, the widest first: namespace, name, condition on the processor.
#if defined(__x86_64__)
#define WIDEBLOCK_LAYERS(X)                                                                                            \
    X(vaes512, "vaes512",                                                                                              \
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && has_vectors_of_aes())                \
    X(vaes256, "vaes256", has_vectors_of_aes())                                                                        \
    X(aesni, "aesni", has_aes())                                                                                       \
    X(plain, "portable", true)
#elif defined(__aarch64__)
#define WIDEBLOCK_LAYERS(X)                                                                                            \
    X(neon, "neon", (getauxval(AT_HWCAP) & (HWCAP_AES | HWCAP_PMULL)) == (HWCAP_AES | HWCAP_PMULL))                    \
    X(plain, "portable", true)
#else
#define WIDEBLOCK_LAYERS(X) X(plain, "portable", true)
#endif

#define WIDEBLOCK_DECLARE(layer, name, here) namespace layer { extern const Scheme schemes[SCHEMES]; }
WIDEBLOCK_LAYERS(WIDEBLOCK_DECLARE)

namespace {

#if defined(__x86_64__)
bool has_aes() {
    return __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("avx");
}

// VAES and VPCLMULQDQ, bits 9 and 10 of leaf 7's ECX; clang's __builtin_cpu_supports does not know the first. And what
// else the flags of both layers let a compiler use.
bool has_vectors_of_aes() {
    unsigned a, b, c = 0, d;
    if (!has_aes() || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi")) return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c >> 9 & 3) == 3;
}
#endif

struct Width {
    const char *name;
    const Scheme *schemes;
    bool (*here)();
};

#define WIDEBLOCK_WIDTH(layer, name, here) {name, layer::schemes, [] { return bool(here); }},
const Width widths[] = {WIDEBLOCK_LAYERS(WIDEBLOCK_WIDTH)};

// Whether this processor has a width. It is asked once: CPUID takes microseconds in a virtual machine.
bool present(const Width &width) {
    static const auto known = [] {
        std::array<bool, sizeof widths / sizeof *widths> made{};
        for (size_t i = 0; i < made.size(); i++) made[i] = widths[i].here();
        return made;
    }();
    return known[(size_t)(&width - widths)];
}

constexpr size_t BLOCK = 16, ICV = WIDEBLOCK_ICV_BYTES;

// Sizes that a scheme takes, in bytes. Sectors: whole `step`s from `least` to `most`. SEALS: every bit of a result
// depends on every bit of a sector, and nobody has broken that; SEALS_ALONE: an authenticated cipher.
struct Rule {
    const char *name;
    size_t keys[3], least, step, most, least_tweak, most_tweak;
    Seals seals;
};

#define WIDEBLOCK_RULE(number, type, name, least, step, most, least_tweak, most_tweak, seals, ...) \
    {name, {__VA_ARGS__}, least, step, most, least_tweak, most_tweak, seals},
const Rule rules[SCHEMES] = {WIDEBLOCK_SCHEMES(WIDEBLOCK_RULE)};

// WIDEBLOCK_OK, or the result of sizes that a scheme does not take.
int taken(const Rule &rule, size_t sector_bytes, size_t tweak_bytes) {
    if (sector_bytes < rule.least || sector_bytes > rule.most || sector_bytes % rule.step) return WIDEBLOCK_SECTOR;
    if (tweak_bytes < rule.least_tweak || tweak_bytes > rule.most_tweak) return WIDEBLOCK_TWEAK;
    if (&rule == rules + AEZ_CORE && tweak_bytes && tweak_bytes != BLOCK) return WIDEBLOCK_TWEAK;
    return WIDEBLOCK_OK;
}

const char *const messages[] = {
    "done", "unknown scheme", "key size or key that the scheme does not take",
    "tweak size that the scheme does not take", "sector size that the scheme does not take",
    "unknown width, or one that this processor does not have",
    "out of memory", "sector number that does not fit the tweak", "NULL in the place of bytes or of a context",
    "more sectors or tweaks than memory has", "output that overlaps the tweaks, or a part of the input",
    "options without their size, or with members that this library does not have", "unknown convention of tweaks",
    "segments in and out of different sizes, or not of whole sectors", "scheme that seals no sectors",
    "sector that was not sealed under this key and tweak", "scheme that only seals sectors, under nonces",
};
static_assert(sizeof messages / sizeof *messages == WIDEBLOCK_NONCE + 1, "a message for each result");

struct Free {
    size_t size;
    void operator()(uint8_t *p) const {
        wipe(p, size);
        free(p);
    }
};
using Room = std::unique_ptr<uint8_t[], Free>;

Room room(size_t size) {
    size = (size + 64) / 64 * 64;
    return Room((uint8_t *)aligned_alloc(64, size), Free{size});
}

}  // namespace

struct wideblock {
    const Scheme *scheme;
    const Rule *rule;
    Room values;
    Numbering numbering;
    unsigned threads;
    std::unique_ptr<Pool, Pool::Ended> pool;
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
    void include(const Span &o) {
        if (!o.size) return;
        const uintptr_t end = size ? std::max(at + size, o.at + o.size) : o.at + o.size;
        at = size ? std::min(at, o.at) : o.at;
        size = end - at;
    }
    bool overlaps(const Span &o) const { return size && o.size && at < o.at + o.size && o.at < at + size; }
};

constexpr size_t FEW = 1 << 14;       // bytes of a room that needs no allocation
constexpr size_t BATCH = 64;          // sectors whose numbers become tweaks at a time, and bytes that these have at most
constexpr size_t BATCH_BYTES = 1 << 10;
constexpr unsigned MOST_THREADS = 256;  // of wideblock.h
constexpr size_t SHARE = 1 << 16;     // bytes below which another thread costs more than it saves

// A place in a list of segments.
struct Cursor {
    const iovec *segment;
    size_t done;  // bytes of it

    uint8_t *here() const { return (uint8_t *)segment->iov_base + done; }
    size_t left() const { return segment->iov_len - done; }

    // Passes `bytes`, and `each(here, n)` sees them. Ends at a byte that is there, or at the end of the list.
    template <class Each> void pass(size_t bytes, size_t &segments, Each each) {
        for (size_t n; segments && (bytes || !left()); bytes -= n) {
            n = std::min(bytes, left());
            each(here(), n);
            done += n;
            if (!left()) segment++, segments--, done = 0;
        }
    }
};

// Bytes in memory, in one segment or in many.
struct Segments {
    const iovec *first;
    size_t count;

    // The sum of the sizes. Returns a result of the interface.
    int size(size_t &sum) const {
        sum = 0;
        if (count && !first) return WIDEBLOCK_NULL;
        for (size_t i = 0; i < count; i++) {
            Span span(first[i].iov_base, 1, first[i].iov_len);
            if (span.wrong) return span.wrong;
            if (__builtin_add_overflow(sum, span.size, &sum)) return WIDEBLOCK_RANGE;
        }
        return WIDEBLOCK_OK;
    }

    bool same(const Segments &o) const {
        auto equal = [](const iovec &a, const iovec &b) { return a.iov_base == b.iov_base && a.iov_len == b.iov_len; };
        return count == o.count && std::equal(first, first + count, o.first, equal);
    }

    Span span(size_t i) const { return {first[i].iov_base, 1, first[i].iov_len}; }

    // From the first byte of any segment to the last one.
    Span around() const {
        Span all = span(0);
        for (size_t i = 1; i < count; i++) all.include(span(i));
        return all;
    }

    bool overlaps(const Segments &o) const {
        if (!count || !o.count) return false;
        const Span others = o.around();
        for (size_t i = 0; i < count; i++) {
            if (!span(i).overlaps(others)) continue;
            for (size_t k = 0; k < o.count; k++)
                if (span(i).overlaps(o.span(k))) return true;
        }
        return false;
    }
};

// The rest of segments from a byte on.
struct Rest : Cursor {
    size_t segments;

    Rest(const Segments &all, size_t from) : Cursor{all.first, 0}, segments(all.count) { skip(from); }
    void skip(size_t bytes) {
        pass(bytes, segments, [](uint8_t *, size_t) {});
    }
    void read(uint8_t *to, size_t bytes) {
        pass(bytes, segments, [&](const uint8_t *from, size_t n) { memcpy(to, from, n), to += n; });
    }
    void write(const uint8_t *from, size_t bytes) {
        pass(bytes, segments, [&](uint8_t *to, size_t n) { memcpy(to, from, n), from += n; });
    }
};

// The most threads that work on a call, and whether it starts those that the context does not have.
struct Threads {
    unsigned most;
    bool start;
};

// Does sectors of `bytes` bytes in shares, each by `part(from, to, room)` with a room of its own. Leaves no secret on the
// stack of any thread, nor in a room.
template <class Part>
int in_shares(const wideblock &context, size_t sectors, size_t bytes, size_t room_bytes, Threads threads, const Part &part) {
    if (!sectors) return WIDEBLOCK_OK;
    const size_t most = std::clamp(threads.most, 1u, MOST_THREADS);
    size_t n = std::min({most, std::max<size_t>(1, sectors * bytes / SHARE), sectors});
    size_t each = (room_bytes + 63) / 64 * 64, size;
    Room rooms;
    if (each > FEW) {
        if (__builtin_mul_overflow(n, each, &size) || !(rooms = room(size))) return WIDEBLOCK_MEMORY;
    }
    auto from = [&](size_t i) { return sectors / n * i + std::min(i, sectors % n); };
    auto nth = [&](size_t i) {
        alignas(64) uint8_t few[FEW];
        uint8_t *place = rooms ? rooms.get() + each * i : few;
        call_and_wipe(context.scheme->stack(bytes), [&] { part(from(i), from(i + 1), place); });
        if (!rooms) wipe(few, room_bytes);
    };
    if (n == 1) return nth(0), WIDEBLOCK_OK;
    if (threads.start) context.pool->reserve(n - 1);
    context.pool->run(n, nth);
    return WIDEBLOCK_OK;
}

// Sectors of a call, whose tweaks are given or, if `numbering` is there, numbers from `first` on.
struct Call {
    const wideblock *context;
    bool decrypt;
    Segments in, out;
    size_t sectors, bytes;
    const uint8_t *tweaks;
    size_t tweak_bytes;
    const Numbering *numbering;
    Number first = 0;
    size_t step = 1;

    // WIDEBLOCK_OK, or the result of sizes and addresses that are not taken.
    int refused() const {
        Span given(tweaks, numbering ? 0 : sectors, tweak_bytes);
        if (given.wrong) return given.wrong;
        iovec all{(void *)tweaks, given.size};
        return (!in.same(out) && in.overlaps(out)) || Segments{&all, 1}.overlaps(out) ? WIDEBLOCK_OVERLAP : WIDEBLOCK_OK;
    }

    size_t at_once() const {
        return numbering ? std::min({BATCH, std::max<size_t>(1, BATCH_BYTES / std::max<size_t>(1, tweak_bytes)), sectors})
                         : sectors;
    }
    // Bytes of a room: a scheme's own, tweaks that are made, and a sector that lies in more than one segment.
    size_t own_bytes() const { return (context->scheme->room(bytes) + 63) / 64 * 64; }
    size_t made_bytes() const { return numbering ? (at_once() * tweak_bytes + 63) / 64 * 64 : 0; }
    size_t room_bytes() const { return own_bytes() + made_bytes() + (in.count + out.count > 2 ? bytes : 0); }

    // Sectors from `from` to before `to`, with a room of its own.
    void part(size_t from, size_t to, uint8_t *room) const {
        uint8_t *made = room + own_bytes(), *apart = made + made_bytes();
        Rest source(in, from * bytes), target(out, from * bytes);
        Job job{nullptr, nullptr, 0, bytes, nullptr, tweak_bytes, room};
        for (; from < to; from += job.sectors) {
            size_t whole = std::min(source.left(), target.left()) / bytes;
            job.sectors = std::min({to - from, std::max<size_t>(1, whole), at_once()});
            job.in = whole ? source.here() : apart;
            job.out = whole ? target.here() : apart;
            job.tweaks = numbering ? made : tweaks + tweak_bytes * from;
            if (numbering)
                for (size_t i = 0; i < job.sectors; i++)
                    numbering->write(made + tweak_bytes * i, first + (Number)(from + i) * step);
            if (!whole) source.read(apart, bytes);
            context->scheme->crypt(context->values.get(), decrypt, job);
            if (!whole) {
                target.write(apart, bytes);
            } else {
                source.skip(job.sectors * bytes);
                target.skip(job.sectors * bytes);
            }
        }
    }

    int run(Threads threads) const {
        return in_shares(*context, sectors, bytes, room_bytes(), threads,
                         [&](size_t from, size_t to, uint8_t *room) { part(from, to, room); });
    }
};

// Sectors of a call that are sealed or, with `verdicts`, unsealed: 16 bytes stand in front of each in the room.
struct Sealing {
    const wideblock *context;
    const uint8_t *in;
    uint8_t *out;
    const uint8_t *given;      // ICVs of sectors that are unsealed
    uint8_t *made, *verdicts;  // ICVs of sectors that are sealed, and a byte each of others
    size_t sectors, bytes;
    const uint8_t *tweaks;
    size_t tweak_bytes;

    // WIDEBLOCK_OK, or the result of arguments that are not taken.
    int refused() const {
        if (!context) return WIDEBLOCK_NULL;
        if (context->rule->seals == NEVER) return WIDEBLOCK_NO_ICV;
        if (!bytes || bytes > MOST_SECTOR) return WIDEBLOCK_SECTOR;
        if (int wrong = taken(*context->rule, bytes + ICV, tweak_bytes)) return wrong;
        const Span source(in, sectors, bytes), target(out, sectors, bytes), names(tweaks, sectors, tweak_bytes),
            icvs(verdicts ? given : made, sectors, ICV), judged(verdicts, verdicts ? sectors : 0, 1);
        for (const Span *each : {&source, &target, &names, &icvs, &judged})
            if (each->wrong) return each->wrong;
        bool overlap = target.overlaps(names) || target.overlaps(icvs) || judged.overlaps(target) ||
                       judged.overlaps(source) || judged.overlaps(names) || judged.overlaps(icvs) ||
                       (!verdicts && (icvs.overlaps(source) || icvs.overlaps(names)));
        return overlap || (in != out && source.overlaps(target)) ? WIDEBLOCK_OVERLAP : WIDEBLOCK_OK;
    }

    size_t whole() const { return ICV + bytes; }
    size_t at_once() const { return std::max<size_t>(1, FEW / whole()); }
    size_t own_bytes() const { return (context->scheme->room(whole()) + 63) / 64 * 64; }

    // Sectors from `from` to before `to`, with a room of its own.
    void part(size_t from, size_t to, uint8_t *room) const {
        uint8_t *const all = room + own_bytes();
        for (size_t n; from < to; from += n) {
            n = std::min(to - from, at_once());
            for (size_t i = 0; i < n; i++) {
                uint8_t *sector = all + whole() * i;
                if (verdicts) memcpy(sector, given + ICV * (from + i), ICV);
                else memset(sector, 0, ICV);
                memcpy(sector + ICV, in + bytes * (from + i), bytes);
            }
            const Job job{all, all, n, whole(), tweaks + tweak_bytes * from, tweak_bytes, room};
            context->scheme->crypt(context->values.get(), verdicts, job);
            for (size_t i = 0; i < n; i++) leave(all + whole() * i, from + i);
        }
    }

    // Writes a result to its place: what is forged as zeros, in the same time.
    void leave(const uint8_t *sector, size_t i) const {
        uint8_t keep = 0xff;
        if (verdicts) {
            uint64_t Z[2];
            memcpy(Z, sector, ICV);
            const uint64_t any = Z[0] | Z[1], right = ~(any | -any) >> 63;
            verdicts[i] = (uint8_t)right;
            keep = (uint8_t)-right;
        } else {
            memcpy(made + ICV * i, sector, ICV);
        }
        for (size_t j = 0; j < bytes; j++) out[bytes * i + j] = sector[ICV + j] & keep;
    }

    int run(Threads threads) const {
        if (int wrong = refused()) return wrong;
        size_t room = own_bytes() + whole() * std::min(at_once(), sectors);
        int wrong = in_shares(*context, sectors, whole(), room, threads,
                              [&](size_t from, size_t to, uint8_t *place) { part(from, to, place); });
        if (wrong || !verdicts) return wrong;
        unsigned right = 1;
        for (size_t i = 0; i < sectors; i++) right &= verdicts[i];
        return (int)(1 - right) * WIDEBLOCK_FORGED;
    }
};

// Whether two byte strings are equal, in a time that depends on their length alone.
bool equal(const uint8_t *a, const uint8_t *b, size_t n) {
    uint8_t different = 0;
    for (size_t i = 0; i < n; i++) different |= a[i] ^ b[i];
    return !different;
}

// Copies the members that this library has; false if the size cannot be one, or if one of the others is not 0.
bool known(const wideblock_options &given, wideblock_options &options) {
    if (!given.size || given.size % sizeof(void *)) return false;  // members that are there are whole
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

const char *wideblock_tweak(size_t i) { return i < std::size(conventions) ? conventions[i].name : nullptr; }

const char *wideblock_width(size_t i) {
    for (const Width &width : widths)
        if (present(width) && i-- == 0) return width.name;
    return nullptr;
}

int wideblock_open(wideblock **context, const char *scheme, const uint8_t *key, size_t key_bytes, const char *width) {
    wideblock_options options{};
    options.size = sizeof options;
    options.width = width;
    return wideblock_open2(context, scheme, key, key_bytes, &options);
}

int wideblock_open2(wideblock **context, const char *scheme, const uint8_t *key, size_t key_bytes,
                    const wideblock_options *given) {
    if (!context) return WIDEBLOCK_NULL;
    *context = nullptr;
    if (!scheme || (key_bytes && !key)) return WIDEBLOCK_NULL;
    wideblock_options options{};
    if (given && !known(*given, options)) return WIDEBLOCK_OPTIONS;
    const char *width = options.width;
    Numbering numbering;
    if (options.tweak) numbering.rule = convention(options.tweak);
    if (!numbering.rule) return WIDEBLOCK_CONVENTION;
    if (options.tweak_bytes) numbering.tweak_bytes = options.tweak_bytes;
    numbering.offset = number(options.tweak_offset);
    const Rule *rule = std::find_if(rules, rules + SCHEMES, [&](const Rule &r) { return !strcmp(r.name, scheme); });
    if (rule == rules + SCHEMES) return WIDEBLOCK_SCHEME;
    if (!key_bytes || std::find(rule->keys, rule->keys + 3, key_bytes) == rule->keys + 3) return WIDEBLOCK_KEY;
    if (!width && (width = getenv("WIDEBLOCK_WIDTH")) && !*width) width = nullptr;
    for (const Width &each : widths) {
        if (!present(each) || (width && strcmp(width, each.name))) continue;
        const Scheme *s = each.schemes + (rule - rules);
        auto *made = new (std::nothrow) wideblock{s, rule, room(s->size), numbering, options.threads, {}};
        if (made) made->pool.reset(new (std::nothrow) Pool);
        if (!made || !made->values || !made->pool) return delete made, WIDEBLOCK_MEMORY;
        bool weak = false;
        call_and_wipe(s->stack(0), [&] {
            weak = rule == rules + XTS && equal(key, key + key_bytes / 2, key_bytes / 2);
            if (!weak) s->set(made->values.get(), key, key_bytes);
        });
        if (weak) return delete made, WIDEBLOCK_KEY;
        if (options.threads > 1) made->pool->reserve(std::min(options.threads, MOST_THREADS) - 1);
        *context = made;
        return WIDEBLOCK_OK;
    }
    return WIDEBLOCK_WIDTH;
}

void wideblock_close(wideblock *context) { delete context; }

int wideblock_check(const wideblock *context, size_t sector_bytes, size_t tweak_bytes) {
    if (!context) return WIDEBLOCK_NULL;
    if (context->rule->seals == SEALS_ALONE) return WIDEBLOCK_NONCE;
    return taken(*context->rule, sector_bytes, tweak_bytes);
}

int wideblock_crypt(const wideblock *context, int decrypt, const uint8_t *in, uint8_t *out, size_t sectors,
                    size_t sector_bytes, const uint8_t *tweaks, size_t tweak_bytes, unsigned threads) {
    if (int wrong = wideblock_check(context, sector_bytes, tweak_bytes)) return wrong;
    Span from(in, sectors, sector_bytes), to(out, sectors, sector_bytes);
    if (from.wrong || to.wrong) return from.wrong ? from.wrong : to.wrong;
    iovec source{(void *)in, from.size}, target{out, to.size};
    Call call{context, decrypt != 0, {&source, 1}, {&target, 1}, sectors, sector_bytes, tweaks, tweak_bytes, nullptr};
    if (int wrong = call.refused()) return wrong;
    return call.run({threads, true});
}

int wideblock_crypt_numbered(const wideblock *context, int decrypt, const uint8_t *in, uint8_t *out, size_t sectors,
                             size_t sector_bytes, const uint8_t first[16], size_t tweak_bytes, unsigned threads) {
    if (!first) return WIDEBLOCK_NULL;
    if (int wrong = wideblock_check(context, sector_bytes, tweak_bytes)) return wrong;
    Span from(in, sectors, sector_bytes), to(out, sectors, sector_bytes);
    if (from.wrong || to.wrong) return from.wrong ? from.wrong : to.wrong;
    iovec source{(void *)in, from.size}, target{out, to.size};
    Numbering numbers{conventions, tweak_bytes, 0};
    Call call{context, decrypt != 0, {&source, 1}, {&target, 1}, sectors, sector_bytes, nullptr, tweak_bytes, &numbers};
    if (int wrong = numbers.start(number(first), sectors, sector_bytes, call.first, call.step)) return wrong;
    if (int wrong = call.refused()) return wrong;
    return call.run({threads, true});
}

int wideblock_crypt_segments(const wideblock *context, int decrypt, const struct iovec *in, size_t ins,
                             const struct iovec *out, size_t outs, size_t sector_bytes, const uint8_t first[16]) {
    if (!context || !first) return WIDEBLOCK_NULL;
    const Numbering &numbers = context->numbering;
    if (int wrong = wideblock_check(context, sector_bytes, numbers.tweak_bytes)) return wrong;
    Segments source{in, ins}, target{out, outs};
    size_t read, written;
    if (int wrong = source.size(read)) return wrong;
    if (int wrong = target.size(written)) return wrong;
    if (read != written || read % sector_bytes) return WIDEBLOCK_SEGMENTS;
    Call call{context, decrypt != 0, source, target, read / sector_bytes, sector_bytes, nullptr, numbers.tweak_bytes, &numbers};
    if (int wrong = numbers.start(number(first), call.sectors, sector_bytes, call.first, call.step)) return wrong;
    if (int wrong = call.refused()) return wrong;
    return call.run({context->threads, false});
}

int wideblock_tweaks(const wideblock *context, size_t sector_bytes, const uint8_t first[16], size_t sectors,
                     uint8_t *tweaks) {
    if (!context || !first) return WIDEBLOCK_NULL;
    const Numbering &numbers = context->numbering;
    if (int wrong = wideblock_check(context, sector_bytes, numbers.tweak_bytes)) return wrong;
    if (int wrong = Span(tweaks, sectors, numbers.tweak_bytes).wrong) return wrong;
    Number from;
    size_t step;
    if (int wrong = numbers.start(number(first), sectors, sector_bytes, from, step)) return wrong;
    for (size_t i = 0; i < sectors; i++) numbers.write(tweaks + numbers.tweak_bytes * i, from + (Number)i * step);
    return WIDEBLOCK_OK;
}

int wideblock_seal(const wideblock *context, const uint8_t *in, uint8_t *out, uint8_t *icvs, size_t sectors,
                   size_t sector_bytes, const uint8_t *tweaks, size_t tweak_bytes, unsigned threads) {
    return Sealing{context, in, out, nullptr, icvs, nullptr, sectors, sector_bytes, tweaks, tweak_bytes}.run({threads, true});
}

int wideblock_unseal(const wideblock *context, const uint8_t *in, uint8_t *out, const uint8_t *icvs, uint8_t *verdicts,
                     size_t sectors, size_t sector_bytes, const uint8_t *tweaks, size_t tweak_bytes, unsigned threads) {
    uint8_t none;
    if (sectors && !verdicts) return WIDEBLOCK_NULL;
    if (!verdicts) verdicts = &none;
    return Sealing{context, in, out, icvs, nullptr, verdicts, sectors, sector_bytes, tweaks, tweak_bytes}.run({threads, true});
}
