// SPDX-License-Identifier: Apache-2.0
// 8-bit numbers in the emulator against tables of the formats.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "tests/tuner/backends/emulator/kernel_check.hpp"

namespace tune::emulator {
namespace {

using testing::KernelCheck;

constexpr float infinity = std::numeric_limits<float>::infinity(),
                nan = std::numeric_limits<float>::quiet_NaN();

/// The positive numbers of a format by their codes, up to the first one beyond the largest, by the formulas
/// of the published definition (Micikevicius and others, "FP8 formats for deep learning", 2022).
std::vector<float> numbers_of(int fraction_bits, int bias, int last_code) {
  std::vector<float> numbers;
  for (int code = 0; code <= last_code + 1; ++code) {
    const int exponent = code >> fraction_bits, fraction = code % (1 << fraction_bits);
    const double share = static_cast<double>(fraction) / (1 << fraction_bits);
    numbers.push_back(static_cast<float>(exponent == 0 ? std::pow(2.0, 1 - bias) * share
                                                       : std::pow(2.0, exponent - bias) * (1 + share)));
  }
  return numbers;
}
const std::vector<float> of_e4m3 = numbers_of(3, 7, 0x7e), of_e5m2 = numbers_of(2, 15, 0x7b);

/// The code of the nearest number, the even one of two, or `beyond`.
int code_of(float x, const std::vector<float>& numbers, int beyond) {
  if (std::isnan(x)) return 0x7f;
  int nearest = 0;
  for (int code = 0; code < static_cast<int>(numbers.size()); ++code) {
    const double away = std::abs(static_cast<double>(numbers[code]) - std::abs(x));
    const double least = std::abs(static_cast<double>(numbers[nearest]) - std::abs(x));
    if (away < least || (away == least && code % 2 == 0)) nearest = code;
  }
  const bool fits = nearest + 1 < static_cast<int>(numbers.size()) && std::abs(x) <= numbers.back();
  return (std::signbit(x) ? 0x80 : 0) | (fits ? nearest : beyond);
}

/// Every number of both formats, the middles of two, what lies beside these, and others.
std::vector<float> samples() {
  std::vector<float> all = {0, infinity, nan, 1e30F, 1e-30F, 1e-45F, 464, 465, 61440, 61441, 57344, 448};
  for (const auto* const numbers : {&of_e4m3, &of_e5m2})
    for (std::size_t i = 1; i < numbers->size(); ++i) {
      const float middle = ((*numbers)[i - 1] + (*numbers)[i]) / 2;
      for (const float x :
           {(*numbers)[i], middle, std::nextafter(middle, 0.0F), std::nextafter(middle, infinity)})
        all.push_back(x);
    }
  for (std::size_t i = all.size(); i-- > 0;) all.push_back(-all[i]);
  std::mt19937 random(3);
  while (all.size() < 3072) {
    const auto any = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    all.push_back(all.size() % 2 == 0 ? any
                                      : std::ldexp(1 + std::ldexp(static_cast<float>(random() % 4096), -12),
                                                   static_cast<int>(random() % 36) - 18));
  }
  return all;
}

const char* const source = R"(#include <cuda_fp8.h>
extern "C" __global__ void k(const float*, float* out, const float* numbers, const int* codes, const float* values, int) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = numbers[t];
  int wrong = 0;
  const auto check = [&](bool right, int number) { if (!right && wrong == 0) wrong = number; };
  const auto same = [](float a, float b) { return a != a ? b != b : __float_as_int(a) == __float_as_int(b); };
  const int e4 = codes[4 * t], e5 = codes[4 * t + 2];
  check(__nv_fp8_e4m3(x).__x == e4, 1);
  check(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3) == e4, 2);
  check(__nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E4M3) == codes[4 * t + 1], 3);
  check(__nv_fp8_e5m2(static_cast<double>(x)).__x == e5, 4);
  check(__nv_cvt_double_to_fp8(x, __NV_NOSAT, __NV_E5M2) == codes[4 * t + 3], 5);
  check((__nv_fp8x2_e4m3(make_float2(x, 1)).__x & 255) == e4, 6);
  check(__nv_fp8x4_e5m2(make_float4(1, 2, 3, x)).__x >> 24 == e5, 7);
  check((__nv_cvt_float2_to_fp8x2(make_float2(2, x), __NV_SATFINITE, __NV_E5M2) >> 8) == e5, 8);
  if (t < 256) {
    __nv_fp8_e4m3 a; __nv_fp8_e5m2 b; __nv_fp8x4_e4m3 four; __nv_fp8x2_e5m2 two;
    a.__x = b.__x = t; four.__x = t << 16; two.__x = t << 8;
    const float u = values[2 * t], w = values[2 * t + 1];
    check(same(float(a), u) && same(float(double(a)), u) && same(__half2float(__half(a)), u) && same(__bfloat162float(__nv_bfloat16(a)), u), 9);
    check(same(float(b), w) && same(float(double(b)), w) && same(__half2float(__half(b)), w), 10);
    check(same(static_cast<float4>(four).z, u) && same(static_cast<float2>(two).y, w), 11);
    check(same(__half2float(__half(__nv_cvt_fp8_to_halfraw(t, __NV_E5M2))), w), 12);
    check(same(__high2float(__half2(__nv_cvt_fp8x2_to_halfraw2(t << 8, __NV_E4M3))), u), 13);
    check(u != u || (__nv_fp8_e4m3(__half(a)).__x == t && int(a) == int(u) && bool(a) == (u != 0)), 14);
    check(w - w != 0 || __nv_fp8_e5m2(__nv_bfloat16(b)).__x == t, 15);
    check(float(__nv_fp8_e4m3(17)) == 16 && float(__nv_fp8_e4m3(-500)) == -448 && static_cast<signed char>(__nv_fp8_e4m3(200)) == 127, 16);
  }
  out[t] = wrong;
})";

TEST(Fp8, IsAsTheFormatsAreDefined) {
  const std::vector<float> numbers = samples();
  const std::uint64_t count = numbers.size();
  ASSERT_EQ(count % 64, 0U);
  KernelCheck check(source, 64, static_cast<std::uint32_t>(count / 64));
  check.with_buffer("numbers", ElementType::f32, count, BufferRole::input);
  check.with_buffer("codes", ElementType::i32, 4 * count, BufferRole::input);
  check.with_buffer("values", ElementType::f32, 512, BufferRole::input);
  const auto given = check.expected.inputs.at("numbers").as<float>(),
             values = check.expected.inputs.at("values").as<float>();
  const auto codes = check.expected.inputs.at("codes").as<std::int32_t>();
  for (std::size_t i = 0; i < count; ++i) {
    given[i] = numbers[i];
    codes[4 * i] = code_of(numbers[i], of_e4m3, 0x7e), codes[4 * i + 1] = code_of(numbers[i], of_e4m3, 0x7f);
    codes[4 * i + 2] = code_of(numbers[i], of_e5m2, 0x7b),
                  codes[4 * i + 3] = code_of(numbers[i], of_e5m2, 0x7c);
  }
  for (std::size_t code = 0; code < 256; ++code) {
    const float sign = code < 128 ? 1.0F : -1.0F;
    const std::size_t size = code % 128;
    values[2 * code] = size == 0x7f ? nan : sign * of_e4m3[size];
    values[2 * code + 1] = size < 0x7c ? sign * of_e5m2[size] : size == 0x7c ? sign * infinity : nan;
  }
  check.expecting(std::vector<double>(count, 0.0)).flavour(Flavour::plain);
  EXPECT_EQ(check.report(), "");
}

}  // namespace
}  // namespace tune::emulator
