// SPDX-License-Identifier: Apache-2.0
// Clock, reset and a taker of characters for the SoC.
#include <cstdint>
#include <memory>

#include "Vcore.h"
#include "verilated.h"

double sc_time_stamp() { return 0; }

// Runs the SoC until the firmware states its result, or for `most` cycles. Each character goes to `put` with the number
// of its cycle. Returns the result, or 0 if there is none.
extern "C" uint32_t soc_run(uint64_t most, void (*put)(uint64_t cycle, uint32_t character))
{
  VerilatedContext context;
  const auto soc = std::make_unique<Vcore>(&context);

  soc->serial_source_ready = 1;
  soc->serial_sink_valid = 0;
  for (uint64_t cycle = 0; cycle < most; cycle++) {
    soc->sys_rst = cycle < 16;
    soc->sys_clk = 0;
    soc->eval();
    if (soc->serial_source_valid && cycle >= 16)
      put(cycle, soc->serial_source_data);
    if (soc->result && cycle >= 16)
      return soc->result;
    soc->sys_clk = 1;
    soc->eval();
  }
  return 0;
}
