// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <barrier>
#include <bit>
#include <functional>
#include <thread>
#include <vector>

/// Enough of CUDA to run a simple kernel on the CPU: include this, then the kernel's source. Every CUDA
/// thread is one of the host, blocks come one after another, so that shared memory may be static. In a source
/// file of its own: these names belong to the compiler elsewhere.
// NOLINTBEGIN(bugprone-reserved-identifier)
#undef __global__
#undef __device__
#undef __shared__
#define __global__
#define __device__
#define __shared__ static

struct CpuIndex {
  unsigned x = 0, y = 0, z = 0;
};
inline thread_local CpuIndex threadIdx;
inline thread_local CpuIndex blockIdx;
inline CpuIndex gridDim;
inline std::barrier<>* cpu_barrier = nullptr;

inline void __syncthreads() {
  cpu_barrier->arrive_and_wait();
}

inline double __longlong_as_double(long long bits) {
  return std::bit_cast<double>(bits);
}

template<class T>
T atomicMin(T* place, T value) {
  std::atomic_ref<T> shared(*place);
  T old = shared.load();
  while (value < old && !shared.compare_exchange_weak(old, value)) {
  }
  return old;
}

template<class T>
T atomicMax(T* place, T value) {
  std::atomic_ref<T> shared(*place);
  T old = shared.load();
  while (old < value && !shared.compare_exchange_weak(old, value)) {
  }
  return old;
}
// NOLINTEND(bugprone-reserved-identifier)

namespace tune::cuda {

/// Runs `thread` for every thread of a grid of columns x rows blocks.
inline void run_on_cpu(unsigned columns, unsigned rows, int threads, const std::function<void()>& thread) {
  gridDim = {columns, rows, 1};
  std::barrier<> barrier(threads);
  cpu_barrier = &barrier;
  std::vector<std::jthread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&, i] {
      threadIdx = {static_cast<unsigned>(i), 0, 0};
      for (unsigned y = 0; y < rows; ++y)
        for (unsigned x = 0; x < columns; ++x) {
          blockIdx = {x, y, 0};
          thread();
          barrier.arrive_and_wait();
        }
    });
}

}  // namespace tune::cuda
