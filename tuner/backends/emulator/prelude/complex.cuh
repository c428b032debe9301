// SPDX-License-Identifier: Apache-2.0
// Complex numbers of cuComplex.h.
#pragma once

#include "arithmetic.cuh"

// Components are scaled where a square could overflow, as the header does it.
#define TUNE_COMPLEX(Complex, T, make, f, sqrt_of)                                                       \
  TUNE_FUNCTION(Complex make(T real, T imaginary), {real, imaginary})                                    \
  TUNE_FUNCTION(T cuCreal##f(Complex z), z.x)                                                            \
  TUNE_FUNCTION(T cuCimag##f(Complex z), z.y)                                                            \
  TUNE_FUNCTION(Complex cuConj##f(Complex z), {z.x, -z.y})                                               \
  TUNE_FUNCTION(Complex cuCadd##f(Complex a, Complex b), {a.x + b.x, a.y + b.y})                         \
  TUNE_FUNCTION(Complex cuCsub##f(Complex a, Complex b), {a.x - b.x, a.y - b.y})                         \
  TUNE_FUNCTION(Complex cuCmul##f(Complex a, Complex b), {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}) \
  inline Complex cuCdiv##f(Complex a, Complex b) {                                                       \
    const T scale = 1 / (fabs(b.x) + fabs(b.y)), ax = a.x * scale, ay = a.y * scale, bx = b.x * scale,   \
            by = b.y * scale, size = 1 / (bx * bx + by * by);                                            \
    return {(ax * bx + ay * by) * size, (ay * bx - ax * by) * size};                                     \
  }                                                                                                      \
  TUNE_FUNCTION(T cuCabs##f(Complex z), sqrt_of(z.x, z.y))                                               \
  TUNE_FUNCTION(Complex cuCfma##f(Complex a, Complex b, Complex c),                                      \
                {a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x})

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
TUNE_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, f, hypotf)
TUNE_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, , hypot)
#undef TUNE_COMPLEX
TUNE_FUNCTION(cuComplex make_cuComplex(float real, float imaginary), {real, imaginary})
TUNE_FUNCTION(cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z), {z.x, z.y})
TUNE_FUNCTION(cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z),
              {static_cast<float>(z.x), static_cast<float>(z.y)})
