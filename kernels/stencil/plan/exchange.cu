// SPDX-License-Identifier: Apache-2.0
// Copies ghost planes between slabs. It follows the kernels of a variant.

// ---- defaults ----
#ifndef REAL
#define REAL float  // type of a cell: float or double
#endif
// ---- end of defaults ----

// Grid: any number of blocks along x, which stride over the cells.
extern "C" __global__ void exchange_planes(const REAL* from, REAL* to, long long count) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  constexpr int width = 16 / static_cast<int>(sizeof(REAL));
  const auto places = reinterpret_cast<unsigned long long>(from) | reinterpret_cast<unsigned long long>(to);
  const long long vectors = places % 16 == 0 ? count / width : 0;
  constexpr int turns = 4;  // loads on the way: those of another GPU's memory take microseconds
  for (long long i = first; i < vectors; i += turns * threads) {
    uint4 values[turns];
#pragma unroll
    for (int turn = 0; turn < turns; ++turn)
      if (i + turn * threads < vectors)
        values[turn] = reinterpret_cast<const uint4*>(from)[i + turn * threads];
#pragma unroll
    for (int turn = 0; turn < turns; ++turn)
      if (i + turn * threads < vectors) reinterpret_cast<uint4*>(to)[i + turn * threads] = values[turn];
  }
  for (long long i = vectors * width + first; i < count; i += threads) to[i] = from[i];
}
