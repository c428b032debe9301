// SPDX-License-Identifier: Apache-2.0
#include "db/read/recording.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "db/read/queries.hpp"
#include "db/read/result_rows.hpp"
#include "db/read/run_details.hpp"
#include "db/store/rows.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::db {
namespace {

Evaluation to_evaluation(const ResultRow& row, std::vector<double> samples) {
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
  measurement.samples = std::move(samples);
  if (measurement.samples.empty())
    measurement.samples = {*row.measured_time};  // exported without its samples
  measurement.error = row.error;
  measurement.tolerance = row.tolerance;
  evaluation.outcome = std::move(measurement);
  return evaluation;
}

DeviceProperties properties_of(const Database& database, const std::string& model_key) {
  for (DeviceSummary& device : list_devices(database))
    if (device.model_key == model_key) return std::move(device.properties);
  throw Error("a result of " + model_key + " has no device");
}

Recording to_recording(const Database& database, Instance instance, const std::vector<ResultRow>& rows) {
  const Workload& workload = rows.front().workload;
  Recording recording{std::move(instance), properties_of(database, workload.model_key),
                      workload.toolchain,  {},
                      workload.cache,      workload.origin};
  for (const ResultRow& row : rows) {
    recording.evaluations.push_back(to_evaluation(row, samples_of(database, row.evaluation)));
    recording.recorded.push_back(row.recorded);
  }
  recording.extents = workload.extents;
  return recording;
}

}  // namespace

namespace {

/// True where the instance has all settings of the key, with the same values.
bool has_settings(const Instance& instance, const std::string& key) {
  const Configuration settings = Configuration::parse(key);
  return std::ranges::all_of(settings.entries(), [&](const auto& setting) {
    return std::ranges::any_of(instance.settings, [&](const auto& ours) {
      return ours.first == setting.first && ours.second.to_string() == setting.second.to_string();
    });
  });
}

/// The results of the workload with the most measurements.
std::vector<ResultRow> largest_workload(const Database& database, const ResultFilter& filter,
                                        const std::function<bool(const Workload&)>& fits) {
  std::map<std::int64_t, std::vector<ResultRow>> by_workload;
  for (ResultRow& row : list_results(database, filter))
    if (fits(row.workload)) by_workload[row.workload.id].push_back(std::move(row));
  const auto largest =
      std::ranges::max_element(by_workload, {}, [](const auto& workload) { return workload.second.size(); });
  return largest == by_workload.end() ? std::vector<ResultRow>() : std::move(largest->second);
}

}  // namespace

std::optional<Recording> find_recording(const Database& database, const Instance& instance, CacheState cache,
                                        bool imported) {
  ResultFilter filter;
  filter.problem = instance.problem;
  filter.size = instance.size();
  filter.cache = cache;
  filter.failures = true;
  filter.origin = Origin::measured;
  filter.settings = instance.settings_key();
  std::vector<ResultRow> rows = largest_workload(database, filter, [](const Workload&) { return true; });
  if (rows.empty() && imported) {
    filter.origin = Origin::imported;
    filter.settings.reset();
    rows = largest_workload(database, filter, [&](const Workload& workload) {
      bool fits = false;
      return is_readable([&] { fits = has_settings(instance, workload.settings); }) && fits;
    });
  }
  if (rows.empty()) return std::nullopt;
  return to_recording(database, instance, rows);
}

std::optional<Recording> recording_of(const Database& database, std::int64_t workload) {
  ResultFilter filter;
  filter.workload = workload;
  filter.failures = true;
  const std::vector<ResultRow> rows = list_results(database, filter);
  if (rows.empty()) return std::nullopt;
  const Workload& info = rows.front().workload;
  Configuration settings;
  // So that a text that cannot be read is an error of the database.
  database.read([&](SQLite::Database&) { settings = Configuration::parse(info.settings); });
  return to_recording(database, {info.problem, info.extents, settings.entries()}, rows);
}

std::vector<std::int64_t> recorded_order(const Database& database, std::int64_t workload) {
  std::vector<std::int64_t> order;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement row = bound(
        connection, "SELECT id FROM current_evaluations WHERE work = ? ORDER BY recorded, id", workload);
    while (row.executeStep()) order.push_back(row.getColumn(0).getInt64());
  });
  return order;
}

void each_recorded(const Database& database, const std::vector<std::int64_t>& evaluations,
                   const std::function<void(const Evaluation&, const std::string& recorded)>& take) {
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement statement(connection,
                                "SELECT *, id AS evaluation, time AS measured_time, 0 AS samples"
                                " FROM evaluations WHERE id = ?");
    SQLite::Statement sample(connection, "SELECT seconds FROM samples WHERE evaluation = ? ORDER BY ordinal");
    ColumnPlaces places;
    const Row row(statement, places);
    for (const std::int64_t evaluation : evaluations) {
      bind_all(statement, evaluation);
      bind_all(sample, evaluation);
      std::vector<double> samples;
      while (sample.executeStep()) samples.push_back(sample.getColumn(0).getDouble());
      sample.reset();
      ResultRow result;
      if (!statement.executeStep()) continue;
      const bool readable = is_readable([&] { result = evaluation_row(row); });
      statement.reset();
      if (readable)
        take(to_evaluation(result, std::move(samples)), result.recorded);
      else
        database.leave_out(format("evaluation {}", evaluation));
    }
  });
}

std::vector<Recording> all_recordings(const Database& database) {
  std::set<std::int64_t> workloads;
  for (const RunSummary& run : list_runs(database))
    if (run.workload.origin != Origin::replayed) workloads.insert(run.workload.id);
  std::vector<Recording> recordings;
  for (const std::int64_t workload : workloads)
    if (auto recording = recording_of(database, workload)) recordings.push_back(std::move(*recording));
  return recordings;
}

std::vector<std::string> recorded_instances(const Database& database, const std::string& problem) {
  std::set<std::string> found;
  RunFilter filter;
  filter.problem = problem;
  for (const RunSummary& run : list_runs(database, filter))
    if (run.workload.origin != Origin::replayed && run.best)
      found.insert(run.workload.size + (run.workload.settings.empty() ? "" : " ") + run.workload.settings +
                   (run.workload.cache == CacheState::warm ? " with warm caches" : "") +
                   (run.workload.origin == Origin::imported ? " (imported)" : ""));
  return {found.begin(), found.end()};
}

}  // namespace tune::db
