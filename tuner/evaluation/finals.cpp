// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/finals.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace tune {
namespace {

/// More than can come to the finals, so that others are left when finalists turn out to be wrong.
constexpr std::size_t kept = 128;

/// The objective's value of each round; nothing where one is unknown.
std::optional<std::vector<double>> values_of(const std::vector<FinalRound>& rounds, Objective objective) {
  std::vector<double> values;
  for (const FinalRound& round : rounds) {
    const std::optional<double> value = value_of(round.seconds, round.energy, objective);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

/// Round by round, as far as both went.
std::vector<double> ratios(const std::vector<double>& values, const std::vector<double>& winner) {
  std::vector<double> result;
  for (std::size_t i = 0; i < std::min(values.size(), winner.size()); ++i)
    result.push_back(values[i] == winner[i] ? 1 : values[i] / winner[i]);  // 0/0: both below the clock's tick
  return result;
}

std::vector<double> seconds_of(const std::vector<FinalRound>& rounds) {
  std::vector<double> result;
  for (const FinalRound& round : rounds) result.push_back(round.seconds);
  return result;
}

/// One finalist on its way; those of equal machine code share it.
struct Entry {
  std::vector<const Evaluation*> members;
  std::vector<FinalRound> rounds = {};
  std::optional<Failure> failure = {};
  bool out = false;  ///< failed, or clearly slower
};

std::vector<Entry> entries_of(std::span<const Evaluation> finalists) {
  std::vector<Entry> entries;
  for (const Evaluation& finalist : finalists) {
    const auto same = std::ranges::find_if(
        entries, [&](const Entry& entry) { return same_measurement(*entry.members.front(), finalist); });
    if (same != entries.end())
      same->members.push_back(&finalist);
    else
      entries.push_back({{&finalist}});
  }
  return entries;
}

/// Takes out who is slower than the leader in every round, and says whether it is clear who ties.
bool decided(std::vector<Entry>& entries, Objective objective) {
  std::vector<std::pair<Entry*, std::vector<double>>> running;
  for (Entry& entry : entries)
    if (!entry.out)
      if (auto values = values_of(entry.rounds, objective)) running.emplace_back(&entry, std::move(*values));
  if (running.empty()) return true;
  const auto leader =
      std::ranges::min_element(running, {}, [](const auto& one) { return median(one.second); });
  bool clear = true;
  for (const auto& [entry, values] : running) {
    if (entry == leader->first) continue;
    const auto [least, most] = std::ranges::minmax(ratios(values, leader->second));
    entry->out = least > 1 + finals_resolution;
    if (!entry->out && most >= 1 + finals_resolution) clear = false;
  }
  return clear;
}

void take_turn(Entry& entry, std::size_t index, Evaluator& evaluator) {
  if (entry.out) return;
  const Result<Timing> timing = evaluator.time_finalist(index);
  if (timing)
    entry.rounds.push_back({median(timing->samples), timing->energy});
  else
    entry.failure = timing.error();
  entry.out = entry.failure.has_value();
}

Evaluation failed(const Evaluation& finalist, const Failure& failure) {
  Evaluation evaluation = finalist;
  evaluation.outcome = tl::unexpected(failure);
  evaluation.phases = {};
  evaluation.reused = false;
  return evaluation;
}

/// 0 where it is not known: what was stored without its samples.
double seconds_of(const Evaluation& evaluation) {
  if (!evaluation.outcome || evaluation.outcome->samples.empty()) return 0;
  return median(evaluation.outcome->samples);
}

}  // namespace

FinalsOptions FinalsOptions::for_executions_of(double seconds) const {
  FinalsOptions fitting = *this;
  if (!(seconds > long_execution)) return fitting;
  const double share = long_execution / seconds;
  const auto part = [share](std::size_t of, std::size_t least) {
    return std::max(std::min(of, least), static_cast<std::size_t>(static_cast<double>(of) * share));
  };
  fitting.finalists = part(finalists, 3);
  fitting.most_rounds = part(most_rounds, least_rounds);
  return fitting;
}

double FinalPlace::energy() const {
  std::vector<double> joules;
  for (const FinalRound& round : rounds)
    if (round.energy > 0) joules.push_back(round.energy);
  return joules.empty() ? 0 : median(joules);
}

bool same_measurement(const Evaluation& a, const Evaluation& b) {
  return a.outcome && b.outcome && !a.binary_hash.empty() && a.binary_hash == b.binary_hash &&
         a.outcome->samples == b.outcome->samples;
}

void Contenders::add(const Evaluation& evaluation) {
  const std::optional<double> value = value_of(evaluation, objective_);
  if (!value) return;
  Contender contender{*value, evaluation.configuration.key(), evaluation};
  const auto rank = [](const Contender& c) {
    return std::tie(c.value, c.key);
  };  // equal ones: by name, always
  if (sorted_.size() == kept && rank(sorted_.back()) < rank(contender)) return;
  sorted_.insert(std::ranges::upper_bound(sorted_, rank(contender), {}, rank), std::move(contender));
  if (sorted_.size() > kept) sorted_.pop_back();
}

void Contenders::remove(const Configuration& configuration) {
  std::erase_if(sorted_, [key = configuration.key()](const Contender& c) { return c.key == key; });
}

std::vector<Evaluation> Contenders::finalists(const FinalsOptions& given) const {
  const FinalsOptions options =
      sorted_.empty() ? given : given.for_executions_of(seconds_of(sorted_.front().evaluation));
  std::vector<Evaluation> chosen;
  std::size_t codes = 0;
  for (const Contender& contender : sorted_) {
    const Measurement& measurement = *contender.evaluation.outcome;
    // The other objectives have no samples of their own; their times say how sure the measurement is.
    const MedianInterval interval = median_interval(measurement.samples, measuring_confidence);
    const double lowest = interval.median > 0 ? contender.value * (interval.low / interval.median) : 0;
    if (lowest > sorted_.front().value * (1 + options.within)) continue;
    const bool known = std::ranges::any_of(
        chosen, [&](const Evaluation& other) { return same_measurement(other, contender.evaluation); });
    if (!known && codes == options.finalists) continue;
    if (!known) ++codes;
    chosen.push_back(contender.evaluation);
  }
  return chosen;
}

Finals hold_finals(std::span<const Evaluation> finalists, Evaluator& evaluator, Objective objective,
                   const FinalsOptions& given, const std::function<bool()>& stop) {
  const FinalsOptions options =
      finalists.empty() ? given : given.for_executions_of(seconds_of(finalists.front()));
  Finals finals;
  finals.objective = objective;
  std::vector<Entry> entries = entries_of(finalists);
  std::vector<Configuration> configurations;
  for (const Entry& entry : entries) configurations.push_back(entry.members.front()->configuration);
  if (configurations.empty() || !evaluator.begin_finals(configurations)) return finals;
  for (std::size_t round = 0; round < options.most_rounds; ++round) {
    // Every other round backwards: nobody always follows the same neighbour.
    for (std::size_t i = 0; i < entries.size(); ++i) {
      finals.interrupted = stop();
      if (finals.interrupted) return finals;
      const std::size_t turn = round % 2 == 0 ? i : entries.size() - 1 - i;
      take_turn(entries[turn], turn, evaluator);
    }
    if (round + 1 >= options.least_rounds && decided(entries, objective)) break;
  }
  std::vector<FinalPlace> places;
  for (const Entry& entry : entries)
    for (const Evaluation* member : entry.members) {
      if (entry.failure)
        finals.failures.push_back(failed(*member, *entry.failure));
      else
        places.push_back({member->configuration, entry.rounds});
    }
  finals.places = rank_finals(std::move(places), objective);
  return finals;
}

std::vector<FinalPlace> rank_finals(std::vector<FinalPlace> places, Objective objective) {
  std::erase_if(places, [&](const FinalPlace& place) {
    return place.rounds.empty() || !values_of(place.rounds, objective);
  });
  if (places.empty()) return places;
  const auto rank = [&](const FinalPlace& place) {
    return std::tuple(-static_cast<std::ptrdiff_t>(place.rounds.size()),
                      median(*values_of(place.rounds, objective)), place.configuration.key());
  };
  const std::vector<double> winner = *values_of(std::ranges::min(places, {}, rank).rounds, objective);
  const std::string winner_key = std::ranges::min(places, {}, rank).configuration.key();
  for (FinalPlace& place : places) {
    place.time = median_interval(seconds_of(place.rounds), finals_confidence);
    place.ratio = median_interval(ratios(*values_of(place.rounds, objective), winner), finals_confidence);
    place.tied = place.ratio.low < 1 + finals_resolution;
  }
  std::ranges::sort(places, {}, [&](const FinalPlace& place) {
    const std::string key = place.configuration.key();
    return std::tuple(key != winner_key, place.ratio.median, key);
  });
  return places;
}

std::vector<FinalPlace> rank_again(std::span<const Evaluation> finalists, const Finals& earlier) {
  std::map<std::string, const FinalPlace*> known;
  for (const FinalPlace& place : earlier.places) known.emplace(place.configuration.key(), &place);
  std::vector<FinalPlace> places;
  for (const Evaluation& finalist : finalists) {
    const auto found = known.find(finalist.configuration.key());
    if (found == known.end()) return {};
    places.push_back({finalist.configuration, found->second->rounds});
  }
  return rank_finals(std::move(places), earlier.objective);
}

}  // namespace tune
