// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/model/stencil.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "kernels/stencil/model/job.hpp"
#include "kernels/stencil/model/shapes.hpp"

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

/// The elements of a constant array of a generated header.
std::vector<double> array_in(const std::string& header, const std::string& name) {
  const std::size_t at = header.find("constexpr __constant__ REAL " + name + "[");
  if (at == std::string::npos) return {};
  const std::string text = header.substr(at, header.find(';', at) - at);
  const std::string start = "REAL(";
  std::vector<double> read;
  for (std::size_t next = text.find(start); next != std::string::npos; next = text.find(start, next + 1))
    read.push_back(std::strtod(text.c_str() + next + start.size(), nullptr));
  EXPECT_NE(text.find("[" + std::to_string(read.size()) + "]"), std::string::npos) << name;
  return read;
}

double weight_of(const Stencil& stencil, int dx, int dy, int dz) {
  for (const StencilPoint& point : stencil.points)
    if (point.dx == dx && point.dy == dy && point.dz == dz) return point.weight;
  return 0;
}

TEST_P(StencilPoints, AreWrittenToTheHeaderInOrderAndExactly) {
  const int r = radius();
  const std::string header = points_header(stencil_), reach = std::to_string(r);
  EXPECT_NE(header.find("#pragma once"), std::string::npos);
  EXPECT_NE(header.find("reach_x = " + reach + ", reach_y = " + reach + ", reach_z = " + reach + ";"),
            std::string::npos);
  EXPECT_NE(header.find("points = " + std::to_string(stencil_.points.size()) + ";"), std::string::npos);
  EXPECT_NE(header.find(std::string("star = ") + (star() ? "true" : "false") + ";"), std::string::npos);
  std::vector<double> all, along_x, along_y, along_z;
  for (int dz = -r; dz <= r; ++dz)
    for (int dy = -r; dy <= r; ++dy)
      for (int dx = -r; dx <= r; ++dx) all.push_back(weight_of(stencil_, dx, dy, dz));
  for (int d = -r; d <= r; ++d) {
    along_x.push_back(weight_of(stencil_, d, 0, 0));
    along_y.push_back(weight_of(stencil_, 0, d, 0));
    along_z.push_back(weight_of(stencil_, 0, 0, d));
  }
  EXPECT_EQ(array_in(header, "weights"), star() ? std::vector<double>{} : all);
  EXPECT_EQ(array_in(header, "weights_x"), star() ? along_x : std::vector<double>{});
  EXPECT_EQ(array_in(header, "weights_y"), star() ? along_y : std::vector<double>{});
  EXPECT_EQ(array_in(header, "weights_z"), star() ? along_z : std::vector<double>{});
}

INSTANTIATE_TEST_SUITE_P(AllShapesAndRadii, StencilPoints,
                         ::testing::Combine(::testing::Values("star", "box"), ::testing::Range(1, 9)),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param)) +
                                  std::to_string(std::get<1>(tested.param));
                         });

// The reach of each axis is its own, and a point that is missing has the weight 0.
TEST(PointsHeader, HasTheBoxThatTheStencilReaches) {
  const Stencil stencil{3, {{-2, 0, 0, 0.5}, {0, 0, 0, 0.25}, {1, -1, 0, 0.125}}};
  const std::string header = points_header(stencil);
  EXPECT_NE(header.find("reach_x = 2, reach_y = 1, reach_z = 0;"), std::string::npos);
  EXPECT_EQ(array_in(header, "weights"),
            (std::vector<double>{0, 0, 0, 0.125, 0, 0.5, 0, 0.25, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(PointsHeader, TurnsTwoDimensionsIntoXAndZ) {
  const std::string header = points_header(in_kernel_axes(make_stencil("star", 2, 2)));
  EXPECT_NE(header.find("reach_x = 2, reach_y = 0, reach_z = 2;"), std::string::npos);
  EXPECT_EQ(array_in(header, "weights_x").size(), 5u);
  EXPECT_EQ(array_in(header, "weights_y").size(), 1u);
  EXPECT_EQ(array_in(header, "weights_z").size(), 5u);
  EXPECT_THROW(points_header(Stencil{}), std::invalid_argument);
}

TEST(MakeStencil, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(make_stencil("star", 0), std::invalid_argument);
  EXPECT_THROW(make_stencil("star", -1), std::invalid_argument);
  EXPECT_THROW(make_stencil("cross", 1), std::invalid_argument);
  EXPECT_THROW(make_stencil("", 1), std::invalid_argument);
}

}  // namespace
}  // namespace tune::kernels
