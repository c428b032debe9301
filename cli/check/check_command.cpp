// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <future>
#include <optional>

#include "cli/check/check_report.hpp"
#include "cli/check/check_stored.hpp"
#include "cli/input/command.hpp"
#include "cli/input/device_choice.hpp"
#include "cli/input/dumped_sources.hpp"
#include "cli/input/problem_selection.hpp"
#include "cli/output/interrupt.hpp"
#include "search/strategies/registry.hpp"
#include "tuner/backends/compile_pool.hpp"
#include "tuner/backends/cuda/toolkit/toolkit.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/parallel.hpp"
#include "tuner/cache/caching_compiler.hpp"
#include "tuner/device/architectures.hpp"
#include "tuner/evaluation/device_evaluator.hpp"

namespace tune::cli {
namespace {

constexpr std::uint64_t default_sample = 20;

/// What the command line asks for; what is empty was not given.
struct CheckRequest {
  ProblemOptions problem;
  std::string device;
  SpaceChoice space;
  std::vector<std::string> configurations;
  std::optional<std::uint64_t> sample;
  bool all = false;
  std::uint64_t seed = 1;
  std::string architecture;
  StoredCheckOptions stored;
  EmulatorOptions emulator;
  ProcessOptions process;
  std::string kernel_folder, sources_folder;
  CacheOptions cache;
  std::string database;
  Format format = Format::text;

  void add_to(OptionTable& table);
};

void CheckRequest::add_to(OptionTable& table) {
  problem.add_to(table);
  table.text(
      "device", "D",
      "number of a GPU ('tune devices'), or emulator: the same kernels on the CPU, every access checked; "
      "default: the first GPU",
      device);
  space.add_to(table);
  table.texts("config", "NAME=VALUE,...", "check this configuration; may be repeated", configurations);
  table.count("sample", "N", "check N random configurations; default 20", sample, 1);
  table.flag("all", "check every configuration", all);
  table.count("seed", "N", "of the sample; default 1", seed, 0);
  table.text("arch", "SM",
             "only compile, for this architecture: needs no GPU, such as sm_90; emulator: its limits",
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

std::vector<Configuration> chosen_configurations(const CheckRequest& request,
                                                 const search::SearchSpace& space) {
  std::vector<Configuration> chosen;
  for (const std::string& text : request.configurations) {
    Configuration configuration;
    for (auto& [name, value] : parse_assignments(text, "config")) configuration.set(name, value);
    if (!space.find(configuration))
      throw UsageError(format("--config '{}' is not valid: {}", text, space.explain(configuration)));
    chosen.push_back(std::move(configuration));
  }
  if (!chosen.empty()) return chosen;
  const auto strategy = search::choose_strategy(request.all ? "grid" : "random")->make({space, request.seed});
  const std::uint64_t count = request.all ? space.size() : request.sample.value_or(default_sample);
  for (const search::ConfigurationId id : strategy->ask(count)) chosen.push_back(space.at(id));
  return chosen;
}

/// What is checked on a device's limits, with the sources that --keep-sources asks for written.
std::vector<Configuration> prepared(const CheckRequest& request, const ProblemSelection& selection,
                                    const DeviceProperties& device, const KernelSources& sources) {
  const search::SearchSpace space = build_space(selection, device, request.space);
  std::vector<Configuration> configurations = chosen_configurations(request, space);
  if (const auto dumped =
          chosen_dumped_sources(request.sources_folder, *selection.problem, selection.instance, sources))
    for (const Configuration& configuration : configurations) dumped->keep(configuration);
  return configurations;
}

Evaluation compiled(const Configuration& configuration, const Result<Binary>& binary) {
  Evaluation evaluation;
  evaluation.configuration = configuration;
  if (binary) {
    evaluation.outcome = Measurement{};
    evaluation.resources = binary->resources.begin()->second;
  } else {
    evaluation.outcome = tl::unexpected(binary.error());
  }
  return evaluation;
}

int compile_only(const CheckRequest& request, const ProblemSelection& selection,
                 const KernelSources& sources) {
  const std::string& architecture = request.architecture;
  const std::vector<Configuration> configurations =
      prepared(request, selection, architecture_properties(architecture), sources);
  std::string failure_reason;
  const auto cache = chosen_cache(request.cache);
  const std::unique_ptr<Compiler> compiler =
      cache::with_cache(cuda::make_nvrtc_compiler(architecture, &failure_reason), cache);
  if (!compiler) throw Error(format("cannot compile for {}: {}", architecture, failure_reason));
  CheckReport findings(request.format);
  CompilePool pool(*compiler, host_threads());
  std::deque<std::pair<Configuration, std::future<Result<Binary>>>> compiling;
  const std::size_t ahead = 4 * std::size_t{host_threads()};  // each holds the kernel's text
  const auto finish_first = [&] {
    findings.add(compiled(compiling.front().first, compiling.front().second.get()));
    compiling.pop_front();
  };
  for (const Configuration& configuration : configurations) {
    if (InterruptGuard::interrupted()) break;
    const Result<LaunchPlan> plan = selection.problem->plan(selection.instance, configuration, sources);
    if (!plan) throw Error(format("a valid configuration has no plan: {}", plan.error().detail));
    compiling.emplace_back(configuration, pool.submit(plan->compile));
    if (compiling.size() == ahead) finish_first();
  }
  while (!compiling.empty() && !InterruptGuard::interrupted()) finish_first();
  tell_notice(cache.get());
  return findings.finish(format("compiled for {}, not run", architecture));
}

int check_on_gpu(const CheckRequest& request, const ProblemSelection& selection, const KernelSources& sources,
                 int number) {
  const auto cache = chosen_cache(request.cache);
  const std::unique_ptr<Backend> backend = cache::with_cache(open_backend(number, request.process), cache);
  const std::vector<Configuration> configurations =
      prepared(request, selection, backend->properties(), sources);
  DeviceEvaluator evaluator(*selection.problem, selection.instance, *backend, sources,
                            {.measure = {}, .measure_time = false});
  CheckReport findings(request.format);
  evaluate_all(evaluator, configurations, [&](const Evaluation& evaluation) {
    findings.add(evaluation);
    return !InterruptGuard::interrupted();
  });
  tell_notice(cache.get());
  return findings.finish(format("compiled and verified on {}, at {} and at odd sizes",
                                backend->properties().name, selection.instance.size()));
}

int check_selection(const CheckRequest& request) {
  const ProblemSelection selection = selected_problem(request.problem);
  const auto sources = chosen_sources(*selection.problem, request.kernel_folder);
  if (request.device == "emulator") {
    const DeviceProperties limits =
        architecture_properties(request.architecture.empty() ? "sm_90" : request.architecture);
    return check_emulated(selection, !request.problem.size.empty(), *sources,
                          prepared(request, selection, limits, *sources), request.emulator, request.format);
  }
  if (!request.architecture.empty()) return compile_only(request, selection, *sources);
  const DeviceChoice device = chosen_device(request.device, DeviceUse::checking);
  if (device.kind != DeviceChoice::Kind::cuda)
    throw Error(
        "no GPU runs the kernels here; --device emulator checks them on the CPU, --arch sm_90 only compiles "
        "them");
  return check_on_gpu(request, selection, *sources, device.number);
}

int run_check(const CheckRequest& request) {
  const InterruptGuard guard;
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
    status = check_selection(request);
  }
  return InterruptGuard::interrupted() ? static_cast<int>(Exit::interrupted) : status;
}

}  // namespace

const Command& check_command() {
  static const Command command = {"check",
                                  "compiles and verifies configurations without ranking them",
                                  "tune check --problem P [--config NAME=VALUE,... | --sample N | --all]",
                                  "  tune check --problem stencil3d --size 67x37x29 --sample 50\n"
                                  "  tune check --problem stencil3d --arch sm_90 --sample 50\n"
                                  "  tune check --problem stencil3d --device emulator --sample 50\n"
                                  "  tune check --stored --threshold 5% --junit results.xml\n",
                                  "problem",
                                  bind_request<CheckRequest, run_check>};
  return command;
}

}  // namespace tune::cli
