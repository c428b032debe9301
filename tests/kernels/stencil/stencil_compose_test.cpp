// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernels/stencil/model/shapes.hpp"
#include "kernels/stencil/model/stencil.hpp"
#include "search/random.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

/// A cube of cells (a square in two dimensions). What a stencil cannot compute for want of neighbours is NaN.
class Cells {
 public:
  Cells(int dimensions, int extent) : extent_(extent), depth_(dimensions == 3 ? extent : 1) {
    values_.resize(static_cast<std::size_t>(extent_ * extent_ * depth_));
  }

  void fill(search::Random& random) {
    for (double& value : values_) value = 2 * random.uniform() - 1;
  }

  double at(int x, int y, int z) const {
    if (x < 0 || y < 0 || z < 0 || x >= extent_ || y >= extent_ || z >= depth_)
      return std::numeric_limits<double>::quiet_NaN();
    return values_[index(x, y, z)];
  }

  Cells applied(const Stencil& stencil) const {
    Cells result = *this;
    for (int z = 0; z < depth_; ++z)
      for (int y = 0; y < extent_; ++y)
        for (int x = 0; x < extent_; ++x) {
          double sum = 0;
          for (const StencilPoint& point : stencil.points)
            sum += point.weight * at(x + point.dx, y + point.dy, z + point.dz);
          result.values_[index(x, y, z)] = sum;
        }
    return result;
  }

  /// Cells that have a value in both, and the largest difference among them.
  std::pair<int, double> compared(const Cells& other) const {
    int count = 0;
    double largest = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      EXPECT_EQ(std::isnan(values_[i]), std::isnan(other.values_[i]));
      if (std::isnan(values_[i])) continue;
      ++count;
      largest = std::max(largest, std::abs(values_[i] - other.values_[i]));
    }
    return {count, largest};
  }

 private:
  std::size_t index(int x, int y, int z) const {
    return static_cast<std::size_t>((z * extent_ + y) * extent_ + x);
  }

  int extent_, depth_;
  std::vector<double> values_;
};

void expect_composed(const Stencil& stencil, int steps, search::Random& random) {
  const Stencil composition = composed(stencil, steps);
  EXPECT_EQ(composition, normalized(composition));
  EXPECT_EQ(composition.dimensions, stencil.dimensions);
  for (std::size_t axis = 0; axis < 3; ++axis)
    EXPECT_EQ(composition.radii()[axis], steps * stencil.radii()[axis]);
  Cells cells(stencil.dimensions, 2 * stencil.radius() * steps + 3);
  cells.fill(random);
  Cells stepped = cells;
  for (int step = 0; step < steps; ++step) stepped = stepped.applied(stencil);
  const auto [count, difference] = stepped.compared(cells.applied(composition));
  EXPECT_GE(count, stencil.dimensions == 3 ? 27 : 9);
  EXPECT_LT(difference, 1e-14);
}

TEST(ComposedStencil, EqualsItsSteps) {
  search::Random random(1);
  for (const StencilShape& shape : stencil_shapes())
    for (const int dimensions : {2, 3}) {
      if (!(dimensions == 2 ? shape.in_2d : shape.in_3d)) continue;
      const int radius = shape.radius == 0 ? 1 : shape.radius;
      for (int steps = 1; steps <= (dimensions == 2 ? 5 : 3); ++steps) {
        SCOPED_TRACE(format("{} {}-D {} steps", shape.name, dimensions, steps));
        expect_composed(make_stencil(shape.name, radius, dimensions), steps, random);
      }
    }
  expect_composed(make_stencil("star", 3, 2), 4, random);
  expect_composed(make_stencil("box", 2, 3), 2, random);
}

TEST(ComposedStencil, EqualsItsStepsForRandomPoints) {
  search::Random random(2);
  for (int trial = 0; trial < 60; ++trial) {
    Stencil stencil{trial % 2 == 0 ? 2 : 3, {}};
    const auto offset = [&] { return static_cast<int>(random.below(4)) - 1; };  // -1 to 2: one-sided
    const std::uint64_t count = 1 + random.below(6);
    for (std::uint64_t i = 0; i < count; ++i)
      stencil.points.push_back(
          {offset(), offset(), stencil.dimensions == 3 ? offset() : 0, random.uniform() / 6});
    SCOPED_TRACE(trial);
    expect_composed(stencil, 1 + static_cast<int>(random.below(3)), random);
  }
}

TEST(ComposedStencil, HasTheWeightsOfAPower) {
  const Stencil stencil{2, {{0, 0, 0, 1}, {1, 0, 0, 1}}};
  const Stencil expected{2, {{0, 0, 0, 1}, {1, 0, 0, 4}, {2, 0, 0, 6}, {3, 0, 0, 4}, {4, 0, 0, 1}}};
  EXPECT_EQ(composed(stencil, 4), expected);
}

TEST(ComposedStencil, KeepsPointsWhoseWeightsCancel) {
  const Stencil stencil{3, {{-1, 0, 0, 1}, {0, 0, 0, 0}, {1, 0, 0, -1}}};
  const Stencil expected{3, {{-2, 0, 0, 1}, {-1, 0, 0, 0}, {0, 0, 0, -2}, {1, 0, 0, 0}, {2, 0, 0, 1}}};
  EXPECT_EQ(composed(stencil, 2), expected);
}

TEST(ComposedStencil, OfOneStepIsTheNormalizedStencil) {
  const Stencil stencil{3, {{1, 0, 0, 2}, {0, 0, 0, 1}, {1, 0, 0, 3}}};
  EXPECT_EQ(composed(stencil, 1), normalized(stencil));
}

TEST(ComposedStencil, RefusesWhatIsTooLargeOrNothing) {
  EXPECT_THROW(composed(make_stencil("star", 1), 0), std::invalid_argument);
  EXPECT_THROW(composed(make_stencil("star", 1), -3), std::invalid_argument);
  EXPECT_THROW(composed(make_stencil("star", 32), 9), std::invalid_argument);
  EXPECT_THROW(composed(make_stencil("star", 1), std::numeric_limits<int>::max()), std::invalid_argument);
  EXPECT_TRUE(composed(Stencil{3, {}}, 3).points.empty());
}

TEST(NormalizedStencil, IsSortedWithEveryOffsetOnce) {
  const Stencil stencil{
      3, {{1, 0, 0, 0.5}, {0, 0, 1, 1}, {0, 1, 0, 2}, {1, 0, 0, 0.25}, {0, 0, -1, 4}, {-1, 0, 0, 0}}};
  const Stencil expected{3, {{0, 0, -1, 4}, {-1, 0, 0, 0}, {1, 0, 0, 0.75}, {0, 1, 0, 2}, {0, 0, 1, 1}}};
  EXPECT_EQ(normalized(stencil), expected);
}

TEST(StencilExtent, IsTheLargestOffset) {
  const Stencil stencil{3, {{-3, 0, 0, 1}, {2, 1, 0, 1}, {0, 0, 2, 1}}};
  EXPECT_EQ(stencil.radii(), (std::array<int, 3>{3, 1, 2}));
  EXPECT_EQ(stencil.radius(), 3);
  EXPECT_FALSE(stencil.star());
  EXPECT_TRUE((Stencil{3, {{-3, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 0, 1}}}).star());
  EXPECT_EQ((Stencil{2, {}}).radius(), 0);
  EXPECT_EQ(absolute_weight({3, {{0, 0, 0, -1.5}, {1, 0, 0, 0.5}}}), 2);
}

}  // namespace
}  // namespace tune::kernels
