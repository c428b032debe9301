// SPDX-License-Identifier: Apache-2.0
// 8-bit floating point (cuda_fp8.h), by the definition of the formats: e4m3 has no infinity and one NaN of
// each sign, e5m2 is as IEEE 754 has it.
#pragma once

#include "half.cuh"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace tune_emulator {

constexpr SmallFormat format8(__nv_fp8_interpretation_t kind) {
  return kind == __NV_E4M3 ? SmallFormat{3, -6, 0x7e, 0x7f} : SmallFormat{2, -14, 0x7b, 0x7c};
}

// To the nearest, ties to even.
inline __nv_fp8_storage_t code8(double x, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind) {
  const Exact number = exact(x);
  if (number.is_nan) return 0x7f;
  const SmallFormat format = format8(kind);
  int code = magnitude(number, format, SmallRounding::nearest);
  if (code > format.largest && saturation == __NV_SATFINITE) code = format.largest;
  return static_cast<__nv_fp8_storage_t>((number.negative ? 0x80 : 0) | code);
}
inline float number8(__nv_fp8_storage_t code, __nv_fp8_interpretation_t kind) {
  const SmallFormat format = format8(kind);
  const int size = code & 0x7f, exponent = size >> format.fraction_bits;
  const float sign = code & 0x80 ? -1.0f : 1.0f;
  if (size > format.largest)
    return kind == __NV_E5M2 && size == format.overflow ? sign * __builtin_inff() : __builtin_nanf("");
  const int whole = 1 << format.fraction_bits, fraction = size & (whole - 1);
  return sign *
         __builtin_ldexpf(static_cast<float>(exponent == 0 ? fraction : whole + fraction),
                          (exponent == 0 ? 0 : exponent - 1) + format.least_power - format.fraction_bits);
}
}  // namespace tune_emulator

struct __half2_raw {
  unsigned short x, y;
  __half2_raw() = default;
  __half2_raw(unsigned short x, unsigned short y) : x(x), y(y) {}
  __half2_raw(__half2 pair) : x(__half_as_ushort(pair.x)), y(__half_as_ushort(pair.y)) {}
  operator __half2() const { return {__half_raw{x}, __half_raw{y}}; }
};

#define TUNE_TO_FP8(of, T, ...)                                                       \
  inline __nv_fp8_storage_t __nv_cvt_##of##_to_fp8(T x, __nv_saturation_t saturation, \
                                                   __nv_fp8_interpretation_t kind) {  \
    return tune_emulator::code8(__VA_ARGS__, saturation, kind);                       \
  }
TUNE_TO_FP8(double, double, x)
TUNE_TO_FP8(float, float, x)
TUNE_TO_FP8(halfraw, __half_raw, float(__half(x)))
TUNE_TO_FP8(bfloat16raw, __nv_bfloat16_raw, float(__nv_bfloat16(x)))
#undef TUNE_TO_FP8
#define TUNE_TO_FP8(of, T)                                                                         \
  inline __nv_fp8x2_storage_t __nv_cvt_##of##_to_fp8x2(T pair, __nv_saturation_t saturation,       \
                                                       __nv_fp8_interpretation_t kind) {           \
    return static_cast<__nv_fp8x2_storage_t>(tune_emulator::code8(pair.y, saturation, kind) << 8 | \
                                             tune_emulator::code8(pair.x, saturation, kind));      \
  }
TUNE_TO_FP8(double2, double2)
TUNE_TO_FP8(float2, float2)
#undef TUNE_TO_FP8
inline __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw pair, __nv_saturation_t saturation,
                                                       __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float2_to_fp8x2(__half22float2(pair), saturation, kind);
}
TUNE_FUNCTION(__half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind),
              {__half_as_ushort(tune_emulator::number8(x, kind))})
TUNE_FUNCTION(__half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind),
              {__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x), kind).x,
               __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x >> 8), kind).x})

// One, two and four numbers; the first one is in the lowest byte.
#define TUNE_FP8(suffix, kind)                                                                              \
  struct __nv_fp8_##suffix {                                                                                \
    __nv_fp8_storage_t __x;                                                                                 \
    __nv_fp8_##suffix() = default;                                                                          \
    explicit __nv_fp8_##suffix(double x) : __x(tune_emulator::code8(x, __NV_SATFINITE, kind)) {}            \
    explicit __nv_fp8_##suffix(float x) : __nv_fp8_##suffix(double(x)) {}                                   \
    explicit __nv_fp8_##suffix(__half x) : __nv_fp8_##suffix(double(float(x))) {}                           \
    explicit __nv_fp8_##suffix(__nv_bfloat16 x) : __nv_fp8_##suffix(double(float(x))) {}                    \
    template<class T, class = typename tune_emulator::Whole<T>::type>                                       \
    explicit __nv_fp8_##suffix(T x) : __nv_fp8_##suffix(static_cast<float>(x)) {}                           \
    explicit operator float() const { return tune_emulator::number8(__x, kind); }                           \
    explicit operator double() const { return float(*this); }                                               \
    explicit operator __half() const { return float(*this); }                                               \
    explicit operator __nv_bfloat16() const { return float(*this); }                                        \
    explicit operator bool() const { return (__x & 0x7f) != 0; }                                            \
    template<class T, class = typename tune_emulator::Whole<T>::type>                                       \
    explicit operator T() const {                                                                           \
      return tune_emulator::saturated<T>(float(*this));                                                     \
    }                                                                                                       \
  };                                                                                                        \
  struct __attribute__((aligned(2))) __nv_fp8x2_##suffix {                                                  \
    __nv_fp8x2_storage_t __x;                                                                               \
    __nv_fp8x2_##suffix() = default;                                                                        \
    explicit __nv_fp8x2_##suffix(double2 x) : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, kind)) {}    \
    explicit __nv_fp8x2_##suffix(float2 x) : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, kind)) {}      \
    explicit __nv_fp8x2_##suffix(__half2 x) : __nv_fp8x2_##suffix(float2{x.x, x.y}) {}                      \
    explicit __nv_fp8x2_##suffix(__nv_bfloat162 x) : __nv_fp8x2_##suffix(float2{x.x, x.y}) {}               \
    explicit operator float2() const {                                                                      \
      return {tune_emulator::number8(static_cast<__nv_fp8_storage_t>(__x), kind),                           \
              tune_emulator::number8(static_cast<__nv_fp8_storage_t>(__x >> 8), kind)};                     \
    }                                                                                                       \
    explicit operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, kind); }                     \
  };                                                                                                        \
  struct __attribute__((aligned(4))) __nv_fp8x4_##suffix {                                                  \
    __nv_fp8x4_storage_t __x;                                                                               \
    __nv_fp8x4_##suffix() = default;                                                                        \
    explicit __nv_fp8x4_##suffix(double4 x)                                                                 \
        : __x(static_cast<unsigned>(__nv_cvt_double2_to_fp8x2({x.z, x.w}, __NV_SATFINITE, kind)) << 16 |    \
              __nv_cvt_double2_to_fp8x2({x.x, x.y}, __NV_SATFINITE, kind)) {}                               \
    explicit __nv_fp8x4_##suffix(float4 x) : __nv_fp8x4_##suffix(double4{x.x, x.y, x.z, x.w}) {}            \
    explicit __nv_fp8x4_##suffix(__half2 a, __half2 b) : __nv_fp8x4_##suffix(float4{a.x, a.y, b.x, b.y}) {} \
    explicit __nv_fp8x4_##suffix(__nv_bfloat162 a, __nv_bfloat162 b)                                        \
        : __nv_fp8x4_##suffix(float4{a.x, a.y, b.x, b.y}) {}                                                \
    explicit operator float4() const {                                                                      \
      float4 all;                                                                                           \
      all.x = tune_emulator::number8(static_cast<__nv_fp8_storage_t>(__x), kind);                           \
      all.y = tune_emulator::number8(static_cast<__nv_fp8_storage_t>(__x >> 8), kind);                      \
      all.z = tune_emulator::number8(static_cast<__nv_fp8_storage_t>(__x >> 16), kind);                     \
      all.w = tune_emulator::number8(static_cast<__nv_fp8_storage_t>(__x >> 24), kind);                     \
      return all;                                                                                           \
    }                                                                                                       \
  };
TUNE_FP8(e4m3, __NV_E4M3)
TUNE_FP8(e5m2, __NV_E5M2)
#undef TUNE_FP8
