// SPDX-License-Identifier: Apache-2.0
// Uses a core under a random key, forgets by zeroize or reset, and saves all that the model then holds.
//   state <zeroize|reset|fresh> <seed> <cycles from key to clearing> <cycles of clearing> <beats a sector> <file>
#include "Vcore.h"
#include "verilated_save.h"

#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

double sc_time_stamp() { return 0; }

static VerilatedContext context;
static Vcore core{&context};
static std::mt19937_64 rng;

template <class Port> static void fill(Port& port, unsigned bits, bool noise) {
    uint8_t to[sizeof(Port)] = {};
    for (unsigned i = 0; noise && i < bits; i++) to[i / 8] |= (rng() & 1) << i % 8;
    std::memcpy(&port, to, sizeof(Port));
}

// tkeep of a core that has it: every byte, so that units are worked on, but for noise in a while.
template <class Model> static auto keep(Model& m, bool noise, int) -> decltype(m.s_axis_tkeep, void()) {
    fill(m.s_axis_tkeep, 8 * sizeof(m.s_axis_tkeep), noise);
    if (!noise || rng() % 8) std::memset(&m.s_axis_tkeep, 0xff, sizeof(m.s_axis_tkeep));
}
template <class Model> static void keep(Model&, bool, long) {}

static void inputs(bool noise) {
    keep(core, noise, 0);
    core.aclk = 0;
    core.aresetn = 1;
    core.zeroize = 0;
    fill(core.s_axis_tdata, 8 * sizeof(core.s_axis_tdata), noise);
    fill(core.s_axis_tuser, 129, noise);
    fill(core.s_axis_key_tdata, 8 * sizeof(core.s_axis_key_tdata), noise);
    core.s_axis_tvalid = noise && rng() % 8;
    core.s_axis_tlast = noise && rng() % 2;
    core.s_axis_key_tvalid = 0;
    core.m_axis_tready = noise && rng() % 4;
}

static void edge() {
    core.eval();
    core.aclk = 1;
    core.eval();
}

// One sector after another; the last beat is where the core wants it, so that whole sectors are worked on.
static void work(int cycles, int beats) {
    int beat = 0;
    for (int i = 0; i < cycles; i++) {
        inputs(true);
        core.s_axis_tlast = beat == beats - 1;
        core.eval();
        if (core.s_axis_tvalid && core.s_axis_tready) beat = (beat + 1) % beats;
        edge();
    }
}

int main(int, char** argument) {
    const std::string how = argument[1];
    const uint64_t seed = std::strtoull(argument[2], nullptr, 10);
    const int moment = std::atoi(argument[3]), clearing = std::atoi(argument[4]), beats = std::atoi(argument[5]);
    rng.seed(seed);
    context.randReset(2);  // what has no initial value starts as anything
    context.randSeed(int(seed % 1000000) + 1);
    inputs(false);
    core.aresetn = 0;
    edge();
    if (how != "fresh") {
        bool taken = false;
        for (int i = 0; i < 4096 && !taken; i++) {
            inputs(true);
            core.s_axis_key_tvalid = 1;
            core.eval();
            taken = core.s_axis_key_tready;
            edge();
        }
        if (!taken) return 2;
        work(moment, beats);
        inputs(true);
        if (how == "zeroize") core.zeroize = 1;
        else core.aresetn = 0;
        edge();
    }
    for (int i = 1; i < clearing; i++) {
        inputs(true);
        edge();
    }
    inputs(false);
    core.eval();
    context.randSeed(1);  // it is saved, too
    VerilatedSave save;
    save.open(argument[6]);
    save << core;
    save.close();
}
