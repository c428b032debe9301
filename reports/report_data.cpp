// SPDX-License-Identifier: Apache-2.0
#include "reports/report_data.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "tuner/core/error.hpp"
#include "tuner/core/format.hpp"

namespace tune::reports {
namespace {

constexpr double close_to_winner = 1.05;

bool passes(const ReportFilter& filter, const db::WorkInfo& work) {
  return (!filter.size || *filter.size == work.size) &&
         (!filter.settings || *filter.settings == work.settings) &&
         (!filter.origin || *filter.origin == work.origin);
}

/// Works in the order of the report, each with its runs, the newest first.
std::vector<std::vector<db::RunSummary>> chosen_works(const db::Database& database,
                                                      const ReportFilter& filter) {
  std::map<std::int64_t, std::vector<db::RunSummary>> by_work;
  std::vector<std::int64_t> newest_first;
  for (db::RunSummary& run : list_runs(database, {.problem = filter.problem, .device = filter.device})) {
    if (!passes(filter, run.work)) continue;
    std::vector<db::RunSummary>& runs = by_work[run.work.id];
    if (runs.empty()) newest_first.push_back(run.work.id);
    runs.push_back(std::move(run));
  }
  std::vector<std::vector<db::RunSummary>> chosen;
  std::set<std::tuple<std::string, std::string, std::string, std::string, Origin, CacheState>> seen;
  for (const std::int64_t id : newest_first) {
    const db::WorkInfo& work = by_work[id].front().work;
    const bool first =
        seen.insert({work.problem, work.size, work.settings, work.model_key, work.origin, work.cache}).second;
    if (first || filter.all_versions) chosen.push_back(std::move(by_work[id]));
  }
  std::ranges::stable_sort(chosen, {}, [](const std::vector<db::RunSummary>& runs) {
    const db::WorkInfo& work = runs.front().work;
    return std::tie(work.problem, work.extents, work.settings, work.model_key, work.origin, work.cache);
  });
  return chosen;
}

RunReport run_report(const db::RunDetails& details) {
  RunReport report;
  report.summary = details.summary;
  report.seed = details.record.options.seed;
  report.program_version = details.record.program_version;
  report.host = details.record.machine.host;
  std::optional<double> best;
  for (const db::ProgressPoint& point : details.progress) {
    if (point.best == best) continue;
    best = point.best;
    report.improvements.push_back(point);
  }
  return report;
}

std::vector<PhaseCount> by_phase(const std::vector<db::FailureCount>& failures) {
  std::vector<PhaseCount> phases;  // failures are sorted by phase
  for (const db::FailureCount& failure : failures) {
    if (phases.empty() || phases.back().phase != failure.phase) phases.push_back({failure.phase, 0});
    phases.back().count += failure.count;
  }
  return phases;
}

/// What follows from the measurements, which come first and fastest first.
void add_figures(Section& section, const std::optional<Configuration>& default_configuration) {
  std::vector<double> times;
  for (const db::ResultRow& row : section.evaluations) {
    if (!row.time) break;
    times.push_back(*row.time);
    if (default_configuration && row.configuration == *default_configuration) section.default_time = row.time;
  }
  section.measured = times.size();
  if (times.empty()) return;
  section.winner = section.evaluations.front();
  section.median_time = median(times);
  // What the finals did not choose comes later and may look faster: its time is of another moment.
  section.close = static_cast<std::size_t>(
      std::ranges::count_if(times, [&](double time) { return time <= close_to_winner * times.front(); }));
}

Section section_of(const db::Database& database, const std::vector<db::RunSummary>& runs, std::size_t top,
                   const DefaultConfiguration& default_configuration) {
  Section section;
  section.work = runs.front().work;
  section.top = top;
  for (const db::RunSummary& run : runs) {
    const db::RunDetails details = run_details(database, run.run);
    section.space_size = std::max(section.space_size, details.record.space_size);
    section.runs.push_back(run_report(details));
    const RunRecord& record = details.record;
    if (section.runs.size() == 1)
      section.amount = {record.limit, record.items, record.flops, record.bytes, record.item};
  }
  section.evaluations = list_results(database, {.work = section.work.id, .failures = true});
  add_figures(section, default_configuration ? default_configuration(section.work) : std::nullopt);
  if (section.winner) section.winner_samples = samples_of(database, section.winner->evaluation);
  section.failures = failures_of_work(database, section.work.id);
  section.failed_phases = by_phase(section.failures);
  return section;
}

}  // namespace

ReportData collect(const db::Database& database, const ReportFilter& filter,
                   const DefaultConfiguration& default_configuration) {
  ReportData data;
  data.database = database.path().string();
  database.read([&](SQLite::Database&) {
    for (const auto& runs : chosen_works(database, filter))
      data.sections.push_back(section_of(database, runs, filter.top, default_configuration));
  });
  if (data.sections.empty()) {
    throw Error(format("{} has no run that this report could show: `tune list` says what there is",
                       database.path().string()),
                Exit::no_answer);
  }
  return data;
}

std::optional<double> gain(const Section& section, const std::optional<double>& time) {
  if (!section.winner || !time) return std::nullopt;
  return *time / *section.winner->time;
}

bool ties(const Section& section, const db::ResultRow& row) {
  return section.winner && section.winner->final && section.winner->final->tied && row.final &&
         row.final->run == section.winner->final->run && row.final->tied &&
         row.evaluation != section.winner->evaluation;
}

std::optional<double> share_of_limit(const db::WorkAmount& amount, double time) {
  if (!(amount.limit > 0)) return std::nullopt;
  return amount.limit / time;
}

}  // namespace tune::reports
