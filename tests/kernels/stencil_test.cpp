// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/stencil.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include "kernels/stencil/shapes.hpp"
#include "kernels/stencil/weights.hpp"

namespace tune::kernels {
namespace {

/// Shape and radius.
class StencilPoints : public ::testing::TestWithParam<std::tuple<const char*, int>> {
 protected:
  int radius() const { return std::get<1>(GetParam()); }
  bool star() const { return std::string(std::get<0>(GetParam())) == "star"; }
  Stencil stencil_ = make_stencil(std::get<0>(GetParam()), std::get<1>(GetParam()));
};

TEST_P(StencilPoints, AreThoseOfTheShape) {
  const int r = radius(), width = 2 * r + 1;
  std::set<std::tuple<int, int, int>> expected;
  for (int dz = -r; dz <= r; ++dz)
    for (int dy = -r; dy <= r; ++dy)
      for (int dx = -r; dx <= r; ++dx)
        if (!star() || std::abs(dx) + std::abs(dy) + std::abs(dz) ==
                           std::max({std::abs(dx), std::abs(dy), std::abs(dz)}))
          expected.insert({dz, dy, dx});
  ASSERT_EQ(expected.size(), static_cast<std::size_t>(star() ? 6 * r + 1 : width * width * width));
  std::vector<std::tuple<int, int, int>> points;
  for (const StencilPoint& point : stencil_.points) points.emplace_back(point.dz, point.dy, point.dx);
  // A set is sorted: equal sequences mean sorted by (dz, dy, dx), and none twice.
  EXPECT_EQ(points, std::vector(expected.begin(), expected.end()));
  EXPECT_EQ(stencil_.radius(), r);
}

TEST_P(StencilPoints, HaveWeightsThatTellThemApart) {
  std::multiset<double> weights;
  double sum = 0, largest = 0;
  for (const StencilPoint& point : stencil_.points) {
    EXPECT_GT(point.weight, 0);
    weights.insert(point.weight);
    sum += point.weight;
    largest = std::max(largest, point.weight);
  }
  EXPECT_NEAR(sum, 1, 1e-13);
  EXPECT_NEAR(absolute_weight(stencil_), 1, 1e-13);
  // Two swapped points show in a float as soon as their weights differ by some roundings.
  double closest = 1;
  for (auto next = std::next(weights.begin()); next != weights.end(); ++next)
    closest = std::min(closest, *next - *std::prev(next));
  EXPECT_GT(closest, 0x1.0p-24 * largest * 16);
}

TEST_P(StencilPoints, AreWrittenToTheHeaderInOrderAndExactly) {
  const std::string header = weights_header(stencil_);
  EXPECT_NE(header.find("#pragma once"), std::string::npos);
  const std::string declaration =
      "constexpr __constant__ REAL stencil_weights[" + std::to_string(stencil_.points.size()) + "] = {";
  ASSERT_NE(header.find(declaration), std::string::npos) << header.substr(0, 200);
  std::vector<double> read;
  std::istringstream lines(header.substr(header.find(declaration)));
  for (std::string line; std::getline(lines, line);) {
    const std::string start = "static_cast<REAL>(";
    if (line.starts_with(start)) read.push_back(std::strtod(line.c_str() + start.size(), nullptr));
  }
  std::vector<double> weights;
  for (const StencilPoint& point : stencil_.points) weights.push_back(point.weight);
  EXPECT_EQ(read, weights);
  EXPECT_TRUE(header.ends_with("};\n"));
}

INSTANTIATE_TEST_SUITE_P(AllShapesAndRadii, StencilPoints,
                         ::testing::Combine(::testing::Values("star", "box"), ::testing::Range(1, 9)),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param)) +
                                  std::to_string(std::get<1>(tested.param));
                         });

TEST(MakeStencil, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(make_stencil("star", 0), std::invalid_argument);
  EXPECT_THROW(make_stencil("star", -1), std::invalid_argument);
  EXPECT_THROW(make_stencil("cross", 1), std::invalid_argument);
  EXPECT_THROW(make_stencil("", 1), std::invalid_argument);
}

}  // namespace
}  // namespace tune::kernels
