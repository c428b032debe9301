// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tuner/base/file.hpp"

namespace tune::process {

/// Memory that two processes share through a file descriptor. Move-only; the object unmaps it.
class SharedMemory {
 public:
  SharedMemory() = default;
  /// Makes memory filled with zeros. Throws Error where there is too little.
  explicit SharedMemory(std::size_t size);
  /// Maps memory that another process made.
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

/// Bytes, with at most one file.
struct Packet {
  std::vector<std::byte> bytes;
  FileDescriptor file = {};
};

/// The reason why no packet came.
enum class Silence { closed, timeout, stopped };

/// One end of a connection between two processes of this machine. Packets arrive whole and in order.
class Channel {
 public:
  explicit Channel(FileDescriptor socket) : socket_(std::move(socket)) {}
  /// Makes two connected ends. Throws Error where the system refuses.
  static std::pair<Channel, Channel> pair();

  /// Sends bytes, and a copy of `file` where that is not negative. False where the other end is closed.
  bool send(std::span<const std::byte> bytes, int file = -1);
  /// Waits at most `seconds` (nothing: without limit) for a whole packet. `stop` (may be empty) is asked
  /// several times a second while none comes, and ends the wait. Where none comes, sets `silence`, and
  /// nothing further can be received.
  std::optional<Packet> receive(std::optional<double> seconds, Silence& silence,
                                const std::function<bool()>& stop = {});

  int descriptor() const { return socket_.get(); }
  void close() { socket_.close(); }

 private:
  bool fill(std::span<std::byte> bytes, FileDescriptor& file, std::optional<double> until, Silence& silence);
  bool stopped_before(std::optional<double> until, const std::function<bool()>& stop) const;

  FileDescriptor socket_;
};

}  // namespace tune::process
