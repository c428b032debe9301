// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/worker/shared_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::process {

SharedMemory::SharedMemory(std::size_t size) : file_(memfd_create("tune", MFD_CLOEXEC)), size_(size) {
  if (!file_ || ftruncate(file_.get(), static_cast<off_t>(size)) != 0)
    throw Error(format("{} bytes of memory to share with the process that runs the kernels: {}", size,
                       std::strerror(errno)));
  map();
}

SharedMemory::SharedMemory(FileDescriptor file, std::size_t size) : file_(std::move(file)), size_(size) {
  map();
}

void SharedMemory::map() {
  if (size_ == 0) return;
  void* address = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (address == MAP_FAILED)
    throw Error(format("{} bytes of shared memory cannot be mapped: {}", size_, std::strerror(errno)));
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

}  // namespace tune::process
