// SPDX-License-Identifier: Apache-2.0
#include "vhost_user.h"

#include <cstring>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace {

enum Request : uint32_t { // of the specification of vhost-user; others need no action
  GET_FEATURES = 1,
  SET_MEM_TABLE = 5,
  SET_VRING_NUM = 8,
  SET_VRING_ADDR = 9,
  SET_VRING_BASE = 10,
  SET_VRING_KICK = 12,
  SET_VRING_CALL = 13,
  GET_PROTOCOL_FEATURES = 15,
  GET_CONFIG = 24,
};

constexpr uint64_t FEATURES = 1ull << 30 | 1ull << 32;               // protocol features, virtio 1
constexpr uint64_t PROTOCOL_FEATURES = 1u << 3 | 1u << 5 | 1u << 9; // REPLY_ACK, BACKEND_REQ, CONFIG
constexpr uint32_t ANSWER = 5, NEEDS_ANSWER = 8;                    // flags of a message: version 1 with REPLY
constexpr size_t MOST = 4096;                                       // bytes of a message
constexpr size_t REGION_BYTES = 32, MOST_FILES = 8;

template <typename T> T get(const std::vector<uint8_t> &message, size_t at)
{
  T value;

  if (at + sizeof value > message.size())
    throw BridgeError("a message of the guest's monitor is too short");
  memcpy(&value, message.data() + at, sizeof value);
  return value;
}

std::vector<uint8_t> bytes_of(uint64_t value)
{
  std::vector<uint8_t> bytes(sizeof value);

  memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

} // namespace

Monitor::Monitor(const char *path)
{
  int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};

  address.sun_family = AF_UNIX;
  if (strlen(path) >= sizeof address.sun_path)
    throw BridgeError(std::string("the path of the socket is too long: ") + path);
  strcpy(address.sun_path, path);
  unlink(path);
  if (bind(listener, reinterpret_cast<sockaddr *>(&address), sizeof address) || listen(listener, 1))
    throw BridgeError(std::string("cannot listen at ") + path);
  connection = accept(listener, nullptr, nullptr);
  close(listener);
  for (Virtqueue &each : queues)
    each.memory = &memory;
}

Monitor::~Monitor()
{
  close(connection);
}

bool Monitor::receive(void *place, size_t size, std::vector<int> &files)
{
  for (size_t got = 0; got < size;) {
    alignas(cmsghdr) char control[CMSG_SPACE(MOST_FILES * sizeof(int))];
    iovec part{static_cast<uint8_t *>(place) + got, size - got};
    msghdr message{};

    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    ssize_t n = recvmsg(connection, &message, 0);
    if (n <= 0)
      return false;
    got += n;
    for (cmsghdr *each = CMSG_FIRSTHDR(&message); each; each = CMSG_NXTHDR(&message, each))
      if (each->cmsg_type == SCM_RIGHTS) {
        size_t count = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        files.resize(files.size() + count);
        memcpy(&files[files.size() - count], CMSG_DATA(each), count * sizeof(int));
      }
  }
  return true;
}

Virtqueue &Monitor::queue(uint32_t number)
{
  if (number >= queues.size())
    throw BridgeError("the guest sets up queue " + std::to_string(number) + ", of 2");
  return queues[number];
}

void Monitor::share_memory(const std::vector<uint8_t> &message, const std::vector<int> &files)
{
  uint32_t regions = get<uint32_t>(message, 0);

  if (files.size() < regions)
    throw BridgeError("a region of the guest's memory has no file");
  memory.clear();
  for (uint32_t n = 0; n < regions; n++) {
    size_t at = 8 + REGION_BYTES * n;

    memory.map(get<uint64_t>(message, at), get<uint64_t>(message, at + 8), get<uint64_t>(message, at + 16),
               get<uint64_t>(message, at + 24), files[n]);
    close(files[n]);
  }
}

bool Monitor::answer(uint32_t request, const std::vector<uint8_t> &body)
{
  uint32_t head[3] = {request, ANSWER, static_cast<uint32_t>(body.size())};
  std::vector<uint8_t> whole(sizeof head);

  memcpy(whole.data(), head, sizeof head);
  whole.insert(whole.end(), body.begin(), body.end());
  return send(connection, whole.data(), whole.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(whole.size());
}

bool Monitor::serve()
{
  uint32_t head[3];
  std::vector<int> files;

  if (!receive(head, sizeof head, files) || head[2] > MOST)
    return false;
  std::vector<uint8_t> message(head[2]), body;
  if (!message.empty() && !receive(message.data(), message.size(), files))
    return false;
  switch (head[0]) {
  case GET_FEATURES:
    body = bytes_of(FEATURES);
    break;
  case GET_PROTOCOL_FEATURES:
    body = bytes_of(PROTOCOL_FEATURES);
    break;
  case GET_CONFIG: // there is none: what was asked goes back
    body = message;
    break;
  case SET_MEM_TABLE:
    share_memory(message, files);
    break;
  case SET_VRING_NUM:
    queue(get<uint32_t>(message, 0)).size = get<uint32_t>(message, 4);
    break;
  case SET_VRING_ADDR: {
    Virtqueue &set = queue(get<uint32_t>(message, 0));

    set.descriptors = get<uint64_t>(message, 8);
    set.used = get<uint64_t>(message, 16);
    set.available = get<uint64_t>(message, 24);
    break;
  }
  case SET_VRING_BASE:
    queue(get<uint32_t>(message, 0)).next = static_cast<uint16_t>(get<uint32_t>(message, 4));
    break;
  case SET_VRING_KICK:
    queue(get<uint8_t>(message, 0)).kick = files.empty() ? -1 : files[0];
    break;
  case SET_VRING_CALL:
    queue(get<uint8_t>(message, 0)).call = files.empty() ? -1 : files[0];
    break;
  }
  if (body.empty() && head[1] & NEEDS_ANSWER)
    body = bytes_of(0);
  return body.empty() || answer(head[0], body);
}
