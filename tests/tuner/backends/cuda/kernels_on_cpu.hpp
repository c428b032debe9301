// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

/// Enough of CUDA to run a simple kernel on the CPU: include this, then the kernel's source. All CUDA threads
/// share one of the host: each has a stack of its own and runs up to its next barrier. Blocks come one after
/// another, so that shared memory may be static. In a source file of its own: these names belong to the
/// compiler elsewhere.
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
inline CpuIndex threadIdx;
inline CpuIndex blockIdx;
inline CpuIndex gridDim;

namespace tune::cuda {

struct CpuThread {
  ucontext_t place = {};
  static constexpr std::size_t stack_bytes = std::size_t{64} << 10;
  std::unique_ptr<std::byte[]> stack = std::make_unique_for_overwrite<std::byte[]>(stack_bytes);
  bool ended = false;
};

struct CpuBlock {
  ucontext_t scheduler = {};
  CpuThread* running = nullptr;
  const std::function<void()>* kernel = nullptr;
};
inline CpuBlock cpu_block;

inline void run_cpu_thread() {
  (*cpu_block.kernel)();
  cpu_block.running->ended = true;
}

/// Runs `kernel` for every thread of a grid of columns x rows blocks.
inline void run_on_cpu(unsigned columns, unsigned rows, int threads, const std::function<void()>& kernel) {
  gridDim = {columns, rows, 1};
  cpu_block.kernel = &kernel;
  static std::vector<CpuThread> ever;  // new stacks take longer than a kernel
  if (ever.size() < static_cast<std::size_t>(threads)) ever.resize(static_cast<std::size_t>(threads));
  const std::span<CpuThread> all = std::span(ever).first(static_cast<std::size_t>(threads));
  for (unsigned y = 0; y < rows; ++y)
    for (unsigned x = 0; x < columns; ++x) {
      blockIdx = {x, y, 0};
      for (CpuThread& thread : all) {
        thread.ended = false;
        getcontext(&thread.place);
        thread.place.uc_stack.ss_sp = thread.stack.get();
        thread.place.uc_stack.ss_size = CpuThread::stack_bytes;
        thread.place.uc_link = &cpu_block.scheduler;
        makecontext(&thread.place, &run_cpu_thread, 0);
      }
      // Each turn takes every thread to its next barrier, or to its end.
      while (!std::ranges::all_of(all, &CpuThread::ended))
        for (std::size_t i = 0; i < all.size(); ++i) {
          if (all[i].ended) continue;
          threadIdx = {static_cast<unsigned>(i), 0, 0};
          cpu_block.running = &all[i];
          swapcontext(&cpu_block.scheduler, &all[i].place);
        }
    }
}

}  // namespace tune::cuda

inline void __syncthreads() {
  const CpuIndex me = threadIdx;
  swapcontext(&tune::cuda::cpu_block.running->place, &tune::cuda::cpu_block.scheduler);
  threadIdx = me;
}

inline float __int_as_float(int bits) {
  return std::bit_cast<float>(bits);
}

inline int __float_as_int(float value) {
  return std::bit_cast<int>(value);
}

inline long long __double_as_longlong(double value) {
  return std::bit_cast<long long>(value);
}

inline double __longlong_as_double(long long bits) {
  return std::bit_cast<double>(bits);
}

template<class T>
T atomicMin(T* place, T value) {
  const T old = *place;
  *place = std::min(old, value);
  return old;
}

template<class T>
T atomicMax(T* place, T value) {
  const T old = *place;
  *place = std::max(old, value);
  return old;
}
// NOLINTEND(bugprone-reserved-identifier)
