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

/// Identifies the contents of a buffer: a tensor by its address and its sampled_hash.
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

/// Enqueues the copy of the tensor to `memory` in the key's layout, with 0xff around it.
void send(std::byte* memory, const SnapshotKey& key, const TensorView& tensor, cudaStream_t stream);

/// A tensor in the memory of the device, with sums that show changes.
struct InputSnapshot {
  SnapshotKey key;
  DeviceMemory memory;
  std::vector<checks::Count> sums;
};

/// Keeps inputs and references on the device in the layouts of plans, so that they are sent once. Plans work
/// on copies, which they may overwrite. Guards do not protect snapshots from stray writes: their sums show
/// changes, and a changed one is sent again.
class InputSnapshots {
 public:
  /// Keeps at most `max_bytes`.
  InputSnapshots(MemoryPool& pool, std::uint64_t max_bytes) : pool_(pool), max_bytes_(max_bytes) {}

  /// Returns the snapshot of the tensor, and sends the tensor where it is missing or changed; null where
  /// there is no room for it. Valid until the next call of anything but `find`.
  const InputSnapshot* get(const SnapshotKey& key, const TensorView& tensor, DeviceChecks& checks,
                           cudaStream_t stream);
  /// Null where there is none.
  const InputSnapshot* find(const SnapshotKey& key) const;
  /// Drops the snapshot that was used longest ago; false where there is none.
  bool drop_oldest();
  std::size_t bytes() const;

 private:
  void drop(std::list<InputSnapshot>::iterator snapshot);
  const InputSnapshot* keep(const SnapshotKey& key, const TensorView& tensor, DeviceChecks& checks,
                            cudaStream_t stream);

  MemoryPool& pool_;
  std::uint64_t max_bytes_;
  std::list<InputSnapshot> snapshots_;  ///< the last used first
};

}  // namespace tune::cuda
