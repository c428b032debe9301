// SPDX-License-Identifier: Apache-2.0
#include "library/run/stored_winners.hpp"

#include "db/read/queries.hpp"
#include "search/space/search_space.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/evaluation/device_evaluator.hpp"

namespace tune::run {

Result<StoredWinner> stored_winner(const StoredWorkload& workload, const db::Database& database,
                                   const DeviceProperties& device) {
  const db::ResultRow& result = workload.candidate.result;
  const search::SearchSpace space(workload.problem->space(workload.instance, device));
  if (!space.allows(result.configuration))
    return fail(Phase::constraint, "not valid any more", space.explain(result.configuration));
  StoredWinner stored;
  stored.configuration = result.configuration;
  stored.seconds = *result.time;
  const auto plain = space.default_configuration();
  if (!plain || space.at(*plain) == result.configuration) return stored;
  stored.plain = space.at(*plain);
  db::ResultFilter filter;
  filter.workload = result.workload.id;
  for (const db::ResultRow& row : db::list_results(database, filter))
    if (row.configuration == *stored.plain && row.board.uuid == result.board.uuid &&
        row.board.power_limit == result.board.power_limit)  // times of two boards give no gain
      stored.plain_seconds = row.time;
  return stored;
}

StoredCheck check_stored_workload(const StoredWorkload& workload, const db::Database& database,
                                  Backend& backend, const KernelSources& sources, const RecheckLimits& limits,
                                  const std::function<bool()>& stop) {
  const Stopwatch watch;
  StoredCheck check;
  check.instance = workload.instance;
  const Result<StoredWinner> stored = stored_winner(workload, database, backend.properties());
  if (!stored) {
    Recheck invalid;
    invalid.failure = stored.error();
    check.verdict = judge({}, invalid, limits);
    return check;
  }
  DeviceEvaluator evaluator(*workload.problem, workload.instance, backend, sources);
  evaluator.stop_when({.waiting = stop, .device = stop});
  check.verdict = judge(*stored, measure_again(*stored, evaluator, stop), limits);
  evaluator.stop_when({});
  check.seconds = watch.seconds();
  check.notice = evaluator.notice();
  return check;
}

}  // namespace tune::run
