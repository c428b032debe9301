// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/rerank.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>

#include "tuner/base/format.hpp"

namespace tune {
namespace {

/// More than are re-ranked, so that others are left when top candidates turn out to be wrong.
constexpr std::size_t max_kept = 128;

/// Returns the objective's value of each round; nothing where one is unknown. `one` is a place or an
/// evaluation.
std::optional<std::vector<double>> values_of(const std::vector<RerankRound>& rounds, const auto& one,
                                             const Objective& objective) {
  std::vector<double> values;
  for (const RerankRound& round : rounds) {
    const std::optional<double> value = objective_value(
        {one.configuration, one.resources, round.seconds, round.energy, &round.metrics}, objective);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

/// Compares round by round, as far as both went.
std::vector<double> ratios(const std::vector<double>& values, const std::vector<double>& winner) {
  std::vector<double> result;
  for (std::size_t i = 0; i < std::min(values.size(), winner.size()); ++i)
    result.push_back(values[i] == winner[i] ? 1 : values[i] / winner[i]);  // 0/0: both below the clock's tick
  return result;
}

std::vector<double> seconds_of(const std::vector<RerankRound>& rounds) {
  std::vector<double> result;
  for (const RerankRound& round : rounds) result.push_back(round.seconds);
  return result;
}

/// A top candidate during the re-ranking, shared by configurations of equal machine code.
struct RerankCandidate {
  std::vector<const Evaluation*> members;
  std::vector<RerankRound> rounds = {};
  std::optional<Failure> failure = {};
  bool out = false;  ///< failed, or clearly slower
};

/// A metric may differ where the machine code is equal: its formula may name a parameter.
std::vector<RerankCandidate> entries_of(std::span<const Evaluation> top_k, const Objective& objective) {
  const bool shared = objective.of_metric() == nullptr && objective.of_front() == nullptr;
  std::vector<RerankCandidate> entries;
  for (const Evaluation& candidate : top_k) {
    const auto same = std::ranges::find_if(entries, [&](const RerankCandidate& entry) {
      return shared && same_measurement(*entry.members.front(), candidate);
    });
    if (same != entries.end())
      same->members.push_back(&candidate);
    else
      entries.push_back({{&candidate}});
  }
  return entries;
}

/// Takes out candidates that are slower than the leader in every round. True once it is clear which of the
/// others tie.
bool decided(std::vector<RerankCandidate>& entries, const Objective& objective) {
  if (objective.of_front() != nullptr) return true;
  std::vector<std::pair<RerankCandidate*, std::vector<double>>> running;
  for (RerankCandidate& entry : entries)
    if (!entry.out)
      if (auto values = values_of(entry.rounds, *entry.members.front(), objective))
        running.emplace_back(&entry, std::move(*values));
  if (running.empty()) return true;
  const auto leader =
      std::ranges::min_element(running, {}, [](const auto& one) { return median(one.second); });
  bool clear = true;
  for (const auto& [entry, values] : running) {
    if (entry == leader->first) continue;
    const auto [min, max] = std::ranges::minmax(ratios(values, leader->second));
    entry->out = min > 1 + rerank_resolution;
    if (!entry->out && max >= 1 + rerank_resolution) clear = false;
  }
  return clear;
}

bool is_read(const Result<Timing>& timing, const Evaluation& candidate, const Objective& objective) {
  return timing && !timing->samples.empty() &&
         objective_value({candidate.configuration, candidate.resources, median(timing->samples),
                          timing->energy, &timing->metrics},
                         objective);
}

void take_turn(RerankCandidate& entry, std::size_t index, RerankDevice& device, const Objective& objective) {
  if (entry.out) return;
  const Evaluation& candidate = *entry.members.front();
  Result<Timing> timing = device.time_candidate(index);
  if (timing && !is_read(timing, candidate, objective)) timing = device.time_candidate(index);
  if (timing && !is_read(timing, candidate, objective))
    timing = objective.needs_energy()
                 ? fail(Phase::launch, std::string(energy_not_read), "the device reported no energy, twice")
                 : fail(Phase::launch, "no result",
                        format("{} is not a positive number, twice", to_string(objective)));
  if (timing)
    entry.rounds.push_back({median(timing->samples), timing->energy, timing->metrics});
  else if (timing.error().reason != run_ended)
    entry.failure = timing.error();
  entry.out = !timing;
}

/// Leaves out the last candidates, which were the slowest, where a round of all takes too long for `rounds`
/// more of them within `left` seconds; two always stay. `took`: the seconds of a round.
void keep_what_fits(std::vector<RerankCandidate>& entries, double took, double left, std::size_t rounds) {
  std::vector<RerankCandidate*> running;
  for (RerankCandidate& entry : entries)
    if (!entry.out) running.push_back(&entry);
  const double turn = took / static_cast<double>(std::max<std::size_t>(1, running.size()));
  const double all = turn * static_cast<double>(rounds);
  const auto count = static_cast<double>(running.size());
  const double fitting = all > 0 ? std::clamp(left / all, std::min(2.0, count), count) : count;
  for (auto i = static_cast<std::size_t>(fitting); i < running.size(); ++i) {
    running[i]->out = true;
    running[i]->rounds.clear();
  }
}

/// Drops the last round where not all running candidates have it, unless it is the only one.
void keep_complete_rounds(std::vector<RerankCandidate>& entries, std::size_t last) {
  const bool complete = std::ranges::all_of(
      entries, [&](const RerankCandidate& entry) { return entry.out || entry.rounds.size() > last; });
  if (complete || last == 0) return;
  for (RerankCandidate& entry : entries)
    if (entry.rounds.size() > last) entry.rounds.resize(last);
}

Evaluation failed(const Evaluation& candidate, const Failure& failure) {
  Evaluation evaluation = candidate;
  evaluation.outcome = tl::unexpected(failure);
  evaluation.phases = {};
  evaluation.reused = false;
  evaluation.attempts = failure.phase == Phase::crash ? 2 : 1;  // see RerankDevice::time_candidate
  return evaluation;
}

/// Returns 0 where the evaluation was stored without its samples.
double seconds_of(const Evaluation& evaluation) {
  if (!evaluation.outcome || evaluation.outcome->samples.empty()) return 0;
  return median(evaluation.outcome->samples);
}

}  // namespace

RerankOptions RerankOptions::for_executions_of(double seconds) const {
  RerankOptions fitting = *this;
  if (!(seconds > long_execution)) return fitting;
  const double share = long_execution / seconds;
  const auto part = [share](std::size_t of, std::size_t min) {
    return std::max(std::min(of, min), static_cast<std::size_t>(static_cast<double>(of) * share));
  };
  fitting.top_k = part(top_k, 3);
  fitting.max_rounds = part(max_rounds, min_rounds);
  return fitting;
}

double RerankPlace::energy() const {
  std::vector<double> joules;
  for (const RerankRound& round : rounds)
    if (round.energy > 0) joules.push_back(round.energy);
  return joules.empty() ? 0 : median(joules);
}

Metrics RerankPlace::metrics() const {
  Metrics medians;
  if (rounds.empty()) return medians;
  for (const auto& [name, first] : rounds.front().metrics) {
    std::vector<double> values;
    for (const RerankRound& round : rounds)
      for (const auto& [other, value] : round.metrics)
        if (other == name) values.push_back(value);
    medians.emplace_back(name, median(values));
  }
  return medians;
}

std::optional<FrontValues> RerankPlace::front_values(const Objective& objective) const {
  std::vector<double> first, second;
  for (const RerankRound& round : rounds) {
    const auto both = tune::front_values(
        {configuration, resources, round.seconds, round.energy, &round.metrics}, objective);
    if (!both) return std::nullopt;
    first.push_back(both->front());
    second.push_back(both->back());
  }
  if (first.empty()) return std::nullopt;
  return FrontValues{median(first), median(second)};
}

bool same_measurement(const Evaluation& a, const Evaluation& b) {
  return a.outcome && b.outcome && !a.binary_hash.empty() && a.binary_hash == b.binary_hash &&
         a.outcome->samples == b.outcome->samples;
}

void TopCandidates::add(const Evaluation& evaluation, double scale) {
  const std::optional<double> value = objective_value(evaluation, objective_);
  if (!value) return;
  RankedEvaluation ranked{*value * scale, evaluation.configuration.key(), evaluation};
  if (const auto both = front_values(evaluation, objective_)) {
    ranked.both = *both;
    const auto beats = [](const RankedEvaluation& a, const RankedEvaluation& b) {
      return dominates(a.both, b.both) || (a.both == b.both && a.key != b.key);
    };
    if (std::ranges::none_of(front_, [&](const auto& one) { return beats(one, ranked); })) {
      std::erase_if(front_, [&](const auto& one) { return beats(ranked, one) || one.key == ranked.key; });
      front_.push_back(ranked);
    }
  }
  const auto rank = [](const RankedEvaluation& c) {
    return std::tie(c.value, c.key);
  };  // makes the order of equal values unique
  if (sorted_.size() == max_kept && rank(sorted_.back()) < rank(ranked)) return;
  sorted_.insert(std::ranges::upper_bound(sorted_, rank(ranked), {}, rank), std::move(ranked));
  if (sorted_.size() > max_kept) sorted_.pop_back();
}

void TopCandidates::remove(const Configuration& configuration) {
  std::erase_if(sorted_, [key = configuration.key()](const RankedEvaluation& c) { return c.key == key; });
  if (front_.empty()) return;
  // What it dominated may belong to the front now, as far as it is still known.
  std::vector<RankedEvaluation> known = sorted_;
  std::ranges::copy_if(front_, std::back_inserter(known), [&](const RankedEvaluation& one) {
    return one.key != configuration.key() &&
           std::ranges::find(sorted_, one.key, &RankedEvaluation::key) == sorted_.end();
  });
  std::vector<FrontValues> values;
  for (const RankedEvaluation& one : known) values.push_back(one.both);
  front_.clear();
  for (const std::size_t i : front_of(values)) front_.push_back(known[i]);
}

std::vector<Evaluation> TopCandidates::front(std::size_t most) const {
  std::vector<RankedEvaluation> members = front_;
  std::ranges::sort(members, {}, [](const RankedEvaluation& one) { return one.both; });
  if (members.size() > most && most > 1)
    for (std::size_t i = 0; i < most; ++i) members[i] = members[i * (members.size() - 1) / (most - 1)];
  members.resize(std::min(members.size(), most));
  std::ranges::sort(members, {}, &RankedEvaluation::value);
  std::vector<Evaluation> evaluations;
  for (RankedEvaluation& one : members) evaluations.push_back(std::move(one.evaluation));
  return evaluations;
}

std::vector<Evaluation> TopCandidates::top_k(const RerankOptions& given) const {
  const RerankOptions options =
      sorted_.empty() ? given : given.for_executions_of(seconds_of(sorted_.front().evaluation));
  if (objective_.of_front() != nullptr) return front(options.top_k);
  std::vector<Evaluation> chosen;
  std::size_t codes = 0;
  for (const RankedEvaluation& ranked : sorted_) {
    const Measurement& measurement = *ranked.evaluation.outcome;
    // Other objectives have no samples of their own: the interval of the times stands for theirs.
    const MedianInterval interval = median_interval(measurement.samples, measuring_confidence);
    const double lowest = interval.median > 0 ? ranked.value * (interval.low / interval.median) : 0;
    if (lowest > sorted_.front().value * (1 + options.within)) continue;
    const bool known = std::ranges::any_of(
        chosen, [&](const Evaluation& other) { return same_measurement(other, ranked.evaluation); });
    if (!known && codes == options.top_k) continue;
    if (!known) ++codes;
    chosen.push_back(ranked.evaluation);
  }
  return chosen;
}

std::vector<RankedConfiguration> TopCandidates::first(std::size_t count) const {
  std::vector<RankedConfiguration> all;
  for (const RankedEvaluation& ranked : std::span(sorted_).first(std::min(count, sorted_.size())))
    all.push_back({ranked.evaluation.configuration, ranked.value});
  return all;
}

RerankResult confirm_top_k(std::span<const Evaluation> top_k, RerankDevice& device,
                           const Objective& objective, const RerankOptions& given,
                           const std::function<bool()>& stop, const std::function<double()>& seconds_left) {
  const RerankOptions options = top_k.empty() ? given : given.for_executions_of(seconds_of(top_k.front()));
  RerankResult rerank;
  rerank.objective = objective;
  std::vector<RerankCandidate> entries = entries_of(top_k, objective);
  std::vector<Configuration> configurations;
  for (const RerankCandidate& entry : entries) configurations.push_back(entry.members.front()->configuration);
  if (configurations.empty()) return rerank;
  device.begin_rerank(configurations);
  const double left_at_first = seconds_left ? seconds_left() : 0;
  for (std::size_t round = 0; round < options.max_rounds; ++round) {
    // Every other round runs backwards, so that no candidate always follows the same neighbour.
    for (std::size_t i = 0; i < entries.size(); ++i) {
      rerank.interrupted = stop();
      if (rerank.interrupted) return rerank;
      if (seconds_left && seconds_left() <= 0) break;
      const std::size_t turn = round % 2 == 0 ? i : entries.size() - 1 - i;
      take_turn(entries[turn], turn, device, objective);
    }
    rerank.interrupted = stop();
    if (rerank.interrupted) return rerank;
    if (seconds_left && seconds_left() <= 0) {
      keep_complete_rounds(entries, round);
      break;
    }
    // Members of a front that are left out would be missing.
    if (round == 0 && std::isfinite(left_at_first) && seconds_left && objective.of_front() == nullptr)
      keep_what_fits(entries, left_at_first - seconds_left(), seconds_left(), options.min_rounds - 1);
    if (round + 1 >= options.min_rounds && decided(entries, objective)) break;
  }
  std::vector<RerankPlace> places;
  for (const RerankCandidate& entry : entries)
    for (const Evaluation* member : entry.members) {
      if (entry.failure)
        rerank.failures.push_back(failed(*member, *entry.failure));
      else
        places.push_back(
            {.configuration = member->configuration, .rounds = entry.rounds, .resources = member->resources});
    }
  rerank.places = rank_top_k(std::move(places), objective);
  return rerank;
}

namespace {

/// The place that wins, by the values of the rounds of each.
std::size_t winner_of(const std::vector<RerankPlace>& places,
                      const std::vector<std::vector<double>>& values) {
  const auto rank = [&](std::size_t i) {
    return std::tuple(-static_cast<std::ptrdiff_t>(values[i].size()), median(values[i]),
                      places[i].configuration.key());
  };
  std::size_t winner = 0;
  for (std::size_t i = 1; i < places.size(); ++i)
    if (rank(i) < rank(winner)) winner = i;
  // Rounds compare better than medians over a time in which the device drifts. There may be a circle.
  for (std::size_t changes = 0, least = winner; changes < places.size(); ++changes) {
    double ratio = 1;
    for (std::size_t i = 0; i < places.size(); ++i)
      if (values[i].size() == values[winner].size())
        if (const double other = median(ratios(values[i], values[winner])); other < ratio) {
          ratio = other;
          least = i;
        }
    if (least == winner) return winner;
    winner = least;
  }
  return winner;
}

/// Says which places no other dominates.
void rank_front(std::vector<RerankPlace>& places, std::size_t winner, const Objective& objective) {
  std::vector<FrontValues> both;
  for (const RerankPlace& place : places) both.push_back(place.front_values(objective).value());
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i].tied = std::ranges::none_of(
        both, [&](const FrontValues& other) { return dominates(other, both[i], rerank_resolution); });
  places[winner].tied = true;  // its product is the smallest
}

}  // namespace

std::vector<RerankPlace> rank_top_k(std::vector<RerankPlace> places, const Objective& objective) {
  const auto rounds_of = [&](const RerankPlace& place) { return values_of(place.rounds, place, objective); };
  std::erase_if(places, [&](const RerankPlace& place) { return place.rounds.empty() || !rounds_of(place); });
  if (places.empty()) return places;
  std::vector<std::vector<double>> values;
  for (const RerankPlace& place : places) values.push_back(*rounds_of(place));
  const std::size_t winner = winner_of(places, values);
  const std::string winner_key = places[winner].configuration.key();
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i].time = median_interval(seconds_of(places[i].rounds), rerank_confidence);
    places[i].ratio = median_interval(ratios(values[i], values[winner]), rerank_confidence);
    places[i].tied = places[i].ratio.low < 1 + rerank_resolution;
  }
  if (objective.of_front() != nullptr) rank_front(places, winner, objective);
  std::ranges::sort(places, {}, [&](const RerankPlace& place) {
    const std::string key = place.configuration.key();
    return std::tuple(key != winner_key, place.ratio.median, key);
  });
  return places;
}

std::vector<RerankPlace> rank_again(std::span<const Evaluation> top_k, const RerankResult& earlier,
                                    const Objective& objective) {
  std::map<std::string, const RerankPlace*> known;
  for (const RerankPlace& place : earlier.places) known.emplace(place.configuration.key(), &place);
  std::vector<RerankPlace> places;
  for (const Evaluation& candidate : top_k) {
    const auto found = known.find(candidate.configuration.key());
    if (found == known.end()) return {};
    places.push_back({.configuration = candidate.configuration,
                      .rounds = found->second->rounds,
                      .resources = candidate.resources});
  }
  return rank_top_k(std::move(places), objective);
}

}  // namespace tune
