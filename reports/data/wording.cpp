// SPDX-License-Identifier: Apache-2.0
#include "reports/data/wording.hpp"

#include <algorithm>
#include <string_view>

#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/measurement/timing.hpp"

namespace tune::reports {

namespace {

std::string share_text(const db::WorkloadCost& amount, double time) {
  const auto share = share_of_limit(amount, time);
  return share ? percent_text(*share) : "-";
}

std::string gains_text(const Section& section) {
  const auto over_median = gain(section, section.median_value);
  const auto over_default = gain(section, section.default_value);
  const std::string better = section.objective == Objective::time ? "faster" : "better";
  std::string text = format("{:.2f}x {} than the median configuration", over_median.value_or(1), better);
  if (over_default) text += format(", {:.2f}x {} than the default", *over_default, better);
  return text;
}

/// By what the section ranks, where that is not the time.
std::string objective_text(const Section& section) {
  if (!section.unknown_objective.empty())
    return format("{}, but the run's definition with this metric was not found: ranked by time",
                  section.unknown_objective);
  if (section.objective.of_front() != nullptr)
    return format("{}: the best has the smallest product; the front has {}", to_string(section.objective),
                  counted(section.front.size(), "configuration"));
  return format("{}: {}", to_string(section.objective), value_text(section, value_of(*section.winner)));
}

std::string counts_text(const Section& section) {
  std::string text = counted(evaluated(section), "configuration");
  if (section.space_size > 0)
    text += format(
        " of {} ({})", section.space_size,
        percent_text(static_cast<double>(evaluated(section)) / static_cast<double>(section.space_size)));
  text += format(": {} {}", section.measured + section.without_value, to_string(section.workload.origin));
  if (section.without_value > 0)
    text += format(" ({} of them without {})", section.without_value, objective_name(section));
  for (const PhaseCount& failed : section.failed_phases)
    text += format(", {} failed in {}", failed.count, to_string(failed.phase));
  return text;
}

/// `ties +0.31 % (-0.05 to +0.62 %)`: how a candidate of the re-ranking compares with the winner; `-` for
/// others.
std::string standing_text(const Section& section, const db::ResultRow& row) {
  const auto& winner = section.winner->rerank;
  if (!winner || !row.rerank || row.rerank->run != winner->run) return "-";
  if (row.evaluation == section.winner->evaluation) return "winner";
  return (row.rerank->tied ? "ties " : "") + difference_text(row.rerank->ratio);
}

void add_winner(const Section& section, std::vector<std::pair<std::string, std::string>>& lines) {
  if (section.objective != Objective::time || !section.unknown_objective.empty())
    lines.emplace_back("objective", objective_text(section));
  for (auto& line : result_lines(winner_of(section))) lines.push_back(std::move(line));
  if (section.winner->rerank) lines.emplace_back("ties", tied_text(section));
  if (section.measured > 1) lines.emplace_back("gain", gains_text(section));
  lines.emplace_back("close", format("{} within 5 % of the best, including the best",
                                     counted(section.close, "configuration")));
  if (section.found)
    lines.emplace_back("found", format("by {}, evaluation {} of run {}, after {}", section.found->strategy,
                                       section.found->sequence + 1, section.found->run,
                                       duration_text(section.found->elapsed)));
}

/// Without the parts of a second.
std::string when(const std::string& utc) {
  return utc.size() < 19 ? utc : utc.substr(0, 10) + " " + utc.substr(11, 8);
}

}  // namespace

std::string objective_name(const Section& section) {
  return name_of(section.objective);
}

std::string value_text(const Section& section, double value) {
  const std::string number = section.objective.value_text(value);
  return section.objective.of_metric() != nullptr ? objective_name(section) + " " + number : number;
}

ShownResult winner_of(const Section& section) {
  ShownResult winner = shown(*section.winner, section.winner_samples);
  winner.cost = section.amount;
  return winner;
}

std::uint64_t tied_count(const Section& section) {
  if (section.stored) return section.stored->tied;
  return static_cast<std::uint64_t>(std::ranges::count_if(
      section.evaluations, [&](const db::ResultRow& row) { return ties(section, row); }));
}

std::string tied_text(const Section& section) {
  const std::uint64_t tied = tied_count(section);
  return tied == 0 ? "none" : counted(tied, "other configuration");
}

std::string title(const Section& section) {
  const db::Workload& workload = section.workload;
  return format("{} {}{} on {}{}{}", workload.problem, workload.size,
                workload.settings.empty() ? "" : " " + workload.settings, workload.device,
                origin_mark(workload.origin), workload.cache == CacheState::warm ? " (warm caches)" : "");
}

Rate main_rate(const Section& section) {
  return main_rate(section.amount, section.device);
}

std::string workload_options(const db::Workload& workload) {
  std::string text =
      format("--problem {} --size {}", shell_quoted(workload.problem), shell_quoted(workload.size));
  if (!workload.settings.empty()) text += " --set " + shell_quoted(workload.settings);
  if (workload.cache == CacheState::warm) text += " --cache warm";
  return text;
}

std::vector<std::pair<std::string, std::string>> properties(const Section& section) {
  const db::Workload& workload = section.workload;
  std::vector<std::pair<std::string, std::string>> lines;
  lines.emplace_back("device",
                     format("{} ({}), driver {}", workload.device, workload.architecture, workload.driver));
  lines.emplace_back("compiler",
                     format("{}, sources {}", workload.toolchain.compiler, workload.toolchain.source_hash));
  for (const std::string& phrase : section.outdated) lines.emplace_back("stale", phrase);
  if (workload.origin == Origin::replayed)
    lines.emplace_back("origin", "replayed: the times are recorded, nothing was measured in these runs");
  if (workload.origin == Origin::imported)
    lines.emplace_back("origin", "imported: measured by another program, and not checked here");
  if (section.winner)
    add_winner(section, lines);
  else
    lines.emplace_back("best", "none: no configuration was measured");
  lines.emplace_back("evaluated", counts_text(section));
  if (section.fidelity.pairs > 0)
    lines.emplace_back("low fidelity", agreement_text(section.low_fidelity, section.fidelity));
  return lines;
}

Grid top_table(const Section& section) {
  const bool rerank = section.winner && section.winner->rerank;
  const bool by_time = section.objective == Objective::time;
  std::vector<std::string> header = {"place", "time", "of best", "of limit"};
  if (!by_time) header.insert(header.begin() + 1, objective_name(section));
  if (rerank) header.emplace_back("re-ranking");
  for (const char* const name : {"registers", "occupancy", "configuration"}) header.emplace_back(name);
  Grid grid(std::move(header));
  grid.rank();
  grid.leave_out({"registers", "occupancy", "re-ranking", "of limit"});
  for (std::size_t i = 0; i < std::min({section.top, section.measured, section.evaluations.size()}); ++i) {
    const db::ResultRow& row = section.evaluations[i];
    std::vector<std::string> cells = {format("{}", i + 1), si(*row.time, "s"),
                                      percent_text(1 / *gain(section, value_of(row))),
                                      share_text(section.amount, *row.time)};
    if (!by_time) cells.insert(cells.begin() + 1, section.objective.value_text(value_of(row)));
    if (rerank) cells.push_back(standing_text(section, row));
    cells.push_back(row.resources ? format("{}", row.resources->registers) : "-");
    cells.push_back(row.resources ? percent_text(row.resources->occupancy) : "-");
    cells.push_back(row.configuration.to_string());
    grid.add(std::move(cells), row.configuration);
  }
  return grid;
}

Grid front_table(const Section& section) {
  const auto* const both = section.objective.of_front();
  if (both == nullptr) return Grid({"configuration"});
  Grid grid({name_of(both->front()), name_of(both->back()), "configuration"});
  for (const FrontMember& member : section.front)
    grid.add({both->front().value_text(member.values.front()), both->back().value_text(member.values.back()),
              member.configuration.to_string()},
             member.configuration);
  return grid;
}

Grid failure_table(const Section& section) {
  Grid grid({"phase", "count", "reason", "for example"});
  grid.leave_out({"for example"});
  for (const db::FailureCount& failure : section.failures)
    grid.add({std::string(to_string(failure.phase)), format("{}", failure.count), failure.reason,
              failure.example.to_string()});
  return grid;
}

Grid run_table(const Section& section) {
  const bool names_objective = std::ranges::any_of(
      section.runs, [](const RunReport& run) { return run.summary.objective != Objective::time; });
  std::vector<std::string> header = {"run",  "started (UTC)", "ended by", "strategy",
                                     "seed", "evaluations",   "reused",   "failures"};
  if (names_objective) header.emplace_back("objective");
  header.emplace_back("best");
  Grid grid(std::move(header));
  grid.leave_out({"seed", "failures", "reused", "objective", "strategy"});
  for (const RunReport& run : section.runs) {
    const db::RunSummary& summary = run.summary;
    std::vector<std::string> cells = {format("{}", summary.run),
                                      when(summary.started),
                                      summary.end_reason.empty() ? "unfinished" : summary.end_reason,
                                      summary.strategy,
                                      format("{}", run.seed),
                                      format("{}", summary.evaluations),
                                      format("{}", summary.reused),
                                      format("{}", summary.failures)};
    if (names_objective) cells.push_back(to_string(summary.objective));
    cells.push_back(run.best ? value_text(section, *run.best) : "-");
    grid.add(std::move(cells));
  }
  return grid;
}

namespace {

std::string times_text(const std::optional<double>& ratio) {
  return ratio ? format("{:.2f}x", *ratio) : "-";
}

/// `1.17x (1.00x to 3.23x)`: the median and what it lies between; `-` for none.
template<class TextOf>
std::string range_text(std::vector<double> values, const TextOf& text_of) {
  if (values.empty()) return "-";
  std::ranges::sort(values);
  const std::string median = text_of(values[values.size() / 2]);
  const std::string low = text_of(values.front()), high = text_of(values.back());
  return low == high ? median : format("{} ({} to {})", median, low, high);
}

}  // namespace

Grid overview_table(const ReportData& data) {
  Grid grid({"problem", "size", "settings", "device", "origin", "best", "default", "speed-up", "of limit",
             "over median", "evaluations"});
  grid.leave_out({"origin", "evaluations", "over median", "device", "default"});
  for (const Section& section : data.sections) {
    const db::Workload& workload = section.workload;
    grid.add({workload.problem, workload.size, workload.settings, workload.device,
              std::string(to_string(workload.origin)),
              section.winner ? value_text(section, value_of(*section.winner)) : "-",
              section.winner && section.default_value ? value_text(section, *section.default_value) : "-",
              times_text(gain(section, section.default_value)),
              section.winner ? share_text(section.amount, *section.winner->time) : "-",
              times_text(gain(section, section.median_value)), format("{}", evaluated(section))});
  }
  return grid;
}

Grid problem_table(const ReportData& data) {
  struct Found {
    std::string problem;
    std::size_t sections = 0, evaluations = 0;
    std::vector<double> gains = {}, shares = {};
  };
  std::vector<Found> all;
  for (const Section& section : data.sections) {
    auto found = std::ranges::find(all, section.workload.problem, &Found::problem);
    if (found == all.end()) found = all.insert(all.end(), {.problem = section.workload.problem});
    ++found->sections;
    found->evaluations += evaluated(section);
    if (const auto over = gain(section, section.default_value)) found->gains.push_back(*over);
    if (!section.winner) continue;
    if (const auto share = share_of_limit(section.amount, *section.winner->time))
      found->shares.push_back(*share);
  }
  Grid grid({"problem", "workloads", "configurations", "speed-up", "of limit"});
  grid.leave_out({"configurations"});
  for (const Found& found : all)
    grid.add({found.problem, format("{}", found.sections), format("{}", found.evaluations),
              range_text(found.gains, [](double ratio) { return format("{:.2f}x", ratio); }),
              range_text(found.shares, percent_text)});
  return grid;
}

}  // namespace tune::reports
