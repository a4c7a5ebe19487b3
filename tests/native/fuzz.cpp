// SPDX-License-Identifier: Apache-2.0
// A target of libFuzzer over the C interface. The first bytes of an input choose scheme, width, sizes, alignment and
// threads, wrong ones too; the rest is key, tweaks and data. A call that succeeds must decrypt, and must agree with the
// portable width and with tweaks that are written out; one that fails must leave its output as it was. Sectors that are
// sealed must be what the scheme makes of 16 zero bytes and the sector; with a bit changed or none they must be right if and
// only if the scheme gives these zeros back. Sizes near powers of two up to the end of size_t, which no memory has, must
// be refused.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "wideblock.h"

namespace {

constexpr size_t MOST_BYTES = 160 << 10, MOST_SECTOR = 5000;

void demand(bool right) {
    if (!right) abort();
}

// The bytes of an input one after another; zeros after its end.
struct Input {
    const uint8_t *p;
    size_t left;

    size_t number(size_t below) {
        size_t n = take() | (size_t)take() << 8;
        return n % below;
    }
    uint8_t take() { return left ? left--, *p++ : 0; }
    void fill(uint8_t *to, size_t n) {
        for (size_t i = 0; i < n; i++) to[i] = left ? take() : (uint8_t)(i * 151);
    }
};

// Bytes at an odd address, which end where their allocation ends: a sanitizer sees each byte too many.
struct Room {
    std::vector<uint8_t> all;
    uint8_t *at;
    Room(size_t size, size_t shift) : all(size + shift + 1), at(all.data() + shift + 1) {}
};

struct Context {
    wideblock *made = nullptr;
    int result;
    Context(const std::string &scheme, const Room &key, size_t size, const char *width)
        : result(wideblock_open(&made, scheme.c_str(), key.at, size, width)) {
        demand(!made == !!result);
    }
    Context(const Context &) = delete;
    ~Context() { wideblock_close(made); }
};

// Segments of `size` bytes, one after the other.
std::vector<iovec> cut(Input &input, uint8_t *p, size_t size) {
    std::vector<iovec> made;
    for (size_t n; size; p += n, size -= n) made.push_back({p, n = input.left ? std::min(size, input.number(2000)) : size});
    return made;
}

// A size around a large power of two, 2^64 too.
size_t extreme(Input &input) {
    size_t bit = 24 + input.number(41);
    return (bit < 64 ? (size_t)1 << bit : 0) + input.number(40) - 20;
}

// Sizes of a call, of which some are extreme.
struct Extremes {
    size_t sectors, sector_bytes, tweak_bytes;
    explicit Extremes(Input &input)
        : sectors(input.number(4) ? extreme(input) : 2),
          sector_bytes(input.number(4) ? 32 * (2 + input.number(15)) : extreme(input)),
          tweak_bytes(input.number(4) ? 16 : extreme(input)) {}
};

// Calls with extreme sizes, but those that memory could have.
void refuse(const Context &context, const Extremes &sizes, const Room &in, Room &out, const Room &tweaks) {
    auto [sectors, sector_bytes, tweak_bytes] = sizes;
    auto far = [&, count = sectors](const Room &room, size_t each) {
        return (unsigned __int128)count * each + (uintptr_t)room.at > UINTPTR_MAX;
    };
    bool data = far(in, sector_bytes) || far(out, sector_bytes), all = data || far(tweaks, tweak_bytes);
    int check = wideblock_check(context.made, sector_bytes, tweak_bytes);
    const std::vector<uint8_t> before = out.all;
    if (check || all)
        demand(wideblock_crypt(context.made, 0, in.at, out.at, sectors, sector_bytes, tweaks.at, tweak_bytes, 2) ==
               (check ? check : WIDEBLOCK_RANGE));
    if (check || data)
        demand(wideblock_crypt_numbered(context.made, 0, in.at, out.at, sectors, sector_bytes, in.at, tweak_bytes, 2) ==
               (check ? check : WIDEBLOCK_RANGE));
    demand(before == out.all);
}

// Seals sectors, compares them with the scheme on longer ones, and unseals them before and after a bit of one changes.
struct Sealing {
    const Context &context;
    size_t sectors, sector_bytes, tweak_bytes;
    unsigned threads;
    const Room &in, &tweaks;
    Input &input;

    // Returns the result of sealing.
    int run() {
        const size_t total = sectors * sector_bytes, whole = sector_bytes + 16;
        Room out(total, input.number(17)), icvs(16 * sectors, 2), verdicts(sectors, 0), long_(sectors * whole, 1);
        memset(out.at, 0x5a, total), memset(icvs.at, 0x5a, 16 * sectors);
        const std::vector<uint8_t> before[] = {out.all, icvs.all};
        wideblock *by = context.made;
        const int result =
            wideblock_seal(by, in.at, out.at, icvs.at, sectors, sector_bytes, tweaks.at, tweak_bytes, threads);
        if (result) {
            demand(before[0] == out.all && before[1] == icvs.all);
            demand(result == wideblock_unseal(by, in.at, out.at, icvs.at, verdicts.at, sectors, sector_bytes, tweaks.at,
                                              tweak_bytes, threads));
            demand(before[0] == out.all);
            return result;
        }
        const bool alone = wideblock_check(by, whole, tweak_bytes) == WIDEBLOCK_NONCE;
        for (size_t k = 0; k < sectors; k++) {
            memset(long_.at + k * whole, 0, 16);
            memcpy(long_.at + k * whole + 16, in.at + k * sector_bytes, sector_bytes);
        }
        if (!alone) demand(!wideblock_crypt(by, 0, long_.at, long_.at, sectors, whole, tweaks.at, tweak_bytes, 1));
        for (size_t k = 0; k < sectors && !alone; k++) {
            demand(!memcmp(icvs.at + 16 * k, long_.at + k * whole, 16));
            demand(!memcmp(out.at + k * sector_bytes, long_.at + k * whole + 16, sector_bytes));
        }
        if (!sectors) return result;
        const size_t k = input.number(sectors), at = input.number(whole);
        uint8_t &changed = at < 16 ? icvs.at[16 * k + at] : out.at[k * sector_bytes + at - 16];
        const uint8_t bit = (uint8_t)(1 << input.number(8));
        Room back(total, 0);
        for (int forged = 0; forged < 2; forged++, changed ^= bit) {
            uint8_t *const whole_k = long_.at + k * whole;  // deciphered by the scheme: keys of a fuzzer may be weak
            memcpy(whole_k, icvs.at + 16 * k, 16), memcpy(whole_k + 16, out.at + k * sector_bytes, sector_bytes);
            if (!alone) demand(!wideblock_crypt(by, 1, whole_k, whole_k, 1, whole, tweaks.at + k * tweak_bytes, tweak_bytes, 1));
            const bool zeros = alone ? !forged : std::all_of(whole_k, whole_k + 16, [](uint8_t byte) { return !byte; });
            demand(zeros || forged);
            const int judged = wideblock_unseal(by, out.at, back.at, icvs.at, verdicts.at, sectors, sector_bytes, tweaks.at,
                                                tweak_bytes, threads);
            demand(judged == (zeros ? WIDEBLOCK_OK : WIDEBLOCK_FORGED));
            for (size_t i = 0; i < sectors; i++) {
                const bool right = i != k || zeros;
                const uint8_t *data = i == k && !alone ? whole_k + 16 : in.at + i * sector_bytes;
                demand(verdicts.at[i] == right);
                for (size_t j = 0; j < sector_bytes; j++) demand(back.at[i * sector_bytes + j] == (right ? data[j] : 0));
            }
        }
        return result;
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Input input{data, size};
    const char *name = wideblock_scheme(input.number(15));
    size_t choice = input.number(8);
    const char *width = choice == 7 ? "none" : wideblock_width(choice);  // those that are not here choose the widest
    static const size_t usual[] = {16, 24, 32, 48, 64};
    size_t key_bytes = input.number(4) ? usual[input.number(5)] : input.number(80);
    size_t sector_bytes = input.number(MOST_SECTOR), tweak_bytes = input.number(3) ? 16 : input.number(70);
    const bool alone = name && !strcmp(name, "aes-gcm");
    if (alone && tweak_bytes == 16) tweak_bytes = 20;
    size_t shape = input.number(32);  // few are large: those of many bytes are slow
    if (shape % 4) sector_bytes -= sector_bytes % 32;
    if (shape % 8) sector_bytes %= 640;
    size_t sectors = input.number(!shape ? std::min<size_t>(70, MOST_BYTES / (sector_bytes + 1)) : shape % 2 ? 4 : 12);
    unsigned threads = (unsigned)input.number(4);
    int decrypt = (int)input.number(2);
    bool in_place = input.number(2), numbered = input.number(2);
    Extremes extremes(input);
    size_t shift = input.number(17), total = sectors * sector_bytes;

    Room key(key_bytes, shift), in(total + 16, shift), out(total, input.number(17)), back(total, shift);
    Room tweaks(sectors * tweak_bytes, shift + 1), first(16, 3);
    input.fill(key.at, key_bytes), input.fill(first.at, 16);
    input.fill(tweaks.at, sectors * tweak_bytes), input.fill(in.at, total);

    Context context(name ? name : "unknown", key, key_bytes, width);
    if (context.result) return 0;
    refuse(context, extremes, in, out, tweaks);
    const int sealed = Sealing{context, sectors, sector_bytes, tweak_bytes, threads, in, tweaks, input}.run();
    const bool none = !strcmp(name, "xts") || !strcmp(name, "xcb") || !strcmp(name, "aez-core");
    demand(none    ? sealed == WIDEBLOCK_NO_ICV
           : alone ? sealed == (!sector_bytes ? WIDEBLOCK_SECTOR : tweak_bytes != 20 ? WIDEBLOCK_TWEAK : WIDEBLOCK_OK)
                   : sealed == (sector_bytes ? wideblock_check(context.made, sector_bytes + 16, tweak_bytes) : WIDEBLOCK_SECTOR));
    memset(out.at, 0x5a, total);
    if (in_place) memcpy(out.at, in.at, total);
    const std::vector<uint8_t> before = out.all;
    const uint8_t *from = in_place ? out.at : in.at;
    auto crypt = [&](wideblock *by, int way, const uint8_t *a, uint8_t *b, unsigned n, bool by_number) {
        if (by_number) return wideblock_crypt_numbered(by, way, a, b, sectors, sector_bytes, first.at, tweak_bytes, n);
        return wideblock_crypt(by, way, a, b, sectors, sector_bytes, tweaks.at, tweak_bytes, n);
    };
    int result = crypt(context.made, decrypt, from, out.at, threads, numbered);
    int check = wideblock_check(context.made, sector_bytes, tweak_bytes);
    demand(check ? result == check : !result || (numbered && result == WIDEBLOCK_NUMBER));
    if (result) {
        demand(before == out.all);
        return 0;
    }

    demand(!crypt(context.made, !decrypt, out.at, back.at, 1, numbered) && !memcmp(back.at, in.at, total));
    if (numbered) {  // from here on with tweaks that are written out
        unsigned __int128 number = 0;
        for (int i = 16; i--;) number = number << 8 | first.at[i];
        for (size_t k = 0; k < sectors; k++, number++)
            for (size_t i = 0; i < tweak_bytes; i++)
                tweaks.at[k * tweak_bytes + i] = i < 16 ? (uint8_t)(number >> 8 * i) : 0;
    }
    if (numbered && tweak_bytes && tweak_bytes < 256) {  // the same in segments that end anywhere
        wideblock_options options{};
        options.size = sizeof options, options.width = width, options.threads = threads, options.tweak_bytes = tweak_bytes;
        std::vector<iovec> from = cut(input, in.at, total), to = cut(input, back.at, total);
        wideblock *made;
        demand(!wideblock_open2(&made, name, key.at, key_bytes, &options));
        demand(!wideblock_crypt_segments(made, decrypt, from.data(), from.size(), to.data(), to.size(), sector_bytes, first.at));
        demand(!memcmp(back.at, out.at, total));
        demand(!wideblock_tweaks(made, sector_bytes, first.at, sectors, tweaks.at));
        wideblock_close(made);
    }
    Context portable(name, key, key_bytes, "portable");
    demand(!portable.result && !crypt(portable.made, decrypt, in.at, back.at, 1, false));
    demand(!memcmp(back.at, out.at, total));
    return 0;
}
