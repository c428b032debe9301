// SPDX-License-Identifier: Apache-2.0
// The bounds of values over many steps, held against what stencils do.
#include "kernels/stencil/reference/growth.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/stencil/model/shapes.hpp"
#include "kernels/stencil/reference/reference.hpp"
#include "search/random.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

/// A step of heat conduction with second derivatives of eighth order.
Stencil heat8(double a) {
  const double c[] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  Stencil stencil{3, {{0, 0, 0, 1 + 3 * a * c[0]}}};
  for (int i = 1; i <= 4; ++i)
    for (const int k : {-i, i}) {
      stencil.points.push_back({k, 0, 0, a * c[i]});
      stencil.points.push_back({0, k, 0, a * c[i]});
      stencil.points.push_back({0, 0, k, a * c[i]});
    }
  return normalized(std::move(stencil));
}

/// Weights of both signs and no symmetry, scaled to this largest factor.
Stencil any_stencil(search::Random& random, double largest) {
  Stencil stencil{3, {}};
  for (int i = 0; i < 9; ++i) {
    const auto offset = [&] { return static_cast<int>(random.below(5)) - 2; };
    stencil.points.push_back({offset(), offset(), offset(), 2 * random.uniform() - 1});
  }
  stencil = normalized(std::move(stencil));
  const double factor = wave_factors(stencil).largest;
  for (StencilPoint& point : stencil.points) point.weight *= largest / factor;
  return stencil;
}

std::vector<Stencil> varied_stencils() {
  std::vector<Stencil> stencils = {heat8(0.05),
                                   make_stencil("star", 1),
                                   make_stencil("box", 1),
                                   make_stencil("flux", 2),
                                   make_stencil("j3d7pt", 1),
                                   make_stencil("j3d13pt", 2),
                                   // transport: away from one face, towards the other
                                   {3, {{-1, 0, 0, 0.5}, {0, 0, 0, 0.5}}},
                                   {3, {{-2, 0, 0, -0.125}, {-1, 0, 0, 0.75}, {0, 0, 0, 0.375}}}};
  search::Random random(3);
  for (const double largest : {0.9, 1.0, 1.0, 1.1}) stencils.push_back(any_stencil(random, largest));
  return stencils;
}

TEST(StencilGrowth, LargestFactorIsThatOfTheWorstWave) {
  EXPECT_NEAR(wave_factors(heat8(0.05)).largest, 1, 1e-8);
  EXPECT_NEAR(wave_factors(make_stencil("flux", 3)).largest, 1, 1e-8);
  // 1 + a * 3 * (c0 - 2 c1 + 2 c2 - 2 c3 + 2 c4) at the shortest waves, beyond -1.
  const double shortest = 1 - 0.2 * 3 * (205.0 / 72 + 2 * (8.0 / 5 + 1.0 / 5 + 8.0 / 315 + 1.0 / 560));
  EXPECT_NEAR(wave_factors(heat8(0.2)).largest, -shortest, 1e-8);
  EXPECT_NEAR(wave_factors(make_stencil("box", 2)).largest, 1, 1e-13);
}

// Sums of squares of the composed weights; the grid of waves is finer than so few steps need.
TEST(StencilGrowth, SharesAreTheNormsOfComposedWeights) {
  for (const Stencil& stencil : varied_stencils())
    for (const int steps : {1, 2, 4}) {
      double squares = 0;
      for (const StencilPoint& point : composed(stencil, steps).points)
        squares += point.weight * point.weight;
      const WaveFactors& factors = wave_factors(stencil);
      const double norm = std::pow(factors.largest, steps) *
                          factors.share[static_cast<std::size_t>(std::bit_width(unsigned(steps)) - 1)];
      EXPECT_NEAR(std::sqrt(squares), norm, 1e-6 * norm) << steps;
    }
}

double largest_of(const HostTensor& tensor) {
  double largest = 0;
  for (const double value : tensor.as<double>()) largest = std::max(largest, std::abs(value));
  return largest;
}

TEST(StencilGrowth, ValuesStayBelowTheirBound) {
  int number = 0;
  for (const Stencil& stencil : varied_stencils()) {
    ++number;
    for (const Boundary boundary : {Boundary::fixed, Boundary::zero})
      for (const std::int64_t steps : {1, 2, 3, 7, 16, 60, 200}) {
        StencilJob job{.nx = 23,
                       .ny = 17,
                       .nz = 14,
                       .type = ElementType::f64,
                       .stencil = stencil,
                       .boundary = boundary,
                       .steps = steps};
        const double value = largest_of(stencil_reference(job, stencil_input(job, 1)));
        EXPECT_LE(value, Growth(job).value_after(steps) * (1 + 1e-12))
            << number << " " << (boundary == Boundary::zero ? "zero " : "held ") << steps;
      }
  }
}

// Transport along x and the slowest axis, in both directions, with weights of one sign and of both.
std::vector<Stencil> transports() {
  return {{3, {{0, 0, 0, 0.5}, {0, 0, -1, 0.5}}},
          {3, {{0, 0, 0, 0.3}, {0, 0, 1, 0.6}, {1, 0, 0, 0.1}}},
          {3, {{0, 0, 0, 0.375}, {0, 0, -1, 0.75}, {0, 0, -2, -0.125}}}};
}

/// The same job with x in the place of y, y in that of z and z in that of x.
StencilJob turned(StencilJob job) {
  job = {.nx = job.nz,
         .ny = job.nx,
         .nz = job.ny,
         .type = job.type,
         .stencil = job.stencil,
         .boundary = job.boundary,
         .steps = job.steps};
  for (StencilPoint& point : job.stencil.points) point = {point.dz, point.dx, point.dy, point.weight};
  job.stencil = normalized(std::move(job.stencil));
  return job;
}

/// The largest |value| at each place along an axis.
std::vector<double> largest_along(const HostTensor& tensor, std::size_t axis) {
  std::vector<double> largest(tensor.extents()[axis]);
  for (std::uint64_t i = 0; i < tensor.size(); ++i) {
    std::uint64_t place = i;
    for (std::size_t faster = 0; faster < axis; ++faster) place /= tensor.extents()[faster];
    double& there = largest[place % largest.size()];
    there = std::max(there, std::abs(tensor.as<double>()[i]));
  }
  return largest;
}

TEST(StencilGrowth, PlacesStayBelowTheirBounds) {
  int several = 0;
  for (const Stencil& stencil : transports())
    for (const ElementType type : {ElementType::f32, ElementType::f64})
      for (const std::int64_t steps : {7, 16, 60, 140}) {
        StencilJob job{.nx = 9,
                       .ny = 8,
                       .nz = 21,
                       .type = type,
                       .stencil = stencil,
                       .boundary = Boundary::zero,
                       .steps = steps};
        for (const std::size_t moved : {2, 0, 1}) {
          SCOPED_TRACE(format("along axis {} after {} steps", moved, steps));
          const std::vector<std::vector<double>> bounds = values_along_axes(job);
          ASSERT_EQ(bounds.size(), 3U);
          ASSERT_EQ(bounds[moved].size(), 21U);
          int limited = 0;
          const HostTensor values = stencil_reference(job, stencil_input(job, 1));
          for (std::size_t axis = 0; axis < 3; ++axis) {
            if (bounds[axis].empty()) continue;
            ++limited;
            const std::vector<double> largest = largest_along(values, axis);
            ASSERT_EQ(bounds[axis].size(), largest.size());
            for (std::size_t place = 0; place < largest.size(); ++place)
              EXPECT_LE(largest[place], bounds[axis][place] * (1 + 1e-12)) << axis << ": " << place;
            EXPECT_GE(std::ranges::min(bounds[axis]), type == ElementType::f32 ? 0x1p-125 : 0x1p-1021);
          }
          several += limited > 1 ? 1 : 0;
          StencilJob held = job;
          held.boundary = Boundary::fixed;
          EXPECT_TRUE(values_along_axes(held).empty());
          job = turned(job);
        }
      }
  EXPECT_EQ(several, 2 * 2 * 3) << "0.9^60 is left along a second axis";
  const StencilJob still{.nx = 9, .ny = 9, .nz = 9, .stencil = heat8(0.05), .boundary = Boundary::zero};
  for (const std::vector<double>& values : values_along_axes(still)) EXPECT_TRUE(values.empty());
}

TEST(StencilGrowth, StepsThatLeaveTheRangeAreForetold) {
  StencilJob job{.nx = 9, .ny = 9, .nz = 9, .stencil = heat8(1), .boundary = Boundary::zero, .steps = 20};
  EXPECT_EQ(leaves_range(job), "");
  job.steps = 100;
  EXPECT_NE(leaves_range(job).find("beyond the largest float"), std::string::npos) << leaves_range(job);
  job.type = ElementType::f64;
  EXPECT_EQ(leaves_range(job), "");
  job.steps = 1000;
  EXPECT_NE(leaves_range(job).find("beyond the largest double"), std::string::npos);
  job.stencil = {3, {{0, 0, 0, 0.25}, {1, 0, 0, 0.25}}};
  EXPECT_EQ(leaves_range(job), "");
  job.steps = 1100;
  EXPECT_NE(leaves_range(job).find("below the smallest double"), std::string::npos);
  job.boundary = Boundary::fixed;
  EXPECT_EQ(leaves_range(job), "");
}

}  // namespace
}  // namespace tune::kernels
