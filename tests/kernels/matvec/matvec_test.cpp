// SPDX-License-Identifier: Apache-2.0
// matvec: formula, tolerance and rules.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/matvec/model/job.hpp"
#include "kernels/matvec/model/reference.hpp"
#include "kernels/matvec/model/variant.hpp"
#include "kernels/registry.hpp"
#include "search/random.hpp"
#include "search/space/search_space.hpp"
#include "tests/kernels/common/devices.hpp"
#include "tuner/base/format.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels {
namespace {

Instance sized_instance(const std::string& size, const std::string& op, const std::string& type) {
  const std::vector<std::pair<std::string, Value>> settings = {{"op", op}, {"type", type}};
  return make_instance(make_matvec()->info(), size, settings);
}

template<class Real>
struct Data {
  std::vector<Real> a, x, y;
  std::size_t rows, columns;

  Data(const MatvecJob& job, const TensorSet& inputs)
      : rows(static_cast<std::size_t>(job.rows)), columns(static_cast<std::size_t>(job.columns)) {
    const auto copy = [&](const char* name, std::vector<Real>& to) {
      if (const auto found = inputs.find(name); found != inputs.end()) {
        const auto from = found->second.template as<Real>();
        to.assign(from.begin(), from.end());
      }
    };
    copy("a", a);
    copy("x", x);
    copy("y", y);
  }
};

/// The formula, element by element.
template<class Real>
void expect_formula(const std::string& size, const std::string& op) {
  SCOPED_TRACE(size + " " + op);
  const MatvecJob job = matvec_job(sized_instance(size, op, sizeof(Real) == 8 ? "double" : "float"));
  const TensorSet inputs = matvec_inputs(job, 3), reference = matvec_reference(job, inputs);
  const Data<Real> data(job, inputs);
  std::vector<long double> y(data.rows), z(data.columns);
  for (std::size_t i = 0; i < data.rows; ++i) {
    if (op == "t") {
      y[i] = data.y[i];
      continue;
    }
    for (std::size_t j = 0; j < data.columns; ++j)
      y[i] += static_cast<long double>(data.a[i * data.columns + j]) * data.x[j];
    EXPECT_NEAR(reference.at("y").as<double>()[i], static_cast<double>(y[i]), 1e-12);
  }
  EXPECT_EQ(reference.contains("y"), op != "t");
  EXPECT_EQ(reference.contains("z"), op != "n");
  if (op == "n") return;
  for (std::size_t j = 0; j < data.columns; ++j) {
    for (std::size_t i = 0; i < data.rows; ++i)
      z[j] += static_cast<long double>(data.a[i * data.columns + j]) * y[i];
    EXPECT_NEAR(reference.at("z").as<double>()[j], static_cast<double>(z[j]), 1e-11);
  }
}

TEST(Matvec, ReferenceIsTheFormula) {
  for (const char* size : {"1x1", "3x1", "1x5", "17x9", "130x77", "9x1031"})
    for (const char* op : {"n", "t", "ata"}) {
      expect_formula<float>(size, op);
      expect_formula<double>(size, op);
    }
}

TEST(Matvec, WorkReadsTheMatrixOnce) {
  const auto problem = make_matvec();
  const ProblemCost both = problem->cost(sized_instance("100x50", "ata", "float"));
  EXPECT_EQ(both.items, 10000);
  EXPECT_EQ(both.flops, 20000);
  EXPECT_EQ(both.bytes, 4 * (5000 + 100 + 50 + 50));
  const ProblemCost one = problem->cost(sized_instance("100x50", "t", "double"));
  EXPECT_EQ(one.items, 5000);
  EXPECT_EQ(one.bytes, 8 * (5000 + 100 + 50));
}

/// Sums in float, one element after another: the longest chains that there are. `skipped`: a row or column
/// whose elements are left out of all sums but one in 7.
struct Chains {
  std::vector<float> y, z;
};
Chains chains_of(const MatvecJob& job, const TensorSet& inputs, std::size_t skipped_column,
                 std::size_t skipped_row) {
  const Data<float> data(job, inputs);
  Chains out{std::vector<float>(data.rows), std::vector<float>(data.columns)};
  for (std::size_t i = 0; i < data.rows; ++i)
    for (std::size_t j = 0; j < data.columns; ++j)
      if (j != skipped_column) out.y[i] += data.a[i * data.columns + j] * data.x[j];
  for (std::size_t i = 0; i < data.rows; ++i)
    for (std::size_t j = 0; j < data.columns; ++j)
      if (i != skipped_row) out.z[j] += data.a[i * data.columns + j] * out.y[i];
  return out;
}

double largest_error(const std::vector<float>& sums, const HostTensor& reference) {
  double max = 0;
  for (std::size_t i = 0; i < sums.size(); ++i)
    max = std::max(max, std::abs(static_cast<double>(sums[i]) - reference.as<double>()[i]));
  return max;
}

TEST(Matvec, ToleranceHoldsForTheLongestChainsAndMissesNoTerm) {
  constexpr std::size_t none = ~std::size_t{0};
  for (const char* size : {"1x1", "40x3000", "3000x40", "2x60000", "700x900", "1x7", "60000x2"}) {
    SCOPED_TRACE(size);
    const MatvecJob job = matvec_job(sized_instance(size, "ata", "float"));
    const TensorSet inputs = matvec_inputs(job, 1), reference = matvec_reference(job, inputs);
    const Tolerance tolerance = matvec_tolerance(job);
    const Chains right = chains_of(job, inputs, none, none);
    EXPECT_LE(largest_error(right.y, reference.at("y")), tolerance.of("y").absolute);
    EXPECT_LE(largest_error(right.z, reference.at("z")), tolerance.of("z").absolute);
    const auto rows = static_cast<std::size_t>(job.rows), columns = static_cast<std::size_t>(job.columns);
    if (rows > 50 * columns * columns) continue;  // reference.cpp says why
    for (const std::size_t share : {0, 3, 6}) {
      const Chains column = chains_of(job, inputs, (columns - 1) * share / 6, none);
      EXPECT_GT(largest_error(column.y, reference.at("y")), tolerance.of("y").absolute) << share;
      const Chains row = chains_of(job, inputs, none, (rows - 1) * share / 6);
      EXPECT_GT(largest_error(row.z, reference.at("z")), tolerance.of("z").absolute) << share;
    }
  }
}

const char* const sizes[] = {"1x1",          "5x3",          "1x100000",   "100000x1",   "1000x1001",
                             "1024x1024",    "3584x3584",    "7168x7168",  "10007x5003", "16384x16384",
                             "262144x1024",  "1024x262144",  "32x1048576", "1048576x32", "14336x14336",
                             "2x2147000000", "2147000000x2", "4093x100003"};

// Every size has configurations of several variants, and what they say of blocks and memory fits the device.
TEST(Matvec, SpacesAreValidAtAllSizes) {
  const auto problem = make_matvec();
  const EmbeddedSources sources;
  const DeviceProperties device = h100();
  int number = 0;
  for (const char* size : sizes)
    for (const char* op : {"n", "t", "ata"})
      for (const char* type : {"float", "double"}) {
        // A third of them: each size and each op with each type.
        if (number++ % 3 != 0) continue;
        const Instance instance = sized_instance(size, op, type);
        SCOPED_TRACE(instance.key());
        const search::SearchSpace space(problem->space(instance, device));
        ASSERT_GT(space.size(), 0U);
        search::Random random(5);
        for (int i = 0; i < 25; ++i) {
          const Configuration configuration = space.at(space.sample(random));
          SCOPED_TRACE(configuration.to_string());
          const Result<LaunchPlan> plan = problem->plan(instance, configuration, sources);
          ASSERT_TRUE(plan) << plan.error().detail;
          for (const Launch* launch : kernel_launches(*plan)) {
            EXPECT_LE(launch->block.count(), 1024U);
            EXPECT_LE(launch->dynamic_shared_memory,
                      static_cast<std::uint64_t>(device.shared_memory_per_block_optin));
            if (launch->cooperative) {
              EXPECT_LE(launch->grid.count(),
                        132U * static_cast<std::uint64_t>(configuration["min_blocks"].as_int()));
            }
          }
          const bool whole = configuration["variant"].as_text() == "fused";
          if (whole) {
            EXPECT_EQ(MatvecShape(matvec_job(instance), configuration).slices, 1);
          }
        }
      }
}

TEST(Matvec, WideAndTallMatricesHaveTheVariantsThatReadOnce) {
  const auto problem = make_matvec();
  const auto has = [&](const char* size, const char* variant) {
    search::SpaceDefinition definition = problem->space(sized_instance(size, "ata", "float"), h100());
    definition.constraints.push_back({search::var("variant") == variant, "chosen"});
    return search::SearchSpace(definition).size() > 0;
  };
  for (const char* size : {"16384x16384", "262144x1024", "1048576x32", "1024x1024", "10007x5003"})
    EXPECT_TRUE(has(size, "fused")) << size;
  for (const char* size : {"1024x262144", "32x1048576", "16384x16384"})
    EXPECT_TRUE(has(size, "sliced")) << size;
  EXPECT_FALSE(has("1024x262144", "fused"));
}

// Small sizes reach several batches, a last one that is not full, several tiles, and are valid.
TEST(Matvec, CheckSizesReachAllPaths) {
  const auto problem = make_matvec();
  const EmbeddedSources sources;
  for (const char* size : {"16384x16384", "1024x262144", "262144x1024", "1000x1001"}) {
    const Instance instance = sized_instance(size, "ata", "float");
    const search::SearchSpace space(problem->space(instance, h100()));
    search::Random random(2);
    for (int i = 0; i < 200; ++i) {
      const Configuration configuration = space.at(space.sample(random));
      SCOPED_TRACE(configuration.to_string());
      bool batches = false, tiles = configuration["variant"].as_text() == "fused", odd = false;
      for (const Instance& check : problem->check_instances(instance, configuration)) {
        const MatvecJob job = matvec_job(check);
        const MatvecShape shape(job, configuration);
        EXPECT_TRUE(problem->plan(check, configuration, sources));
        EXPECT_LE(job.elements(), 1 << 20);
        batches = batches || (std::min(job.rows, shape.row_block) > shape.batch);
        batches = batches || shape.row_block == shape.batch;
        tiles = tiles || shape.slices > 1;
        odd = odd || job.columns % shape.tile != 0;
      }
      EXPECT_TRUE(batches);
      EXPECT_TRUE(tiles);
      EXPECT_TRUE(odd);
    }
  }
}

}  // namespace
}  // namespace tune::kernels
