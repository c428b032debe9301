// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/worker/channel.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stopwatch.hpp"

namespace tune::process {
namespace {

/// Seconds after which somebody who waits for a packet looks whether to stop.
constexpr double stop_interval = 0.2;

}  // namespace

SharedMemory::SharedMemory(std::size_t size) : file_(memfd_create("tune", MFD_CLOEXEC)), size_(size) {
  if (!file_ || ftruncate(file_.get(), static_cast<off_t>(size)) != 0)
    throw Error(format("cannot make {} bytes of memory to share with the process that runs the kernels: {}",
                       size, std::strerror(errno)));
  map();
}

SharedMemory::SharedMemory(FileDescriptor file, std::size_t size) : file_(std::move(file)), size_(size) {
  map();
}

void SharedMemory::map() {
  if (size_ == 0) return;
  void* address = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (address == MAP_FAILED)
    throw Error(format("cannot map {} bytes of shared memory: {}", size_, std::strerror(errno)));
  data_ = static_cast<std::byte*>(address);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : file_(std::move(other.file_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, size_);
}

namespace {

/// Room for one file in a packet's control data, with the alignment that the system needs.
union Control {
  cmsghdr header;
  std::array<std::byte, CMSG_SPACE(sizeof(int))> bytes;
};

void attach(msghdr& message, Control& control, int file) {
  message.msg_control = control.bytes.data();
  message.msg_controllen = control.bytes.size();
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &file, sizeof(int));
}

FileDescriptor attached(msghdr& message) {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    int file = -1;
    std::memcpy(&file, CMSG_DATA(header), sizeof(int));
    return FileDescriptor(file);
  }
  return {};
}

/// Waits until there is something to read; false when the time is over.
bool wait_for_input(int socket, std::optional<double> until) {
  while (true) {
    int milliseconds = -1;
    if (until) {
      const double left = *until - seconds_now();
      if (left <= 0) return false;
      milliseconds = static_cast<int>(std::min(std::ceil(left * 1e3), 1e9));
    }
    pollfd watched{socket, POLLIN, 0};
    const int ready = poll(&watched, 1, milliseconds);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return true;  // reading then reports the error
  }
}

}  // namespace

std::pair<Channel, Channel> Channel::pair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error(format("cannot make a connection to another process: {}", std::strerror(errno)));
  return {Channel(FileDescriptor(ends[0])), Channel(FileDescriptor(ends[1]))};
}

bool Channel::send(std::span<const std::byte> bytes, int file) {
  const std::uint64_t size = bytes.size();
  std::array<std::byte, sizeof(size)> head{};
  std::memcpy(head.data(), &size, sizeof(size));
  for (const std::span<const std::byte> whole : {std::span<const std::byte>(head), bytes}) {
    std::span<const std::byte> part = whole;
    while (!part.empty()) {
      iovec piece{const_cast<std::byte*>(part.data()), part.size()};
      msghdr message{};
      message.msg_iov = &piece;
      message.msg_iovlen = 1;
      Control control{};
      if (file >= 0) attach(message, control, file);
      const ssize_t sent = sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) return false;
      file = -1;
      part = part.subspan(static_cast<std::size_t>(sent));
    }
  }
  return true;
}

bool Channel::fill(std::span<std::byte> bytes, FileDescriptor& file, std::optional<double> until,
                   Silence& silence) {
  while (!bytes.empty()) {
    if (!wait_for_input(socket_.get(), until)) {
      silence = Silence::timeout;
      return false;
    }
    iovec piece{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    Control control{};
    message.msg_control = control.bytes.data();
    message.msg_controllen = control.bytes.size();
    const ssize_t got = recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      silence = Silence::closed;
      return false;
    }
    if (FileDescriptor received = attached(message)) file = std::move(received);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

/// Waits for a first byte, or until `until`; true where `stop` ended that.
bool Channel::stopped_before(std::optional<double> until, const std::function<bool()>& stop) const {
  while (true) {
    const double now = seconds_now();
    if (until && now >= *until) return false;
    const double look = now + stop_interval;
    if (wait_for_input(socket_.get(), until ? std::min(look, *until) : look)) return false;
    if (stop()) return true;
  }
}

std::optional<Packet> Channel::receive(std::optional<double> seconds, Silence& silence,
                                       const std::function<bool()>& stop) {
  const std::optional<double> until = seconds ? std::optional(seconds_now() + *seconds) : std::nullopt;
  if (stop && stopped_before(until, stop)) {
    silence = Silence::stopped;
    return std::nullopt;
  }
  Packet packet;
  std::uint64_t size = 0;
  std::array<std::byte, sizeof(size)> head{};
  if (!fill(head, packet.file, until, silence)) return std::nullopt;
  std::memcpy(&size, head.data(), sizeof(size));
  packet.bytes.resize(size);
  if (!fill(packet.bytes, packet.file, until, silence)) return std::nullopt;
  return packet;
}

}  // namespace tune::process
