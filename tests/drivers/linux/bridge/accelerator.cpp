// SPDX-License-Identifier: Apache-2.0
#include "accelerator.h"

#include <algorithm>
#include <utility>

#include "Vcore.h"
#include "axi_memory.h"
#include "lite_bus.h"

namespace {

constexpr uint32_t ENGINE = 0x4000, DMA = 0x8000; // blocks of BAR 0; the first is that of the key registers
constexpr uint32_t KEY_CTRL = 0x80, EXE = 1;
constexpr uint32_t CAPS0 = 0x08, SLOT_SELECT = 0xc0, SLOT_STATE = 0xc4; // of the engine
constexpr uint64_t ACCESS_CYCLES = 16;  // in which an access of a register without an action has its effect
constexpr uint64_t ACTION_CYCLES = 512; // more than a key command, a halt, or the way of a unit through the engine
constexpr uint64_t READ_CYCLES = 100;   // of a read by PCI, in which a command goes on
constexpr uint64_t START_CYCLES = 5000, MOST_CYCLES = 100000;
constexpr uint64_t LATENCY = 40; // of the memory, in cycles
constexpr double PAUSE = 0.1;

// The guest's memory. Other addresses are answered with an error.
class SharedMemory : public AxiMemory {
public:
  SharedMemory(Vcore &top, const GuestMemory &guest) : AxiMemory(top, 1), guest(guest)
  {
    latency = LATENCY;
    pause = PAUSE;
  }

protected:
  uint8_t *beat(uint64_t at) override { return guest.find(at, BEAT); }

private:
  const GuestMemory &guest;
};

} // namespace

struct Accelerator::State {
  explicit State(const GuestMemory &guest) : memory(top, guest)
  {
    Verilated::randReset(2);
    top.aresetn = 0;
    for (int n = 0; n < 5; n++)
      cycle();
    top.aresetn = 1;
    for (uint64_t n = 0; n < START_CYCLES; n++)
      cycle();
  }

  Vcore top;
  SharedMemory memory;
  LiteBus<CData> keys{LITE_PINS(top, s_axi_key)};
  LiteBus<SData> engine{LITE_PINS(top, s_axi)};
  LiteBus<CData> dma{LITE_PINS(top, s_axi_dma)};
  uint64_t awake = 0; // cycle up to which something may still happen
  uint64_t units = 0, faults = 0, commands = 0;
  bool line = false, risen = false; // of the interrupt

  void stay_awake(uint64_t cycles) { awake = std::max(awake, memory.cycle + cycles); }

  void sample()
  {
    memory.sample();
    if (!memory.complaint.empty())
      throw BridgeError("the master breaks a rule of AXI4, " + memory.complaint);
    keys.sample();
    engine.sample();
    dma.sample();
    units += top.computed;
    faults += top.fault != 0;
    risen |= top.irq && !line;
    line = top.irq;
    if (memory.last_activity == memory.cycle || !top.ready)
      stay_awake(ACTION_CYCLES);
  }

  void cycle()
  {
    memory.drive();
    keys.drive();
    engine.drive();
    dma.drive();
    top.aclk = 0;
    top.eval();
    if (top.aresetn)
      sample();
    top.aclk = 1;
    top.eval();
  }

  template <typename Bus> void finish(Bus &bus)
  {
    for (uint64_t n = 0; bus.busy(); n++) {
      if (n == MOST_CYCLES)
        throw BridgeError("a block of registers does not answer an access");
      cycle();
    }
    stay_awake(ACCESS_CYCLES);
  }

  template <typename Bus> uint32_t read(Bus &bus, uint32_t address)
  {
    for (uint64_t n = 0; n < READ_CYCLES && memory.cycle < awake; n++)
      cycle();
    bus.begin_read(address);
    finish(bus);
    return bus.result();
  }

  template <typename Bus> void write(Bus &bus, uint32_t address, uint32_t value)
  {
    bus.begin_write(address, value);
    finish(bus);
  }
};

Accelerator::Accelerator(const GuestMemory &memory) : state(std::make_unique<State>(memory)) {}

Accelerator::~Accelerator() = default;

uint32_t Accelerator::read(uint32_t address)
{
  if (address >= DMA)
    return state->read(state->dma, address - DMA);
  if (address >= ENGINE)
    return state->read(state->engine, address - ENGINE);
  return state->read(state->keys, address);
}

void Accelerator::write(uint32_t address, uint32_t value)
{
  bool command = address == KEY_CTRL && value & EXE;

  if (address >= DMA)
    state->write(state->dma, address - DMA, value);
  else if (address >= ENGINE)
    state->write(state->engine, address - ENGINE, value);
  else
    state->write(state->keys, address, value);
  state->commands += command;
  if (command || address >= ENGINE)
    state->stay_awake(ACTION_CYCLES);
}

void Accelerator::run(unsigned cycles)
{
  for (unsigned n = 0; n < cycles && busy(); n++)
    state->cycle();
}

bool Accelerator::busy() const
{
  return state->memory.cycle < state->awake;
}

bool Accelerator::take_interrupt()
{
  return std::exchange(state->risen, false);
}

unsigned Accelerator::loaded()
{
  unsigned slots = read(ENGINE + CAPS0) & 0xffff, found = 0;

  for (unsigned n = 0; n < slots; n++) {
    write(ENGINE + SLOT_SELECT, n);
    found += read(ENGINE + SLOT_STATE) & 1;
  }
  return found;
}

BridgeFigures Accelerator::figures()
{
  const State &s = *state;
  const SharedMemory &m = s.memory;
  BridgeFigures sums = {m.cycle,   s.units,  m.bursts_read, m.bursts_written, m.written, m.refused,
                        s.faults, s.commands, 0,             0,                0,         0};

  sums.loaded = loaded(); // which takes cycles
  return sums;
}
