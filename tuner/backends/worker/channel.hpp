// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tuner/base/file.hpp"

namespace tune::process {

/// Memory that two processes see, known by a file descriptor. Move-only; the mapping ends with the object,
/// the memory with its last descriptor and mapping.
class SharedMemory {
 public:
  SharedMemory() = default;
  /// New memory, filled with zeros. Throws Error where there is too little.
  explicit SharedMemory(std::size_t size);
  /// Memory that another process made.
  SharedMemory(FileDescriptor file, std::size_t size);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  std::span<std::byte> bytes() { return {data_, size_}; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  int descriptor() const { return file_.get(); }

 private:
  void map();

  FileDescriptor file_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Bytes, and at most one file that comes with them.
struct Packet {
  std::vector<std::byte> bytes;
  FileDescriptor file = {};
};

/// Why there is no packet.
enum class Silence { closed, timeout };

/// One end of a connection between two processes of this machine. Packets arrive whole and in order.
class Channel {
 public:
  explicit Channel(FileDescriptor socket) : socket_(std::move(socket)) {}
  /// Two connected ends. Throws Error where the system gives none.
  static std::pair<Channel, Channel> pair();

  /// False where the other end is gone. `file` is sent along where it is not negative; the sender keeps its
  /// own.
  bool send(std::span<const std::byte> bytes, int file = -1);
  /// Waits at most `seconds` for the whole packet, without limit where nothing is given. Where it does not
  /// come, `silence` says why and nothing further can be received.
  std::optional<Packet> receive(std::optional<double> seconds, Silence& silence);

  int descriptor() const { return socket_.get(); }
  void close() { socket_.close(); }

 private:
  bool fill(std::span<std::byte> bytes, FileDescriptor& file, std::optional<double> until, Silence& silence);

  FileDescriptor socket_;
};

}  // namespace tune::process
