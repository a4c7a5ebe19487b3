// SPDX-License-Identifier: Apache-2.0
// The guest's monitor: messages of vhost-user on a socket, which share memory and set up the queues.
#pragma once

#include <array>

#include "guest_memory.h"

class Monitor {
public:
  // Listens at `path`, and waits for the guest. Raises BridgeError.
  explicit Monitor(const char *path);
  ~Monitor();

  // Serves a message that has come. Returns false as the guest has gone.
  bool serve();

  int socket() const { return connection; }

  GuestMemory memory;
  std::array<Virtqueue, 2> queues;

private:
  bool receive(void *place, size_t size, std::vector<int> &files);
  void share_memory(const std::vector<uint8_t> &message, const std::vector<int> &files);
  bool answer(uint32_t request, const std::vector<uint8_t> &body);
  Virtqueue &queue(uint32_t number);

  int connection = -1;
};
