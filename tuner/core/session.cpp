// SPDX-License-Identifier: Apache-2.0
#include "tuner/core/session.hpp"

#include <algorithm>

#include "tuner/core/error.hpp"
#include "tuner/core/format.hpp"

namespace tune {
namespace {

/// Configurations in a row that failed before a launch, with none that did not, after which a run gives up:
/// the kernel or the toolkit is broken, not the configurations.
constexpr std::uint64_t hopeless = 100;

bool better(const Evaluation& a, const std::optional<Evaluation>& b) {
  return a.outcome && (!b || a.outcome->time() < b->outcome->time());
}

}  // namespace

struct Session::State {
  SessionResult result;
  const Budget& budget;
  SessionObserver& observer;
  std::unordered_map<std::string, Evaluation> known = {};
  double start = 0;
  std::uint64_t early_failures = 0;  ///< before a launch
  std::optional<Failure> last_early_failure = {};
  std::optional<RunEnd> end = {};
};

Session::Session(const search::SearchSpace& space, search::Strategy& strategy, Evaluator& evaluator,
                 Store& store, std::function<double()> clock)
    : space_(space), strategy_(strategy), evaluator_(evaluator), store_(store), clock_(std::move(clock)) {}

SessionResult Session::run(const RunRecord& record, const Budget& budget, bool fresh,
                           SessionObserver& observer) {
  State state{.result = {}, .budget = budget, .observer = observer};
  state.start = clock_();
  if (!fresh)
    for (Evaluation& evaluation : store_.known(record.key))
      state.known.emplace(evaluation.configuration.key(), std::move(evaluation));
  Progress& progress = state.result.progress;
  progress.planned = std::min<std::uint64_t>(budget.evaluations.value_or(space_.size()), space_.size());
  state.result.run = store_.begin_run(record);
  try {
    while (!state.end)
      if (!one_batch(state)) state.end = state.end.value_or(RunEnd::exhausted);
  } catch (...) {
    end_as_failed(state.result.run);
    throw;
  }
  progress.seconds = clock_() - state.start;
  state.result.end = *state.end;
  store_.end_run(state.result.run, state.result.end);
  return std::move(state.result);
}

/// For a run that a broken device or database ends: the database should say so, if it still can.
void Session::end_as_failed(RunId run) {
  try {
    store_.end_run(run, RunEnd::failed);
  } catch (const Error&) {
    return;  // what is on its way to the person already says more
  }
}

/// False when the strategy has nothing left or the run has ended.
bool Session::one_batch(State& state) {
  const Progress& progress = state.result.progress;
  std::size_t count = std::max<std::size_t>(1, evaluator_.preferred_batch());
  if (state.budget.evaluations) {
    const std::uint64_t left =
        *state.budget.evaluations - std::min(*state.budget.evaluations, progress.evaluations);
    count = std::min<std::uint64_t>(count, left);
    if (left == 0) {
      state.end = RunEnd::budget;
      return false;
    }
  }
  const double asking = clock_();
  const std::vector<search::ConfigurationId> ids = strategy_.ask(count);
  state.result.progress.search_seconds += clock_() - asking;
  if (ids.empty()) return false;

  std::unordered_map<std::string, Evaluation> answers;
  evaluate_missing(state, ids, answers);

  std::vector<search::Observation> observations;
  for (const search::ConfigurationId id : ids) {
    const auto answer = answers.find(space_.at(id).key());
    if (answer == answers.end()) continue;
    const Result<Measurement>& outcome = answer->second.outcome;
    observations.push_back({id, outcome ? std::optional(outcome->time()) : std::nullopt});
  }
  const double telling = clock_();
  strategy_.tell(observations);
  state.result.progress.search_seconds += clock_() - telling;
  check_hopeless(state);
  return !state.end;
}

void Session::evaluate_missing(State& state, const std::vector<search::ConfigurationId>& ids,
                               std::unordered_map<std::string, Evaluation>& answers) {
  std::vector<Configuration> missing;
  for (const search::ConfigurationId id : ids) {
    Configuration configuration = space_.at(id);
    const auto known = state.known.find(configuration.key());
    if (known == state.known.end()) {
      missing.push_back(std::move(configuration));
      continue;
    }
    known->second.reused = true;
    answers.emplace(known->first, known->second);
    if (!take(state, known->second)) return;
  }
  if (missing.empty()) return;
  evaluator_.evaluate(missing, [&](Evaluation evaluation) {
    std::string key = evaluation.configuration.key();
    answers.emplace(std::move(key), evaluation);
    return take(state, std::move(evaluation));
  });
}

/// Stores and counts one evaluation; false when the run has to end.
bool Session::take(State& state, Evaluation evaluation) {
  const double storing = clock_();
  store_.record(state.result.run, evaluation);
  Progress& progress = state.result.progress;
  progress.store_seconds += clock_() - storing;
  progress.seconds = clock_() - state.start;

  const bool early = !evaluation.outcome && before_launch(evaluation.outcome.error().phase);
  if (early) {
    ++state.early_failures;
    state.last_early_failure = evaluation.outcome.error();
  } else {
    ++progress.evaluations;
    if (evaluation.reused) ++progress.reused;
  }
  if (evaluation.outcome) ++progress.measured;
  if (!evaluation.outcome) ++progress.failures[evaluation.outcome.error().phase];
  if (!evaluation.reused) {
    progress.phases.compile += evaluation.phases.compile;
    progress.phases.load += evaluation.phases.load;
    progress.phases.verify += evaluation.phases.verify;
    progress.phases.measure += evaluation.phases.measure;
  }
  if (better(evaluation, progress.best)) progress.best = evaluation;
  state.observer.on_evaluation(evaluation, progress);

  if (state.observer.stop_requested()) state.end = RunEnd::interrupted;
  if (state.budget.seconds && progress.seconds >= *state.budget.seconds) state.end = RunEnd::budget;
  return !state.end;
}

void Session::check_hopeless(State& state) const {
  if (state.end || state.result.progress.evaluations > 0 || state.early_failures < hopeless) return;
  state.end = RunEnd::failed;
  const Failure& failure = *state.last_early_failure;
  state.result.why =
      format("all of the first {} configurations failed before a launch; the last one: {}, {}: {}",
             state.early_failures, to_string(failure.phase), failure.reason, failure.detail);
}

}  // namespace tune
