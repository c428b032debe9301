// SPDX-License-Identifier: Apache-2.0
// Products of small matrices by the tensor cores (PTX mma.sync, sm_80 and later), and the host twins by which
// the emulator checks the kernels that use them (docs/emulator.md).
//
// C (16 x 8) += A (16 x inner) B (inner x 8) is computed by all 32 lanes of a warp together. With g = lane /
// 4 and t = lane % 4 a lane holds
//
//   a[2 q + h] = A(g + 8 h, t + 4 q)     b[q] = B(t + 4 q, g)     c[2 h + i] = C(g + 8 h, 2 t + i)
//
//          A: columns 0..3  4..7 ...        B: columns 0..7            C: columns  0,1   2,3   4,5   6,7
//   rows 0..7   a[0]        a[2]      rows 0..3   b[0]        rows 0..7    c[0],c[1] of the lanes 4 g + t
//   rows 8..15  a[1]        a[3]      rows 4..7   b[1]        rows 8..15   c[2],c[3] of the same
//
// Which k stands in which of the inner positions is the caller's choice, as long as it is the same for A and
// B.
#pragma once

// The nearest number of tf32: a float with 10 explicit bits of mantissa, ties away from zero.
__device__ __forceinline__ float to_tf32(float x) {
#ifdef TUNE_EMULATOR
  const unsigned bits = __float_as_uint(x);
  if ((bits & 0x7f800000u) == 0x7f800000u) return x;  // infinite, or no number
  return __uint_as_float((bits + 0x1000u) & 0xffffe000u);
#else
  unsigned rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x));
  return __uint_as_float(rounded);
#endif
}

// What follows uses integer operations, since the instruction is slow: on an H200 a product that rounded all
// of its operands by it took 1.6 times as long. Half of the last place of tf32 is added to the bits, and what
// lies below it does not count, or is cut.

// The same as an operand of a product, which does not see the lower 13 bits.
__device__ __forceinline__ float tf32_operand(float x) {
  // A NaN of ones would become zero.
  return fabsf(x) < __uint_as_float(0x7f800000u) ? __uint_as_float(__float_as_uint(x) + 0x1000u) : x;
}

// x = high + low + what is lost, as operands of products. rounded: high is the nearest number of tf32, and up
// to 2^-23 |x| is lost; else it is x cut to one, which is cheaper, and less than 2^-21 |x| is lost. Of NaN
// and infinity, low is NaN.
template<bool rounded>
__device__ __forceinline__ void split_tf32(float x, float& high, float& low) {
  high = __uint_as_float((__float_as_uint(x) + (rounded ? 0x1000u : 0u)) & 0xffffe000u);
  low = x - high;
}

#ifdef TUNE_EMULATOR

template<int inner>
__device__ __forceinline__ void multiply_add(float (&c)[4], const float (&a)[inner / 2],
                                             const float (&b)[inner / 4], TUNE_PLACE) {
  static_assert(inner == 8, "products of tf32 are 8 deep");
  tune_matrix_product(tune_emulator::MatrixType::tf32, inner, a, b, c, tune_file, tune_line);
}

template<int inner>
__device__ __forceinline__ void multiply_add(double (&c)[4], const double (&a)[inner / 2],
                                             const double (&b)[inner / 4], TUNE_PLACE) {
  static_assert(inner == 4 || inner == 8 || inner == 16, "products of doubles are 4, 8 or 16 deep");
  tune_matrix_product(tune_emulator::MatrixType::f64, inner, a, b, c, tune_file, tune_line);
}

#else

// c += a b of tf32, whose lower 13 bits do not count; sums are float.
template<int inner>
__device__ __forceinline__ void multiply_add(float (&c)[4], const float (&a)[inner / 2],
                                             const float (&b)[inner / 4]) {
  static_assert(inner == 8, "products of tf32 are 8 deep");
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
        "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}

#if __CUDA_ARCH__ >= 900

// c += a b of doubles.
template<int inner>
__device__ __forceinline__ void multiply_add(double (&c)[4], const double (&a)[inner / 2],
                                             const double (&b)[inner / 4]) {
  static_assert(inner == 4 || inner == 8 || inner == 16, "products of doubles are 4, 8 or 16 deep");
  if constexpr (inner == 4) {
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(b[0]));
  } else if constexpr (inner == 8) {
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
  } else {
    asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]),
          "d"(b[1]), "d"(b[2]), "d"(b[3]));
  }
}

#else

// The same of products 8 x 8 x 4, which is all that sm_80 has: rows 0 to 7 and 8 to 15 apart.
template<int inner>
__device__ __forceinline__ void multiply_add(double (&c)[4], const double (&a)[inner / 2],
                                             const double (&b)[inner / 4]) {
  static_assert(inner == 4 || inner == 8 || inner == 16, "products of doubles are 4, 8 or 16 deep");
#pragma unroll
  for (int q = 0; q < inner / 4; ++q) {
#pragma unroll
    for (int h = 0; h < 2; ++h)
      asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
          : "+d"(c[2 * h]), "+d"(c[2 * h + 1])
          : "d"(a[2 * q + h]), "d"(b[q]));
  }
}

#endif
#endif
