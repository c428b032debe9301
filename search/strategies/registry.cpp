// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/registry.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "search/expressions/nearest.hpp"
#include "search/strategies/annealing.hpp"
#include "search/strategies/genetic.hpp"
#include "search/strategies/grid.hpp"
#include "search/strategies/ils.hpp"
#include "search/strategies/model_search.hpp"
#include "search/strategies/pso.hpp"
#include "search/strategies/random_search.hpp"

namespace tune::search {

namespace {

template<class S, class Options>
std::unique_ptr<Strategy> make(const SearchTask& task, const Settings& settings) {
  return std::make_unique<S>(task, with_settings<Options>(settings));
}

std::unique_ptr<Strategy> make_random(const SearchTask& task, const Settings& settings) {
  with_settings<NoOptions>(settings);
  return std::make_unique<RandomSearch>(task.space, task.seed);
}

std::unique_ptr<Strategy> make_grid(const SearchTask& task, const Settings& settings) {
  with_settings<NoOptions>(settings);
  return std::make_unique<GridSearch>(task.space);
}

/// Reads `option=value` between colons.
Settings settings_of(std::string_view text) {
  Settings settings;
  while (!text.empty()) {
    const std::string_view part = text.substr(1, text.find(':', 1) - 1);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == part.size())
      throw std::invalid_argument("'" + std::string(part) + "' is not of the form option=value");
    settings.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    text.remove_prefix(part.size() + 1);
  }
  return settings;
}

std::string options_text(const StrategyEntry& entry) {
  const std::string name(entry.name);
  std::string text;
  for (const OptionInfo& option : entry.options({}))
    text += (text.empty() ? "" : "; ") + option.name + "=" + option.value + " (" + option.range + ")";
  return text.empty() ? name + " has no options" : name + " has the options " + text;
}

std::string unknown_name(const std::string& name) {
  std::vector<std::string> names = {"auto"};
  for (const StrategyEntry& entry : strategies()) names.emplace_back(entry.name);
  if (std::string nearest = did_you_mean(name, names); !nearest.empty())
    return "there is no strategy '" + name + "'" + nearest;
  std::string all;
  for (const std::string& one : names) all += (all.empty() ? "" : ", ") + one;
  return "there is no strategy '" + name + "'; there is: " + all;
}

}  // namespace

std::span<const StrategyEntry> strategies() {
  static constexpr std::array strategy_table = {
      StrategyEntry{.name = "model",
                    .summary = "the largest expected improvement by a Gaussian process of all results so far",
                    .maker = make<ModelSearch, ModelOptions>,
                    .options = options_with<ModelOptions>,
                    .estimates_gain = true,
                    .uses_records = true},
      StrategyEntry{.name = "random",
                    .summary = "uniform without repetition, after a start that spreads over all values",
                    .maker = make_random,
                    .options = options_with<NoOptions>},
      StrategyEntry{.name = "grid",
                    .summary = "every configuration once, coarsely first",
                    .maker = make_grid,
                    .options = options_with<NoOptions>,
                    .exhaustive = true},
      StrategyEntry{.name = "annealing",
                    .summary = "simulated annealing",
                    .maker = make<Annealing, AnnealingOptions>,
                    .options = options_with<AnnealingOptions>},
      StrategyEntry{.name = "genetic",
                    .summary = "a population of the best and their children",
                    .maker = make<Genetic, GeneticOptions>,
                    .options = options_with<GeneticOptions>},
      StrategyEntry{
          .name = "ils",
          .summary =
              "iterated local search: climbs to a local optimum, changes some parameters, climbs again",
          .maker = make<IteratedLocalSearch, LocalSearchOptions>,
          .options = options_with<LocalSearchOptions>},
      StrategyEntry{.name = "pso",
                    .summary = "a swarm of particles drawn to the best",
                    .maker = make<ParticleSwarm, SwarmOptions>,
                    .options = options_with<SwarmOptions>},
  };
  return strategy_table;
}

StrategyChoice choose_strategy(std::string_view text) {
  const std::size_t end = std::min(text.find(':'), text.size());
  const std::string name(text.substr(0, end));
  const auto entry =
      std::ranges::find(strategies(), name == "auto" ? default_strategy : name, &StrategyEntry::name);
  if (entry == strategies().end()) throw std::invalid_argument(unknown_name(name));
  StrategyChoice choice{&*entry};
  try {
    const std::vector<OptionInfo> usual = choice.entry->options({});
    const std::vector<OptionInfo> wanted = choice.entry->options(settings_of(text.substr(end)));
    for (std::size_t i = 0; i < usual.size(); ++i)
      if (wanted[i].value != usual[i].value) choice.settings.emplace_back(wanted[i].name, wanted[i].value);
  } catch (const std::invalid_argument& wrong) {
    throw std::invalid_argument(std::string(text) + ": " + wrong.what() + "; " + options_text(*choice.entry));
  }
  return choice;
}

}  // namespace tune::search
