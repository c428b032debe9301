// SPDX-License-Identifier: Apache-2.0
// grid_knn: inputs, the reference against all pairs, spaces and plans.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/grid_knn/model/job.hpp"
#include "kernels/grid_knn/model/reference.hpp"
#include "kernels/grid_knn/model/variant.hpp"
#include "kernels/registry.hpp"
#include "search/space/search_space.hpp"
#include "tuner/base/error.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels {
namespace {

using Settings = std::vector<std::pair<std::string, Value>>;

KnnJob knn_job_of(const std::string& size, const Settings& settings) {
  return knn_job(make_instance(make_grid_knn()->info(), size, settings));
}

/// The neighbours of a query by looking at all points: distance and index.
std::vector<std::pair<float, double>> naive_neighbours(const KnnJob& job, const TensorSet& inputs,
                                                       std::size_t query) {
  const auto points = inputs.at("points").as<float>();
  const auto queries = inputs.at(job.own_queries() ? "queries" : "points").as<float>();
  const auto dimensions = static_cast<std::size_t>(job.dimensions);
  std::vector<std::pair<float, double>> all;
  for (std::size_t i = 0; i < static_cast<std::size_t>(job.points); ++i) {
    if (job.self == KnnJob::Self::skip && i == query) continue;
    float sum = 0;
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
      const float difference = queries[query * dimensions + axis] - points[i * dimensions + axis];
      sum = std::fma(difference, difference, sum);
    }
    all.emplace_back(sum, i);
  }
  std::ranges::sort(all);
  all.resize(static_cast<std::size_t>(job.k), {INFINITY, -1});
  return all;
}

void expect_neighbours(const std::string& size, const Settings& settings) {
  const KnnJob job = knn_job_of(size, settings);
  SCOPED_TRACE(size + " " + make_instance(make_grid_knn()->info(), size, settings).settings_key());
  const TensorSet inputs = knn_inputs(job, 5), reference = knn_reference(job, inputs);
  const auto indices = reference.at("indices").as<double>();
  const auto distances = reference.at("distances").as<double>();
  const auto k = static_cast<std::size_t>(job.k);
  ASSERT_EQ(indices.size(), k * static_cast<std::size_t>(job.queries));
  for (std::size_t q = 0; q < static_cast<std::size_t>(job.queries); ++q) {
    const auto expected = naive_neighbours(job, inputs, q);
    for (std::size_t j = 0; j < k; ++j) {
      ASSERT_EQ(distances[q * k + j], static_cast<double>(expected[j].first)) << q << " " << j;
      ASSERT_EQ(indices[q * k + j], expected[j].second) << q << " " << j;
    }
  }
}

TEST(GridKnn, FindsTheNearestOfAllPoints) {
  for (const char* data : {"uniform", "clustered", "line", "lattice", "equal"})
    for (const int dimensions : {2, 3})
      for (const int k : {1, 3, 16}) {
        const char* const order = k == 3 ? "random" : "sorted";
        expect_neighbours("700x90", {{"data", data}, {"dimensions", dimensions}, {"k", k}, {"order", order}});
        expect_neighbours("200x200",
                          {{"data", data}, {"dimensions", dimensions}, {"k", k}, {"self", "skip"}});
      }
  expect_neighbours("150x150", {{"self", "count"}, {"data", "lattice"}, {"k", 4}});
  expect_neighbours("1x3", {{"k", 2}});
  expect_neighbours("1x1", {{"k", 2}, {"self", "skip"}});
  expect_neighbours("13x5", {{"k", 16}});
}

/// The points of a set, as tuples.
std::multiset<std::tuple<float, float, float>> places(const TensorSet& inputs, const char* name) {
  const auto values = inputs.at(name).as<float>();
  std::multiset<std::tuple<float, float, float>> all;
  for (std::size_t i = 0; i < values.size(); i += 3) all.emplace(values[i], values[i + 1], values[i + 2]);
  return all;
}

TEST(GridKnn, MakesPointsAsTheSettingsSay) {
  const auto of = [](const char* data, const char* order) {
    return knn_inputs(knn_job_of("4096x1000", {{"data", data}, {"order", order}}), 3);
  };
  for (const char* data : {"uniform", "clustered", "lattice"}) {
    SCOPED_TRACE(data);
    const TensorSet sorted = of(data, "sorted"), random = of(data, "random");
    EXPECT_EQ(places(sorted, "points"), places(random, "points"));
    EXPECT_NE(places(sorted, "points"), places(sorted, "queries"));
    // A step from a point to the next is short where they are sorted.
    const auto way = [](const TensorSet& inputs) {
      const auto at = inputs.at("points").as<float>();
      double sum = 0;
      for (std::size_t i = 3; i < at.size(); i += 3) sum += std::abs(at[i + 2] - at[i - 1]);
      return sum;
    };
    EXPECT_LT(way(sorted) * 5, way(random));
  }
  const auto equal = places(of("equal", "random"), "points");
  EXPECT_EQ(equal.count(*equal.begin()), 4096U);
  // On a lattice of 16^3 places many points share one.
  const auto lattice = places(of("lattice", "random"), "points");
  EXPECT_LT(std::set(lattice.begin(), lattice.end()).size(), 3000U);
}

TEST(GridKnn, RefusesQueriesThatAreNotThePoints) {
  try {
    knn_job_of("10x9", {{"self", "skip"}});
    FAIL() << "taken";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("take --size 10x10"));
  }
  EXPECT_THROW(knn_job_of("10x10", {{"k", 0}}), UsageError);
  EXPECT_THROW(knn_job_of("10x10", {{"k", 17}}), UsageError);
}

/// A configuration of the variant that has this value.
Configuration chosen(const KnnJob& job, const std::string& variant, const std::string& where = "True") {
  search::SpaceDefinition definition = knn_space(job, architecture_properties("sm_90"));
  definition.constraints.push_back({search::var("variant") == variant, "the variant"});
  definition.constraints.push_back({search::Expr::parse(where), "asked for"});
  const search::SearchSpace space(std::move(definition));
  return space.at(space.size() / 2);
}

std::vector<std::string> launched(const std::vector<PlanStep>& steps) {
  std::vector<std::string> names;
  for (const PlanStep& step : steps) names.push_back(step_name(step));
  return names;
}

TEST(GridKnn, TimesTheConstructionWhereItIsIncluded) {
  using ::testing::ElementsAre;
  const EmbeddedSources sources;
  const auto plan = [&](const Settings& settings, const char* variant, const char* where = "True") {
    const KnnJob job = knn_job_of("5000x5000", settings);
    const Configuration configuration = chosen(job, variant, where);
    return knn_variants().of(configuration).plan(job, configuration, sources).value();
  };
  const LaunchPlan apart = plan({}, "skip", "sort == 'given'");
  EXPECT_THAT(launched(apart.setup), ElementsAre("knn_box", "knn_count", "knn_starts", "knn_sort"));
  EXPECT_THAT(launched(apart.launches), ElementsAre("knn_thread"));
  // Queries are new each time: sorting them counts.
  const LaunchPlan sorted = plan({}, "tile");
  EXPECT_THAT(launched(sorted.launches), ElementsAre("knn_count", "knn_starts", "knn_sort", "knn_tile"));
  const LaunchPlan included = plan({{"build", "included"}, {"self", "skip"}}, "warp");
  EXPECT_THAT(launched(included.setup), ElementsAre());
  EXPECT_THAT(launched(included.launches),
              ElementsAre("knn_box", "knn_count", "knn_starts", "knn_sort", "knn_warp"));
  const LaunchPlan brute = plan({}, "brute");
  EXPECT_THAT(launched(brute.launches), ElementsAre("knn_brute"));
}

TEST(GridKnn, CutsTheBoxIntoAsManyCubesAsPointsAsk) {
  const KnnJob study = knn_job_of("262144x262144", {});
  EXPECT_EQ(knn_side(study, 512), 8);
  EXPECT_EQ(knn_side(study, 64), 16);
  EXPECT_EQ(knn_side(study, 8), 32);
  EXPECT_EQ(knn_side(knn_job_of("1x1", {}), 1024), 1);
  EXPECT_EQ(knn_side(knn_job_of("1048576x1", {{"dimensions", 2}}), 4), 512);
  EXPECT_EQ(knn_rows(study, 9, false), 81);
  EXPECT_EQ(knn_rows(study, 9, true), 256);
  // Indices of cubes fit 32 bits, however many points there are; in clusters cubes are small.
  for (const char* data : {"uniform", "clustered"})
    for (const char* size : {"2147483647x1", "1048576x1", "1x1"}) {
      SCOPED_TRACE(std::string(data) + " " + size);
      const KnnJob job = knn_job_of(size, {{"data", data}});
      const auto parameters = knn_space(job, architecture_properties("sm_90")).parameters;
      const auto points = std::ranges::find(parameters, "points_cube", &search::Parameter::name);
      ASSERT_NE(points, parameters.end());
      ASSERT_FALSE(points->values.empty());
      for (const search::Value& value : points->values) {
        const std::int64_t side = knn_side(job, value.as_real());
        EXPECT_LT(knn_rows(job, side, true) * (side + 1), std::int64_t{1} << 31);
      }
      if (job.points == 1 << 20) {
        EXPECT_EQ(points->values.back(), Value(*data == 'u' ? 2048 : 4));
      }
    }
}

}  // namespace
}  // namespace tune::kernels
