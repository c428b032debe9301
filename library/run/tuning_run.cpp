// SPDX-License-Identifier: Apache-2.0
#include "library/run/tuning_run.hpp"

#include <algorithm>

#include "db/read/related.hpp"
#include "db/store/sqlite_store.hpp"
#include "library/run/paths.hpp"
#include "library/run/version.hpp"
#include "search/strategies/registry.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/base/units.hpp"

namespace tune::run {
namespace {

constexpr std::size_t max_records = 2;
/// Beyond, what differs decides more than what is alike.
constexpr double max_distance = 3;
/// Fewer say too little, but of the same work: a run with --where knows the best after three.
constexpr std::size_t min_valid = 10, min_of_same = 1;
/// Of one record: more say no more to a search, and cost memory and time.
constexpr std::size_t max_results = 5000;

bool answers_itself(const WorkloadKey& key, const db::RelatedWorkload& related) {
  return key.origin == Origin::replayed && related.workload.size == key.instance.size() &&
         related.workload.settings == key.instance.settings_key() &&
         related.workload.model_key == key.device.model_key();
}

search::RelatedRecord to_record(const std::vector<db::RelatedResult>& results,
                                const search::SearchSpace& space) {
  search::RelatedRecord record;
  for (const auto& [configuration, time] : results)
    if (const auto id = space.find(configuration)) record.observations.push_back({*id, time});
  return record;
}

/// A work, and the database that has it.
struct Found {
  db::RelatedWorkload related;
  const db::Database* database;
};

/// Of all databases, the most alike first.
std::vector<Found> find_workloads(const std::vector<const db::Database*>& databases, const WorkloadKey& key) {
  std::vector<Found> found;
  for (const db::Database* database : databases) try {
      for (db::RelatedWorkload& related : db::related_workloads(*database, key))
        if (related.distance <= max_distance && !answers_itself(key, related))
          found.push_back({std::move(related), database});
    } catch (const Error&) {
      if (database == databases.front()) throw;  // the person's own; a recording is no reason not to search
    }
  std::ranges::stable_sort(found, {}, [](const Found& one) { return one.related.distance; });
  return found;
}

std::string label(const db::Workload& workload, std::size_t evaluations) {
  return format("{}{}{} on {} ({} evaluations)", workload.size, workload.settings.empty() ? "" : " ",
                workload.settings, workload.device, evaluations);
}

/// Nothing of a recording that cannot be read.
std::vector<db::RelatedResult> results_of(const Found& found, const db::Database& own) try {
  return db::related_results(*found.database, found.related.workload, max_results);
} catch (const Error&) {
  if (found.database == &own) throw;
  return {};
}

}  // namespace

RelatedRecords related_records(const db::Database& database, const WorkloadKey& key,
                               const search::SearchSpace& space) {
  std::vector<db::Database> shipped;
  for (const std::filesystem::path& path : shipped_recordings()) try {
      shipped.emplace_back(path, db::OpenMode::immutable);
    } catch (const Error&) {
      continue;  // a recording that cannot be read is no reason not to search
    }
  std::vector<const db::Database*> databases = {&database};
  for (const db::Database& recording : shipped) databases.push_back(&recording);
  RelatedRecords result;
  // The most alike may be of no use here, and must not hide the next ones.
  for (const Found& found : find_workloads(databases, key)) {
    if (result.records.size() == max_records) break;
    search::RelatedRecord record = to_record(results_of(found, database), space);
    if (record.observations.size() < (found.related.same_but_versions ? min_of_same : min_valid)) continue;
    result.notice += format("{} {}", result.records.empty() ? "starting from what is known of" : " and",
                            label(found.related.workload, record.observations.size()));
    result.records.push_back(std::move(record));
  }
  return result;
}

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
