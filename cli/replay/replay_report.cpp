// SPDX-License-Identifier: Apache-2.0
#include "cli/replay/replay_report.hpp"

#include <algorithm>

#include "reports/data/grid.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/serialization/json.hpp"

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

/// `18.9 (32 %)`: evaluations, and the share of searches that did not get there.
std::string within_text(const Within& within) {
  return format("{:.1f}{}", within.evaluations,
                within.missed > 0 ? format(" ({:.0f} %)", 100 * within.missed) : std::string());
}

/// Scores by the name of a strategy or of a choice among strategies.
using Lines = std::vector<std::pair<std::string, const Scores*>>;

/// `what`: the heading over the names.
std::string table(const ReplayReport& report, const std::string& what, const Lines& lines) {
  std::vector<std::string> header = {what};
  for (const std::uint64_t budget : report.options.budgets) header.push_back(std::to_string(budget));
  for (const double time : report.options.times) header.push_back(format("{:g}s", time));
  for (const char* const name : {"to 5 %", "to 1 %", "score", "ms/eval"}) header.emplace_back(name);
  reports::Grid grid(header);
  grid.leave_out({"ms/eval", "to 1 %", "score", "to 5 %"});
  const auto add = [&](std::vector<std::string> cells) {
    cells.resize(header.size());
    grid.add(std::move(cells));
  };
  for (const auto& [name, scores] : lines) {
    std::vector<std::string> cells = {name};
    for (const replay::Spread& share : scores->share) cells.push_back(share_text(share.mean));
    for (const replay::Spread& share : scores->share_at_times) cells.push_back(share_text(share.mean));
    cells.resize(1 + report.options.budgets.size() + report.options.times.size());
    cells.insert(cells.end(), {within_text(scores->within_5), within_text(scores->within_1),
                               scores->score ? share_text(*scores->score) : "-",
                               scores->seconds ? format("{:.3f}", 1e3 * *scores->seconds) : ""});
    add(std::move(cells));
    if (scores->share_by_time.empty()) continue;
    cells = {"  by time"};
    for (const replay::Spread& share : scores->share_by_time) cells.push_back(share_text(share.mean));
    add(std::move(cells));
  }
  return grid.text("  ", report.style);
}

/// What each column says.
std::string legend(const ReplayReport& report) {
  constexpr std::size_t column = 18;
  std::string text = "Columns\n";
  const auto add = [&](const std::string& name, const std::string& meaning) {
    const std::string head = "  " + name;
    text += head.size() + 2 > column ? head + "\n" + std::string(column, ' ') : padded_to(head, column);
    text += tune::wrapped(meaning, column, report.style.width > 0 ? report.style.width : 100) + "\n";
  };
  const replay::ComparisonOptions& options = report.options;
  add(joined(options.budgets),
      format("share of the optimum (optimum / best found) after so many evaluations, as 0 to 1: mean of {} "
             "searches (seed {})",
             options.repeats, options.seed));
  if (!options.times.empty())
    add(joined(options.times, [](double time) { return format("{:g}s", time); }),
        "the same after so many seconds of recorded time, without the strategy's own");
  add("to 5 %, to 1 %",
      format(
          "evaluations until the best is within 5 % or 1 % of the optimum; in brackets the share of searches "
          "that did not get there, each counted as {}",
          options.budgets.back()));
  add("score", "0 is random search, 1 finds the optimum at once; below 0 is worse than random search");
  add("ms/eval", "the strategy's own time for an evaluation, in ms");
  if (std::ranges::any_of(report.results,
                          [](const replay::SpaceResult& result) { return result.facts.seconds_each > 0; }))
    add("by time (row)",
        "the same shares after the average recorded time of so many evaluations: compiling, checking, measuring");
  add(exact_random, "random search without repetition, computed instead of simulated");
  return text;
}

std::string space_text(const ReplayReport& report, std::size_t number) {
  const replay::RecordedSpace& space = report.spaces[number];
  const replay::SpaceResult& result = report.results[number];
  const SpaceFacts& facts = result.facts;
  const std::string title = title_of(space);
  const auto fit = [&](const std::string& line) {
    return report.style.width == 0 ? line : tune::wrapped(line, 2, report.style.width);
  };
  std::string text =
      fit(space.name.starts_with(title) ? space.name : space.name + ": " + title) + "\n  " +
      fit(format("{} configurations, {} of them failed; best {}, median {:.2f} times that; {} within 5 %, {} "
                 "within 1 %",
                 facts.configurations, facts.failed, si(facts.optimum, "s"), facts.median / facts.optimum,
                 facts.within_5, facts.within_1)) +
      "\n";
  for (const std::string& note : space.notes) text += "  " + fit("note: " + note) + "\n";
  Lines lines = {{exact_random, &result.random}};
  for (std::size_t s = 0; s < report.strategies.size(); ++s)
    lines.emplace_back(report.strategies[s], &result.scores[s]);
  return text + table(report, "strategy", lines) + "\n";
}

std::string group_text(const ReplayReport& report, const replay::SpaceGroup& group) {
  std::vector<Scores> scores;
  for (std::size_t number = 0; number <= report.strategies.size(); ++number)
    scores.push_back(group_scores(report, group, number));
  Lines lines = {{exact_random, &scores.front()}};
  for (std::size_t s = 0; s < report.strategies.size(); ++s)
    lines.emplace_back(report.strategies[s], &scores[s + 1]);
  return format("{}: mean over {}\n", group.name, counted(group.spaces.size(), "space")) +
         table(report, "strategy", lines);
}

/// The strategy chosen for each group by the other groups, and what it reaches there.
std::string held_text(const ReplayReport& report) {
  const replay::HeldOut& held = *report.held;
  std::string text =
      format("each {} left out in turn: the strategy that is best on the others, by their mean over the {}\n",
             report.held_by, report.options.times.empty() ? "budgets" : "times");
  Lines lines;
  for (const replay::HeldOut::Fold& fold : held.folds) {
    text += format("  {} ({}): {}\n", fold.group.name, counted(fold.group.spaces.size(), "space"),
                   report.strategies[fold.chosen]);
    lines.emplace_back(fold.group.name, &fold.scores);
  }
  lines.emplace_back(held_out_mean, &held.scores);
  return text + table(report, "left out", lines) +
         format("  with nothing left out, the choice would be {}\n", report.strategies[held.hindsight]);
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
  text += legend(report);
  if (report.options.batch > 1)
    text += format("Strategies chose {} configurations at a time.\n", report.options.batch);
  if (report.options.in_flight > 1)
    text += format("Up to {} configurations were in flight.\n", report.options.in_flight);
  if (report.compilers > 0)
    text += format("With {}: a simulated run with so many compilers beside one device, by its clock.\n",
                   counted(report.compilers, "compiler"));
  if (!report.warm.empty()) text += report.warm + "\n";
  return text;
}

namespace {

using nlohmann::ordered_json;
using replay::Scores;

ordered_json or_null(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json within_json(const replay::Within& within) {
  return {{"evaluations", within.evaluations}, {"missed", within.missed}};
}

template<class Budget>
ordered_json share_json(const char* unit, Budget budget, const replay::Spread& share) {
  return {{unit, budget},
          {"share", share.mean},
          {"lower_quartile", share.lower},
          {"upper_quartile", share.upper}};
}

ordered_json scores_json(const ReplayReport& report, const std::string& name, const Scores& scores) {
  ordered_json object = {{"strategy", name}};
  object["budgets"] = ordered_json::array();
  for (std::size_t b = 0; b < scores.share.size(); ++b)
    object["budgets"].push_back(share_json("evaluations", report.options.budgets[b], scores.share[b]));
  object["by_time"] = nullptr;
  for (std::size_t b = 0; b < scores.share_by_time.size(); ++b)
    object["by_time"].push_back(
        share_json("evaluations", report.options.budgets[b], scores.share_by_time[b]));
  object["at_times"] = nullptr;
  for (std::size_t t = 0; t < scores.share_at_times.size(); ++t)
    object["at_times"].push_back(share_json("seconds", report.options.times[t], scores.share_at_times[t]));
  object["within_5_percent"] = within_json(scores.within_5);
  object["within_1_percent"] = within_json(scores.within_1);
  object["score"] = or_null(scores.score);
  object["strategy_seconds"] = or_null(scores.seconds);
  return object;
}

ordered_json space_json(const ReplayReport& report, std::size_t number) {
  const replay::RecordedSpace& space = report.spaces[number];
  const replay::SpaceResult& result = report.results[number];
  const replay::SpaceFacts& facts = result.facts;
  ordered_json object = {{"name", space.name},
                         {"problem", space.problem},
                         {"work", space.workload},
                         {"device", space.device},
                         {"configurations", facts.configurations},
                         {"failed", facts.failed},
                         {"best_seconds", facts.optimum},
                         {"median_seconds", facts.median},
                         {"within_5_percent", facts.within_5},
                         {"within_1_percent", facts.within_1},
                         {"random_evaluations_to_5_percent", facts.random_evaluations},
                         {"score_evaluations", facts.cutoff_evaluations},
                         {"seconds_an_evaluation",
                          facts.seconds_each > 0 ? ordered_json(facts.seconds_each) : ordered_json(nullptr)},
                         {"notes", space.notes}};
  object["strategies"] = {scores_json(report, exact_random, result.random)};
  for (std::size_t s = 0; s < report.strategies.size(); ++s)
    object["strategies"].push_back(scores_json(report, report.strategies[s], result.scores[s]));
  return object;
}

/// Names and scores of all lines of a group's table.
std::vector<std::pair<std::string, Scores>> lines_of(const ReplayReport& report,
                                                     const replay::SpaceGroup& group) {
  std::vector<std::pair<std::string, Scores>> lines = {{exact_random, group_scores(report, group, 0)}};
  for (std::size_t s = 0; s < report.strategies.size(); ++s)
    lines.emplace_back(report.strategies[s], group_scores(report, group, s + 1));
  return lines;
}

ordered_json held_json(const ReplayReport& report) {
  if (!report.held) return nullptr;
  ordered_json object = {{"by", report.held_by}, {"left_out", ordered_json::array()}};
  for (const replay::HeldOut::Fold& fold : report.held->folds) {
    ordered_json entry = {{"name", fold.group.name}, {"spaces", ordered_json::array()}};
    for (const std::size_t space : fold.group.spaces) entry["spaces"].push_back(report.spaces[space].name);
    entry["share_of_the_others"] = fold.elsewhere;
    entry["chosen"] = scores_json(report, report.strategies[fold.chosen], fold.scores);
    object["left_out"].push_back(std::move(entry));
  }
  object["mean"] = scores_json(report, held_out_mean, report.held->scores);
  object["chosen_of_all"] = report.strategies[report.held->hindsight];
  return object;
}

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char letter : cell) text += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return text + '"';
}

std::string optional_cell(const std::optional<double>& value) {
  return value ? format("{}", *value) : std::string();
}

std::string rows(const ReplayReport& report, const std::string& kind, const std::string& name,
                 const std::string& strategy, const Scores& scores) {
  std::string text;
  const auto add = [&](const std::string& evaluations, const std::string& seconds,
                       const replay::Spread& share, const std::optional<double>& by_time) {
    text +=
        format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", kind, quoted(name), quoted(strategy),
               evaluations, share.mean, share.lower, share.upper, scores.within_5.evaluations,
               scores.within_5.missed, scores.within_1.evaluations, scores.within_1.missed,
               optional_cell(scores.score), optional_cell(by_time), optional_cell(scores.seconds), seconds);
  };
  for (std::size_t b = 0; b < scores.share.size(); ++b)
    add(format("{}", report.options.budgets[b]), "", scores.share[b],
        scores.share_by_time.empty() ? std::nullopt : std::optional(scores.share_by_time[b].mean));
  for (std::size_t t = 0; t < scores.share_at_times.size(); ++t)
    add("", format("{}", report.options.times[t]), scores.share_at_times[t], std::nullopt);
  return text;
}

}  // namespace

std::string to_json(const ReplayReport& report) {
  ordered_json object = {
      {"format", "tune replay"},
      {"format_version", 1},
      {"repeats", report.options.repeats},
      {"seed", report.options.seed},
      {"batch", report.options.batch},
      {"in_flight", report.options.in_flight},
      {"compilers", report.compilers > 0 ? ordered_json(report.compilers) : ordered_json()},
      {"warm", report.warm.empty() ? ordered_json(nullptr) : ordered_json(report.warm)}};
  object["spaces"] = ordered_json::array();
  for (std::size_t s = 0; s < report.spaces.size(); ++s) object["spaces"].push_back(space_json(report, s));
  object["groups"] = ordered_json::array();
  for (const replay::SpaceGroup& group : report.groups) {
    ordered_json entry = {{"name", group.name}};
    entry["spaces"] = ordered_json::array();
    for (const std::size_t space : group.spaces) entry["spaces"].push_back(report.spaces[space].name);
    entry["strategies"] = ordered_json::array();
    for (const auto& [name, scores] : lines_of(report, group))
      entry["strategies"].push_back(scores_json(report, name, scores));
    object["groups"].push_back(std::move(entry));
  }
  object["held_out"] = held_json(report);
  return json_text(object);
}

std::string to_csv(const ReplayReport& report) {
  std::string text =
      "kind,name,strategy,evaluations,share,lower_quartile,upper_quartile,evaluations_to_5_percent,"
      "missed_5_percent,evaluations_to_1_percent,missed_1_percent,score,share_by_time,strategy_seconds,seconds\n";
  for (std::size_t s = 0; s < report.spaces.size(); ++s) {
    const std::string& name = report.spaces[s].name;
    text += rows(report, "space", name, exact_random, report.results[s].random);
    for (std::size_t c = 0; c < report.strategies.size(); ++c)
      text += rows(report, "space", name, report.strategies[c], report.results[s].scores[c]);
  }
  for (const replay::SpaceGroup& group : report.groups)
    for (const auto& [strategy, scores] : lines_of(report, group))
      text += rows(report, "group", group.name, strategy, scores);
  if (!report.held) return text;
  for (const replay::HeldOut::Fold& fold : report.held->folds)
    text += rows(report, "held out", fold.group.name, report.strategies[fold.chosen], fold.scores);
  text += rows(report, "held out", "mean", "", report.held->scores);
  return text;
}

}  // namespace tune::cli
