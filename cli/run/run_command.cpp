// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <optional>

#include "cli/input/command.hpp"
#include "cli/input/device_choice.hpp"
#include "cli/input/dumped_sources.hpp"
#include "cli/input/matched_recording.hpp"
#include "cli/input/options.hpp"
#include "cli/input/problem_selection.hpp"
#include "cli/input/recorded_spaces.hpp"
#include "cli/input/stored.hpp"
#include "cli/output/printable_output.hpp"
#include "cli/output/progress.hpp"
#include "cli/output/text_layout.hpp"
#include "cli/run/dry_run.hpp"
#include "cli/run/run_summary.hpp"
#include "cli/run/sweep.hpp"
#include "cli/run/works.hpp"
#include "db/store/database.hpp"
#include "library/run/paths.hpp"
#include "library/run/tuning_run.hpp"
#include "library/run/version.hpp"
#include "reports/data/result.hpp"
#include "search/strategies/registry.hpp"
#include "tuner/backends/host/host_device.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/cache/caching_compiler.hpp"
#include "tuner/problem/command_problem.hpp"
#include "tuner/replay/recorded_space.hpp"

namespace tune::cli {
namespace {

std::string strategy_help() {
  std::string text = format("search strategy: auto (same as {});", search::default_strategy);
  for (const search::StrategyEntry& strategy : search::strategies())
    text += format(" {} ({});", strategy.name, strategy.summary);
  return text + " options follow colons (model:start=10), 'tune replay --options S' lists them";
}

constexpr int largest_count = 1'000'000;

/// Reads a number that takes all of the text.
std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Reads `7:60`, or `7`, which leaves the maximum, if it is not less.
void set_samples(const std::string& text, MeasureOptions& measure) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto min = number(std::string_view(text).substr(0, colon));
  const auto max = colon == text.size() ? std::max(min, std::optional(measure.max_samples))
                                        : number(std::string_view(text).substr(colon + 1));
  if (!min || !max || *min < 1 || *max < *min || *max > largest_count)
    throw UsageError(format(
        "--samples: '{}' is not of the form MIN or MIN:MAX, such as 7:60, with MIN from 1 to MAX", text));
  measure.min_samples = *min;
  measure.max_samples = *max;
}

/// What the command line asks for; an option that was not given is empty.
struct RunRequest {
  ProblemOptions problem;
  FileChoice files;
  std::string device;
  SpaceChoice space;
  run::TuningRequest tuning;
  bool names_strategy = false, no_transfer = false, no_race = false, no_low_fidelity = false,
       names_samples = false, names_spread = false;
  ProcessOptions process;
  std::string kernel_folder, sources_folder, works_file;
  CacheOptions cache;
  std::string database;
  Format format = Format::text;
  bool quiet = false, verbose = false, dry_run = false;

  void add_to(OptionTable& table);
  void add_measuring_to(OptionTable& table);
  std::string database_option() const;
  /// Returns the complete request. `chosen` is null for another tuner's recording.
  run::TuningRequest settled(const Problem* chosen) const;
};

std::string RunRequest::database_option() const {
  return database.empty() ? std::string() : " --db " + shell_quoted(database);
}

void RunRequest::add_to(OptionTable& table) {
  problem.add_to(table, true);
  table.text("works", "FILE",
             "a file with a problem, --size and --set on each line: a run for each, and one summary",
             works_file);
  problem.add_reference_to(table);
  files.add_to(table);
  table.text(
      "device", "D",
      "number of a GPU ('tune devices' lists them), several (0,1) or all, which share the search, cpu for problems of the processor (gemm_host, definitions with "
      "'command' or C++), or replay[:FILE] to use recorded results; default: 0, the first GPU, or replay without a "
      "GPU; cuda:0 never falls back to replay",
      device);
  space.add_to(table);
  table
      .add("strategy", "S", strategy_help(),
           [this](const std::string& text) { tuning.strategy = parse_strategy(text, "strategy"); })
      .by_default("auto")
      .tells(names_strategy);
  table.count(
      "budget-evals", "N",
      "end the run after N evaluations; default, if no other limit is given: 200, or the whole space for "
      "grid",
      tuning.budget.evaluations, 1);
  table.share("until-gain", "end the run when the expected improvement is below this share, such as 1%",
              tuning.budget.gain);
  table.seconds("budget-time", "end the run after this time, re-ranking included: 90s, 5m, 1.5h",
                tuning.budget.seconds);
  table.count("seed", "N", "seed of the search; default: 1; the same call continues where it stopped",
              tuning.seed, 0);
  table.flag("no-transfer", "ignore results of other sizes, settings and devices", no_transfer);
  table.flag("fresh", "evaluate known configurations again", tuning.fresh);
  table.flag(
      "reproducible",
      "make the order of evaluations depend only on seed and results: wait for slow compiles, and choose "
      "equally many configurations at once on every machine",
      tuning.reproducible);
  table.flag(
      "no-low-fidelity",
      "always measure at full size; by default, stencils of many time steps are measured over a few steps "
      "first, and over all steps only if they may be the fastest",
      no_low_fidelity);
  add_measuring_to(table);
  process.add_to(table);
  add_kernel_dir_option(table, kernel_folder);
  add_keep_sources_option(table, "the winner", sources_folder);
  cache.add_to(table);
  add_database_option(table, database);
  add_format_option(table, format);
  table.flag("dry-run",
             "show space, strategy, budget, known results and expected time of the run, and measure nothing",
             dry_run);
  table.flag("quiet", "show no progress, only the summary", quiet);
  table.flag("verbose", "show a line for each stored evaluation", verbose);
}

void RunRequest::add_measuring_to(OptionTable& table) {
  add_objective_option(
      table,
      "the figure to minimise: time, energy, edp (energy times time), a metric: min:METRIC, max:METRIC, where METRIC "
      "is its name or a formula such as min:0.7*time+0.3*memory, or the Pareto front of two: pareto:time,memory; "
      "default: that of the definition, else time",
      tuning.objective);
  add_cache_state_option(
      table,
      "state of the caches when an execution starts: cold (flushed) or warm (as left by the execution "
      "before)",
      tuning.cache);
  table
      .add("samples", "MIN[:MAX]", "number of samples of each configuration; default: 7:60",
           [this](const std::string& text) { set_samples(text, tuning.measure); })
      .tells(names_samples);
  table
      .share(
          "spread",
          "measure a configuration until half the 95 % interval of its median is at most this share of the median",
          tuning.measure.spread)
      .by_default("1%")
      .tells(names_spread);
  table.flag("no-race",
             "measure every configuration completely, even if it is clearly slower than the fastest",
             no_race);
  table.count(
      "finalists", "N",
      "number of the best configurations to time again, in turns, at the end; default: 12, or 5 by energy; "
      "0: none",
      tuning.top_k, 0);
}

run::TuningRequest RunRequest::settled(const Problem* chosen) const {
  run::TuningRequest all = tuning;
  all.timeout = process.timeout;
  if (!names_strategy) all.strategy.reset();
  all.where = space.where;
  all.pinned = space.pinned;
  all.transfer = !no_transfer;
  all.race = !no_race;
  all.low_fidelity = !no_low_fidelity;
  all.compilers = compilers_of(process);
  all.default_first = chosen != nullptr;
  all.command_line = command_line();
  run::settle(all, chosen);
  return all;
}

/// Throws UsageError for an option that says how a GPU measures: whoever gives it expects something to be
/// measured.
void refuse_measuring_options(const RunRequest& request, Target target = Target::gpu) {
  const std::pair<const char*, bool> given[] = {{"samples", request.names_samples},
                                                {"spread", request.names_spread},
                                                {"no-race", request.no_race},
                                                {"finalists", request.tuning.top_k.value_or(0) > 0},
                                                {"in-process", request.process.in_process}};
  for (const auto& [option, is_given] : given)
    if (is_given)
      throw UsageError(
          format("--{} needs a {}: a replay repeats recorded times and measures nothing", option,
                 target == Target::cpu ? "measurement (--device cpu)" : "GPU (--device cuda:0)"));
}

/// A run's parts that do not depend on what answers.
struct RunSetup {
  const RunRequest& request;
  ProblemSelection selection = {};
  run::TuningRequest tuning = {};
  RunRecord record = {};
  std::string device_label = {};
  std::string notice = {};                      ///< before the first evaluation
  std::string replay_reason = {};               ///< of a replay that nobody asked for
  std::unique_ptr<KernelSources> sources = {};  ///< of the problem; null for another tuner's recording
  std::unique_ptr<DumpedSources> dumped = {};   ///< null without --keep-sources
  std::optional<Configuration> winner = {};     ///< of a run that ended by itself
  std::optional<db::Recording> recording = {};  ///< of another tuner's file
  std::optional<double> recorded_best = {};     ///< by the objective
  Sweep* sweep = nullptr;                       ///< where the call has several works
  std::vector<int> devices = {};                ///< numbers of the GPUs that share the run
  double begun = 0;                             ///< seconds of the program
};

/// The first line: of text, so that who reads the results knows what they are; JSON has a member for it.
void tell_notices(const RunSetup& job) {
  const bool is_text = job.request.format == Format::text;
  const bool is_told = job.sweep != nullptr && job.sweep->has_run();
  if (!job.replay_reason.empty() && !is_told) {
    const std::string line = format(
        "{}: replaying recorded results, nothing is measured; --device cuda:0 insists on a GPU, and "
        "./tune --problem gemm_host measures this machine's processor for real",
        job.replay_reason);
    if (is_text)
      std::cout << one_line(line) << std::endl;  // before the run
    else
      say(line);
  }
  if (!job.notice.empty()) say(job.notice);
}

int tune_with(RunSetup& job, const search::SearchSpace& space, Evaluator& evaluator) {
  const std::filesystem::path path = run::database_path(job.request.database);
  refuse_recording(path);
  if (job.request.dry_run) {
    tell_notices(job);
    PlannedWork work = planned_work(path, space, job.record, job.tuning);
    work.devices = std::max<std::size_t>(1, job.devices.size());
    if (job.sweep != nullptr)
      job.sweep->plan(work);
    else
      std::cout << (job.request.format == Format::json ? to_json(std::vector{work})
                                                       : to_text(std::vector{work}));
    return 0;
  }
  db::Database database(path);
  const LeftOutRows left_out(database);
  if (job.sweep != nullptr && !job.tuning.fresh &&
      job.sweep->finished_before(database, job.record, job.tuning.command_line))
    return 0;
  tell_notices(job);
  const RunRequest& request = job.request;
  SessionResult result;
  {
    const InterruptGuard guard;
    const RunRecord& record = job.record;
    const reports::Rate rate = reports::main_rate(
        {record.limit, record.items, record.flops, record.bytes, record.item}, record.key.device);
    ProgressDisplay display(std::cerr, display_mode(request.quiet, request.verbose), record.limit,
                            rate.amount, rate.unit, *job.tuning.objective);
    job.tuning.budget.seconds_before = seconds_of_program() - job.begun;
    result =
        run::tune(database, space, evaluator, job.record, job.tuning, display, [&](const std::string& line) {
          if (!request.quiet || line == database.notice()) display.say(line);
        });
  }
  if (job.dumped && result.progress.best) job.dumped->keep(result.progress.best->configuration);
  const FinishedRun summary{job.record,
                            result,
                            job.device_label,
                            path,
                            job.selection.problem.get(),
                            work_options(request.problem, job.tuning.cache, *job.tuning.objective),
                            job.request.database_option(),
                            job.recorded_best,
                            job.replay_reason,
                            job.devices};
  if (job.sweep != nullptr)
    job.sweep->add(summary);
  else
    std::cout << (request.format == Format::json ? to_json(summary) : to_text(summary));
  if (result.end == RunEnd::failed) throw Error(result.reason);
  if (result.end == RunEnd::interrupted) return static_cast<int>(Exit::interrupted);
  if (result.progress.evaluations == 0 && result.progress.seconds_allowed > 0 && result.end == RunEnd::budget)
    throw Error("the time ended before the first evaluation did; give more with --budget-time");
  if (!result.progress.best)
    throw Error("no configuration gave a correct result; 'tune show' lists the failures");
  job.winner = result.progress.best->configuration;
  return 0;
}

/// A problem over several GPUs takes the first one and those behind it: they do not share the search.
DeviceChoice taken_together(DeviceChoice device, const Instance& instance) {
  const std::int64_t gpus = instance.setting_or("gpus", 1).as_int();
  if (gpus < 2 || device.others.empty()) return device;
  bool are_those = static_cast<std::int64_t>(device.others.size()) == gpus - 1;
  for (std::size_t i = 0; i < device.others.size(); ++i)
    are_those = are_those && device.others[i] == device.number + 1 + static_cast<int>(i);
  if (!are_those)
    throw UsageError(
        format("--set gpus={0} takes device {1} and those behind it: name {0} in order, or --device {1}",
               gpus, device.number));
  device.others.clear();
  return device;
}

int run_on_device(RunSetup& job, const DeviceChoice& device) {
  const Problem& problem = *job.selection.problem;
  const KernelSources& sources = *job.sources;
  const auto cache = chosen_cache(job.request.cache);
  if (!device.others.empty() && job.request.process.in_process)
    throw UsageError("--in-process needs one device: of several, each has a process of its own");
  const std::unique_ptr<Backend> backend =
      cache::with_cache(open_backend(device, job.request.process), cache);
  const auto others = run::open_more_devices(*backend, device.others, job.request.process.timeout);
  std::vector<run::OpenDevice> devices = {{*backend, device.number}};
  for (std::size_t i = 0; i < others.size(); ++i) devices.push_back({*others[i], device.others[i]});
  const search::SearchSpace space = build_space(job.selection, backend->properties(), job.request.space);
  for (const std::string& line : device.left_out) say(line);
  if (!others.empty())
    for (const run::OpenDevice& one : devices) job.devices.push_back(one.number);
  job.device_label = format("{} ({})", backend->properties().name,
                            device.kind == DeviceChoice::Kind::cpu ? "cpu"
                            : others.empty()                       ? format("device {}", device.number)
                                                                   : "devices " + joined(job.devices));
  const std::unique_ptr<Evaluator> evaluator =
      run::open_run(job.record, problem, job.selection.instance, space, devices, sources, job.tuning);
  const int status = tune_with(job, space, *evaluator);
  if (job.winner && !job.request.files.output.empty())
    write_result(job.request.files, job.selection, *job.winner, *backend, sources);
  tell_notice(cache.get());
  return status;
}

/// Throws UsageError for an option that says something about kernels.
void refuse_kernel_options(const RunRequest& request) {
  const std::pair<const char*, bool> given[] = {{"input", !request.files.input.empty()},
                                                {"out", !request.files.output.empty()},
                                                {"kernel-dir", !request.kernel_folder.empty()},
                                                {"keep-sources", !request.sources_folder.empty()},
                                                {"cache", request.tuning.cache != CacheState::cold},
                                                {"in-process", request.process.in_process}};
  for (const auto& [option, is_given] : given)
    if (is_given)
      throw UsageError(format("--{} is for kernels; this problem is a command: leave it out", option));
}

int run_commands(RunSetup& job) {
  const DeviceProperties device = host::device_properties();
  const search::SearchSpace space = build_space(job.selection, device, job.request.space);
  job.device_label = format("{} (cpu)", device.name);
  const CommandPlan plan = find_command(job.selection.problem.get())->command(job.selection.instance, {});
  // Stored timeouts answer for this limit.
  if (plan.timeout && !job.request.process.timeout_given) job.tuning.timeout = *plan.timeout;
  const std::unique_ptr<Evaluator> evaluator =
      run::open_command_run(job.record, *job.selection.problem, job.selection.instance, space, *job.sources,
                            job.tuning, job.request.process.compile_timeout);
  return tune_with(job, space, *evaluator);
}

/// Nothing where none has a value.
std::optional<double> best_of(const std::vector<Evaluation>& recorded, const Objective& objective) {
  std::optional<double> best;
  for (const Evaluation& one : recorded)
    if (const auto value = objective_value(one, objective)) best = std::min(best.value_or(*value), *value);
  return best;
}

int run_on_recording(RunSetup& job, const DeviceChoice& choice) {
  if (!job.request.kernel_folder.empty())
    throw UsageError(
        "--kernel-dir needs a GPU (--device cuda:0): recorded results are those of the program's own kernels");
  const Target target = job.selection.problem->info().target;
  refuse_measuring_options(job.request, target);
  if (target == Target::cpu && !job.recording && choice.recording.empty())
    throw UsageError(
        "--device replay: the shipped recordings have no commands and no kernels of the processor; --device cpu runs "
        "this one, --device replay:FILE replays a database");
  db::Recording recording = job.recording ? std::move(*job.recording)
                                          : open_recording(choice, job.selection.instance, job.tuning.cache);
  const bool imported = recording.origin == Origin::imported;
  const MatchedRecording matched = matched_recording(job.selection, std::move(recording), job.request.space);
  const Objective& objective = *job.tuning.objective;
  job.recorded_best = best_of(matched.recording.evaluations, objective);
  if (objective != Objective::time && !job.recorded_best)
    throw UsageError(format(
        "the recording has no {}: choose --objective time, or measure it on a GPU with --device cuda:0",
        objective == Objective::edp ? "energy" : name_of(objective)));
  run::describe_workload(job.record, *job.selection.problem, job.selection.instance, matched.recording.device,
                         job.tuning.cache);
  job.record.key.toolchain = matched.recording.toolchain;
  job.record.key.origin = Origin::replayed;
  job.device_label =
      format("{} (replayed: recorded times, nothing is measured)", matched.recording.device.name);
  job.replay_reason = choice.reason;
  if (imported) job.notice = matched.notice;
  replay::ReplayEvaluator evaluator(matched.recording.evaluations);
  return tune_with(job, matched.space, evaluator);
}

/// The space of a file that another tuner wrote, searched like any other.
int run_on_third_party(RunSetup& job, const std::string& file) {
  const RunRequest& request = job.request;
  const auto refuse = [&](const char* option) {
    throw UsageError(format("--{}: the recording {} already determines it; leave it out", option, file));
  };
  if (!request.problem.size.empty() && !db::is_database(file)) refuse("size");
  if (!request.problem.settings.empty()) refuse("set");
  if (!request.kernel_folder.empty() ||
      request.tuning.objective.value_or(Objective::time) != Objective::time ||
      request.tuning.cache == CacheState::warm || !request.sources_folder.empty())
    throw UsageError(format(
        "{} has only recorded times: leave out --kernel-dir, --keep-sources, --objective and --cache", file));
  refuse_measuring_options(request);
  const replay::RecordedSpace recorded = open_third_party(file, request.problem, request.space);
  for (const std::string& note : recorded.notes) say(format("{}: {}", file, note));
  job.record.key = third_party_key(recorded);
  job.record.program_version = run::version();
  job.device_label = format("{} (replayed: recorded times, nothing is measured)", job.record.key.device.name);
  job.recorded_best = best_of(recorded.evaluations, Objective::time);
  replay::ReplayEvaluator evaluator(recorded.evaluations);
  return tune_with(job, recorded.space, evaluator);
}

/// `sweep`: null for a call with one work.
int tune_work(const RunRequest& request, Sweep* sweep = nullptr) {
  const std::string third_party = third_party_file(request.device, request.problem);
  RunSetup job{request};
  job.sweep = sweep;
  if (sweep != nullptr && sweep->has_run()) job.begun = seconds_of_program();
  if (third_party.empty()) {
    job.selection = selected_problem(request.problem);
    job.recording = recording_in_file(request.device, request.problem, job.selection);
  }
  const bool is_command = find_command(job.selection.problem.get()) != nullptr;
  if (is_command) refuse_kernel_options(request);
  take_extents(request.files, request.problem, job.selection);
  if (!request.files.input.empty()) {
    if (!several_devices(request.device) &&
        chosen_device(request.device, DeviceUse::tuning).kind != DeviceChoice::Kind::cuda)
      throw UsageError(
          "--input needs a GPU (--device cuda:0): recorded results do not depend on the numbers of a file");
    take_inputs(request.files, job.selection);
  }
  job.tuning = request.settled(job.selection.problem.get());
  if (job.selection.problem) {
    job.tuning.objective =
        objective_of(*job.tuning.objective, *job.selection.problem, job.selection.instance);
    job.sources = chosen_sources(*job.selection.problem, request.kernel_folder);
    job.dumped = chosen_dumped_sources(request.sources_folder, *job.selection.problem, job.selection.instance,
                                       *job.sources);
  }
  if (!third_party.empty()) return run_on_third_party(job, third_party);
  const DeviceChoice device = chosen_device(request.device, DeviceUse::tuning, job.selection.problem->info());
  if (device.kind == DeviceChoice::Kind::replay) return run_on_recording(job, device);
  if (is_command) return run_commands(job);
  return run_on_device(job, taken_together(device, job.selection.instance));
}

/// Each work is a run. What ends one of them by an error does not end the others.
int tune_works(const RunRequest& request, std::vector<ProblemOptions> works) {
  const std::pair<const char*, bool> of_one[] = {{"input", !request.files.input.empty()},
                                                 {"out", !request.files.output.empty()},
                                                 {"keep-sources", !request.sources_folder.empty()}};
  for (const auto& [option, is_given] : of_one)
    if (is_given)
      throw UsageError(
          format("--{} is for one work, and this call has {}: leave it out", option, works.size()));
  for (ProblemOptions& work : works) work.reference = request.problem.reference;
  // Nothing is measured where one of them cannot be.
  const auto [different, instances] = different_works(std::move(works));
  const InterruptGuard guard;
  Sweep sweep(instances);
  std::optional<Exit> failed;
  for (std::size_t i = 0; i < different.size(); ++i) {
    RunRequest one = request;
    one.problem = different[i];
    if (InterruptGuard::interrupted()) {
      sweep.add_left_out(one.problem);
      continue;
    }
    if (!request.quiet && !request.dry_run)
      say(format("work {} of {}: {}", i + 1, different.size(),
                 work_options(one.problem, CacheState::cold, Objective::time)));
    try {
      tune_work(one, &sweep);
    } catch (const Error& error) {
      if (!sweep.has_run() && (error.exit() != Exit::failure || request.dry_run)) throw;  // of the call
      const auto* const listed = dynamic_cast<const ListedError*>(&error);
      const bool has_line = listed != nullptr && !listed->lines().empty();
      sweep.add_failed(one.problem,
                       error.what() + (has_line ? " " + listed->lines().front() : std::string()));
      failed = failed.value_or(error.exit());
    }
  }
  const bool is_json = request.format == Format::json;
  if (request.dry_run)
    std::cout << (is_json ? to_json(sweep.planned()) : to_text(sweep.planned()));
  else
    std::cout << (is_json ? sweep.json() : sweep.text());
  if (InterruptGuard::interrupted()) return static_cast<int>(Exit::interrupted);
  return static_cast<int>(failed.value_or(Exit::success));
}

int tune_problem(const RunRequest& request) {
  if (request.quiet && request.verbose) throw UsageError("--quiet and --verbose: choose one");
  std::vector<ProblemOptions> works = chosen_works(request.problem, request.works_file);
  const bool is_one = works.size() == 1 && request.works_file.empty();
  return is_one ? tune_work(request) : tune_works(request, std::move(works));
}

}  // namespace

Command run_command() {
  return {"run",
          "tunes a problem on a device and stores every evaluation",
          "tune --problem P [--device D] [options]\n       tune run P [--device D] [options]",
          "  tune --problem stencil3d --device 0\n"
          "  tune --problem stencil3d --device replay --strategy grid\n"
          "  tune --problem stencil3d --set radius=4,type=double --budget-time 2m\n"
          "  tune --problem stencil3d --size 256x256x256,512x512x512 --set radius=1,2,4\n",
          "problem",
          bind_request<RunRequest, tune_problem>};
}

}  // namespace tune::cli
