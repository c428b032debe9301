// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "search/strategies/annealing.hpp"
#include "search/strategies/genetic.hpp"
#include "search/strategies/grid.hpp"
#include "search/strategies/ils.hpp"
#include "search/strategies/pso.hpp"
#include "search/strategies/random_search.hpp"
#include "search/strategies/strategy.hpp"

namespace tune::search {

namespace {

template<typename S>
std::unique_ptr<Strategy> make(const SearchTask& task) {
  return std::make_unique<S>(task);
}

}  // namespace

std::span<const StrategyEntry> strategies() {
  static constexpr std::array kTable = {
      StrategyEntry{"random", "uniform without repetition, after a start that spreads over all values",
                    [](const SearchTask& task) -> std::unique_ptr<Strategy> {
                      return std::make_unique<RandomSearch>(task.space, task.seed);
                    }},
      StrategyEntry{"grid", "every configuration once, coarsely first",
                    [](const SearchTask& task) -> std::unique_ptr<Strategy> {
                      return std::make_unique<GridSearch>(task.space);
                    },
                    true},
      StrategyEntry{"annealing", "simulated annealing", make<Annealing>},
      StrategyEntry{"genetic", "a population of the best and their children", make<Genetic>},
      StrategyEntry{"ils", "iterated local search: climb, kick, climb again", make<IteratedLocalSearch>},
      StrategyEntry{"pso", "a swarm of particles drawn to the best", make<ParticleSwarm>},
  };
  return kTable;
}

std::unique_ptr<Strategy> make_strategy(std::string_view name, const SearchTask& task) {
  for (const StrategyEntry& entry : strategies()) {
    if (entry.name == name) return entry.make(task);
  }
  return nullptr;
}

}  // namespace tune::search
