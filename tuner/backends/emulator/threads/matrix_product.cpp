// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/threads/matrix_product.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace tune::emulator {
namespace {

using tune_emulator::MatrixFragments;
using tune_emulator::MatrixType;

constexpr int rows = 16, columns = 8, max_inner = 16;

double operand(const MatrixFragments& lane, const void* fragment, int index) {
  if (lane.type == MatrixType::f64) return static_cast<const double*>(fragment)[index];
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<const float*>(fragment)[index]);
  return static_cast<double>(std::bit_cast<float>(bits & 0xffffe000U));
}

}  // namespace

float cut_to_float(double value) {
  const auto nearest = static_cast<float>(value);
  if (!std::isfinite(value) || std::fabs(static_cast<double>(nearest)) <= std::fabs(value)) return nearest;
  return std::nextafter(nearest, 0.0F);
}

void add_matrix_product(const std::array<MatrixFragments, 32>& lanes) {
  const int inner = lanes[0].inner;
  std::array<double, rows * max_inner> a{};
  std::array<double, max_inner * columns> b{};
  const auto at_a = [&](int row, int k) -> double& { return a[static_cast<std::size_t>(row * inner + k)]; };
  const auto at_b = [&](int k, int column) -> double& {
    return b[static_cast<std::size_t>(k * columns + column)];
  };
  for (int number = 0; number < 32; ++number) {
    const MatrixFragments& lane = lanes[static_cast<std::size_t>(number)];
    const int group = number / 4, member = number % 4;
    for (int quarter = 0; quarter < inner / 4; ++quarter) {
      const int k = member + 4 * quarter;
      for (int half = 0; half < 2; ++half)
        at_a(group + 8 * half, k) = operand(lane, lane.a, 2 * quarter + half);
      at_b(k, group) = operand(lane, lane.b, quarter);
    }
  }
  for (int number = 0; number < 32; ++number) {
    const MatrixFragments& lane = lanes[static_cast<std::size_t>(number)];
    for (int i = 0; i < 4; ++i) {
      const int row = number / 4 + 8 * (i / 2), column = 2 * (number % 4) + i % 2;
      const bool wide = lane.type == MatrixType::f64;
      double sum =
          wide ? static_cast<double*>(lane.c)[i] : static_cast<double>(static_cast<float*>(lane.c)[i]);
      for (int k = 0; k < inner; ++k) sum = std::fma(at_a(row, k), at_b(k, column), sum);
      if (wide)
        static_cast<double*>(lane.c)[i] = sum;
      else
        static_cast<float*>(lane.c)[i] = cut_to_float(sum);
    }
  }
}

}  // namespace tune::emulator
