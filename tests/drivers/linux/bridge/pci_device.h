// SPDX-License-Identifier: Apache-2.0
// A PCI device of Linux in user mode: its configuration space and BAR 0 are messages on queue 0 of vhost-user, its
// interrupt is a message signalled one (MSI) on queue 1.
#pragma once

#include "accelerator.h"
#include "vhost_user.h"

class PciDevice {
public:
  PciDevice(Monitor &monitor, Accelerator &accelerator);

  // Serves all accesses that have come, and raises the interrupt if its line has risen.
  void serve();

  uint64_t reads = 0, writes = 0, interrupts = 0; // of BAR 0; messages

private:
  void access(uint16_t number, const std::vector<Buffer> &buffers);
  void configure(uint64_t address, const uint8_t *data, uint32_t size);
  void signal();

  Monitor &monitor;
  Accelerator &accelerator;
  uint8_t space[256] = {};
  bool pending = false;
};
