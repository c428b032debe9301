// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "db/read/queries.hpp"

/// Evaluations of one workload in the order of list_results, of which only the ranks lie in memory.
namespace tune::db {

/// The rank of an evaluation.
struct RankedEvaluation {
  std::int64_t evaluation = 0;
  double time = 0;  ///< seconds that it is ranked by; 0 for a failure
  bool outranked = false;
  std::int64_t place = 0;
  RunId rerank_run = 0;  ///< 0 where it has no re-ranking
};

/// Returns the current evaluations of the workload, failures included.
std::vector<RankedEvaluation> ranked_of_workload(const Database& database, std::int64_t workload);
/// Returns all that the run saw, superseded ones included.
std::vector<RankedEvaluation> ranked_of_run(const Database& database, RunId run);
/// Returns the numbers of all evaluations of a configuration under a workload.
std::vector<std::int64_t> evaluations_of(const Database& database, std::int64_t workload,
                                         const Configuration& configuration);

/// Reads evaluations by their numbers; throws Error where there is none. Returns nothing for a row with a
/// text that cannot be read, which is noted in the database.
class ResultReader {
 public:
  /// The database must outlive it.
  explicit ResultReader(const Database& database);
  ~ResultReader();

  std::optional<ResultRow> row(std::int64_t evaluation);
  std::optional<Configuration> configuration(std::int64_t evaluation);

 private:
  struct Statements;

  const Database& database_;
  std::unique_ptr<Statements> statements_;
};

}  // namespace tune::db
