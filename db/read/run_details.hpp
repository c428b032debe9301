// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/read/queries.hpp"

namespace tune::db {

/// One evaluation that a run saw.
struct ProgressPoint {
  std::int64_t sequence = 0;  ///< from 0, in the run
  std::int64_t evaluation = 0;
  bool reused = false;
  std::optional<double> time;  ///< seconds; nothing for a failure
  std::optional<double> best;  ///< the best value of the objective so far, this one included
  std::string recorded;        ///< when it was evaluated: before the run for a reused one
};

/// Failures of one cause.
struct FailureCount {
  Phase phase = Phase::launch;
  std::string reason;
  std::int64_t count = 0;
  Configuration example;  ///< the first that failed so
  std::string detail;     ///< of the example
};

/// A place in a run's re-ranking.
struct RerankRow {
  std::int64_t evaluation = 0;
  Configuration configuration;
  RerankStanding result;
  double energy = 0;                ///< joules: median of the rounds; 0 where not measured
  Metrics metrics = {};             ///< medians of the rounds
  bool reused = false;              ///< the rounds are those of an earlier run
  std::vector<RerankRound> rounds;  ///< in order
};

/// What a device evaluated in a run that several shared.
struct BoardShare {
  std::string uuid;
  std::int64_t evaluations = 0;
  /// The time of a common configuration by that on the first device, when they were compared last.
  std::optional<double> ratio;
};

/// A run in full.
struct RunDetails {
  RunSummary summary;
  RunRecord record;  ///< as it was when the run began
  std::vector<ProgressPoint> progress;
  /// Of its re-ranking, else the fastest that it saw; the next one that can be read.
  std::optional<ResultRow> winner;
  std::vector<double> winner_samples;  ///< seconds, in the order taken
  std::vector<RerankRow> rerank;       ///< the winner first; empty where there were none
  std::vector<BoardShare> boards;      ///< empty where one device evaluated all
  /// By phase in the order of an evaluation, then the most frequent first.
  std::vector<FailureCount> failures;
};

/// Returns a run in full. Throws Error (Exit::no_answer) where there is no such run. The winner costs a
/// ranking of the whole file: without it `winner` and `winner_samples` are empty.
RunDetails run_details(const Database& database, RunId run, bool with_winner = true);
/// Returns what was fixed when the run began; nothing for a run with a text that cannot be read, which is
/// noted in the database. Throws Error as above.
std::optional<RunRecord> readable_run_record(const Database& database, RunId run);
/// Calls `take` for each evaluation that the run saw, in order. Values are those of the samples.
void each_progress(const Database& database, RunId run, const std::function<void(const ProgressPoint&)>& take,
                   const Objective& objective = Objective::time);

/// Returns what each device evaluated in a run that several shared; nothing for another run.
std::vector<BoardShare> boards_of_run(const Database& database, RunId run);

/// Counts the failures among all that a run saw.
std::vector<FailureCount> failures_of_run(const Database& database, RunId run);

/// Returns the places of a run's re-ranking, the winner first; empty where it had none.
std::vector<RerankRow> rerank_of_run(const Database& database, RunId run);

/// Returns samples in seconds, in the order taken; none for a failure.
std::vector<double> samples_of(const Database& database, std::int64_t evaluation);

}  // namespace tune::db
