// SPDX-License-Identifier: Apache-2.0
#include "reports/data/report_data.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "search/expressions/value.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/evaluation/objective.hpp"

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

/// Name, whether the value is a text, its number, its text.
using SortedSetting = std::tuple<std::string, bool, double, std::string>;

/// Returns the settings of a workload for sorting: numbers are sorted by value, so that radius=16 comes
/// before radius=128.
std::vector<SortedSetting> sorted_settings(const std::string& settings) {
  std::vector<SortedSetting> result;
  for (std::size_t begin = 0; begin < settings.size();) {
    const std::size_t end = std::min(settings.find(',', begin), settings.size());
    const std::string entry = settings.substr(begin, end - begin);
    const std::size_t equals = std::min(entry.find('='), entry.size());
    const std::string text = entry.substr(std::min(equals + 1, entry.size()));
    const auto value = search::Value::parse(text);
    const bool is_number = value.is_int() || value.is_real();
    result.emplace_back(entry.substr(0, equals), !is_number, is_number ? value.as_real() : 0, text);
    begin = end + 1;
  }
  return result;
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
    return std::tuple(workload.problem, workload.extents, sorted_settings(workload.settings),
                      workload.model_key, workload.origin, workload.cache);
  });
  return chosen;
}

std::vector<PhaseCount> by_phase(const std::vector<db::FailureCount>& failures) {
  std::vector<PhaseCount> phases;  // failures are sorted by phase
  for (const db::FailureCount& failure : failures) {
    if (phases.empty() || phases.back().phase != failure.phase) phases.push_back({failure.phase, 0});
    phases.back().count += failure.count;
  }
  return phases;
}

/// Adds the figures that follow from the values of the measurements, the best first.
void add_figures(Section& section, const std::vector<double>& values) {
  section.measured = values.size();
  if (values.empty()) return;
  section.winner = section.evaluations.front();
  section.median_value = median(values);
  // Candidates that the re-ranking did not choose come later and may look faster: they were timed at another
  // moment.
  section.close = static_cast<std::size_t>(
      std::ranges::count_if(values, [&](double value) { return value <= close_to_winner * values.front(); }));
}

/// True when the ranked evaluation ties with the winner in its re-ranking.
bool ties_with(const std::optional<db::ResultRow>& winner, const db::RankedEvaluation& one) {
  return winner && winner->rerank && winner->rerank->tied && one.tied &&
         one.rerank_run == winner->rerank->run && one.evaluation != winner->evaluation;
}

/// What a section shows of each evaluation, best first. `winner`: of a run, whatever later runs measured.
class RankedRows {
 public:
  RankedRows(const db::Database& database, std::vector<db::RankedEvaluation> ranked,
             std::optional<db::ResultRow> winner)
      : database_(database), ranked_(std::move(ranked)), first_(std::move(winner)) {
    if (!first_) return;
    const auto place = std::ranges::find(ranked_, first_->evaluation, &db::RankedEvaluation::evaluation);
    if (place == ranked_.end()) {
      first_.reset();
    } else {
      std::rotate(ranked_.begin(), place, place + 1);
      ranked_.front().time = ranked_.front().value = *first_->time;
    }
  }

  const std::vector<db::RankedEvaluation>& ranked() const { return ranked_; }
  /// Returns the first rows; those that cannot be read lose their ranks.
  std::vector<db::ResultRow> first_rows(std::size_t count) {
    std::vector<db::ResultRow> rows;
    db::ResultReader reader(database_, count);
    while (rows.size() < std::min(ranked_.size(), count)) {
      if (auto next = row(reader, rows.size()))
        rows.push_back(*std::move(next));
      else
        ranked_.erase(ranked_.begin() + std::ssize(rows));
    }
    return rows;
  }
  void each(const StoredEvaluations::Take& take) const {
    db::ResultReader reader(database_, ranked_.size());
    for (std::size_t i = 0; i < ranked_.size(); ++i)
      if (const auto one = row(reader, i)) take(*one);
  }
  void each_chart_row(const std::optional<db::ResultRow>& winner,
                      const StoredEvaluations::TakeChartRow& take) const {
    db::each_figures(database_, ranked_, [&](std::size_t place, const db::EvaluationFigures& figures) {
      const db::RankedEvaluation& one = ranked_[place];
      take({place, one.value > 0 ? std::optional(one.value) : std::nullopt, one.time, ties_with(winner, one),
            one.both, figures});
    });
  }
  void each_configuration(const StoredEvaluations::TakeConfiguration& take) const {
    db::each_configuration(database_, ranked_, take);
  }

 private:
  std::optional<db::ResultRow> row(db::ResultReader& reader, std::size_t place) const {
    return place == 0 && first_ ? first_ : reader.row(ranked_[place]);
  }

  const db::Database& database_;
  std::vector<db::RankedEvaluation> ranked_;
  std::optional<db::ResultRow> first_;
};

/// What the newest of the runs ranks by.
Objective objective_of_runs(const std::vector<db::RunSummary>& runs, const ProblemFacts& facts) {
  const Objective& named = runs.front().objective;
  return facts.with_formula ? facts.with_formula(named) : recorded_objective(named);
}

std::vector<db::RankedEvaluation> ranked_of(const Section& section, const db::Database& database,
                                            const ReportFilter& filter) {
  return filter.run ? ranked_of_run(database, *filter.run, section.objective)
                    : ranked_of_workload(database, section.workload.id, section.objective);
}

/// Ranks the evaluations, by time where none has a value of the objective.
std::vector<db::RankedEvaluation> ranked_evaluations(Section& section, const db::Database& database,
                                                     const ReportFilter& filter) {
  std::vector<db::RankedEvaluation> ranked = ranked_of(section, database, filter);
  if (section.objective == Objective::time || ranked.empty() || ranked.front().value > 0 ||
      ranked.front().time == 0)
    return ranked;
  section.unknown_objective = to_string(section.objective);
  section.objective = Objective::time;
  return ranked_of(section, database, filter);
}

/// Reads the evaluations that a table lists; the others stay in the database.
void add_evaluations(Section& section, const db::Database& database, const ReportFilter& filter,
                     const std::optional<Configuration>& default_configuration) {
  std::vector<db::RankedEvaluation> all = ranked_evaluations(section, database, filter);
  std::optional<db::ResultRow> winner;
  if (filter.run && section.objective == Objective::time) winner = run_details(database, *filter.run).winner;
  const auto rows = std::make_shared<RankedRows>(database, std::move(all), std::move(winner));
  section.failures =
      filter.run ? failures_of_run(database, *filter.run) : failures_of(database, rows->ranked());
  section.evaluations = rows->first_rows(std::max<std::size_t>(section.top, 1));
  const std::vector<db::RankedEvaluation>& ranked = rows->ranked();
  std::vector<double> values;
  for (const db::RankedEvaluation& one : ranked) {
    if (one.value > 0) values.push_back(one.value);
    if (one.value == 0 && one.time > 0) ++section.without_value;
  }
  add_figures(section, values);
  if (default_configuration) {
    const std::vector<std::int64_t> same =
        evaluations_of(database, section.workload.id, *default_configuration);
    for (const db::RankedEvaluation& one : ranked)
      if (one.value > 0 && std::ranges::find(same, one.evaluation) != same.end())
        section.default_value = one.value;
  }
  if (section.objective.of_front() != nullptr) section.front = db::front_among(database, ranked);
  StoredEvaluations& stored = section.stored.emplace();
  stored.count = ranked.size();
  stored.tied = static_cast<std::size_t>(
      std::ranges::count_if(ranked, [&](const auto& one) { return ties_with(section.winner, one); }));
  stored.each = [rows](const StoredEvaluations::Take& take) { rows->each(take); };
  stored.each_chart_row = [rows, best = section.winner](const StoredEvaluations::TakeChartRow& take) {
    rows->each_chart_row(best, take);
  };
  stored.each_configuration = [rows](const StoredEvaluations::TakeConfiguration& take) {
    rows->each_configuration(take);
  };
}

/// Reads the course of a run: when its best fell, and when the section's winner was found.
void add_course(Section& section, const db::Database& database, RunReport& report) {
  const double start = seconds_of(report.summary.started).value_or(0);
  const bool has_winner = section.winner && !section.found && report.summary.run == section.winner->run;
  std::optional<double> best;
  double elapsed = 0;
  const auto take = [&](const db::ProgressPoint& point) {
    // A reused evaluation is older than the run and took no time.
    if (!point.reused)
      if (const auto when = seconds_of(point.recorded)) elapsed = std::max(elapsed, *when - start);
    if (has_winner && point.evaluation == section.winner->evaluation)
      section.found = {report.summary.run, report.summary.strategy, point.sequence, elapsed};
    if (point.best == best) return;
    best = point.best;
    report.improvements.push_back({point, elapsed});
  };
  db::each_progress(database, report.summary.run, take, section.objective);
  report.best = best;
  report.seconds = elapsed;
  if (const auto end = seconds_of(report.summary.ended))
    report.seconds = std::max(report.seconds, *end - start);
}

void add_run(Section& section, const db::Database& database, const db::RunSummary& run) {
  const auto record = db::readable_run_record(database, run.run);
  if (!record) return;
  if (section.runs.empty()) {
    section.amount = {record->limit, record->items, record->flops, record->bytes, record->item};
    section.device = record->key.device;
  }
  section.space_size = std::max(section.space_size, record->space_size);
  RunReport& report = section.runs.emplace_back();
  report.summary = run;
  report.seed = record->options.seed;
  report.budget_evaluations = record->options.budget_evaluations;
  report.budget_seconds = record->options.budget_seconds;
  report.program_version = record->program_version;
  report.host = record->machine.host;
  add_course(section, database, report);
  report.boards = db::boards_of_run(database, run.run);
  if (section.objective == Objective::time) report.best = run.best;  // of its re-ranking
}

/// Calls `take` with each measured configuration and its seconds.
void each_time(const db::Database& database, const std::vector<db::RankedEvaluation>& ranked,
               const std::function<void(const Configuration&, double)>& take) {
  db::each_configuration(database, ranked, [&](std::size_t place, const Configuration& configuration) {
    if (ranked[place].time > 0) take(configuration, ranked[place].time);
  });
}

/// Returns the workload of the cheaper instance under the same conditions, if one of the runs has it.
const db::Workload* cheaper_workload(const db::Workload& workload, const Instance& cheaper,
                                     const std::vector<db::RunSummary>& runs) {
  db::Workload wanted = workload;
  wanted.size = cheaper.size();
  wanted.settings = cheaper.settings_key();
  const auto conditions = [](const db::Workload& one) {
    return std::tie(one.problem, one.size, one.settings, one.model_key, one.driver, one.toolchain.compiler,
                    one.toolchain.source_hash, one.origin, one.cache);
  };
  const auto found = std::ranges::find_if(
      runs, [&](const db::RunSummary& run) { return conditions(run.workload) == conditions(wanted); });
  return found == runs.end() ? nullptr : &found->workload;
}

/// Compares the order of times at the cheaper instance with that at the instance itself.
void add_fidelity(Section& section, const db::Database& database, const ReportFilter& filter,
                  const ProblemFacts& facts, const std::vector<db::RunSummary>& runs) {
  if (!facts.low_fidelity) return;
  const db::Workload* const cheaper = cheaper_workload(section.workload, *facts.low_fidelity, runs);
  if (cheaper == nullptr) return;
  std::map<std::string, double> low;
  each_time(database, ranked_of_workload(database, cheaper->id),
            [&](const Configuration& one, double seconds) { low.emplace(one.key(), seconds); });
  std::vector<std::pair<double, double>> pairs;
  each_time(
      database,
      filter.run ? ranked_of_run(database, *filter.run) : ranked_of_workload(database, section.workload.id),
      [&](const Configuration& one, double seconds) {
        if (const auto at = low.find(one.key()); at != low.end()) pairs.emplace_back(at->second, seconds);
      });
  section.fidelity = rank_agreement(pairs);
  section.low_fidelity = facts.low_fidelity_text;
}

Section section_of(const db::Database& database, const std::vector<db::RunSummary>& runs,
                   const ReportFilter& filter, const ProblemFacts& facts,
                   const std::vector<db::RunSummary>& all) {
  Section section;
  section.workload = runs.front().workload;
  section.objective = objective_of_runs(runs, facts);
  section.top = filter.top;
  add_evaluations(section, database, filter, facts.default_configuration);
  add_fidelity(section, database, filter, facts, all);
  for (const db::RunSummary& run : runs) add_run(section, database, run);
  if (section.winner) section.winner_samples = samples_of(database, section.winner->evaluation);
  section.failed_phases = by_phase(section.failures);
  return section;
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

ReportData collect(const db::Database& database, const ReportFilter& filter, const FactsOf& facts_of) {
  ReportData data;
  data.database = database.path().string();
  database.read([&](SQLite::Database&) {
    const std::vector<db::RunSummary> all = list_runs(database);
    for (const auto& runs : chosen_workloads(all, filter)) {
      const ProblemFacts facts = facts_of ? facts_of(runs.front().workload) : ProblemFacts{};
      Section section = section_of(database, runs, filter, facts, all);
      if (section.runs.empty()) continue;  // none of them can be read
      section.outdated = newer_versions(section, all);
      data.sections.push_back(std::move(section));
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

void each_chart_row(const Section& section, const StoredEvaluations::TakeChartRow& take) {
  if (section.stored) return section.stored->each_chart_row(take);
  for (std::size_t i = 0; i < section.evaluations.size(); ++i) {
    const db::ResultRow& row = section.evaluations[i];
    const Timing timing = row.timing.value_or(Timing{});
    const auto both =
        front_values({row.configuration, row.resources, row.time.value_or(0), timing.energy, &timing.metrics},
                     section.objective);
    take({i,
          i < section.measured ? std::optional(value_of(row)) : std::nullopt,
          row.time.value_or(0),
          ties(section, row),
          both.value_or(FrontValues{}),
          {row.configuration, row.error, row.resources, row.phases, timing.metrics}});
  }
}

void each_configuration(const Section& section, const StoredEvaluations::TakeConfiguration& take) {
  if (section.stored) return section.stored->each_configuration(take);
  for (std::size_t i = 0; i < section.evaluations.size(); ++i) take(i, section.evaluations[i].configuration);
}

double value_of(const db::ResultRow& row) {
  return row.value.value_or(row.time.value_or(0));
}

std::optional<double> gain(const Section& section, const std::optional<double>& value) {
  if (!section.winner || !value) return std::nullopt;
  return *value / value_of(*section.winner);
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
