// SPDX-License-Identifier: Apache-2.0
// Cooperative groups of a grid, of a block and of parts of a warp.
#pragma once

#include "warp.cuh"

namespace cooperative_groups {

struct thread_block {
  static unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  static dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
  static dim3 dim_threads() { return {blockDim.x, blockDim.y, blockDim.z}; }
  static void sync(TUNE_PLACE) { tune_barrier(tune_emulator::Barrier::plain, 0, tune_file, tune_line); }
};
TUNE_FUNCTION(thread_block this_thread_block(), {})
// For groups of several warps, which are not emulated: files that have them have other kernels, too.
template<unsigned threads, unsigned = 0>
struct block_tile_memory {};
template<unsigned threads, unsigned other>
TUNE_FUNCTION(thread_block this_thread_block(block_tile_memory<threads, other>&), {})

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
};
TUNE_FUNCTION(grid_group this_grid(), {})

// A part of a warp: `threads` neighbouring lanes.
template<unsigned threads, class Parent = void>
struct thread_block_tile {
  static_assert(threads >= 1 && threads <= 32 && (threads & (threads - 1)) == 0, "a power of two up to 32");

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
    return __shfl_sync(mask(), value, lane, threads, tune_file, tune_line);
  }
  template<class T>
  static T shfl_up(T value, int distance, TUNE_PLACE) {
    return __shfl_up_sync(mask(), value, distance, threads, tune_file, tune_line);
  }
  template<class T>
  static T shfl_down(T value, int distance, TUNE_PLACE) {
    return __shfl_down_sync(mask(), value, distance, threads, tune_file, tune_line);
  }
  template<class T>
  static T shfl_xor(T value, int lanes, TUNE_PLACE) {
    return __shfl_xor_sync(mask(), value, lanes, threads, tune_file, tune_line);
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

 private:
  static unsigned first() { return thread_block::thread_rank() % 32 / threads * threads; }
  static unsigned mask() { return (threads == 32 ? ~0u : (1u << threads % 32) - 1) << first(); }
};
template<unsigned threads, class Parent>
inline thread_block_tile<threads, Parent> tiled_partition(const Parent&) {
  return {};
}

template<class Group>
inline void sync(const Group&, TUNE_PLACE) {
  Group::sync(tune_file, tune_line);
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
inline T inclusive_scan(const thread_block_tile<threads, Parent>& tile, T value, const Operation& operation = {},
                        TUNE_PLACE) {
  for (unsigned distance = 1; distance < threads; distance *= 2) {
    const T before = tile.shfl_up(value, static_cast<int>(distance), tune_file, tune_line);
    if (tile.thread_rank() >= distance) value = operation(before, value);
  }
  return value;
}
// The first thread's value is zero, as that of a sum is.
template<unsigned threads, class Parent, class T, class Operation = plus<T>>
inline T exclusive_scan(const thread_block_tile<threads, Parent>& tile, T value, const Operation& operation = {},
                        TUNE_PLACE) {
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

// The threads of a group share the copy; every thread waits for its part, then for the group.
template<class Group, class T>
inline void memcpy_async(const Group&, T* to, const T* from, size_t bytes, TUNE_PLACE) {
  constexpr size_t step = sizeof(T) < 4 ? sizeof(T) : 4;
  for (size_t at = Group::thread_rank() * step; at < bytes; at += Group::size() * step)
    tune_copy_async(reinterpret_cast<char*>(to) + at, reinterpret_cast<const char*>(from) + at, step, 0,
                    tune_file, tune_line);
  tune_commit_async();
}
template<class Group>
inline void wait(const Group&, TUNE_PLACE) {
  tune_wait_async(0);
  Group::sync(tune_file, tune_line);
}
template<unsigned pending, class Group>
inline void wait_prior(const Group&, TUNE_PLACE) {
  tune_wait_async(pending);
  Group::sync(tune_file, tune_line);
}

}  // namespace cooperative_groups

namespace cuda {

// A pipeline of one thread's own copies.
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
template<thread_scope scope>
struct pipeline {
  static_assert(scope == thread_scope_thread, "the emulator has pipelines of a thread only");
  int committed = 0, consumed = 0;

  void producer_acquire() {}
  void producer_commit() {
    ++committed;
    tune_commit_async();
  }
  void consumer_wait() { tune_wait_async(committed - consumed - 1); }
  void consumer_release() { ++consumed; }
};
inline pipeline<thread_scope_thread> make_pipeline() {
  return {};
}
template<int pending>
inline void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>&) {
  tune_wait_async(pending);
}
template<size_t alignment>
struct aligned_size_t {
  size_t bytes;
  explicit aligned_size_t(size_t bytes) : bytes(bytes) {}
  operator size_t() const { return bytes; }
};
inline void memcpy_async(void* to, const void* from, size_t bytes, pipeline<thread_scope_thread>&,
                         TUNE_PLACE) {
  tune_copy_async(to, from, static_cast<unsigned>(bytes), 0, tune_file, tune_line);
}

}  // namespace cuda
