// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/ask_tell/options.hpp"
#include "search/ask_tell/strategy.hpp"

namespace tune::search {

/// One line of the table of strategies.
struct StrategyEntry {
  std::string_view name;
  std::string_view summary;
  /// Throws std::invalid_argument for settings that `options` throws for.
  std::unique_ptr<Strategy> (*maker)(const SearchTask& task, const Settings& settings);
  /// Its options with these settings, in the order in which they are listed. Throws std::invalid_argument,
  /// with a line for people, for a name or a value that cannot be meant.
  std::vector<OptionInfo> (*options)(const Settings& settings);
  /// People who choose it want every configuration: without a budget it gets the whole space.
  bool exhaustive = false;
  /// Whether it has an expected_gain.
  bool estimates_gain = false;
  /// Whether SearchTask::related matters to it.
  bool uses_records = false;

  std::unique_ptr<Strategy> make(const SearchTask& task, const Settings& settings = {}) const {
    return maker(task, settings);
  }
};

/// All strategies, in the order in which they are listed to people. A new one is one file pair and one line
/// here.
std::span<const StrategyEntry> strategies();

/// What is chosen by the name `auto`.
inline constexpr std::string_view default_strategy = "model";

/// A strategy with the options that somebody wants.
struct StrategyChoice {
  const StrategyEntry* entry = nullptr;
  Settings settings = {};  ///< in the order of its list, without those that have their default

  /// `model:start=10:beliefs=off`: equal for equal searches, and what results are stored under.
  std::string name() const { return std::string(entry->name) + settings_text(settings); }
  std::unique_ptr<Strategy> make(const SearchTask& task) const { return entry->make(task, settings); }
};

/// From `name` or `name:option=value:...`, where `auto` names the default one; nothing where no strategy has
/// that name. Throws
/// std::invalid_argument, with a line for people that lists the options, where these cannot be meant.
std::optional<StrategyChoice> choose_strategy(std::string_view text);

}  // namespace tune::search
