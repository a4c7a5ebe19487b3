// SPDX-License-Identifier: Apache-2.0
// A block device whose sectors are enciphered in the file or device below: what every server of one has in common.
//
// Requests that are not whole sectors read the sectors at their ends, change them and write them back, while no other
// request uses them. A sector never leaves memory but whole and by one call, so a process that ends amid a write leaves
// each sector old or new, as far as the file below does not tear a page.
//
// The file is locked for as long as the server runs, by a lock of an open file description, as QEMU has them on its
// images: two servers, each of which reads and writes back parts of a sector, would lose what the other one wrote.
//
// With a file of integrity check values each sector is sealed; one that is forged is an error of the request, and no byte of
// it leaves. Data and values are two writes: a process that ends between them leaves a sector that is an error until all of
// it is written again.
//
// Trim is refused: it would show which sectors are free, and they would read as noise. Zeros are enciphered as any data.
#ifndef WIDEBLOCK_DEVICE_H
#define WIDEBLOCK_DEVICE_H

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <list>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wideblock.h"

namespace {

// Says what is wrong, a line; the server defines it.
__attribute__((format(printf, 1, 2))) void complain(const char* format, ...);

using Number = unsigned __int128;

constexpr size_t MOST_KEY = 64, MOST_TWEAK = 255, ICV = WIDEBLOCK_ICV_BYTES;
constexpr size_t PIECE = size_t(1) << 20;  // bytes that a request has in memory beside the server's own

// Units in use: several reads at a time, or one write; of requests that exclude each other the first goes first.
class Ranges {
    struct Range {
        uint64_t first, last;
        bool alone;
    };

public:
    // Units `first` to `last`, held until the end of the object.
    class Held {
    public:
        Held(Ranges& ranges, uint64_t first, uint64_t last, bool alone) : ranges_(ranges) {
            std::unique_lock<std::mutex> lock(ranges.mutex_);
            at_ = ranges.wanted_.insert(ranges.wanted_.end(), Range{first, last, alone});
            ranges.changed_.wait(lock, [&] { return ranges.free(at_); });
        }
        ~Held() {
            {
                std::lock_guard<std::mutex> lock(ranges_.mutex_);
                ranges_.wanted_.erase(at_);
            }
            ranges_.changed_.notify_all();
        }
        Held(const Held&) = delete;
        Held& operator=(const Held&) = delete;

    private:
        Ranges& ranges_;
        std::list<Range>::iterator at_;
    };

private:
    bool free(std::list<Range>::const_iterator one) const {
        return std::none_of(wanted_.begin(), one, [&](const Range& each) {
            return one->first <= each.last && each.first <= one->last && (one->alone || each.alone);
        });
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::list<Range> wanted_;  // as they came: those that are held, and those that wait
};

// Parameters as they are given.
std::string file, icv_file, key_file, scheme;
std::string tweak = wideblock_tweak(0);
int64_t sector_bytes = 4096, tweak_bytes = 16;
Number first_sector = 0, offset = 0;
bool read_only = false;

// The device.
int descriptor = -1, icvs = -1;  // the second one is -1 without integrity check values
bool writable = true;
uint64_t size = 0;
size_t unit = 0;
wideblock* context = nullptr;
Ranges ranges;

struct Failure {
    int error;
};

[[noreturn]] void fail(int error, int from, const char* what) {
    complain("%s: %s: %s", (from == descriptor ? file : icv_file).c_str(), what, strerror(error));
    throw Failure{error};
}

// Number of the error with which `call` fails, or 0.
template <typename Call>
int error_of(Call call) {
    try {
        call();
        return 0;
    } catch (const Failure& failure) {
        return failure.error;
    } catch (const std::bad_alloc&) {
        complain("no memory");
        return ENOMEM;
    }
}

// Bytes that are wiped when they are not needed any more.
class Secret {
public:
    explicit Secret(size_t bytes) : bytes_(bytes) {}
    ~Secret() { explicit_bzero(bytes_.data(), bytes_.size()); }
    uint8_t* data() { return bytes_.data(); }

private:
    std::vector<uint8_t> bytes_;
};

// Number of a unit, as the library takes it. It must be one that a Number has.
struct Bytes {
    uint8_t of[16];
    explicit Bytes(Number number) {
        for (uint8_t& each : of) {
            each = static_cast<uint8_t>(number);
            number >>= 8;
        }
    }
};

// Throws what a result of the library means for a request.
void expect(int result) {
    if (result == WIDEBLOCK_MEMORY) throw std::bad_alloc();
    if (result == WIDEBLOCK_OK) return;
    complain("%s", wideblock_message(result));
    throw Failure{EIO};
}

// Enciphers or deciphers `units` units from number `first` of the device on.
void crypt(bool decrypt, const uint8_t* in, uint8_t* out, uint64_t first, size_t units) {
    const iovec from{const_cast<uint8_t*>(in), units * unit}, to{out, units * unit};
    expect(wideblock_crypt_segments(context, decrypt, &from, 1, &to, 1, unit, Bytes(first_sector + first).of));
}

void read_all(int from, uint8_t* to, size_t bytes, uint64_t at) {
    for (size_t done = 0; done < bytes;) {
        const ssize_t n = ::pread(from, to + done, bytes - done, static_cast<off_t>(at + done));
        if (n < 0 && errno != EINTR) fail(errno, from, "read");
        if (n == 0) fail(EIO, from, "ends before its size");
        if (n > 0) done += static_cast<size_t>(n);
    }
}

void write_all(int to, const uint8_t* from, size_t bytes, uint64_t at) {
    for (size_t done = 0; done < bytes;) {
        const ssize_t n = ::pwrite(to, from + done, bytes - done, static_cast<off_t>(at + done));
        if (n < 0 && errno != EINTR) fail(errno, to, "write");
        if (n > 0) done += static_cast<size_t>(n);
    }
}

// The integrity check values of units, and their tweaks.
struct Beside {
    uint64_t first;
    size_t units;
    std::vector<uint8_t> values, tweaks;

    Beside(uint64_t first, size_t units)
        : first(first), units(units), values(ICV * units), tweaks(static_cast<size_t>(tweak_bytes) * units) {
        expect(wideblock_tweaks(context, unit, Bytes(first_sector + first).of, units, tweaks.data()));
    }

    void open(uint8_t* data) {
        read_all(icvs, values.data(), values.size(), ICV * first);
        std::vector<uint8_t> verdicts(units);
        const int result = wideblock_unseal(context, data, data, values.data(), verdicts.data(), units, unit,
                                            tweaks.data(), static_cast<size_t>(tweak_bytes), 1);
        if (result != WIDEBLOCK_FORGED) return expect(result);
        for (size_t i = 0; i < units; ++i)
            if (!verdicts[i]) complain("%s: sector %" PRIu64 " of the device is forged", file.c_str(), first + i);
        throw Failure{EIO};
    }

    void seal(const uint8_t* from, uint8_t* to) {
        expect(wideblock_seal(context, from, to, values.data(), units, unit, tweaks.data(),
                              static_cast<size_t>(tweak_bytes), 1));
    }
};

void load(uint8_t* to, uint64_t first, size_t units) {
    read_all(descriptor, to, units * unit, first * unit);
    if (icvs < 0) crypt(true, to, to, first, units);
    else Beside(first, units).open(to);
}

// Writes units enciphered; `room` is for the result.
void store(const uint8_t* from, uint8_t* room, uint64_t first, size_t units) {
    if (icvs < 0) {
        crypt(false, from, room, first, units);
        return write_all(descriptor, room, units * unit, first * unit);
    }
    Beside beside(first, units);
    beside.seal(from, room);
    write_all(descriptor, room, units * unit, first * unit);
    write_all(icvs, beside.values.data(), beside.values.size(), ICV * first);
}

void read_piece(uint8_t* to, uint64_t at, size_t count) {
    const uint64_t first = at / unit, units = (at + count - 1) / unit - first + 1;
    Ranges::Held held(ranges, first, first + units - 1, false);
    if (at % unit == 0 && count % unit == 0) return load(to, first, units);
    Secret whole(units * unit);
    load(whole.data(), first, units);
    memcpy(to, whole.data() + at % unit, count);
}

void write_piece(const uint8_t* from, uint64_t at, size_t count) {
    const uint64_t first = at / unit, units = (at + count - 1) / unit - first + 1;
    const bool head = at % unit != 0, tail = (at + count) % unit != 0;
    Secret whole(units * unit);
    uint8_t* const last = whole.data() + (units - 1) * unit;
    Ranges::Held held(ranges, first, first + units - 1, true);
    if (head) load(whole.data(), first, 1);
    if (tail && !(head && units == 1)) load(last, first + units - 1, 1);
    if (head || tail) {
        memcpy(whole.data() + at % unit, from, count);
        from = whole.data();
    }
    store(from, whole.data(), first, units);
}

// Calls `piece` with parts of a request of at most PIECE bytes, or one unit; parts end where units do.
template <typename Byte, typename Piece>
void in_pieces(Byte* bytes, uint64_t at, size_t count, Piece piece) {
    const uint64_t most = std::max<uint64_t>(1, PIECE / unit) * unit;
    while (count) {
        const size_t n = static_cast<size_t>(std::min<uint64_t>(count, most - at % unit));
        piece(bytes, at, n);
        bytes += n;
        at += n;
        count -= n;
    }
}

void synchronise() {
    for (const int each : {descriptor, icvs})
        if (each >= 0 && fdatasync(each) < 0) fail(errno, each, "fdatasync");
}

// A number of up to 128 bits, decimal, or hexadecimal behind 0x.
bool parse(const char* text, Number& number) {
    const bool hexadecimal = text[0] == '0' && (text[1] | 32) == 'x';
    const unsigned base = hexadecimal ? 16 : 10;
    const char* at = hexadecimal ? text + 2 : text;
    number = 0;
    if (!*at) return false;
    for (; *at; ++at) {
        const char digit = static_cast<char>(*at | 32);
        const unsigned value = *at >= '0' && *at <= '9' ? *at - '0' : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : 99;
        if (value >= base || number > (~Number(0) - value) / base) return false;
        number = number * base + value;
    }
    return true;
}

// Takes a parameter as it is given.
bool configure(const std::string& name, const std::string& value) {
    if (name == "file") return file = value, true;
    if (name == "key-file") return key_file = value, true;
    if (name == "icv") return icv_file = value, true;
    if (name == "scheme") return scheme = value, true;
    if (name == "read-only") {
        read_only = value == "true";
        if (read_only || value == "false") return true;
        complain("read-only must be true or false, got '%s'", value.c_str());
        return false;
    }
    if (name == "tweak") {
        std::string names;
        for (size_t i = 0; const char* each = wideblock_tweak(i); ++i) {
            if (value == each) return tweak = each, true;
            names += std::string(names.empty() ? "" : ", ") + each;
        }
        complain("tweak must be one of %s, got '%s'", names.c_str(), value.c_str());
        return false;
    }
    if (name != "sector" && name != "tweak-bytes" && name != "first" && name != "tweak-offset") {
        complain("unknown parameter '%s'", name.c_str());
        return false;
    }
    Number number;
    if (!parse(value.c_str(), number)) {
        complain("%s must be a whole number below 2^128 such as 4096 or 0x1000, got '%s'", name.c_str(), value.c_str());
        return false;
    }
    if (name == "first") first_sector = number;
    else if (name == "tweak-offset") offset = number;
    else (name == "sector" ? sector_bytes : tweak_bytes) = static_cast<int64_t>(std::min<Number>(number, INT64_MAX));
    return true;
}

// Makes the context of the key, whose file is read once.
bool open_key() {
    Secret key(MOST_KEY + 1);
    const int from = open(key_file.c_str(), O_RDONLY | O_CLOEXEC);
    size_t bytes = 0;
    ssize_t n = from < 0 ? -1 : 1;
    while (n > 0 && bytes <= MOST_KEY)
        if ((n = read(from, key.data() + bytes, MOST_KEY + 1 - bytes)) > 0) bytes += static_cast<size_t>(n);
    const int error = errno;
    if (from >= 0) close(from);
    if (n < 0) {
        complain("key-file %s: %s", key_file.c_str(), strerror(error));
        return false;
    }
    wideblock_options options{};
    options.size = sizeof options;
    options.tweak = tweak.c_str();
    options.tweak_bytes = static_cast<size_t>(tweak_bytes);
    memcpy(options.tweak_offset, Bytes(offset).of, sizeof options.tweak_offset);
    const int result = wideblock_open2(&context, scheme.c_str(), key.data(), bytes, &options);
    if (result == WIDEBLOCK_OK) return true;
    complain("scheme %s with a key of %zu bytes: %s", scheme.c_str(), bytes, wideblock_message(result));
    return false;
}

// Whether the parameters are complete and right; makes the context.
bool complete() {
    if (file.empty() || key_file.empty() || scheme.empty()) {
        complain("file, key-file and scheme must be given");
        return false;
    }
    if (sector_bytes < 1 || tweak_bytes < 1 || static_cast<size_t>(tweak_bytes) > MOST_TWEAK) {
        complain("sector must be at least 1 byte, and tweak-bytes 1 to %zu", MOST_TWEAK);
        return false;
    }
    unit = static_cast<size_t>(sector_bytes);
    if (!open_key()) return false;
    const size_t tweak_size = static_cast<size_t>(tweak_bytes);
    int result = wideblock_check(context, unit, tweak_size);
    if (!icv_file.empty() && result != WIDEBLOCK_NONCE)  // numbers of sectors are no nonces
        result = wideblock_seal(context, nullptr, nullptr, nullptr, 0, unit, nullptr, tweak_size, 1);
    if (result) {
        complain("%s: %s", scheme.c_str(), wideblock_message(result));
        return false;
    }
    if (wideblock_tweaks(context, unit, Bytes(0).of, 0, nullptr) == WIDEBLOCK_SECTOR) {
        complain("tweak=%s does not take sectors of %" PRId64 " bytes; 512 is right", tweak.c_str(), sector_bytes);
        return false;
    }
    return true;
}

// Whether the numbers of the sectors are those of the convention, and fit the tweak; the last one is the largest.
bool numbers_fit() {
    const Number last = size / unit - 1;
    std::vector<uint8_t> one(static_cast<size_t>(tweak_bytes));
    return first_sector <= ~Number(0) - last &&
           !wideblock_tweaks(context, unit, Bytes(first_sector + last).of, 1, one.data());
}

// Locks a whole file until its descriptor is closed, for this server alone if it writes.
bool locked(int opened, const std::string& name) {
    struct flock whole = {};
    whole.l_type = writable ? F_WRLCK : F_RDLCK;
    if (fcntl(opened, F_OFD_SETLK, &whole) == 0) return true;
    if (errno == EAGAIN || errno == EACCES)
        complain("%s is in use by another server or program that has locked it; end that first", name.c_str());
    else
        complain("%s cannot be locked: %s; a file system without locks cannot be served", name.c_str(), strerror(errno));
    return false;
}

// Opens the file of integrity check values, which must be there, and have one for each sector.
bool open_icvs() {
    icvs = open(icv_file.c_str(), (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    struct stat status;
    if (icvs < 0 || fstat(icvs, &status) < 0) {
        complain("%s: %s", icv_file.c_str(), strerror(errno));
        return false;
    }
    const uint64_t right = size / unit * ICV;
    if (!S_ISREG(status.st_mode) || static_cast<uint64_t>(status.st_size) != right) {
        complain("%s must be a regular file of %" PRIu64 " bytes, %zu for each sector of %s", icv_file.c_str(), right, ICV,
                     file.c_str());
        return false;
    }
    return locked(icvs, icv_file);
}

// Opens and locks the files below.
bool open_device() {
    writable = !read_only;
    descriptor = open(file.c_str(), (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (writable && descriptor < 0 && (errno == EACCES || errno == EROFS || errno == EPERM)) {
        const char* reason = strerror(errno);
        writable = false;
        descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor >= 0) complain("%s cannot be written, and is served read-only: %s", file.c_str(), reason);
    }
    struct stat status;
    const off_t end = descriptor < 0 || fstat(descriptor, &status) < 0 ? -1 : lseek(descriptor, 0, SEEK_END);
    if (end < 0) {
        complain("%s: %s", file.c_str(), strerror(errno));
        return false;
    }
    if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode)) {
        complain("%s must be a regular file or a block device", file.c_str());
        return false;
    }
    if (!locked(descriptor, file)) return false;
    size = static_cast<uint64_t>(end);
    if (!size || size % static_cast<uint64_t>(sector_bytes)) {
        complain("%s has %" PRIu64 " bytes; it must be whole sectors of %" PRId64, file.c_str(), size, sector_bytes);
        return false;
    }
    if (!icv_file.empty() && !open_icvs()) return false;
    if (!numbers_fit()) {
        complain("the numbers of the sectors do not fit a tweak of %" PRId64 " bytes by %s", tweak_bytes,
                     tweak.c_str());
        return false;
    }
    return true;
}

// Wipes the key and closes the files below.
void close_device() {
    wideblock_close(context);
    context = nullptr;
    for (int* const each : {&descriptor, &icvs}) {
        if (*each >= 0) close(*each);
        *each = -1;
    }
}

}  // namespace

#endif
