// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "search/strategies/annealing.hpp"
#include "search/strategies/genetic.hpp"
#include "search/strategies/grid.hpp"
#include "search/strategies/ils.hpp"
#include "search/strategies/model_search.hpp"
#include "search/strategies/pso.hpp"
#include "search/strategies/random_search.hpp"
#include "search/strategies/strategy.hpp"

namespace tune::search {

namespace {

template<class S>
std::unique_ptr<Strategy> make(const SearchTask& task) {
  return std::make_unique<S>(task);
}

std::unique_ptr<Strategy> make_random(const SearchTask& task) {
  return std::make_unique<RandomSearch>(task.space, task.seed);
}

std::unique_ptr<Strategy> make_grid(const SearchTask& task) {
  return std::make_unique<GridSearch>(task.space);
}

std::unique_ptr<Strategy> make_model(const SearchTask& task) {
  return std::make_unique<ModelSearch>(task);
}

}  // namespace

std::span<const StrategyEntry> strategies() {
  static constexpr std::array kTable = {
      StrategyEntry{.name = "model",
                    .summary = "what a Gaussian process of all results so far promises most",
                    .make = make_model,
                    .estimates_gain = true,
                    .uses_records = true},
      StrategyEntry{.name = "random",
                    .summary = "uniform without repetition, after a start that spreads over all values",
                    .make = make_random},
      StrategyEntry{.name = "grid",
                    .summary = "every configuration once, coarsely first",
                    .make = make_grid,
                    .exhaustive = true},
      StrategyEntry{.name = "annealing", .summary = "simulated annealing", .make = make<Annealing>},
      StrategyEntry{
          .name = "genetic", .summary = "a population of the best and their children", .make = make<Genetic>},
      StrategyEntry{.name = "ils",
                    .summary = "iterated local search: climb, kick, climb again",
                    .make = make<IteratedLocalSearch>},
      StrategyEntry{
          .name = "pso", .summary = "a swarm of particles drawn to the best", .make = make<ParticleSwarm>},
  };
  return kTable;
}

const StrategyEntry* find_strategy(std::string_view name) {
  if (name == "auto") name = default_strategy;
  for (const StrategyEntry& entry : strategies())
    if (entry.name == name) return &entry;
  return nullptr;
}

std::unique_ptr<Strategy> make_strategy(std::string_view name, const SearchTask& task) {
  const StrategyEntry* entry = find_strategy(name);
  return entry == nullptr ? nullptr : entry->make(task);
}

}  // namespace tune::search
