// SPDX-License-Identifier: Apache-2.0
// An accelerator: the compiled Verilog of an engine with its master, beside the guest's memory.
#pragma once

#include <cstdint>
#include <memory>

#include "guest_memory.h"

// Sums of a run. bridge_run() returns them; bridge.py has the same fields.
struct BridgeFigures {
  uint64_t cycles, units, read_bursts, write_bursts, written, refused, faults, commands, loaded, reads, writes, interrupts;
};

class Accelerator {
public:
  static constexpr uint32_t BYTES = 0x10000; // of BAR 0

  explicit Accelerator(const GuestMemory &memory);
  ~Accelerator();

  // Registers of BAR 0, as the driver's pci.c has them.
  uint32_t read(uint32_t address);
  void write(uint32_t address, uint32_t value);

  // Runs some clock cycles. Raises BridgeError if the master breaks a rule of AXI4.
  void run(unsigned cycles);

  // Whether there is work for more cycles.
  bool busy() const;

  // Whether the interrupt's line has risen since the last call.
  bool take_interrupt();

  // Slots that have a key.
  unsigned loaded();

  // Sums up to now, without those of messages, and the slots with a key.
  BridgeFigures figures();

private:
  struct State;
  std::unique_ptr<State> state;
};
