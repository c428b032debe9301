// SPDX-License-Identifier: Apache-2.0
// out[i] = 3 * in[i] + 1, or what a kernel can do wrong instead: to see that a tuning run survives it and
// names it.

enum class Behaviour {
  right,
  illegal_address,
  hang,
  out_of_bounds,
  wrong_value,
  out_of_memory,
  compile_error
};

// ---- defaults ----
#ifndef BEHAVIOUR
#define BEHAVIOUR Behaviour::right
#endif
#ifndef BLOCK
#define BLOCK 128  // threads of a block
#endif
#ifndef ITEMS
#define ITEMS 1  // elements that a thread computes, BLOCK apart
#endif
// ---- end of defaults ----

constexpr Behaviour behaviour = BEHAVIOUR;
constexpr int block = BLOCK, items = ITEMS;

static_assert(behaviour != Behaviour::compile_error, "this configuration is asked not to compile");

// in and out: n elements; in holds numbers from 0 to 1. Grid: ceil(n / (BLOCK * ITEMS)) blocks along x.
extern "C" __global__ void __launch_bounds__(block)
    fault_injection(const float* in, float* out, long long n) {
  const long long first = static_cast<long long>(blockIdx.x) * (block * items) + threadIdx.x;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const long long i = first + k * block;
    if (i < n) out[i] = 3 * in[i] + 1;
  }
  if (first != 0) return;
  // One thread is enough to spoil everything.
  if constexpr (behaviour == Behaviour::illegal_address) {
    *reinterpret_cast<volatile float*>(static_cast<unsigned long long>(items) << 4) = 1;
  } else if constexpr (behaviour == Behaviour::hang) {
    const volatile float* element = in;
    while (*element < 2) {
    }
  } else if constexpr (behaviour == Behaviour::out_of_bounds) {
    // Next to the buffer, in front and behind: no address there is illegal.
    out[items % 2 == 0 ? -items : n + items - 1] = 1;
  } else if constexpr (behaviour == Behaviour::wrong_value) {
    out[n - 1] += 1;
  }
}
