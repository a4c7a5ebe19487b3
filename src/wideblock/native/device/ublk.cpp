// SPDX-License-Identifier: Apache-2.0
// Server of ublk, a block device that Linux hands to a program: the block device of device.h. Parameters are name=value.
//
// The main thread adds the device, starts it, waits for a signal, and deletes the device when nobody uses it. Each queue has
// a thread with an io_uring of its own. The kernel copies data to and from memory of the server, which is locked and wiped.
// Where the server is killed, the kernel removes /dev/ublkbN; /dev/ublkcN stays until the driver is unloaded.
//
// Source: Linux, Documentation/block/ublk.rst and include/uapi/linux/ublk_cmd.h; io_uring_setup(2), io_uring_enter(2).
#define _FILE_OFFSET_BITS 64

#include <chrono>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <system_error>
#include <thread>

#include <linux/io_uring.h>
#include <linux/ublk_cmd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "device.h"

namespace {

constexpr char CONTROL[] = "/dev/ublk-control";
constexpr unsigned DEPTH = 32, QUEUES = 4;  // requests of a queue at a time; most queues
constexpr unsigned MOST = 128 << 10;        // bytes of a request
constexpr unsigned BLOCK = 9;               // binary logarithm of the least request's bytes

void complain(const char* format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "wideblock: %s\n", line);
}

[[noreturn]] void fail(int error, const char* what) {
    complain("%s: %s", what, strerror(error));
    throw Failure{error};
}

class Descriptor {
public:
    explicit Descriptor(long descriptor) : descriptor_(static_cast<int>(descriptor)) {}
    ~Descriptor() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    operator int() const { return descriptor_; }

private:
    const int descriptor_;
};

// Part of a file in memory.
class Mapping {
public:
    Mapping(int file, int protection, size_t bytes, uint64_t at, const char* what)
        : bytes_(bytes), at_(mmap(nullptr, bytes, protection, MAP_SHARED | MAP_POPULATE, file, static_cast<off_t>(at))) {
        if (at_ == MAP_FAILED) fail(errno, what);
    }
    ~Mapping() { munmap(at_, bytes_); }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    template <typename T>
    T* at(size_t offset = 0) const {
        return reinterpret_cast<T*>(static_cast<uint8_t*>(at_) + offset);
    }

private:
    const size_t bytes_;
    void* const at_;
};

// Commands to a driver by an io_uring, of one thread at a time; at most `entries` are on their way.
class Ring {
    static constexpr size_t ENTRY = 128;  // bytes, of IORING_SETUP_SQE128

public:
    explicit Ring(unsigned entries)
        : given_(), descriptor_(setup(entries, given_)),
          rings_(descriptor_, PROT_READ | PROT_WRITE,
                 std::max<size_t>(given_.sq_off.array + given_.sq_entries * sizeof(uint32_t),
                                  given_.cq_off.cqes + given_.cq_entries * sizeof(io_uring_cqe)),
                 IORING_OFF_SQ_RING, "io_uring"),
          entries_(descriptor_, PROT_READ | PROT_WRITE, given_.sq_entries * ENTRY, IORING_OFF_SQES, "io_uring") {}

    template <typename Command>
    void push(int file, uint32_t operation, const Command& command, uint64_t name) {
        uint32_t* const tail = rings_.at<uint32_t>(given_.sq_off.tail);
        const uint32_t index = *tail & (given_.sq_entries - 1);
        io_uring_sqe* const entry = entries_.at<io_uring_sqe>(index * ENTRY);
        memset(static_cast<void*>(entry), 0, ENTRY);
        entry->opcode = IORING_OP_URING_CMD;
        entry->fd = file;
        entry->cmd_op = operation;
        entry->user_data = name;
        static_assert(offsetof(io_uring_sqe, cmd) + sizeof command <= ENTRY, "the command fits its entry");
        memcpy(entries_.at<uint8_t>(index * ENTRY + offsetof(io_uring_sqe, cmd)), &command, sizeof command);
        rings_.at<uint32_t>(given_.sq_off.array)[index] = index;
        __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
        ++pushed_;
    }

    // Sends what was pushed, waits for a result, and calls `take` with the name and the result of each that is there.
    template <typename Take>
    void wait(Take take) {
        const long sent = syscall(__NR_io_uring_enter, int(descriptor_), pushed_, 1, IORING_ENTER_GETEVENTS, nullptr, 0);
        if (sent < 0 && errno != EINTR) fail(errno, "io_uring_enter");
        if (sent > 0) pushed_ -= static_cast<unsigned>(sent);
        uint32_t* const head = rings_.at<uint32_t>(given_.cq_off.head);
        const uint32_t tail = __atomic_load_n(rings_.at<uint32_t>(given_.cq_off.tail), __ATOMIC_ACQUIRE);
        for (uint32_t at = *head; at != tail;) {
            const io_uring_cqe found = rings_.at<io_uring_cqe>(given_.cq_off.cqes)[at & (given_.cq_entries - 1)];
            __atomic_store_n(head, ++at, __ATOMIC_RELEASE);
            take(found.user_data, found.res);
        }
    }

private:
    static long setup(unsigned entries, io_uring_params& given) {
        given.flags = IORING_SETUP_SQE128;
        const long made = syscall(__NR_io_uring_setup, entries, &given);
        if (made < 0) fail(errno, "io_uring_setup");
        return made;
    }

    io_uring_params given_;
    const Descriptor descriptor_;
    const Mapping rings_, entries_;
    unsigned pushed_ = 0;
};

// The driver's control.
class Driver {
public:
    Driver() : control_(control()), ring_(1) {}

    // The result of a command, which has `bytes` at `data`.
    int ask(uint32_t operation, uint32_t device, void* data = nullptr, size_t bytes = 0, uint64_t value = 0) {
        ublksrv_ctrl_cmd command{};
        command.dev_id = device;
        command.queue_id = UINT16_MAX;
        command.data[0] = value;
        command.addr = reinterpret_cast<uintptr_t>(data);
        command.len = static_cast<uint16_t>(bytes);
        ring_.push(control_, operation, command, 0);
        int result = 0;
        for (bool answered = false; !answered;)
            ring_.wait([&](uint64_t, int32_t given) { answered = true, result = given; });
        return result;
    }

    void order(const char* what, uint32_t operation, uint32_t device, void* data = nullptr, size_t bytes = 0,
               uint64_t value = 0) {
        const int result = ask(operation, device, data, bytes, value);
        if (result < 0) fail(-result, what);
    }

private:
    static int control() {
        const int made = open(CONTROL, O_RDWR | O_CLOEXEC);
        if (made >= 0) return made;
        const int error = errno;
        if (error == EACCES || error == EPERM)
            complain("no permission for %s; run wideblock ublk as root", CONTROL);
        else if (error == ENOENT || error == ENODEV || error == ENXIO)
            complain("no %s; load the driver, of Linux 6.0 or newer, by modprobe ublk_drv, or use wideblock nbd", CONTROL);
        else
            complain("%s: %s", CONTROL, strerror(error));
        throw Failure{error};
    }

    const Descriptor control_;
    Ring ring_;
};

// The result of a request whose data are at `data`, as the driver wants it: bytes, or an error's negative number.
int32_t served(const ublksrv_io_desc& request, uint8_t* data) {
    const uint64_t at = request.start_sector << BLOCK;
    const size_t bytes = size_t(request.nr_sectors) << BLOCK;
    const unsigned operation = ublksrv_get_op(&request);
    if (operation != UBLK_IO_OP_READ && operation != UBLK_IO_OP_WRITE && operation != UBLK_IO_OP_FLUSH) return -EOPNOTSUPP;
    const int error = error_of([&] {
        if (operation == UBLK_IO_OP_READ) return in_pieces(data, at, bytes, read_piece);
        if (operation == UBLK_IO_OP_WRITE) in_pieces(static_cast<const uint8_t*>(data), at, bytes, write_piece);
        if (operation == UBLK_IO_OP_FLUSH || request.op_flags & UBLK_IO_F_FUA) synchronise();
    });
    return error ? -error : operation == UBLK_IO_OP_FLUSH ? 0 : static_cast<int32_t>(bytes);
}

class Queue {
public:
    Queue(int device, uint16_t number, size_t page)
        : device_(device), number_(number), ring_(DEPTH),
          requests_(device, PROT_READ, (DEPTH * sizeof(ublksrv_io_desc) + page - 1) / page * page,
                    UBLKSRV_CMD_BUF_OFFSET + number * UBLK_MAX_QUEUE_DEPTH * sizeof(ublksrv_io_desc), "queue"),
          room_(size_t(DEPTH) * MOST + page),
          data_(room_.data() + (page - reinterpret_cast<uintptr_t>(room_.data()) % page) % page) {}

    // Serves requests until the driver has taken all of them back.
    void serve() {
        for (uint16_t tag = 0; tag < DEPTH; ++tag) fetch(UBLK_IO_FETCH_REQ, tag, 0);
        for (unsigned left = DEPTH; left;)
            ring_.wait([&](uint64_t name, int32_t result) {
                const auto tag = static_cast<uint16_t>(name);
                if (result == UBLK_IO_RES_ABORT) return void(--left);
                if (result != UBLK_IO_RES_OK) fail(-result, "queue of the device");
                const ublksrv_io_desc request = requests_.at<ublksrv_io_desc>()[tag];
                fetch(UBLK_IO_COMMIT_AND_FETCH_REQ, tag, served(request, data_ + size_t(tag) * MOST));
            });
    }

private:
    void fetch(uint32_t operation, uint16_t tag, int32_t result) {
        ublksrv_io_cmd command{};
        command.q_id = number_;
        command.tag = tag;
        command.result = result;
        command.addr = reinterpret_cast<uintptr_t>(data_ + size_t(tag) * MOST);
        ring_.push(device_, operation, command, tag);
    }

    const int device_;
    const uint16_t number_;
    Ring ring_;
    const Mapping requests_;
    Secret room_;
    uint8_t* const data_;
};

// The device while it exists: from its being added to the end of the object, or to a signal to this process.
class Device {
public:
    Device(Driver& driver) : driver_(driver), info_() {
        info_.nr_hw_queues = static_cast<uint16_t>(std::clamp(std::thread::hardware_concurrency(), 1U, QUEUES));
        info_.queue_depth = DEPTH;
        info_.max_io_buf_bytes = MOST;
        info_.dev_id = UINT32_MAX;
        driver_.order("the device cannot be added", UBLK_CMD_ADD_DEV, UINT32_MAX, &info_, sizeof info_);
    }
    ~Device() { driver_.ask(UBLK_CMD_DEL_DEV, info_.dev_id); }
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    // Serves until one of `signals`, and until the device is not in use any more.
    void serve(const sigset_t& signals) {
        describe();
        const std::string node = "/dev/ublkc" + std::to_string(info_.dev_id);
        const Descriptor device(open(node.c_str(), O_RDWR | O_CLOEXEC));
        if (device < 0) fail(errno, node.c_str());
        std::vector<std::unique_ptr<Queue>> queues;
        for (uint16_t n = 0; n < info_.nr_hw_queues; ++n)
            queues.push_back(std::make_unique<Queue>(device, n, static_cast<size_t>(sysconf(_SC_PAGESIZE))));
        mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);  // no key and no data on a swap device, as far as the system grants it
        std::vector<std::thread> threads;
        int started = 0;
        try {
            for (const auto& each : queues)
                threads.emplace_back([&each] {
                    if (error_of([&each] { each->serve(); })) _exit(1);  // the kernel removes the device
                });
        } catch (const std::system_error& error) {
            started = -error.code().value();
        }
        if (!started) started = driver_.ask(UBLK_CMD_START_DEV, info_.dev_id, nullptr, 0, static_cast<uint64_t>(getpid()));
        if (!started) wait(signals);
        driver_.ask(UBLK_CMD_STOP_DEV, info_.dev_id);
        for (std::thread& each : threads) each.join();
        if (started) fail(-started, "the device cannot be started");
    }

private:
    // Tells the driver what the device is: requests of 512 bytes on, best those of whole sectors.
    void describe() {
        unsigned best = BLOCK;
        if (!(unit & (unit - 1)) && unit <= MOST)
            while (size_t(1) << best < unit) ++best;
        ublk_params p{};
        p.len = sizeof p;
        p.types = UBLK_PARAM_TYPE_BASIC;
        p.basic.attrs = UBLK_ATTR_VOLATILE_CACHE | UBLK_ATTR_FUA | (writable ? 0 : UBLK_ATTR_READ_ONLY);
        p.basic.logical_bs_shift = BLOCK;
        p.basic.physical_bs_shift = p.basic.io_min_shift = p.basic.io_opt_shift = static_cast<uint8_t>(best);
        p.basic.max_sectors = MOST >> BLOCK;
        p.basic.dev_sectors = size >> BLOCK;
        driver_.order("the device cannot be described", UBLK_CMD_SET_PARAMS, info_.dev_id, &p, sizeof p);
    }

    void wait(const sigset_t& signals) const {
        const std::string node = "/dev/ublkb" + std::to_string(info_.dev_id);
        printf("%s\n", node.c_str());
        fflush(stdout);
        int signal;
        sigwait(&signals, &signal);
        for (bool told = false;; told = true) {
            const Descriptor own(open(node.c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
            if (own >= 0 || errno != EBUSY) return;
            if (!told) complain("%s is in use; the server ends when it is free", node.c_str());
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    }

    Driver& driver_;
    ublksrv_ctrl_dev_info info_;
};

void run() {
    if (size % (1 << BLOCK)) {
        complain("%s has %" PRIu64 " bytes; it must be a multiple of %d for ublk", file.c_str(), size, 1 << BLOCK);
        throw Failure{EINVAL};
    }
    sigset_t signals;
    sigemptyset(&signals);
    for (const int each : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, each);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // of all threads, which are made later
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0);  // memory is not reclaimed by writing to the device itself
    Driver driver;
    Device device(driver);
    device.serve(signals);
    close_device();  // before the driver waits for those who have the device open
}

}  // namespace

int main(int count, char** words) {
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // no key in a core file
    try {
        for (int n = 1; n < count; ++n) {
            const std::string word = words[n];
            const size_t end = std::min(word.find('='), word.size());
            if (!configure(word.substr(0, end), end < word.size() ? word.substr(end + 1) : "")) return 1;
        }
        if (!complete() || !open_device()) return 1;
        run();
    } catch (const Failure&) {
        close_device();
        return 1;
    } catch (const std::bad_alloc&) {
        complain("no memory");
        close_device();
        return 1;
    }
    return 0;
}
