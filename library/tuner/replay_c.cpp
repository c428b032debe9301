// SPDX-License-Identifier: Apache-2.0
// Recorded spaces, and strategies compared on them, for C.
#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "library/run/recorded_spaces.hpp"
#include "library/run/tuning_run.hpp"
#include "library/tuner/convert.hpp"
#include "library/tuner/own_strategy.hpp"
#include "library/tuner/tuner_c.hpp"
#include "tuner/base/format.hpp"
#include "tuner/replay/comparison.hpp"

struct tune_recordings {
  std::vector<tune::replay::RecordedSpace> spaces;
  std::deque<tune_space> views = {};
};

namespace {

using namespace tune::api;
using namespace tune::api::in_c;
namespace replay = tune::replay;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// A comparison with all that it points to; `view` comes first, so that its address is that of the whole.
struct HeldComparison {
  tune_comparison view{};
  std::string space, strategy;
  std::vector<std::uint64_t> budgets;
  std::deque<std::vector<tune_spread>> shares;
  Views<tune_scores> scores;

  void add(const replay::SpaceFacts& facts, const replay::Scores& one, const char* name) {
    std::vector<tune_spread>& spreads = shares.emplace_back();
    for (const replay::Spread& share : one.share) spreads.push_back({share.mean, share.lower, share.upper});
    scores.add() = {space.c_str(),
                    name,
                    facts.configurations,
                    facts.failed,
                    facts.optimum,
                    budgets.size(),
                    budgets.data(),
                    spreads.data(),
                    one.within_5.evaluations,
                    one.within_5.missed,
                    one.within_1.evaluations,
                    one.within_1.missed,
                    one.score.value_or(not_a_number),
                    one.seconds.value_or(not_a_number)};
  }
};

/// The contender with this name, or the program's own.
replay::ComparedStrategy contender(const char* strategy, const tune_strategy* own) {
  if (own == nullptr) {
    require(strategy, "tune_compare");
    const tune::search::StrategyChoice choice = tune::run::strategy_named(strategy);
    return {choice.name(), [choice](const tune::search::SearchTask& task) { return choice.make(task); }};
  }
  const tune::search::StrategyChoice choice =
      choice_of(std::make_shared<const OwnStrategy>(own_strategy_of(*own)));
  return {choice.name(), choice.own};
}

}  // namespace

tune_status tune_recordings_read(const char* const* files, size_t file_count, const char* only,
                                 tune_recordings** recordings) {
  return status_of([&] {
    constexpr const char* here = "tune_recordings_read";
    require(recordings, here);
    *recordings = nullptr;
    if (file_count > 0) require(files, here);
    std::vector<std::string> names;
    for (size_t i = 0; i < file_count; ++i) {
      require(files[i], here);
      names.emplace_back(files[i]);
    }
    guarded([&] {
      auto held = std::make_unique<tune_recordings>(
          tune_recordings{tune::run::read_spaces(names, only == nullptr ? "" : only, {})});
      if (held->spaces.empty())
        throw Error(only == nullptr ? "no file with recorded spaces is named"
                                    : tune::format("no recorded space has a title with '{}' in it", only));
      for (const replay::RecordedSpace& one : held->spaces) held->views.emplace_back(one.space);
      *recordings = held.release();
    });
  });
}

size_t tune_recordings_count(const tune_recordings* recordings) {
  return recordings == nullptr ? 0 : recordings->spaces.size();
}

const char* tune_recordings_title(const tune_recordings* recordings, size_t index) {
  return index < tune_recordings_count(recordings) ? recordings->spaces[index].name.c_str() : nullptr;
}

const tune_space* tune_recordings_space(const tune_recordings* recordings, size_t index) {
  return index < tune_recordings_count(recordings) ? &recordings->views[index] : nullptr;
}

tune_status tune_recordings_seconds(const tune_recordings* recordings, size_t index, double* seconds) {
  return status_of([&] {
    constexpr const char* here = "tune_recordings_seconds";
    require(tune_recordings_space(recordings, index), here);
    require(seconds, here);
    const replay::RecordedSpace& recorded = recordings->spaces[index];
    const replay::OutcomeTable outcomes(recorded.space, recorded.evaluations);
    for (std::uint64_t number = 0; number < outcomes.size(); ++number)
      seconds[number] = outcomes.at(number).cost.value_or(not_a_number);
  });
}

void tune_recordings_free(tune_recordings* recordings) {
  delete recordings;
}

tune_status tune_compare(const tune_recordings* recordings, size_t index, const char* strategy,
                         const tune_strategy* own, const uint64_t* budgets, size_t budget_count,
                         uint64_t repeats, uint64_t seed, unsigned threads,
                         const tune_comparison** comparison) {
  return status_of([&] {
    constexpr const char* here = "tune_compare";
    require(comparison, here);
    *comparison = nullptr;
    require(tune_recordings_space(recordings, index), here);
    require(budgets, here);
    guarded([&] {
      replay::ComparisonOptions options;
      options.budgets.assign(budgets, budgets + budget_count);
      if (options.budgets.empty() || options.budgets.front() == 0 || repeats == 0 ||
          std::ranges::adjacent_find(options.budgets, std::ranges::greater_equal{}) != options.budgets.end())
        throw Error("budgets: at least one number above 0, in increasing order; repeats: at least 1");
      options.repeats = repeats;
      options.seed = seed;
      options.threads = threads;
      const replay::ComparedStrategy one = contender(strategy, own);
      const replay::RecordedSpace& recorded = recordings->spaces[index];
      const std::vector<replay::SpaceResult> results =
          replay::compare(std::span(&recorded, 1), std::span(&one, 1), options);
      auto held = std::make_unique<HeldComparison>();
      held->space = recorded.name;
      held->strategy = one.name;
      held->budgets = options.budgets;
      held->add(results.front().facts, results.front().random, nullptr);
      held->add(results.front().facts, results.front().scores.front(), held->strategy.c_str());
      held->scores.show(held->view.count, held->view.scores);
      *comparison = &held.release()->view;
    });
  });
}

void tune_comparison_free(const tune_comparison* comparison) {
  delete reinterpret_cast<const HeldComparison*>(comparison);
}
