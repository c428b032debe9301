// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iostream>

#include "cli/input/options.hpp"
#include "cli/input/space_files.hpp"
#include "cli/output/output_file.hpp"
#include "cli/replay/replay_files.hpp"
#include "cli/replay/replay_text.hpp"
#include "search/expressions/nearest.hpp"
#include "search/strategies/registry.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/replay/held_out.hpp"
#include "tuner/replay/warm_start.hpp"

namespace tune::cli {
namespace {

po::options_description replay_options() {
  po::options_description all;
  all.add_options()  //
      ("space", po::value<std::vector<std::string>>()->multitoken()->value_name("FILE..."),
       "recorded spaces: caches of Kernel Tuner, T4 files, results of KTT (all also as .gz), or databases of "
       "tune")                                                                                              //
      ("only", po::value<std::string>()->value_name("TEXT"), "of these the spaces whose names contain it")  //
      ("strategy", po::value<std::string>()->value_name("S,..."),
       "which to try, auto being the default of runs, with options after colons "
       "(model:start=10:beliefs=off); "
       "default: all ('tune help run' has them)")  //
      ("options", po::value<std::string>()->value_name("S"),
       "list the options of a strategy instead of searching")  //
      ("budget", po::value<std::string>()->default_value("20,50,100,200,400")->value_name("N,..."),
       "evaluations after which to compare")  //
      ("budget-time", po::value<std::string>()->value_name("D,..."),
       "recorded time of compiling, checking and measuring after which to compare too, like 30s,2min; "
       "searches "
       "go on until the longest is over")  //
      ("repeats", po::value<std::string>()->value_name("N"),
       "searches of each strategy on each space; default 20")  //
      ("seed", po::value<std::string>()->value_name("N"),
       "that the searches' seeds follow from; default 1")  //
      ("batch", po::value<std::string>()->value_name("N"),
       "configurations asked for at a time, where the strategy takes so many; default 1")  //
      ("warm", po::value<std::vector<std::string>>()->multitoken()->value_name("FILE..."),
       "recorded spaces that strategies are given as related records, the most alike first")  //
      ("warm-evaluations", po::value<std::string>()->default_value("all")->value_name("N"),
       "of each of these what a search of N evaluations saw, or 'all'")  //
      ("warm-strategy", po::value<std::string>()->default_value("random")->value_name("S"),
       "that made this search")  //
      ("choose-by", po::value<std::string>()->value_name("WHAT"),
       "leave out each 'kernel' (or 'device') in turn: which of the strategies is best over the others, and "
       "what "
       "it reaches on the one left out")  //
      ("group", po::value<std::vector<std::string>>()->multitoken()->value_name("NAME=START..."),
       "spaces whose names begin with START are of the kernel NAME; default: the recorded names")    //
      ("json", po::value<std::string>()->value_name("FILE"), "write everything there for programs")  //
      ("csv", po::value<std::string>()->value_name("FILE"),
       "write a row for each space, strategy and budget there");
  return all;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::vector<std::string> chosen_strategies(const po::variables_map& values) {
  std::vector<std::string> chosen;
  if (!values.count("strategy"))
    for (const search::StrategyEntry& entry : search::strategies()) chosen.emplace_back(entry.name);
  else {
    const std::vector<std::string> words = words_of(option_text(values, "strategy"));
    for (const std::string& word : words) {
      const std::string name = strategy_named(word, "strategy").name();
      const auto earlier = static_cast<std::size_t>(std::ranges::find(chosen, name) - chosen.begin());
      if (earlier < chosen.size())
        throw UsageError(format(
            "--strategy: '{}' is named twice{}", name,
            words[earlier] == word ? "" : format(" ('{}' and '{}' are the same)", words[earlier], word)));
      chosen.push_back(name);
    }
  }
  return chosen;
}

/// In increasing order, without repetition.
std::vector<std::uint64_t> chosen_budgets(const po::variables_map& values) {
  std::vector<std::uint64_t> budgets;
  for (const std::string& word : words_of(option_text(values, "budget")))
    budgets.push_back(parse_count(word, "budget", 1));
  std::ranges::sort(budgets);
  const auto repeated = std::ranges::unique(budgets);
  budgets.erase(repeated.begin(), repeated.end());
  return budgets;
}

std::vector<replay::ComparedStrategy> contenders_of(const std::vector<std::string>& names) {
  std::vector<replay::ComparedStrategy> contenders;
  for (const std::string& name : names)
    contenders.push_back(
        {name, [name](const search::SearchTask& task) { return search::choose_strategy(name)->make(task); }});
  return contenders;
}

/// Seconds, in increasing order, without repetition; none where none are asked for.
std::vector<double> chosen_times(const po::variables_map& values) {
  std::vector<double> times;
  if (!values.count("budget-time")) return times;
  for (const std::string& word : words_of(option_text(values, "budget-time")))
    times.push_back(parse_duration(word, "--budget-time"));
  std::ranges::sort(times);
  const auto repeated = std::ranges::unique(times);
  times.erase(repeated.begin(), repeated.end());
  return times;
}

/// --choose-by and --group.
struct FoldChoice {
  std::string by;                                          ///< empty: nothing is left out
  std::vector<std::pair<std::string, std::string>> named;  ///< a kernel, and how names of its spaces begin

  std::vector<replay::SpaceGroup> of(const std::vector<replay::RecordedSpace>& spaces) const;
};

FoldChoice chosen_folds(const po::variables_map& values, std::size_t strategies) {
  FoldChoice choice;
  if (values.count("choose-by")) choice.by = chosen_name(values, "choose-by", {"kernel", "device"});
  if (!choice.by.empty() && strategies < 2)
    throw UsageError("--choose-by: name two strategies or more to choose from");
  if (!values.count("group")) return choice;
  if (choice.by != "kernel") throw UsageError("--group says what --choose-by kernel leaves out: add that");
  for (const std::string& text : values["group"].as<std::vector<std::string>>()) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw UsageError(format("--group: '{}' is not of the form NAME=START", text));
    choice.named.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return choice;
}

std::vector<replay::SpaceGroup> FoldChoice::of(const std::vector<replay::RecordedSpace>& spaces) const {
  if (by.empty()) return {};
  for (const auto& [kernel, start] : named)
    if (std::ranges::none_of(spaces, [&](const auto& space) { return space.name.starts_with(start); }))
      throw UsageError(format("--group: no space has a name that begins with '{}'", start));
  std::vector<std::string> names;
  if (by == "kernel")
    names = replay::kernels_of(spaces, named);
  else
    for (const replay::RecordedSpace& space : spaces) names.push_back(space.device);
  std::vector<replay::SpaceGroup> folds = replay::groups_by(names);
  if (folds.size() < 2)
    throw UsageError(format("--choose-by: all spaces are of one {}: name others{}", by,
                            by == "kernel" ? ", or say with --group which belong together" : ""));
  return folds;
}

/// --warm and what belongs to it.
struct WarmChoice {
  std::vector<std::string> files;
  replay::WarmOptions options;

  std::string text() const {
    if (files.empty()) return {};
    if (!options.evaluations) return "Strategies were given all of the recordings of --warm.";
    return format("Strategies were given what {} evaluations by {} saw of each recording of --warm.",
                  *options.evaluations, options.searched_by.name);
  }
};

WarmChoice chosen_warm(const po::variables_map& values, std::uint64_t seed) {
  WarmChoice choice;
  if (values.count("warm"))
    choice.files = values["warm"].as<std::vector<std::string>>();
  else if (!values["warm-evaluations"].defaulted() || !values["warm-strategy"].defaulted())
    throw UsageError("--warm-evaluations and --warm-strategy need recordings: name them with --warm FILE...");
  const std::string evaluations = option_text(values, "warm-evaluations");
  choice.options.evaluations = std::nullopt;
  if (evaluations != "all") choice.options.evaluations = parse_count(evaluations, "warm-evaluations", 1);
  const std::string strategy = strategy_named(option_text(values, "warm-strategy"), "warm-strategy").name();
  choice.options.searched_by = contenders_of({strategy}).front();
  choice.options.seed = seed;
  return choice;
}

int list_options(const std::string& name) {
  const search::StrategyEntry& entry = *strategy_named(name, "options").entry;
  const std::vector<search::OptionInfo> all = entry.options({});
  if (all.empty()) std::cout << format("{} has no options.\n", entry.name);
  std::size_t longest = 0;
  for (const search::OptionInfo& option : all) longest = std::max(longest, option.range.size());
  for (const search::OptionInfo& option : all)
    std::cout << format("{:<14} {:<8} {:<{}} {}\n", option.name, option.value, option.range, longest,
                        option.meaning);
  return 0;
}

int run_replay(const po::variables_map& values) {
  if (values.count("options")) return list_options(option_text(values, "options"));
  if (!values.count("space"))
    throw UsageError(
        "name recorded spaces with --space FILE...; caches of Kernel Tuner, T4 files or databases");
  replay::ComparisonOptions options;
  const std::vector<std::string> strategies = chosen_strategies(values);
  options.budgets = chosen_budgets(values);
  options.times = chosen_times(values);
  options.repeats = option_count(values, "repeats", options.repeats, 1);
  options.seed = option_count(values, "seed", options.seed, 0);
  options.batch = option_count(values, "batch", options.batch, 1);
  const FoldChoice fold_choice = chosen_folds(values, strategies.size());
  const WarmChoice warm = chosen_warm(values, options.seed);
  const auto files = values["space"].as<std::vector<std::string>>();
  const NamedFile json{"json", option_text(values, "json")}, csv{"csv", option_text(values, "csv")};
  std::vector<std::string> inputs = files;
  inputs.insert(inputs.end(), warm.files.begin(), warm.files.end());
  check_outputs(std::array{json, csv}, inputs);
  const std::vector<replay::RecordedSpace> spaces = read_spaces(files, option_text(values, "only"));
  if (spaces.empty())
    throw UsageError(format("--only: no space has a name with '{}' in it", option_text(values, "only")));
  const std::vector<replay::RecordedSpace> sources = read_spaces(warm.files);
  const std::vector<replay::SpaceGroup> folds = fold_choice.of(spaces);
  const replay::WarmStart start(spaces, sources, warm.options);
  if (!sources.empty()) {
    for (const std::string& note : start.notes()) std::cerr << note << "\n";
    options.related = [&start](std::size_t space, std::uint64_t repeat) {
      return start.related(space, repeat);
    };
  }
  ReplayReport report{.spaces = spaces,
                      .strategies = strategies,
                      .options = options,
                      .results = replay::compare(spaces, contenders_of(strategies), options),
                      .groups = {},
                      .warm = warm.text(),
                      .held_by = option_text(values, "choose-by"),
                      .held = {}};
  report.groups = replay::groups_of(report.results);
  if (!folds.empty()) report.held = replay::hold_out(report.results, folds);
  if (!json.path.empty()) write_whole_file(json.path, to_json(report));
  if (!csv.path.empty()) write_whole_file(csv.path, to_csv(report));
  std::cout << to_text(report);
  return 0;
}

}  // namespace

const Command& replay_command() {
  static const Command command = {
      "replay",
      "compares search strategies on recorded spaces, without a GPU",
      "tune replay --space FILE... [--strategy S,...] [options]",
      "  tune replay --space gemm.json.gz convolution.json.gz --strategy random\n"
      "  tune replay --space results.db --budget 50,100 --repeats 100\n"
      "  tune replay --space *.gz --strategy model,model:start=9 --choose-by kernel\n",
      "",
      replay_options,
      run_replay};
  return command;
}

}  // namespace tune::cli
