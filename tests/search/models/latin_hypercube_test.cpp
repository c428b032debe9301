// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "search/models/candidates.hpp"
#include "tests/search/print.hpp"

namespace tune::search::testing {
namespace {

/// `count` numbers at equal distances.
Parameter row_of_values(int count) {
  Parameter parameter{"line", "", {}, 0};
  for (int i = 0; i < count; ++i) parameter.values.emplace_back(i);
  return parameter;
}

SearchSpace small_space(std::vector<Parameter> parameters) {
  SpaceDefinition definition;
  definition.parameters = std::move(parameters);
  return SearchSpace(std::move(definition));
}

std::vector<ConfigurationId> all_of(const SearchSpace& space) {
  std::vector<ConfigurationId> ids;
  for (ConfigurationId id = 0; id < space.size(); ++id) ids.push_back(id);
  return ids;
}

/// A drawn_design among all configurations; `lean` by number of the configuration.
std::vector<ConfigurationId> drawn_design(const SearchSpace& space, std::size_t count, std::uint64_t seed,
                                          const Eigen::ArrayXf& lean) {
  const Encoding encoding(space);
  CandidatePool candidates(encoding);
  candidates.assign(all_of(space));
  Random random(seed);
  return latin_hypercube(encoding, candidates, count, lean, random);
}

std::vector<ConfigurationId> drawn_design(const SearchSpace& space, std::size_t count, std::uint64_t seed) {
  return drawn_design(space, count, seed, Eigen::ArrayXf::Zero(static_cast<Eigen::Index>(space.size())));
}

// A value may lie next to the border of its stratum: half a step, or one where that is taken.
TEST(LatinHypercube, UsesEachStratumOfALineOnce) {
  const SearchSpace space = small_space({row_of_values(401)});
  std::set<std::vector<ConfigurationId>> designs;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<ConfigurationId> chosen = drawn_design(space, 8, seed);
    ASSERT_EQ(chosen.size(), 8U);
    designs.insert(chosen);
    std::ranges::sort(chosen);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_GE(static_cast<double>(chosen[i]), 50.0 * static_cast<double>(i) - 1.5);
      EXPECT_LE(static_cast<double>(chosen[i]), 50.0 * static_cast<double>(i + 1) + 1.5);
    }
  }
  EXPECT_EQ(designs.size(), 20U);
}

TEST(LatinHypercube, PairsDimensionsAtRandom) {
  Parameter other = row_of_values(20);
  other.name = "other";
  const SearchSpace space = small_space({row_of_values(20), other});
  double product = 0;
  int shared = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed)
    for (const ConfigurationId id : drawn_design(space, 5, seed)) {
      const std::vector<int> indices = space.value_indices(id);
      product += (indices[0] - 9.5) * (indices[1] - 9.5) / 250;
      shared += indices[0] / 4 == indices[1] / 4 ? 1 : 0;
    }
  // 250 pairs of independent places with deviation 5.8: 33.25 / sqrt(250) is one standard error.
  EXPECT_NEAR(product, 0, 4 * 33.25 / std::sqrt(250.0));
  EXPECT_NEAR(shared, 50, 25);
}

TEST(LatinHypercube, UsesEachTextAsOften) {
  const SearchSpace space = small_space({row_of_values(101), {"text", "", {"a", "b", "c", "d"}, "a"}});
  std::vector<int> used(4, 0);
  for (const ConfigurationId id : drawn_design(space, 8, 1))
    ++used[static_cast<std::size_t>(space.value_indices(id)[1])];
  EXPECT_EQ(used, (std::vector<int>{2, 2, 2, 2}));
}

TEST(LatinHypercube, RepeatsNothingAndTakesAllWhereThereAreFewer) {
  const SearchSpace space = small_space({row_of_values(6)});
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const std::size_t count : {5U, 6U, 50U}) {
      const std::vector<ConfigurationId> chosen = drawn_design(space, count, seed);
      EXPECT_EQ(chosen.size(), std::min<std::size_t>(count, 6));
      EXPECT_EQ(std::set(chosen.begin(), chosen.end()).size(), chosen.size());
    }
    EXPECT_TRUE(drawn_design(space, 0, seed).empty());
  }
}

TEST(LatinHypercube, LeansWhereItIsTold) {
  const SearchSpace space = small_space({row_of_values(100)});
  Eigen::ArrayXf lean = Eigen::ArrayXf::Constant(100, 2);  // more than the row_of_values is long
  lean.segment(30, 20).setZero();
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (const ConfigurationId id : drawn_design(space, 6, seed, lean)) {
      EXPECT_GE(id, 30U);
      EXPECT_LT(id, 50U);
    }
}

TEST(LatinHypercube, ComputesWithParametersOnly) {
  // Alignments of 1 .. 64 are a dimension of their own, which must not attract points.
  Parameter width{"width", "", {}, 1};
  for (int i = 1; i <= 64; ++i) width.values.emplace_back(i);
  const SearchSpace space = small_space({width});
  const Encoding encoding(space);
  ASSERT_EQ(encoding.size(), 2U);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    std::vector<double> places;
    for (const ConfigurationId id : drawn_design(space, 4, seed))
      places.push_back(encoding.dimensions()[0].at[encoding.encode(id)[0]]);
    std::ranges::sort(places);
    // The first steps are long: 1 to 2 is a sixth of the logarithms' half.
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(places[i], (static_cast<double>(i) + 0.5) / 4, 0.125 + 0.05);
  }
}

}  // namespace
}  // namespace tune::search::testing
