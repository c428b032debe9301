// SPDX-License-Identifier: Apache-2.0
#include "library/run/tuning_run.hpp"

#include "db/store/sqlite_store.hpp"
#include "library/run/related_records.hpp"
#include "library/run/version.hpp"
#include "search/strategies/registry.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/base/units.hpp"

namespace tune::run {

void describe_workload(RunRecord& record, const Problem& problem, const Instance& instance,
                       const DeviceProperties& device, CacheState cache) {
  const ProblemCost cost = problem.cost(instance);
  record.key.instance = instance;
  record.key.device = device;
  record.key.cache = cache;
  record.items = cost.items;
  record.flops = cost.flops;
  record.bytes = cost.bytes;
  record.item = problem.info().item;
  record.limit = roofline_limit(cost, device);
  record.limit_by = host_bound(cost, device);
  record.program_version = version();
}

void check_memory(const Problem& problem, const Instance& instance, const search::SearchSpace& space,
                  const DeviceProperties& device, const KernelSources& sources) {
  const Result<LaunchPlan> plan = problem.plan(instance, space.at(*space.default_configuration()), sources);
  if (!plan) return;  // an ordinary failure, reported as one
  const auto needed = static_cast<double>(plan->memory());
  if (needed <= static_cast<double>(device.global_memory)) return;
  throw UsageError(format("{} {} needs {} of device memory, {} has {}; choose a smaller --size",
                          instance.problem, instance.key(), bytes_text(needed), device.name,
                          bytes_text(static_cast<double>(device.global_memory))));
}

SessionResult tune(db::Database& database, const search::SearchSpace& space, Evaluator& evaluator,
                   RunRecord& record, const TuningOptions& options, SessionObserver& observer,
                   const std::function<void(const std::string&)>& tell) {
  const auto say = [&](const std::string& line) {
    if (tell && !line.empty()) tell(line);
  };
  say(database.notice());
  db::SqliteStore store(database);
  record.space_size = space.size();
  search::SearchTask task{space, record.options.seed};
  const search::StrategyChoice choice = search::choose_strategy(record.options.strategy).value();
  if (choice.entry->uses_records && options.transfer) {
    RelatedRecords related = related_records(database, record.key, space);
    say(related.notice);
    task.related = std::move(related.records);
  }
  const auto strategy = choice.make(task);
  Session session(space, *strategy, evaluator, store, seconds_now);
  if (options.default_first) session.begin_with(space.default_configuration());
  return session.run(record, options.budget, options.fresh, observer, options.rerank);
}

}  // namespace tune::run
