// SPDX-License-Identifier: Apache-2.0
// Fourier transforms in the emulator, against sums by the definition.
#include "tuner/backends/emulator/jobs/fourier.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tests/support/fourier_sample.hpp"

namespace tune::emulator {
namespace {

using tune::testing::all_fourier_cases;
using tune::testing::fourier_pair;
using tune::testing::fourier_sample;
using tune::testing::FourierCase;
using tune::testing::FourierPair;

/// No value of a transform.
constexpr double untouched = 12345;

/// Rows of a dense tensor in the place that a transform has for them, and back.
template<class T>
void scatter(const HostTensor& dense, const FourierShape& shape, const FourierSide& side,
             std::vector<T>& to) {
  auto from = dense.as<double>().begin();
  for (std::uint64_t row = 0; row < shape.rows(); ++row)
    for (std::uint64_t i = 0; i < side.row; ++i)
      to[side.offset + shape.row_begin(side, row) + i] = static_cast<T>(*from++);
}

/// Largest error; elements that are right become `untouched`.
template<class T>
double worst_error(const HostTensor& dense, const FourierShape& shape, const FourierSide& side,
                   std::vector<T>& found) {
  double worst = 0;
  auto reference = dense.as<double>().begin();
  for (std::uint64_t row = 0; row < shape.rows(); ++row)
    for (std::uint64_t i = 0; i < side.row; ++i) {
      T& value = found[side.offset + shape.row_begin(side, row) + i];
      const double error = std::abs(static_cast<double>(value) - *reference++);
      worst = std::isnan(error) ? INFINITY : std::max(worst, error);
      value = static_cast<T>(untouched);
    }
  return worst;
}

double largest(const HostTensor& tensor) {
  double max = 0;
  for (const double value : tensor.as<double>()) max = std::max(max, std::abs(value));
  return max;
}

/// Error over what one rounding of the largest result is.
template<class T>
double roundings(const FourierCase& of) {
  const LaunchPlan plan = fourier_sample(of).plan;
  const FourierShape shape = fourier_shape(plan, std::get<FourierTransform>(plan.launches[1]));
  const FourierPair pair = fourier_pair(of);
  std::vector<T> input(shape.input().allocation, static_cast<T>(untouched));
  scatter(pair.from, shape, shape.input(), input);
  std::vector<T> other(shape.output().allocation, static_cast<T>(untouched));
  std::vector<T>& output = of.in_place ? input : other;
  carry_out(shape, reinterpret_cast<const char*>(input.data() + shape.input().offset),
            reinterpret_cast<char*>(output.data() + shape.output().offset));
  const double error = worst_error(pair.to, shape, shape.output(), output);
  if (!of.in_place) {
    const auto wrong =
        std::ranges::find_if(output, [](T value) { return value != static_cast<T>(untouched); });
    EXPECT_EQ(wrong, output.end()) << of.text() << ": writes beside its rows";
  }
  const double epsilon = std::is_same_v<T, float> ? 0x1p-24 : 0x1p-53;
  return error / (epsilon * std::max(largest(pair.to), 1e-30));
}

TEST(EmulatedFourier, AgreesWithTheDefinition) {
  double worst[2] = {0, 0};
  for (const FourierCase& of : all_fourier_cases()) {
    const bool single = of.type == ElementType::f32;
    const double found = single ? roundings<float>(of) : roundings<double>(of);
    worst[single ? 0 : 1] = std::max(worst[single ? 0 : 1], found);
    // Inputs of an inverse transform are rounded to float before it.
    const bool rounded_before = single && of.direction == FourierDirection::inverse;
    EXPECT_LE(found, rounded_before ? 8 : single ? 1.01 : 64) << of.text();
  }
  std::printf("largest error, in roundings of the largest result: float %.3g, double %.3g\n", worst[0],
              worst[1]);
}

TEST(EmulatedFourier, LongRowsOfAnyLength) {
  for (const std::uint64_t n : {509u, 512u, 1000u, 1021u}) {  // two primes
    const FourierCase of{FourierDirection::forward, ElementType::f64, {n}, false, false};
    EXPECT_LE(roundings<double>(of), 512) << of.text();
  }
}

TEST(EmulatedFourier, IgnoresWhatNoSpectrumOfRealNumbersHas) {
  const FourierCase of{FourierDirection::inverse, ElementType::f64, {6}, false, false};
  const LaunchPlan plan = fourier_sample(of).plan;
  const FourierShape shape = fourier_shape(plan, std::get<FourierTransform>(plan.launches[1]));
  const FourierPair pair = fourier_pair(of);
  std::vector<double> input(pair.from.as<double>().begin(), pair.from.as<double>().end());
  input[1] = 3;  // imaginary parts of the mean and of the highest frequency
  input[7] = 5;
  std::vector<double> output(6);
  carry_out(shape, reinterpret_cast<const char*>(input.data()), reinterpret_cast<char*>(output.data()));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(output[i], pair.to.as<double>()[i], 1e-13);
}

}  // namespace
}  // namespace tune::emulator
