// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "db/read/queries.hpp"
#include "db/read/run_details.hpp"
#include "tuner/session/session.hpp"

/// Evaluations of one workload in the order of list_results, of which only the ranks lie in memory.
namespace tune::db {

/// The rank of an evaluation.
struct RankedEvaluation {
  std::int64_t evaluation = 0;
  double time = 0;        ///< seconds, of its re-ranking if any; 0 for a failure
  double value = 0;       ///< that it is ranked by: what the objective minimises; 0 where it has none
  double joules = 0;      ///< of its re-ranking; 0 where not measured
  FrontValues both = {};  ///< by a front: its two quantities
  std::int64_t place = 0;
  RunId rerank_run = 0;  ///< 0 where it has no re-ranking
  bool outranked = false;
  bool tied = false;  ///< with the winner of its re-ranking
  bool current = true;
};

/// Returns the current evaluations of the workload: those with a value of the objective, the best first, then
/// other measurements, then failures. Of re-rankings those by this objective count.
std::vector<RankedEvaluation> ranked_of_workload(const Database& database, std::int64_t workload,
                                                 const Objective& objective = Objective::time);
/// Returns all that the run saw, superseded ones included, in this order.
std::vector<RankedEvaluation> ranked_of_run(const Database& database, RunId run,
                                            const Objective& objective = Objective::time);
/// Returns the members of a front, sorted by the first quantity. If a re-ranking ran, only members that it
/// confirmed are returned.
std::vector<FrontMember> front_among(const Database& database, const std::vector<RankedEvaluation>& ranked);
/// Returns the numbers of all evaluations of a configuration under a workload.
std::vector<std::int64_t> evaluations_of(const Database& database, std::int64_t workload,
                                         const Configuration& configuration);

/// What charts need of an evaluation.
struct EvaluationFigures {
  Configuration configuration;
  double error = 0;
  std::optional<KernelResources> resources;
  PhaseTimes phases;
  Metrics metrics = {};
};
/// Calls `take` with the index in `ranked` of each evaluation and its figures, in the order in which they lie
/// in the file: ten times as fast as in that of their ranks. Leaves out rows with a text that cannot be read,
/// which are noted in the database. Throws Error where there is no such evaluation.
void each_figures(const Database& database, const std::vector<RankedEvaluation>& ranked,
                  const std::function<void(std::size_t, const EvaluationFigures&)>& take);
/// The same for configurations alone.
void each_configuration(const Database& database, const std::vector<RankedEvaluation>& ranked,
                        const std::function<void(std::size_t, const Configuration&)>& take);

/// Counts the failures among them.
std::vector<FailureCount> failures_of(const Database& database, const std::vector<RankedEvaluation>& ranked);

/// Reads one evaluation after another; throws Error where there is none. Returns nothing for a row with a
/// text that cannot be read, which is noted in the database.
class ResultReader {
 public:
  /// Of many rows, up to 64 MiB of pages are kept. The database must outlive it.
  ResultReader(const Database& database, std::size_t rows);
  ~ResultReader();

  /// The row has the time, value and re-ranking of its rank.
  std::optional<ResultRow> row(const RankedEvaluation& ranked);

 private:
  struct Parts;

  const Database& database_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tune::db
