// SPDX-License-Identifier: Apache-2.0
// The exported Verilog of an engine with a master, between a memory that refuses what it is told to refuse, and buses of
// registers.
#include "axi_memory.h"
#include "verilated.h"
#if SAVABLE
#include "verilated_save.h"
#endif

#include <memory>
#include <unordered_map>
#include <vector>

double sc_time_stamp() { return 0; }

namespace {
using u8 = uint8_t;
using u32 = uint32_t;
using u64 = uint64_t;

struct Range {
    u64 first, last;
};

struct Memory : AxiMemory {
    using AxiMemory::AxiMemory;
    std::unordered_map<u64, std::vector<u8>> pages;
    std::vector<Range> readable, writable, refusing;

    std::vector<Range>& ranges(int kind) { return kind == 0 ? readable : kind == 1 ? writable : refusing; }
    u8* byte(u64 at) {
        auto& page = pages[at / PAGE];
        if (page.empty()) page.resize(PAGE);
        return &page[at % PAGE];
    }
    u8* beat(u64 at) override {
        for (auto& each : refusing)
            if (at <= each.last && at + BEAT - 1 >= each.first) return nullptr;
        return byte(at);
    }
    bool is_permitted(bool write, u64 first, u64 last) const override {
        for (auto& each : write ? writable : readable)
            if (first >= each.first && last <= each.last) return true;
        return false;
    }
};

struct Bench {
    std::unique_ptr<VerilatedContext> context = std::make_unique<VerilatedContext>();
    std::unique_ptr<Vcore> top = std::make_unique<Vcore>(context.get());
    Memory memory;
    u64 units = 0;
    struct Bus {
        bool aw = false, w = false, b = false, ar = false, r = false;
        u32 address = 0, data = 0, strobe = 15, word = 0, response = 0;
    } bus[3];

    explicit Bench(u64 seed) : memory(*top, seed) {}
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
        memory.drive();
        DRIVE(0, s_axi_key) DRIVE(1, s_axi) DRIVE(2, s_axi_dma)
        top->aclk = 0, top->eval();
        if (top->aresetn) {
            memory.sample();
            WATCH(0, s_axi_key) WATCH(1, s_axi) WATCH(2, s_axi_dma)
            units += top->computed;
        }
        top->aclk = 1, top->eval();
    }
    void reset() {
        top->aresetn = 0;
        for (auto& each : bus) each = Bus();
        for (int n = 0; n < 3; n++) tick();
        top->aresetn = 1;
        memory.reset();
    }
};

#if SAVABLE
struct Image final : VerilatedSerialize {  // registers and memories in a row: where each begins with all its words
    std::string bytes;
    std::vector<std::pair<size_t, std::string>> places;

    void flush() override {
        bytes.append(reinterpret_cast<const char*>(m_bufp), m_cp - m_bufp);
        m_cp = m_bufp;
    }
    void mark(const char* module, const char* name) {
        const std::string full = module ? std::string(module) + '.' + name : "";
        if (places.empty() || places.back().second != full) places.push_back({bytes.size() + (m_cp - m_bufp), full});
    }
};
#endif
}  // namespace

#if SAVABLE
// The model calls this before it writes each variable.
void bench_mark(VerilatedSerialize& image, const char* module, const char* name) {
    static_cast<Image&>(image).mark(module, name);
}
#endif

extern "C" {
#if SAVABLE
// The names of registers and memories that have 8 bytes of the data, from a multiple of 8 on, each behind a space.
const char* bench_keeps(Bench* b, const char* data, u64 size) {
    static std::string found;
    Image image;
    image << *b->top;
    image.flush();
    found.clear();
    for (size_t n = 0; n < image.places.size(); n++) {
        auto& [at, name] = image.places[n];
        size_t end = n + 1 < image.places.size() ? image.places[n + 1].first : image.bytes.size();
        bool kept = false;
        for (u64 k = 0; k + 8 <= size && !name.empty() && !kept; k += 8)
            kept = memmem(image.bytes.data() + at, end - at, data + k, 8) != nullptr;
        if (kept) found += ' ' + name;
    }
    return found.c_str();
}
#endif
Bench* bench_new(u64 seed, double pause, u64 latency) {
    auto* b = new Bench(seed);
    b->memory.pause = pause, b->memory.latency = latency;
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
            b->memory.complain("a bus of registers hangs");
            break;
        }
    }
    return static_cast<u64>(x.response) << 32 | x.word;
}
void bench_put(Bench* b, u64 at, const u8* data, u64 size) {
    for (u64 n = 0; n < size; n++) *b->memory.byte(at + n) = data[n];
}
void bench_get(Bench* b, u64 at, u8* data, u64 size) {
    for (u64 n = 0; n < size; n++) data[n] = *b->memory.byte(at + n);
}
void bench_range(Bench* b, int kind, u64 first, u64 last) {
    b->memory.ranges(kind).push_back({first, last});
}
void bench_forget(Bench* b, int kind) { b->memory.ranges(kind).clear(); }
void bench_memory(Bench* b, double pause, u64 latency) { b->memory.pause = pause, b->memory.latency = latency; }
u64 bench_value(Bench* b, int which) {
    const Memory& m = b->memory;
    const u64 values[] = {m.cycle, m.written, m.bursts_read, m.bursts_written, m.last_activity, b->units,
                          static_cast<u64>(m.under_way()), static_cast<u64>(b->top->irq),
                          static_cast<u64>(b->top->ready)};
    return values[which];
}
const char* bench_complaint(Bench* b) { return b->memory.complaint.c_str(); }
}
