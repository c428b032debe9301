// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "kernels/stencil/model/shapes.hpp"
#include "search/random.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

using Offset = std::array<int, 3>;

Offset offset_of(const StencilPoint& point) {
  return {point.dx, point.dy, point.dz};
}

std::map<Offset, double> weights_of(const Stencil& stencil) {
  std::map<Offset, double> weights;
  for (const StencilPoint& point : stencil.points) weights[offset_of(point)] = point.weight;
  return weights;
}

/// Every shape in every dimensionality, with some radii.
template<class Check>
void for_each_stencil(Check check) {
  for (const StencilShape& shape : stencil_shapes())
    for (const int dimensions : {2, 3})
      for (const int radius : {1, 2, 3, 4, 7})
        for (const bool symmetric : {false, true}) {
          if (!(dimensions == 2 ? shape.in_2d : shape.in_3d)) continue;
          if (shape.radius != 0 && shape.radius != radius) continue;
          SCOPED_TRACE(format("{} {} {}-D symmetric {}", shape.name, radius, dimensions, symmetric));
          check(shape, radius, make_stencil(shape.name, radius, dimensions, symmetric), symmetric);
        }
}

TEST(StencilShapes, AreTheDocumentedOnes) {
  std::vector<std::string_view> names;
  for (const StencilShape& shape : stencil_shapes()) {
    names.push_back(shape.name);
    EXPECT_FALSE(shape.summary.empty());
    EXPECT_TRUE(shape.in_2d || shape.in_3d);
  }
  EXPECT_EQ(names, (std::vector<std::string_view>{"star", "box", "flux", "j2d5pt", "j2d9pt", "j3d7pt",
                                                  "j3d13pt", "j3d27pt", "poisson"}));
}

TEST(StencilShapes, KeepTheContractOfTheirType) {
  int seen = 0;
  for_each_stencil([&](const StencilShape& shape, int radius, const Stencil& stencil, bool) {
    ++seen;
    EXPECT_EQ(stencil, normalized(stencil));
    EXPECT_EQ(stencil.radius(), radius);
    EXPECT_EQ(weights_of(stencil).size(), stencil.points.size());
    for (const StencilPoint& point : stencil.points) EXPECT_TRUE(stencil.dimensions == 3 || point.dz == 0);
    EXPECT_NEAR(absolute_weight(stencil), 1, 1e-13);
    const bool star = shape.name != "box" && shape.name != "j3d27pt" && shape.name != "poisson";
    EXPECT_EQ(stencil.star(), star);
  });
  EXPECT_EQ(seen, 72);
}

TEST(StencilShapes, HaveTheirNumberOfPoints) {
  const std::map<std::string, std::array<std::size_t, 2>> expected = {
      {"star", {9, 13}}, {"box", {25, 125}}, {"flux", {9, 13}}, {"j2d9pt", {9, 0}}, {"j3d13pt", {0, 13}}};
  for (const auto& [name, counts] : expected)
    for (const int dimensions : {2, 3}) {
      const std::size_t count = counts[static_cast<std::size_t>(dimensions - 2)];
      if (count == 0) continue;
      EXPECT_EQ(make_stencil(name, 2, dimensions).points.size(), count) << name << dimensions;
    }
  EXPECT_EQ(make_stencil("j2d5pt", 1, 2).points.size(), 5U);
  EXPECT_EQ(make_stencil("j3d7pt", 1).points.size(), 7U);
  EXPECT_EQ(make_stencil("j3d27pt", 1).points.size(), 27U);
  EXPECT_EQ(make_stencil("poisson", 1).points.size(), 19U);
}

// What is stored of stars and boxes was measured with these weights, bit by bit.
TEST(StencilShapes, StarAndBoxHaveGoldenWeightsOverTheirSortedPoints) {
  for (const char* shape : {"star", "box"})
    for (const int dimensions : {2, 3}) {
      const Stencil stencil = make_stencil(shape, 3, dimensions);
      std::vector<double> expected;
      double sum = 0;
      for (std::size_t i = 0; i < stencil.points.size(); ++i) {
        const double turns = 0.6180339887498949 * static_cast<double>(i);
        expected.push_back(0.5 + (turns - std::floor(turns)));
        sum += expected.back();
      }
      for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_EQ(stencil.points[i].weight, expected[i] / sum) << shape << dimensions << " " << i;
    }
}

TEST(StencilShapes, SymmetricOnesAreMirroredAndPermuted) {
  for_each_stencil([&](const StencilShape& shape, int, const Stencil& stencil, bool symmetric) {
    if (!symmetric) return;
    std::map<Offset, std::set<double>> classes;
    for (const auto& [offset, weight] : weights_of(stencil)) {
      Offset key{std::abs(offset[0]), std::abs(offset[1]), std::abs(offset[2])};
      std::sort(key.begin(), key.end());
      classes[key].insert(weight);
    }
    std::set<double> distinct;
    for (const auto& [key, weights] : classes) {
      // Differences of fluxes round differently for x and y.
      EXPECT_LT(*weights.rbegin() - *weights.begin(), 1e-16);
      EXPECT_TRUE(shape.name == "flux" || weights.size() == 1);
      distinct.insert(*weights.begin());
    }
    EXPECT_TRUE((shape.name != "star" && shape.name != "box") || distinct.size() == classes.size());
  });
}

TEST(StencilShapes, SymmetricNamedOnesHaveTheMeansOfTheirClasses) {
  const auto plain = weights_of(make_stencil("j2d5pt", 1, 2));
  const auto symmetric = weights_of(make_stencil("j2d5pt", 1, 2, true));
  const double mean = (5.1 + 12.1 + 12.2 + 5.2) / 4 / 49.6;
  for (const Offset& side : {Offset{-1, 0, 0}, Offset{1, 0, 0}, Offset{0, -1, 0}, Offset{0, 1, 0}})
    EXPECT_NEAR(symmetric.at(side), mean, 1e-16);
  EXPECT_EQ(symmetric.at({0, 0, 0}), plain.at({0, 0, 0}));
}

TEST(StencilShapes, AsymmetricOnesTellAxesAndSidesApart) {
  for (const char* shape : {"star", "box"})
    for (const int dimensions : {2, 3}) {
      const auto weights = weights_of(make_stencil(shape, 4, dimensions));
      std::set<double> distinct;
      for (const auto& [offset, weight] : weights) distinct.insert(weight);
      EXPECT_EQ(distinct.size(), weights.size());
    }
  for (const int dimensions : {2, 3})
    for (const int radius : {1, 4, max_radius}) {
      std::set<double> distinct;
      for (const auto& [offset, weight] : weights_of(make_stencil("flux", radius, dimensions)))
        if (offset[0] + offset[1] + offset[2] > 0) distinct.insert(weight);
      ASSERT_EQ(distinct.size(), static_cast<std::size_t>(dimensions * radius));
      double last = 0;
      for (const double weight : distinct) {
        EXPECT_GT(weight - last, 1e-6 * weight);
        last = weight;
      }
    }
}

/// What the stencil makes of a row of cells along an axis in an array that is constant along the others.
std::vector<double> apply_along(const Stencil& stencil, std::size_t axis, const std::vector<double>& cells) {
  const auto count = static_cast<int>(cells.size());
  std::vector<double> result(cells.size());
  for (int i = 0; i < count; ++i)
    for (const auto& [offset, weight] : weights_of(stencil))
      result[static_cast<std::size_t>(i)] +=
          weight * cells[static_cast<std::size_t>((i + offset[axis] + count) % count)];
  return result;
}

TEST(StencilShapes, FluxIsConservativeAndNeverOvershoots) {
  search::Random random(7);
  for (const int dimensions : {2, 3})
    for (const int radius : {1, 3, 8, 32})
      for (const bool symmetric : {false, true}) {
        const Stencil stencil = make_stencil("flux", radius, dimensions, symmetric);
        for (const StencilPoint& point : stencil.points) EXPECT_GT(point.weight, 0);
        std::vector<double> cells(101);
        for (double& cell : cells) cell = random.uniform();
        for (int axis = 0; axis < dimensions; ++axis) {
          const std::vector<double> result = apply_along(stencil, static_cast<std::size_t>(axis), cells);
          double before = 0, after = 0;
          for (std::size_t i = 0; i < cells.size(); ++i) {
            before += cells[i];
            after += result[i];
          }
          EXPECT_NEAR(before, after, 1e-12);
        }
      }
}

// Fluxes through faces, one after the other, instead of the stencil's points.
TEST(StencilShapes, FluxIsTheDifferenceOfFluxes) {
  search::Random random(8);
  const int r = 3, count = 40;
  const double factors[] = {37, 41, 43};
  std::vector<double> cells(count);
  for (double& cell : cells) cell = random.uniform();
  const auto at = [&](int i) { return cells[static_cast<std::size_t>((i + count) % count)]; };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double c = factors[axis] / (4 * (37 + 41 + 43));
    const auto flux = [&](int i) {  // through the face between i and i + 1
      double sum = 0;
      for (int k = 1; k <= r; ++k)
        sum += c * (r + 1 - k) * (r + 2 - k) / (r * (r + 1)) * (at(i + k) - at(i + 1 - k));
      return sum;
    };
    const std::vector<double> result = apply_along(make_stencil("flux", r), axis, cells);
    for (int i = 0; i < count; ++i)
      EXPECT_NEAR(result[static_cast<std::size_t>(i)], at(i) + flux(i) - flux(i - 1), 1e-14);
  }
}

TEST(StencilShapes, NamedOnesHaveThePublishedRatios) {
  const auto five = weights_of(make_stencil("j2d5pt", 1, 2));
  const std::map<Offset, double> published5 = {
      {{0, -1, 0}, 5.1}, {{-1, 0, 0}, 12.1}, {{0, 0, 0}, 15}, {{1, 0, 0}, 12.2}, {{0, 1, 0}, 5.2}};
  for (const auto& [offset, weight] : published5) EXPECT_NEAR(five.at(offset) * 49.6, weight, 1e-13);
  const auto seven = weights_of(make_stencil("j3d7pt", 1));
  EXPECT_NEAR(seven.at({0, 0, 0}) / seven.at({1, 0, 0}), -1.67 / 0.161, 1e-13);
  EXPECT_NEAR(seven.at({0, 0, -1}) / seven.at({0, 1, 0}), 0.166 / 0.163, 1e-13);
  const auto thirteen = weights_of(make_stencil("j3d13pt", 2));
  EXPECT_NEAR(thirteen.at({0, 0, 0}), -0.5, 1e-15);
  EXPECT_NEAR(thirteen.at({0, -2, 0}), 1.0 / 24, 1e-15);
  const auto box = weights_of(make_stencil("j3d27pt", 1));
  EXPECT_NEAR(box.at({-1, -1, -1}) / box.at({1, 1, 1}), 0.500 / 0.521, 1e-13);
  EXPECT_NEAR(box.at({1, 0, 0}) / box.at({0, -1, 1}), 1.211 / 0.720, 1e-13);
}

// The solution of Laplace's equation stays as it is: polynomials up to the third degree without curvature.
TEST(StencilShapes, PoissonKeepsWhatIsHarmonic) {
  const Stencil stencil = make_stencil("poisson", 1);
  const auto change = [&](auto polynomial) {
    const double x = 0.3, y = -0.7, z = 1.1;
    double sum = 0;
    for (const StencilPoint& point : stencil.points)
      sum += point.weight * polynomial(x + point.dx, y + point.dy, z + point.dz);
    return sum - polynomial(x, y, z);
  };
  EXPECT_NEAR(change([](double x, double y, double z) { return x * x + y * y - 2 * z * z; }), 0, 1e-14);
  EXPECT_NEAR(change([](double x, double y, double z) { return x * y * z + x * x * x - 3 * x * z * z; }), 0,
              1e-14);
  // Half of the way: 6 h^2 / 24 / 2 times the Laplacian, 2 here.
  EXPECT_NEAR(change([](double x, double, double) { return x * x; }), 2.0 / 8, 1e-14);
}

TEST(StencilShapes, RefuseWhatDoesNotGoTogether) {
  EXPECT_THROW(make_stencil("star", 0), std::invalid_argument);
  EXPECT_THROW(make_stencil("box", max_radius + 1), std::invalid_argument);
  EXPECT_THROW(make_stencil("star", 1, 1), std::invalid_argument);
  EXPECT_THROW(make_stencil("star", 1, 4), std::invalid_argument);
  EXPECT_THROW(make_stencil("j2d5pt", 1, 3), std::invalid_argument);
  EXPECT_THROW(make_stencil("j2d9pt", 1, 2), std::invalid_argument);
  EXPECT_THROW(make_stencil("j3d7pt", 1, 2), std::invalid_argument);
  EXPECT_THROW(make_stencil("j3d13pt", 1), std::invalid_argument);
  EXPECT_THROW(make_stencil("poisson", 2), std::invalid_argument);
  EXPECT_THROW(make_stencil("cross", 1), std::invalid_argument);
  EXPECT_EQ(make_stencil("box", max_radius, 2).points.size(), 65U * 65);
  EXPECT_EQ(make_stencil("star", max_radius).points.size(), 6U * 32 + 1);
}

}  // namespace
}  // namespace tune::kernels
