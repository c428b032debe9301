// SPDX-License-Identifier: Apache-2.0
// Numbers that blocks of a cooperative launch send to each other without a barrier: words of global memory
// with 32 bits of a number and a tag, which are written and read at once. Who finds the tag has the number.
#pragma once

using Message = unsigned long long;

// Writes and reads words that other blocks read and write meanwhile.
__device__ __forceinline__ void send(Message* word, unsigned bits, unsigned tag) {
  const Message value = static_cast<Message>(tag) << 32 | bits;
#ifdef TUNE_EMULATOR
  atomicExch(word, value);
#else
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(word)), "l"(value)
               : "memory");
#endif
}
__device__ __forceinline__ Message look(Message* word) {
#ifdef TUNE_EMULATOR
  return atomicAdd(word, Message(0));
#else
  Message value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
               : "=l"(value)
               : "l"(__cvta_generic_to_global(word))
               : "memory");
  return value;
#endif
}
__device__ __forceinline__ unsigned tag_of(Message word) {
  return static_cast<unsigned>(word >> 32);
}

// A number as 32-bit parts, and back.
constexpr int parts_of_real = sizeof(Real) / 4;
__device__ __forceinline__ unsigned bits_of(Real value, int number) {
  if constexpr (parts_of_real == 1) {
    return __float_as_uint(value);
  } else {
    return static_cast<unsigned>(static_cast<Message>(__double_as_longlong(value)) >> (32 * number));
  }
}
__device__ __forceinline__ Real from_parts(const Message (&words)[parts_of_real]) {
  if constexpr (parts_of_real == 1) {
    return __uint_as_float(static_cast<unsigned>(words[0]));
  } else {
    return __longlong_as_double(static_cast<long long>((words[1] << 32) | static_cast<unsigned>(words[0])));
  }
}

// `state`: two words that begin as 0. The first one is the tag that all words of earlier launches have at
// most, so that no launch has to clear any; the second one counts the blocks that are done with a launch.
__device__ __forceinline__ unsigned first_tag(unsigned* state) {
  return atomicAdd(state, 0u);
}
// Comes after a barrier of the block, when its threads have seen all words that they wait for; `tags` is how
// many tags the launch has used.
__device__ __forceinline__ void end_of_exchange(unsigned* state, unsigned tags) {
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    __threadfence();
    if (atomicInc(state + 1, gridDim.x - 1) == gridDim.x - 1) {
      __threadfence();
      atomicAdd(state, tags);
    }
  }
}
