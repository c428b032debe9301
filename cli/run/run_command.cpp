// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>

#include "cli/input/cache_choice.hpp"
#include "cli/input/device_choice.hpp"
#include "cli/input/dumped_sources.hpp"
#include "cli/input/file_choice.hpp"
#include "cli/input/measure_choice.hpp"
#include "cli/input/open_backend.hpp"
#include "cli/input/options.hpp"
#include "cli/input/paths.hpp"
#include "cli/input/problem_selection.hpp"
#include "cli/input/space_files.hpp"
#include "cli/input/third_party_recording.hpp"
#include "cli/input/version.hpp"
#include "cli/output/interrupt.hpp"
#include "cli/output/progress_display.hpp"
#include "cli/run/run_summary.hpp"
#include "db/store/database.hpp"
#include "kernels/described/problem.hpp"
#include "library/run/tuning_run.hpp"
#include "search/expressions/nearest.hpp"
#include "search/strategies/registry.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/cache/caching_compiler.hpp"
#include "tuner/evaluation/device_evaluator.hpp"
#include "tuner/replay/replay_evaluator.hpp"

namespace tune::cli {
namespace {

std::string strategy_help() {
  std::string text = format("how to search: auto (the same as {});", search::default_strategy);
  for (const search::StrategyEntry& strategy : search::strategies())
    text += format(" {} ({});", strategy.name, strategy.summary);
  return text + " options after colons (model:start=10), 'tune replay --options S' has them";
}

po::options_description run_options() {
  po::options_description all;
  add_problem_options(all);
  add_file_options(all);
  add_device_option(all);
  add_space_options(all);
  all.add_options()  //
      ("strategy", po::value<std::string>()->default_value("auto")->value_name("S"),
       strategy_help().c_str())  //
      ("budget-evals", po::value<std::string>()->value_name("N"),
       "evaluations at most; default: 200 where neither another budget nor --until-gain is given, the whole "
       "space for grid")  //
      ("until-gain", po::value<std::string>()->value_name("S"),
       "ends the run when no configuration left promises to gain this share of the best, as 1%")  //
      ("budget-time", po::value<std::string>()->value_name("T"), "time at most: 90s, 5m, 1.5h")   //
      ("seed", po::value<std::string>()->value_name("N"),
       "of the search; default 1: the same call goes on where it stopped")  //
      ("no-transfer", po::bool_switch(),
       "begin as if nothing was known of other sizes, settings and devices")  //
      ("fresh", po::bool_switch(), "evaluate again what the database already knows");
  add_measure_options(all);
  add_process_options(all);
  add_kernel_dir_option(all);
  add_keep_sources_option(all, "the winner");
  add_cache_options(all);
  add_database_option(all);
  add_format_option(all);
  all.add_options()("quiet", po::bool_switch(), "no progress, only the summary")(
      "verbose", po::bool_switch(), "a line for every evaluation, once it is stored");
  return all;
}

/// Null where the problem is none of a file, or null.
const definition::KernelDescription* definition_of(const Problem* problem) {
  const auto* const defined = dynamic_cast<const definition::DescribedProblem*>(problem);
  return defined == nullptr ? nullptr : &defined->description();
}

/// What is asked for on the command line; else what a definition wants; else the default.
search::StrategyChoice chosen_strategy(const po::variables_map& values, const Problem* problem) {
  const definition::KernelDescription* const definition = definition_of(problem);
  const bool open = values.count("strategy") == 0 || values["strategy"].defaulted();
  if (open && definition != nullptr && !definition->strategy.empty())
    return strategy_named(definition->strategy, "strategy");
  return strategy_named(option_text(values, "strategy"), "strategy");
}

std::uint64_t chosen_seed(const po::variables_map& values, const Problem* problem) {
  const definition::KernelDescription* const definition = definition_of(problem);
  return option_count(values, "seed", definition != nullptr ? definition->seed.value_or(1) : 1, 0);
}

/// `problem` may be null; a definition may have a budget of its own. A share of the space is added by
/// `add_share`, once it is known.

Budget chosen_budget(const po::variables_map& values, const Problem* problem) {
  Budget budget;
  if (values.count("budget-evals")) budget.evaluations = option_count(values, "budget-evals", 0, 1);
  if (values.count("budget-time"))
    budget.seconds = parse_duration(option_text(values, "budget-time"), "--budget-time");
  const search::StrategyEntry& strategy = *chosen_strategy(values, problem).entry;
  if (values.count("until-gain")) {
    if (!strategy.estimates_gain)
      throw UsageError(format(
          "--until-gain: {} does not estimate what is left to gain; choose --strategy auto", strategy.name));
    budget.gain = chosen_share(option_text(values, "until-gain"), "until-gain");
  }
  if (const definition::KernelDescription* const defined = definition_of(problem);
      defined != nullptr && !budget.evaluations && !budget.seconds && !budget.gain) {
    if (const auto count = defined->budget_evaluations)
      budget.evaluations = static_cast<std::uint64_t>(*count);
    budget.seconds = defined->budget_seconds;
    if (defined->budget_share) return budget;
  }
  if (!budget.evaluations && !budget.seconds && !budget.gain && !strategy.exhaustive)
    budget.evaluations = run::default_budget;
  return budget;
}

RunOptions run_options(const po::variables_map& values, const SpaceChoice& space, const Budget& budget,
                       const Problem* problem) {
  RunOptions options;
  options.strategy = chosen_strategy(values, problem).name();
  options.seed = chosen_seed(values, problem);
  options.budget_evaluations = budget.evaluations;
  options.budget_seconds = budget.seconds;
  options.until_gain = budget.gain;
  options.where = space.where;
  options.pinned = space.pinned;
  options.command_line = command_line();
  return options;
}

/// A run's parts that do not depend on what answers.
struct RunSetup {
  const po::variables_map& values;
  ProblemSelection selection;
  SpaceChoice choice;
  Budget budget;
  MeasureChoice measuring;
  RunRecord record;
  std::string device_label;
  std::string notice;                      ///< before the first evaluation
  std::unique_ptr<KernelSources> sources;  ///< of the problem; null for another tuner's recording
  std::unique_ptr<DumpedSources> dumped;   ///< null where nobody asked
  FileChoice files;
  std::optional<Configuration> winner;  ///< of a run that ended by itself
};

/// A definition's budget as a share of the configurations, where nothing else was asked for.
void add_share(RunSetup& job, const search::SearchSpace& space) {
  const definition::KernelDescription* const definition = definition_of(job.selection.problem.get());
  const bool asked =
      job.values.count("budget-evals") > 0 || job.values.count("budget-time") > 0 || job.budget.gain;
  if (definition == nullptr || !definition->budget_share || asked) return;
  const double share = std::ceil(*definition->budget_share * static_cast<double>(space.size()));
  const auto count = static_cast<std::uint64_t>(std::max(1.0, share));
  job.budget.evaluations = std::min(count, job.budget.evaluations.value_or(count));
  job.record.options.budget_evaluations = job.budget.evaluations;
}

int tune_with(RunSetup& job, const search::SearchSpace& space, Evaluator& evaluator) {
  add_share(job, space);
  const std::filesystem::path path = database_path(option_text(job.values, "db"));
  db::Database database(path);
  if (!job.notice.empty()) std::cerr << job.notice << "\n";
  const bool quiet = job.values["quiet"].as<bool>();
  SessionResult result;
  {
    const InterruptGuard guard;
    ProgressDisplay display(std::cerr, display_mode(quiet, job.values["verbose"].as<bool>()),
                            job.record.limit, job.record.items, job.record.item);
    result = run::tune(database, space, evaluator, job.record,
                       {.budget = job.budget,
                        .rerank = job.measuring.rerank,
                        .fresh = job.values["fresh"].as<bool>(),
                        .transfer = !job.values["no-transfer"].as<bool>(),
                        .default_first = job.selection.problem != nullptr},
                       display, [&](const std::string& line) {
                         if (!quiet || line == database.notice()) std::cerr << line << "\n";
                       });
  }
  if (job.dumped && result.progress.best) job.dumped->keep(result.progress.best->configuration);
  const RunReport summary{job.record, result, job.device_label, path};
  std::cout << (chosen_format(job.values) == Format::json ? to_json(summary) : to_text(summary));
  if (result.end == RunEnd::failed) throw Error(result.reason);
  if (result.end == RunEnd::interrupted) return static_cast<int>(Exit::interrupted);
  if (!result.progress.best)
    throw Error("no configuration gave a right result; 'tune show' has the failures");
  job.winner = result.progress.best->configuration;
  return 0;
}

void describe_workload(RunSetup& job, const DeviceProperties& device) {
  run::describe_workload(job.record, *job.selection.problem, job.selection.instance, device,
                         job.measuring.cache);
}

int run_on_gpu(RunSetup& job, int number) {
  const KernelSources& sources = *job.sources;
  const auto cache = chosen_cache(job.values);
  const std::unique_ptr<Backend> backend = cache::with_cache(open_backend(number, job.values), cache);
  const search::SearchSpace space = build_space(job.selection, backend->properties(), job.choice);
  run::check_memory(*job.selection.problem, job.selection.instance, space, backend->properties(), sources);
  describe_workload(job, backend->properties());
  job.record.key.toolchain = {backend->compiler().version(), source_hash(*job.selection.problem, sources)};
  job.record.machine = backend->machine_state();
  job.device_label = format("{} (device {})", backend->properties().name, number);
  if (job.measuring.measure.energy && !(job.record.machine.power > 0))
    throw UsageError(
        format("{} gives no energy (NVML is not there, or may not read it); choose --objective time",
               backend->properties().name));
  DeviceEvaluator evaluator(*job.selection.problem, job.selection.instance, *backend, sources,
                            {.measure = job.measuring.measure, .race = job.measuring.race});
  const int status = tune_with(job, space, evaluator);
  if (job.winner && !job.files.output.empty())
    write_result(job.files, job.selection, *job.winner, *backend, sources);
  tell_notice(cache.get());
  return status;
}

int run_on_recording(RunSetup& job, const DeviceChoice& choice) {
  if (job.values.count("kernel-dir"))
    throw UsageError("--kernel-dir needs a GPU: recorded results are those of the program's own kernels");
  db::Recording recording = open_recording(choice, job.selection.instance, job.measuring.cache);
  if (job.measuring.measure.energy && std::ranges::none_of(recording.evaluations, [&](const Evaluation& one) {
        return objective_value(one, job.measuring.objective).has_value();
      }))
    throw UsageError("the recording has no energy; choose --objective time");
  const search::SearchSpace whole_space = build_space(job.selection, recording.device, job.choice);
  std::vector<Configuration> recorded;
  for (const Evaluation& evaluation : recording.evaluations)
    if (whole_space.find(evaluation.configuration)) recorded.push_back(evaluation.configuration);
  if (recorded.empty()) throw Error("the recording has no configuration that --where and --fix leave");
  const search::SearchSpace space = search::SearchSpace::of(whole_space.definition(), recorded);
  describe_workload(job, recording.device);
  job.record.key.toolchain = recording.toolchain;
  job.record.key.origin = Origin::replayed;
  job.device_label = format("{} (replayed: recorded times, nothing is measured)", recording.device.name);
  if (!choice.reason.empty())
    job.notice = choice.reason + ": replaying recorded results, nothing is measured";
  replay::ReplayEvaluator evaluator(recording.evaluations);
  return tune_with(job, space, evaluator);
}

/// The space of a file that another tuner wrote, searched like any other.
int run_on_third_party(RunSetup& job, const std::string& file) {
  const bool one_size = !db::is_database(file);
  for (const char* option : {"size", "set"})
    if (job.values.count(option) && (one_size || option != std::string("size")))
      throw UsageError(format("--{}: {} says itself what it is of; leave it out", option, file));
  if (job.values.count("kernel-dir") || job.measuring.measure.energy ||
      job.measuring.cache == CacheState::warm || job.values.count("keep-sources"))
    throw UsageError(
        format("{} has recorded times alone: leave out --kernel-dir, --keep-sources, --objective and --cache",
               file));
  const ThirdPartyChoice which{option_text(job.values, "problem"), option_text(job.values, "size")};
  const replay::RecordedSpace recorded = open_third_party(file, which, job.choice);
  for (const std::string& note : recorded.notes) std::cerr << file << ": " << note << "\n";
  job.record.key = third_party_key(recorded);
  job.record.program_version = version();
  job.device_label = format("{} (replayed: recorded times, nothing is measured)", job.record.key.device.name);
  replay::ReplayEvaluator evaluator(recorded.evaluations);
  return tune_with(job, recorded.space, evaluator);
}

int tune_problem(const po::variables_map& values) {
  chosen_format(values);  // a wrong one is told before the work, not after it
  chosen_timeout(values);
  if (values["quiet"].as<bool>() && values["verbose"].as<bool>())
    throw UsageError("--quiet and --verbose: choose one");
  const std::string third_party = third_party_file(values);
  RunSetup job{.values = values,
               .selection = third_party.empty() ? selected_problem(values) : ProblemSelection{},
               .choice = chosen_space(values),
               .budget = {},
               .measuring = chosen_measuring(values),
               .record = {},
               .device_label = {},
               .notice = {},
               .sources = {},
               .dumped = {},
               .files = {},
               .winner = {}};
  job.files = chosen_files(values, job.selection);
  if (!job.files.input.empty()) {
    if (chosen_device(values).kind != DeviceChoice::Kind::cuda)
      throw UsageError("--input needs a GPU: recorded results know nothing of a file's numbers");
    take_inputs(job.files, job.selection);
  }
  job.budget = chosen_budget(values, job.selection.problem.get());
  if (job.selection.problem) {
    job.sources = chosen_sources(values, *job.selection.problem);
    job.dumped = chosen_dumped_sources(values, *job.selection.problem, job.selection.instance, *job.sources);
  }
  job.record.options = run_options(values, job.choice, job.budget, job.selection.problem.get());
  job.record.options.objective = job.measuring.objective;
  if (!third_party.empty()) return run_on_third_party(job, third_party);
  const DeviceChoice device = chosen_device(values);
  return device.kind == DeviceChoice::Kind::cuda ? run_on_gpu(job, device.number)
                                                 : run_on_recording(job, device);
}

}  // namespace

const Command& run_command() {
  static const Command command = {
      "run",
      "tunes a problem on a device and stores every evaluation",
      "tune --problem P [--device D] [options]\n       tune run P [--device D] [options]",
      "  tune --problem stencil3d --device 0\n"
      "  tune --problem stencil3d --device replay --strategy grid\n"
      "  tune --problem stencil3d --set radius=4,type=double --budget-time 2m\n",
      "problem",
      run_options,
      tune_problem};
  return command;
}

}  // namespace tune::cli
