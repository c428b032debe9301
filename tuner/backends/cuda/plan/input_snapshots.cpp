// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/plan/input_snapshots.hpp"

#include <algorithm>
#include <iterator>

#include "tuner/backends/cuda/runtime/strided_copy.hpp"
#include "tuner/base/content_hash.hpp"

namespace tune::cuda {
namespace {

/// NaN in floating point, -1 in signed integers: unwritten memory shows.
constexpr int poison = 0xff;

/// A search checks every configuration at several small sizes with two seeds, which differ: of small ones, so
/// many are kept. Large ones, those of the tuned size in each layout, are limited by their bytes alone:
/// sending one anew takes longer than an evaluation, and dozens of small ones come between two uses of a
/// layout.
constexpr std::size_t max_small = 96;
constexpr std::uint64_t small_bytes = std::uint64_t{8} << 20;

}  // namespace

SnapshotKey snapshot_key(const std::string& name, const Layout& layout, const TensorView& tensor) {
  const auto bytes = tensor.bytes;
  return {name, tensor.type, layout, bytes.data(), bytes.size(), sampled_hash(bytes)};
}

void send(std::byte* memory, const SnapshotKey& key, const TensorView& tensor, cudaStream_t stream) {
  if (!key.layout.is_dense()) check(cudaMemsetAsync(memory, poison, key.allocation_bytes(), stream));
  upload(memory, tensor.bytes.data(), copy_shape(key.layout, element_size(key.type)), stream);
}

const InputSnapshot* InputSnapshots::get(const SnapshotKey& key, const TensorView& tensor,
                                         DeviceChecks& checks, cudaStream_t stream) {
  const auto found = std::ranges::find(snapshots_, key, &InputSnapshot::key);
  if (found == snapshots_.end()) return keep(key, tensor, checks, stream);
  snapshots_.splice(snapshots_.begin(), snapshots_, found);
  auto& snapshot = snapshots_.front();
  const auto sums = checks.sums(snapshot.memory.data(), key.allocation_bytes(), stream);
  check(sums ? cudaSuccess : sums.error());
  if (*sums != snapshot.sums) send(snapshot.memory.data(), key, tensor, stream);
  return &snapshot;
}

const InputSnapshot* InputSnapshots::keep(const SnapshotKey& key, const TensorView& tensor,
                                          DeviceChecks& checks, cudaStream_t stream) {
  const auto size = key.allocation_bytes();
  if (size > max_bytes_) return nullptr;
  // Other layouts of a large tensor are made of a dense one on the device.
  auto dense_key = key;
  dense_key.layout = Layout::dense(key.layout.extents);
  const bool has_dense = size > small_bytes && !key.layout.is_dense() && size <= max_bytes_ / 2;
  const auto* const dense = has_dense ? get(dense_key, tensor, checks, stream) : nullptr;
  const auto is_small = [](const InputSnapshot& one) { return one.key.allocation_bytes() <= small_bytes; };
  while (std::ranges::count_if(snapshots_, is_small) >= std::ptrdiff_t{max_small})
    drop(std::prev(std::ranges::find_if(snapshots_.rbegin(), snapshots_.rend(), is_small).base()));
  while (bytes() + size > max_bytes_)
    if (!drop_oldest()) break;
  auto memory = pool_.take(size);
  while (memory.data() == nullptr && drop_oldest()) memory = pool_.take(size);
  if (memory.data() == nullptr) return nullptr;
  const auto* const source = dense == nullptr ? nullptr : find(dense_key);
  if (source == nullptr) {
    send(memory.data(), key, tensor, stream);
  } else {
    check(cudaMemsetAsync(memory.data(), poison, size, stream));
    rearrange(memory.data(), source->memory.data(), copy_shape(key.layout, element_size(key.type)), stream);
  }
  auto sums = checks.sums(memory.data(), size, stream);
  check(sums ? cudaSuccess : sums.error());
  snapshots_.push_front({key, std::move(memory), std::move(*sums)});
  return &snapshots_.front();
}

const InputSnapshot* InputSnapshots::find(const SnapshotKey& key) const {
  const auto found = std::ranges::find(snapshots_, key, &InputSnapshot::key);
  return found == snapshots_.end() ? nullptr : &*found;
}

bool InputSnapshots::drop_oldest() {
  if (snapshots_.empty()) return false;
  drop(std::prev(snapshots_.end()));
  return true;
}

void InputSnapshots::drop(std::list<InputSnapshot>::iterator snapshot) {
  pool_.give_back(std::move(snapshot->memory));
  snapshots_.erase(snapshot);
}

std::size_t InputSnapshots::bytes() const {
  std::size_t sum = 0;
  for (const auto& snapshot : snapshots_) sum += snapshot.memory.size();
  return sum;
}

}  // namespace tune::cuda
