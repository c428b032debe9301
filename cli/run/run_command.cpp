// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>

#include "cli/input/command.hpp"
#include "cli/input/device_choice.hpp"
#include "cli/input/dumped_sources.hpp"
#include "cli/input/options.hpp"
#include "cli/input/problem_selection.hpp"
#include "cli/input/recorded_spaces.hpp"
#include "cli/output/progress.hpp"
#include "cli/run/run_summary.hpp"
#include "db/store/database.hpp"
#include "library/run/paths.hpp"
#include "library/run/tuning_run.hpp"
#include "library/run/version.hpp"
#include "search/strategies/registry.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/cache/caching_compiler.hpp"
#include "tuner/evaluation/device_evaluator.hpp"
#include "tuner/problem/problem.hpp"
#include "tuner/replay/recorded_space.hpp"

namespace tune::cli {
namespace {

std::string strategy_help() {
  std::string text = format("search strategy: auto (the same as {});", search::default_strategy);
  for (const search::StrategyEntry& strategy : search::strategies())
    text += format(" {} ({});", strategy.name, strategy.summary);
  return text + " options follow colons (model:start=10), 'tune replay --options S' lists them";
}

/// What the command line asks for; what is empty was not given.
struct RunRequest {
  ProblemOptions problem;
  FileChoice files;
  std::string device;
  SpaceChoice space;
  search::StrategyChoice strategy;
  bool names_strategy = false;
  std::optional<std::uint64_t> evaluations, seed;
  std::optional<double> until_gain, seconds;
  bool no_transfer = false, fresh = false;
  MeasureChoice measuring;
  ProcessOptions process;
  std::string kernel_folder, sources_folder;
  CacheOptions cache;
  std::string database;
  Format format = Format::text;
  bool quiet = false, verbose = false;

  void add_to(OptionTable& table);
};

void RunRequest::add_to(OptionTable& table) {
  problem.add_to(table);
  files.add_to(table);
  table.text(
      "device", "D",
      "number of a GPU ('tune devices' lists them), or replay[:FILE] to take recorded results instead; default: 0, "
      "the first GPU, or replay where there is no GPU; cuda:0 never falls back to replay",
      device);
  space.add_to(table);
  table
      .add("strategy", "S", strategy_help(),
           [this](const std::string& text) { strategy = parse_strategy(text, "strategy"); })
      .by_default("auto")
      .tells(names_strategy);
  table.count(
      "budget-evals", "N",
      "end the run after N evaluations; default: 200, or the whole space for grid, where neither another budget "
      "nor --until-gain is given",
      evaluations, 1);
  table.share(
      "until-gain",
      "end the run when no remaining configuration is expected to improve the best by this share, such as 1%",
      until_gain);
  table.seconds("budget-time", "end the run after this time: 90s, 5m, 1.5h", seconds);
  table.count("seed", "N", "seed of the search; default: 1; the same call continues where it stopped", seed,
              0);
  table.flag("no-transfer", "ignore results of other sizes, settings and devices", no_transfer);
  table.flag("fresh", "evaluate again what the database already has", fresh);
  measuring.add_to(table);
  process.add_to(table);
  add_kernel_dir_option(table, kernel_folder);
  add_keep_sources_option(table, "the winner", sources_folder);
  cache.add_to(table);
  add_database_option(table, database);
  add_format_option(table, format);
  table.flag("quiet", "show no progress, only the summary", quiet);
  table.flag("verbose", "show a line for every evaluation, once it is stored", verbose);
}

/// What a description wants; nothing of a problem without one, which may be null.
RunDefaults defaults_of(const Problem* problem) {
  const HasDescription* const described = find_description(problem);
  return described == nullptr ? RunDefaults{} : described->run_defaults();
}

/// What is asked for on the command line; else what a description wants; else the default. A share of the
/// space is added by `add_share`, once it is known.
Budget chosen_budget(const RunRequest& request, const search::StrategyEntry& strategy,
                     const RunDefaults& defaults) {
  if (request.until_gain && !strategy.estimates_gain)
    throw UsageError(format("--until-gain: {} does not estimate what is left to gain; choose --strategy auto",
                            strategy.name));
  Budget budget{.evaluations = request.evaluations, .seconds = request.seconds, .gain = request.until_gain};
  if (budget.evaluations || budget.seconds || budget.gain) return budget;
  budget.evaluations = defaults.evaluations;
  budget.seconds = defaults.seconds;
  if (!defaults.share && !budget.evaluations && !budget.seconds && !strategy.exhaustive)
    budget.evaluations = run::default_budget;
  return budget;
}

RunOptions run_options(const RunRequest& request, const search::StrategyChoice& strategy,
                       const Budget& budget, const RunDefaults& defaults) {
  RunOptions options;
  options.strategy = strategy.name();
  options.seed = request.seed.value_or(defaults.seed.value_or(1));
  options.budget_evaluations = budget.evaluations;
  options.budget_seconds = budget.seconds;
  options.until_gain = budget.gain;
  options.where = request.space.where;
  options.pinned = request.space.pinned;
  options.objective = request.measuring.objective;
  options.command_line = command_line();
  return options;
}

/// A run's parts that do not depend on what answers.
struct RunSetup {
  const RunRequest& request;
  ProblemSelection selection = {};
  Budget budget = {};
  RunRecord record = {};
  std::string device_label = {};
  std::string notice = {};                      ///< before the first evaluation
  std::unique_ptr<KernelSources> sources = {};  ///< of the problem; null for another tuner's recording
  std::unique_ptr<DumpedSources> dumped = {};   ///< null where nobody asked
  std::optional<Configuration> winner = {};     ///< of a run that ended by itself
};

/// A description's budget as a share of the configurations, where nothing else was asked for.
void add_share(RunSetup& job, const search::SearchSpace& space) {
  const std::optional<double> wanted = defaults_of(job.selection.problem.get()).share;
  const bool asked = job.request.evaluations || job.request.seconds || job.budget.gain;
  if (!wanted || asked) return;
  const double share = std::ceil(*wanted * static_cast<double>(space.size()));
  const auto count = static_cast<std::uint64_t>(std::max(1.0, share));
  job.budget.evaluations = std::min(count, job.budget.evaluations.value_or(count));
  job.record.options.budget_evaluations = job.budget.evaluations;
}

int tune_with(RunSetup& job, const search::SearchSpace& space, Evaluator& evaluator) {
  add_share(job, space);
  const std::filesystem::path path = run::database_path(job.request.database);
  db::Database database(path);
  if (!job.notice.empty()) std::cerr << job.notice << "\n";
  const RunRequest& request = job.request;
  SessionResult result;
  {
    const InterruptGuard guard;
    ProgressDisplay display(std::cerr, display_mode(request.quiet, request.verbose), job.record.limit,
                            job.record.items, job.record.item);
    result = run::tune(database, space, evaluator, job.record,
                       {.budget = job.budget,
                        .rerank = request.measuring.rerank(),
                        .fresh = request.fresh,
                        .transfer = !request.no_transfer,
                        .default_first = job.selection.problem != nullptr},
                       display, [&](const std::string& line) {
                         if (!request.quiet || line == database.notice()) std::cerr << line << "\n";
                       });
  }
  if (job.dumped && result.progress.best) job.dumped->keep(result.progress.best->configuration);
  const FinishedRun summary{job.record, result, job.device_label, path};
  std::cout << (request.format == Format::json ? to_json(summary) : to_text(summary));
  if (result.end == RunEnd::failed) throw Error(result.reason);
  if (result.end == RunEnd::interrupted) return static_cast<int>(Exit::interrupted);
  if (!result.progress.best)
    throw Error("no configuration gave a right result; 'tune show' has the failures");
  job.winner = result.progress.best->configuration;
  return 0;
}

void describe_workload(RunSetup& job, const DeviceProperties& device) {
  run::describe_workload(job.record, *job.selection.problem, job.selection.instance, device,
                         job.request.measuring.cache);
}

int run_on_gpu(RunSetup& job, int number) {
  const MeasureChoice& measuring = job.request.measuring;
  const KernelSources& sources = *job.sources;
  const auto cache = chosen_cache(job.request.cache);
  const std::unique_ptr<Backend> backend =
      cache::with_cache(open_backend(number, job.request.process), cache);
  const search::SearchSpace space = build_space(job.selection, backend->properties(), job.request.space);
  run::check_memory(*job.selection.problem, job.selection.instance, space, backend->properties(), sources);
  describe_workload(job, backend->properties());
  job.record.key.toolchain = {backend->compiler().version(), source_hash(*job.selection.problem, sources)};
  job.record.machine = backend->machine_state();
  job.device_label = format("{} (device {})", backend->properties().name, number);
  if (measuring.objective != Objective::time && !(job.record.machine.power > 0))
    throw UsageError(
        format("{} gives no energy (NVML is not there, or may not read it); choose --objective time",
               backend->properties().name));
  DeviceEvaluator evaluator(*job.selection.problem, job.selection.instance, *backend, sources,
                            {.measure = measuring.measure(), .race = measuring.race()});
  const int status = tune_with(job, space, evaluator);
  if (job.winner && !job.request.files.output.empty())
    write_result(job.request.files, job.selection, *job.winner, *backend, sources);
  tell_notice(cache.get());
  return status;
}

int run_on_recording(RunSetup& job, const DeviceChoice& choice) {
  if (!job.request.kernel_folder.empty())
    throw UsageError("--kernel-dir needs a GPU: recorded results are those of the program's own kernels");
  db::Recording recording = open_recording(choice, job.selection.instance, job.request.measuring.cache);
  const Objective objective = job.request.measuring.objective;
  if (objective != Objective::time && std::ranges::none_of(recording.evaluations, [&](const Evaluation& one) {
        return objective_value(one, objective).has_value();
      }))
    throw UsageError("the recording has no energy; choose --objective time");
  const search::SearchSpace whole_space = build_space(job.selection, recording.device, job.request.space);
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
  const RunRequest& request = job.request;
  const auto refuse = [&](const char* option) {
    throw UsageError(format("--{}: {} says itself what it is of; leave it out", option, file));
  };
  if (!request.problem.size.empty() && !db::is_database(file)) refuse("size");
  if (!request.problem.settings.empty()) refuse("set");
  if (!request.kernel_folder.empty() || request.measuring.objective != Objective::time ||
      request.measuring.cache == CacheState::warm || !request.sources_folder.empty())
    throw UsageError(
        format("{} has recorded times alone: leave out --kernel-dir, --keep-sources, --objective and --cache",
               file));
  const replay::RecordedSpace recorded = open_third_party(file, request.problem, request.space);
  for (const std::string& note : recorded.notes) std::cerr << file << ": " << note << "\n";
  job.record.key = third_party_key(recorded);
  job.record.program_version = run::version();
  job.device_label = format("{} (replayed: recorded times, nothing is measured)", job.record.key.device.name);
  replay::ReplayEvaluator evaluator(recorded.evaluations);
  return tune_with(job, recorded.space, evaluator);
}

int tune_problem(const RunRequest& request) {
  if (request.quiet && request.verbose) throw UsageError("--quiet and --verbose: choose one");
  const std::string third_party = third_party_file(request.device, request.problem);
  RunSetup job{request};
  if (third_party.empty()) job.selection = selected_problem(request.problem);
  take_extents(request.files, request.problem, job.selection);
  if (!request.files.input.empty()) {
    if (chosen_device(request.device, DeviceUse::tuning).kind != DeviceChoice::Kind::cuda)
      throw UsageError("--input needs a GPU: recorded results know nothing of a file's numbers");
    take_inputs(request.files, job.selection);
  }
  const RunDefaults defaults = defaults_of(job.selection.problem.get());
  const search::StrategyChoice strategy = request.names_strategy || defaults.strategy.empty()
                                              ? request.strategy
                                              : parse_strategy(defaults.strategy, "strategy");
  job.budget = chosen_budget(request, *strategy.entry, defaults);
  if (job.selection.problem) {
    job.sources = chosen_sources(*job.selection.problem, request.kernel_folder);
    job.dumped = chosen_dumped_sources(request.sources_folder, *job.selection.problem, job.selection.instance,
                                       *job.sources);
  }
  job.record.options = run_options(request, strategy, job.budget, defaults);
  if (!third_party.empty()) return run_on_third_party(job, third_party);
  const DeviceChoice device = chosen_device(request.device, DeviceUse::tuning);
  return device.kind == DeviceChoice::Kind::cuda ? run_on_gpu(job, device.number)
                                                 : run_on_recording(job, device);
}

}  // namespace

Command run_command() {
  return {"run",
          "tunes a problem on a device and stores every evaluation",
          "tune --problem P [--device D] [options]\n       tune run P [--device D] [options]",
          "  tune --problem stencil3d --device 0\n"
          "  tune --problem stencil3d --device replay --strategy grid\n"
          "  tune --problem stencil3d --set radius=4,type=double --budget-time 2m\n",
          "problem",
          bind_request<RunRequest, tune_problem>};
}

}  // namespace tune::cli
