// SPDX-License-Identifier: Apache-2.0
// Drives the Verilated model of one module for many cycles at a time, and records its ports.
//
// The module has channels of words with valid and ready, and controls beside them; the bench knows no meaning of either.
// A cycle is what one rising edge of the clock sees: inputs are set while the clock is low, every port is sampled after
// the logic has settled, then the edge comes.
#include "Vcore.h"
#include "verilated.h"
#if SAVABLE
#include "verilated_save.h"
#endif
#if VM_COVERAGE
#include "verilated_cov.h"
#endif
#if VM_TRACE_VCD
#include "verilated_vcd_c.h"
using Wave = VerilatedVcdC;
#elif VM_TRACE_FST
#include "verilated_fst_c.h"
using Wave = VerilatedFstC;
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

// Verilator's runtime asks for the time in messages only.
double sc_time_stamp() { return 0; }

namespace {

struct Pins {  // a port of the model: its memory, and its place in a word's payload
    void* at;
    uint32_t bytes, bits, offset;
};

struct Channel {  // bytes of a word's head, from word to word, and of the payload
    CData* valid;
    CData* ready;
    size_t head, stride, bytes;
    std::vector<Pins> payload;
};

struct Output {  // a control that the module drives
    Pins pins;
    bool pulse;
};

struct Table {
    CData* clock;
    CData* reset;
    CData in_reset;  // value of reset that resets
    std::vector<Channel> inputs, outputs;
    std::vector<Pins> controls;
    std::vector<Output> watches;
};

#include "ports.h"

struct Random {  // xorshift64*
    uint64_t state = 1;

    void seed(uint64_t value) {
        state = value * 0x9E3779B97F4A7C15ULL | 1;
        for (int i = 0; i < 4; i++) next();
    }
    uint64_t next() {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return state * 0x2545F4914F6CDD1DULL;
    }
    bool happens(double chance) { return chance >= 1 || static_cast<double>(next() >> 11) * 0x1p-53 < chance; }
    void fill(const Pins& pins) {
        auto* to = static_cast<uint8_t*>(pins.at);
        for (uint32_t i = 0; i < pins.bytes; i += 8) {
            const uint64_t word = next();
            std::memcpy(to + i, &word, pins.bytes - i < 8 ? pins.bytes - i : 8);
        }
        for (uint32_t i = (pins.bits + 7) / 8; i < pins.bytes; i++) to[i] = 0;
        if (pins.bits % 8) to[pins.bits / 8] &= static_cast<uint8_t>((1U << pins.bits % 8) - 1);
    }
};

uint64_t value_of(const Pins& pins) {
    uint64_t value = 0;
    std::memcpy(&value, pins.at, pins.bytes < sizeof(value) ? pins.bytes : sizeof(value));
    return value;
}

void put(const Pins& pins, uint64_t value) {
    std::memset(pins.at, 0, pins.bytes);
    std::memcpy(pins.at, &value, pins.bytes < sizeof(value) ? pins.bytes : sizeof(value));
}

#if SAVABLE
struct State final : VerilatedSerialize {  // a state in memory: where each variable starts, and their names in lines
    std::vector<uint8_t> bytes;
    std::vector<int64_t> starts;
    std::string names;

    void flush() override {
        bytes.insert(bytes.end(), m_bufp, m_cp);
        m_cp = m_bufp;
    }
    void mark(const char* module, const char* name) {
        starts.push_back(static_cast<int64_t>(bytes.size()) + (m_cp - m_bufp));
        if (module) ((names += module) += '.') += name;
        names += '\n';
    }
};
#endif

#if VM_COVERAGE
// All instances have one context, so that their counts add up; it reads the counters as it writes: no model is deleted.
VerilatedContext* context() {
    static auto* const shared = new VerilatedContext;
    return shared;
}
#else
VerilatedContext* context() { return new VerilatedContext; }
#endif

class Bench {
  public:
    // After a cycle of reset: no register has an initial value. `power_on` other than 0 gives them random ones before it,
    // where the model is savable.
    explicit Bench(uint64_t power_on) : context_(context()) {
        if (power_on) {
            context_->randReset(2);
            context_->randSeed(static_cast<int>(power_on % 1000000 + 1));
        }
#if VM_TRACE
        context_->traceEverOn(true);
#endif
        model_.reset(new Vcore(context_.get()));
        tabulate(*model_, table_);
        accepted_.resize(table_.inputs.size());
        levels_.resize(table_.watches.size());
        for (const Channel& channel : table_.outputs) held_.emplace_back(channel.bytes);
        is_held_.resize(table_.outputs.size());
        *table_.reset = table_.in_reset;
        for (const Pins& pins : table_.controls) put(pins, 0);
        silence();
        for (const CData clock : {0, 1, 0}) {
            *table_.clock = clock;
            model_->eval();
        }
        *table_.reset = !table_.in_reset;
        model_->eval();
    }

    ~Bench() {
#if VM_TRACE
        if (wave_) wave_->close();
#endif
        model_->final();
#if VM_COVERAGE
        model_.release();
        context_.release();
#else
        Verilated::threadContextp(context_.get());  // the model leaves the thread's context, which may be of another
#endif
    }

    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;

    PlayOutcome run(Job& job, uint64_t seed) {
        random_.seed(seed);
        begin();
        const PlayOutcome outcome = play(job);
        job.cycles = now_;
        total_ += now_;
        return outcome;
    }

    int64_t cycle() const { return total_; }

#if SAVABLE
    // All that the model holds while its inputs are idle: registers, memories and nets.
    const State& save() {
        *table_.clock = 0;
        *table_.reset = !table_.in_reset;
        for (const Pins& pins : table_.controls) put(pins, 0);
        silence();
        model_->eval();
        state_ = std::make_unique<State>();
        *state_ << *model_;
        state_->flush();
        return *state_;
    }
#endif

#if VM_TRACE
    // From now on each call is written to this file, over the one before. A cycle takes 10 units of time.
    void trace(const char* file) { file_ = file; }
#endif

  private:
    void silence() {
        for (const Channel& channel : table_.inputs) {
            *channel.valid = 0;
            for (const Pins& pins : channel.payload) std::memset(pins.at, 0, pins.bytes);
        }
        for (const Channel& channel : table_.outputs) *channel.ready = 0;
    }

    void begin() {
        now_ = 0;
        fresh_ = true;
        for (const Channel& channel : table_.inputs) *channel.valid = 0;
        std::fill(accepted_.begin(), accepted_.end(), 0);
#if VM_TRACE
        if (wave_) wave_->close();
        if (!file_.empty()) {  // a new one, as time starts anew
            wave_.reset(new Wave);
            model_->trace(wave_.get(), 99);
            wave_->open(file_.c_str());
        }
#endif
    }

    PlayOutcome play(Job& job) {
        int64_t quiet = 0;
        for (;; now_++) {
            if (finished(job, quiet)) return DONE;
            for (size_t i = 0; i < table_.outputs.size(); i++)
                if (full(job.sinks[i])) return RECORD_FULL;
            if (quiet >= job.patience) return STUCK;
            if (now_ >= job.limit) return LIMIT;
            bool active = drive_controls(job);
            for (size_t i = 0; i < table_.inputs.size(); i++) drive(job, i);
            for (size_t i = 0; i < table_.outputs.size(); i++)
                *table_.outputs[i].ready = random_.happens(job.sinks[i].chance);
            settle(0);
            if (!rules_hold(job)) return VIOLATION;
            for (size_t i = 0; i < table_.inputs.size(); i++) active |= accept(job.sources[i], i);
            for (size_t i = 0; i < table_.outputs.size(); i++) {
                active |= record(job.sinks[i], i);
                if (job.sinks[i].shown_capacity) show(job.sinks[i], i);
            }
            for (size_t i = 0; i < table_.watches.size(); i++) active |= watch(job.watches[i], i);
            fresh_ = false;
            was_in_reset_ = in_reset_;
            settle(1);
            quiet = active ? 0 : quiet + 1;
        }
    }

    void settle(CData clock) {
        *table_.clock = clock;
        model_->eval();
#if VM_TRACE
        if (wave_) wave_->dump(static_cast<uint64_t>(10 * now_ + 5 * clock));
#endif
    }

    bool finished(const Job& job, int64_t quiet) const {
        for (size_t i = 0; i < table_.inputs.size(); i++)
            if (job.sources[i].position < job.sources[i].count) return false;
        for (size_t i = 0; i <= table_.controls.size(); i++)
            if (job.controls[i].position < job.controls[i].count) return false;
        if (job.consumed) return true;
        for (size_t i = 0; i < table_.outputs.size(); i++)
            if (job.sinks[i].count < job.sinks[i].wanted) return false;
        return quiet >= job.quiet;
    }

    // The event of a control in this cycle, or none.
    const Event* event(ControlJob& control) const {
        while (control.position < control.count) {
            const Event& next = control.events[control.position];
            if (now_ < next.cycle) return nullptr;
            if (now_ < next.cycle + next.length) return &next;
            control.position++;
        }
        return nullptr;
    }

    // Sets the reset and the controls; true while an event is under way or to come.
    bool drive_controls(Job& job) {
        in_reset_ = event(job.controls[0]) != nullptr;
        clears_ = in_reset_;
        *table_.reset = in_reset_ ? table_.in_reset : !table_.in_reset;
        bool more = job.controls[0].position < job.controls[0].count;
        for (size_t i = 0; i < table_.controls.size(); i++) {
            ControlJob& control = job.controls[i + 1];
            const Event* now = event(control);
            put(table_.controls[i], now ? now->value : 0);
            clears_ |= now && now->clears;
            more |= control.position < control.count;
        }
        return more;
    }

    // Withdraws what the last edge accepted, and makes the next word valid if it may be.
    void drive(Job& job, size_t number) {
        const Channel& channel = table_.inputs[number];
        SourceJob& source = job.sources[number];
        if (accepted_[number]) *channel.valid = 0;
        if (in_reset_) {
            *channel.valid = 0;
            while (source.position < source.count && !word(source, channel)->start) source.position++;
        }
        if (*channel.valid || in_reset_) return;
        if (source.position < source.count) {
            const Word& next = *word(source, channel);
            const bool after = next.after_channel < 0 || job.sources[next.after_channel].position >= next.after_word;
            if (after && now_ >= next.earliest && random_.happens(next.chance)) {
                offer(channel, next);
                return;
            }
        }
        if (job.noise)
            for (const Pins& pins : channel.payload) random_.fill(pins);
    }

    static const Word* word(const SourceJob& source, const Channel& channel) {
        return reinterpret_cast<const Word*>(source.words + source.position * static_cast<int64_t>(channel.stride));
    }

    void offer(const Channel& channel, const Word& next) {
        const auto* payload = reinterpret_cast<const uint8_t*>(&next) + channel.head;
        *channel.valid = 1;
        uint32_t noise = next.noise;
        for (const Pins& pins : channel.payload) {
            if (noise & 1) random_.fill(pins);
            else std::memcpy(pins.at, payload + pins.offset, pins.bytes);
            noise >>= 1;
        }
    }

    // AXI4-Stream, 2.2.1: once asserted, valid and its payload stay until ready. A reset or an event that clears ends that.
    bool rules_hold(Job& job) {
        for (size_t i = 0; i < table_.outputs.size(); i++) {
            const Channel& channel = table_.outputs[i];
            int64_t broken = 0, port = 0;
            if (in_reset_ && was_in_reset_ && *channel.valid) broken = VALID_IN_RESET;
            if (is_held_[i] && !clears_) {
                if (!*channel.valid) broken = VALID_DROPPED;
                for (size_t p = 0; p < channel.payload.size() && !broken; p++) {
                    const Pins& pins = channel.payload[p];
                    if (!std::memcmp(pins.at, &held_[i][pins.offset], pins.bytes)) continue;
                    broken = PAYLOAD_CHANGED;
                    port = static_cast<int64_t>(p);
                }
            }
            if (broken) {
                job.rule = broken;
                job.rule_sink = static_cast<int64_t>(i);
                job.rule_port = port;
                return false;
            }
            is_held_[i] = !clears_ && *channel.valid && !*channel.ready;
            if (is_held_[i]) copy(channel, held_[i].data());
        }
        return true;
    }

    static void copy(const Channel& channel, uint8_t* to) {
        for (const Pins& pins : channel.payload) std::memcpy(to + pins.offset, pins.at, pins.bytes);
    }

    // True if a word is accepted in this cycle, or if the next is only waiting for its cycle.
    bool accept(SourceJob& source, size_t number) {
        const Channel& channel = table_.inputs[number];
        accepted_[number] = !in_reset_ && *channel.valid && *channel.ready;
        const bool waits = source.position < source.count && now_ < word(source, channel)->earliest;
        if (accepted_[number]) source.accepted[source.position++] = now_;
        return accepted_[number] || (waits && !in_reset_);
    }

    bool record(Sink& sink, size_t number) {
        const Channel& channel = table_.outputs[number];
        if (in_reset_ || !*channel.valid) return false;
        if (*channel.ready) {
            uint8_t* to = sink.words + sink.count++ * static_cast<int64_t>(channel.stride);
            std::memcpy(to, &now_, sizeof(now_));
            copy(channel, to + channel.head);
        }
        return true;
    }

    static bool full(const Sink& sink) {
        return sink.count == sink.capacity || (sink.shown_capacity && sink.shown_count == sink.shown_capacity);
    }

    // Records the payload and valid, whatever valid is, unless both are as recorded before.
    void show(Sink& sink, size_t number) {
        const Channel& channel = table_.outputs[number];
        uint8_t* to = sink.shown + sink.shown_count * sink.shown_stride;
        uint8_t* const payload = to + channel.head;
        copy(channel, payload);
        payload[channel.bytes] = *channel.valid;
        if (sink.shown_count && !std::memcmp(payload, payload - sink.shown_stride, channel.bytes + 1)) return;
        std::memcpy(to, &now_, sizeof(now_));
        sink.shown_count++;
    }

    // Records a pulse, or the change of a level. Activity is a pulse as long as there is room for it: a control that
    // pulses for ever must not keep the call from its end.
    bool watch(Watch& watch, size_t number) {
        const Output& output = table_.watches[number];
        const uint64_t value = value_of(output.pins);
        const bool told = output.pulse ? value && !in_reset_ : fresh_ || value != levels_[number];
        levels_[number] = value;
        if (!told || watch.count == watch.capacity) return false;
        watch.log[watch.count++] = {now_, value};
        return output.pulse;
    }

    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<Vcore> model_;
    Table table_;
    Random random_;
    int64_t now_ = 0;    // cycle of this call
    int64_t total_ = 0;  // cycles of all calls before
    bool fresh_ = true;  // whether no cycle of this call has passed
    bool in_reset_ = false;
    bool was_in_reset_ = false;
    bool clears_ = false;
    std::vector<char> accepted_, is_held_;    // a channel: by the last edge; before the last edge
    std::vector<std::vector<uint8_t>> held_;  // payload of each output channel that is held
    std::vector<uint64_t> levels_;
#if SAVABLE
    std::unique_ptr<State> state_;
#endif
#if VM_TRACE
    std::unique_ptr<Wave> wave_;
    std::string file_;
#endif
};

Bench* bench(void* handle) { return static_cast<Bench*>(handle); }

}  // namespace

#if SAVABLE
// The model calls this before it writes each variable.
void bench_mark(VerilatedSerialize& state, const char* module, const char* name) {
    static_cast<State&>(state).mark(module, name);
}
#endif

extern "C" {
void* bench_new(uint64_t power_on) { return new Bench(power_on); }
void bench_delete(void* handle) { delete bench(handle); }
int32_t bench_run(void* handle, Job* job, uint64_t seed) { return bench(handle)->run(*job, seed); }
int64_t bench_cycle(void* handle) { return bench(handle)->cycle(); }
#if SAVABLE
void bench_save(void* handle, Saved* to) {
    const State& state = bench(handle)->save();
    *to = {const_cast<uint8_t*>(state.bytes.data()), static_cast<int64_t>(state.bytes.size()),
           const_cast<int64_t*>(state.starts.data()), static_cast<int64_t>(state.starts.size()),
           reinterpret_cast<uint8_t*>(const_cast<char*>(state.names.c_str()))};
}
#endif
#if VM_COVERAGE
void bench_coverage(const char* file) { context()->coveragep()->write(file); }
#endif
#if VM_TRACE
void bench_trace(void* handle, const char* file) { bench(handle)->trace(file); }
#endif
}
