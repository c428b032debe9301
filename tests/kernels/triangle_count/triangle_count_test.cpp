// SPDX-License-Identifier: Apache-2.0
// triangle_count: graphs, the reference against all triples, plans.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "kernels/triangle_count/model/graph.hpp"
#include "kernels/triangle_count/model/job.hpp"
#include "kernels/triangle_count/model/reference.hpp"
#include "kernels/triangle_count/model/variant.hpp"
#include "search/space/search_space.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels {
namespace {

using Settings = std::vector<std::pair<std::string, Value>>;
constexpr const char* kinds[] = {"rmat", "uniform", "lattice", "cliques", "star"};

TriangleJob triangle_job_of(const std::string& size, const Settings& settings) {
  return triangle_job(make_instance(make_triangle_count()->info(), size, settings));
}

double counted(const TriangleJob& job, const TensorSet& graph) {
  return triangle_reference(job, graph).at("count").as<double>()[0];
}

double counted(const std::string& size, const char* kind) {
  const TriangleJob job = triangle_job_of(size, {{"graph", kind}});
  return counted(job, triangle_inputs(job, 1));
}

/// All pairs of neighbours; expects sorted rows without loops and repeats, each edge in both.
std::set<std::pair<int, int>> edges_of_graph(const TriangleJob& job, const TensorSet& graph) {
  const auto offsets = graph.at("offsets").as<std::uint32_t>();
  const auto neighbours = graph.at("neighbours").as<std::int32_t>();
  std::set<std::pair<int, int>> pairs;
  EXPECT_EQ(offsets.size(), static_cast<std::size_t>(job.vertices) + 1);
  EXPECT_EQ(offsets.front(), 0U);
  EXPECT_EQ(offsets.back(), job.entries());
  for (int u = 0; u < job.vertices; ++u)
    for (std::size_t e = offsets[static_cast<std::size_t>(u)]; e < offsets[static_cast<std::size_t>(u) + 1];
         ++e) {
      EXPECT_TRUE(neighbours[e] >= 0 && neighbours[e] < job.vertices && neighbours[e] != u);
      EXPECT_TRUE(e == offsets[static_cast<std::size_t>(u)] || neighbours[e - 1] < neighbours[e]) << u;
      pairs.emplace(u, neighbours[e]);
    }
  for (const auto& [u, v] : pairs) EXPECT_TRUE(pairs.contains({v, u})) << u << " " << v;
  return pairs;
}

double naive_count(const TriangleJob& job, const std::set<std::pair<int, int>>& pairs) {
  double count = 0;
  for (const auto& [u, v] : pairs)
    for (int w = v + 1; u < v && w < job.vertices; ++w)
      count += pairs.contains({u, w}) && pairs.contains({v, w}) ? 1 : 0;
  return count;
}

TEST(TriangleCount, CountsAllTriplesWithThreeEdges) {
  for (const char* kind : kinds)
    for (const char* size :
         {"1x1", "2x1", "3x2", "3x3", "20x60", "20x180", "64x500", "130x1200", "300x310"}) {
      SCOPED_TRACE(std::string(kind) + " " + size);
      const TriangleJob job = triangle_job_of(size, {{"graph", kind}});
      const TensorSet graph = triangle_inputs(job, 7);
      const auto pairs = edges_of_graph(job, graph);
      EXPECT_EQ(pairs.size(), static_cast<std::size_t>(job.entries()));
      EXPECT_EQ(counted(job, graph), naive_count(job, pairs));
    }
}

TEST(TriangleCount, KnowsGraphsWithFormulas) {
  EXPECT_EQ(counted("1x5", "rmat"), 0);
  EXPECT_EQ(counted("5000x4999", "star"), 0);
  EXPECT_EQ(counted("5000x9997", "star"), 4998);  // two hubs, each other vertex with both
  EXPECT_EQ(counted("200x1000000", "rmat"), 200 * 199 * 198 / 6);
  EXPECT_EQ(counted("3000x15000", "lattice"), 3000 * 5 * 4 / 2);
  EXPECT_EQ(counted("1000x4500", "cliques"), 100 * 10 * 9 * 8 / 6);
}

TEST(TriangleCount, MakesGraphsAsTheSettingsSay) {
  const auto degrees = [](const char* kind, std::uint64_t seed) {
    const TensorSet graph = triangle_inputs(triangle_job_of("5000x40000", {{"graph", kind}}), seed);
    const auto offsets = graph.at("offsets").as<std::uint32_t>();
    std::vector<std::uint32_t> all;
    for (std::size_t u = 0; u + 1 < offsets.size(); ++u) all.push_back(offsets[u + 1] - offsets[u]);
    return all;
  };
  EXPECT_GT(std::ranges::max(degrees("rmat", 1)), 400U);
  EXPECT_LT(std::ranges::max(degrees("uniform", 1)), 50U);
  EXPECT_EQ(std::ranges::max(degrees("lattice", 1)), 16U);
  EXPECT_EQ(std::ranges::max(degrees("star", 1)), 4999U);
  for (const char* kind : {"rmat", "uniform", "star"}) {
    EXPECT_EQ(degrees(kind, 1), degrees(kind, 1));
    EXPECT_NE(degrees(kind, 1), degrees(kind, 2));
  }
}

TEST(TriangleCount, LeavesOutLoopsAndRepeatedEdges) {
  EdgeKeys edges = {edge_key(2, 0), edge_key(1, 1), edge_key(0, 2), edge_key(2, 1)};
  make_unique(edges, 4);
  EXPECT_THAT(edges, ::testing::ElementsAre(edge_key(0, 2), edge_key(1, 2)));
}

std::vector<std::string> launched_steps(const std::vector<PlanStep>& steps) {
  std::vector<std::string> names;
  for (const PlanStep& step : steps) names.push_back(step_name(step));
  return names;
}

TEST(TriangleCount, TimesThePreparationWhereItIsIncluded) {
  using ::testing::ElementsAre;
  const auto plan = [](const char* build, const char* variant, const char* orientation) {
    const TriangleJob job = triangle_job_of("5000x20000", {{"build", build}});
    search::SpaceDefinition definition = triangle_space(job, architecture_properties("sm_90"));
    definition.constraints.push_back({search::var("variant") == variant, "the variant"});
    definition.constraints.push_back({search::var("orientation") == orientation, "asked for"});
    const search::SearchSpace space(std::move(definition));
    const Configuration configuration = space.at(space.size() / 2);
    return triangle_variants().of(configuration).plan(job, configuration, EmbeddedSources()).value();
  };
  const LaunchPlan apart = plan("apart", "search", "degree");
  EXPECT_THAT(launched_steps(apart.setup),
              ElementsAre("triangle_orient", "triangle_sums", "triangle_compact"));
  EXPECT_THAT(launched_steps(apart.launches), ElementsAre("triangle_search"));
  const LaunchPlan included = plan("included", "search", "renumber");
  EXPECT_TRUE(included.setup.empty());
  EXPECT_EQ(included.launches.size(), 12U);
  EXPECT_EQ(step_name(included.launches.back()), "triangle_search");
}

}  // namespace
}  // namespace tune::kernels
