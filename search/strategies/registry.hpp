// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/ask_tell/options.hpp"
#include "search/ask_tell/strategy.hpp"

namespace tune::search {

/// What the table of strategies says of one: the strategy's own file defines it.
struct StrategyEntry {
  std::string_view name;
  std::string_view summary;
  /// Throws std::invalid_argument for settings that `options` throws for.
  std::unique_ptr<Strategy> (*maker)(const SearchTask& task, const Settings& settings);
  /// Lists its options with these settings. Throws std::invalid_argument, with a line for the user, for an
  /// unknown name or a value that does not fit.
  std::vector<OptionInfo> (*options)(const Settings& settings);
  /// True when it visits every configuration: without a budget it gets the whole space.
  bool exhaustive = false;
  /// True when it has an expected_gain.
  bool estimates_gain = false;
  /// True when it uses SearchTask::related.
  bool uses_records = false;

  std::unique_ptr<Strategy> make(const SearchTask& task, const Settings& settings = {}) const {
    return maker(task, settings);
  }
};

/// Returns the entry of a strategy S, which is made of a SearchTask and Options.
template<class S, class Options>
StrategyEntry strategy_entry(std::string_view name, std::string_view summary) {
  const auto maker = [](const SearchTask& task, const Settings& settings) -> std::unique_ptr<Strategy> {
    return std::make_unique<S>(task, with_settings<Options>(settings));
  };
  return {.name = name, .summary = summary, .maker = maker, .options = options_with<Options>};
}

/// Returns all strategies, in the order in which they are listed.
std::span<const StrategyEntry> strategies();

/// The strategy that the name `auto` stands for.
inline constexpr std::string_view default_strategy = "model";

/// A strategy with its options.
struct StrategyChoice {
  const StrategyEntry* entry = nullptr;
  Settings settings = {};  ///< in the order of its list, without those that have their default
  /// Where it is not empty, it makes a strategy that is not in the table, which `own_name` names.
  std::function<std::unique_ptr<Strategy>(const SearchTask& task)> own = {};
  std::string own_name = {};

  /// Returns `model:start=10:beliefs=off`: equal for equal searches; runs are stored with it.
  std::string name() const { return own ? own_name : std::string(entry->name) + settings_text(settings); }
  std::unique_ptr<Strategy> make(const SearchTask& task) const {
    return own ? own(task) : entry->make(task, settings);
  }
};

/// Reads `name` or `name:option=value:...`, where `auto` names the default one. Throws std::invalid_argument,
/// with a line for the user, for a name that does not exist and for options that the strategy does not take.
StrategyChoice choose_strategy(std::string_view text);

}  // namespace tune::search
