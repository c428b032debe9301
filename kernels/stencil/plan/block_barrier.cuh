// SPDX-License-Identifier: Apache-2.0
// A barrier at which the warps of a block may arrive from different statements: __syncthreads() promises that
// for one statement only, the barrier of PTX counts arrivals wherever they come from.
#pragma once

#ifdef TUNE_EMULATOR
// Not inlined: the emulator knows a barrier by its place in the code.
__device__ __noinline__ inline void meet() {
  __syncthreads();
}
#else
__device__ __forceinline__ void meet() {
  asm volatile("barrier.sync 0;" ::: "memory");
}
#endif
