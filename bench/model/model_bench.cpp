// SPDX-License-Identifier: Apache-2.0
// How long the strategy `model` takes for an evaluation when so many results are known: bench_model [results]
// [evaluations] [space]. Milliseconds of processor time of ask and tell.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "search/strategies/model_search.hpp"

namespace {

using namespace tune::search;

struct Space {
  const char* name;
  SpaceDefinition definition;

  void add(const std::string& parameter, int first, int last, int step = 1, Role role = Role::other) {
    std::vector<Value> values;
    for (int number = first; number <= last; number += step) values.emplace_back(number);
    const Value usual = values.front();
    definition.parameters.push_back({parameter, "", std::move(values), usual});
    definition.parameters.back().role = role;
  }
};

Space one_of_many_values() {
  Space space{"1 parameter of 65,536 values", {}};
  space.add("x", 1, 65'536);
  return space;
}

Space two_of_many_values() {
  Space space{"2 parameters of 4,000 values", {}};
  for (const char* name : {"x", "y"}) space.add(name, 1, 4'000);
  return space;
}

Space two_extents() {
  Space space{"2 extents of 4,000 values", {}};
  for (const char* name : {"x", "y"}) space.add(name, 1, 4'000, 1, Role::threads);
  return space;
}

Space block() {
  Space space{"640 configurations, 4,700 products", {}};
  space.add("block_size_x", 8, 1'024, 8, Role::threads);
  space.add("block_size_y", 1, 128, 1, Role::threads);
  space.definition.constraints.push_back({Expr::parse("block_size_x * block_size_y <= 1024"), ""});
  return space;
}

Space many_parameters(const char* name, int count, int values) {
  Space space{name, {}};
  for (int p = 0; p < count; ++p) space.add("p" + std::to_string(p), 1, values);
  return space;
}

/// Each parameter has a best value; a fifth fails, and results have noise of 2 %.
Observation observe(const SearchSpace& space, ConfigurationId id) {
  const std::vector<int> indices = space.value_indices(id);
  double cost = 1e-3, mixed = 0;
  for (std::size_t p = 0; p < indices.size(); ++p) {
    const double place =
        indices[p] / static_cast<double>(std::max<std::size_t>(2, space.parameters()[p].values.size()) - 1);
    const double best = std::fmod(0.37 + 0.61 * static_cast<double>(p), 1.0);
    cost *= 1 + (place - best) * (place - best);
    mixed += place * (static_cast<double>(p) + 1);
  }
  if (std::fmod(mixed * 7.31, 1.0) < 0.2) return {id, std::nullopt};
  return {id, cost * (1 + 0.02 * Random(id).uniform())};
}

/// Returns the milliseconds of an evaluation after these results.
double measure(Strategy& search, const SearchSpace& space, std::size_t evaluations) {
  std::size_t done = 0;
  const std::clock_t start = std::clock();
  for (; done < evaluations; ++done) {
    const std::vector<ConfigurationId> next = search.ask(1);
    if (next.empty()) break;
    search.tell(std::vector{observe(space, next.front())});
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return 1e3 * seconds / static_cast<double>(std::max<std::size_t>(1, done));
}

void measure(const Space& one, std::size_t known, std::size_t evaluations) {
  const SearchSpace space(one.definition);
  known = std::min<std::size_t>(known, space.size() / 2);
  Random random(1);
  ModelSearch told({space, 1}), searched({space, 2});
  std::vector<Observation> results;
  for (std::size_t i = 0; i < known; ++i) results.push_back(observe(space, space.sample(random)));
  told.tell(results);
  const double after_random = measure(told, space, evaluations);
  const double until_then = measure(searched, space, known);
  const double after_search = measure(searched, space, evaluations);
  std::printf("| %s | %zu | %.1f | %.1f | %.1f |\n", one.name, known, after_random, after_search, until_then);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int at, int usual) {
    return static_cast<std::size_t>(std::max(0, argc > at ? std::atoi(argv[at]) : usual));
  };
  const std::string only = argc > 3 ? argv[3] : "";
  std::printf("| space | results | after random ones | after those of the search | until then |\n");
  std::printf("|---|---|---|---|---|\n");
  for (const Space& space : {one_of_many_values(), two_of_many_values(), two_extents(), block(),
                             many_parameters("20 parameters of 6 values", 20, 6)})
    if (std::string(space.name).starts_with(only)) measure(space, number(1, 2'000), number(2, 200));
  return 0;
}
