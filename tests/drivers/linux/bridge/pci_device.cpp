// SPDX-License-Identifier: Apache-2.0
#include "pci_device.h"

#include <algorithm>
#include <cstring>

namespace {

struct Access { // struct virtio_pcidev_msg of Linux
  uint8_t operation, bar;
  uint16_t reserved;
  uint32_t size;
  uint64_t address;
};
static_assert(sizeof(Access) == 16, "head of a message");

enum Operation : uint8_t { CONFIG_READ = 1, CONFIG_WRITE = 2, MMIO_READ = 3, MMIO_WRITE = 4, MSI = 7 };

constexpr uint16_t VENDOR = 0x1209, DEVICE = 2; // pid.codes, a number for tests
constexpr uint8_t COMMAND = 0x04, BAR0 = 0x10, BARS_END = 0x28, CAPABILITIES = 0x34;
constexpr uint8_t MSI_AT = 0x40, MSI_CONTROL = 0x42, MSI_ADDRESS = 0x44, MSI_DATA = 0x4c, MSI_END = 0x50;
constexpr uint32_t WORD = 4;

void put16(uint8_t *place, uint16_t value)
{
  memcpy(place, &value, sizeof value);
}

} // namespace

PciDevice::PciDevice(Monitor &monitor, Accelerator &accelerator) : monitor(monitor), accelerator(accelerator)
{
  put16(&space[0], VENDOR);
  put16(&space[2], DEVICE);
  put16(&space[6], 0x10); // status: has capabilities
  space[0x0b] = 0x10;     // class: encryption
  space[CAPABILITIES] = MSI_AT;
  space[MSI_AT] = 5;                // capability of MSI, the last one
  put16(&space[MSI_CONTROL], 0x80); // addresses of 64 bits
}

void PciDevice::serve()
{
  uint16_t number;
  std::vector<Buffer> buffers;

  while (monitor.queues[0].take(number, buffers))
    access(number, buffers);
  pending |= accelerator.take_interrupt();
  if (pending)
    signal();
}

void PciDevice::signal()
{
  Virtqueue &queue = monitor.queues[1];
  std::vector<Buffer> buffers;
  uint16_t number;
  uint8_t message[sizeof(Access) + 2] = {MSI, 0, 0, 0, 2};

  if (!(space[MSI_CONTROL] & 1) || !queue.take(number, buffers)) // not enabled, or the guest has no buffer now
    return;
  memcpy(message + 8, &space[MSI_ADDRESS], 8);
  memcpy(message + 16, &space[MSI_DATA], 2);
  memcpy(monitor.memory.physical(buffers.at(0).address, sizeof message), message, sizeof message);
  queue.give_back(number, sizeof message);
  pending = false;
  interrupts++;
}

void PciDevice::configure(uint64_t address, const uint8_t *data, uint32_t size)
{
  if (address >= BAR0 && address < BARS_END) { // a BAR keeps the bits of a place for its size; the others are absent
    uint32_t value = 0;

    memcpy(&value, data, std::min(size, WORD));
    value = address == BAR0 ? value & ~(Accelerator::BYTES - 1) : 0;
    memcpy(&space[address & ~3u], &value, WORD);
  } else if ((address == COMMAND && size <= 2) || (address >= MSI_CONTROL && address + size <= MSI_END)) {
    memcpy(&space[address], data, size);
  }
}

// The answer has as many bytes as the guest has room for it; a write has none.
void PciDevice::access(uint16_t number, const std::vector<Buffer> &buffers)
{
  std::vector<uint8_t> asked, answer;
  uint32_t written = 0;
  Access head;

  for (const Buffer &each : buffers)
    if (!each.written) {
      const uint8_t *from = monitor.memory.physical(each.address, each.size);

      asked.insert(asked.end(), from, from + each.size);
    }
  if (asked.size() < sizeof head)
    throw BridgeError("a message about the PCI device is too short");
  memcpy(&head, asked.data(), sizeof head);
  const uint8_t *data = asked.data() + sizeof head;
  size_t given = asked.size() - sizeof head;
  uint32_t address = static_cast<uint32_t>(head.address);

  switch (head.operation) {
  case CONFIG_READ:
    answer.assign(head.size, 0);
    if (head.address + head.size <= sizeof space)
      memcpy(answer.data(), &space[head.address], head.size);
    break;
  case CONFIG_WRITE:
    if (head.size <= given)
      configure(head.address, data, head.size);
    break;
  case MMIO_READ:
    reads++;
    answer.assign(head.size, 0);
    for (uint32_t at = 0; at < head.size; at += WORD) {
      uint32_t value = accelerator.read(address + at);

      memcpy(&answer[at], &value, std::min(WORD, head.size - at));
    }
    break;
  case MMIO_WRITE:
    writes++;
    for (uint32_t at = 0; at + WORD <= std::min<size_t>(head.size, given); at += WORD) {
      uint32_t value;

      memcpy(&value, data + at, WORD);
      accelerator.write(address + at, value);
    }
    break;
  }
  for (const Buffer &each : buffers)
    if (each.written && written < answer.size()) {
      uint32_t part = std::min<uint32_t>(each.size, answer.size() - written);

      memcpy(monitor.memory.physical(each.address, part), answer.data() + written, part);
      written += part;
    }
  monitor.queues[0].give_back(number, written);
}
