// SPDX-License-Identifier: Apache-2.0
// Looks for a key, for all that a context made of it, and for the plain data of forged sectors, in the writable memory of this process: outside the context
// before wideblock_close, when its threads sleep, and everywhere after it.
// Prints a line a scheme, width and number of threads: the number of places where something remains, and the number of
// calls that used more of the stack than they overwrote. The argument `leak` leaves a copy of the first key, which must be
// found, and ends there.

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <set>
#include <sys/mman.h>
#include <unordered_map>
#include <vector>

#include "wideblock.h"

namespace {

const struct {
    const char *scheme;
    size_t key, others[3];  // bytes of a key, and of sectors beside those of 512
} cases[] = {
    {"xts", 64, {520, 4096}}, {"hctr2", 32, {555, 4096}}, {"fast-brw", 32, {64, 1008, 4096}},
    {"fast-horner", 32, {4096}}, {"eme2", 64, {555, 4096}}, {"heh-brw", 48, {560, 4096}},
    {"heh-brw-paper", 48, {4096}}, {"heh-horner", 48, {4096}}, {"hmch-brw", 48, {560, 4096}},
    {"hmch-brw-paper", 48, {4096}}, {"hmch-horner", 48, {4096}}, {"xcb", 32, {555, 4096}}, {"aez-core", 16, {640, 4096}},
    {"aes-gcm", 32, {}},
};

// Memory of this program that has keys and data: it is not searched.
struct Own {
    uint8_t key[64], tweaks[20 * 300], data[300 * 512], icvs[16 * 300], verdicts[300], whole[16 + 512], plain[2 * 512];
} *own;

constexpr uint64_t MASK = 0x5bd1e995a7c3f16d;  // no needle stands in memory as it is
constexpr size_t STACK = 1 << 18;

std::unordered_map<uint64_t, std::set<uint64_t>> needles;  // the second half of each by its first, both masked
std::vector<bool> beginnings;                              // of needles, by their first two bytes
const uint8_t *values;      // of the context that was opened last
size_t value_bytes;
bool opening;
int found, beyond;

int changes(const uint8_t *p) {
    int n = 0;
    for (int i = 1; i < 8; i++) n += p[i] != p[i - 1];
    return n;
}

// The blocks of memory as needles, but those that occur by chance.
void add(const uint8_t *p, size_t size) {
    for (; size >= 16; size -= 16, p += 16) {
        if (changes(p) < 3 || changes(p + 8) < 3) continue;
        uint64_t half[2];
        memcpy(half, p, 16);
        needles[half[0] ^ MASK].insert(half[1] ^ MASK);
        beginnings[half[0] & 0xffff] = true;
    }
}

void search(const uint8_t *from, const uint8_t *to) {
    for (; from + 16 <= to; from++) {
        if (value_bytes && from == values) from += value_bytes;
        uint64_t half[2];
        memcpy(half, from, 16);
        if (!beginnings[half[0] & 0xffff]) continue;
        auto at = needles.find(half[0] ^ MASK);
        found += at != needles.end() && at->second.count(half[1] ^ MASK);
    }
}

// As a handler of a signal: the frame of the signal, on the stack, has every register.
void search_all(int) {
    FILE *maps = fopen("/proc/self/maps", "r");
    uintptr_t from, to;
    char mode[5];
    while (fscanf(maps, "%lx-%lx %4s%*[^\n]", &from, &to, mode) == 3)
        if (!strncmp(mode, "rw", 2) && from != (uintptr_t)own) search((const uint8_t *)from, (const uint8_t *)to);
    fclose(maps);
}

const uint8_t *painted;

__attribute__((noinline)) void paint(uint8_t value) {
    void *p = memset(__builtin_alloca(STACK), value, STACK);
    __asm__ volatile("" : : "r"(p) : "memory");
    painted = (const uint8_t *)p;
}

constexpr uint8_t PAINT = 0xa7;

// Whether the stack since `paint(PAINT)` was used below the zeros with which the last call overwrote it: from the lowest
// place that is not as it was, zeros must begin but for the return address of a memset.
__attribute__((noinline)) bool overran() {
    const uint8_t *p = painted;
    while (*p == PAINT) p++;
    p += 16;
    for (int i = 0; i < 1024; i++)
        if (p[i]) return true;
    return false;
}

__attribute__((noinline)) bool collect(const char *scheme, size_t key_bytes, const char *width) {
    needles.clear(), beginnings.assign(1 << 16, false);
    wideblock *context;
    opening = true;
    if (wideblock_open(&context, scheme, own->key, key_bytes, width) || !value_bytes) return false;
    add(own->key, key_bytes), add(values, value_bytes);
    wideblock_close(context);
    return true;
}

bool use(const char *scheme, size_t key_bytes, const size_t (&others)[3], const char *width, unsigned threads) {
    wideblock *context;
    auto call = [](int result) {
        beyond += overran();
        paint(PAINT);
        return !result;
    };
    paint(PAINT);
    opening = true;
    if (!call(wideblock_open(&context, scheme, own->key, key_bytes, width))) return false;
    uint8_t *data = own->data, *tweaks = own->tweaks;
    const bool alone = wideblock_check(context, 512, 16) == WIDEBLOCK_NONCE;
    const size_t tweak_bytes = alone ? 20 : 16;
    bool right = true;
    for (int decrypt = 0; decrypt < 2 && !alone; decrypt++) {
        right &= call(wideblock_crypt(context, decrypt, data, data, 300, 512, tweaks, 16, threads));
        for (size_t bytes : others)
            if (bytes) right &= call(wideblock_crypt_numbered(context, decrypt, data, data, 15, bytes, tweaks, 16, 1));
    }
    if (alone) memcpy(own->plain, data, 512), memcpy(own->plain + 512, data + 512 * 299, 512);
    const int sealed = wideblock_seal(context, data, data, own->icvs, 300, 512, tweaks, tweak_bytes, threads);
    if (sealed != WIDEBLOCK_NO_ICV) {
        right &= call(sealed);
        for (int i : {0, 299}) {  // both threads have one
            own->icvs[16 * i] ^= 1;
            if (alone) {
                add(own->plain + (i ? 512 : 0), 512);
                continue;
            }
            memcpy(own->whole, own->icvs + 16 * i, 16), memcpy(own->whole + 16, data + 512 * i, 512);
            right &= call(wideblock_crypt(context, 1, own->whole, own->whole, 1, 528, tweaks + 16 * i, 16, 1));
            add(own->whole, 528);
        }
        right &= call(wideblock_unseal(context, data, data, own->icvs, own->verdicts, 300, 512, tweaks, tweak_bytes,
                                       threads) != WIDEBLOCK_FORGED);
    }
    if (threads > 1) raise(SIGUSR1);
    value_bytes = 0;
    wideblock_close(context);
    return right;
}

}  // namespace

// The library's, which notes the memory of a context's values: the first that wideblock_open asks for.
extern "C" void *aligned_alloc(size_t alignment, size_t size) noexcept {
    void *made = memset(memalign(alignment, size), 0, size);
    if (opening) values = (uint8_t *)made, value_bytes = size, opening = false;
    return made;
}

int main(int argc, char **) {
    own = (Own *)mmap(nullptr, sizeof *own, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < sizeof *own; i++) ((uint8_t *)own)[i] = (uint8_t)rand();
    memset(own->tweaks, 0, 16);
    signal(SIGUSR1, search_all);
    for (size_t i = 0; const char *width = wideblock_width(i); i++)
        for (auto &each : cases)
            for (unsigned threads : {1, 2}) {
                if (!collect(each.scheme, each.key, width)) return 1;
                paint(0);
                std::vector<uint8_t> leak(own->key, own->key + (argc > 1 ? each.key : 0));
                if (!use(each.scheme, each.key, each.others, width, threads)) return 2;
                raise(SIGUSR1);
                printf("%s %s %u %d %d\n", each.scheme, width, threads, found, beyond);
                found = beyond = 0;
                if (argc > 1) return 0;
            }
}
