// SPDX-License-Identifier: Apache-2.0
// Cooperative groups of a grid, of a block and of parts of a warp.
#pragma once

#include "collectives.cuh"
#include "warp.cuh"

namespace cooperative_groups {

// Threads meet where they wait; what they do between arriving and waiting counts as before the barrier.
#define TUNE_ARRIVALS                                        \
  struct arrival_token {};                                   \
  static arrival_token barrier_arrive() {                    \
    return {};                                               \
  }                                                          \
  static void barrier_wait(arrival_token = {}, TUNE_PLACE) { \
    sync(tune_file, tune_line);                              \
  }

struct thread_block {
  static unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  static dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
  static dim3 dim_threads() { return {blockDim.x, blockDim.y, blockDim.z}; }
  static dim3 group_dim() { return dim_threads(); }
  static void sync(TUNE_PLACE) { tune_barrier(tune_emulator::Barrier::plain, 0, tune_file, tune_line); }
  TUNE_ARRIVALS
};
TUNE_FUNCTION(thread_block this_thread_block(), {})
// For groups of several warps, which are not emulated: files that have them have other kernels, too.
template<unsigned threads, unsigned = 0>
struct block_tile_memory {};
template<unsigned threads, unsigned other>
TUNE_FUNCTION(thread_block this_thread_block(block_tile_memory<threads, other>&), {})

TUNE_FUNCTION(dim3 tune_in_clusters(uint3 blocks),
              {blocks.x / tune_indices.cluster_extent.x, blocks.y / tune_indices.cluster_extent.y,
               blocks.z / tune_indices.cluster_extent.z})

    // All threads of a cooperative launch.
    struct grid_group {
  static bool is_valid() { return true; }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static unsigned long long size() { return num_blocks() * thread_block::size(); }
  static unsigned long long num_threads() { return size(); }
  static unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.z) * gridDim.y * gridDim.x;
  }
  static dim3 block_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  static dim3 dim_blocks() { return {gridDim.x, gridDim.y, gridDim.z}; }
  static dim3 group_dim() { return dim_blocks(); }
  static void sync(TUNE_PLACE) { tune_grid_barrier(nullptr, tune_file, tune_line); }
  TUNE_ARRIVALS
  static unsigned long long num_clusters() {
    const dim3 all = dim_clusters();
    return static_cast<unsigned long long>(all.x) * all.y * all.z;
  }
  static unsigned long long cluster_rank() {
    const dim3 at = cluster_index(), all = dim_clusters();
    return (static_cast<unsigned long long>(at.z) * all.y + at.y) * all.x + at.x;
  }
  static dim3 dim_clusters() { return tune_in_clusters(gridDim); }
  static dim3 cluster_index() { return tune_in_clusters(blockIdx); }
};
TUNE_FUNCTION(grid_group this_grid(), {})

// The blocks of a cluster, or a block alone.
struct cluster_group {
  static unsigned block_rank() {
    const dim3 of = dim_blocks();
    return (blockIdx.z % of.z * of.y + blockIdx.y % of.y) * of.x + blockIdx.x % of.x;
  }
  static unsigned num_blocks() { return dim_blocks().x * dim_blocks().y * dim_blocks().z; }
  static unsigned thread_rank() { return block_rank() * thread_block::size() + thread_block::thread_rank(); }
  static unsigned num_threads() { return num_blocks() * thread_block::size(); }
  static unsigned size() { return num_threads(); }
  static dim3 block_index() {
    return {blockIdx.x % dim_blocks().x, blockIdx.y % dim_blocks().y, blockIdx.z % dim_blocks().z};
  }
  static dim3 dim_blocks() { return tune_indices.cluster_extent; }
  static dim3 dim_threads() {
    return {dim_blocks().x * blockDim.x, dim_blocks().y * blockDim.y, dim_blocks().z * blockDim.z};
  }
  static dim3 thread_index() {
    return {threadIdx.x + block_index().x * blockDim.x, threadIdx.y + block_index().y * blockDim.y,
            threadIdx.z + block_index().z * blockDim.z};
  }
  static void sync(TUNE_PLACE) { tune_cluster_barrier(tune_file, tune_line); }
  TUNE_ARRIVALS
  static unsigned query_shared_rank(const void* address) { return __cluster_query_shared_rank(address); }
  template<class T>
  static T* map_shared_rank(T* address, int rank, TUNE_PLACE) {
    return static_cast<T*>(tune_in_cluster(address, static_cast<unsigned>(rank), tune_file, tune_line));
  }
};
TUNE_FUNCTION(cluster_group this_cluster(), {})
#undef TUNE_ARRIVALS

// A part of a warp: `threads` neighbouring lanes.
template<unsigned threads, class Parent = void>
struct thread_block_tile {
  static_assert(threads >= 1 && (threads & (threads - 1)) == 0, "a power of two");

  thread_block_tile() = default;
  template<class Other>
  thread_block_tile(const thread_block_tile<threads, Other>&) {}

  static unsigned thread_rank() { return thread_block::thread_rank() % threads; }
  static constexpr unsigned size() { return threads; }
  static constexpr unsigned num_threads() { return threads; }
  static unsigned meta_group_rank() { return thread_block::thread_rank() / threads; }
  static unsigned meta_group_size() { return (thread_block::size() + threads - 1) / threads; }

  static void sync(TUNE_PLACE) { __syncwarp(mask(), tune_file, tune_line); }
  template<class T>
  static T shfl(T value, int lane, TUNE_PLACE) {
    return shuffled(tune_emulator::WarpOperation::shuffle_from, value, lane, tune_file, tune_line);
  }
  template<class T>
  static T shfl_up(T value, int distance, TUNE_PLACE) {
    return shuffled(tune_emulator::WarpOperation::shuffle_up, value, distance, tune_file, tune_line);
  }
  template<class T>
  static T shfl_down(T value, int distance, TUNE_PLACE) {
    return shuffled(tune_emulator::WarpOperation::shuffle_down, value, distance, tune_file, tune_line);
  }
  template<class T>
  static T shfl_xor(T value, int lanes, TUNE_PLACE) {
    return shuffled(tune_emulator::WarpOperation::shuffle_butterfly, value, lanes, tune_file, tune_line);
  }
  static unsigned ballot(int predicate, TUNE_PLACE) {
    return __ballot_sync(mask(), predicate, tune_file, tune_line) >> first();
  }
  static int any(int predicate, TUNE_PLACE) { return __any_sync(mask(), predicate, tune_file, tune_line); }
  static int all(int predicate, TUNE_PLACE) { return __all_sync(mask(), predicate, tune_file, tune_line); }
  template<class T>
  static unsigned match_any(T value, TUNE_PLACE) {
    return __match_any_sync(mask(), value, tune_file, tune_line) >> first();
  }
  template<class T>
  static unsigned match_all(T value, int& all, TUNE_PLACE) {
    return __match_all_sync(mask(), value, &all, tune_file, tune_line) >> first();
  }
  static unsigned mask() { return (threads >= 32 ? ~0u : (1u << threads % 32) - 1) << first(); }

 private:
  static unsigned first() { return thread_block::thread_rank() % 32 / threads * threads; }
  template<class T>
  static T shuffled(tune_emulator::WarpOperation operation, const T& value, int operand, const char* file,
                    int line) {
    return tune_emulator::shuffled(operation, mask(), value, operand, threads, file, line);
  }
};
// An error where a kernel that is launched calls it, not for others of the file.
void tune_several_warps()
    __attribute__((error("tune_cannot_emulate: the emulator has no groups of several warps")));
template<unsigned threads, class Parent>
inline thread_block_tile<threads, Parent> tiled_partition(const Parent&) {
  if constexpr (threads > 32) tune_several_warps();
  return {};
}

// Any lanes of a warp, numbered in their order.
class coalesced_group {
 public:
  explicit coalesced_group(unsigned mask, unsigned rank = 0, unsigned groups = 1)
      : mask_(mask), rank_(rank), groups_(groups) {}

  unsigned thread_rank() const { return __builtin_popcount(mask_ & ((1u << lane()) - 1)); }
  unsigned size() const { return __builtin_popcount(mask_); }
  unsigned num_threads() const { return size(); }
  unsigned meta_group_rank() const { return rank_; }
  unsigned meta_group_size() const { return groups_; }
  unsigned mask() const { return mask_; }

  void sync(TUNE_PLACE) const { __syncwarp(mask_, tune_file, tune_line); }
  template<class T>
  T shfl(T value, unsigned rank, TUNE_PLACE) const {
    return from(value, lane_of(rank % size()), tune_file, tune_line);
  }
  template<class T>
  T shfl_up(T value, unsigned distance, TUNE_PLACE) const {
    const unsigned rank = thread_rank();
    return from(value, rank < distance ? lane() : lane_of(rank - distance), tune_file, tune_line);
  }
  template<class T>
  T shfl_down(T value, unsigned distance, TUNE_PLACE) const {
    const unsigned rank = thread_rank() + distance;
    return from(value, rank >= size() ? lane() : lane_of(rank), tune_file, tune_line);
  }
  int any(int predicate, TUNE_PLACE) const { return __any_sync(mask_, predicate, tune_file, tune_line); }
  int all(int predicate, TUNE_PLACE) const { return __all_sync(mask_, predicate, tune_file, tune_line); }
  unsigned ballot(int predicate, TUNE_PLACE) const {
    return ranks_of(__ballot_sync(mask_, predicate, tune_file, tune_line));
  }
  template<class T>
  unsigned match_any(T value, TUNE_PLACE) const {
    return ranks_of(__match_any_sync(mask_, value, tune_file, tune_line));
  }
  template<class T>
  unsigned match_all(T value, int& all, TUNE_PLACE) const {
    return ranks_of(__match_all_sync(mask_, value, &all, tune_file, tune_line));
  }

 private:
  static unsigned lane() { return thread_block::thread_rank() % 32; }
  unsigned lane_of(unsigned rank) const {
    unsigned left = mask_;
    for (; rank > 0; --rank) left &= left - 1;
    return __builtin_ctz(left);
  }
  unsigned ranks_of(unsigned lanes) const {
    unsigned ranks = 0, rank = 0;
    for (unsigned left = mask_; left != 0; left &= left - 1, ++rank)
      ranks |= (lanes >> __builtin_ctz(left) & 1u) << rank;
    return ranks;
  }
  template<class T>
  T from(const T& value, unsigned lane, const char* file, int line) const {
    return tune_emulator::shuffled(tune_emulator::WarpOperation::shuffle_from, mask_, value,
                                   static_cast<int>(lane), 32, file, line);
  }

  unsigned mask_, rank_, groups_;
};
TUNE_FUNCTION(coalesced_group coalesced_threads(TUNE_PLACE),
              coalesced_group(__activemask(tune_file, tune_line)))

// The lanes of the group with one label. Their groups are numbered by their first lanes.
template<class Group, class T>
inline coalesced_group labeled_partition(const Group& group, T label, TUNE_PLACE) {
  const unsigned mine = __match_any_sync(group.mask(), label, tune_file, tune_line);
  const unsigned firsts = __ballot_sync(
      group.mask(), thread_block::thread_rank() % 32 == static_cast<unsigned>(__builtin_ctz(mine)), tune_file,
      tune_line);
  return coalesced_group(mine, __builtin_popcount(firsts & ((mine & -mine) - 1)), __builtin_popcount(firsts));
}
template<class Group>
inline coalesced_group binary_partition(const Group& group, bool label, TUNE_PLACE) {
  const unsigned set = __ballot_sync(group.mask(), label, tune_file, tune_line);
  return coalesced_group(label ? set : group.mask() & ~set, label ? 0 : 1, 2);
}
// Parts of neighbouring ranks.
inline coalesced_group tiled_partition(const coalesced_group& group, unsigned threads) {
  const unsigned part = group.thread_rank() / threads;
  unsigned mask = 0, rank = 0;
  for (unsigned left = group.mask(); left != 0; left &= left - 1, ++rank)
    if (rank / threads == part) mask |= left & -left;
  return coalesced_group(mask, part, (group.size() + threads - 1) / threads);
}
template<unsigned threads>
inline coalesced_group tiled_partition(const coalesced_group& group) {
  return tiled_partition(group, threads);
}

// A block, or lanes of a warp.
class thread_group {
 public:
  thread_group(const thread_block&) {}
  thread_group(const coalesced_group& group) : lanes_(group.mask()) {}
  template<unsigned threads, class Parent>
  thread_group(const thread_block_tile<threads, Parent>& tile) : lanes_(tile.mask()) {}

  unsigned size() const { return lanes_ == 0 ? thread_block::size() : lanes().size(); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const { return lanes_ == 0 ? thread_block::thread_rank() : lanes().thread_rank(); }
  void sync(TUNE_PLACE) const {
    if (lanes_ == 0)
      thread_block::sync(tune_file, tune_line);
    else
      lanes().sync(tune_file, tune_line);
  }
  // None for a block.
  unsigned mask() const { return lanes_; }

 private:
  coalesced_group lanes() const { return coalesced_group(lanes_); }
  unsigned lanes_ = 0;  // none: the block
};
// At most 32 neighbouring ranks, a power of two.
inline thread_group tiled_partition(const thread_group& group, unsigned threads) {
  if (group.mask() != 0) return tiled_partition(coalesced_group(group.mask()), threads);
  const unsigned first = thread_block::thread_rank() % 32 / threads * threads;
  return coalesced_group((threads == 32 ? ~0u : (1u << threads) - 1) << first);
}

template<class Group, class Function, class... Arguments>
inline void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}

template<class Group>
inline void sync(const Group& group, TUNE_PLACE) {
  group.sync(tune_file, tune_line);
}

template<class T>
struct plus {
  T operator()(T x, T y) const { return x + y; }
};
template<class T>
struct less {
  T operator()(T x, T y) const { return y < x ? y : x; }
};
template<class T>
struct greater {
  T operator()(T x, T y) const { return x < y ? y : x; }
};
template<class T>
struct bit_and {
  T operator()(T x, T y) const { return x & y; }
};
template<class T>
struct bit_or {
  T operator()(T x, T y) const { return x | y; }
};
template<class T>
struct bit_xor {
  T operator()(T x, T y) const { return x ^ y; }
};
template<unsigned threads, class Parent, class T, class Operation = plus<T>>
inline T inclusive_scan(const thread_block_tile<threads, Parent>& tile, T value,
                        const Operation& operation = {}, TUNE_PLACE) {
  for (unsigned distance = 1; distance < threads; distance *= 2) {
    const T before = tile.shfl_up(value, static_cast<int>(distance), tune_file, tune_line);
    if (tile.thread_rank() >= distance) value = operation(before, value);
  }
  return value;
}
// The first thread's value is zero, as that of a sum is.
template<unsigned threads, class Parent, class T, class Operation = plus<T>>
inline T exclusive_scan(const thread_block_tile<threads, Parent>& tile, T value,
                        const Operation& operation = {}, TUNE_PLACE) {
  const T sum = inclusive_scan(tile, value, operation, tune_file, tune_line);
  const T before = tile.shfl_up(sum, 1, tune_file, tune_line);
  return tile.thread_rank() == 0 ? T() : before;
}
template<unsigned threads, class Parent, class T, class Operation>
inline T reduce(const thread_block_tile<threads, Parent>& tile, T value, const Operation& operation,
                TUNE_PLACE) {
  for (unsigned distance = threads / 2; distance > 0; distance /= 2)
    value = operation(value, tile.shfl_xor(value, static_cast<int>(distance), tune_file, tune_line));
  return value;
}

// In the order of the ranks.
template<class T, class Operation = plus<T>>
inline T inclusive_scan(const coalesced_group& group, T value, const Operation& operation = {}, TUNE_PLACE) {
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const T before = group.shfl_up(value, distance, tune_file, tune_line);
    if (group.thread_rank() >= distance) value = operation(before, value);
  }
  return value;
}
template<class T, class Operation = plus<T>>
inline T exclusive_scan(const coalesced_group& group, T value, const Operation& operation = {}, TUNE_PLACE) {
  const T sum = inclusive_scan(group, value, operation, tune_file, tune_line);
  const T before = group.shfl_up(sum, 1, tune_file, tune_line);
  return group.thread_rank() == 0 ? T() : before;
}
template<class T, class Operation>
inline T reduce(const coalesced_group& group, T value, const Operation& operation, TUNE_PLACE) {
  return group.shfl(inclusive_scan(group, value, operation, tune_file, tune_line), group.size() - 1,
                    tune_file, tune_line);
}

// The threads of a group share the copy; every thread waits for its part, then for the group.
template<class Group, class T>
inline void memcpy_async(const Group& group, T* to, const T* from, size_t bytes, TUNE_PLACE) {
  constexpr size_t step = sizeof(T) < 4 ? sizeof(T) : 4;
  for (size_t at = group.thread_rank() * step; at < bytes; at += group.size() * step)
    tune_copy_async(reinterpret_cast<char*>(to) + at, reinterpret_cast<const char*>(from) + at, step, 0,
                    tune_file, tune_line);
  tune_commit_async();
}
template<class Group>
inline void wait(const Group& group, TUNE_PLACE) {
  tune_wait_async(0);
  group.sync(tune_file, tune_line);
}
template<unsigned pending, class Group>
inline void wait_prior(const Group& group, TUNE_PLACE) {
  tune_wait_async(pending);
  group.sync(tune_file, tune_line);
}

}  // namespace cooperative_groups

TUNE_FUNCTION(dim3 __clusterDim(), cooperative_groups::cluster_group::dim_blocks())
TUNE_FUNCTION(dim3 __clusterRelativeBlockIdx(), cooperative_groups::cluster_group::block_index())
TUNE_FUNCTION(dim3 __clusterGridDimInClusters(), cooperative_groups::grid_group::dim_clusters())
TUNE_FUNCTION(dim3 __clusterIdx(), cooperative_groups::grid_group::cluster_index())
TUNE_FUNCTION(unsigned __clusterRelativeBlockRank(), cooperative_groups::cluster_group::block_rank())
TUNE_FUNCTION(unsigned __clusterSizeInBlocks(), cooperative_groups::cluster_group::num_blocks())
