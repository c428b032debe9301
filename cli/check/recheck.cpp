// SPDX-License-Identifier: Apache-2.0
#include "cli/check/recheck.hpp"

#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune::cli {
namespace {

// Nine rounds have an interval of 95 % that leaves out the fastest and the slowest.
constexpr FinalsOptions rounds = {.finalists = 2, .least_rounds = 9, .most_rounds = 15};

Evaluation as_finalist(const Configuration& configuration) {
  Evaluation evaluation;
  evaluation.configuration = configuration;
  evaluation.outcome = Measurement{};
  return evaluation;
}

std::vector<double> seconds_of(const Finals& finals, const Configuration& configuration) {
  std::vector<double> seconds;
  for (const FinalPlace& place : finals.places)
    if (place.configuration == configuration)
      for (const FinalRound& round : place.rounds) seconds.push_back(round.seconds);
  return seconds;
}

std::string times_text(double gain) {
  return format("{:.3g} times as fast as the default", gain);
}

/// Nothing where it is as good as recorded.
std::optional<std::string> worse_gain(const Verdict& verdict, const RecheckLimits& limits) {
  if (!verdict.gain || !verdict.stored_gain) return std::nullopt;
  // All of the interval below: with 95 % confidence more than the threshold is lost.
  if (verdict.gain->high * (1 + limits.threshold) >= *verdict.stored_gain) return std::nullopt;
  return format("{} ({:.3g} to {:.3g}), recorded {:.3g}", times_text(verdict.gain->median), verdict.gain->low,
                verdict.gain->high, *verdict.stored_gain);
}

std::optional<std::string> worse_time(const StoredWinner& stored, const Verdict& verdict,
                                      const RecheckLimits& limits) {
  if (verdict.seconds.low <= stored.seconds * (1 + limits.threshold)) return std::nullopt;
  return format("{} ({} to {}), recorded {}", si(verdict.seconds.median, "s"), si(verdict.seconds.low, "s"),
                si(verdict.seconds.high, "s"), si(stored.seconds, "s"));
}

std::string good_text(const StoredWinner& stored, const Verdict& verdict) {
  std::string text = format("{}, recorded {}", si(verdict.seconds.median, "s"), si(stored.seconds, "s"));
  if (verdict.gain) text += "; " + times_text(verdict.gain->median);
  if (verdict.stored_gain) text += format(", recorded {:.3g}", *verdict.stored_gain);
  return text;
}

}  // namespace

Recheck measure_again(const StoredWinner& stored, Evaluator& evaluator, const std::function<bool()>& stop) {
  std::vector<Evaluation> finalists = {as_finalist(stored.configuration)};
  if (stored.plain) finalists.push_back(as_finalist(*stored.plain));
  const Finals finals = hold_finals(finalists, evaluator, Objective::time, rounds, stop);
  Recheck result;
  result.interrupted = finals.interrupted;
  for (const Evaluation& failed : finals.failures)
    if (failed.configuration == stored.configuration) result.failure = failed.outcome.error();
  result.seconds = seconds_of(finals, stored.configuration);
  if (stored.plain) result.plain_seconds = seconds_of(finals, *stored.plain);
  return result;
}

Verdict judge(const StoredWinner& stored, const Recheck& now, const RecheckLimits& limits) {
  Verdict verdict;
  if (now.failure) {
    verdict.kind = Verdict::Kind::failed;
    verdict.text =
        format("{}: {}: {}", to_string(now.failure->phase), now.failure->reason, now.failure->detail);
    return verdict;
  }
  if (now.interrupted || now.seconds.empty()) {
    verdict.text = "interrupted";
    return verdict;
  }
  verdict.seconds = median_interval(now.seconds, finals_confidence);
  std::vector<double> gains;
  for (std::size_t i = 0; i < std::min(now.seconds.size(), now.plain_seconds.size()); ++i)
    gains.push_back(now.plain_seconds[i] / now.seconds[i]);
  if (!gains.empty()) verdict.gain = median_interval(gains, finals_confidence);
  if (stored.plain_seconds) verdict.stored_gain = *stored.plain_seconds / stored.seconds;
  const bool by_gain = verdict.gain && verdict.stored_gain;
  std::optional<std::string> worse = worse_gain(verdict, limits);
  if (!worse && (!by_gain || limits.absolute)) worse = worse_time(stored, verdict, limits);
  if (verdict.gain && verdict.gain->high * (1 + finals_resolution) < 1) {
    verdict.kind = Verdict::Kind::beaten;
    verdict.text = format("the default configuration is faster: {} against {}",
                          si(median_interval(now.plain_seconds, finals_confidence).median, "s"),
                          si(verdict.seconds.median, "s"));
  } else if (worse) {
    verdict.kind = Verdict::Kind::lost;
    verdict.text = *worse;
  } else {
    verdict.kind = Verdict::Kind::ok;
    verdict.text = good_text(stored, verdict);
  }
  return verdict;
}

}  // namespace tune::cli
