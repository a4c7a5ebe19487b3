// SPDX-License-Identifier: Apache-2.0
// Threads that a context keeps, and the work that calls share with them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

// Parts of a call, each done once by one thread. The call's own thread does all that no other one has begun, so a pool
// without threads, or in a child process that fork left none, only makes a call slower.
class Pool {
  public:
    Pool() = default;
    Pool(const Pool &) = delete;

    ~Pool() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            ended_ = true;
        }
        begun_.notify_all();
        for (auto &thread : threads_) thread.join();
    }

    // A child process cannot join the threads, nor free what they wait for: it keeps the memory.
    struct Ended {
        void operator()(Pool *pool) const {
            if (!pool->process_ || pool->process_ == getpid()) delete pool;
        }
    };

    // Starts threads until there are so many, or as many as the system grants.
    void reserve(size_t most) {
        if (process_ && process_ != getpid()) return;
        std::lock_guard<std::mutex> lock(mutex_);
        sigset_t all, before;  // signals are for the threads of the program
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        try {
            process_ = getpid();
            while (threads_.size() < most) threads_.emplace_back([this] { work(); });
        } catch (const std::exception &) {
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }

    // Calls part(0) to part(parts - 1), and returns when all have been done.
    template <class Part> void run(size_t parts, const Part &part) {
        Work own{[](const void *of, size_t i) { (*(const Part *)of)(i); }, &part, parts};
        if (process_ != getpid()) {
            while (own.next < parts) part(own.next++);
            return;
        }
        std::unique_lock<std::mutex> lock(mutex_);
        own.after = first_;
        first_ = &own;
        begun_.notify_all();
        while (own.next < parts) take(own, lock);
        done_.wait(lock, [&] { return !own.running; });
    }

  private:
    struct Work {
        void (*part)(const void *, size_t);
        const void *of;
        size_t parts, next = 0, running = 0;
        Work *after = nullptr;
    };

    // Does the next part of some work; `lock` is held before and after.
    void take(Work &some, std::unique_lock<std::mutex> &lock) {
        size_t i = some.next++;
        if (some.next == some.parts) {
            Work **at = &first_;
            while (*at != &some) at = &(*at)->after;
            *at = some.after;
        }
        some.running++;
        lock.unlock();
        some.part(some.of, i);
        lock.lock();
        if (!--some.running) done_.notify_all();
    }

    void work() {
        std::unique_lock<std::mutex> lock(mutex_);
        while (true) {
            begun_.wait(lock, [&] { return first_ || ended_; });
            if (!first_) return;
            take(*first_, lock);
        }
    }

    std::mutex mutex_;
    std::condition_variable begun_, done_;
    std::vector<std::thread> threads_;
    std::atomic<pid_t> process_{0};  // of the threads
    Work *first_ = nullptr;
    bool ended_ = false;
};

}  // namespace
