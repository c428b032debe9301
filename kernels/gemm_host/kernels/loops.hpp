// SPDX-License-Identifier: Apache-2.0
// Three loops in any order, alone or inside of three loops over tiles.
#pragma once

#if defined(__x86_64__) && !defined(__clang__)
#if vector_width == 512
#pragma GCC target("prefer-vector-width=512")
#elif vector_width == 256
#pragma GCC target("prefer-vector-width=256")
#else
#pragma GCC target("prefer-vector-width=128")
#endif
#endif

#define ijk 1
#define ikj 2
#define jik 3
#define jki 4
#define kij 5
#define kji 6
#define UNROLL PRAGMA(GCC unroll unroll_by)

#if order == ijk
#define NEST(I, J, K, ...) I J UNROLL K __VA_ARGS__
#elif order == ikj
#define NEST(I, J, K, ...) I K UNROLL J __VA_ARGS__
#elif order == jik
#define NEST(I, J, K, ...) J I UNROLL K __VA_ARGS__
#elif order == jki
#define NEST(I, J, K, ...) J K UNROLL I __VA_ARGS__
#elif order == kij
#define NEST(I, J, K, ...) K I UNROLL J __VA_ARGS__
#else
#define NEST(I, J, K, ...) K J UNROLL I __VA_ARGS__
#endif

inline void multiply(Size m, Size n, Size k, const Real* __restrict a, const Real* __restrict b,
                     Real* __restrict c) {
#pragma omp parallel
  {
    SHARE_I for (Size i = 0; i < m; ++i) SHARE_J for (Size j = 0; j < n; ++j) c[i * n + j] = 0;
#if variant == loops3
    NEST(SHARE_I for (Size i = 0; i < m; ++i), SHARE_J for (Size j = 0; j < n; ++j),
         for (Size p = 0; p < k; ++p), c[i * n + j] += a[i * k + p] * b[p * n + j];)
#else
#undef UNROLL
#define UNROLL
    NEST(SHARE_I for (Size i0 = 0; i0 < m; i0 += tile_m), SHARE_J for (Size j0 = 0; j0 < n; j0 += tile_n),
         for (Size p0 = 0; p0 < k; p0 += tile_k), {
           const Size i1 = smaller(m, i0 + tile_m), j1 = smaller(n, j0 + tile_n),
                      p1 = smaller(k, p0 + tile_k);
           for (Size i = i0; i < i1; ++i)
             for (Size p = p0; p < p1; ++p) {
               const Real factor = a[i * k + p];
               PRAGMA(GCC unroll unroll_by)
               for (Size j = j0; j < j1; ++j) c[i * n + j] += factor * b[p * n + j];
             }
         })
#endif
  }
}
