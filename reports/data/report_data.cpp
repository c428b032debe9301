// SPDX-License-Identifier: Apache-2.0
#include "reports/data/report_data.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::reports {
namespace {

/// Reads digits from `begin` to `end`; false for anything else.
bool number(std::string_view text, std::size_t begin, std::size_t end, int& value) {
  if (text.size() < end) return false;
  const char* last = text.data() + end;
  const auto [stop, error] = std::from_chars(text.data() + begin, last, value);
  return error == std::errc{} && stop == last && value >= 0;
}

}  // namespace

std::optional<double> seconds_of(std::string_view utc) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, millisecond = 0;
  if (!number(utc, 0, 4, year) || !number(utc, 5, 7, month) || !number(utc, 8, 10, day) ||
      !number(utc, 11, 13, hour) || !number(utc, 14, 16, minute) || !number(utc, 17, 19, second))
    return std::nullopt;
  if (utc.size() > 20 && !number(utc, 20, 23, millisecond)) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) return std::nullopt;
  const double days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  return days * 86'400 + hour * 3'600 + minute * 60 + second + millisecond / 1'000.0;
}

namespace {

constexpr double close_to_winner = 1.05;

bool passes(const ReportFilter& filter, const db::RunSummary& run) {
  const db::Workload& workload = run.workload;
  return (!filter.run || *filter.run == run.run) &&
         (!filter.problem || *filter.problem == workload.problem) &&
         (!filter.device || *filter.device == workload.device || *filter.device == workload.model_key) &&
         (!filter.size || *filter.size == workload.size) &&
         (!filter.settings || *filter.settings == workload.settings) &&
         (!filter.origin || *filter.origin == workload.origin);
}

/// The workloads in the order of the report, each with its runs, the newest first.
std::vector<std::vector<db::RunSummary>> chosen_workloads(const std::vector<db::RunSummary>& all,
                                                          const ReportFilter& filter) {
  std::map<std::int64_t, std::vector<db::RunSummary>> by_workload;
  std::vector<std::int64_t> newest_first;
  for (const db::RunSummary& run : all) {
    if (!passes(filter, run)) continue;
    std::vector<db::RunSummary>& runs = by_workload[run.workload.id];
    if (runs.empty()) newest_first.push_back(run.workload.id);
    runs.push_back(run);
  }
  std::vector<std::vector<db::RunSummary>> chosen;
  std::set<std::tuple<std::string, std::string, std::string, std::string, Origin, CacheState>> seen;
  for (const std::int64_t id : newest_first) {
    const db::Workload& workload = by_workload[id].front().workload;
    const bool first = seen.insert({workload.problem, workload.size, workload.settings, workload.model_key,
                                    workload.origin, workload.cache})
                           .second;
    if (first || filter.all_versions) chosen.push_back(std::move(by_workload[id]));
  }
  std::ranges::stable_sort(chosen, {}, [](const std::vector<db::RunSummary>& runs) {
    const db::Workload& workload = runs.front().workload;
    return std::tie(workload.problem, workload.extents, workload.settings, workload.model_key,
                    workload.origin, workload.cache);
  });
  return chosen;
}

/// For each evaluation of a run, the seconds from the run's start to its end.
std::vector<double> elapsed_times(const db::RunDetails& details) {
  const double start = seconds_of(details.summary.started).value_or(0);
  std::vector<double> times;
  double latest = 0;
  for (const db::ProgressPoint& point : details.progress) {
    // A reused evaluation is older than the run and took no time.
    if (const auto when = seconds_of(point.recorded); when && !point.reused)
      latest = std::max(latest, *when - start);
    times.push_back(latest);
  }
  return times;
}

RunReport run_report(const db::RunDetails& details, const std::vector<double>& elapsed) {
  RunReport report;
  report.summary = details.summary;
  report.seed = details.record.options.seed;
  report.program_version = details.record.program_version;
  report.host = details.record.machine.host;
  report.seconds = elapsed.empty() ? 0 : elapsed.back();
  const auto start = seconds_of(details.summary.started), end = seconds_of(details.summary.ended);
  if (start && end) report.seconds = std::max(report.seconds, *end - *start);
  std::optional<double> best;
  for (std::size_t i = 0; i < details.progress.size(); ++i) {
    const db::ProgressPoint& point = details.progress[i];
    if (point.best == best) continue;
    best = point.best;
    report.improvements.push_back({point, elapsed[i]});
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

/// Puts the winner of a run first in its report, whatever later runs measured.
void put_first(std::vector<db::ResultRow>& rows, const db::ResultRow& winner) {
  const auto place = std::ranges::find(rows, winner.evaluation, &db::ResultRow::evaluation);
  if (place == rows.end()) return;
  std::rotate(rows.begin(), place, place + 1);
  rows.front() = winner;
}

/// Adds the figures that follow from the times of the measurements, the best first.
void add_figures(Section& section, const std::vector<double>& times) {
  section.measured = times.size();
  if (times.empty()) return;
  section.winner = section.evaluations.front();
  section.median_time = median(times);
  // Candidates that the re-ranking did not choose come later and may look faster: they were timed at another
  // moment.
  section.close = static_cast<std::size_t>(
      std::ranges::count_if(times, [&](double time) { return time <= close_to_winner * times.front(); }));
}

/// Reads all evaluations of a section. `results`: the current ones of the workload.
void add_all(Section& section, const db::Database& database, std::vector<db::ResultRow> results,
             const ReportFilter& filter, const std::optional<Configuration>& default_configuration) {
  section.evaluations = std::move(results);
  if (filter.run) {
    section.evaluations = list_results(database, {.run = filter.run, .failures = true, .superseded = true});
    if (const auto winner = run_details(database, *filter.run).winner)
      put_first(section.evaluations, *winner);
  }
  std::vector<double> times;
  for (const db::ResultRow& row : section.evaluations) {
    if (!row.time) break;
    times.push_back(*row.time);
    if (default_configuration && row.configuration == *default_configuration) section.default_time = row.time;
  }
  add_figures(section, times);
}

/// Reads the evaluations that a table lists; the others stay in the database.
void add_listed(Section& section, const db::Database& database, const ReportFilter& filter,
                const std::optional<Configuration>& default_configuration) {
  auto ranked = std::make_shared<std::vector<db::RankedEvaluation>>(
      filter.run ? ranked_of_run(database, *filter.run) : ranked_of_workload(database, section.workload.id));
  std::optional<db::ResultRow> winner;
  if (filter.run) winner = run_details(database, *filter.run).winner;
  if (winner) {
    const auto place = std::ranges::find(*ranked, winner->evaluation, &db::RankedEvaluation::evaluation);
    if (place == ranked->end()) {
      winner.reset();
    } else {
      std::rotate(ranked->begin(), place, place + 1);
      ranked->front().time = *winner->time;
    }
  }
  const auto reader = std::make_shared<db::ResultReader>(database);
  const auto row_at = [ranked, reader, winner](std::size_t place) {
    return place == 0 && winner ? winner : reader->row((*ranked)[place].evaluation);
  };
  const std::size_t listed = std::max<std::size_t>(section.top, 1);
  while (section.evaluations.size() < std::min(ranked->size(), listed)) {
    const auto place = static_cast<std::ptrdiff_t>(section.evaluations.size());
    if (auto row = row_at(section.evaluations.size()))
      section.evaluations.push_back(*std::move(row));
    else
      ranked->erase(ranked->begin() + place);
  }
  std::vector<double> times;
  for (const db::RankedEvaluation& one : *ranked)
    if (one.time > 0) times.push_back(one.time);
  add_figures(section, times);
  if (default_configuration) {
    const std::vector<std::int64_t> same =
        evaluations_of(database, section.workload.id, *default_configuration);
    for (const db::RankedEvaluation& one : *ranked)
      if (one.time > 0 && std::ranges::find(same, one.evaluation) != same.end())
        section.default_time = one.time;
  }
  StoredEvaluations& stored = section.stored.emplace();
  stored.count = ranked->size();
  stored.each = [ranked, row_at](const StoredEvaluations::Take& take) {
    for (std::size_t i = 0; i < ranked->size(); ++i)
      if (const auto row = row_at(i)) take(*row);
  };
  stored.each_configuration = [ranked, reader](const auto& take) {
    for (const db::RankedEvaluation& one : *ranked)
      if (const auto configuration = reader->configuration(one.evaluation)) take(*configuration);
  };
  if (section.winner && section.winner->rerank)
    for (std::size_t i = 1; i < times.size(); ++i)
      if ((*ranked)[i].rerank_run == section.winner->rerank->run)
        if (const auto row = row_at(i); row && ties(section, *row)) ++stored.tied;
}

void add_discovery(Section& section, const db::RunDetails& details, const std::vector<double>& elapsed) {
  if (!section.winner || section.found || details.summary.run != section.winner->run) return;
  for (std::size_t i = 0; i < details.progress.size(); ++i) {
    const db::ProgressPoint& point = details.progress[i];
    if (point.evaluation == section.winner->evaluation)
      section.found = {details.summary.run, details.summary.strategy, point.sequence, elapsed[i]};
  }
}

void add_run(Section& section, const db::RunDetails& details) {
  const std::vector<double> elapsed = elapsed_times(details);
  section.space_size = std::max(section.space_size, details.record.space_size);
  section.runs.push_back(run_report(details, elapsed));
  add_discovery(section, details, elapsed);
  if (section.runs.size() > 1) return;
  const RunRecord& record = details.record;
  section.amount = {record.limit, record.items, record.flops, record.bytes, record.item};
  section.device = record.key.device;
}

/// `results`: the current ones of the workload.
Section section_of(const db::Database& database, const std::vector<db::RunSummary>& runs,
                   std::vector<db::ResultRow> results, const ReportFilter& filter,
                   const DefaultConfiguration& default_configuration, Rows rows) {
  Section section;
  section.workload = runs.front().workload;
  section.top = filter.top;
  section.failures = filter.run ? failures_of_run(database, *filter.run)
                                : failures_of_workload(database, section.workload.id);
  const auto known_default = default_configuration ? default_configuration(section.workload) : std::nullopt;
  if (rows == Rows::all)
    add_all(section, database, std::move(results), filter, known_default);
  else
    add_listed(section, database, filter, known_default);
  for (const db::RunSummary& run : runs)
    if (const auto details = db::readable_run_details(database, run.run, false)) add_run(section, *details);
  if (section.winner) section.winner_samples = samples_of(database, section.winner->evaluation);
  section.failed_phases = by_phase(section.failures);
  return section;
}

using ResultsByWorkload = std::map<std::int64_t, std::vector<db::ResultRow>>;

/// The current results of the workloads, in one query where there are several: each query ranks the whole
/// file.
ResultsByWorkload results_of(const db::Database& database,
                             const std::vector<std::vector<db::RunSummary>>& workloads,
                             const ReportFilter& filter) {
  ResultsByWorkload results;
  if (filter.run) return results;
  for (const auto& runs : workloads) results[runs.front().workload.id];
  db::ResultFilter wanted = {.problem = filter.problem, .failures = true};
  if (workloads.size() == 1) wanted = {.workload = workloads.front().front().workload.id, .failures = true};
  for (db::ResultRow& row : list_results(database, wanted)) {
    const auto place = results.find(row.workload.id);
    if (place != results.end()) place->second.push_back(std::move(row));
  }
  return results;
}

/// The newest run whose workload satisfies `same`; `runs` has the newest first.
template<class Same>
const db::RunSummary* newest(const std::vector<db::RunSummary>& runs, const Same& same) {
  const auto found =
      std::ranges::find_if(runs, [&](const db::RunSummary& run) { return same(run.workload); });
  return found == runs.end() ? nullptr : &*found;
}

/// Newer runs of other sizes and settings count too: a changed kernel is another kernel at every size.
std::vector<std::string> newer_versions(const Section& section, const std::vector<db::RunSummary>& runs) {
  const db::Workload& workload = section.workload;
  const std::string& own = section.runs.front().summary.started;
  std::vector<std::string> phrases;
  const auto compare = [&](const db::RunSummary* run, const char* what, const std::string& now,
                           const std::string& then) {
    if (run != nullptr && run->started > own && now != then)
      phrases.push_back(
          format("newer {} since {} ({} instead of {})", what, run->started.substr(0, 10), now, then));
  };
  if (const auto* run = newest(runs, [&](const db::Workload& other) {
        return other.model_key == workload.model_key && other.origin == workload.origin;
      })) {
    compare(run, "driver", run->workload.driver, workload.driver);
    compare(run, "compiler", run->workload.toolchain.compiler, workload.toolchain.compiler);
  }
  if (const auto* run = newest(runs, [&](const db::Workload& other) {
        return other.problem == workload.problem && other.origin == workload.origin;
      }))
    compare(run, "kernel sources", run->workload.toolchain.source_hash, workload.toolchain.source_hash);
  return phrases;
}

}  // namespace

ReportData collect(const db::Database& database, const ReportFilter& filter,
                   const DefaultConfiguration& default_configuration, Rows rows) {
  ReportData data;
  data.database = database.path().string();
  database.read([&](SQLite::Database&) {
    const std::vector<db::RunSummary> all = list_runs(database);
    const std::vector<std::vector<db::RunSummary>> workloads = chosen_workloads(all, filter);
    ResultsByWorkload results;
    if (rows == Rows::all) results = results_of(database, workloads, filter);
    for (const auto& runs : workloads) {
      data.sections.push_back(section_of(database, runs, std::move(results[runs.front().workload.id]), filter,
                                         default_configuration, rows));
      data.sections.back().outdated = newer_versions(data.sections.back(), all);
    }
  });
  if (data.sections.empty()) {
    throw Error(
        format("{} has no run that matches: 'tune list runs' lists the runs", database.path().string()),
        Exit::no_answer);
  }
  return data;
}

std::size_t evaluated(const Section& section) {
  return section.stored ? section.stored->count : section.evaluations.size();
}

void each_evaluation(const Section& section, const StoredEvaluations::Take& take) {
  if (section.stored) return section.stored->each(take);
  for (const db::ResultRow& row : section.evaluations) take(row);
}

void each_configuration(const Section& section, const std::function<void(const Configuration&)>& take) {
  if (section.stored) return section.stored->each_configuration(take);
  for (const db::ResultRow& row : section.evaluations) take(row.configuration);
}

std::optional<double> gain(const Section& section, const std::optional<double>& time) {
  if (!section.winner || !time) return std::nullopt;
  return *time / *section.winner->time;
}

bool ties(const Section& section, const db::ResultRow& row) {
  return section.winner && section.winner->rerank && section.winner->rerank->tied && row.rerank &&
         row.rerank->run == section.winner->rerank->run && row.rerank->tied &&
         row.evaluation != section.winner->evaluation;
}

bool in_double_precision(const db::Workload& workload) {
  const Configuration settings = Configuration::parse(workload.settings);
  const search::Value* type = settings.find("type");
  return type != nullptr && type->is_text() && type->as_text() == "double";
}

std::optional<double> share_of_limit(const db::WorkloadCost& amount, double time) {
  if (!(amount.limit > 0)) return std::nullopt;
  return amount.limit / time;
}

}  // namespace tune::reports
