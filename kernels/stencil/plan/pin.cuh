// SPDX-License-Identifier: Apache-2.0
// Where sums are computed: a compiler moves them behind branches that follow, and needs registers for what
// they are made of until then.
#pragma once

// The value is complete here. No instruction.
__device__ __forceinline__ void pin(float& value) {
#ifdef TUNE_EMULATOR
  static_cast<void>(value);
#else
  asm volatile("" : "+f"(value));
#endif
}
__device__ __forceinline__ void pin(double& value) {
#ifdef TUNE_EMULATOR
  static_cast<void>(value);
#else
  asm volatile("" : "+d"(value));
#endif
}
