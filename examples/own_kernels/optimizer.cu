// SPDX-License-Identifier: Apache-2.0
// A step of AdamW: parameters move against their averaged gradients.

#ifndef BLOCK
#define BLOCK 256  // threads of a block
#endif
#ifndef VECTOR
#define VECTOR 4  // elements of one load: 1, 2 or 4
#endif
#ifndef ITEMS
#define ITEMS 1  // vectors of a thread
#endif

template<int n>
struct alignas(4 * n) Vector {
  float values[n];
};

struct Rates {
  float step, first, second, first_correction, second_correction, least, decay;
};

__device__ void move(float& parameter, float gradient, float& first, float& second, const Rates& rates) {
  first = rates.first * first + (1 - rates.first) * gradient;
  second = rates.second * second + (1 - rates.second) * gradient * gradient;
  const float direction =
      first / rates.first_correction / (sqrtf(second / rates.second_correction) + rates.least);
  parameter -= rates.step * (direction + rates.decay * parameter);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    optimize(float* __restrict__ parameters, const float* __restrict__ gradients, float* __restrict__ first,
             float* __restrict__ second, long long count, Rates rates) {
  using Some = Vector<VECTOR>;
  const long long whole = count / VECTOR;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const long long i = (static_cast<long long>(blockIdx.x) * ITEMS + k) * BLOCK + threadIdx.x;
    if (i < whole) {
      Some some = reinterpret_cast<Some*>(parameters)[i], moment = reinterpret_cast<Some*>(first)[i],
           square = reinterpret_cast<Some*>(second)[i];
      const Some slope = reinterpret_cast<const Some*>(gradients)[i];
#pragma unroll
      for (int j = 0; j < VECTOR; ++j)
        move(some.values[j], slope.values[j], moment.values[j], square.values[j], rates);
      reinterpret_cast<Some*>(parameters)[i] = some;
      reinterpret_cast<Some*>(first)[i] = moment;
      reinterpret_cast<Some*>(second)[i] = square;
    } else if (i < whole + count % VECTOR) {  // what is left behind the last whole vector
      const long long one = whole * VECTOR + i - whole;
      move(parameters[one], gradients[one], first[one], second[one], rates);
    }
  }
}
