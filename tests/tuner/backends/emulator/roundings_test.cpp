// SPDX-License-Identifier: Apache-2.0
// Directed roundings in the emulator against those of this machine's processor.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <random>

#include "tests/tuner/backends/emulator/kernel_check.hpp"

namespace tune::emulator {
namespace {

using testing::KernelCheck;

constexpr std::array modes = {FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
constexpr int operations = 7;

/// What the processor gives, one operation after another. The arguments are volatile, so that the compiler
/// computes nothing itself.
template<class T>
std::array<T, operations> computed(T first, T second, T third, int mode) {
  volatile T x = first, y = second, z = third;
  std::fesetround(mode);
  volatile T sum = x + y, difference = x - y, product = x * y, quotient = x / y, reciprocal = T(1) / x;
  volatile T root = std::sqrt(T(x)), fused = std::fma(T(x), T(y), T(z));
  std::fesetround(FE_TONEAREST);
  return {sum, difference, product, quotient, reciprocal, root, fused};
}

/// Numbers at the ends of the range and about 1, all with all, and random ones, near to each other or of any
/// size.
template<class T, class Bits>
std::vector<std::array<T, 3>> triples() {
  using Limits = std::numeric_limits<T>;
  const T eps = Limits::epsilon();
  std::vector<T> special = {0,
                            Limits::denorm_min(),
                            3 * Limits::denorm_min(),
                            Limits::min(),
                            Limits::min() - Limits::denorm_min(),
                            eps / 4,
                            eps,
                            1,
                            1 + eps,
                            1 - eps / 2,
                            2,
                            T(1) / 3,
                            3,
                            1 / eps,
                            Limits::max() / 2,
                            Limits::max(),
                            Limits::infinity()};
  for (std::size_t i = special.size(); i-- > 0;) special.push_back(-special[i]);
  std::mt19937_64 random(7);
  std::vector<std::array<T, 3>> all;
  for (const T x : special)
    for (const T y : special) all.push_back({x, y, special[random() % special.size()]});
  while (all.size() % 64 != 0 || all.size() < 4096) {
    std::array<T, 3> numbers{};
    for (T& number : numbers) {
      number = std::bit_cast<T>(static_cast<Bits>(random()));
      if (!std::isfinite(number)) number = 1;
      if (all.size() % 2 == 0)
        number =
            std::ldexp(T(random() % 2048 + 1) * (random() % 2 == 0 ? 1 : -1) / 1024 + eps * T(random() % 4),
                       int(random() % 5) - 2);
    }
    // A sum that nearly cancels, and one with a tiny part.
    if (all.size() % 5 == 0) numbers[2] = -(numbers[0] * numbers[1]);
    if (all.size() % 7 == 0) numbers[2] = std::ldexp(numbers[0] * numbers[1], 60 + int(random() % 200));
    if (!std::isfinite(numbers[2])) numbers[2] = 0;
    all.push_back(numbers);
  }
  return all;
}

/// A thread takes three numbers and compares the bits of all results; NaNs are all the same.
std::string kernel(const std::string& T, const std::string& bits, const std::string& as_bits,
                   const std::string& f, const std::string& fused) {
  std::string body;
  for (const char* const suffix : {"_rz", "_rd", "_ru"}) {
    for (const char* const operation : {"add", "sub", "mul", "div"})
      body += "same(__" + f + operation + suffix + "(x, y));\n";
    for (const char* const operation : {"rcp", "sqrt"})
      body += "same(__" + f + operation + suffix + "(x));\n";
    body += "same(" + fused + suffix + "(x, y, z));\n";
  }
  return "extern \"C\" __global__ void k(const float*, float* out, const " + T + "* numbers, const " + bits +
         "* wanted, int) {\n" +
         "  const int t = blockIdx.x * blockDim.x + threadIdx.x; int number = 0, wrong = 0;\n" + "  const " +
         T + " x = numbers[3 * t], y = numbers[3 * t + 1], z = numbers[3 * t + 2];\n" +
         "  const auto same = [&](" + T + " value) {\n    const " + bits +
         " want = wanted[21 * t + number++];\n" +
         "    if (value != value ? want != 0x7fc00000 : want != " + as_bits +
         "(value)) wrong = number; };\n" + body + "  out[t] = wrong;\n}\n";
}

template<class T, class Bits>
void expect_processors_results(ElementType type, ElementType bits_type, const std::string& source) {
  const auto numbers = triples<T, Bits>();
  const std::uint64_t count = numbers.size();
  KernelCheck check(source, 64, static_cast<std::uint32_t>(count / 64));
  check.with_buffer("numbers", type, 3 * count, BufferRole::input);
  check.with_buffer("wanted", bits_type, 3 * operations * count, BufferRole::input);
  const auto given = check.expected.inputs.at("numbers").as<T>();
  const auto wanted = check.expected.inputs.at("wanted").as<Bits>();
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [x, y, z] = numbers[i];
    given[3 * i] = x, given[3 * i + 1] = y, given[3 * i + 2] = z;
    for (std::size_t mode = 0; mode < modes.size(); ++mode) {
      const auto results = computed(x, y, z, modes[mode]);
      for (std::size_t k = 0; k < operations; ++k)
        wanted[(3 * i + mode) * operations + k] =
            std::isnan(results[k]) ? Bits{0x7fc00000} : std::bit_cast<Bits>(results[k]);
    }
  }
  check.expecting(std::vector<double>(count, 0.0)).flavour(Flavour::plain);
  EXPECT_EQ(check.report(), "");
}

TEST(Roundings, AreThoseOfTheProcessor) {
  expect_processors_results<float, std::int32_t>(ElementType::f32, ElementType::i32,
                                                 kernel("float", "int", "__float_as_int", "f", "__fmaf"));
  expect_processors_results<double, std::int64_t>(
      ElementType::f64, ElementType::i64,
      kernel("double", "long long", "__double_as_longlong", "d", "__fma"));
}

}  // namespace
}  // namespace tune::emulator
