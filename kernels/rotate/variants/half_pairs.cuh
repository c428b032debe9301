// SPDX-License-Identifier: Apache-2.0
// Pairs of numbers of 16 bits, without the heavy header of the toolkit, and their host twins.
#pragma once

#ifdef TUNE_EMULATOR
#include <cuda_fp16.h>
#endif

struct HalfPair {
  unsigned bits;  // the first number is in the lower half
};

#ifdef TUNE_EMULATOR
__device__ __forceinline__ __half2 native(HalfPair pair) {
  return *reinterpret_cast<const __half2*>(&pair.bits);
}
__device__ __forceinline__ HalfPair from_native(__half2 pair) {
  return {*reinterpret_cast<const unsigned*>(&pair)};
}
#endif

__device__ __forceinline__ HalfPair add(HalfPair a, HalfPair b) {
#ifdef TUNE_EMULATOR
  return from_native(__hadd2(native(a), native(b)));
#else
  HalfPair sum;
  asm("add.rn.f16x2 %0, %1, %2;" : "=r"(sum.bits) : "r"(a.bits), "r"(b.bits));
  return sum;
#endif
}

__device__ __forceinline__ HalfPair subtract(HalfPair a, HalfPair b) {
#ifdef TUNE_EMULATOR
  return from_native(__hsub2(native(a), native(b)));
#else
  HalfPair difference;
  asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(difference.bits) : "r"(a.bits), "r"(b.bits));
  return difference;
#endif
}

// a * b + c, rounded once.
__device__ __forceinline__ HalfPair multiply_add(HalfPair a, HalfPair b, HalfPair c) {
#ifdef TUNE_EMULATOR
  return from_native(__hfma2(native(a), native(b), native(c)));
#else
  HalfPair sum;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(sum.bits) : "r"(a.bits), "r"(b.bits), "r"(c.bits));
  return sum;
#endif
}

// Twice the same number, rounded to 16 bits.
__device__ __forceinline__ HalfPair twice(float value) {
#ifdef TUNE_EMULATOR
  return from_native(__float2half2_rn(value));
#else
  HalfPair pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %1;" : "=r"(pair.bits) : "f"(value));
  return pair;
#endif
}
