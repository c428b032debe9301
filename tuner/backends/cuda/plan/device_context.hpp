// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/backends/cuda/checks/device_checks.hpp"
#include "tuner/backends/cuda/plan/input_snapshots.hpp"
#include "tuner/backends/cuda/runtime/handles.hpp"
#include "tuner/backends/cuda/runtime/memory_pool.hpp"
#include "tuner/backends/cuda/toolkit/cufft_library.hpp"
#include "tuner/backends/cuda/toolkit/nvml.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::cuda {

/// What a runner keeps on its device from one plan to the next. Used by one thread at a time.
struct DeviceContext {
  /// Takes the device for the calling thread and creates everything that stays.
  DeviceContext(int number, DeviceProperties known);

  /// To be called first wherever a thread enters: the current device is a property of the thread. Throws
  /// Error once a fault has made the device unusable for this process.
  void enter() const;
  /// Makes a failure of a status that a configuration can cause. Failure{launch} where the device goes on;
  /// Failure{crash} for a fault, after which no call of this process succeeds and `enter` throws.
  Failure failure(cudaError_t status);
  bool usable() const { return fault_.empty(); }

  /// At least `count` events.
  const std::vector<Event>& events(std::size_t count);
  /// Streams beside `stream`: at least `count`, the same at every call.
  const std::vector<Stream>& more_streams(std::size_t count);
  /// Pinned host memory of at least `size` bytes; the same memory at every call.
  std::byte* staging(std::size_t size);
  /// Enqueues writing a buffer of twice the L2, so that nothing of what was there is left in it.
  cudaError_t flush_l2();
  /// The memory of `flush_l2`: free for any use within a call.
  const DeviceMemory& spare() const { return flush_; }
  /// Made at the first call, which throws Error where there is no NVRTC.
  DeviceChecks& checks();
  /// Opened at the first call. Failure{resources, "cuFFT"} that says what to install where there is none.
  Result<std::shared_ptr<const CufftLibrary>> cufft();
  /// Clocks, temperature and so on now; what NVML does not tell is zero or empty.
  MachineState machine_state() const;

  const int device;
  const DeviceProperties properties;
  std::optional<NvmlDevice> nvml;  ///< nothing where there is none
  Stream stream;
  MemoryPool pool;
  HostMemoryPool host_pool;
  InputSnapshots snapshots;

 private:
  std::string fault_;
  std::vector<Event> events_;
  std::vector<Stream> more_streams_;
  PinnedMemory staging_;
  DeviceMemory flush_;
  std::optional<DeviceChecks> checks_;
  std::shared_ptr<const CufftLibrary> cufft_;
};

}  // namespace tune::cuda
