// SPDX-License-Identifier: Apache-2.0
// The time of the model does not depend on how many values a parameter has, and hardly on how many there are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "search/strategies/model_search.hpp"

namespace tune::search::testing {
namespace {

struct Shape {
  std::string name;
  int parameters, values;
  Role role = Role::other;
};

SpaceDefinition definition(const Shape& shape) {
  SpaceDefinition result;
  std::vector<Value> values;
  for (int value = 1; value <= shape.values; ++value) values.emplace_back(value);
  for (int p = 0; p < shape.parameters; ++p) {
    result.parameters.push_back({"p" + std::to_string(p), "", values, values.front()});
    result.parameters.back().role = shape.role;
  }
  return result;
}

/// Slow away from one place in each parameter, with noise of 2 %; a tenth fails.
Observation observe(const SearchSpace& space, ConfigurationId id) {
  double cost = 1e-3;
  const std::vector<int> indices = space.value_indices(id);
  for (std::size_t p = 0; p < indices.size(); ++p) {
    const double place = indices[p] / static_cast<double>(space.parameters()[p].values.size());
    const double off = place - std::fmod(0.37 + 0.61 * static_cast<double>(p), 1.0);
    cost *= 1 + off * off;
  }
  Random random(id);
  if (random.below(10) == 0) return {id, std::nullopt};
  return {id, cost * (1 + 0.02 * random.uniform())};
}

/// Returns results as a search leaves them: some at random, more of neighbours of the best.
std::vector<Observation> known_results(const SearchSpace& space, std::size_t count) {
  Random random(5);
  Visited told(space.size());
  std::vector<Observation> results;
  while (results.size() < count) {
    ConfigurationId id = space.sample(random);
    if (told.best() && results.size() % 3 != 0) {
      id = *told.best();
      for (int step = 0; step < 3; ++step) {
        const auto beside = space.some_neighbours(id, 64, random);
        id = beside[random.below(beside.size())];
      }
    }
    if (told.seen(id)) continue;
    results.push_back(observe(space, id));
    told.tell(results.back());
  }
  return results;
}

class ModelCost : public ::testing::TestWithParam<Shape> {};

TEST_P(ModelCost, OfAnEvaluationIsBounded) {
  constexpr std::uint64_t max_of_a_fit = 4'000'000'000, max_of_an_evaluation = 25'000'000;
  constexpr double max_seconds = 0.2;  // ten times what it takes on an idle machine
  constexpr int evaluations = 16;
  const SearchSpace space(definition(GetParam()));
  ModelSearch search({space, 1});
  search.tell(known_results(space, 2'000));
  const auto evaluate = [&] { search.tell(std::vector{observe(space, search.ask(1).at(0))}); };
  for (int i = 0; i < 8; ++i) evaluate();  // the first design, then a fit
  EXPECT_LT(search.work(), max_of_a_fit);
  const std::uint64_t before = search.work();
  const std::clock_t start = std::clock();
  for (int i = 0; i < evaluations; ++i) evaluate();
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, evaluations * max_seconds);
  EXPECT_LT(search.work() - before, evaluations * max_of_an_evaluation);
  RecordProperty("work", std::to_string((search.work() - before) / evaluations));
}

INSTANTIATE_TEST_SUITE_P(Spaces, ModelCost,
                         ::testing::Values(Shape{"one_parameter_of_many_values", 1, 65'536},
                                           Shape{"two_parameters_of_many_values", 2, 4'000},
                                           Shape{"two_extents_of_many_values", 2, 4'000, Role::threads},
                                           Shape{"many_parameters", 20, 6}),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace tune::search::testing
