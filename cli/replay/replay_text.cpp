// SPDX-License-Identifier: Apache-2.0
#include "cli/replay/replay_text.hpp"

#include <algorithm>

#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune::cli {
namespace {

using replay::Scores;
using replay::SpaceFacts;
using replay::Within;

/// `.927`, `1.000`.
std::string share_text(double share) {
  const std::string text = format("{:.3f}", share);
  return text.starts_with("0.") ? text.substr(1) : text.starts_with("-0.") ? "-" + text.substr(2) : text;
}

std::string within_text(const Within& within) {
  const std::string missed = within.missed > 0 ? format("({:.0f} %)", 100 * within.missed) : std::string();
  return format("{:>7.1f} {:>7}", within.evaluations, missed);
}

std::size_t name_width(const ReplayReport& report) {
  std::size_t width = std::string_view(exact_random).size();
  for (const std::string& name : report.strategies) width = std::max(width, name.size());
  if (report.held)
    for (const replay::HeldOut::Fold& fold : report.held->folds)
      width = std::max(width, fold.group.name.size());
  return width;
}

std::string head(const ReplayReport& report) {
  std::string text = format("  {:<{}}", "", name_width(report));
  for (const std::uint64_t budget : report.options.budgets) text += format(" {:>6}", budget);
  return text + format(" {:>15} {:>15} {:>6} {:>8}\n", "to 5 %", "to 1 %", "score", "ms/eval");
}

/// A heading over the shares after the times that were asked for.
std::string time_head(const ReplayReport& report) {
  if (report.options.times.empty()) return "";
  std::string text = format("  {:<{}}", "", name_width(report));
  for (const double time : report.options.times) text += format(" {:>6}", format("{:g}s", time));
  return text + "\n";
}

std::string at_times_row(const ReplayReport& report, const std::string& name, const Scores& scores) {
  std::string text = format("  {:<{}}", name, name_width(report));
  for (const replay::Spread& share : scores.share_at_times) text += format(" {:>6}", share_text(share.mean));
  return text + "\n";
}

/// Shares after times, where there are such; an indented line of its own.
std::string time_row(const ReplayReport& report, const Scores& scores) {
  if (scores.share_by_time.empty()) return "";
  std::string text = format("  {:<{}}", "  by time", name_width(report));
  for (const replay::Spread& share : scores.share_by_time) text += format(" {:>6}", share_text(share.mean));
  return text + "\n";
}

std::string row(const ReplayReport& report, const std::string& name, const Scores& scores) {
  std::string text = format("  {:<{}}", name, name_width(report));
  for (const replay::Spread& share : scores.share) text += format(" {:>6}", share_text(share.mean));
  text += format(" {} {}", within_text(scores.within_5), within_text(scores.within_1));
  text += format(" {:>6}", scores.score ? share_text(*scores.score) : std::string("-"));
  if (scores.seconds) text += format(" {:>8.3f}", 1e3 * *scores.seconds);
  return text + "\n" + time_row(report, scores);
}

/// What is known of contenders, or of a choice among them, by name.
using Lines = std::vector<std::pair<std::string, const Scores*>>;

std::string table(const ReplayReport& report, const Lines& lines) {
  std::string text = head(report);
  for (const auto& [name, scores] : lines) text += row(report, name, *scores);
  text += time_head(report);
  for (const auto& [name, scores] : lines)
    if (!scores->share_at_times.empty()) text += at_times_row(report, name, *scores);
  return text;
}

std::string spaces_text(std::size_t count) {
  return format("{} space{}", count, count == 1 ? "" : "s");
}

std::string space_text(const ReplayReport& report, std::size_t number) {
  const replay::RecordedSpace& space = report.spaces[number];
  const replay::SpaceResult& result = report.results[number];
  const SpaceFacts& facts = result.facts;
  const std::string title = title_of(space);
  std::string text = format(
      "{}\n  {} configurations, {} of them failed; best {}, median {:.2f} times that; {} within 5 %, "
      "{} within 1 %\n",
      space.name.starts_with(title) ? space.name : space.name + ": " + title, facts.configurations,
      facts.failed, si(facts.optimum, "s"), facts.median / facts.optimum, facts.within_5, facts.within_1);
  for (const std::string& note : space.notes) text += format("  note: {}\n", note);
  Lines lines = {{exact_random, &result.random}};
  for (std::size_t s = 0; s < report.strategies.size(); ++s)
    lines.emplace_back(report.strategies[s], &result.scores[s]);
  return text + table(report, lines) + "\n";
}

std::string group_text(const ReplayReport& report, const replay::SpaceGroup& group) {
  std::vector<Scores> scores;
  for (std::size_t number = 0; number <= report.strategies.size(); ++number)
    scores.push_back(group_scores(report, group, number));
  Lines lines = {{exact_random, &scores.front()}};
  for (std::size_t s = 0; s < report.strategies.size(); ++s)
    lines.emplace_back(report.strategies[s], &scores[s + 1]);
  return format("{}: mean over {}\n", group.name, spaces_text(group.spaces.size())) + table(report, lines);
}

/// What was chosen for each group by the others, and what it reaches there.
std::string held_text(const ReplayReport& report) {
  const replay::HeldOut& held = *report.held;
  std::string text =
      format("{} left out in turn: the best strategy over the others, by their mean over the {}\n",
             report.held_by, report.options.times.empty() ? "budgets" : "times");
  Lines lines;
  for (const replay::HeldOut::Fold& fold : held.folds) {
    text += format("  {} ({}): {}\n", fold.group.name, spaces_text(fold.group.spaces.size()),
                   report.strategies[fold.chosen]);
    lines.emplace_back(fold.group.name, &fold.scores);
  }
  lines.emplace_back(held_out_mean, &held.scores);
  return text + table(report, lines) +
         format("  with nothing left out it would be {}\n", report.strategies[held.hindsight]);
}

}  // namespace

Scores group_scores(const ReplayReport& report, const replay::SpaceGroup& group, std::size_t number) {
  std::vector<Scores> scores;
  for (const std::size_t space : group.spaces)
    scores.push_back(number == 0 ? report.results[space].random : report.results[space].scores[number - 1]);
  return replay::mean_of(scores);
}

std::string to_text(const ReplayReport& report) {
  std::string text;
  for (std::size_t s = 0; s < report.spaces.size(); ++s) text += space_text(report, s);
  if (report.spaces.size() > 1)
    for (const replay::SpaceGroup& group : report.groups) text += group_text(report, group) + "\n";
  if (report.held) text += held_text(report) + "\n";
  text += format(
      "Share of the optimum (optimum / best found) after so many evaluations, mean of {} searches (seed "
      "{});\n"
      "evaluations to come within 5 % and 1 % of the optimum, in brackets the share of searches that did not "
      "(counted as {});\nscore: 0 as good as random search, 1 the optimum at once; own time of the "
      "strategy.\n",
      report.options.repeats, report.options.seed, report.options.budgets.back());
  if (std::ranges::any_of(report.results,
                          [](const replay::SpaceResult& result) { return result.facts.seconds_each > 0; }))
    text +=
        "By time: after what so many evaluations of the space take on average, by the recorded times of "
        "compiling,\nchecking and measuring.\n";
  if (!report.options.times.empty())
    text += "Under 's': after so many seconds of these times, without the strategy's own.\n";
  if (report.options.batch > 1)
    text += format("Configurations were asked for {} at a time.\n", report.options.batch);
  if (!report.warm.empty()) text += report.warm + "\n";
  return text;
}

}  // namespace tune::cli
