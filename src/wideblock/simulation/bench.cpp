// SPDX-License-Identifier: Apache-2.0
// Drives the Verilated model of one sector core for many cycles at a time and writes down what its ports did.
//
// A cycle is what one rising edge of aclk sees: inputs are set while aclk is low, every port is sampled after the
// logic has settled, then the edge comes. All cycle numbers count these edges since the model was made.
#include "Vcore.h"
#include "verilated.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

// Verilator's runtime asks for the time in messages only.
double sc_time_stamp() { return 0; }

namespace {

enum Event : uint8_t { ZEROIZE = 0, RESET = 1 };
enum Outcome : int32_t { DONE = 0, STUCK = 1, LIMIT = 2, RECORD_FULL = 3, VIOLATION = 4 };
enum Rule : int32_t { VALID_DROPPED = 1, PAYLOAD_CHANGED = 2, VALID_IN_RESET = 3, KEEP_BROKEN = 4 };

// One call's stimulus, its record, and where both stand; the Python side declares the same fields.
struct Job {
    // sectors: beats one after another, how many each sector has, and what its first beat carries in tuser
    const uint8_t* beats;
    const int64_t* counts;
    const int64_t* tails;  // bytes of each sector's last beat, where the core has tkeep; none or a hole (-1) for faults
    const uint8_t* tweaks;
    const uint8_t* decrypt;
    int64_t sectors;
    // keys, in order: offered from key_cycle on; if key_sector >= 0 that sector is held back until the key is taken
    const uint8_t* keys;
    const int64_t* key_sector;
    const int64_t* key_cycle;
    int64_t n_keys;
    // events, in order of their cycle
    const int64_t* event_cycle;
    const int64_t* event_length;
    const uint8_t* event_kind;
    int64_t n_events;
    // chances of 2^32 that a beat is offered and that one is taken, a cycle; noise on idle inputs
    uint64_t offer;
    uint64_t take;
    uint64_t noise;
    // when to return
    int64_t want;         // output beats that must be seen
    int64_t tail;         // quiet cycles after the last activity
    int64_t patience;     // quiet cycles that mean the core is stuck
    int64_t limit;        // cycles of this call
    int64_t until_taken;  // return at the last input beat, whatever is still inside
    // record
    uint8_t* out;
    uint8_t* out_last;
    int64_t* out_bytes;
    int64_t* out_cycle;
    int64_t out_capacity;
    int64_t* first_in;
    int64_t* last_in;
    int64_t* taken_in;
    int64_t* key_taken;
    int64_t* fault_cycle;
    uint8_t* fault_cause;
    int64_t* ready_cycle;
    uint8_t* ready_value;
    int64_t* computed_cycle;
    int64_t log_capacity;  // of each of the three logs above
    // where the call stands
    int64_t sector;
    int64_t beat;
    int64_t offset;
    int64_t key;
    int64_t event;
    int64_t n_out;
    int64_t n_fault;
    int64_t n_ready;
    int64_t n_computed;
    int64_t violation;
    int64_t violation_cycle;
    int64_t cycle;
};

template <class Port> void put(Port& port, const uint8_t* from) { std::memcpy(&port, from, sizeof(Port)); }

constexpr size_t DATA = sizeof(Vcore::s_axis_tdata);
constexpr size_t USER = sizeof(Vcore::s_axis_tuser);
constexpr unsigned USER_BITS = 129;
constexpr size_t KEY = sizeof(Vcore::s_axis_key_tdata);
static_assert(sizeof(Vcore::m_axis_tdata) == DATA, "input and output beats differ in width");

// tkeep of a core that has it, as the number of bytes from byte 0 on; whole beats where there is none.
template <class Model, class = void> struct Keep {
    static constexpr bool PRESENT = false;
    static void offer(Model&, int64_t) {}
    static void fill(Model&, const uint8_t*) {}
    static int64_t taken(const Model&) { return DATA; }
};

template <class Model> struct Keep<Model, std::void_t<decltype(Model::s_axis_tkeep)>> {
    static constexpr bool PRESENT = true;
    static void offer(Model& m, int64_t bytes) {
        uint8_t bits[DATA / 8] = {};
        for (int64_t i = 0; i < bytes; i++) bits[i / 8] |= 1 << i % 8;
        if (bytes < 0) bits[0] = 5;  // two bytes with a hole between them
        put(m.s_axis_tkeep, bits);
    }
    static void fill(Model& m, const uint8_t* bits) { put(m.s_axis_tkeep, bits); }
    static int64_t taken(const Model& m) {  // -1: not a run from byte 0
        uint8_t bits[DATA / 8];
        std::memcpy(bits, &m.m_axis_tkeep, sizeof(bits));
        int64_t bytes = 0;
        while (bytes < int64_t(DATA) && bits[bytes / 8] >> bytes % 8 & 1) bytes++;
        for (int64_t i = bytes; i < int64_t(DATA); i++)
            if (bits[i / 8] >> i % 8 & 1) return -1;
        return bytes;
    }
};
using Tail = Keep<Vcore>;

struct Random {  // xorshift64*
    uint64_t state = 1;
    uint64_t next() {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return state * 0x2545F4914F6CDD1DULL;
    }
    bool chance(uint64_t of_2_32) { return of_2_32 >> 32 || next() >> 32 < of_2_32; }
    void fill(uint8_t* to, size_t n) {
        for (size_t i = 0; i < n; i += 8) {
            const uint64_t word = next();
            std::memcpy(to + i, &word, n - i < 8 ? n - i : 8);
        }
    }
};

class Bench {
  public:
    Bench() : context_(new VerilatedContext), model_(new Vcore(context_.get())) {
        Vcore& m = *model_;
        m.aclk = 0;
        m.aresetn = 1;
        m.zeroize = 0;
        m.s_axis_tvalid = 0;
        m.s_axis_tlast = 0;
        m.s_axis_key_tvalid = 0;
        m.m_axis_tready = 0;
        m.eval();
    }

    ~Bench() { model_->final(); }

    void seed(uint64_t value) {
        random_.state = value * 0x9E3779B97F4A7C15ULL | 1;
        for (int i = 0; i < 4; i++) random_.next();
    }

    Outcome run(Job& job) {
        Vcore& m = *model_;
        int64_t quiet = 0;
        const int64_t end = cycle_ + job.limit;
        while (true) {
            if (finished(job, quiet)) return stop(job, DONE);
            if (job.n_out == job.out_capacity) return stop(job, RECORD_FULL);
            if (quiet >= job.patience) return stop(job, STUCK);
            if (cycle_ >= end) return stop(job, LIMIT);
            withdraw();
            events(job);
            offer_key(job);
            offer_beat(job);
            m.m_axis_tready = random_.chance(job.take);
            m.aclk = 0;
            m.eval();
            bool active = !m.aresetn || m.zeroize || (job.event < job.n_events);
            if (!check_stream(job)) return stop(job, VIOLATION);
            if (m.aresetn) active |= sample(job);
            remember(job);
            m.aclk = 1;
            m.eval();
            quiet = active ? 0 : quiet + 1;
            cycle_++;
        }
    }

    int64_t cycle() const { return cycle_; }

  private:
    static bool finished(const Job& job, int64_t quiet) {
        if (job.sector < job.sectors || job.key < job.n_keys || job.event < job.n_events) return false;
        return job.until_taken || (job.n_out >= job.want && quiet >= job.tail);
    }

    Outcome stop(Job& job, Outcome outcome) {
        job.cycle = cycle_;
        return outcome;
    }

    // What the last edge took is no longer offered.
    void withdraw() {
        if (beat_taken_) model_->s_axis_tvalid = 0;
        if (key_taken_) model_->s_axis_key_tvalid = 0;
        beat_taken_ = key_taken_ = false;
    }

    void events(Job& job) {
        Vcore& m = *model_;
        m.zeroize = 0;
        m.aresetn = 1;
        while (job.event < job.n_events) {
            const int64_t start = job.event_cycle[job.event];
            if (cycle_ < start) return;
            if (cycle_ >= start + job.event_length[job.event]) {
                job.event++;
                continue;
            }
            if (job.event_kind[job.event] == ZEROIZE) {
                m.zeroize = 1;
                return;
            }
            m.aresetn = 0;
            m.s_axis_tvalid = 0;
            m.s_axis_key_tvalid = 0;
            if (job.sector < job.sectors && job.beat > 0) {  // a source that is reset starts with a whole sector
                job.offset += job.counts[job.sector] - job.beat;
                job.sector++;
                job.beat = 0;
            }
            return;
        }
    }

    void offer_key(Job& job) {
        Vcore& m = *model_;
        if (!m.aresetn || m.s_axis_key_tvalid) return;
        if (job.key < job.n_keys && cycle_ >= job.key_cycle[job.key] && job.key_sector[job.key] <= job.sector) {
            if (job.key_sector[job.key] >= 0 && job.beat > 0) return;
            m.s_axis_key_tvalid = 1;
            put(m.s_axis_key_tdata, job.keys + job.key * KEY);
        } else if (job.noise) {
            noise(m.s_axis_key_tdata, 8 * KEY);
        }
    }

    void offer_beat(Job& job) {
        Vcore& m = *model_;
        if (!m.aresetn || m.s_axis_tvalid) return;
        const bool key_first = job.key < job.n_keys && job.key_sector[job.key] >= 0 &&
                               job.key_sector[job.key] <= job.sector && job.beat == 0;
        if (job.sector < job.sectors && !key_first && random_.chance(job.offer)) {
            m.s_axis_tvalid = 1;
            m.s_axis_tlast = job.beat + 1 == job.counts[job.sector];
            put(m.s_axis_tdata, job.beats + job.offset * DATA);
            Tail::offer(m, m.s_axis_tlast ? job.tails[job.sector] : DATA);
            if (!m.s_axis_tlast && job.noise) noise_keep();  // only the last beat's counts
            if (job.beat == 0) {
                uint8_t user[USER] = {};
                std::memcpy(user, job.tweaks + job.sector * 16, 16);
                user[16] = job.decrypt[job.sector];
                put(m.s_axis_tuser, user);
            } else if (job.noise) {
                noise(m.s_axis_tuser, USER_BITS);  // only the first beat's counts
            }
        } else if (job.noise) {
            noise(m.s_axis_tdata, 8 * DATA);
            noise(m.s_axis_tuser, USER_BITS);
            noise_keep();
            m.s_axis_tlast = random_.next() >> 63;
        }
    }

    void noise_keep() {
        uint8_t bits[DATA / 8];
        if (!Tail::PRESENT) return;
        random_.fill(bits, sizeof(bits));
        Tail::fill(*model_, bits);
    }

    template <class Port> void noise(Port& port, unsigned bits) {
        uint8_t to[sizeof(Port)];
        random_.fill(to, sizeof(Port));
        for (size_t i = (bits + 7) / 8; i < sizeof(Port); i++) to[i] = 0;
        if (bits % 8) to[bits / 8] &= (1 << bits % 8) - 1;
        put(port, to);
    }

    // AXI4-Stream, 2.2.1: once asserted, TVALID and its payload stay until TREADY. A reset or zeroize ends that.
    bool check_stream(Job& job) {
        Vcore& m = *model_;
        int64_t broken = 0;
        if (!m.aresetn && !was_aresetn_ && m.m_axis_tvalid) broken = VALID_IN_RESET;
        if (held_ && m.aresetn && !m.zeroize) {
            if (!m.m_axis_tvalid) broken = VALID_DROPPED;
            else if (m.m_axis_tlast != held_last_ || Tail::taken(m) != held_bytes_ || std::memcmp(&m.m_axis_tdata, held_data_, DATA))
                broken = PAYLOAD_CHANGED;
        }
        if (m.aresetn && m.m_axis_tvalid && Tail::taken(m) < (m.m_axis_tlast ? 1 : int64_t(DATA))) broken = KEEP_BROKEN;
        if (!broken) return true;
        job.violation = broken;
        job.violation_cycle = cycle_;
        return false;
    }

    bool sample(Job& job) {
        Vcore& m = *model_;
        bool active = job.key < job.n_keys && cycle_ < job.key_cycle[job.key];
        beat_taken_ = m.s_axis_tvalid && m.s_axis_tready;
        key_taken_ = m.s_axis_key_tvalid && m.s_axis_key_tready;
        if (beat_taken_) {
            active = true;
            if (job.beat == 0) job.first_in[job.sector] = cycle_;
            job.last_in[job.sector] = cycle_;
            job.taken_in[job.sector]++;
            job.offset++;
            if (++job.beat == job.counts[job.sector]) {
                job.sector++;
                job.beat = 0;
            }
        }
        if (key_taken_) {
            active = true;
            job.key_taken[job.key++] = cycle_;
        }
        if (m.m_axis_tvalid) {
            active = true;
            if (m.m_axis_tready) {
                std::memcpy(job.out + job.n_out * DATA, &m.m_axis_tdata, DATA);
                job.out_last[job.n_out] = m.m_axis_tlast;
                job.out_bytes[job.n_out] = Tail::taken(m);
                job.out_cycle[job.n_out++] = cycle_;
            }
        }
        if (m.fault && job.n_fault < job.log_capacity) {
            active = true;
            job.fault_cycle[job.n_fault] = cycle_;
            job.fault_cause[job.n_fault++] = m.fault;
        }
        if (m.computed && job.n_computed < job.log_capacity) {
            active = true;
            job.computed_cycle[job.n_computed++] = cycle_;
        }
        return active;
    }

    void remember(Job& job) {
        Vcore& m = *model_;
        if (m.ready != was_ready_ && job.n_ready < job.log_capacity) {
            was_ready_ = m.ready;
            job.ready_cycle[job.n_ready] = cycle_;
            job.ready_value[job.n_ready++] = m.ready;
        }
        held_ = m.aresetn && !m.zeroize && m.m_axis_tvalid && !m.m_axis_tready;
        if (held_) {
            held_last_ = m.m_axis_tlast;
            held_bytes_ = Tail::taken(m);
            std::memcpy(held_data_, &m.m_axis_tdata, DATA);
        }
        was_aresetn_ = m.aresetn;
    }

    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<Vcore> model_;
    Random random_;
    int64_t cycle_ = 0;
    bool was_aresetn_ = true;
    bool was_ready_ = false;
    bool held_ = false;
    bool held_last_ = false;
    int64_t held_bytes_ = 0;
    bool beat_taken_ = false;
    bool key_taken_ = false;
    uint8_t held_data_[DATA];
};

}  // namespace

extern "C" {
void* bench_new() { return new Bench; }
void bench_delete(void* bench) { delete static_cast<Bench*>(bench); }
void bench_seed(void* bench, uint64_t seed) { static_cast<Bench*>(bench)->seed(seed); }
int32_t bench_run(void* bench, Job* job) { return static_cast<Bench*>(bench)->run(*job); }
int64_t bench_cycle(void* bench) { return static_cast<Bench*>(bench)->cycle(); }
int64_t beat_bytes() { return DATA; }
int32_t has_keep() { return Tail::PRESENT; }
int64_t job_bytes() { return sizeof(Job); }
}
