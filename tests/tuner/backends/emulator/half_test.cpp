// SPDX-License-Identifier: Apache-2.0
// Conversions and comparisons of 16-bit numbers in the emulator against tables of the formats.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/tuner/backends/emulator/kernel_check.hpp"

namespace tune::emulator::halves {
namespace {

using testing::KernelCheck;

/// The positive numbers of a format by their codes, up to the one that the code of infinity would be.
std::vector<double> numbers_of(int fraction_bits, int bias, int infinity) {
  std::vector<double> numbers;
  for (int code = 0; code <= infinity; ++code) {
    const int exponent = code >> fraction_bits, fraction = code % (1 << fraction_bits);
    const double share = std::ldexp(fraction, -fraction_bits);
    numbers.push_back(exponent == 0 ? std::ldexp(share, 1 - bias) : std::ldexp(1 + share, exponent - bias));
  }
  return numbers;
}

/// The codes of a number rounded to the nearest (the even one of two), towards zero, down and up.
std::vector<int> codes_of(long double x, const std::vector<double>& numbers) {
  if (std::isnan(x)) return {0x7fff, 0x7fff, 0x7fff, 0x7fff};
  const long double size = std::abs(x);
  const int infinity = static_cast<int>(numbers.size()) - 1;
  int lower = static_cast<int>(std::ranges::upper_bound(numbers, size) - numbers.begin()) - 1, upper = lower;
  if (std::isinf(x)) {
    lower = upper = infinity;
  } else {
    lower = std::min(lower, infinity - 1);
    if (numbers[lower] != size) upper = lower + 1;
  }
  const long double below = size - numbers[lower], above = numbers[upper] - size;
  const int nearest =
      size >= numbers.back() || above < below || (above == below && upper % 2 == 0) ? upper : lower;
  const bool negative = std::signbit(x);
  std::vector<int> codes = {nearest, lower, negative ? upper : lower, negative ? lower : upper};
  for (int& code : codes) code |= negative ? 0x8000 : 0;
  return codes;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Numbers of both formats, the middles of two, what lies beside these, and others.
std::vector<double> samples(const std::vector<double>& half, const std::vector<double>& bfloat16,
                            std::size_t count) {
  std::vector<double> all = {0,     infinity, std::nan(""), 65504, 65519, 65520, 65535, 65536, 1e30,
                             1e-30, 1e-300,   3.4e38,       1e39,  2049,  4099,  257,   32769, 16777217};
  std::mt19937 random(5);
  for (const auto* const numbers : {&half, &bfloat16})
    for (std::size_t i = 1; i < numbers->size();
         i = i < 3 || i + 400 > numbers->size() ? i + 97 : i + 1 + random() % 2000) {
      const double middle = ((*numbers)[i - 1] + (*numbers)[i]) / 2;
      for (const double x :
           {(*numbers)[i], middle, std::nextafter(middle, 0.0), std::nextafter(middle, infinity)})
        all.push_back(x);
    }
  for (std::size_t i = all.size(); i-- > 0;) all.push_back(-all[i]);
  while (all.size() < count)
    all.push_back(
        std::ldexp(1 + std::ldexp(static_cast<double>(random()), -32), static_cast<int>(random() % 60) - 30));
  all.resize(count);
  return all;
}

const char* const source = R"(#include <cuda_fp16.h>
#include <cuda_bf16.h>
#define WHOLE(to, To) \
  if (static_cast<To>(w) == w && (w > 0) == (static_cast<To>(w) > 0)) { \
    check(__half_as_ushort(__##to##2half_rn(w)) == h[0] && __half_as_ushort(__##to##2half_rz(w)) == h[1] && \
          __half_as_ushort(__##to##2half_rd(w)) == h[2] && __half_as_ushort(__##to##2half_ru(w)) == h[3], 1); \
    check(__bfloat16_as_ushort(__##to##2bfloat16_rn(w)) == b[0] && __bfloat16_as_ushort(__##to##2bfloat16_rz(w)) == b[1] && \
          __bfloat16_as_ushort(__##to##2bfloat16_rd(w)) == b[2] && __bfloat16_as_ushort(__##to##2bfloat16_ru(w)) == b[3], 2); \
  }
extern "C" __global__ void k(const float*, float* out, const double* numbers, const int* codes, const long long* wholes,
                             const int* of_wholes, int) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int wrong = 0;
  const auto check = [&](bool right, int number) { if (!right && wrong == 0) wrong = number; };
  const double x = numbers[t];
  const float f = x;
  const int* h = codes + 8 * t;
  const int* b = h + 4;
  check(__half_as_ushort(__double2half(x)) == h[0] || x != x, 3);
  check(__bfloat16_as_ushort(__double2bfloat16(x)) == b[0] && __bfloat16_as_ushort(__nv_bfloat16(x)) == b[0], 4);
  if (f == x || x != x) {
    check(__half_as_ushort(__float2half_rz(f)) == h[1] && __half_as_ushort(__float2half_rd(f)) == h[2] && __half_as_ushort(__float2half_ru(f)) == h[3], 5);
    check(__bfloat16_as_ushort(__float2bfloat16_rn(f)) == b[0] && __bfloat16_as_ushort(__float2bfloat16_rz(f)) == b[1], 6);
    check(__bfloat16_as_ushort(__float2bfloat16_rd(f)) == b[2] && __bfloat16_as_ushort(__float2bfloat16_ru(f)) == b[3], 7);
  }
  const long long w = wholes[t];
  h = of_wholes + 8 * t, b = h + 4;
  WHOLE(short, short) WHOLE(ushort, unsigned short) WHOLE(int, int) WHOLE(uint, unsigned) WHOLE(ll, long long) WHOLE(ull, unsigned long long)
  out[t] = wrong;
})";

TEST(Halves, AreRoundedInEveryDirection) {
  const std::vector<double> half = numbers_of(10, 15, 0x7c00), bfloat16 = numbers_of(7, 127, 0x7f80);
  constexpr std::size_t count = 2048;
  const std::vector<double> numbers = samples(half, bfloat16, count);
  KernelCheck check(source, 64, count / 64);
  check.with_buffer("numbers", ElementType::f64, count, BufferRole::input);
  check.with_buffer("codes", ElementType::i32, 8 * count, BufferRole::input);
  check.with_buffer("wholes", ElementType::i64, count, BufferRole::input);
  check.with_buffer("of_wholes", ElementType::i32, 8 * count, BufferRole::input);
  const auto given = check.expected.inputs.at("numbers").as<double>();
  const auto wholes = check.expected.inputs.at("wholes").as<std::int64_t>();
  const auto codes = check.expected.inputs.at("codes").as<std::int32_t>(),
             of_wholes = check.expected.inputs.at("of_wholes").as<std::int32_t>();
  std::mt19937_64 random(7);
  for (std::size_t i = 0; i < count; ++i) {
    given[i] = numbers[i];
    const std::uint64_t any = random() >> (random() % 64);
    wholes[i] = i % 2 == 0 ? static_cast<std::int64_t>(any) : -static_cast<std::int64_t>(any >> 1);
    const auto set = [&](auto to, long double x) {
      std::ranges::copy(codes_of(x, half), to.begin() + static_cast<std::ptrdiff_t>(8 * i));
      std::ranges::copy(codes_of(x, bfloat16), to.begin() + static_cast<std::ptrdiff_t>(8 * i + 4));
    };
    set(codes, numbers[i]);
    set(of_wholes, static_cast<long double>(wholes[i]));
  }
  check.expecting(std::vector<double>(count, 0.0)).flavour(Flavour::plain);
  EXPECT_EQ(check.report(), "");
}

TEST(Halves, BecomeWholeNumbersThatFitAndCompareWithNothing) {
  EXPECT_EQ(testing::report_of(R"(#include <cuda_fp16.h>
#include <cuda_bf16.h>
template<class T, class T2> __device__ void compare(T nan, T one) {
  assert(!__hne(nan, one) && __hneu(nan, one) && __hequ(nan, one) && __hltu(nan, one) && __hgeu(one, nan) && !__hlt(nan, one));
  assert(!__hequ(one, T(2.0f)) && __hltu(one, T(2.0f)) && !__hgtu(one, one) && __hleu(one, one));
  const T2 a{nan, one}, b{one, one};
  assert(!__hbequ2(a, T2{one, T(2.0f)}) && __hbequ2(a, b) && !__hbeq2(a, b) && !__hbne2(a, b) && __hbneu2(a, T2{one, T(3.0f)}));
  assert(__heq2_mask(a, b) == 0xffff0000u && __hequ2_mask(a, b) == ~0u && __hlt2_mask(a, b) == 0 && __hltu2_mask(a, b) == 0xffffu);
  assert(float(__hisnan2(a).x) == 1 && float(__hisnan2(a).y) == 0 && b == b && !(a != b) && !(a < b) && b <= b);
}
extern "C" __global__ void k(const float*, float* out, int) {
  const __half nan = __ushort_as_half(0x7fff), inf = __ushort_as_half(0x7c00);
  compare<__half, __half2>(nan, __half(1.0f));
  compare<__nv_bfloat16, __nv_bfloat162>(__ushort_as_bfloat16(0x7fff), __nv_bfloat16(1.0f));
  assert(__half2short_rz(__half(65504.0f)) == 32767 && __half2ushort_rn(__half(-1.0f)) == 0 && __half2int_rn(__half(2.5f)) == 2);
  assert(__half2int_rd(__half(-2.5f)) == -3 && __half2int_ru(__half(-2.5f)) == -2 && __half2char_rz(__half(-200.0f)) == -128);
  assert(__half2uchar_rz(__half(300.0f)) == 255 && __half2int_rz(nan) == 0 && __half2int_rn(inf) == 2147483647);
  assert(__half2ll_rz(nan) == static_cast<long long>(1ULL << 63) && __bfloat162uint_rn(__nv_bfloat16(1e30f)) == ~0u);
  assert(__half_raw(__half(1.0f)).x == 0x3c00 && __nv_bfloat16_raw(__nv_bfloat16(1.0f)).x == 0x3f80);
  assert(float(hexp10(__half(2.0f))) == 100 && float(hlog10(__half(1000.0f))) == 3 && float(h2exp10(__half2{nan, __half(1.0f)}).y) == 10);
  assert(float(__hmul2_sat(__half2{__half(2.0f), __half(0.5f)}, __half2{__half(3.0f), __half(0.5f)}).x) == 1);
  out[threadIdx.x] = threadIdx.x + 1;
})"),
            "");
}

}  // namespace
}  // namespace tune::emulator::halves
