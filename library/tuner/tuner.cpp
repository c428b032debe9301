// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <tune/tuner.hpp>

#include "library/run/tuning_run.hpp"
#include "library/tuner/convert.hpp"
#include "library/tuner/emulator_evaluator.hpp"
#include "library/tuner/tuner_state.hpp"
#include "search/ask_tell/strategy.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::api {
namespace {

constexpr std::size_t most_wrong = 100;
/// Energy is measured for half a second a turn.
constexpr std::size_t finalists_by_energy = 5;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Tells the caller's function, collects failures, and asks whether somebody cancelled.
class Watcher : public SessionObserver {
 public:
  Watcher(Tuner::State& state, Result& result) : state_(state), result_(result) {}

  void on_evaluation(const tune::Evaluation& evaluation, const tune::Progress& progress) override {
    if (evaluation.outcome)
      ++result_.right;
    else if (result_.wrong.size() < most_wrong)
      result_.wrong.push_back(to_api(evaluation));
    if (!state_.options.on_evaluation) return;
    Progress told{progress.evaluations, progress.planned, progress.measured, progress.seconds, {}};
    if (progress.best) told.best = to_api(*progress.best);
    state_.options.on_evaluation(to_api(evaluation), told);
  }
  bool stop_requested() override { return state_.cancelled; }

 private:
  Tuner::State& state_;
  Result& result_;
};

Budget budget_of(const Options& options) {
  Budget budget{options.evaluations, options.seconds, options.until_gain};
  if (!budget.evaluations && !budget.seconds && !budget.gain &&
      !search::find_strategy(options.strategy)->exhaustive)
    budget.evaluations = run::default_budget;
  return budget;
}

FinalsOptions finals_of(const Options& options) {
  FinalsOptions finals;
  if (options.objective != Objective::time) finals.finalists = finalists_by_energy;
  if (options.finalists) finals.finalists = *options.finalists;
  return finals;
}

End end_of(RunEnd end) {
  return end == RunEnd::exhausted     ? End::exhausted
         : end == RunEnd::interrupted ? End::cancelled
         : end == RunEnd::stopped     ? End::little_to_gain
                                      : End::budget;
}

/// The emulator's answers are no results of a device: they are searched, told, and kept nowhere.
SessionResult check_all(OpenWork& work, const Options& options, SessionObserver& observer) {
  NoStore store;
  const search::StrategyEntry& entry = *search::find_strategy(options.strategy);
  const auto strategy = entry.make({work.space, options.seed});
  Session session(work.space, *strategy, *work.evaluator, store, seconds_now);
  return session.run(work.record, budget_of(options), true, observer, {.finalists = 0});
}

SessionResult tune_all(Tuner::State& state, OpenWork& work, SessionObserver& observer) {
  const Options& options = state.options;
  const Budget budget = budget_of(options);
  work.record.options.strategy = search::find_strategy(options.strategy)->name;
  work.record.options.budget_evaluations = budget.evaluations;
  work.record.options.budget_seconds = budget.seconds;
  work.record.options.until_gain = budget.gain;
  return run::tune(
      state.database(), work.space, *work.evaluator, work.record,
      {.budget = budget, .finals = finals_of(options), .fresh = options.fresh, .transfer = options.transfer},
      observer, options.on_notice);
}

void take_over(const SessionResult& session, const OpenWork& work, Result& result) {
  const tune::Progress& progress = session.progress;
  if (progress.best) result.best = to_api(*progress.best);
  for (const FinalPlace& place : session.finals.places)
    if (place.tied && place.configuration != session.finals.places.front().configuration)
      result.ties.push_back(to_values(place.configuration));
  result.space_size = work.space.size();
  result.evaluations = progress.evaluations;
  result.reused = progress.reused;
  for (const auto& [phase, count] : progress.failures) result.failures[std::string(to_string(phase))] = count;
  result.end = end_of(session.end);
  result.seconds = progress.seconds;
  result.limit = work.record.limit;
  result.run = session.run;
}

/// With defaults for what is left out; nothing where it is not valid, and `why`.
std::optional<search::Configuration> completed(const OpenWork& work, const Configuration& given,
                                               std::string& why) {
  search::Configuration configuration = from_values(given);
  const search::Configuration defaults = work.space.at(*work.space.default_configuration());
  for (const auto& [name, value] : defaults.entries())
    if (!configuration.has(name)) configuration.set(name, value);
  // A parameter that exists under the default alone is not missed where it does not exist.
  for (const auto& [name, value] : defaults.entries()) {
    if (work.space.find(configuration) || given.has(name)) continue;
    search::Configuration without;
    for (const auto& [other, kept] : configuration.entries())
      if (other != name) without.set(other, kept);
    if (work.space.find(without)) configuration = without;
  }
  if (const auto id = work.space.find(configuration)) return work.space.at(*id);
  why = work.space.explain(configuration);
  const search::SpaceDefinition& definition = work.space.definition();
  const bool known = std::ranges::all_of(configuration.entries(), [&](const auto& entry) {
    return std::ranges::count(definition.parameters, entry.first, &search::Parameter::name) > 0;
  });
  if (!known) throw UsageError(format("{}: {}", work.problem.info().name, why));
  if (why.starts_with("it is not one of"))
    if (const std::string rule = work.problem.broken_rule(work.instance, configuration); !rule.empty())
      why = rule;
  return std::nullopt;
}

/// What the database knows, unless it is to be evaluated again.
std::map<std::string, tune::Evaluation>& known_of(Tuner::State& state, OpenWork& work) {
  if (work.known) return *work.known;
  work.known.emplace();
  if (state.options.fresh) return *work.known;
  for (tune::Evaluation& evaluation : state.store().known(work.record.key)) {
    // A measurement without energy does not answer a question about it.
    if (evaluation.outcome && !value_of(evaluation, work.record.options.objective)) continue;
    std::string key = evaluation.configuration.key();
    work.known->insert_or_assign(std::move(key), std::move(evaluation));
  }
  return *work.known;
}

tune::Evaluation evaluated(Tuner::State& state, OpenWork& work, const search::Configuration& configuration) {
  if (!state.emulated() && !state.options.fresh) {
    const auto& known = known_of(state, work);
    if (const auto found = known.find(configuration.key()); found != known.end()) {
      tune::Evaluation reused = found->second;
      reused.reused = true;
      return reused;
    }
  }
  work.evaluator->submit(configuration);
  const std::optional<tune::Evaluation> evaluation = work.evaluator->next();
  if (state.emulated()) return *evaluation;
  if (!work.run) {
    work.record.options.strategy = "evaluate";
    work.run = state.store().begin_run(work.record);
  }
  state.store().record(*work.run, *evaluation);
  if (work.known) work.known->insert_or_assign(configuration.key(), *evaluation);
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
    state_->close_work();
    OpenWork work(problem, sizes, state_->options, state_->backend());
    const SessionResult session =
        state_->emulated() ? check_all(work, state_->options, watcher) : tune_all(*state_, work, watcher);
    if (session.end == RunEnd::failed) throw tune::Error(session.why);
    take_over(session, work, result);
    return result;
  });
}

Evaluation Tuner::evaluate(const Problem& problem, const Configuration& configuration, const Sizes& sizes) {
  return guarded([&] {
    OpenWork& work = state_->work(problem, sizes);
    std::string why;
    const auto valid = completed(work, configuration, why);
    if (valid) return to_api(evaluated(*state_, work, *valid));
    Evaluation refused;
    refused.configuration = configuration;
    refused.failure = Failure{"constraint", "not valid", why};
    return refused;
  });
}

std::uint64_t Tuner::space_size(const Problem& problem, const Sizes& sizes) {
  return guarded([&] { return state_->work(problem, sizes).space.size(); });
}

Configuration Tuner::default_configuration(const Problem& problem, const Sizes& sizes) {
  return guarded([&] {
    const search::SearchSpace& space = state_->work(problem, sizes).space;
    return to_values(space.at(*space.default_configuration()));
  });
}

void Tuner::cancel() noexcept {
  state_->cancelled = true;
}

}  // namespace tune::api
