// SPDX-License-Identifier: Apache-2.0
#include "db/read/recording.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "db/read/queries.hpp"
#include "db/read/run_details.hpp"
#include "tuner/base/error.hpp"

namespace tune::db {
namespace {

Evaluation to_evaluation(const Database& database, const ResultRow& row) {
  Evaluation evaluation;
  evaluation.configuration = row.configuration;
  evaluation.resources = row.resources;
  evaluation.binary_hash = row.binary_hash;
  evaluation.phases = row.phases;
  evaluation.same_code = row.same_code;
  evaluation.from_cache = row.from_cache;
  if (row.failure) {
    evaluation.outcome = tl::unexpected(*row.failure);
    return evaluation;
  }
  Measurement measurement;
  if (row.timing) static_cast<Timing&>(measurement) = *row.timing;
  measurement.samples = samples_of(database, row.evaluation);
  if (measurement.samples.empty())
    measurement.samples = {*row.measured_time};  // exported without its samples
  measurement.error = row.error;
  measurement.tolerance = row.tolerance;
  evaluation.outcome = std::move(measurement);
  return evaluation;
}

DeviceFacts facts_of(const Database& database, const std::string& model_key) {
  for (DeviceSummary& device : list_devices(database))
    if (device.model_key == model_key) return std::move(device.facts);
  throw Error("a result of " + model_key + " has no device");
}

Recording to_recording(const Database& database, Instance instance, const std::vector<ResultRow>& rows) {
  const WorkInfo& work = rows.front().work;
  Recording recording{std::move(instance), facts_of(database, work.model_key), work.toolchain, {}, work.cache,
                      work.origin};
  for (const ResultRow& row : rows) {
    recording.evaluations.push_back(to_evaluation(database, row));
    recording.recorded.push_back(row.recorded);
  }
  return recording;
}

}  // namespace

std::optional<Recording> find_recording(const Database& database, const Instance& instance,
                                        CacheState cache) {
  ResultFilter filter;
  filter.problem = instance.problem;
  filter.size = instance.size();
  filter.settings = instance.settings_key();
  filter.origin = Origin::measured;
  filter.cache = cache;
  filter.failures = true;
  std::map<std::int64_t, std::vector<ResultRow>> by_work;
  for (ResultRow& row : list_results(database, filter)) by_work[row.work.id].push_back(std::move(row));
  const auto largest =
      std::ranges::max_element(by_work, {}, [](const auto& work) { return work.second.size(); });
  if (largest == by_work.end()) return std::nullopt;
  return to_recording(database, instance, largest->second);
}

std::optional<Recording> recording_of(const Database& database, std::int64_t work) {
  ResultFilter filter;
  filter.work = work;
  filter.failures = true;
  const std::vector<ResultRow> rows = list_results(database, filter);
  if (rows.empty()) return std::nullopt;
  const WorkInfo& info = rows.front().work;
  const Configuration settings =
      info.settings.empty() ? Configuration() : Configuration::parse(info.settings);
  return to_recording(database, {info.problem, info.extents, settings.entries()}, rows);
}

std::vector<Recording> all_recordings(const Database& database) {
  std::set<std::int64_t> works;
  for (const RunSummary& run : list_runs(database))
    if (run.work.origin != Origin::replayed) works.insert(run.work.id);
  std::vector<Recording> recordings;
  for (const std::int64_t work : works)
    if (auto recording = recording_of(database, work)) recordings.push_back(std::move(*recording));
  return recordings;
}

std::vector<std::string> recorded_instances(const Database& database, const std::string& problem) {
  std::set<std::string> found;
  RunFilter filter;
  filter.problem = problem;
  for (const RunSummary& run : list_runs(database, filter))
    if (run.work.origin == Origin::measured && run.best)
      found.insert(run.work.size + " " + run.work.settings +
                   (run.work.cache == CacheState::warm ? " with warm caches" : ""));
  return {found.begin(), found.end()};
}

}  // namespace tune::db
