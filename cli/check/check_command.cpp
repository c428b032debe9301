// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include "cli/check/check_emulated.hpp"
#include "cli/check/check_stored.hpp"
#include "cli/input/cache_choice.hpp"
#include "cli/input/device_choice.hpp"
#include "cli/input/dumped_sources.hpp"
#include "cli/input/open_backend.hpp"
#include "cli/input/options.hpp"
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

po::options_description check_options() {
  po::options_description all;
  add_problem_options(all);
  all.add_options()(
      "device", po::value<std::string>()->value_name("D"),
      "number of a GPU ('tune devices'), or emulator: the same kernels on the CPU, every access "
      "checked; default: the first GPU");
  add_space_options(all);
  all.add_options()  //
      ("config", po::value<std::vector<std::string>>()->value_name("NAME=VALUE,..."),
       "check this configuration; may be repeated")                                                       //
      ("sample", po::value<std::string>()->value_name("N"), "check N random configurations; default 20")  //
      ("all", po::bool_switch(), "check every configuration")                                             //
      ("seed", po::value<std::string>()->value_name("N"), "of the sample; default 1")                     //
      ("arch", po::value<std::string>()->value_name("SM"),
       "only compile, for this architecture: needs no GPU, such as sm_90; emulator: its limits");
  add_stored_check_options(all);
  add_emulator_options(all);
  add_process_options(all);
  add_kernel_dir_option(all);
  add_keep_sources_option(all, "each configuration");
  add_cache_options(all);
  add_database_option(all);
  add_format_option(all);
  return all;
}

std::vector<Configuration> chosen_configurations(const po::variables_map& values,
                                                 const search::SearchSpace& space) {
  std::vector<Configuration> chosen;
  if (values.count("config")) {
    for (const std::string& text : values["config"].as<std::vector<std::string>>()) {
      Configuration configuration;
      for (auto& [name, value] : parse_assignments(text, "config")) configuration.set(name, value);
      if (!space.find(configuration))
        throw UsageError(format("--config '{}' is not valid: {}", text, space.explain(configuration)));
      chosen.push_back(std::move(configuration));
    }
    return chosen;
  }
  const bool all = values["all"].as<bool>();
  const auto strategy =
      search::choose_strategy(all ? "grid" : "random")->make({space, option_count(values, "seed", 1, 0)});
  const std::uint64_t count = all ? space.size() : option_count(values, "sample", default_sample, 1);
  for (const search::ConfigurationId id : strategy->ask(count)) chosen.push_back(space.at(id));
  return chosen;
}

void keep_sources(const po::variables_map& values, const ProblemSelection& selection,
                  const KernelSources& sources, const std::vector<Configuration>& configurations) {
  const auto dumped = chosen_dumped_sources(values, *selection.problem, selection.instance, sources);
  if (dumped == nullptr) return;
  for (const Configuration& configuration : configurations) dumped->keep(configuration);
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

int compile_only(const po::variables_map& values, const ProblemSelection& selection,
                 const std::string& architecture) {
  const DeviceProperties properties = architecture_properties(architecture);
  const auto sources = chosen_sources(values, *selection.problem);
  const search::SearchSpace space = build_space(selection, properties, chosen_space(values));
  const std::vector<Configuration> configurations = chosen_configurations(values, space);
  keep_sources(values, selection, *sources, configurations);
  std::string failure_reason;
  const auto cache = chosen_cache(values);
  const std::unique_ptr<Compiler> compiler =
      cache::with_cache(cuda::make_nvrtc_compiler(architecture, &failure_reason), cache);
  if (!compiler) throw Error(format("cannot compile for {}: {}", architecture, failure_reason));
  CheckReport findings(chosen_format(values));
  CompilePool pool(*compiler, host_threads());
  std::deque<std::pair<Configuration, std::future<Result<Binary>>>> compiling;
  const std::size_t ahead = 4 * std::size_t{host_threads()};  // each holds the kernel's text
  const auto finish_first = [&] {
    findings.add(compiled(compiling.front().first, compiling.front().second.get()));
    compiling.pop_front();
  };
  for (const Configuration& configuration : configurations) {
    if (InterruptGuard::interrupted()) break;
    const Result<LaunchPlan> plan = selection.problem->plan(selection.instance, configuration, *sources);
    if (!plan) throw Error(format("a valid configuration has no plan: {}", plan.error().detail));
    compiling.emplace_back(configuration, pool.submit(plan->compile));
    if (compiling.size() == ahead) finish_first();
  }
  while (!compiling.empty() && !InterruptGuard::interrupted()) finish_first();
  tell_notice(cache.get());
  return findings.finish(format("compiled for {}, not run", architecture));
}

int check_on_gpu(const po::variables_map& values, const ProblemSelection& selection, int number) {
  const auto sources = chosen_sources(values, *selection.problem);
  const auto cache = chosen_cache(values);
  const std::unique_ptr<Backend> backend = cache::with_cache(open_backend(number, values), cache);
  const search::SearchSpace space = build_space(selection, backend->properties(), chosen_space(values));
  const std::vector<Configuration> configurations = chosen_configurations(values, space);
  keep_sources(values, selection, *sources, configurations);
  DeviceEvaluator evaluator(*selection.problem, selection.instance, *backend, *sources,
                            {.measure = {}, .measure_time = false});
  CheckReport findings(chosen_format(values));
  evaluate_all(evaluator, configurations, [&](const Evaluation& evaluation) {
    findings.add(evaluation);
    return !InterruptGuard::interrupted();
  });
  tell_notice(cache.get());
  return findings.finish(format("compiled and verified on {}, at {} and at odd sizes",
                                backend->properties().name, selection.instance.size()));
}

int check_on_emulator(const po::variables_map& values, const ProblemSelection& selection,
                      const std::string& architecture) {
  const auto sources = chosen_sources(values, *selection.problem);
  const search::SearchSpace space =
      build_space(selection, architecture_properties(architecture), chosen_space(values));
  const std::vector<Configuration> configurations = chosen_configurations(values, space);
  keep_sources(values, selection, *sources, configurations);
  return check_emulated(values, selection, *sources, configurations);
}

int run_check(const po::variables_map& values) {
  chosen_format(values);
  chosen_timeout(values);
  const InterruptGuard guard;
  if (wants_stored_check(values)) {
    const int status = check_stored(values);
    return InterruptGuard::interrupted() ? static_cast<int>(Exit::interrupted) : status;
  }
  if (values.count("config") + values.count("sample") + (values["all"].as<bool>() ? 1U : 0U) > 1)
    throw UsageError("--config, --sample and --all: choose one");
  const ProblemSelection selection = selected_problem(values);
  const std::string architecture = option_text(values, "arch");
  int status = 0;
  if (wants_emulator(values)) {
    status = check_on_emulator(values, selection, architecture.empty() ? "sm_90" : architecture);
  } else if (!architecture.empty()) {
    status = compile_only(values, selection, architecture);
  } else {
    const DeviceChoice device = chosen_device(values, DeviceUse::checking);
    if (device.kind != DeviceChoice::Kind::cuda)
      throw Error(
          "no GPU runs the kernels here; --device emulator checks them on the CPU, --arch sm_90 only "
          "compiles "
          "them");
    status = check_on_gpu(values, selection, device.number);
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
                                  check_options,
                                  run_check};
  return command;
}

}  // namespace tune::cli
