// SPDX-License-Identifier: Apache-2.0
#include "library/tuner/tuner_state.hpp"

#include <algorithm>
#include <stdexcept>

#include "library/run/paths.hpp"
#include "library/run/tuning_run.hpp"
#include "library/tuner/convert.hpp"
#include "library/tuner/emulator_evaluator.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/device/architectures.hpp"

namespace tune::api {
namespace {

DeviceProperties properties_of(Backend* backend) {
  return backend != nullptr ? backend->properties() : architecture_properties("sm_90");
}

/// What the emulator checks at: the sizes that the caller names, else the problem's small ones.
std::vector<Instance> emulated_sizes(const OpenRun& open_run, const Sizes& sizes) {
  const bool named = std::ranges::any_of(open_run.instance.extents,
                                         [&](const auto& extent) { return sizes.has(extent.first); });
  std::vector<Instance> small;
  if (!named) small = open_run.problem.check_instances(open_run.instance, {});
  if (small.empty()) small.push_back(open_run.instance);
  return small;
}

void check_options(const Options& options) {
  const search::StrategyEntry* strategy = strategy_named(options.strategy).entry;
  if (options.until_gain && !strategy->estimates_gain)
    throw UsageError(
        format("until_gain: {} does not estimate what is left to gain; choose auto", strategy->name));
  if (options.until_gain && !(*options.until_gain > 0 && *options.until_gain < 1))
    throw UsageError("until_gain is a share between 0 and 1");
  if (options.evaluations && *options.evaluations == 0) throw UsageError("evaluations: at least 1");
  if (options.seconds && !(*options.seconds > 0)) throw UsageError("seconds: more than 0");
  if (!(options.timeout > 0)) throw UsageError("timeout: more than 0 seconds");
}

}  // namespace

MeasureOptions measure_options(const Options& options) {
  MeasureOptions measure;
  measure.flush_cache = !options.warm_caches;
  measure.energy = options.objective != Objective::time;
  return measure;
}

tune::Objective objective_of(Objective objective) {
  return objective == Objective::time     ? tune::Objective::time
         : objective == Objective::energy ? tune::Objective::energy
                                          : tune::Objective::edp;
}

OpenRun::OpenRun(const Problem& wanted, const Sizes& sizes, const Options& options, Backend* backend)
    : stamp(wanted.spec().stamp),
      problem(described(wanted.spec())),
      sources(problem),
      instance(instance_at(problem.info(), sizes)),
      device(properties_of(backend)),
      space(problem.valid_space(instance, device, options.where)) {
  if (backend == nullptr) {
    evaluator = std::make_unique<EmulatorEvaluator>(problem, emulated_sizes(*this, sizes));
    return;
  }
  run::check_memory(problem, instance, space, device, sources);
  run::describe_workload(record, problem, instance, device,
                         options.warm_caches ? CacheState::warm : CacheState::cold);
  record.key.toolchain = {backend->compiler().version(), source_hash(problem, sources)};
  record.machine = backend->machine_state();
  record.space_size = space.size();
  record.options.objective = objective_of(options.objective);
  record.options.seed = options.seed;
  record.options.where = options.where;
  record.options.command_line = "tune::Tuner";
  if (options.objective != Objective::time && !(record.machine.power > 0))
    throw UsageError(format(
        "{} gives no energy (NVML is not there, or may not read it): choose Objective::time", device.name));
  evaluator =
      std::make_unique<DeviceEvaluator>(problem, instance, *backend, sources,
                                        DeviceEvaluatorOptions{.measure = measure_options(options),
                                                               .race = options.objective == Objective::time});
}

Tuner::State::State(Options wanted) : options(std::move(wanted)) {
  check_options(options);
  open_backend = [this] { return open_gpu(options.device, options.timeout, options.in_process); };
}

Tuner::State::~State() {
  try {
    close_run();
  } catch (const tune::Error&) {
    return;  // the run stays without an end, as that of a killed program
  }
}

Backend* Tuner::State::backend() {
  if (emulated()) return nullptr;
  if (backend_ == nullptr) backend_ = open_backend();
  return backend_.get();
}

db::Database& Tuner::State::database() {
  if (database_ == nullptr) {
    database_ = std::make_unique<db::Database>(run::database_path(options.database));
    if (options.on_notice && !database_->notice().empty()) options.on_notice(database_->notice());
  }
  return *database_;
}

db::SqliteStore& Tuner::State::store() {
  if (store_ == nullptr) store_ = std::make_unique<db::SqliteStore>(database());
  return *store_;
}

OpenRun& Tuner::State::open_run(const Problem& problem, const Sizes& sizes) {
  const bool same = open_run_ != nullptr && open_run_->stamp == problem.spec().stamp &&
                    open_run_->stamp != 0 && !emulated() &&
                    open_run_->instance == instance_at(open_run_->problem.info(), sizes);
  if (!same) {
    close_run();
    open_run_ = std::make_unique<OpenRun>(problem, sizes, options, backend());
  }
  return *open_run_;
}

void Tuner::State::close_run() {
  const std::unique_ptr<OpenRun> closed = std::move(open_run_);
  if (closed != nullptr && closed->run) store().end_run(*closed->run, RunEnd::stopped);
}

}  // namespace tune::api
