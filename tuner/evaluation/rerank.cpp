// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/rerank.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

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
    const std::optional<double> value =
        objective_value({one.configuration, one.resources, round.seconds, round.energy}, objective);
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
  const bool shared = objective.of_metric() == nullptr;
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
         objective_value(
             {candidate.configuration, candidate.resources, median(timing->samples), timing->energy},
             objective);
}

void take_turn(RerankCandidate& entry, std::size_t index, RerankDevice& device, const Objective& objective) {
  if (entry.out) return;
  const Evaluation& candidate = *entry.members.front();
  Result<Timing> timing = device.time_candidate(index);
  if (timing && !is_read(timing, candidate, objective)) timing = device.time_candidate(index);
  if (timing && !is_read(timing, candidate, objective))
    timing = fail(Phase::launch, std::string(energy_not_read), "the device reported no energy, twice");
  if (timing)
    entry.rounds.push_back({median(timing->samples), timing->energy});
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
  const auto fitting = static_cast<std::size_t>(std::max(2.0, all > 0 ? left / all : 2.0));
  for (std::size_t i = fitting; i < running.size(); ++i) {
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

bool same_measurement(const Evaluation& a, const Evaluation& b) {
  return a.outcome && b.outcome && !a.binary_hash.empty() && a.binary_hash == b.binary_hash &&
         a.outcome->samples == b.outcome->samples;
}

void TopCandidates::add(const Evaluation& evaluation, double scale) {
  const std::optional<double> value = objective_value(evaluation, objective_);
  if (!value) return;
  RankedEvaluation ranked{*value * scale, evaluation.configuration.key(), evaluation};
  const auto rank = [](const RankedEvaluation& c) {
    return std::tie(c.value, c.key);
  };  // makes the order of equal values unique
  if (sorted_.size() == max_kept && rank(sorted_.back()) < rank(ranked)) return;
  sorted_.insert(std::ranges::upper_bound(sorted_, rank(ranked), {}, rank), std::move(ranked));
  if (sorted_.size() > max_kept) sorted_.pop_back();
}

void TopCandidates::remove(const Configuration& configuration) {
  std::erase_if(sorted_, [key = configuration.key()](const RankedEvaluation& c) { return c.key == key; });
}

std::vector<Evaluation> TopCandidates::top_k(const RerankOptions& given) const {
  const RerankOptions options =
      sorted_.empty() ? given : given.for_executions_of(seconds_of(sorted_.front().evaluation));
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
    if (seconds_left && round == 0)
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

std::vector<RerankPlace> rank_top_k(std::vector<RerankPlace> places, const Objective& objective) {
  const auto values = [&](const RerankPlace& place) { return values_of(place.rounds, place, objective); };
  std::erase_if(places, [&](const RerankPlace& place) { return place.rounds.empty() || !values(place); });
  if (places.empty()) return places;
  const auto rank = [&](const RerankPlace& place) {
    return std::tuple(-static_cast<std::ptrdiff_t>(place.rounds.size()), median(*values(place)),
                      place.configuration.key());
  };
  const std::vector<double> winner = *values(std::ranges::min(places, {}, rank));
  const std::string winner_key = std::ranges::min(places, {}, rank).configuration.key();
  for (RerankPlace& place : places) {
    place.time = median_interval(seconds_of(place.rounds), rerank_confidence);
    place.ratio = median_interval(ratios(*values(place), winner), rerank_confidence);
    place.tied = place.ratio.low < 1 + rerank_resolution;
  }
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
