// SPDX-License-Identifier: Apache-2.0
// The guest's memory as its monitor shares it, and queues of messages in it (virtio 1.2, split virtqueues).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

// A request that the guest or its monitor must not make; ends the bridge.
struct BridgeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class GuestMemory {
public:
  ~GuestMemory() { clear(); }

  // Maps `size` bytes of file `fd` from `offset` on, which the guest knows as `guest` and its monitor as `user`.
  void map(uint64_t guest, uint64_t size, uint64_t user, uint64_t offset, int fd);
  void clear();

  // `size` bytes at a physical address of the guest; null if they are not all memory.
  uint8_t *find(uint64_t address, uint64_t size) const { return at(&Region::guest, address, size); }

  // The same, of a place that must be memory. Raises BridgeError.
  uint8_t *physical(uint64_t address, uint64_t size) const { return must(&Region::guest, address, size); }

  // The same, of an address of the monitor.
  uint8_t *user(uint64_t address, uint64_t size) const { return must(&Region::user, address, size); }

private:
  struct Region {
    uint64_t guest, size, user;
    uint8_t *base;
    uint64_t offset;
  };

  uint8_t *at(uint64_t Region::*where, uint64_t address, uint64_t size) const;
  uint8_t *must(uint64_t Region::*where, uint64_t address, uint64_t size) const;

  std::vector<Region> regions;
};

// A buffer of a message, at a physical address; the device writes it, or reads it.
struct Buffer {
  uint64_t address;
  uint32_t size;
  bool written;
};

// The device's end of a virtqueue.
struct Virtqueue {
  const GuestMemory *memory = nullptr;
  uint32_t size = 0;
  uint64_t descriptors = 0, used = 0, available = 0; // addresses of the monitor
  uint16_t next = 0;
  int kick = -1, call = -1; // descriptors of events: of the guest, of the device

  // Takes the next message, if there is one: its number and its buffers.
  bool take(uint16_t &number, std::vector<Buffer> &buffers);

  // Returns a message, of which `written` bytes are the answer.
  void give_back(uint16_t number, uint32_t written);
};
