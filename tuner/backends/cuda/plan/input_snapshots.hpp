// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "tuner/backends/cuda/checks/device_checks.hpp"
#include "tuner/backends/cuda/runtime/handles.hpp"
#include "tuner/backends/cuda/runtime/memory_pool.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::cuda {

/// What tells the contents of a buffer apart. A tensor is known by its place in memory and a digest: of all
/// its bytes where they are few, else of many pieces spread over it, because reading a gigabyte takes as long
/// as sending it. New contents made by another seed are noticed; a few elements changed in place in a large
/// tensor need not be.
struct SnapshotKey {
  std::string name;
  ElementType type = ElementType::f32;
  Layout layout;
  const std::byte* data = nullptr;
  std::size_t size = 0;
  std::string digest;
  friend bool operator==(const SnapshotKey&, const SnapshotKey&) = default;

  std::uint64_t allocation_bytes() const { return layout.allocation * element_size(type); }
};

SnapshotKey snapshot_key(const std::string& name, const Layout& layout, const TensorView& tensor);

/// Enqueues: `memory` holds the tensor in the key's layout, every byte around it is 0xff.
void send(std::byte* memory, const SnapshotKey& key, const TensorView& tensor, cudaStream_t stream);

/// A tensor in the memory of the device, and sums that tell whether it is still there.
struct InputSnapshot {
  SnapshotKey key;
  DeviceMemory memory;
  std::vector<checks::Count> sums;
};

/// Inputs and references as they were sent, in the layouts that plans asked for, so that they are sent once.
/// Plans work on copies, which they may spoil. Images lie in the same memory as what plans write to, beyond
/// the reach of guards: each is known by sums, and what a stray write has changed is sent again.
class InputSnapshots {
 public:
  /// Keeps at most `max_bytes`.
  InputSnapshots(MemoryPool& pool, std::uint64_t max_bytes) : pool_(pool), max_bytes_(max_bytes) {}

  /// The image of that tensor, sent now where it is not there or no longer what it was; null where there is
  /// no room for one. Valid until the next call of anything but `find`.
  const InputSnapshot* get(const SnapshotKey& key, const TensorView& tensor, DeviceChecks& checks,
                           cudaStream_t stream);
  /// Null where it is not (or no longer) there.
  const InputSnapshot* find(const SnapshotKey& key) const;
  /// Gives up the image that was used longest ago; false where there is none.
  bool drop_oldest();
  std::size_t bytes() const;

 private:
  const InputSnapshot* keep(const SnapshotKey& key, const TensorView& tensor, DeviceChecks& checks,
                            cudaStream_t stream);

  MemoryPool& pool_;
  std::uint64_t max_bytes_;
  std::list<InputSnapshot> snapshots_;  ///< the last used first
};

}  // namespace tune::cuda
