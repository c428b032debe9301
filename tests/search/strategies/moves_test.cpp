// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "search/strategies/stepwise.hpp"
#include "tests/search/print.hpp"
#include "tests/search/space/random_definition.hpp"

namespace tune::search::testing {
namespace {

/// No constraint: 3 x 5 x 4.
SearchSpace box() {
  SpaceDefinition definition;
  definition.parameters = {{"loader", "", {"plain", "vector", "async"}, "plain"},
                           {"tile", "", {1, 2, 4, 8, 16}, 1},
                           {"unroll", "", {1, 2, 3, 4}, 1}};
  return SearchSpace(definition);
}

ConfigurationId id_of(const SearchSpace& space, std::vector<int> indices) {
  return space.find_indices(indices).value();
}

/// All draws about equally often: five standard deviations.
void expect_equal_chances(const std::map<ConfigurationId, int>& seen, std::size_t outcomes, int draws) {
  EXPECT_EQ(seen.size(), outcomes);
  const double share = 1.0 / static_cast<double>(outcomes);
  for (const auto& [id, times] : seen)
    EXPECT_NEAR(times, draws * share, 5 * std::sqrt(draws * share * (1 - share))) << id;
}

double distance(const Moves& moves, const Proposal& proposal, const std::vector<int>& indices) {
  double sum = 0;
  for (std::size_t p = 0; p < indices.size(); ++p) {
    if (indices[p] < 0) continue;
    const double steps = std::abs(proposal[p] - indices[p]);
    const auto length = static_cast<double>(std::max<std::size_t>(2, moves.values(p)) - 1);
    sum += moves.ordinal(p) ? steps / length : (steps > 0.5 ? 1 : 0);
  }
  return sum;
}

TEST(Moves, NearestIsNearest) {
  Random random(11);
  for (int trial = 0; trial < 1'000; ++trial) {
    const SpaceDefinition definition = random_definition(random);
    const SearchSpace space(definition);
    if (space.empty()) continue;
    const Moves moves(space);
    Proposal proposal;
    for (const Parameter& parameter : definition.parameters)
      proposal.push_back(random.uniform() * static_cast<double>(parameter.values.size() - 1));
    double min = 1e9;
    for (ConfigurationId id = 0; id < space.size(); ++id)
      min = std::min(min, distance(moves, proposal, space.value_indices(id)));
    const auto found = moves.repair(proposal, random);
    ASSERT_TRUE(found);
    EXPECT_NEAR(distance(moves, proposal, space.value_indices(*found)), min, 1e-9) << describe(definition);
  }
}

TEST(Moves, NearestStaysCloseInALargeConstrainedSpace) {
  SpaceDefinition definition;
  for (int p = 0; p < 7; ++p) {
    definition.parameters.push_back({"p" + std::to_string(p), "", {}, 1});
    for (int value = 1; value <= 8; ++value) definition.parameters.back().values.emplace_back(value);
  }
  definition.constraints = {{Expr::parse("(p0 + p1 + p2 + p3 + p4 + p5 + p6) % 3 == 0"), ""},
                            {Expr::parse("p0 * p6 <= 40"), ""}};
  const SearchSpace space(definition);
  ASSERT_GT(space.size(), 500'000U);
  const Moves moves(space);
  Random random(2);
  for (int trial = 0; trial < 200; ++trial) {
    Proposal proposal;
    for (int p = 0; p < 7; ++p) proposal.push_back(static_cast<double>(random.below(8)));
    const auto found = moves.repair(proposal, random);
    ASSERT_TRUE(found);
    // One step to please each remainder at most two, and from (8, 8) to (8, 5) another three.
    EXPECT_LE(distance(moves, proposal, space.value_indices(*found)), 5.0 / 7 + 1e-9);
  }
}

TEST(Moves, AdjacentAreTheNextValidValues) {
  SpaceDefinition definition = box().definition();
  definition.constraints = {{var("tile") != 4, ""}};
  const SearchSpace space(definition);
  const Moves moves(space);
  const ConfigurationId from = id_of(space, {1, 1, 0});
  std::vector<std::string> texts;
  for (const ConfigurationId id : moves.adjacent(from, space.neighbours(from)))
    texts.push_back(space.at(id).to_string());
  // Any loader; 1 and 8 around the tile of 2, 4 being forbidden; nothing below an unroll of 1.
  EXPECT_EQ(texts,
            (std::vector<std::string>{"loader=plain, tile=2, unroll=1", "loader=vector, tile=1, unroll=1",
                                      "loader=vector, tile=2, unroll=2", "loader=vector, tile=8, unroll=1",
                                      "loader=async, tile=2, unroll=1"}));
}

TEST(Moves, PerturbChangesSoManyParametersWithEqualChances) {
  const SearchSpace space = box();
  const Moves moves(space);
  const ConfigurationId from = id_of(space, {1, 1, 0});
  Random random(3);
  std::map<ConfigurationId, int> seen;
  for (int draw = 0; draw < 30'000; ++draw) ++seen[*moves.perturb(from, 3, random)];
  expect_equal_chances(seen, 2 * 4 * 3, 30'000);
  for (const auto& entry : seen) {
    const std::vector<int> to = space.value_indices(entry.first);
    EXPECT_TRUE(to[0] != 1 && to[1] != 1 && to[2] != 0);
  }
  seen.clear();
  for (int draw = 0; draw < 30'000; ++draw) {
    const std::vector<int> to = space.value_indices(*moves.perturb(from, 1, random));
    ++seen[to[0] != 1 ? 0U : to[1] != 1 ? 1U : 2U];
    EXPECT_EQ((to[0] != 1) + (to[1] != 1) + (to[2] != 0), 1);
  }
  expect_equal_chances(seen, 3, 30'000);
}

TEST(Moves, PerturbNeverComesBack) {
  SpaceDefinition definition = box().definition();
  definition.constraints = {{Expr::parse("(tile + unroll) % 3 == 0"), ""}};
  const SearchSpace space(definition);
  const Moves moves(space);
  Random random(3);
  for (ConfigurationId from = 0; from < space.size(); ++from)
    for (int draw = 0; draw < 50; ++draw) EXPECT_NE(moves.perturb(from, 2, random), from);
}

TEST(Moves, ChildrenHaveTheirParentsValues) {
  const SearchSpace space = box();
  const Moves moves(space);
  Random random(4);
  std::map<ConfigurationId, int> seen;
  for (int draw = 0; draw < 16'000; ++draw) {
    const Proposal child = moves.cross(id_of(space, {0, 0, 3}), id_of(space, {2, 4, 1}), random);
    ++seen[*moves.repair(child, random)];
  }
  expect_equal_chances(seen, 8, 16'000);
}

TEST(Moves, ChildrenOfDifferentVariantsKeepWhatTheirVariantHas) {
  SpaceDefinition definition;
  definition.parameters = {{"variant", "", {"direct", "tiled"}, "direct"},
                           {"tile", "", {1, 2, 3, 4}, 1, var("variant") == "tiled"}};
  const SearchSpace space(definition);
  const Moves moves(space);
  Random random(4);
  std::set<ConfigurationId> seen;
  for (int draw = 0; draw < 200; ++draw)
    seen.insert(*moves.repair(moves.cross(id_of(space, {0, -1}), id_of(space, {1, 2}), random), random));
  EXPECT_EQ(seen, (std::set<ConfigurationId>{id_of(space, {0, -1}), id_of(space, {1, 2})}));
}

TEST(Moves, MutationsStayWithinTheValues) {
  const SearchSpace space = box();
  const Moves moves(space);
  Random random(6);
  std::vector<int> changed(3);
  std::map<ConfigurationId, int> to;
  for (int draw = 0; draw < 9'000; ++draw) {
    Proposal proposal{0, 4, 1};
    moves.mutate(proposal, 0.25, random);
    for (std::size_t p = 0; p < 3; ++p) changed[p] += proposal[p] != Proposal{0, 4, 1}[p];
    for (std::size_t p = 0; p < 3; ++p)
      ASSERT_TRUE(proposal[p] >= 0 && proposal[p] < static_cast<double>(moves.values(p)));
    if (proposal[2] != 1) ++to[static_cast<ConfigurationId>(proposal[2])];
  }
  for (const int times : changed) EXPECT_NEAR(times, 2'250, 5 * std::sqrt(9'000 * 0.25 * 0.75));
  // Half of them one step up or down, half to any other of the three.
  EXPECT_GT(to[0], to[3] * 2);
  EXPECT_GT(to[2], to[3] * 2);
}

TEST(Moves, WishesHaveAPlaceForWhatDoesNotExist) {
  SpaceDefinition definition;
  definition.parameters = {{"variant", "", {"direct", "tiled"}, "direct"},
                           {"tile", "", {1, 2, 3, 4}, 1, var("variant") == "tiled"}};
  const SearchSpace space(definition);
  const Moves moves(space);
  Random random(4);
  std::map<ConfigurationId, int> seen;
  for (int draw = 0; draw < 4'000; ++draw)
    ++seen[static_cast<ConfigurationId>(moves.proposal_from(id_of(space, {0, -1}), random)[1])];
  expect_equal_chances(seen, 4, 4'000);
}

}  // namespace
}  // namespace tune::search::testing
