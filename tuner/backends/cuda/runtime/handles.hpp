// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {

/// `an illegal memory access was encountered (cudaErrorIllegalAddress)`.
inline std::string describe(cudaError_t status) {
  return format("{} ({})", cudaGetErrorString(status), cudaGetErrorName(status));
}

/// Throws Error for a status that a configuration cannot cause: the environment is broken, or a call is
/// wrong. The message names the call's place; builtins, because clang has std::source_location from 16 on.
inline void check(cudaError_t status, const char* source = __builtin_FILE(), int line = __builtin_LINE()) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // so that the next call does not report it again
  if (status == cudaErrorDevicesUnavailable)
    throw Error(
        "the GPU is busy: another process uses it exclusively, or its compute mode is PROHIBITED; "
        "`nvidia-smi -q -d COMPUTE` shows the mode, `nvidia-smi` the processes");
  if (status == cudaErrorInitializationError)
    throw Error(
        "CUDA does not start in this process: a process that was forked after its parent had used CUDA cannot "
        "use it: start a new one instead (in Python: multiprocessing's 'spawn'); otherwise see what "
        "`nvidia-smi` says");
  std::string file = source;
  file.erase(0, file.rfind('/') + 1);
  throw Error(format("CUDA: {} at {}:{}", describe(status), file, line));
}

/// Drops a status. For destructors: after a fault every call fails.
inline void ignore(cudaError_t status) noexcept {
  if (status != cudaSuccess) cudaGetLastError();
}

/// Owns a handle of the runtime, or nothing. Move-only.
template<class T, cudaError_t (*Destroy)(T)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T handle) noexcept : handle_(handle) {}
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Handle() {
    if (handle_ != nullptr) ignore(Destroy(handle_));
  }
  T get() const noexcept { return handle_; }

 private:
  T handle_ = nullptr;
};

/// Makes a device current for this thread, and the earlier one again at the end.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    check(cudaGetDevice(&before_));
    check(cudaSetDevice(device));
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice() { ignore(cudaSetDevice(before_)); }

 private:
  int before_ = 0;
};

using Stream = Handle<cudaStream_t, &cudaStreamDestroy>;
using Event = Handle<cudaEvent_t, &cudaEventDestroy>;

inline Stream make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return Stream(stream);
}

/// With timing.
inline Event make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event));
  return Event(event);
}

/// For an order between streams; cheaper than an event with timing.
inline Event make_ordering_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return Event(event);
}

/// Owns `size` bytes of memory.
template<cudaError_t (*Free)(void*)>
class Memory {
 public:
  Memory() = default;
  Memory(void* data, std::size_t size) noexcept : data_(data), size_(size) {}
  Memory(Memory&& other) noexcept = default;
  Memory& operator=(Memory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  std::byte* data() const noexcept { return static_cast<std::byte*>(data_.get()); }
  std::size_t size() const noexcept { return size_; }

 private:
  Handle<void*, Free> data_;
  std::size_t size_ = 0;
};

using DeviceMemory = Memory<&cudaFree>;
using PinnedMemory = Memory<&cudaFreeHost>;

/// Null data where there is too little memory; any other error throws.
inline DeviceMemory try_allocate_device(std::size_t size) {
  void* data = nullptr;
  const auto status = cudaMalloc(&data, size);
  if (status == cudaErrorMemoryAllocation) {
    ignore(status);
    return {};
  }
  check(status);
  return {data, size};
}

inline DeviceMemory allocate_device(std::size_t size) {
  auto memory = try_allocate_device(size);
  if (memory.data() == nullptr && size != 0) check(cudaErrorMemoryAllocation);
  return memory;
}

inline PinnedMemory allocate_pinned(std::size_t size) {
  void* data = nullptr;
  check(cudaMallocHost(&data, size));
  return {data, size};
}

static_assert(std::is_nothrow_destructible_v<Stream> && std::is_nothrow_move_constructible_v<Stream>);
static_assert(std::is_nothrow_destructible_v<DeviceMemory> && !std::is_copy_constructible_v<DeviceMemory>);

}  // namespace tune::cuda
