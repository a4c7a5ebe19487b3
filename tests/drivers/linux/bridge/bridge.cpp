// SPDX-License-Identifier: Apache-2.0
// The loop of the bridge: the model runs while it has work, and stands still while it has none.
#include <cstdio>
#include <poll.h>
#include <unistd.h>

#include "pci_device.h"
#include "verilated.h"

double sc_time_stamp() { return 0; }

namespace {

constexpr unsigned STEP = 16; // cycles between two looks at the queues

void take(int event)
{
  uint64_t count;

  (void)!read(event, &count, sizeof count);
}

} // namespace

// Serves one guest at the socket `path` until it ends. Returns 0, or 1 with a message on standard error.
extern "C" int bridge_run(const char *path, BridgeFigures *figures)
{
  try {
    Monitor monitor(path);
    Accelerator accelerator(monitor.memory);
    PciDevice device(monitor, accelerator);

    for (bool there = true; there;) {
      pollfd events[] = {
          {monitor.socket(), POLLIN, 0}, {monitor.queues[0].kick, POLLIN, 0}, {monitor.queues[1].kick, POLLIN, 0}};

      poll(events, 3, accelerator.busy() ? 0 : -1);
      for (int n : {1, 2})
        if (events[n].revents & POLLIN)
          take(events[n].fd);
      if (accelerator.busy())
        accelerator.run(STEP);
      if (events[0].revents)
        there = monitor.serve();
      device.serve(); // without an event, too: the guest polls, and the last cycles may have raised the interrupt
    }
    *figures = accelerator.figures();
    figures->reads = device.reads;
    figures->writes = device.writes;
    figures->interrupts = device.interrupts;
    return 0;
  } catch (const std::exception &error) {
    fprintf(stderr, "bridge: %s\n", error.what());
    return 1;
  }
}
