// SPDX-License-Identifier: Apache-2.0
#include "cli/input/measure_choice.hpp"

#include <algorithm>
#include <charconv>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

/// Energy is measured for half a second a turn.
constexpr std::size_t top_k_by_energy = 5;
constexpr int largest_count = 1'000'000;

/// A number that takes all of the text.
std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// `7:60`, or `7`, which leaves the maximum, if it is not less.
void set_samples(const std::string& text, int& min_samples, int& max_samples) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto min = number(std::string_view(text).substr(0, colon));
  const auto max = colon == text.size() ? std::max(min, std::optional(max_samples))
                                        : number(std::string_view(text).substr(colon + 1));
  if (!min || !max || *min < 1 || *max < *min || *max > largest_count)
    throw UsageError(
        format("--samples: '{}' is not of the form MIN or MIN:MAX, as 7:60, with MIN from 1 to MAX", text));
  min_samples = *min;
  max_samples = *max;
}

}  // namespace

void add_objective_option(OptionTable& table, const std::string& what, Objective& objective) {
  table
      .choice<Objective>("objective", "O", what,
                         {{"time", Objective::time}, {"energy", Objective::energy}, {"edp", Objective::edp}},
                         objective)
      .by_default("time");
}

void add_cache_state_option(OptionTable& table, const std::string& what, CacheState& cache) {
  table
      .choice<CacheState>("cache", "C", what, {{"cold", CacheState::cold}, {"warm", CacheState::warm}}, cache)
      .by_default("cold");
}

void MeasureChoice::add_to(OptionTable& table) {
  add_objective_option(table, "what is to be smallest: time, energy, or edp (their product)", objective);
  add_cache_state_option(
      table, "of the caches when an execution starts: cold (flushed) or warm (as the one before left them)",
      cache);
  table.add("samples", "MIN[:MAX]", "samples of a configuration; default 7:60",
            [this](const std::string& text) { set_samples(text, min_samples, max_samples); });
  table
      .share("spread",
             "a configuration is measured until half the 95 % interval of its median is at most this share "
             "of it",
             spread)
      .by_default("1%");
  table.flag("no-race", "measure to the end also what is clearly slower than the fastest so far", no_race);
  table.count("finalists", "N",
              "how many of the best are timed again in turns at the end; default 12, or 5 by energy; 0: none",
              top_k, 0);
}

MeasureOptions MeasureChoice::measure() const {
  MeasureOptions options;
  options.flush_cache = cache == CacheState::cold;
  options.energy = objective != Objective::time;
  options.min_samples = min_samples;
  options.max_samples = max_samples;
  options.spread = spread;
  return options;
}

RerankOptions MeasureChoice::rerank() const {
  RerankOptions options;
  if (objective != Objective::time) options.top_k = top_k_by_energy;
  options.top_k = top_k.value_or(options.top_k);
  return options;
}

bool MeasureChoice::race() const {
  return objective == Objective::time && !no_race;  // the slower one may take less energy
}

}  // namespace tune::cli
