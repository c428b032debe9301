// SPDX-License-Identifier: Apache-2.0
// 16-bit floating point: half by the host compiler's _Float16, bfloat16 by its upper half of a float.
#pragma once

#include "small_floats.cuh"

struct __half_raw {
  unsigned short x;
};
struct __nv_bfloat16_raw {
  unsigned short x;
};

struct __half {
  static constexpr tune_emulator::SmallFormat format{10, -14, 0x7bff, 0x7c00};
  _Float16 value;

  __half() = default;
  __half(__half_raw raw) : value(__builtin_bit_cast(_Float16, raw.x)) {}
  __half(float from) : value(static_cast<_Float16>(from)) {}
  __half(double from) : value(static_cast<_Float16>(from)) {}
  template<class T, class = typename tune_emulator::Whole<T>::type>
  __half(T from) : value(static_cast<_Float16>(from)) {}
  operator __half_raw() const { return {__builtin_bit_cast(unsigned short, value)}; }
  operator float() const { return static_cast<float>(value); }
};

struct __nv_bfloat16 {
  static constexpr tune_emulator::SmallFormat format{7, -126, 0x7f7f, 0x7f80};
  unsigned short bits;

  __nv_bfloat16() = default;
  __nv_bfloat16(__nv_bfloat16_raw raw) : bits(raw.x) {}
  __nv_bfloat16(float from) {
    const unsigned whole = __builtin_bit_cast(unsigned, from);
    // To the nearest, ties to even; a NaN stays one.
    bits = from != from ? 0x7fffu : static_cast<unsigned short>((whole + 0x7fffu + (whole >> 16 & 1u)) >> 16);
  }
  __nv_bfloat16(double from) : bits(nearest(from)) {}
  template<class T, class = typename tune_emulator::Whole<T>::type>
  __nv_bfloat16(T from) : bits(nearest(from)) {}
  template<class T>
  static unsigned short nearest(T from) {
    return tune_emulator::code16(tune_emulator::exact(from), format, tune_emulator::SmallRounding::nearest);
  }
  operator __nv_bfloat16_raw() const { return {bits}; }
  operator float() const { return __builtin_bit_cast(float, static_cast<unsigned>(bits) << 16); }
};

// Arithmetic in float, rounded once: what the device's instructions give.
#define TUNE_HALF(T)                                                                           \
  TUNE_FUNCTION(T operator+(T x, T y), T(float(x) + float(y)))                                 \
  TUNE_FUNCTION(T operator-(T x, T y), T(float(x) - float(y)))                                 \
  TUNE_FUNCTION(T operator*(T x, T y), T(float(x) * float(y)))                                 \
  TUNE_FUNCTION(T operator/(T x, T y), T(float(x) / float(y)))                                 \
  TUNE_FUNCTION(T operator-(T x), T(-float(x)))                                                \
  TUNE_FUNCTION(T& operator+=(T& x, T y), x = x + y)                                           \
  TUNE_FUNCTION(T& operator-=(T& x, T y), x = x - y)                                           \
  TUNE_FUNCTION(T& operator*=(T& x, T y), x = x * y)                                           \
  TUNE_FUNCTION(bool operator<(T x, T y), float(x) < float(y))                                 \
  TUNE_FUNCTION(bool operator>(T x, T y), float(x) > float(y))                                 \
  TUNE_FUNCTION(bool operator==(T x, T y), float(x) == float(y))                               \
  TUNE_FUNCTION(T __hadd(T x, T y), x + y)                                                     \
  TUNE_FUNCTION(T __hsub(T x, T y), x - y)                                                     \
  TUNE_FUNCTION(T __hmul(T x, T y), (x * y))                                                   \
  TUNE_FUNCTION(T __hdiv(T x, T y), x / y)                                                     \
  TUNE_FUNCTION(bool __hgt(T x, T y), x > y)                                                   \
  TUNE_FUNCTION(bool __hlt(T x, T y), x < y)                                                   \
  TUNE_FUNCTION(bool __hge(T x, T y), float(x) >= float(y))                                    \
  TUNE_FUNCTION(bool __hle(T x, T y), float(x) <= float(y))                                    \
  TUNE_FUNCTION(bool __heq(T x, T y), x == y)                                                  \
  TUNE_FUNCTION(bool __hne(T x, T y), x<y || x> y)                                             \
  TUNE_FUNCTION(T __hneg(T x), -x)                                                             \
  TUNE_FUNCTION(T __hmax(T x, T y), float(x) < float(y) || float(x) != float(x) ? y : x)       \
  TUNE_FUNCTION(T __hmin(T x, T y), float(y) < float(x) || float(x) != float(x) ? y : x)       \
  TUNE_FUNCTION(T __hmax_nan(T x, T y), float(y) != float(y) || float(x) < float(y) ? y : x)   \
  TUNE_FUNCTION(T __hmin_nan(T x, T y), float(y) != float(y) || float(y) < float(x) ? y : x)   \
  TUNE_FUNCTION(T __hfma(T x, T y, T z),                                                       \
                T(static_cast<float>(double(float(x)) * double(float(y)) + double(float(z))))) \
  struct __attribute__((aligned(4))) T##2_pair {                                               \
    T x, y;                                                                                    \
  };                                                                                           \
  TUNE_FUNCTION(T##2_pair __halves2##T##2(T x, T y), {x, y})                                   \
  TUNE_FUNCTION(T##2_pair operator+(T##2_pair a, T##2_pair b), {a.x + b.x, a.y + b.y})         \
  TUNE_FUNCTION(T##2_pair operator-(T##2_pair a, T##2_pair b), {a.x - b.x, a.y - b.y})         \
  TUNE_FUNCTION(T##2_pair operator*(T##2_pair a, T##2_pair b), {a.x * b.x, a.y * b.y})         \
  TUNE_FUNCTION(T##2_pair & operator+=(T##2_pair & a, T##2_pair b), a = a + b)                 \
  TUNE_FUNCTION(T##2_pair & operator*=(T##2_pair & a, T##2_pair b), a = a * b)                 \
  TUNE_FUNCTION(T##2_pair __hadd2(T##2_pair a, T##2_pair b), a + b)                            \
  TUNE_FUNCTION(T##2_pair __hsub2(T##2_pair a, T##2_pair b), a - b)                            \
  TUNE_FUNCTION(T##2_pair __hmul2(T##2_pair a, T##2_pair b), (a * b))                          \
  TUNE_FUNCTION(T##2_pair __hfma2(T##2_pair a, T##2_pair b, T##2_pair c),                      \
                {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)})                                \
  TUNE_FUNCTION(T __low2half(T##2_pair a), a.x)                                                \
  TUNE_FUNCTION(T __high2half(T##2_pair a), a.y)                                               \
  TUNE_FUNCTION(float __low2float(T##2_pair a), a.x)                                           \
  TUNE_FUNCTION(float __high2float(T##2_pair a), a.y)
TUNE_HALF(__half)
TUNE_HALF(__nv_bfloat16)
#undef TUNE_HALF

using half = __half;
using __half2 = __half2_pair;
using half2 = __half2_pair;
using __nv_bfloat162 = __nv_bfloat162_pair;

// Computed in float and rounded: what devices approximate is exact here.
#define TUNE_OF_HALF_BY(name, function)                                    \
  TUNE_FUNCTION(__half h##name(__half x), function(static_cast<float>(x))) \
  TUNE_FUNCTION(__nv_bfloat16 h##name(__nv_bfloat16 x), function(static_cast<float>(x)))
#define TUNE_OF_HALF(name) TUNE_OF_HALF_BY(name, name##f)
TUNE_OF_HALF_BY(exp10, __builtin_exp10f)
TUNE_OF_HALF_BY(log10, __builtin_log10f)
TUNE_OF_HALF(exp)
TUNE_OF_HALF(exp2)
TUNE_OF_HALF(log)
TUNE_OF_HALF(log2)
TUNE_OF_HALF(sqrt)
TUNE_OF_HALF(rsqrt)
TUNE_OF_HALF(sin)
TUNE_OF_HALF(cos)
TUNE_OF_HALF(floor)
TUNE_OF_HALF(ceil)
TUNE_OF_HALF(trunc)
TUNE_OF_HALF(rint)
#undef TUNE_OF_HALF
#undef TUNE_OF_HALF_BY
TUNE_FUNCTION(__half __float2half(float x), x)
TUNE_FUNCTION(__half __float2half_rn(float x), x)
TUNE_FUNCTION(float __half2float(__half x), x)
TUNE_FUNCTION(__half2 __halves2half2(__half x, __half y), {x, y})
TUNE_FUNCTION(__half2 make_half2(__half x, __half y), {x, y})
TUNE_FUNCTION(__half2 __half2half2(__half x), {x, x})
TUNE_FUNCTION(__half2 __float2half2_rn(float x), {x, x})
TUNE_FUNCTION(__half2 __floats2half2_rn(float x, float y), {x, y})
TUNE_FUNCTION(float2 __half22float2(__half2 x), {x.x, x.y})
TUNE_FUNCTION(__nv_bfloat16 __float2bfloat16(float x), x)
TUNE_FUNCTION(float __bfloat162float(__nv_bfloat16 x), x)
TUNE_FUNCTION(__nv_bfloat162 __floats2bfloat162_rn(float x, float y), {x, y})

#include "half_functions.cuh"
