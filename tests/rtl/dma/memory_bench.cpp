// SPDX-License-Identifier: Apache-2.0
// The exported Verilog of an engine with a master, between a memory that obeys AXI4 and breaks no rule, and buses of
// registers. The memory pauses at random, answers late, refuses what it is told to refuse, and looks at every rule of a
// master: what it finds first is the complaint.
#include "Vcore.h"
#include "verilated.h"

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

double sc_time_stamp() { return 0; }

namespace {
using u8 = uint8_t;
using u32 = uint32_t;
using u64 = uint64_t;
constexpr u64 PAGE = 4096, BEAT = 16;

struct Range {
    u64 first, last;
};

struct Burst {
    u64 at;
    u32 beats, done = 0;
    u64 due;       // cycle from which on the answer may come
    bool bad = false;
};

struct Beat {
    u8 data[BEAT];
    u32 strobe;
    bool last;
};

struct Channel {  // of the master: what is valid and not accepted must stay
    bool waits = false;
    std::string was;
};

struct Bench {
    std::unique_ptr<VerilatedContext> context = std::make_unique<VerilatedContext>();
    std::unique_ptr<Vcore> top = std::make_unique<Vcore>(context.get());
    std::unordered_map<u64, std::vector<u8>> pages;
    std::vector<Range> readable, writable, refused;
    std::deque<Burst> reads, writes, answers;
    std::deque<Beat> beats;
    std::string complaint;
    Channel aw, w, ar;
    u64 cycle = 0, seed = 1, latency = 1, written = 0, bursts_read = 0, bursts_written = 0, last_activity = 0;
    u64 results = 0, units = 0;
    double pause = 0;
    bool r_offered = false, b_offered = false;
    struct Bus {
        bool aw = false, w = false, b = false, ar = false, r = false;
        u32 address = 0, data = 0, strobe = 15, word = 0, response = 0;
    } bus[3];

    u8* byte(u64 at) {
        auto& page = pages[at / PAGE];
        if (page.empty()) page.resize(PAGE);
        return &page[at % PAGE];
    }
    bool pauses() {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        return static_cast<double>(seed >> 11) * 0x1p-53 < pause;
    }
    void complain(const std::string& text) {
        if (complaint.empty()) complaint = "cycle " + std::to_string(cycle) + ": " + text;
    }
    static bool within(const std::vector<Range>& ranges, u64 first, u64 last) {
        for (auto& each : ranges)
            if (first >= each.first && last <= each.last) return true;
        return false;
    }
    static bool touches(const std::vector<Range>& ranges, u64 first, u64 last) {
        for (auto& each : ranges)
            if (first <= each.last && last >= each.first) return true;
        return false;
    }
    void stays(Channel& channel, const char* name, bool valid, bool ready, const std::string& payload) {
        if (channel.waits && (!valid || payload != channel.was)) complain(std::string(name) + " changed while it waited");
        channel.waits = valid && !ready;
        channel.was = payload;
    }
    template <class T>
    static std::string text(const T& value) {
        return std::string(reinterpret_cast<const char*>(&value), sizeof value);
    }
    Burst burst(const char* name, u64 at, u32 beats, u32 size, u32 kind, const std::vector<Range>& permitted) {
        std::string where = std::string(name) + " at " + std::to_string(at) + " of " + std::to_string(beats);
        if (at % BEAT || size != 4 || kind != 1) complain(where + " is not aligned, narrow or not INCR");
        if (at / PAGE != (at + beats * BEAT - 1) / PAGE) complain(where + " leaves its page");
        if (!within(permitted, at, at + beats * BEAT - 1)) complain(where + " is outside of what is permitted");
        return {at, beats, 0, cycle + latency, touches(refused, at, at + beats * BEAT - 1)};
    }
    void inputs() {
        top->m_axi_arready = !pauses();
        top->m_axi_awready = !pauses();
        top->m_axi_wready = !pauses();
        if (!r_offered) r_offered = !reads.empty() && reads.front().due <= cycle && !pauses();
        top->m_axi_rvalid = r_offered;
        memset(&top->m_axi_rdata, 0xa5, BEAT);
        top->m_axi_rlast = 0, top->m_axi_rresp = 0;
        if (r_offered) {
            Burst& of = reads.front();
            u64 at = of.at + BEAT * of.done;
            bool bad = touches(refused, at, at + BEAT - 1);
            if (!bad) memcpy(&top->m_axi_rdata, byte(at), BEAT);
            top->m_axi_rresp = bad ? 2 + (at / PAGE & 1) : 0;
            top->m_axi_rlast = of.done + 1 == of.beats;
        }
        if (!b_offered) b_offered = !answers.empty() && answers.front().due <= cycle && !pauses();
        top->m_axi_bvalid = b_offered;
        top->m_axi_bresp = b_offered && answers.front().bad ? 2 + (answers.front().at / PAGE & 1) : 0;
    }
    void sample() {
        Vcore& t = *top;
        if (t.m_axi_arvalid || t.m_axi_awvalid || t.m_axi_wvalid || !reads.empty() || !answers.empty() || !writes.empty())
            last_activity = cycle;
        stays(ar, "ar", t.m_axi_arvalid, t.m_axi_arready,
              text(t.m_axi_araddr) + text(t.m_axi_arlen) + text(t.m_axi_arcache) + text(t.m_axi_arprot));
        stays(aw, "aw", t.m_axi_awvalid, t.m_axi_awready,
              text(t.m_axi_awaddr) + text(t.m_axi_awlen) + text(t.m_axi_awcache) + text(t.m_axi_awprot));
        stays(w, "w", t.m_axi_wvalid, t.m_axi_wready,
              text(t.m_axi_wdata) + text(t.m_axi_wstrb) + text(t.m_axi_wlast));
        static const u8 nothing[BEAT] = {};
        if (!t.m_axi_wvalid && memcmp(&t.m_axi_wdata, nothing, BEAT)) complain("w has data without valid");
        if (t.m_axi_rvalid && t.m_axi_rready && ++reads.front().done) {
            r_offered = false;
            if (reads.front().done == reads.front().beats) reads.pop_front();
        }
        if (t.m_axi_arvalid && t.m_axi_arready) {
            reads.push_back(burst("read", t.m_axi_araddr, t.m_axi_arlen + 1, t.m_axi_arsize, t.m_axi_arburst, readable));
            bursts_read++;
        }
        if (t.m_axi_bvalid && t.m_axi_bready) answers.pop_front(), b_offered = false;
        if (t.m_axi_awvalid && t.m_axi_awready) {
            writes.push_back(
                burst("write", t.m_axi_awaddr, t.m_axi_awlen + 1, t.m_axi_awsize, t.m_axi_awburst, writable));
            bursts_written++;
        }
        if (t.m_axi_wvalid && t.m_axi_wready) {
            Beat beat{{}, t.m_axi_wstrb, t.m_axi_wlast != 0};
            memcpy(beat.data, &t.m_axi_wdata, BEAT);
            beats.push_back(beat);
        }
        while (!writes.empty() && !beats.empty()) {
            Burst& of = writes.front();
            Beat& beat = beats.front();
            if (beat.last != (of.done + 1 == of.beats)) complain("last is not with the last beat of a write");
            u64 at = of.at + BEAT * of.done;
            if (!touches(refused, at, at + BEAT - 1))
                for (u32 n = 0; n < BEAT; n++)
                    if (beat.strobe >> n & 1) *byte(at + n) = beat.data[n], written++;
            beats.pop_front();
            if (++of.done == of.beats) of.due = cycle + latency, answers.push_back(of), writes.pop_front();
        }
        if (t.m_axi_awvalid && !writes.empty() && writes.size() > 64) complain("addresses without beats");
    }
#define DRIVE(N, P)                                                                                     \
    top->P##_awvalid = bus[N].aw, top->P##_awaddr = bus[N].address, top->P##_wvalid = bus[N].w;         \
    top->P##_wdata = bus[N].data, top->P##_wstrb = bus[N].strobe, top->P##_bready = bus[N].b;           \
    top->P##_arvalid = bus[N].ar, top->P##_araddr = bus[N].address, top->P##_rready = bus[N].r;
#define WATCH(N, P)                                                                                     \
    if (bus[N].aw && top->P##_awready) bus[N].aw = false;                                               \
    if (bus[N].w && top->P##_wready) bus[N].w = false;                                                  \
    if (bus[N].b && top->P##_bvalid) bus[N].b = false, bus[N].response = top->P##_bresp;                \
    if (bus[N].ar && top->P##_arready) bus[N].ar = false;                                               \
    if (bus[N].r && top->P##_rvalid)                                                                    \
        bus[N].r = false, bus[N].word = top->P##_rdata, bus[N].response = top->P##_rresp;
    void tick() {
        inputs();
        DRIVE(0, s_axi_key) DRIVE(1, s_axi) DRIVE(2, s_axi_dma)
        top->aclk = 0, top->eval();
        if (top->aresetn) {
            sample();
            WATCH(0, s_axi_key) WATCH(1, s_axi) WATCH(2, s_axi_dma)
            units += top->computed;
        }
        top->aclk = 1, top->eval();
        cycle++;
    }
    void reset() {
        top->aresetn = 0;
        for (auto& each : bus) each = Bus();
        for (int n = 0; n < 3; n++) tick();
        top->aresetn = 1;
        reads.clear(), writes.clear(), answers.clear(), beats.clear();
        aw = w = ar = Channel();
        r_offered = b_offered = false;
    }
};
}  // namespace

extern "C" {
Bench* bench_new(u64 seed, double pause, u64 latency) {
    auto* b = new Bench;
    b->seed = seed * 2 + 1, b->pause = pause, b->latency = latency;
    b->reset();
    return b;
}
void bench_free(Bench* b) { delete b; }
void bench_reset(Bench* b) { b->reset(); }
void bench_run(Bench* b, u64 cycles) {
    while (cycles--) b->tick();
}
u64 bench_until_irq(Bench* b, u64 most) {
    u64 n = 0;
    while (n < most && !b->top->irq) b->tick(), n++;
    return n;
}
void bench_zeroize(Bench* b, u64 cycles) {
    b->top->zeroize = 1;
    bench_run(b, cycles);
    b->top->zeroize = 0;
}
u64 bench_access(Bench* b, int bus, u32 address, u32 data, int write) {
    auto& x = b->bus[bus];
    x.address = address, x.data = data;
    (write ? x.aw : x.ar) = true;
    if (write) x.w = x.b = true;
    else x.r = true;
    for (int n = 0; x.aw || x.w || x.b || x.ar || x.r; n++) {
        b->tick();
        if (n > 10000) {
            b->complain("a bus of registers hangs");
            break;
        }
    }
    return static_cast<u64>(x.response) << 32 | x.word;
}
void bench_put(Bench* b, u64 at, const u8* data, u64 size) {
    for (u64 n = 0; n < size; n++) *b->byte(at + n) = data[n];
}
void bench_get(Bench* b, u64 at, u8* data, u64 size) {
    for (u64 n = 0; n < size; n++) data[n] = *b->byte(at + n);
}
void bench_range(Bench* b, int kind, u64 first, u64 last) {
    (kind == 0 ? b->readable : kind == 1 ? b->writable : b->refused).push_back({first, last});
}
void bench_forget(Bench* b, int kind) { (kind == 0 ? b->readable : kind == 1 ? b->writable : b->refused).clear(); }
void bench_memory(Bench* b, double pause, u64 latency) { b->pause = pause, b->latency = latency; }
u64 bench_value(Bench* b, int which) {
    const u64 values[] = {b->cycle, b->written, b->bursts_read, b->bursts_written, b->last_activity, b->units,
                          static_cast<u64>(b->reads.size() + b->writes.size() + b->answers.size()),
                          static_cast<u64>(b->top->irq), static_cast<u64>(b->top->ready)};
    return values[which];
}
const char* bench_complaint(Bench* b) { return b->complaint.c_str(); }
}
