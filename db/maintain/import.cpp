// SPDX-License-Identifier: Apache-2.0
#include "db/maintain/import.hpp"

#include <algorithm>

namespace tune::db {
namespace {

RunRecord record_of(const ImportedRun& run) {
  RunRecord record;
  record.key = run.key;
  record.options.strategy = "unknown";
  record.program_version = run.program;
  return record;
}

/// The first and last that are known.
std::pair<std::string, std::string> course_of(const std::vector<std::string>& recorded) {
  std::pair<std::string, std::string> course;
  for (const std::string& date : recorded) {
    if (date.empty()) continue;
    if (course.first.empty() || date < course.first) course.first = date;
    course.second = std::max(course.second, date);
  }
  return course;
}

}  // namespace

MergeResult import_run(Database& target, const ImportedRun& run, const SourceLabel& label) {
  // Merging knows what is there already; so the run becomes a database first.
  Database staged(":memory:");
  std::string now;
  SqliteStore store(staged, [&now] { return now; });
  const auto [first, last] = course_of(run.recorded);
  now = first;
  const RunId id = store.begin_run(record_of(run));
  for (std::size_t i = 0; i < run.evaluations.size(); ++i) {
    now = i < run.recorded.size() ? run.recorded[i] : std::string();
    store.record(id, run.evaluations[i]);
  }
  now = last;
  store.end_run(id, RunEnd::exhausted);
  return merge_database(target, staged, label);
}

}  // namespace tune::db
