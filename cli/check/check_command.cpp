// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <deque>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <optional>

#include "cli/check/check_definition.hpp"
#include "cli/check/check_report.hpp"
#include "cli/check/check_stored.hpp"
#include "cli/input/command.hpp"
#include "cli/input/device_choice.hpp"
#include "cli/input/dumped_sources.hpp"
#include "cli/input/problem_selection.hpp"
#include "cli/output/progress.hpp"
#include "library/run/gpu.hpp"
#include "search/strategies/registry.hpp"
#include "tuner/backends/compile_pool.hpp"
#include "tuner/backends/cuda/plan/kernel_parameters.hpp"
#include "tuner/backends/emulator/jobs/checker.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/cache/caching_compiler.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/evaluation/device_evaluator.hpp"
#include "tuner/evaluation/parameter_effects.hpp"
#include "tuner/evaluation/verification.hpp"
#include "tuner/plan/directives.hpp"
#include "tuner/plan/launch_limits.hpp"
#include "tuner/problem/command_problem.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

using nlohmann::ordered_json;

/// How the emulator checks.
struct EmulatorOptions {
  bool sanitize = false, plain = false;
  std::vector<std::string> allow;

  void add_to(OptionTable& table);
  /// Throws UsageError for both together, and for either with another device.
  void check(const std::string& device) const;
  /// Throws UsageError for an unknown kind.
  std::vector<emulator::FindingKind> allowed() const;
};

void EmulatorOptions::add_to(OptionTable& table) {
  table.flag(
      "sanitize",
      "with --device emulator: check every memory access (bounds, races, barriers, uninitialised memory); the default",
      sanitize);
  table.flag("plain",
             "with --device emulator: compare only the results, in two orders of the threads; faster", plain);
  table.texts(
      "allow", "KIND",
      "with --device emulator: ignore intended findings of this kind: uninitialised (reads of memory that "
      "nothing wrote) or race; may be repeated",
      allow);
}

void EmulatorOptions::check(const std::string& device) const {
  if ((sanitize || plain) && device != "emulator")
    throw UsageError(
        format("--{}: for the emulator only; add --device emulator", sanitize ? "sanitize" : "plain"));
  if (sanitize && plain) throw UsageError("--sanitize and --plain: choose one");
  if (!allow.empty() && device != "emulator")
    throw UsageError("--allow: for the emulator only; add --device emulator");
  (void)allowed();
}

std::vector<emulator::FindingKind> EmulatorOptions::allowed() const {
  using emulator::FindingKind;
  std::vector<FindingKind> kinds;
  for (const std::string& name : allow) {
    if (name == "uninitialised")
      kinds.push_back(FindingKind::uninitialised_read);
    else if (name == "race")
      kinds.insert(kinds.end(),
                   {FindingKind::race_in_warp, FindingKind::race_in_block, FindingKind::race_between_blocks});
    else
      throw UsageError(format("--allow: expected uninitialised or race, found '{}'", name));
  }
  return kinds;
}

// Without sizes for checks nobody knows how long it takes.
constexpr double seconds_at_full_size = 10;  ///< of a step, on the processor
constexpr double time_at_full_size = 60;     ///< of all

/// Throws UsageError where a definition has no sizes for checks and its own is too large for the CPU.
void refuse_large(const ProblemSelection& selection, const Configuration& configuration,
                  const KernelSources& sources) {
  constexpr double few = 1 << 18;
  double work = selection.problem->cost(selection.instance).items;
  if (const auto plan = selection.problem->plan(selection.instance, configuration, sources))
    for (const PlanStep& step : plan->launches)
      if (const auto* const launch = std::get_if<Launch>(&step))
        work = std::max(
            work, static_cast<double>(launch->grid.count()) * static_cast<double>(launch->block.count()));
  if (work <= few) return;
  const auto& extents = selection.instance.extents;
  const std::int64_t small = extents.size() > 2 ? 21 : extents.size() > 1 ? 67 : 1003;
  std::vector<std::string> sizes;
  for (const auto& [name, extent] : extents)
    sizes.push_back(format("\"{}\": {}", name, std::min(extent, small)));
  const bool follow = std::ranges::any_of(extents, [&](const auto& one) { return one.second > small; });
  throw UsageError(format(
      "{} names no small sizes for checks, and its own are too large for the CPU ({} threads or items): {}",
      selection.problem->info().name, si(work, ""),
      follow
          ? format(
                "add \"check\": [{{{}}}] to the definition (convert T1 with 'tune import' first), or name a "
                "size with --size",
                joined(sizes))
          : "convert T1 with 'tune import'; in a definition, let arrays and grid follow \"sizes\", then add "
            "\"check\" with small ones"));
}

/// Says where a kernel of the user asks for a kind of device: the emulator is none.
std::string condition_on_device(const ProblemSelection& selection, const Configuration& configuration,
                                const KernelSources& sources) {
  if (find_description(selection.problem.get()) == nullptr) return {};
  const auto plan = selection.problem->plan(selection.instance, configuration, sources);
  if (!plan) return {};
  std::vector<const SourceFile*> files = {&plan->compile.source};
  for (const SourceFile& header : plan->compile.headers) files.push_back(&header);
  for (const SourceFile* const file : files) {
    std::string_view rest = file->text;
    for (int number = 1; !rest.empty(); ++number) {
      const std::string_view line = next_line(rest);
      const auto directive = directive_of(line);
      if (directive && (directive->name.starts_with("if") || directive->name.starts_with("elif")) &&
          line.find("__CUDA_ARCH__") != std::string_view::npos)
        return format(
            "{}:{} tests __CUDA_ARCH__, which the emulator does not define: code for certain devices is not "
            "checked",
            file->name, number);
    }
  }
  return {};
}

/// The configurations to check. There may be millions: each is made when its turn comes.
class ChosenConfigurations {
 public:
  ChosenConfigurations(search::SearchSpace space, std::vector<search::ConfigurationId> ids)
      : space_(std::move(space)), ids_(std::move(ids)) {}

  std::size_t size() const { return ids_.size(); }
  bool has(search::ConfigurationId id) const { return std::ranges::find(ids_, id) != ids_.end(); }
  Configuration operator[](std::size_t number) const { return space_.at(ids_[number]); }
  const search::SearchSpace& space() const { return space_; }

 private:
  search::SearchSpace space_;
  std::vector<search::ConfigurationId> ids_;
};

/// Checks the configurations on the CPU: at the selected size alone, else at the problem's odd sizes.
int check_emulated(const ProblemSelection& selection, const DeviceProperties& limits, bool one_size,
                   const KernelSources& sources, const ChosenConfigurations& configurations,
                   const EmulatorOptions& emulation, const ProcessOptions& process, CheckEnd end, Format form,
                   const std::function<void(const emulator::Finding&)>& found) {
  const bool plain = emulation.plain;
  emulator::CheckOptions options;
  options.allowed = emulation.allowed();
  options.device_takes = run::device_takes(process.in_process, process.compile_timeout);
  if (process.timeout_given) options.seconds = process.timeout;
  options.flavour = plain ? emulator::Flavour::plain : emulator::Flavour::sanitize;
  const Configuration first = configurations[0];
  if (!one_size && selection.problem->check_instances(selection.instance, first).empty()) {
    refuse_large(selection, first, sources);
    if (!process.timeout_given) options.seconds = seconds_at_full_size;
    end.limit_to(time_at_full_size);
    one_size = true;
  }
  emulator::ProblemJobs jobs(*selection.problem, sources, limits);
  options.stop = [&end] { return end.is_over(); };
  CheckReport report(form, configurations.size(), compared_with(*selection.problem), end);
  emulator::check(
      configurations.size(),
      [&](std::size_t number) {
        const Configuration configuration = configurations[number];
        return jobs.job(configuration,
                        one_size ? std::vector{selection.instance}
                                 : selection.problem->check_instances(selection.instance, configuration),
                        &selection.instance);
      },
      options,
      [&](std::size_t number, const emulator::CheckVerdict& verdict) {
        report.add(number, configurations[number], verdict);
        if (found) std::ranges::for_each(verdict.findings, found);
        return !end.is_over();
      });
  const std::string what =
      format("emulated on the CPU ({}{}, {} of processor time, not comparable with a GPU), at {}",
             plain ? "plain" : "sanitize",
             emulation.allow.empty() ? "" : format(", ignoring {}", joined(emulation.allow)),
             duration_text(report.emulated_seconds()), one_size ? selection.instance.size() : "odd sizes");
  std::string notice = jobs.notice();
  const std::string condition = condition_on_device(selection, first, sources);
  if (!notice.empty() && !condition.empty()) notice += "; ";
  return report.finish(what, notice + condition,
                       {{"device", "emulator"}, {"flavour", plain ? "plain" : "sanitize"}});
}

constexpr std::uint64_t default_sample = 20;

/// The options; empty members were not given.
struct CheckRequest {
  ProblemOptions problem;
  std::string device;
  SpaceChoice space;
  std::vector<std::string> configurations;
  std::optional<std::uint64_t> sample;
  bool all = false;
  std::optional<double> seconds;  ///< of the whole check
  std::uint64_t seed = 1;
  std::string architecture;
  StoredCheckOptions stored;
  EmulatorOptions emulator;
  ProcessOptions process;
  std::string kernel_folder, sources_folder;
  CacheOptions cache;
  std::string database;
  Format format = Format::text;
  std::function<void(const emulator::Finding&)> found;  ///< gets the emulator's findings; may be empty

  void add_to(OptionTable& table);
};

void CheckRequest::add_to(OptionTable& table) {
  problem.add_to(table);
  problem.add_reference_to(table);
  table.text(
      "device", "D",
      "number of a GPU ('tune devices' lists them), or emulator, which runs the same kernels on the CPU and checks every "
      "memory access; default: the first GPU, or cpu for problems of the processor",
      device);
  space.add_to(table);
  table.texts("config", "NAME=VALUE,...", "check this configuration; may be repeated", configurations);
  table.count("sample", "N", "check N random configurations; default: 20", sample, 1);
  table.flag("all", "check every configuration", all);
  table.count("seed", "N", "seed of the sample; default: 1", seed, 0);
  table.seconds("budget-time", "end the check after this time: 20s, 5m", seconds);
  table.text(
      "arch", "SM",
      "only compile, for this architecture, such as sm_90; needs no GPU; with --device emulator: use its "
      "limits",
      architecture);
  stored.add_to(table);
  emulator.add_to(table);
  process.add_to(table);
  add_kernel_dir_option(table, kernel_folder);
  add_keep_sources_option(table, "each configuration", sources_folder);
  cache.add_to(table);
  add_database_option(table, database);
  add_format_option(table, format);
}

ChosenConfigurations chosen_configurations(const CheckRequest& request, search::SearchSpace space) {
  std::vector<search::ConfigurationId> chosen;
  for (const std::string& text : request.configurations) {
    Configuration configuration;
    for (auto& [name, value] : parse_assignments(text, "config")) configuration.set(name, value);
    const auto id = space.find(configuration);
    if (!id) throw UsageError(format("--config '{}' is not valid: {}", text, space.explain(configuration)));
    chosen.push_back(*id);
  }
  if (!chosen.empty()) return {std::move(space), std::move(chosen)};
  if (request.all && !space.counted())
    throw UsageError(
        "--all: the configurations cannot be listed, since they cannot be counted; use --sample N");
  const auto strategy =
      search::choose_strategy(request.all ? "grid" : "random:values=on").make({space, request.seed});
  chosen = strategy->ask(request.all ? space.size() : request.sample.value_or(default_sample));
  return {std::move(space), std::move(chosen)};
}

/// The configurations to check; writes their sources where --keep-sources is given.
ChosenConfigurations prepared(const CheckRequest& request, const ProblemSelection& selection,
                              const DeviceProperties& limits, const KernelSources& sources) {
  ChosenConfigurations configurations =
      chosen_configurations(request, build_space(selection, limits, request.space));
  if (const auto dumped =
          chosen_dumped_sources(request.sources_folder, *selection.problem, selection.instance, sources))
    for (std::size_t i = 0; i < configurations.size(); ++i) dumped->keep(configurations[i]);
  return configurations;
}

/// Returns configurations that differ from the first ones in one parameter alone: they show whether it has an
/// effect.
std::vector<Configuration> beside_the_first(const ChosenConfigurations& chosen) {
  std::vector<Configuration> all;
  const std::size_t bases = std::min<std::size_t>(chosen.size(), ParameterEffects::few_pairs);
  for (const search::Parameter& parameter : chosen.space().definition().parameters)
    for (std::size_t i = 0; i < bases; ++i) {
      const Configuration base = chosen[i];
      if (!base.has(parameter.name)) continue;
      Configuration other = base;
      const auto differs = [&](const Value& value) {
        if (value == base[parameter.name]) return false;
        other.set(parameter.name, value);
        return chosen.space().allows(other);
      };
      if (std::ranges::any_of(parameter.values, differs) && !chosen.has(*chosen.space().find(other)))
        all.push_back(std::move(other));
    }
  return all;
}

/// Arguments that do not fit the kernel are a failure here, where nothing is launched.
Evaluation compiled(const Configuration& configuration, const LaunchPlan& plan,
                    const Result<Binary>& binary) {
  Evaluation evaluation;
  evaluation.configuration = configuration;
  const std::string unfit = binary ? cuda::unfit_plan(plan, *binary) : "";
  if (!unfit.empty()) {
    evaluation.outcome = fail(Phase::launch, "arguments", unfit);
  } else if (binary) {
    evaluation.outcome = Measurement{};
    evaluation.resources = binary->resources.begin()->second;
  } else {
    evaluation.outcome = tl::unexpected(binary.error());
  }
  return evaluation;
}

int compile_only(const CheckRequest& request, const ProblemSelection& selection, const KernelSources& sources,
                 const CheckEnd& end) {
  const std::string& architecture = request.architecture;
  const DeviceProperties limits = architecture_properties(architecture);
  const ChosenConfigurations configurations = prepared(request, selection, limits, sources);
  const std::size_t chosen = configurations.size();
  // The parameters of the program's own problems mean what they do.
  const HasDescription* const description = find_description(selection.problem.get());
  std::vector<Configuration> beside;
  if (description != nullptr && request.configurations.empty()) beside = beside_the_first(configurations);
  const auto cache = chosen_cache(request.cache);
  const std::unique_ptr<Compiler> compiler = cache::with_cache(
      run::open_compiler(architecture, request.process.in_process, request.process.compile_timeout), cache);
  CheckReport findings(request.format, chosen, {}, end);
  const unsigned compilers = compilers_of(request.process);
  CompilePool pool(*compiler, compilers);
  struct Compiling {
    Configuration configuration;
    LaunchPlan plan;
    std::future<Result<Binary>> binary;
  };
  std::deque<Compiling> compiling;
  const std::size_t ahead = 4 * std::size_t{compilers};  // few, because each holds the kernel's text
  std::string compiler_of, notice, effects_notice;
  bool waits = false;  // blocks for each other
  ParameterEffects effects(description == nullptr ? std::vector<std::string>()
                                                  : description->unused_parameters());
  std::size_t finished = 0, cached = 0;
  const auto finish_first = [&] {
    Compiling& first = compiling.front();
    while (first.binary.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready)
      if (end.is_over()) return;  // the pool ends what still compiles
    const Result<Binary> binary = first.binary.get();
    if (binary && (compiler_of.empty() || !binary->chosen_because.empty())) {
      compiler_of = binary->compiler;
      notice = compiler_notice(*binary);
    }
    if (finished++ < chosen) {
      findings.add(compiled(first.configuration, first.plan, binary));
      cached += binary && binary->cached ? 1 : 0;
    }
    const std::uint64_t pairs = finished == configurations.space().size() ? 1 : ParameterEffects::few_pairs;
    if (binary) {
      effects.add(first.configuration, executed_code(first.plan, *binary));
      effects_notice = to_text(effects.without_effect(pairs), first.plan.compile);
    }
    compiling.pop_front();
  };
  for (std::size_t i = 0; i < chosen + beside.size(); ++i) {
    if (end.is_over()) break;
    const Configuration configuration = i < chosen ? configurations[i] : beside[i - chosen];
    Result<LaunchPlan> plan = selection.problem->plan(selection.instance, configuration, sources);
    if (plan)
      if (Result<void> fits = check_geometry(limits, *plan); !fits) plan = tl::unexpected(fits.error());
    if (plan) {
      for (const PlanStep& step : plan->launches)
        if (const auto* const launch = std::get_if<Launch>(&step)) waits = waits || launch->cooperative;
      auto binary = pool.submit(plan->compile);
      compiling.push_back({configuration, std::move(*plan), std::move(binary)});
    } else {
      std::promise<Result<Binary>> failed;
      failed.set_value(tl::unexpected(plan.error()));
      compiling.push_back({configuration, {}, failed.get_future()});
    }
    if (compiling.size() == ahead) finish_first();
  }
  while (!compiling.empty() && !end.is_over()) finish_first();
  tell_notice(cache.get());
  if (waits)
    notice += (notice.empty() ? "" : "; ") +
              std::string("only a GPU shows whether all blocks of a cooperative launch fit at once");
  if (!effects_notice.empty()) notice += (notice.empty() ? "" : "; ") + effects_notice;
  const std::string found = cached == 0 ? "" : format(" ({} from the compile cache)", cached);
  return findings.finish(format("compiled for {}{}, not run", architecture, found), notice,
                         {{"compiler", compiler_of.empty() ? ordered_json() : ordered_json(compiler_of)},
                          {"from_cache", cached}});
}

int check_on_device(const CheckRequest& request, const ProblemSelection& selection,
                    const KernelSources& sources, const DeviceChoice& device, const CheckEnd& end) {
  const auto cache = chosen_cache(request.cache);
  const std::unique_ptr<Backend> backend = cache::with_cache(open_backend(device, request.process), cache);
  const ChosenConfigurations configurations = prepared(request, selection, backend->properties(), sources);
  DeviceEvaluator evaluator(
      *selection.problem, selection.instance, *backend, sources,
      {.measure = {}, .measure_time = false, .compile_threads = compilers_of(request.process)});
  const auto is_over = [&end] { return end.is_over(); };
  evaluator.stop_when({.waiting = is_over, .device = is_over});
  CheckReport findings(request.format, configurations.size(), compared_with(*selection.problem), end);
  constexpr std::size_t slice = 4096;  // made ahead
  for (std::size_t first = 0; first < configurations.size() && !end.is_over(); first += slice) {
    std::vector<Configuration> some;
    for (std::size_t i = first; i < std::min(configurations.size(), first + slice); ++i)
      some.push_back(configurations[i]);
    evaluate_all(evaluator, some, [&](const Evaluation& evaluation) {
      findings.add(evaluation);
      return !end.is_over();
    });
  }
  tell_notice(cache.get());
  return findings.finish(format("compiled and verified on {}, at {} and at odd sizes",
                                backend->properties().name, selection.instance.size()),
                         evaluator.notice());
}

int check_selection(const CheckRequest& request, const CheckEnd& end) {
  const ProblemSelection selection = selected_problem(request.problem);
  const auto sources = chosen_sources(*selection.problem, request.kernel_folder);
  if (find_command(selection.problem.get()) != nullptr)
    throw UsageError(format("{} is a command: 'tune run' checks every configuration that it measures",
                            request.problem.problem));
  if (selection.problem->info().target == Target::cpu &&
      (request.device == "emulator" || !request.architecture.empty()))
    throw UsageError(format("{} runs on the processor, without a GPU: leave --device and --arch out",
                            selection.problem->info().name));
  if (request.device == "emulator") {
    const DeviceProperties limits =
        architecture_properties(request.architecture.empty() ? "sm_90" : request.architecture);
    return check_emulated(selection, limits, !request.problem.size.empty(), *sources,
                          prepared(request, selection, limits, *sources), request.emulator, request.process,
                          end, request.format, request.found);
  }
  if (!request.architecture.empty()) return compile_only(request, selection, *sources, end);
  const DeviceChoice device = chosen_device(request.device, DeviceUse::checking, selection.problem->info());
  if (device.kind == DeviceChoice::Kind::replay)
    throw NoDeviceError(
        "there is no GPU here; --device emulator checks the kernels on the CPU, --arch sm_90 only compiles them");
  return check_on_device(request, selection, *sources, device, end);
}

int run_check(const CheckRequest& request) {
  const InterruptGuard guard;
  const CheckEnd end(request.seconds);
  request.stored.check();
  int status = 0;
  if (request.stored.stored) {
    status = check_stored({request.problem, request.device, request.stored, request.process,
                           request.kernel_folder, request.cache, request.database, request.format});
  } else {
    const int ways =
        (request.configurations.empty() ? 0 : 1) + (request.sample ? 1 : 0) + (request.all ? 1 : 0);
    if (ways > 1) throw UsageError("--config, --sample and --all: choose one");
    request.emulator.check(request.device);
    status = check_selection(request, end);
  }
  return InterruptGuard::interrupted() ? static_cast<int>(Exit::interrupted) : status;
}

}  // namespace

int check_definition(const std::string& file, const std::string& timeout,
                     const std::function<void(const emulator::Finding&)>& found) {
  OptionTable table;
  CheckRequest request;
  request.add_to(table);
  request.found = found;
  // A kernel with guessed sizes may go on for long.
  table.read({"--problem", file, "--device", "emulator", "--sample", "4", "--timeout", timeout,
              "--budget-time", "20s"},
             "check", "", 0);
  return run_check(request);
}

Command check_command() {
  return {"check",
          "compiles and verifies configurations without ranking them",
          "tune check P [--config NAME=VALUE,... | --sample N | --all]",
          "  tune check stencil3d --size 67x37x29 --sample 50\n"
          "  tune check stencil3d --arch sm_90 --sample 50\n"
          "  tune check stencil3d --device emulator --sample 50\n"
          "  tune check --stored --threshold 5% --junit results.xml\n",
          "problem",
          bind_request<CheckRequest, run_check>};
}

}  // namespace tune::cli
