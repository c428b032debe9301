// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/recheck.hpp"

#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune {
namespace {

// The 95 % interval of nine rounds leaves out the fastest and the slowest.
constexpr RerankOptions recheck_rounds = {.top_k = 2, .min_rounds = 9, .max_rounds = 15};

Evaluation as_candidate(const Configuration& configuration) {
  Evaluation evaluation;
  evaluation.configuration = configuration;
  evaluation.outcome = Measurement{};
  return evaluation;
}

std::vector<double> seconds_of(const RerankResult& rerank, const Configuration& configuration) {
  std::vector<double> seconds;
  for (const RerankPlace& place : rerank.places)
    if (place.configuration == configuration)
      for (const RerankRound& round : place.rounds) seconds.push_back(round.seconds);
  return seconds;
}

std::string times_text(double gain) {
  return format("{:.3g} times as fast as the default", gain);
}

/// Returns nothing where the gain is as good as recorded.
std::optional<std::string> worse_gain(const RecheckVerdict& verdict, const RecheckLimits& limits) {
  if (!verdict.gain || !verdict.stored_gain) return std::nullopt;
  // The whole interval lies below: with 95 % confidence more than the threshold is lost.
  if (verdict.gain->high * (1 + limits.threshold) >= *verdict.stored_gain) return std::nullopt;
  return format("{} ({:.3g} to {:.3g}), recorded {:.3g}", times_text(verdict.gain->median), verdict.gain->low,
                verdict.gain->high, *verdict.stored_gain);
}

std::optional<std::string> worse_time(const StoredWinner& stored, const RecheckVerdict& verdict,
                                      const RecheckLimits& limits) {
  if (verdict.seconds.low <= stored.seconds * (1 + limits.threshold)) return std::nullopt;
  return format("{} ({} to {}), recorded {}", si(verdict.seconds.median, "s"), si(verdict.seconds.low, "s"),
                si(verdict.seconds.high, "s"), si(stored.seconds, "s"));
}

std::string good_text(const StoredWinner& stored, const RecheckVerdict& verdict) {
  std::string text = format("{}, recorded {}", si(verdict.seconds.median, "s"), si(stored.seconds, "s"));
  if (verdict.gain) text += "; " + times_text(verdict.gain->median);
  if (verdict.stored_gain) text += format(", recorded {:.3g}", *verdict.stored_gain);
  return text;
}

}  // namespace

Recheck measure_again(const StoredWinner& stored, RerankDevice& device, const std::function<bool()>& stop) {
  std::vector<Evaluation> top_k = {as_candidate(stored.configuration)};
  if (stored.plain) top_k.push_back(as_candidate(*stored.plain));
  const RerankResult rerank = confirm_top_k(top_k, device, Objective::time, recheck_rounds, stop);
  Recheck result;
  result.interrupted = rerank.interrupted;
  for (const Evaluation& failed : rerank.failures)
    if (failed.configuration == stored.configuration) result.failure = failed.outcome.error();
  result.seconds = seconds_of(rerank, stored.configuration);
  if (stored.plain) result.plain_seconds = seconds_of(rerank, *stored.plain);
  return result;
}

RecheckVerdict judge(const StoredWinner& stored, const Recheck& now, const RecheckLimits& limits) {
  RecheckVerdict verdict;
  if (now.failure) {
    verdict.kind = RecheckVerdict::Kind::failed;
    verdict.text =
        format("{}: {}: {}", to_string(now.failure->phase), now.failure->reason, now.failure->detail);
    return verdict;
  }
  if (now.interrupted || now.seconds.empty()) {
    verdict.text = "interrupted";
    return verdict;
  }
  verdict.seconds = median_interval(now.seconds, rerank_confidence);
  std::vector<double> gains;
  for (std::size_t i = 0; i < std::min(now.seconds.size(), now.plain_seconds.size()); ++i)
    gains.push_back(now.plain_seconds[i] / now.seconds[i]);
  if (!gains.empty()) verdict.gain = median_interval(gains, rerank_confidence);
  if (stored.plain_seconds) verdict.stored_gain = *stored.plain_seconds / stored.seconds;
  const bool by_gain = verdict.gain && verdict.stored_gain;
  std::optional<std::string> worse = worse_gain(verdict, limits);
  if (!worse && (!by_gain || limits.absolute)) worse = worse_time(stored, verdict, limits);
  if (verdict.gain && verdict.gain->high * (1 + rerank_resolution) < 1) {
    verdict.kind = RecheckVerdict::Kind::beaten;
    verdict.text = format("the default configuration is faster: {} against {}",
                          si(median_interval(now.plain_seconds, rerank_confidence).median, "s"),
                          si(verdict.seconds.median, "s"));
  } else if (worse) {
    verdict.kind = RecheckVerdict::Kind::lost;
    verdict.text = *worse;
  } else {
    verdict.kind = RecheckVerdict::Kind::ok;
    verdict.text = good_text(stored, verdict);
  }
  return verdict;
}

}  // namespace tune
