// SPDX-License-Identifier: Apache-2.0
// Conversions of half and bfloat16 in all directions of rounding.
#pragma once

#include "half.cuh"

TUNE_FUNCTION(unsigned short __half_as_ushort(__half x), tune_bit_cast<unsigned short>(x.value))
TUNE_FUNCTION(short __half_as_short(__half x), tune_bit_cast<short>(x.value))
TUNE_FUNCTION(__half __ushort_as_half(unsigned short x), __half_raw{x})
TUNE_FUNCTION(__half __short_as_half(short x), __half_raw{static_cast<unsigned short>(x)})
TUNE_FUNCTION(unsigned short __bfloat16_as_ushort(__nv_bfloat16 x), x.bits)
TUNE_FUNCTION(short __bfloat16_as_short(__nv_bfloat16 x), static_cast<short>(x.bits))
TUNE_FUNCTION(__nv_bfloat16 __ushort_as_bfloat16(unsigned short x), __nv_bfloat16_raw{x})
TUNE_FUNCTION(__nv_bfloat16 __short_as_bfloat16(short x), __nv_bfloat16_raw{static_cast<unsigned short>(x)})

// ---- from and to whole numbers, and in a direction ----

#define TUNE_ROUNDED(T, name, from, From, suffix, rounding) \
  TUNE_FUNCTION(T __##from##2##name##suffix(From x),        \
                __ushort_as_##name(tune_emulator::code16(tune_emulator::exact(x), T::format, rounding)))
#define TUNE_ROUNDINGS(T, name, from, From)                                  \
  TUNE_ROUNDED(T, name, from, From, _rz, tune_emulator::SmallRounding::zero) \
  TUNE_ROUNDED(T, name, from, From, _rd, tune_emulator::SmallRounding::down) \
  TUNE_ROUNDED(T, name, from, From, _ru, tune_emulator::SmallRounding::up)
#define TUNE_WHOLE_HALVES(T, name, to, To)                                                       \
  TUNE_FUNCTION(To __##name##2##to##_rn(T x), tune_emulator::saturated<To>(__builtin_rintf(x)))  \
  TUNE_FUNCTION(To __##name##2##to##_rz(T x), tune_emulator::saturated<To>(x))                   \
  TUNE_FUNCTION(To __##name##2##to##_rd(T x), tune_emulator::saturated<To>(__builtin_floorf(x))) \
  TUNE_FUNCTION(To __##name##2##to##_ru(T x), tune_emulator::saturated<To>(__builtin_ceilf(x)))  \
  TUNE_ROUNDED(T, name, to, To, _rn, tune_emulator::SmallRounding::nearest)                      \
  TUNE_ROUNDINGS(T, name, to, To)
#define TUNE_CONVERTED(T, name)                                                                       \
  TUNE_WHOLE_HALVES(T, name, int, int)                                                                \
  TUNE_WHOLE_HALVES(T, name, uint, unsigned)                                                          \
  TUNE_WHOLE_HALVES(T, name, short, short)                                                            \
  TUNE_WHOLE_HALVES(T, name, ushort, unsigned short)                                                  \
  TUNE_WHOLE_HALVES(T, name, ll, long long)                                                           \
  TUNE_WHOLE_HALVES(T, name, ull, unsigned long long)                                                 \
  TUNE_FUNCTION(signed char __##name##2##char_rz(T x), tune_emulator::saturated<signed char>(x))      \
  TUNE_FUNCTION(unsigned char __##name##2##uchar_rz(T x), tune_emulator::saturated<unsigned char>(x)) \
  TUNE_ROUNDINGS(T, name, float, float)                                                               \
  TUNE_ROUNDED(T, name, double, double, , tune_emulator::SmallRounding::nearest)
TUNE_CONVERTED(__half, half)
TUNE_CONVERTED(__nv_bfloat16, bfloat16)
#undef TUNE_CONVERTED
#undef TUNE_WHOLE_HALVES
#undef TUNE_ROUNDINGS
#undef TUNE_ROUNDED
TUNE_FUNCTION(__nv_bfloat16 __float2bfloat16_rn(float x), x)

// ---- pairs ----

TUNE_FUNCTION(__half2 __float22half2_rn(float2 x), {x.x, x.y})
TUNE_FUNCTION(__nv_bfloat162 __float22bfloat162_rn(float2 x), {x.x, x.y})
TUNE_FUNCTION(float2 __bfloat1622float2(__nv_bfloat162 a), {a.x, a.y})
TUNE_FUNCTION(__nv_bfloat162 __float2bfloat162_rn(float x), {x, x})
TUNE_FUNCTION(__nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x), {x, x})
TUNE_FUNCTION(__nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y), {x, y})
TUNE_FUNCTION(__nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y), {x, y})
TUNE_FUNCTION(__nv_bfloat16 __low2bfloat16(__nv_bfloat162 a), a.x)
TUNE_FUNCTION(__nv_bfloat16 __high2bfloat16(__nv_bfloat162 a), a.y)
TUNE_FUNCTION(__nv_bfloat162 __low2bfloat162(__nv_bfloat162 a), {a.x, a.x})
TUNE_FUNCTION(__nv_bfloat162 __high2bfloat162(__nv_bfloat162 a), {a.y, a.y})
TUNE_FUNCTION(__nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b), {a.x, b.x})
TUNE_FUNCTION(__nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b), {a.y, b.y})
TUNE_FUNCTION(__half2 __low2half2(__half2 a), {a.x, a.x})
TUNE_FUNCTION(__half2 __high2half2(__half2 a), {a.y, a.y})
TUNE_FUNCTION(__half2 __lows2half2(__half2 a, __half2 b), {a.x, b.x})
TUNE_FUNCTION(__half2 __highs2half2(__half2 a, __half2 b), {a.y, b.y})
