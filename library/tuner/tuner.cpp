// SPDX-License-Identifier: Apache-2.0
#include "library/tuner/tuner.hpp"

#include <algorithm>

#include "library/run/paths.hpp"
#include "library/tuner/convert.hpp"
#include "library/tuner/emulator_evaluator.hpp"
#include "library/tuner/own_strategy.hpp"
#include "tuner/backends/host/host_device.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/problem/command_problem.hpp"
#include "tuner/session/store.hpp"

namespace tune::api {
namespace {

DeviceProperties properties_of(const tune::Problem& problem, Backend* backend) {
  if (backend != nullptr) return backend->properties();
  return find_command(&problem) != nullptr ? host::device_properties() : architecture_properties("sm_90");
}

/// True where the caller names a size.
bool names_size(const Instance& instance, const Sizes& sizes) {
  return std::ranges::any_of(instance.extents, [&](const auto& extent) { return sizes.has(extent.first); });
}

run::TuningRequest settled(run::TuningRequest request, const tune::Problem* problem) {
  run::settle(request, problem);
  return request;
}

/// Throws UsageError.
run::TuningRequest request_of(const Options& options) {
  if (options.until_gain && !(*options.until_gain > 0 && *options.until_gain < 1))
    throw UsageError("until_gain: not between 0 and 1");
  if (options.evaluations && *options.evaluations == 0) throw UsageError("evaluations: less than 1");
  if (options.seconds && !(*options.seconds > 0)) throw UsageError("seconds: not more than 0");
  if (!(options.timeout > 0)) throw UsageError("timeout: not more than 0 seconds");
  run::TuningRequest request;
  if (options.own_strategy)
    request.strategy = choice_of(options.own_strategy);
  else if (!options.strategy.empty())
    request.strategy = run::strategy_named(options.strategy);
  request.budget = {options.evaluations, options.seconds, options.until_gain};
  request.seed = options.seed;
  request.where = options.where;
  if (!options.objective.empty()) {
    try {
      request.objective = objective_from_string(options.objective);
    } catch (const std::invalid_argument& error) {
      throw UsageError(error.what());
    }
  }
  request.cache = options.warm_caches ? CacheState::warm : CacheState::cold;
  request.top_k = options.finalists;
  request.fresh = options.fresh;
  request.energy = options.energy;
  request.timeout = options.timeout;
  request.reproducible = options.reproducible;
  request.transfer = options.transfer;
  request.compilers = std::min(options.compilers, 1024U);
  request.command_line = "tune::Tuner";
  request.installed = options.installed;
  static_cast<void>(settled(request, nullptr));  // throws where parts contradict each other
  return request;
}

}  // namespace

OpenRun::OpenRun(const Problem& given, const Sizes& sizes, const run::TuningRequest& wanted,
                 Tuner::State& state)
    : stamp(given.spec().stamp),
      problem(made(given.spec())),
      backend(state.backend_of(*problem)),
      sources(sources_of(*problem)),
      request(settled(wanted, problem.get())),
      instance(instance_at(problem->info(), sizes)),
      device(properties_of(*problem, backend)),
      space(valid_space(*problem, instance, device, request.where)) {
  request.objective = tune::objective_of(*request.objective, *problem, instance);
  if (const HasCommand* const command = find_command(problem.get())) {
    request.timeout = command->command(instance, {}).timeout.value_or(request.timeout);
    evaluator =
        run::open_command_run(record, *problem, instance, space, *sources, request, default_compile_timeout);
  } else if (backend == nullptr)
    evaluator =
        std::make_unique<EmulatorEvaluator>(*problem, *sources, instance, !names_size(instance, sizes));
  else
    evaluator = run::open_run(record, *problem, instance, space, {{*backend}}, *sources, request);
}

Tuner::State::State(Options given) : options(std::move(given)), request(request_of(options)) {
  open_backend = [this] {
    return open_gpu(options.device, options.timeout, options.in_process, options.installed);
  };
}

Tuner::State::~State() {
  try {
    close_run();
  } catch (const tune::Error&) {
    return;  // the run stays without an end, like that of a killed program
  }
}

void Tuner::State::set(Options wanted) {
  run::TuningRequest next = request_of(wanted);
  close_run();
  if (wanted.device != options.device || wanted.timeout != options.timeout ||
      wanted.in_process != options.in_process || wanted.installed != options.installed)
    backend_.reset();
  if (wanted.database != options.database) {
    store_.reset();
    database_.reset();
  }
  options = std::move(wanted);
  request = std::move(next);
}

Backend* Tuner::State::backend_of(const tune::Problem& problem) {
  const bool of_cpu = problem.info().target == Target::cpu;
  if (of_cpu && options.device != "cpu")
    throw UsageError(format("{} runs on the processor: set the device to cpu", problem.info().name));
  if (!of_cpu && options.device == "cpu")
    throw UsageError(
        format("{} has kernels of a GPU: set the device to its number, or to emulator", problem.info().name));
  if (emulated() || find_command(&problem) != nullptr) return nullptr;
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
                    open_run_->instance == instance_at(open_run_->problem->info(), sizes);
  if (!same) {
    close_run();
    open_run_ = std::make_unique<OpenRun>(problem, sizes, request, *this);
  }
  return *open_run_;
}

void Tuner::State::close_run() {
  const std::unique_ptr<OpenRun> closed = std::move(open_run_);
  if (closed != nullptr && closed->run) store().end_run(*closed->run, RunEnd::stopped);
}

namespace {

constexpr std::size_t max_wrong = 100;

/// Calls the caller's function, collects failures, and stops when the caller cancelled.
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

End end_of(RunEnd end) {
  return end == RunEnd::exhausted     ? End::exhausted
         : end == RunEnd::interrupted ? End::cancelled
         : end == RunEnd::stopped     ? End::little_to_gain
                                      : End::budget;
}

/// Nothing of this is stored: what the emulator finds is not a device's result.
SessionResult check_all(OpenRun& open_run, SessionObserver& observer) {
  NoStore store;
  const run::TuningRequest& request = open_run.request;
  const auto strategy = request.strategy->make({open_run.space, *request.seed});
  Session session(open_run.space, *strategy, *open_run.evaluator, store, seconds_now);
  return session.run(open_run.record, run::budget_in(open_run.space, request), true, observer, {.top_k = 0});
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

/// Completes a configuration with defaults; returns nothing where it is not valid, and sets `reason`.
std::optional<search::Configuration> completed(const OpenRun& open_run, const Configuration& given,
                                               std::string& reason) {
  search::Configuration configuration = from_values(given);
  const search::Configuration defaults = open_run.space.at(*open_run.space.default_configuration());
  for (const auto& [name, value] : defaults.entries())
    if (!configuration.has(name)) configuration.set(name, value);
  // A parameter that exists only under the default is left out where it does not exist.
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
  if (!known) throw UsageError(format("{}: {}", open_run.problem->info().name, reason));
  if (reason.starts_with("it is not one of"))
    if (const auto* own = dynamic_cast<const described::DescribedProblem*>(open_run.problem.get()))
      if (const std::string rule = own->broken_rule(open_run.instance, configuration); !rule.empty())
        reason = rule;
  return std::nullopt;
}

/// The run's evaluations by their keys; at first those of the database.
std::map<std::string, tune::Evaluation>& known_of(Tuner::State& state, OpenRun& open_run) {
  if (open_run.known) return *open_run.known;
  open_run.known.emplace();
  for (tune::Evaluation& evaluation :
       known_answers(state.store(), open_run.record.key, *open_run.request.objective, state.options.timeout,
                     open_run.request.energy && open_run.record.machine.power > 0))
    open_run.known->emplace(evaluation.configuration.key(), std::move(evaluation));
  return *open_run.known;
}

tune::Evaluation evaluated(Tuner::State& state, OpenRun& open_run,
                           const search::Configuration& configuration) {
  if (!state.emulated() && !state.options.fresh) {
    auto& known = known_of(state, open_run);
    if (const auto found = known.find(configuration.key()); found != known.end()) {
      found->second.reused = true;
      return found->second;
    }
  }
  open_run.evaluator->submit(configuration);
  const std::optional<tune::Evaluation> evaluation = open_run.evaluator->next();
  if (state.emulated()) return *evaluation;
  if (!open_run.run) {
    run::TuningRequest single = open_run.request;
    single.budget = {};
    open_run.record.options = run::run_options(single);
    open_run.record.options.strategy = "evaluate";
    open_run.run = state.store().begin_run(open_run.record);
  }
  state.store().record(*open_run.run, *evaluation);
  if (open_run.known) open_run.known->insert_or_assign(configuration.key(), *evaluation);
  return *evaluation;
}

/// Ends the effect of `cancel` with the run, however that ends.
struct ResetCancel {
  std::atomic<bool>& cancelled;
  ~ResetCancel() { cancelled = false; }
};

}  // namespace

Tuner::Tuner(Options options)
    : state_(guarded([&] { return std::make_unique<State>(std::move(options)); })) {}
Tuner::Tuner(Tuner&&) noexcept = default;
Tuner& Tuner::operator=(Tuner&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}
Tuner::~Tuner() {
  end_unless_forked(state_);
}

void Tuner::set(Options options) {
  guarded([&] { state_->set(std::move(options)); });
}

Result Tuner::run(const Problem& problem, const Sizes& sizes) {
  return guarded([&] {
    const Stopwatch calling;
    Result result;
    Watcher watcher(*state_, result);
    const ResetCancel reset{state_->cancelled};
    state_->close_run();
    OpenRun open_run(problem, sizes, state_->request, *state_);
    if (const auto* own = dynamic_cast<const described::DescribedProblem*>(open_run.problem.get()))
      for (const std::string& note : own->description().notes)
        if (state_->options.on_notice) state_->options.on_notice(note);
    run::TuningRequest& request = open_run.request;
    request.budget.seconds_before = calling.seconds();
    const SessionResult session =
        state_->emulated() ? check_all(open_run, watcher)
                           : run::tune(state_->database(), open_run.space, *open_run.evaluator,
                                       open_run.record, request, watcher, state_->options.on_notice);
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

Description Tuner::describe(const Problem& problem, const Sizes& sizes) {
  return guarded([&] {
    const auto described = made(problem.spec());
    return api::describe(*described, sizes, properties_of(*described, state_->backend_of(*described)),
                         state_->options.where);
  });
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
