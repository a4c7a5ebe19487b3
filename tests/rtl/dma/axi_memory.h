// SPDX-License-Identifier: Apache-2.0
// A memory at the master of a model. It obeys AXI4, pauses at random, answers late, and looks at every rule of a
// master: the first breach is the complaint.
#pragma once

#include "Vcore.h"

#include <cstdint>
#include <cstring>
#include <deque>
#include <string>

class AxiMemory {
public:
    static constexpr uint64_t PAGE = 4096, BEAT = 16;

    AxiMemory(Vcore &model, uint64_t seed) : seed(seed * 2 + 1), model(model) {}
    virtual ~AxiMemory() = default;

    double pause = 0;      // probability that a channel waits for a cycle
    uint64_t latency = 1;  // cycles from a burst to its answer
    uint64_t cycle = 0, bursts_read = 0, bursts_written = 0, last_activity = 0;
    uint64_t written = 0, refused = 0;  // bytes; error responses
    std::string complaint;

    size_t under_way() const { return reads.size() + writes.size() + answers.size(); }

    void complain(const std::string &text) {
        if (complaint.empty()) complaint = "cycle " + std::to_string(cycle) + ": " + text;
    }

    void reset() {
        reads.clear(), writes.clear(), answers.clear(), beats.clear();
        aw = w = ar = Channel();
        r_offered = b_offered = false;
    }

    // Before the rising edge: drives the inputs of the model.
    void drive() {
        cycle++;
        model.m_axi_arready = !pauses();
        model.m_axi_awready = !pauses();
        model.m_axi_wready = !pauses();
        if (!r_offered && !reads.empty() && reads.front().due <= cycle && !pauses()) r_offered = true, offer();
        model.m_axi_rvalid = r_offered;
        if (!r_offered) memset(&model.m_axi_rdata, 0xa5, BEAT), model.m_axi_rlast = 0, model.m_axi_rresp = 0;
        if (!b_offered) b_offered = !answers.empty() && answers.front().due <= cycle && !pauses();
        model.m_axi_bvalid = b_offered;
        model.m_axi_bresp = b_offered && answers.front().bad ? error(answers.front().at) : 0;
    }

    // The same, with the outputs that the inputs gave: takes the transfers.
    void sample() {
        Vcore &m = model;
        if (m.m_axi_arvalid || m.m_axi_awvalid || m.m_axi_wvalid || under_way()) last_activity = cycle;
        look();
        if (m.m_axi_rvalid && m.m_axi_rready) {
            refused += m.m_axi_rresp != 0;
            r_offered = false;
            if (++reads.front().done == reads.front().beats) reads.pop_front();
        }
        if (m.m_axi_arvalid && m.m_axi_arready) {
            reads.push_back(burst(false, m.m_axi_araddr, m.m_axi_arlen + 1, m.m_axi_arsize, m.m_axi_arburst));
            bursts_read++;
        }
        if (m.m_axi_bvalid && m.m_axi_bready) {
            refused += m.m_axi_bresp != 0;
            answers.pop_front(), b_offered = false;
        }
        if (m.m_axi_awvalid && m.m_axi_awready) {
            writes.push_back(burst(true, m.m_axi_awaddr, m.m_axi_awlen + 1, m.m_axi_awsize, m.m_axi_awburst));
            bursts_written++;
        }
        if (m.m_axi_wvalid && m.m_axi_wready) {
            beats.push_back({{}, m.m_axi_wstrb, m.m_axi_wlast != 0});
            memcpy(beats.back().data, &m.m_axi_wdata, BEAT);
        }
        while (!writes.empty() && !beats.empty()) take_beat();
        if (m.m_axi_awvalid && writes.size() > 64) complain("addresses without beats");
    }

protected:
    // The 16 bytes at a multiple of 16; null: they are answered with an error.
    virtual uint8_t *beat(uint64_t at) = 0;

    // Whether a burst may touch bytes at all; if not, this is a complaint.
    virtual bool is_permitted(bool, uint64_t, uint64_t) const { return true; }

private:
    struct Burst {
        uint64_t at;
        uint32_t beats, done = 0;
        uint64_t due;  // cycle from which on the answer may come
        bool bad = false;
    };
    struct Beat {
        uint8_t data[BEAT];
        uint32_t strobe;
        bool last;
    };
    struct Channel {  // of the master: a valid payload must stay until it is accepted
        bool waits = false;
        std::string was;
    };

    bool pauses() {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        return static_cast<double>(seed >> 11) * 0x1p-53 < pause;
    }

    static unsigned error(uint64_t at) { return 2 + (at / PAGE & 1); }  // SLVERR, DECERR

    template <class T> static std::string text(const T &value) {
        return std::string(reinterpret_cast<const char *>(&value), sizeof value);
    }

    void stays(Channel &channel, const char *name, bool valid, bool ready, const std::string &payload) {
        if (channel.waits && (!valid || payload != channel.was)) complain(std::string(name) + " changed while it waited");
        channel.waits = valid && !ready;
        channel.was = payload;
    }

    void look() {
        Vcore &m = model;
        static const uint8_t nothing[BEAT] = {};

        stays(ar, "ar", m.m_axi_arvalid, m.m_axi_arready,
              text(m.m_axi_araddr) + text(m.m_axi_arlen) + text(m.m_axi_arcache) + text(m.m_axi_arprot));
        stays(aw, "aw", m.m_axi_awvalid, m.m_axi_awready,
              text(m.m_axi_awaddr) + text(m.m_axi_awlen) + text(m.m_axi_awcache) + text(m.m_axi_awprot));
        stays(w, "w", m.m_axi_wvalid, m.m_axi_wready, text(m.m_axi_wdata) + text(m.m_axi_wstrb) + text(m.m_axi_wlast));
        if (!m.m_axi_wvalid && memcmp(&m.m_axi_wdata, nothing, BEAT)) complain("w has data without valid");
    }

    Burst burst(bool write, uint64_t at, uint32_t beats, uint32_t size, uint32_t kind) {
        std::string where = (write ? "write at " : "read at ") + std::to_string(at) + " of " + std::to_string(beats);
        uint64_t last = at + beats * BEAT - 1;

        if (at % BEAT || size != 4 || kind != 1) complain(where + " is not aligned, narrow or not INCR");
        if (at / PAGE != last / PAGE) complain(where + " leaves its page");
        if (!is_permitted(write, at, last)) complain(where + " is outside of what is permitted");
        return {at, beats, 0, cycle + latency, false};
    }

    void offer() {
        const Burst &of = reads.front();
        uint64_t at = of.at + BEAT * of.done;
        const uint8_t *place = beat(at);

        if (place) memcpy(&model.m_axi_rdata, place, BEAT);
        else memset(&model.m_axi_rdata, 0xa5, BEAT);
        model.m_axi_rresp = place ? 0 : error(at);
        model.m_axi_rlast = of.done + 1 == of.beats;
    }

    // Bytes 0 to 7 of a whole beat come last, and at once: who else sees them in memory sees all of it.
    void put(uint8_t *place, const Beat &of) {
        if (of.strobe == (1 << BEAT) - 1) {
            uint64_t half[2];
            memcpy(half, of.data, BEAT);
            memcpy(place + 8, &half[1], 8);
            __atomic_store_n(reinterpret_cast<uint64_t *>(place), half[0], __ATOMIC_RELEASE);
            written += BEAT;
            return;
        }
        for (uint32_t n = 0; n < BEAT; n++)
            if (of.strobe >> n & 1) place[n] = of.data[n], written++;
    }

    void take_beat() {
        Burst &of = writes.front();
        Beat &next = beats.front();
        uint8_t *place = beat(of.at + BEAT * of.done);

        if (next.last != (of.done + 1 == of.beats)) complain("last is not with the last beat of a write");
        if (place) put(place, next);
        else of.bad = true;
        beats.pop_front();
        if (++of.done == of.beats) of.due = cycle + latency, answers.push_back(of), writes.pop_front();
    }

    uint64_t seed;
    Vcore &model;
    std::deque<Burst> reads, writes, answers;
    std::deque<Beat> beats;
    Channel aw, w, ar;
    bool r_offered = false, b_offered = false;
};
