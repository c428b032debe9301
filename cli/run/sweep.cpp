// SPDX-License-Identifier: Apache-2.0
#include "cli/run/sweep.hpp"

#include <algorithm>

#include "cli/input/options.hpp"
#include "cli/output/terminal.hpp"
#include "cli/output/text_layout.hpp"
#include "db/read/queries.hpp"
#include "reports/data/grid.hpp"
#include "reports/data/result.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

std::string work_text(const ProblemOptions& work) {
  return work_options(work, CacheState::cold, Objective::time);
}

std::string work_text(const Instance& instance) {
  return format("{} {}", instance.problem, instance.key());
}

/// True of a run that came to an end which nobody forced.
bool ended_by_itself(const db::RunSummary& run) {
  return run.end_reason == "exhausted" || run.end_reason == "budget" || run.end_reason == "stopped";
}

bool is_of(const db::RunSummary& run, const Instance& work) {
  return run.workload.problem == work.problem && run.workload.size == work.size() &&
         run.workload.settings == work.settings_key();
}

}  // namespace

void Sweep::Row::set_speed(const RunRecord& record, double seconds) {
  if (record.limit > 0) share = percent_text(record.limit / seconds);
  const reports::Rate speed = reports::main_rate(
      {record.limit, record.items, record.flops, record.bytes, record.item}, record.key.device);
  if (speed.amount > 0) rate = reports::rate_text(speed, seconds);
}

bool Sweep::finished_before(const db::Database& database, const RunRecord& record,
                            const std::string& command_line) {
  db::RunFilter filter;
  filter.command_line = command_line;
  std::vector<db::RunSummary> runs = db::list_runs(database, filter);
  std::erase_if(runs, [&](const db::RunSummary& run) {
    return !ended_by_itself(run) || run.workload.model_key != record.key.device.model_key() ||
           run.workload.origin != record.key.origin;
  });
  const auto count = [&](const Instance& work) {
    return std::ranges::count_if(runs, [&](const db::RunSummary& run) { return is_of(run, work); });
  };
  auto fewest = count(record.key.instance);
  const auto here = fewest;
  for (const Instance& work : works_) fewest = std::min(fewest, count(work));
  if (here == fewest) return false;
  const auto newest =
      std::ranges::find_if(runs, [&](const db::RunSummary& run) { return is_of(run, record.key.instance); });
  Row row{work_text(record.key.instance)};
  const Objective& objective = newest->objective;
  if (newest->best && objective == Objective::time) {
    row.best = si(*newest->best, "s");
    row.set_speed(record, *newest->best);
  }
  row.evaluations = std::to_string(newest->evaluations);
  row.run = std::to_string(newest->run);
  row.end = "ended before";
  rows_.push_back(std::move(row));
  objects_.push_back({{"work", work_text(record.key.instance)},
                      {"run", newest->run},
                      {"end", newest->end_reason},
                      {"reason", "an earlier call with the same command line ended this run"}});
  has_run_ = true;
  return true;
}

void Sweep::add(const FinishedRun& run) {
  const RunRecord& record = run.record;
  Row row{work_text(record.key.instance)};
  if (const auto value = best_value(run)) {
    row.best = record.options.objective.value_text(*value);
    row.set_speed(record, reports::shown(record, *run.result.progress.best, run.result.rerank).seconds);
    if (const auto times = speed_up(run, run.result.default_value))
      row.over_default = format("{:.3g}x", *times);
  }
  row.evaluations = std::to_string(run.result.progress.evaluations);
  row.run = std::to_string(run.result.run);
  row.end = to_string(run.result.end);
  rows_.push_back(std::move(row));
  objects_.push_back(nlohmann::ordered_json::parse(to_json(run)));
  database_option_ = run.database_option;
  has_run_ = true;
}

void Sweep::add_failed(const ProblemOptions& work, const std::string& reason) {
  Row row{work_text(work)};
  row.end = "failed: " + reason;
  row.has_failed = true;
  rows_.push_back(std::move(row));
  objects_.push_back({{"work", work_text(work)}, {"end", "failed"}, {"reason", reason}});
}

void Sweep::add_left_out(const ProblemOptions& work) {
  Row row{work_text(work)};
  row.end = "not begun";
  rows_.push_back(std::move(row));
  objects_.push_back({{"work", work_text(work)}, {"end", "not begun"}, {"reason", "interrupted"}});
}

std::string Sweep::text() const {
  reports::Grid table({"work", "best", "rate", "of the limit", "over default", "evaluations", "run", "end"});
  table.leave_out({"over default", "evaluations", "of the limit"});
  table.wrap("end");
  for (const Row& row : rows_)
    table.add({row.work, row.best, row.rate, row.share, row.over_default, row.evaluations, row.run, row.end});
  std::string text = table.text("", output_style());
  const auto works = [&](auto&& of) { return static_cast<std::uint64_t>(std::ranges::count_if(rows_, of)); };
  const std::uint64_t failed = works(&Row::has_failed);
  const std::uint64_t open =
      works([](const Row& row) { return !row.has_failed && (row.run.empty() || row.end == "interrupted"); });
  if (failed > 0) text += format("{} failed: the same call tries again\n", counted(failed, "work"));
  if (open > 0)
    text += format("{} not finished: the same call continues there\n",
                   counted(open, "work") + (open == 1 ? " is" : " are"));
  if (has_run_)
    text += labelled("next", format("tune report --problem {}{} --out report.html",
                                    shell_quoted(works_.front().problem), database_option_));
  return text;
}

std::string Sweep::json() const {
  return json_text({{"works", objects_}});
}

}  // namespace tune::cli
