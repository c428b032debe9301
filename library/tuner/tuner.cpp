// SPDX-License-Identifier: Apache-2.0
#include "library/tuner/tuner.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <stdexcept>
#include <tune/tuner.hpp>

#include "library/run/paths.hpp"
#include "library/run/tuning_run.hpp"
#include "library/tuner/convert.hpp"
#include "library/tuner/emulator_evaluator.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/session/store.hpp"

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

namespace {

constexpr std::size_t max_wrong = 100;
/// Energy is measured for half a second a turn.
constexpr std::size_t top_k_by_energy = 5;

/// Tells the caller's function, collects failures, and asks whether somebody cancelled.
class Watcher : public SessionObserver {
 public:
  Watcher(Tuner::State& state, Result& result) : state_(state), result_(result) {}

  void on_evaluation(const tune::Evaluation& evaluation, const tune::Progress& progress) override {
    if (evaluation.outcome)
      ++result_.right;
    else if (result_.wrong.size() < max_wrong)
      result_.wrong.push_back(to_api(evaluation));
    if (!state_.options.on_evaluation) return;
    Progress reported{progress.evaluations, progress.planned, progress.measured, progress.seconds, {}};
    if (progress.best) reported.best = to_api(*progress.best);
    state_.options.on_evaluation(to_api(evaluation), reported);
  }
  bool stop_requested() override { return state_.cancelled; }

 private:
  Tuner::State& state_;
  Result& result_;
};

Budget budget_of(const Options& options) {
  Budget budget{options.evaluations, options.seconds, options.until_gain};
  if (!budget.evaluations && !budget.seconds && !budget.gain &&
      !strategy_named(options.strategy).entry->exhaustive)
    budget.evaluations = run::default_budget;
  return budget;
}

RerankOptions rerank_top_k(const Options& options) {
  RerankOptions rerank;
  if (options.objective != Objective::time) rerank.top_k = top_k_by_energy;
  if (options.finalists) rerank.top_k = *options.finalists;
  return rerank;
}

End end_of(RunEnd end) {
  return end == RunEnd::exhausted     ? End::exhausted
         : end == RunEnd::interrupted ? End::cancelled
         : end == RunEnd::stopped     ? End::little_to_gain
                                      : End::budget;
}

/// The emulator's answers are no results of a device: they are searched, told, and kept nowhere.
SessionResult check_all(OpenRun& open_run, const Options& options, SessionObserver& observer) {
  NoStore store;
  const auto strategy = strategy_named(options.strategy).make({open_run.space, options.seed});
  Session session(open_run.space, *strategy, *open_run.evaluator, store, seconds_now);
  return session.run(open_run.record, budget_of(options), true, observer, {.top_k = 0});
}

SessionResult tune_all(Tuner::State& state, OpenRun& open_run, SessionObserver& observer) {
  const Options& options = state.options;
  const Budget budget = budget_of(options);
  open_run.record.options.strategy = strategy_named(options.strategy).name();
  open_run.record.options.budget_evaluations = budget.evaluations;
  open_run.record.options.budget_seconds = budget.seconds;
  open_run.record.options.until_gain = budget.gain;
  return run::tune(state.database(), open_run.space, *open_run.evaluator, open_run.record,
                   {.budget = budget,
                    .rerank = rerank_top_k(options),
                    .fresh = options.fresh,
                    .transfer = options.transfer},
                   observer, options.on_notice);
}

void take_over(const SessionResult& session, const OpenRun& open_run, Result& result) {
  const tune::Progress& progress = session.progress;
  if (progress.best) result.best = to_api(*progress.best);
  for (const RerankPlace& place : session.rerank.places)
    if (place.tied && place.configuration != session.rerank.places.front().configuration)
      result.ties.push_back(to_values(place.configuration));
  result.space_size = open_run.space.size();
  result.evaluations = progress.evaluations;
  result.reused = progress.reused;
  for (const auto& [phase, count] : progress.failures) result.failures[std::string(to_string(phase))] = count;
  result.end = end_of(session.end);
  result.seconds = progress.seconds;
  result.limit = open_run.record.limit;
  result.run = session.run;
}

/// With defaults for what is left out; nothing where it is not valid, and `why`.
std::optional<search::Configuration> completed(const OpenRun& open_run, const Configuration& given,
                                               std::string& reason) {
  search::Configuration configuration = from_values(given);
  const search::Configuration defaults = open_run.space.at(*open_run.space.default_configuration());
  for (const auto& [name, value] : defaults.entries())
    if (!configuration.has(name)) configuration.set(name, value);
  // A parameter that exists under the default alone is not missed where it does not exist.
  for (const auto& [name, value] : defaults.entries()) {
    if (open_run.space.find(configuration) || given.has(name)) continue;
    search::Configuration without;
    for (const auto& [other, kept] : configuration.entries())
      if (other != name) without.set(other, kept);
    if (open_run.space.find(without)) configuration = without;
  }
  if (const auto id = open_run.space.find(configuration)) return open_run.space.at(*id);
  reason = open_run.space.explain(configuration);
  const search::SpaceDefinition& definition = open_run.space.definition();
  const bool known = std::ranges::all_of(configuration.entries(), [&](const auto& entry) {
    return std::ranges::count(definition.parameters, entry.first, &search::Parameter::name) > 0;
  });
  if (!known) throw UsageError(format("{}: {}", open_run.problem.info().name, reason));
  if (reason.starts_with("it is not one of"))
    if (const std::string rule = open_run.problem.broken_rule(open_run.instance, configuration);
        !rule.empty())
      reason = rule;
  return std::nullopt;
}

/// What the database knows, unless it is to be evaluated again.
std::map<std::string, tune::Evaluation>& known_of(Tuner::State& state, OpenRun& open_run) {
  if (open_run.known) return *open_run.known;
  open_run.known.emplace();
  if (state.options.fresh) return *open_run.known;
  for (tune::Evaluation& evaluation : state.store().known(open_run.record.key)) {
    // A measurement without energy does not answer a question about it.
    if (evaluation.outcome && !objective_value(evaluation, open_run.record.options.objective)) continue;
    std::string key = evaluation.configuration.key();
    open_run.known->insert_or_assign(std::move(key), std::move(evaluation));
  }
  return *open_run.known;
}

tune::Evaluation evaluated(Tuner::State& state, OpenRun& open_run,
                           const search::Configuration& configuration) {
  if (!state.emulated() && !state.options.fresh) {
    const auto& known = known_of(state, open_run);
    if (const auto found = known.find(configuration.key()); found != known.end()) {
      tune::Evaluation reused = found->second;
      reused.reused = true;
      return reused;
    }
  }
  open_run.evaluator->submit(configuration);
  const std::optional<tune::Evaluation> evaluation = open_run.evaluator->next();
  if (state.emulated()) return *evaluation;
  if (!open_run.run) {
    open_run.record.options.strategy = "evaluate";
    open_run.run = state.store().begin_run(open_run.record);
  }
  state.store().record(*open_run.run, *evaluation);
  if (open_run.known) open_run.known->insert_or_assign(configuration.key(), *evaluation);
  return *evaluation;
}

/// A cancel ends one run, however that ends.
struct ResetCancel {
  std::atomic<bool>& cancelled;
  ~ResetCancel() { cancelled = false; }
};

}  // namespace

Tuner::Tuner(Options options)
    : state_(guarded([&] { return std::make_unique<State>(std::move(options)); })) {}
Tuner::Tuner(Tuner&&) noexcept = default;
Tuner& Tuner::operator=(Tuner&&) noexcept = default;
Tuner::~Tuner() = default;

Result Tuner::run(const Problem& problem, const Sizes& sizes) {
  return guarded([&] {
    Result result;
    Watcher watcher(*state_, result);
    const ResetCancel reset{state_->cancelled};
    state_->close_run();
    OpenRun open_run(problem, sizes, state_->options, state_->backend());
    const SessionResult session = state_->emulated() ? check_all(open_run, state_->options, watcher)
                                                     : tune_all(*state_, open_run, watcher);
    if (session.end == RunEnd::failed) throw tune::Error(session.reason);
    take_over(session, open_run, result);
    return result;
  });
}

Evaluation Tuner::evaluate(const Problem& problem, const Configuration& configuration, const Sizes& sizes) {
  return guarded([&] {
    OpenRun& open_run = state_->open_run(problem, sizes);
    std::string reason;
    const auto valid = completed(open_run, configuration, reason);
    if (valid) return to_api(evaluated(*state_, open_run, *valid));
    Evaluation refused;
    refused.configuration = configuration;
    refused.failure = Failure{"constraint", "not valid", reason};
    return refused;
  });
}

std::uint64_t Tuner::space_size(const Problem& problem, const Sizes& sizes) {
  return guarded([&] { return state_->open_run(problem, sizes).space.size(); });
}

Configuration Tuner::default_configuration(const Problem& problem, const Sizes& sizes) {
  return guarded([&] {
    const search::SearchSpace& space = state_->open_run(problem, sizes).space;
    return to_values(space.at(*space.default_configuration()));
  });
}

void Tuner::cancel() noexcept {
  state_->cancelled = true;
}

}  // namespace tune::api
