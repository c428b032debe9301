// SPDX-License-Identifier: Apache-2.0
// A barrier of all threads of a grid, for cooperative launches, and the host twin by which the emulator
// checks the kernels that use it (docs/emulator.md).
#pragma once

#ifdef TUNE_EMULATOR

__device__ __forceinline__ void grid_barrier(unsigned* counter, TUNE_WHERE) {
  tune_grid_barrier(counter, tune_where);
}

#else

// Waits until all threads of all blocks of a cooperative launch have come here. What they have done to global
// memory before is seen by all of them afterwards, by ordinary loads: the read-only cache (__ldg, const
// __restrict__) and textures may still hold what was there before. All threads of a block call it together.
//
// `counter`, the same for all blocks, belongs to the barrier alone and holds 0 before its first use
// (grid_barrier.hpp makes it). The blocks' arrivals add up to 2^31: the highest bit turns over when the last
// block comes, which is what the others wait for, and all other bits are 0 again. So there is nothing to
// reset, within a launch or between two, and launches of different grids may share a counter.
__device__ __forceinline__ void grid_barrier(unsigned* counter) {
  constexpr unsigned phase = 0x80000000u;
  __syncthreads();
  if ((threadIdx.x | threadIdx.y | threadIdx.z) == 0) {
    const bool first = (blockIdx.x | blockIdx.y | blockIdx.z) == 0;
    const unsigned arrival = first ? phase - (gridDim.x * gridDim.y * gridDim.z - 1) : 1;
    // The barrier of the block orders its other threads' accesses before the release here, and after the
    // acquire below.
    unsigned before, now;
    asm volatile("atom.add.release.gpu.global.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(__cvta_generic_to_global(counter)), "r"(arrival)
                 : "memory");
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                   : "=r"(now)
                   : "l"(__cvta_generic_to_global(counter))
                   : "memory");
    } while (((now ^ before) & phase) == 0);
  }
  __syncthreads();
}

#endif
