// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "search/ask_tell/options.hpp"
#include "search/space/search_space.hpp"

namespace tune::search {

/// What came out of one configuration.
struct Observation {
  ConfigurationId id = 0;
  std::optional<double> cost;  ///< to be minimised (seconds); nothing where the evaluation failed
  double seconds = 0;          ///< that evaluating it took, failed or not; 0 where nobody knows
};

/// What is known of related work: the same problem at another size, type, radius or on another device. Costs
/// compare with each other, not with those of the work at hand.
struct RelatedRecord {
  std::vector<Observation> observations;  ///< configurations that are valid here too
};

/// What a strategy is to search, and what it may know beforehand.
struct SearchTask {
  const SearchSpace& space;  ///< must outlive the strategy
  std::uint64_t seed = 1;
  std::vector<RelatedRecord> related = {};  ///< the most alike first
};

/// Chooses what to evaluate next. It never owns the loop: the session asks for batches and tells what came
/// out.
///
/// Contract, checked for every strategy by one conformance suite: `ask` returns valid ids, at most `count`,
/// none twice in a life (told ones included) until all are out; an empty answer means that nothing is left.
/// The same seed and the same observations give the same trace. Any order and number of `tell`s is allowed,
/// also of configurations that were never asked for (known from the database).
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual std::vector<ConfigurationId> ask(std::size_t count) = 0;
  virtual void tell(std::span<const Observation> observations) = 0;
  /// What the most promising configuration left is expected to gain, as a share of the best cost, by all that
  /// was told; nothing where the strategy has no idea, or too few results for one. May compute for some
  /// milliseconds; changes nothing of what is asked for later.
  virtual std::optional<double> expected_gain() { return std::nullopt; }
  /// How many configurations may be out, asked for and not told, before a session had better wait for
  /// results: one that learns chooses badly when it knows little. Asking for more is allowed.
  virtual std::size_t max_in_flight() const { return std::numeric_limits<std::size_t>::max(); }
};

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

/// Null where no strategy has that name; `auto` is the default one.
const StrategyEntry* find_strategy(std::string_view name);

/// A strategy with the options that somebody wants.
struct StrategyChoice {
  const StrategyEntry* entry = nullptr;
  Settings settings = {};  ///< in the order of its list, without those that have their default

  /// `model:start=10:beliefs=off`: equal for equal searches, and what results are stored under.
  std::string name() const { return std::string(entry->name) + settings_text(settings); }
  std::unique_ptr<Strategy> make(const SearchTask& task) const { return entry->make(task, settings); }
};

/// From `name` or `name:option=value:...`; nothing where no strategy has that name. Throws
/// std::invalid_argument, with a line for people that lists the options, where these cannot be meant.
std::optional<StrategyChoice> choose_strategy(std::string_view text);

/// Null where no strategy has that name, which may have options.
std::unique_ptr<Strategy> make_strategy(std::string_view name, const SearchTask& task);

}  // namespace tune::search
