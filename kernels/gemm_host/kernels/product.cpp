// SPDX-License-Identifier: Apache-2.0
// C = A B for matrices in row-major order: A has m x k elements, B k x n, C m x n.
#include <dlfcn.h>
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

// ---- names that the macros of a configuration have as values ----
#define loops3 1
#define loops6 2
#define packed 3
#define openblas 4
#define none 0
#define i 1
#define j 2
#if parallel_loop == i
#define SHARED_I 1
#elif parallel_loop == j
#define SHARED_J 1
#endif
#undef i
#undef j
// ---- end of names ----

using Real = REAL;
using Size = long;

#define AS_TEXT(...) #__VA_ARGS__
#define PRAGMA(...) _Pragma(AS_TEXT(__VA_ARGS__))
#ifdef omp_schedule
#define SHARE PRAGMA(omp for schedule(omp_schedule))
#else
#define SHARE
#endif
#ifdef SHARED_I
#define SHARE_I SHARE
#else
#define SHARE_I
#endif
#ifdef SHARED_J
#define SHARE_J SHARE
#else
#define SHARE_J
#endif

inline Size smaller(Size a, Size b) {
  return a < b ? a : b;
}

#if variant == loops3 || variant == loops6
#include "loops.inc"
#elif variant == packed
#include "packed.inc"
#else
#include "openblas.inc"
#endif

extern "C" void product(Size m, Size n, Size k, const Real* a, const Real* b, Real* c) {
  multiply(m, n, k, a, b, c);
}
