// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "tuner/base/file_descriptor.hpp"

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

}  // namespace tune::process
