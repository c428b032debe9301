// SPDX-License-Identifier: Apache-2.0
#include "cli/input/measure_choice.hpp"

#include <algorithm>
#include <charconv>

#include "cli/input/options.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

/// Energy is measured for half a second a turn.
constexpr std::size_t top_k_by_energy = 5;
constexpr int largest_count = 1'000'000;

/// A number that takes all of the text.
template<class T>
std::optional<T> number(std::string_view text) {
  T value = {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void choose_samples(const std::string& text, MeasureOptions& measure) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto min = number<int>(std::string_view(text).substr(0, colon));
  const auto max = colon == text.size() ? std::max(min, std::optional(measure.max_samples))
                                        : number<int>(std::string_view(text).substr(colon + 1));
  if (!min || !max || *min < 1 || *max < *min || *max > largest_count)
    throw UsageError(
        format("--samples: '{}' is not of the form MIN or MIN:MAX, as 7:60, with MIN from 1 to MAX", text));
  measure.min_samples = *min;
  measure.max_samples = *max;
}

}  // namespace

double chosen_share(const std::string& text, const std::string& option) {
  const bool percent = text.ends_with('%');
  const auto value = number<double>(std::string_view(text).substr(0, text.size() - (percent ? 1 : 0)));
  const double spread = value.value_or(-1) * (percent ? 0.01 : 1);
  if (!(spread > 0 && spread < 1))
    throw UsageError(format("--{}: '{}' is not a share between 0 and 1, as 1% or 0.01", option, text));
  return spread;
}

void add_measure_options(po::options_description& options) {
  options.add_options()  //
      ("objective", po::value<std::string>()->default_value("time")->value_name("O"),
       "what is to be smallest: time, energy, or edp (their product)")  //
      ("cache", po::value<std::string>()->default_value("cold")->value_name("C"),
       "of the caches when an execution starts: cold (flushed) or warm (as the one before left them)")  //
      ("samples", po::value<std::string>()->value_name("MIN[:MAX]"),
       "samples of a configuration; default 7:60")  //
      ("spread", po::value<std::string>()->default_value("1%")->value_name("S"),
       "a configuration is measured until half the 95 % interval of its median is at most this share of "
       "it")  //
      ("no-race", po::bool_switch(),
       "measure to the end also what is clearly slower than the fastest so far")  //
      ("finalists", po::value<std::string>()->value_name("N"),
       "how many of the best are timed again in turns at the end; default 12, or 5 by energy; 0: none");
}

MeasureChoice chosen_measuring(const po::variables_map& values) {
  MeasureChoice choice;
  choice.objective = objective_from_string(chosen_name(values, "objective", {"time", "energy", "edp"}));
  choice.cache = cache_state_from_string(chosen_name(values, "cache", {"cold", "warm"}));
  choice.measure.flush_cache = choice.cache == CacheState::cold;
  choice.measure.energy = choice.objective != Objective::time;
  if (values.count("samples")) choose_samples(option_text(values, "samples"), choice.measure);
  choice.measure.spread = chosen_share(option_text(values, "spread"), "spread");
  // The slower one may take less energy.
  choice.race = choice.objective == Objective::time && !values["no-race"].as<bool>();
  if (choice.objective != Objective::time) choice.rerank.top_k = top_k_by_energy;
  choice.rerank.top_k = option_count(values, "finalists", choice.rerank.top_k, 0);
  return choice;
}

}  // namespace tune::cli
