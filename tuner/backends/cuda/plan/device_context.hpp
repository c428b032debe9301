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

/// The resources that a runner keeps on its device from one plan to the next. Used by one thread at a time.
struct DeviceContext {
  /// Makes the device current for the calling thread.
  DeviceContext(int number, DeviceProperties known);

  /// Makes the device current; every call from outside begins with it, because the current device belongs to
  /// the thread. Throws Error once a fault has made the device unusable for this process.
  void enter() const;
  /// Turns a status that a configuration can cause into a failure. Failure{launch} where the device goes on;
  /// Failure{crash} for a fault, after which no call of this process succeeds and `enter` throws.
  Failure failure(cudaError_t status);

  /// Returns at least `count` events.
  const std::vector<Event>& events(std::size_t count);
  /// Returns at least `count` streams beside `stream`, the same at every call.
  const std::vector<Stream>& more_streams(std::size_t count);
  /// Returns pinned host memory of at least `size` bytes, the same at every call.
  std::byte* staging(std::size_t size);
  /// Enqueues writing a buffer of twice the L2, which replaces all of the cache.
  cudaError_t flush_l2();
  /// The memory of `flush_l2`, for any use within a call.
  const DeviceMemory& spare() const { return flush_; }
  /// The first call throws Error where there is no NVRTC.
  DeviceChecks& checks();
  /// Opens cuFFT at the first call. Failure{resources, "cuFFT"} names what to install where there is none.
  Result<std::shared_ptr<const CufftLibrary>> cufft();
  /// Returns clocks, temperature and so on now; zero or empty where NVML does not report them.
  MachineState machine_state() const;

  const int device;
  const DeviceProperties properties;
  std::optional<NvmlDevice> nvml;  ///< nothing where NVML is missing
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
