// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "search/strategies/grid.hpp"
#include "search/strategies/model_search.hpp"
#include "search/strategies/random_search.hpp"
#include "search/strategies/strategy.hpp"

namespace tune::search {

std::span<const StrategyEntry> strategies() {
  static constexpr std::array kTable = {
      StrategyEntry{"model", "what a Gaussian process of all results so far promises most",
                    [](const SearchTask& task) -> std::unique_ptr<Strategy> {
                      return std::make_unique<ModelSearch>(task);
                    },
                    false, true, true},
      StrategyEntry{"random", "uniform without repetition, after one configuration of each variant",
                    [](const SearchTask& task) -> std::unique_ptr<Strategy> {
                      return std::make_unique<RandomSearch>(task.space, task.seed);
                    }},
      StrategyEntry{"grid", "every configuration once, coarsely first",
                    [](const SearchTask& task) -> std::unique_ptr<Strategy> {
                      return std::make_unique<GridSearch>(task.space);
                    },
                    true},
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
