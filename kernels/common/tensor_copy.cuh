// SPDX-License-Identifier: Apache-2.0
// Copies of boxes of a tensor from global to shared memory by the copy engine (TMA: PTX cp.async.bulk.tensor
// and mbarrier, sm_90 and later), and the host twins by which the emulator checks the kernels that use them
// (docs/emulator.md).
//
//   extern "C" __global__ void kernel(const __grid_constant__ TensorMap map, ...)   // a TensorMapArgument
//     one thread:   init_barrier(full, 1); fence_barriers();      then all: __syncthreads();
//     one thread:   arrive_expecting(full, bytes of the box); copy_box(shared, map, full, x, y, z);
//     every thread: wait_barrier(full, parity);                   and reads
//
// What lies outside of the tensor arrives as zeros. Before a box is copied over another one, all threads that
// read the old one have to have arrived at a barrier on which the copying thread has waited.
#pragma once

// What the host makes of a TensorMapSpec (CUtensorMap).
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

// In shared memory. A phase ends when all its arrivals have come, and all bytes that they announced. Phases
// are told apart by their parity, which is 0 for the first one.
struct AsyncBarrier {
  unsigned long long state;
};

#ifndef TUNE_EMULATOR
__device__ __forceinline__ unsigned shared_address(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}
#endif

// By one thread. `arrivals` of each phase.
__device__ __forceinline__ void init_barrier(AsyncBarrier& barrier, unsigned arrivals) {
#ifdef TUNE_EMULATOR
  tune_barrier_init(&barrier, arrivals);
#else
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(arrivals)
               : "memory");
#endif
}

// By the thread that has initialised barriers: the copy engine sees them from here on; other threads do after
// a __syncthreads() that follows.
__device__ __forceinline__ void fence_barriers() {
#ifdef TUNE_EMULATOR
  tune_barrier_fence();
#else
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

// One of the barrier's arrivals: what the thread did before is ordered before what those do that wait.
__device__ __forceinline__ void arrive(AsyncBarrier& barrier) {
#ifdef TUNE_EMULATOR
  tune_barrier_arrive(&barrier);
#else
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier)) : "memory");
#endif
}

// One of the barrier's arrivals, and so many bytes more that have to come in this phase.
__device__ __forceinline__ void arrive_expecting(AsyncBarrier& barrier, unsigned bytes) {
#ifdef TUNE_EMULATOR
  tune_barrier_arrive(&barrier, bytes);
#else
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)),
               "r"(bytes)
               : "memory");
#endif
}

// Until the phase of this parity has ended; at once where the current one has the other parity.
__device__ __forceinline__ void wait_barrier(AsyncBarrier& barrier, unsigned parity) {
#ifdef TUNE_EMULATOR
  tune_barrier_wait(&barrier, parity);
#else
  asm volatile(
      "{\n"
      ".reg .pred ended;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;\n"
      "@ended bra done;\n"
      "bra again;\n"
      "done:\n"
      "}" ::"r"(shared_address(&barrier)),
      "r"(parity)
      : "memory");
#endif
}

// Copies the map's box at these coordinates, which may lie outside of the tensor in part or as a whole, to
// `shared`, aligned to 128 bytes, without gaps. Its bytes, those outside included, arrive at `barrier`.
__device__ __forceinline__ void copy_box(void* shared, const TensorMap& map, AsyncBarrier& barrier, int x,
                                         int y) {
#ifdef TUNE_EMULATOR
  tune_tensor_copy(shared, &map, &barrier, {x, y});
#else
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, "
      "%4}], "
      "[%2];" ::"r"(shared_address(shared)),
      "l"(&map), "r"(shared_address(&barrier)), "r"(x), "r"(y)
      : "memory");
#endif
}

__device__ __forceinline__ void copy_box(void* shared, const TensorMap& map, AsyncBarrier& barrier, int x,
                                         int y, int z) {
#ifdef TUNE_EMULATOR
  tune_tensor_copy(shared, &map, &barrier, {x, y, z});
#else
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, "
      "%5}], [%2];" ::"r"(shared_address(shared)),
      "l"(&map), "r"(shared_address(&barrier)), "r"(x), "r"(y), "r"(z)
      : "memory");
#endif
}
