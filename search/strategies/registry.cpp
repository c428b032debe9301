// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/registry.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "search/expressions/nearest.hpp"

namespace tune::search {

// Each in the file of its name.
StrategyEntry annealing_strategy(), genetic_strategy(), grid_strategy(), ils_strategy(), model_strategy(),
    pso_strategy(), random_strategy(), uniform_strategy();

namespace {

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
  static const std::array strategy_table = {model_strategy(), random_strategy(),    uniform_strategy(),
                                            grid_strategy(),  annealing_strategy(), genetic_strategy(),
                                            ils_strategy(),   pso_strategy()};
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
