// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/read/run_details.hpp"
#include "tuner/measurement/rank_agreement.hpp"
#include "tuner/problem/problem.hpp"
#include "tuner/session/session.hpp"

/// One result as all commands and reports show it, as text and as JSON, whether it comes from a run that has
/// just ended or from a database.
namespace tune::reports {

/// A speed that people count in: so many units in one solution, and the unit of the rate.
struct Rate {
  double amount = 0;  ///< of one solution; 0: unknown
  std::string unit = {};
};
/// `FLOP/s` where the items are multiplications and arithmetic binds, `B/s` where memory does, else the
/// items: `cell updates/s`.
Rate main_rate(const db::WorkloadCost& cost, const DeviceProperties& device);
/// `474 Gcell updates/s` of a solution that takes so many seconds.
std::string rate_text(const Rate& rate, double seconds);

/// What is known of a measured configuration. Times in seconds.
struct ShownResult {
  const search::Configuration& configuration;
  double seconds = 0;  ///< the figure that it is ranked by
  db::WorkloadCost cost = {};
  std::string limit_by = {};  ///< what the limit follows from; empty where that is not stored
  std::optional<db::RerankStanding> standing = {};
  bool reused = false;  ///< the rounds of the standing are those of an earlier run
  std::vector<double> round_seconds = {}, samples = {};
  std::uint64_t sample_count = 0;  ///< behind `timing`; 0 where the database has none
  std::optional<Timing> timing = {};
  double joules = 0;  ///< of an execution; 0 where it was not measured, or `timing` has it
  double error = 0, tolerance = 0;
  std::optional<KernelResources> resources = {};
  Metrics metrics = {};  ///< that a command printed, or another program recorded

  /// Where the true time lies: by the rounds of the re-ranking, else by the samples; nothing without either.
  std::optional<MedianInterval> interval() const;
};

/// A stored result.
ShownResult shown(const db::ResultRow& row, std::vector<double> samples = {});
/// A place in a stored re-ranking.
ShownResult shown(const db::RerankRow& place);
/// The best of a run that has just ended, which must be a measurement.
ShownResult shown(const RunRecord& run, const Evaluation& best, const RerankResult& rerank);
/// A place in the re-ranking of a run that has just ended.
ShownResult shown(const RerankPlace& place);

/// What is known of the result, a line each: a short name, and a text that is clear without it. The first is
/// `best`: time, rates and share of the limit.
std::vector<std::pair<std::string, std::string>> result_lines(const ShownResult& result);
/// The texts alone.
std::vector<std::string> result_texts(const ShownResult& result);

/// The problem's metrics of this result that are formulas.
Metrics metrics_of(const Problem& problem, const Instance& instance, const ShownResult& result);

/// A configuration that is as good as the winner, and the ratio of its value to the winner's.
struct Tie {
  const MedianInterval& ratio;
  const search::Configuration& configuration;
};
/// `2 other configurations, less than 0.5 % slower or not certainly slower`.
std::string ties_text(std::uint64_t count);
/// A heading, then a line for each of at most `max` ties. There must be at least one.
std::vector<std::string> ties_lines(const std::vector<Tie>& ties, std::size_t max);

/// These members of all that is known of the result, in this order: `run`, `place`, `configuration`, `tied`,
/// `seconds`, `low_seconds`, `high_seconds`, `confidence`, `ratio`, `low_ratio`, `high_ratio`, `rounds`,
/// `round_seconds`, `samples` (their list), `reused`, `joules` (left out where it was not measured),
/// `items_per_second`, `flops_per_second`, `bytes_per_second`, `share_of_limit` (0 where the limit is
/// unknown), `error`, `tolerance`.
nlohmann::ordered_json result_json(const ShownResult& result,
                                   std::initializer_list<std::string_view> members);

/// How far the order of times at a cheaper instance (`cheaper`: `steps=24`) agrees with that at the instance
/// itself, in words.
std::string agreement_text(std::string_view cheaper, const RankAgreement& agreement);
/// The members `evaluations` and `rank_correlation`; null where nothing was measured at both.
nlohmann::ordered_json agreement_json(const RankAgreement& agreement);

/// The members `problem`, `size` and `settings`.
nlohmann::ordered_json instance_json(const Instance& instance);
/// An array; each entry has `configuration` and `values`, by the names of both quantities.
nlohmann::ordered_json front_json(const std::vector<FrontMember>& front, const Objective& objective);
/// An array; each entry has `phase`, `reason`, `count`, `example` and `detail`.
nlohmann::ordered_json failures_json(const std::vector<db::FailureCount>& failures);
template<class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nullptr;
}

}  // namespace tune::reports
