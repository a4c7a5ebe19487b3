// SPDX-License-Identifier: Apache-2.0
#include "guest_memory.h"

#include <cerrno>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace {

constexpr uint16_t CHAINED = 1, WRITTEN = 2; // flags of a descriptor
constexpr size_t DESCRIPTOR_BYTES = 16, USED_BYTES = 8, RING_AT = 4;

template <typename T> T get(const uint8_t *place)
{
  T value;

  memcpy(&value, place, sizeof value);
  return value;
}

} // namespace

void GuestMemory::map(uint64_t guest, uint64_t size, uint64_t user, uint64_t offset, int fd)
{
  void *base = mmap(nullptr, size + offset, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

  if (base == MAP_FAILED)
    throw BridgeError("cannot map the guest's memory");
  regions.push_back({guest, size, user, static_cast<uint8_t *>(base), offset});
}

void GuestMemory::clear()
{
  for (const Region &each : regions)
    munmap(each.base, each.size + each.offset);
  regions.clear();
}

uint8_t *GuestMemory::at(uint64_t Region::*where, uint64_t address, uint64_t size) const
{
  for (const Region &each : regions) {
    uint64_t begin = each.*where;

    if (address >= begin && size <= each.size && address - begin <= each.size - size)
      return each.base + each.offset + (address - begin);
  }
  return nullptr;
}

uint8_t *GuestMemory::must(uint64_t Region::*where, uint64_t address, uint64_t size) const
{
  uint8_t *place = at(where, address, size);

  if (!place)
    throw BridgeError("address " + std::to_string(address) + " with " + std::to_string(size) +
                      " bytes is not memory of the guest");
  return place;
}

bool Virtqueue::take(uint16_t &number, std::vector<Buffer> &buffers)
{
  if (!available)
    return false;
  if (__atomic_load_n(reinterpret_cast<uint16_t *>(memory->user(available + 2, 2)), __ATOMIC_ACQUIRE) == next)
    return false;
  number = get<uint16_t>(memory->user(available + RING_AT + 2 * (next % size), 2));
  next++;
  buffers.clear();
  for (uint16_t at = number;;) {
    const uint8_t *entry = memory->user(descriptors + DESCRIPTOR_BYTES * at, DESCRIPTOR_BYTES);
    uint16_t flags = get<uint16_t>(entry + 12);

    buffers.push_back({get<uint64_t>(entry), get<uint32_t>(entry + 8), (flags & WRITTEN) != 0});
    if (!(flags & CHAINED))
      return true;
    if (buffers.size() > size)
      throw BridgeError("a message of the guest has a loop of buffers");
    at = get<uint16_t>(entry + 14);
  }
}

void Virtqueue::give_back(uint16_t number, uint32_t written)
{
  auto *index = reinterpret_cast<uint16_t *>(memory->user(used + 2, 2));
  uint32_t entry[2] = {number, written};
  uint64_t one = 1;

  memcpy(memory->user(used + RING_AT + USED_BYTES * (*index % size), USED_BYTES), entry, sizeof entry);
  __atomic_store_n(index, static_cast<uint16_t>(*index + 1), __ATOMIC_RELEASE);
  if (call >= 0 && write(call, &one, sizeof one) != sizeof one)
    throw BridgeError(std::string("cannot signal the guest: ") + strerror(errno));
}
