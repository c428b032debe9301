// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies from global to shared memory (PTX cp.async, sm_80 and later), and the host twins by
// which the emulator checks the kernels that use them (docs/emulator.md).
#pragma once

// Copies `bytes` (4, 8 or 16) from global to shared memory; both addresses are aligned to `bytes`. The data
// is visible to the calling thread after wait_async, to its block after a barrier that follows.
template<int bytes>
__device__ __forceinline__ void copy_async(void* shared, const void* global) {
#ifdef TUNE_EMULATOR
  tune_copy_async(shared, global, bytes);
#else
  const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if constexpr (bytes == 16) {
    // .cg goes past L1: a plane is read once by a block, so a copy in L1 would only push out other lines.
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(global) : "memory");
  } else {
    static_assert(bytes == 4 || bytes == 8, "cp.async copies 4, 8 or 16 bytes");
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(target), "l"(global), "n"(bytes)
                 : "memory");
  }
#endif
}

// The same, but only the first `present` bytes are read, the others become zeros.
template<int bytes>
__device__ __forceinline__ void copy_async_part(void* shared, const void* global, int present) {
#ifdef TUNE_EMULATOR
  tune_copy_async(shared, global, bytes, bytes - present);
#else
  const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if constexpr (bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(global), "r"(present)
                 : "memory");
  } else {
    static_assert(bytes == 4 || bytes == 8, "cp.async copies 4, 8 or 16 bytes");
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(target), "l"(global), "n"(bytes),
                 "r"(present)
                 : "memory");
  }
#endif
}

// Closes the group of the copies that this thread has issued since the last call (the group may be empty).
__device__ __forceinline__ void commit_async() {
#ifdef TUNE_EMULATOR
  tune_commit_async();
#else
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until at most `pending` of this thread's newest groups are still on their way.
template<int pending>
__device__ __forceinline__ void wait_async() {
#ifdef TUNE_EMULATOR
  tune_wait_async(pending);
#else
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
#endif
}
