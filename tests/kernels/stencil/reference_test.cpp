// SPDX-License-Identifier: Apache-2.0
// The reference against a second implementation that shares nothing with it but the list of points: a time
// step is the product with a sparse matrix.
#include "kernels/stencil/reference/reference.hpp"

#include <gtest/gtest.h>

#include <Eigen/SparseCore>
#include <cmath>

#include "kernels/stencil/problem.hpp"
#include "search/random.hpp"
#include "tests/kernels/stencil/stencil_cases.hpp"

namespace tune::kernels {
namespace {

using testing::StencilCase;

using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

bool beyond(std::int64_t i, std::int64_t extent, int distance) {
  return i < distance || i + distance >= extent;
}

/// A row for each cell: the weights of the points that exist, or the identity for held cells.
Matrix matrix_of(const StencilJob& job) {
  const auto number = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<int>(x + job.nx * y + job.nx * job.ny * z);
  };
  const auto [rx, ry, rz] = job.stencil.radii();
  std::vector<Eigen::Triplet<double>> entries;
  for (int z = 0; z < job.nz; ++z)
    for (int y = 0; y < job.ny; ++y)
      for (int x = 0; x < job.nx; ++x) {
        const int row = number(x, y, z);
        const bool lacks = beyond(x, job.nx, rx) || beyond(y, job.ny, ry) || beyond(z, job.nz, rz);
        if (lacks && job.boundary == Boundary::fixed) {
          entries.emplace_back(row, row, 1.0);
          continue;
        }
        for (const StencilPoint& point : job.stencil.points) {
          const int px = x + point.dx, py = y + point.dy, pz = z + point.dz;
          if (!beyond(px, job.nx, 0) && !beyond(py, job.ny, 0) && !beyond(pz, job.nz, 0))
            entries.emplace_back(row, number(px, py, pz), point.weight);
        }
      }
  const int cells = number(0, 0, job.nz);
  Matrix matrix(cells, cells);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

Eigen::VectorXd vector_of(const HostTensor& tensor) {
  Eigen::VectorXd vector(static_cast<Eigen::Index>(tensor.size()));
  for (Eigen::Index i = 0; i < vector.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    vector[i] = tensor.type() == ElementType::f64 ? tensor.as<double>()[at]
                                                  : static_cast<double>(tensor.as<float>()[at]);
  }
  return vector;
}

void expect_equal(const StencilCase& stencil, std::int64_t nx, std::int64_t ny, std::int64_t nz,
                  std::uint64_t seed) {
  const Instance instance = testing::stencil_instance(stencil, nx, ny, nz);
  SCOPED_TRACE(instance.key());
  const StencilJob job = stencil_job(instance);
  const HostTensor input = stencil_input(job, seed);
  const HostTensor output = stencil_reference(job, input);
  ASSERT_EQ(output.type(), ElementType::f64);
  ASSERT_EQ(output.extents(), job.extents());
  const Matrix matrix = matrix_of(job);
  Eigen::VectorXd expected = vector_of(input);
  for (std::int64_t step = 0; step < job.steps; ++step) expected = matrix * expected;
  // Both sum at most 4913 terms a step in double precision, in another order.
  ASSERT_LT((vector_of(output) - expected).cwiseAbs().maxCoeff(),
            4913 * 0x1.0p-52 * static_cast<double>(job.steps));
}

TEST(StencilReference, EqualsAMatrixAtOddSizes) {
  for (const StencilCase& stencil : testing::all_cases()) {
    const std::int64_t r = stencil.radius;
    expect_equal(stencil, 2 * r + 5, 2 * r + 3, 2 * r + 2, 1);
    expect_equal(stencil, 2 * r + 1, 2 * r + 1, 2 * r + 1, 2);   // a single inner cell
    expect_equal(stencil, 2 * r + 19, 2 * r + 1, 2 * r + 1, 3);  // the 16 cells at a time, and a rest
    expect_equal(stencil, 2 * r + 1, 2 * r + 1, 2 * r + 4, 4);
    if (HasFatalFailure()) return;
  }
}

TEST(StencilReference, KeepsBoundaryCells) {
  for (const StencilCase& stencil : testing::all_cases()) {
    const std::int64_t r = stencil.radius;
    const std::int64_t sizes[][3] = {{1, 1, 1},
                                     {5, 3, 2},
                                     {2 * r, 2 * r, 2 * r},
                                     {2 * r, 2 * r + 3, 2 * r + 3},
                                     {2 * r + 3, 2 * r, 2 * r + 3},
                                     {2 * r + 3, 2 * r + 3, 2 * r},
                                     {r, 1, 2 * r + 1},
                                     {67, 1, 1}};
    for (const auto& [nx, ny, nz] : sizes) {
      const StencilJob job = stencil_job(testing::stencil_instance(stencil, nx, ny, nz));
      const HostTensor input = stencil_input(job, 5);
      const HostTensor output = stencil_reference(job, input);
      const bool inner = nx > 2 * r && ny > 2 * r && nz > 2 * r;
      EXPECT_TRUE(inner || vector_of(output) == vector_of(input)) << stencil.name() << nx << ny << nz;
      expect_equal(stencil, nx, ny, nz, 5);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(StencilReference, EqualsAMatrixAtRandomSizes) {
  search::Random random(2024);
  const auto cases = testing::all_cases();
  for (int trial = 0; trial < 150; ++trial) {
    const StencilCase& stencil = cases[random.below(cases.size())];
    // A large box has thousands of entries a row: fewer inner cells there.
    const std::uint64_t max = stencil.shape == "box" && stencil.radius > 3 ? 6 : 22;
    const auto extent = [&] {
      return static_cast<std::int64_t>(1 +
                                       random.below(2 * static_cast<std::uint64_t>(stencil.radius) + max));
    };
    const std::int64_t nx = extent(), ny = extent(), nz = extent();
    expect_equal(stencil, nx, ny, nz, random.below(1000));
    if (HasFatalFailure()) return;
  }
}

// Every built-in shape, both boundaries, several steps; arrays that are smaller than the stencil among them.
TEST(StencilReference, EqualsPowersOfAMatrix) {
  search::Random random(7);
  for (testing::StencilCase stencil : testing::with_every_type_and_boundary(testing::varied_cases(), 1))
    for (const std::int64_t steps : {1, 2, 5}) {
      stencil.steps = steps;
      const auto r = static_cast<std::uint64_t>(stencil.radius);
      const auto extent = [&] { return static_cast<std::int64_t>(1 + random.below(4 * r + 5)); };
      const std::int64_t nx = extent(), ny = extent(), nz = extent();
      expect_equal(stencil, nx, ny, nz, random.below(1000));
      if (HasFatalFailure()) return;
    }
}

// Zeros beyond the array: one cell is multiplied by the weight of its own point.
TEST(StencilReference, MultipliesALoneCellByItsOwnWeight) {
  for (const StencilCase& stencil : testing::varied_cases()) {
    const StencilJob job = stencil_job(testing::stencil_instance(stencil, 1, 1, 1));
    const HostTensor input = stencil_input(job, 3);
    double own = 0;
    for (const StencilPoint& point : job.stencil.points)
      if (point.dx == 0 && point.dy == 0 && point.dz == 0) own = point.weight;
    const bool held = job.boundary == Boundary::fixed;
    const double factor = held ? 1 : std::pow(own, static_cast<double>(job.steps));
    EXPECT_NEAR(vector_of(stencil_reference(job, input))[0], factor * vector_of(input)[0], 1e-15)
        << stencil.name();
  }
}

// Parts of the work go to several threads only from some rows on.
TEST(StencilReference, EqualsAMatrixOverManyRows) {
  expect_equal({"float", "star", 2}, 23, 67, 61, 6);
  expect_equal({"double", "box", 1}, 37, 41, 53, 7);
}

TEST(StencilInput, IsTheSameForTheSameSeed) {
  const StencilJob job = stencil_job(testing::stencil_instance({"float", "star", 1}, 131, 71, 53));
  const Eigen::VectorXd one = vector_of(stencil_input(job, 1));
  EXPECT_EQ(one, vector_of(stencil_input(job, 1)));
  EXPECT_NE(one, vector_of(stencil_input(job, 2)));
}

TEST(StencilInput, SpreadsOverMinusOneToOne) {
  for (const char* type : {"float", "double"}) {
    const StencilJob job = stencil_job(testing::stencil_instance({type, "star", 1}, 131, 71, 53));
    const Eigen::VectorXd values = vector_of(stencil_input(job, 3));
    EXPECT_GE(values.minCoeff(), -1);
    EXPECT_LT(values.maxCoeff(), 1);
    const double deviation = std::sqrt(1.0 / 3 / static_cast<double>(values.size()));
    EXPECT_NEAR(values.mean(), 0, 5 * deviation);
    EXPECT_NEAR(values.squaredNorm() / static_cast<double>(values.size()), 1.0 / 3, 0.005);
    // Neighbours along no axis are alike: else a shifted stencil would pass.
    for (const Eigen::Index shift : {1, 131, 131 * 71}) {
      const Eigen::Index pairs = values.size() - shift;
      const double correlation = values.head(pairs).dot(values.tail(pairs)) / static_cast<double>(pairs) * 3;
      EXPECT_NEAR(correlation, 0, 5 / std::sqrt(static_cast<double>(pairs))) << shift;
    }
  }
}

}  // namespace
}  // namespace tune::kernels
