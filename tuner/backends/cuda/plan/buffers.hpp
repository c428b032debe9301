// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/backends/cuda/checks/device_checks.hpp"
#include "tuner/backends/cuda/plan/input_snapshots.hpp"
#include "tuner/backends/cuda/runtime/handles.hpp"
#include "tuner/backends/cuda/runtime/memory_pool.hpp"
#include "tuner/backends/cuda/runtime/strided_copy.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::cuda {

struct DeviceContext;

/// The memory of one buffer of a plan, between red zones. A buffer on the host is filled and checked in a
/// mirror on the device, laid out in the same way. All host buffers of a plan share one mirror, which holds
/// the buffer that was staged last.
struct PlanBuffer {
  BufferSpec spec;
  CopyShape shape;
  CopyShape results = {};       ///< of results_layout
  DeviceMemory memory = {};     ///< of a buffer on the device
  HostMemory host = {};         ///< of one on the host
  std::byte* mirror = nullptr;  ///< of one on the host
  std::uint64_t guard = 0;      ///< bytes before the buffer; those after it reach to `bytes`
  std::uint64_t bytes = 0;      ///< of everything; `memory` may be larger

  /// For an input: the snapshot that it was filled with, which may be dropped, and its sums.
  std::optional<SnapshotKey> snapshot = {};
  std::vector<checks::Count> sums = {};
  /// For an output that is also read: its first contents. The view is that of the tensor in `fill`.
  std::optional<SnapshotKey> first_contents = {};
  TensorView first_tensor = {};

  /// Addresses on the device: of all of the memory, of the buffer, of logical element (0, 0, ...).
  std::byte* begin() const { return spec.on_host() ? mirror : memory.data(); }
  std::byte* data() const { return begin() + guard; }
  std::byte* first() const { return data() + shape.device_offset; }
  std::byte* first_result() const { return data() + results.device_offset; }
  /// The address of logical element (0, 0, ...) for the plan's steps.
  std::byte* place() const { return spec.on_host() ? host.data() + guard + shape.device_offset : first(); }
  checks::Zone red_zone_before() const;
  checks::Zone red_zone_after() const;
};

/// The buffers of one plan on one device, which must be current at every call, taken from a pool and given
/// back by the destructor.
class PlanBuffers {
 public:
  /// Failure{resources, "device memory"} or Failure{resources, "host memory"} where there is too little.
  static Result<PlanBuffers> take(const std::vector<BufferSpec>& specs, MemoryPool& pool,
                                  HostMemoryPool& host_pool, InputSnapshots& snapshots);
  PlanBuffers(PlanBuffers&&) = default;
  PlanBuffers& operator=(PlanBuffers&&) = delete;
  ~PlanBuffers();

  /// Enqueues filling the inputs with their tensors, with 0xff around them, all other buffers with their
  /// initial bytes, and the red zones with their pattern. Throws Error where a tensor is missing or is not
  /// what the plan describes.
  void fill(const TensorViews& inputs, InputSnapshots& snapshots, DeviceChecks& checks, cudaStream_t stream);
  /// Call it while the device is idle: gives outputs the poison that they hold before a checked run, but not
  /// those that are also read.
  cudaError_t poison_outputs(cudaStream_t stream) const;
  /// Enqueues filling the outputs that are also read with their first contents. Their tensors must still be
  /// there.
  void restore_in_place(const InputSnapshots& snapshots, cudaStream_t stream) const;
  bool any_in_place() const;
  /// Enqueues the copy of a host buffer with its zones to its mirror; does nothing for other buffers.
  cudaError_t stage(const PlanBuffer& buffer, cudaStream_t stream) const;
  /// Enqueues the copy of the results in one of the buffers to `host`, which must have room for them.
  void fetch(std::string_view name, std::byte* host, cudaStream_t stream) const;

  const std::vector<PlanBuffer>& all() const { return buffers_; }
  /// Null for a name that these lack.
  const PlanBuffer* find(std::string_view name) const;

 private:
  PlanBuffers(MemoryPool& pool, HostMemoryPool& host_pool) : pool_(&pool), host_pool_(&host_pool) {}
  void fill(PlanBuffer& buffer, const TensorViews& inputs, InputSnapshots& snapshots, DeviceChecks& checks,
            cudaStream_t stream);
  static void restore(const PlanBuffer& buffer, const InputSnapshots& snapshots, cudaStream_t stream);

  MemoryPool* pool_;
  HostMemoryPool* host_pool_;
  DeviceMemory mirror_;  ///< as large as the largest buffer on the host
  std::vector<PlanBuffer> buffers_;
};

/// The part of a plan on one of its devices.
struct DevicePart {
  DeviceContext* context;
  PlanBuffers buffers;
};

/// Throws Error for a name that the plan lacks.
std::pair<const DevicePart*, const PlanBuffer*> find_buffer(const std::vector<DevicePart>& parts,
                                                            std::string_view name);

}  // namespace tune::cuda
