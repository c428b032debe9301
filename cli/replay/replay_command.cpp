// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iostream>

#include "cli/input/command.hpp"
#include "cli/input/device_choice.hpp"
#include "cli/input/matched_recording.hpp"
#include "cli/input/recorded_spaces.hpp"
#include "cli/output/output_file.hpp"
#include "cli/output/printable_output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/replay/replay_report.hpp"
#include "db/formats/file_format.hpp"
#include "search/strategies/registry.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/replay/comparison.hpp"
#include "tuner/replay/warm_start.hpp"

namespace tune::cli {
namespace {

constexpr std::uint64_t max_compilers = 10'000;

/// --choose-by and --group.
struct FoldChoice {
  enum class By { nothing, kernel, device };
  By by = By::nothing;
  /// Kernels, each with the beginning of its spaces' names.
  std::vector<std::pair<std::string, std::string>> named;

  /// `kernel`, or empty.
  std::string name() const { return by == By::nothing ? "" : by == By::kernel ? "kernel" : "device"; }
  /// Throws UsageError for options that contradict each other.
  void check(std::size_t strategies) const;
  std::vector<replay::SpaceGroup> of(const std::vector<replay::RecordedSpace>& spaces) const;
};

/// --warm and the options that need it.
struct WarmChoice {
  std::vector<std::string> files;
  std::optional<std::uint64_t> evaluations;  ///< nothing: all
  std::string strategy;
  bool names_evaluations = false, names_strategy = false;

  void check() const {
    if (files.empty() && (names_evaluations || names_strategy))
      throw UsageError(
          "--warm-evaluations and --warm-strategy need recordings: name them with --warm FILE...");
  }
  std::string text() const {
    if (files.empty()) return {};
    if (!evaluations) return "Strategies began with all results of --warm.";
    return format("Strategies began with the results of {} evaluations by {} in each recording of --warm.",
                  *evaluations, strategy);
  }
};

struct ReplayRequest {
  ProblemOptions problem;
  std::vector<std::string> spaces;
  std::string only;
  std::uint64_t at_least = 0;  ///< configurations of a space
  std::vector<std::string> strategies;
  const search::StrategyEntry* options_of = nullptr;
  replay::ComparisonOptions comparison;
  WarmChoice warm;
  FoldChoice folds;
  std::uint64_t compilers = 0;  ///< 0: no run is simulated
  std::string (*render)(const ReplayReport&) = nullptr;
  std::string out, json, csv;

  void add_to(OptionTable& table);
};

std::vector<std::string> list_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// In increasing order, without repetition.
template<class T>
std::vector<T> sorted(std::vector<T> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<std::string> parse_strategies(const std::string& text) {
  std::vector<std::string> chosen;
  const std::vector<std::string> words = list_of(text);
  for (const std::string& word : words) {
    const std::string name = parse_strategy(word, "strategy").name();
    const auto earlier = static_cast<std::size_t>(std::ranges::find(chosen, name) - chosen.begin());
    if (earlier < chosen.size())
      throw UsageError(format(
          "--strategy: '{}' is named twice{}", name,
          words[earlier] == word ? "" : format(" ('{}' and '{}' are the same)", words[earlier], word)));
    chosen.push_back(name);
  }
  return chosen;
}

/// Reads a kernel's name and the beginning of its spaces' names.
std::pair<std::string, std::string> parse_group(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw UsageError(format("--group: '{}' is not of the form NAME=START", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void ReplayRequest::add_to(OptionTable& table) {
  using Kind = OptionTable::Kind;
  table.texts("space", "FILE...",
              format("recorded spaces: {} (each also as .gz), or databases of tune", replay::format_titles()),
              spaces, Kind::list);
  problem.add_to(table);
  table.text("only", "TEXT", "only the spaces whose names contain TEXT", only);
  table.count("at-least", "N", "only the spaces of at least N configurations", at_least, 1);
  table.add(
      "strategy", "S,...",
      "strategies to compare; auto is the default of runs; options follow colons (model:start=10:beliefs=off); default: "
      "all ('tune help run' lists them)",
      [this](const std::string& text) { strategies = parse_strategies(text); });
  table.add("options", "S", "list the options of strategy S instead of searching",
            [this](const std::string& text) { options_of = parse_strategy(text, "options").entry; });
  table
      .add("budget-evals", "N,...", "numbers of evaluations after which to compare",
           [this](const std::string& text) {
             std::vector<std::uint64_t> budgets;
             for (const std::string& word : list_of(text))
               budgets.push_back(parse_count(word, "budget-evals", 1));
             comparison.budgets = sorted(std::move(budgets));
           })
      .by_default("20,50,100,200,400")
      .also("budget");
  table.add(
      "budget-time", "D,...",
      "also compare after these recorded times (compiling, checking, measuring), such as 30s,2min; searches "
      "continue until the longest",
      [this](const std::string& text) {
        for (const std::string& word : list_of(text))
          comparison.times.push_back(parse_seconds(word, "budget-time"));
        comparison.times = sorted(comparison.times);
      });
  table.count("repeats", "N", "number of searches of each strategy on each space; default: 20",
              comparison.repeats, 1);
  table.count("seed", "N", "seed of the searches; default: 1", comparison.seed, 0);
  table.count("batch", "N", "ask a strategy for up to N configurations at a time; default: 1",
              comparison.batch, 1);
  table.count(
      "in-flight", "N",
      "keep up to N configurations in flight: a strategy chooses before it knows the last N-1 results; "
      "default: 1",
      comparison.in_flight, 1);
  table.count("compilers", "N",
              "also simulate runs with N compilers beside one device, by the recorded times", compilers, 1);
  table.texts("warm", "FILE...",
              "recorded spaces that strategies begin with as related records, the most similar first",
              warm.files, Kind::list);
  table
      .add("warm-evaluations", "N",
           "with --warm: use only the results of a search of N evaluations, or 'all'",
           [this](const std::string& text) {
             if (text != "all") warm.evaluations = parse_count(text, "warm-evaluations", 1);
           })
      .by_default("all")
      .tells(warm.names_evaluations);
  table
      .add("warm-strategy", "S", "with --warm: the strategy of that search",
           [this](const std::string& text) { warm.strategy = parse_strategy(text, "warm-strategy").name(); })
      .by_default("random")
      .tells(warm.names_strategy);
  table.choice<FoldChoice::By>(
      "choose-by", "WHAT",
      "leave out each 'kernel' or 'device' in turn: choose the strategy that is best on the others, "
      "and show its figures on the one left out",
      {{"kernel", FoldChoice::By::kernel}, {"device", FoldChoice::By::device}}, folds.by);
  table.add(
      "group", "NAME=START...",
      "with --choose-by kernel: spaces whose names begin with START belong to kernel NAME; default: the recorded names",
      [this](const std::string& text) { folds.named.push_back(parse_group(text)); }, Kind::list);
  table
      .choice<std::string (*)(const ReplayReport&)>(
          "format", "FORMAT", "text, json (everything) or csv (a row for each space, strategy and budget)",
          {{"text", to_text}, {"json", to_json}, {"csv", to_csv}}, render)
      .by_default("text");
  table.text("out", "FILE", "write to FILE; default: standard output", out);
  table.text("json", "FILE", "also write JSON to FILE", json);
  table.text("csv", "FILE", "also write CSV to FILE", csv);
}

std::vector<replay::ComparedStrategy> contenders_of(const std::vector<std::string>& names) {
  std::vector<replay::ComparedStrategy> contenders;
  for (const std::string& name : names)
    contenders.push_back(
        {name, [name](const search::SearchTask& task) { return search::choose_strategy(name).make(task); }});
  return contenders;
}

void FoldChoice::check(std::size_t strategies) const {
  if (by != By::nothing && strategies < 2)
    throw UsageError("--choose-by: name two strategies or more to choose from");
  if (!named.empty() && by != By::kernel) throw UsageError("--group needs --choose-by kernel: add it");
}

std::vector<replay::SpaceGroup> FoldChoice::of(const std::vector<replay::RecordedSpace>& spaces) const {
  if (by == By::nothing) return {};
  for (const auto& [kernel, start] : named)
    if (std::ranges::none_of(spaces,
                             [&start = start](const auto& space) { return space.name.starts_with(start); }))
      throw UsageError(format("--group: no space has a name that begins with '{}'", start));
  std::vector<std::string> names;
  if (by == By::kernel)
    names = replay::kernels_of(spaces, named);
  else
    for (const replay::RecordedSpace& space : spaces) names.push_back(space.device);
  std::vector<replay::SpaceGroup> folds = replay::groups_by(names);
  if (folds.size() < 2)
    throw UsageError(format("--choose-by: all spaces belong to one {}: name more spaces{}", name(),
                            by == By::kernel ? ", or group them with --group" : ""));
  return folds;
}

/// Adds after each strategy the same one in a run with so many compilers.
void add_runs(std::vector<replay::ComparedStrategy>& contenders, std::vector<std::string>& names,
              unsigned compilers) {
  std::vector<replay::ComparedStrategy> all;
  for (const replay::ComparedStrategy& one : contenders) {
    all.push_back(one);
    all.push_back({format("{}, {}", one.name, counted(compilers, "compiler")), one.make, compilers});
  }
  contenders = std::move(all);
  names.clear();
  for (const replay::ComparedStrategy& one : contenders) names.push_back(one.name);
}

int list_options(const search::StrategyEntry& entry) {
  const std::vector<search::OptionInfo> all = entry.options({});
  if (all.empty()) std::cout << format("{} has no options.\n", entry.name);
  std::size_t longest = 0;
  for (const search::OptionInfo& option : all) longest = std::max(longest, option.range.size());
  for (const search::OptionInfo& option : all)
    std::cout << format("{:<14} {:<8} {:<{}} {}\n", option.name, option.value, option.range, longest,
                        option.meaning);
  return 0;
}

/// The recordings of a problem that is named, in its own space.
std::vector<replay::RecordedSpace> spaces_of_problem(const ReplayRequest& request) {
  std::vector<replay::RecordedSpace> spaces;
  for (const std::string& file : request.spaces) {
    const std::string device = "replay:" + file;
    ProblemSelection selection = selected_problem(request.problem);
    std::optional<db::Recording> recording = recording_in_file(device, request.problem, selection);
    if (!recording)
      recording =
          open_recording(chosen_device(device, DeviceUse::tuning), selection.instance, CacheState::cold);
    MatchedRecording matched = matched_recording(selection, *std::move(recording), {});
    if (!matched.notice.empty()) say(format("{}: {}", file, matched.notice));
    const Instance& instance = selection.instance;
    replay::RecordedSpace space{.name = {},
                                .problem = instance.problem,
                                .workload = instance.key(),
                                .device = matched.recording.device.name,
                                .space = std::move(matched.space),
                                .evaluations = std::move(matched.recording.evaluations),
                                .notes = {},
                                .imported = matched.recording.origin == Origin::imported};
    space.name = title_of(space);
    const auto same = [&](const replay::RecordedSpace& other) { return other.name.starts_with(space.name); };
    if (const auto number = std::ranges::count_if(spaces, same); number > 0)
      space.name += format(" ({})", number + 1);
    if (space.name.find(request.only) != std::string::npos) spaces.push_back(std::move(space));
  }
  return spaces;
}

std::vector<replay::RecordedSpace> chosen_spaces(const ReplayRequest& request) {
  const ProblemOptions& problem = request.problem;
  const bool named = !problem.problem.empty() || !problem.stencil.empty();
  if (!named && (!problem.size.empty() || !problem.settings.empty()))
    throw UsageError("--size and --set need --problem: name it, or leave them out");
  std::vector<replay::RecordedSpace> spaces =
      named ? spaces_of_problem(request) : read_spaces(request.spaces, request.only);
  if (spaces.empty()) throw UsageError(format("--only: no space has a name with '{}' in it", request.only));
  std::erase_if(spaces, [&](const auto& space) { return space.evaluations.size() < request.at_least; });
  if (spaces.empty())
    throw UsageError(format("--at-least: no space has {} configurations", request.at_least));
  return spaces;
}

int run_replay(const ReplayRequest& request) {
  if (request.options_of != nullptr) return list_options(*request.options_of);
  const std::vector<std::string>& files = request.spaces;
  if (files.empty())
    throw UsageError(format("name recorded spaces with --space FILE...: {}, or databases of tune",
                            replay::format_titles()));
  std::vector<std::string> strategies = request.strategies;
  if (strategies.empty())
    for (const search::StrategyEntry& entry : search::strategies()) strategies.emplace_back(entry.name);
  request.folds.check(strategies.size());
  if (request.comparison.batch > 1 && request.comparison.in_flight > 1)
    throw UsageError("--batch and --in-flight exclude each other: name one of them");
  if (request.compilers > max_compilers) throw UsageError(format("--compilers: at most {}", max_compilers));
  if (request.compilers > 0 &&
      (request.comparison.batch > 1 || request.comparison.in_flight > 1 || !request.folds.name().empty()))
    throw UsageError("--compilers: leave out --batch, --in-flight and --choose-by");
  const WarmChoice& warm = request.warm;
  warm.check();
  const NamedFile out{"out", request.out}, json{"json", request.json}, csv{"csv", request.csv};
  std::vector<std::string> inputs = files;
  inputs.insert(inputs.end(), warm.files.begin(), warm.files.end());
  check_outputs(std::array{out, json, csv}, inputs);
  const std::vector<replay::RecordedSpace> spaces = chosen_spaces(request);
  const std::vector<replay::RecordedSpace> sources = read_spaces(warm.files);
  const std::vector<replay::SpaceGroup> folds = request.folds.of(spaces);
  replay::ComparisonOptions options = request.comparison;
  replay::WarmOptions warm_options;
  warm_options.evaluations = warm.evaluations;
  warm_options.searched_by = contenders_of({warm.strategy}).front();
  warm_options.seed = options.seed;
  const replay::WarmStart start(spaces, sources, warm_options);
  if (!sources.empty()) {
    for (const std::string& note : start.notes()) say(note);
    options.related = [&start](std::size_t space, std::uint64_t repeat) {
      return start.related(space, repeat);
    };
  }
  std::vector<replay::ComparedStrategy> contenders = contenders_of(strategies);
  if (request.compilers > 0) add_runs(contenders, strategies, static_cast<unsigned>(request.compilers));
  ReplayReport report{.spaces = spaces,
                      .strategies = strategies,
                      .options = options,
                      .compilers = request.compilers,
                      .results = replay::compare(spaces, contenders, options),
                      .groups = {},
                      .warm = warm.text(),
                      .held_by = request.folds.name(),
                      .held = {},
                      .style = out.path.empty() ? output_style() : TextStyle()};
  report.groups = replay::groups_of(report.results);
  if (!folds.empty()) report.held = replay::hold_out(report.results, folds);
  if (!json.path.empty()) write_whole_file(json.path, to_json(report));
  if (!csv.path.empty()) write_whole_file(csv.path, to_csv(report));
  if (out.path.empty())
    std::cout << request.render(report);
  else
    write_whole_file(out.path, request.render(report));
  return 0;
}

}  // namespace

Command replay_command() {
  return {"replay",
          "compares search strategies on recorded spaces, without a GPU",
          "tune replay [P] --space FILE... [--strategy S,...] [options]",
          "  tune replay --space gemm.json.gz convolution.json.gz --strategy random\n"
          "  tune replay --space results.db --budget-evals 50,100 --repeats 100\n"
          "  tune replay --space *.gz --strategy model,model:start=9 --choose-by kernel\n"
          "  tune replay kernel.json --space cache.json\n",
          "problem",
          bind_request<ReplayRequest, run_replay>};
}

}  // namespace tune::cli
