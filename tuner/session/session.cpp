// SPDX-License-Identifier: Apache-2.0
#include "tuner/session/session.hpp"

#include <algorithm>
#include <deque>
#include <future>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune {
namespace {

/// A run gives up when so many first configurations all failed before a launch (the kernel or the toolkit is
/// broken, not the configurations), or so many in a row for a cause that has nothing to do with them.
constexpr std::uint64_t hopeless = 100;

/// How many of the best configurations a result names.
constexpr std::size_t top_of_result = 5;

/// How many of the best known configurations are tried where timing them again fails.
constexpr int max_best_known = 3;

/// A run ends after so many evaluations in a row with too little expected gain.
constexpr int patience = 10;

/// A re-ranking whose time is limited may take this much longer, in seconds: a round that has begun goes on.
constexpr double rerank_grace = 0.5;
/// In a queue of at most so many, each that comes out is replaced at once.
constexpr std::size_t short_queue = 24;
/// The largest share of the time that the search leaves for the re-ranking.
constexpr double max_rerank_share = 0.4;
/// Without a limit of time, a re-ranking of long executions may take this share of the time that the search
/// took, or these seconds.
constexpr double rerank_share_of_search = 0.5;
constexpr double least_for_rerank = 30;
/// A turn of the re-ranking takes about so many executions, with the one that fills the outputs.
constexpr double executions_of_turn = 7;
/// The references of its inputs take about this share of those of the first evaluation, which needed others
/// too.
constexpr double references_of_rerank = 0.6;
/// From so many evaluations on, the strategy computes while the device works: it then knows one result less.
constexpr std::uint64_t many_evaluations = 50;

/// True for a measurement without what the objective needs. Its time is known and is stored.
bool lacks_value(const Evaluation& evaluation, const Objective& objective) {
  return objective != Objective::time && evaluation.outcome && !objective_value(evaluation, objective);
}

/// True where the device did not report an energy, which it may do the next time.
bool lacks_energy(const Evaluation& evaluation, const Objective& objective) {
  return lacks_value(evaluation, objective) && objective.needs_energy() && !(evaluation.outcome->energy > 0);
}

/// Why a measured configuration has no value.
std::string no_value(const Evaluation& evaluation, const Objective& objective) {
  if (lacks_energy(evaluation, objective)) return "the energy of the last one was not read";
  return format("{} of the last one is not a positive number", name_of(objective));
}

/// The members of the front: those of the re-ranking, if there was one, by the first quantity.
std::vector<FrontMember> front_members(const RerankResult& rerank, const TopCandidates& candidates,
                                       const Objective& objective) {
  std::vector<FrontMember> front;
  for (const RerankPlace& place : rerank.places)
    if (const auto values = place.front_values(objective); values && place.tied)
      front.push_back({place.configuration, *values});
  if (rerank.places.empty())
    for (const Evaluation& one : candidates.top_k({.top_k = std::numeric_limits<std::size_t>::max()}))
      front.push_back({one.configuration, *front_values(one, objective)});
  std::ranges::sort(front, {}, &FrontMember::values);
  return front;
}

/// False for a strategy whose choices do not depend on results: it gets as many in flight as there may be.
bool learns(const search::Strategy& strategy) {
  return strategy.max_in_flight() != std::numeric_limits<std::size_t>::max();
}

}  // namespace

struct Session::State {
  State(const Budget& limits, SessionObserver& watching, const RunRecord& record, Store& store)
      : budget(limits),
        observer(watching),
        objective(record.options.objective),
        stored(store, record),
        top_candidates(objective) {}

  /// A configuration that the strategy asked for: submitted, or known.
  struct Asked {
    search::ConfigurationId id;
    std::string key;
    bool known;
  };

  SessionResult result = {};
  const Budget& budget;
  SessionObserver& observer;
  Objective objective;
  StoredRun stored;
  TopCandidates top_candidates;
  std::unordered_map<std::string, Evaluation> known = {};
  bool timed_again = false;   ///< the best known, or nothing is known
  bool timing_known = false;  ///< right now
  std::deque<Asked> queue = {};
  std::future<std::vector<search::ConfigurationId>> asked_ahead = {};  ///< while the evaluator works
  std::set<std::string> unread = {};  ///< keys of configurations whose energy was not read once
  double start = 0;
  /// Seconds of an evaluation, which may be that of the inputs of the re-ranking.
  double longest_reference = 0;
  std::uint64_t early_failures = 0;  ///< before a launch, of configurations that were tried in this run
  std::uint64_t accidents = 0;       ///< in a row: failures with an unknown recurrence
  int little_to_gain = 0;            ///< evaluations in a row after which too little was expected
  std::vector<double> values = {};   ///< by the objective, of what was measured
  std::vector<std::pair<double, double>> at_both = {};  ///< seconds at the cheaper instance and at this one
  std::string news = {};                                ///< about devices
  std::optional<RunEnd> end = {};
};

Session::Session(const search::SearchSpace& space, search::Strategy& strategy, Evaluator& evaluator,
                 Store& store, std::function<double()> clock)
    : space_(space), strategy_(strategy), evaluator_(evaluator), store_(store), clock_(std::move(clock)) {}

SessionResult Session::run(const RunRecord& record, const Budget& budget, bool fresh,
                           SessionObserver& observer, const RerankOptions& rerank) {
  State state(budget, observer, record, store_);
  state.start = clock_();
  if (!fresh) load_known(state, record);
  Progress& progress = state.result.progress;
  progress.planned = std::min<std::uint64_t>(budget.evaluations.value_or(space_.size()), space_.size());
  state.result.run = state.stored.id();
  const auto interrupted = [&observer] { return observer.stop_requested(); };
  const auto is_over = [this, &state, interrupted] { return interrupted() || seconds_left(state) <= 0; };
  const auto search_is_over = [this, &state, &rerank, interrupted] {
    return interrupted() || seconds_left(state) <= rerank_seconds(state, rerank);
  };
  evaluator_.stop_when({.waiting = search_is_over, .device = is_over});
  evaluator_.when_busy(
      [&observer](Activity activity, std::size_t compiling) { observer.on_activity(activity, compiling); });
  evaluator_.when_starving(
      [this, &state] { return !state.timing_known && (take_asked(state) || ask(state, 1)); });
  try {
    if (first_ && budget.evaluations != 0) enqueue(state, *first_);
    while (!state.end) {
      fill_queue(state);
      if (state.queue.empty())
        state.end = state.end.value_or(RunEnd::exhausted);
      else
        one_evaluation(state);
      check_time(state, rerank);
    }
    const auto far_over = [this, &state, interrupted] {
      return interrupted() || seconds_left(state) <= -rerank_grace;
    };
    evaluator_.stop_when({.waiting = is_over, .device = far_over});
    evaluator_.when_starving({});
    evaluator_.when_busy({});
    evaluator_.drop();
    take_news(state);
    if (state.end != RunEnd::interrupted && state.end != RunEnd::failed) finish(state, record, rerank, fresh);
    evaluator_.stop_when({});
  } catch (...) {
    evaluator_.stop_when({});
    evaluator_.when_starving({});
    evaluator_.when_busy({});
    evaluator_.drop();
    end_as_failed(state);
    throw;
  }
  note_time(state);
  state.result.end = *state.end;
  state.result.fidelity = rank_agreement(state.at_both);
  if (!state.values.empty()) state.result.median_value = median(state.values);
  state.result.top = state.top_candidates.first(top_of_result);
  if (state.objective.of_front() != nullptr)
    state.result.front = front_members(state.result.rerank, state.top_candidates, state.objective);
  for (const std::string& line : {evaluator_.notice(), state.news})
    if (!line.empty()) state.result.notice += (state.result.notice.empty() ? "" : "; ") + line;
  state.result.devices = evaluator_.devices();
  state.stored.end(state.result.end);
  return std::move(state.result);
}

double Session::seconds_left(const State& state) const {
  const Budget& budget = state.budget;
  if (!budget.seconds) return std::numeric_limits<double>::infinity();
  return *budget.seconds - budget.seconds_before - (clock_() - state.start);
}

/// Returns about how long a re-ranking would take now, with the references of its inputs.
double Session::rerank_seconds(const State& state, const RerankOptions& options) const {
  const Evaluation* const best = state.top_candidates.best();
  if (options.top_k == 0 || best == nullptr || evaluator_.rerank_device() == nullptr) return 0;
  const std::vector<double>& samples = best->outcome->samples;
  const double execution = samples.empty() ? 0 : median(samples);
  const RerankOptions fitting = options.for_executions_of(execution);
  // Only the first turn of each compares results. Of an evaluation that was reused nothing is known.
  const double preparing = best->reused ? 0.05 : best->phases.load + best->phases.verify;
  const double turn = std::max(best->phases.load, 0.02) + executions_of_turn * execution;
  const auto candidates = static_cast<double>(state.top_candidates.top_k(options).size());
  const double references = references_of_rerank * state.longest_reference;
  const double turns = preparing + static_cast<double>(fitting.min_rounds) * turn;
  return std::min(references + candidates * turns, max_rerank_share * *state.budget.seconds);
}

/// Returns the seconds that a re-ranking may take now. Short executions end it soon by themselves.
double Session::seconds_for_rerank(const State& state) const {
  if (state.budget.seconds) return seconds_left(state);
  const Evaluation* const best = state.top_candidates.best();
  // A command may take longer than the time that it reports.
  const bool are_long = best != nullptr && !best->outcome->samples.empty() &&
                        std::max(median(best->outcome->samples),
                                 best->phases.measure / static_cast<double>(best->outcome->samples.size())) >
                            RerankOptions{}.long_execution;
  return are_long ? std::max(least_for_rerank, rerank_share_of_search * (clock_() - state.start))
                  : std::numeric_limits<double>::infinity();
}

void Session::check_time(State& state, const RerankOptions& rerank) const {
  if (state.end || !state.budget.seconds) return;
  if (seconds_left(state) <= rerank_seconds(state, rerank)) state.end = RunEnd::budget;
}

void Session::note_time(State& state) const {
  Progress& progress = state.result.progress;
  progress.seconds = clock_() - state.start;
  progress.seconds_allowed = state.budget.seconds.value_or(0);
  progress.seconds_of_call = progress.seconds + state.budget.seconds_before;
}

void Session::load_known(State& state, const RunRecord& record) {
  for (Evaluation& evaluation :
       known_answers(store_, record.key, state.objective, record.options.timeout, record.options.energy))
    state.known[evaluation.configuration.key()] = std::move(evaluation);
}

/// Evaluates the best known configuration again and compares. The new measurement is not stored: it would
/// replace one that a re-ranking confirmed. Where it fails, the next best ones are tried.
void Session::time_best_known_again(State& state) {
  // There is no best of a front.
  if (std::exchange(state.timed_again, true) || evaluator_.rerank_device() == nullptr ||
      state.objective.of_front() != nullptr)
    return;
  std::set<std::string> failed;
  while (failed.size() < max_best_known) {
    std::optional<std::pair<double, std::string>> best;
    for (const auto& [key, known] : state.known) {
      const std::optional<double> value = objective_value(known, state.objective);
      if (!value || failed.contains(key) || !space_.find(known.configuration)) continue;
      best = std::min(best.value_or(std::pair(*value, key)), std::pair(*value, key));
    }
    if (!best) return;
    const auto& [stored, key] = *best;
    evaluator_.submit(state.known.at(key).configuration);
    state.timing_known = true;
    std::optional<Evaluation> again = evaluator_.next();
    state.timing_known = false;
    if (!again) return;
    if (const std::optional<double> value = objective_value(*again, state.objective)) {
      state.result.progress.known_scale = *value / stored;
      return;
    }
    failed.insert(key);
    if (again->outcome || is_accident(again->outcome.error(), again->attempts)) continue;
    state.stored.record(*again);
    again->reused = true;
    state.known.insert_or_assign(key, std::move(*again));
  }
}

/// Re-ranks the top candidates of a run that was not interrupted. Where all of them turn out to be wrong, the
/// next ones take part. One that an accident kept from being timed loses only its place.
void Session::finish(State& state, const RunRecord& record, const RerankOptions& options, bool fresh) {
  if (options.top_k == 0 || state.top_candidates.best() == nullptr) return;
  Progress& progress = state.result.progress;
  RerankResult& rerank = state.result.rerank;
  const double begin = clock_();
  std::vector<Evaluation> failures;
  std::optional<Evaluation> unconfirmed;  // the best of those that may be right
  bool any_wrong = true;
  while (rerank.places.empty() && any_wrong && state.top_candidates.best() != nullptr) {
    const std::vector<Evaluation> top_k = state.top_candidates.top_k(options);
    rerank = rerank_top_k(state, record, top_k, options, fresh);
    any_wrong = false;
    for (const Evaluation& failure : rerank.failures) {
      state.top_candidates.remove(failure.configuration);
      const Failure& why = failure.outcome.error();
      const bool wrong = !is_accident(why, failure.attempts);
      any_wrong = any_wrong || wrong;
      if (wrong && !before_launch(why)) state.stored.record(failure);
      if (!wrong && !unconfirmed)
        unconfirmed = *std::ranges::find(top_k, failure.configuration, &Evaluation::configuration);
      failures.push_back(failure);
    }
  }
  rerank.failures = std::move(failures);
  rerank.seconds = progress.rerank_seconds = clock_() - begin;
  if (rerank.interrupted) state.end = RunEnd::interrupted;
  progress.best = unconfirmed;
  if (const Evaluation* best = state.top_candidates.best();
      best != nullptr && !(unconfirmed && rerank.places.empty()))
    progress.best = *best;
  if (rerank.places.empty()) return;
  for (const Evaluation& candidate : state.top_candidates.top_k(options))
    if (candidate.configuration == rerank.places.front().configuration) progress.best = candidate;
  store_.record_rerank(state.result.run, rerank);
}

RerankResult Session::rerank_top_k(State& state, const RunRecord& record, std::span<const Evaluation> top_k,
                                   const RerankOptions& options, bool fresh) {
  if (!fresh) {
    RerankResult rerank;
    rerank.objective = state.objective;
    rerank.places = rank_again(top_k, store_.known_rerank(record.key, state.objective), state.objective);
    rerank.reused = true;
    if (!rerank.places.empty()) return rerank;
  }
  RerankDevice* const device = evaluator_.rerank_device();
  if (device == nullptr) {
    RerankResult none;
    none.objective = state.objective;
    return none;
  }
  bool announced = false;
  return confirm_top_k(
      top_k, *device, state.objective, options,
      [&] {
        if (!std::exchange(announced, true)) state.observer.on_rerank(top_k.size());
        return state.observer.stop_requested();
      },
      [end = clock_() + seconds_for_rerank(state), this] { return end - clock_(); });
}

/// Stores that a broken device or database ended the run, if that is still possible.
void Session::end_as_failed(State& state) {
  try {
    take_news(state);
    state.stored.end(RunEnd::failed);
  } catch (const Error&) {
    return;  // the user gets the first error, which explains more
  }
}

/// A strategy that learns chooses better with fewer configurations in flight: it gets as many as keep
/// compilers and device busy.
std::size_t Session::wanted_in_flight() const {
  const std::size_t most = std::max<std::size_t>(1, evaluator_.window());
  if (!learns(strategy_)) return most;
  return std::clamp<std::size_t>(evaluator_.in_flight().value_or(strategy_.max_in_flight()), 1, most);
}

/// Asks the strategy again when a good part of a long queue has come out: a strategy that computes for a
/// while does so once for many configurations, while the others keep the device busy.
void Session::fill_queue(State& state) {
  if (state.end) return;
  // One of them is asked for ahead, while the evaluator works.
  const std::size_t window = wanted_in_flight() - (asks_ahead(state) ? 1 : 0);
  const bool is_short = window <= short_queue;
  if (state.queue.size() >= window || (!is_short && state.queue.size() > window / 2)) return;
  (void)ask(state, window - state.queue.size());
  if (state.queue.empty() && !budget_left(state)) state.end = RunEnd::budget;
}

/// True where the budget of evaluations allows more than what is in the queue.
bool Session::budget_left(const State& state) const {
  return !state.budget.evaluations ||
         state.result.progress.evaluations + state.queue.size() < *state.budget.evaluations;
}

/// Asks the strategy for so many, as far as the budget allows. False where none has to be evaluated.
bool Session::ask(State& state, std::size_t count) {
  if (state.budget.evaluations) {
    const std::uint64_t counted = state.result.progress.evaluations + state.queue.size();
    count = std::min<std::uint64_t>(count,
                                    *state.budget.evaluations - std::min(*state.budget.evaluations, counted));
  }
  if (count == 0) return false;
  const double asking = clock_();
  const std::vector<search::ConfigurationId> ids = strategy_.ask(count);
  state.result.progress.search_seconds += clock_() - asking;
  return enqueue_all(state, ids);
}

/// True where the strategy computes while the evaluator works.
bool Session::asks_ahead(const State& state) const {
  return state.result.progress.evaluations >= many_evaluations && learns(strategy_) &&
         wanted_in_flight() > 1 && !evaluator_.needs_machine();
}

/// Lets the strategy compute the next configuration while the evaluator works.
void Session::ask_ahead(State& state) {
  if (!asks_ahead(state) || !budget_left(state) || state.queue.size() >= wanted_in_flight()) return;
  state.asked_ahead = std::async(std::launch::async, [this] { return strategy_.ask(1); });
}

/// Enqueues what was asked for ahead. False where that is nothing new.
bool Session::take_asked(State& state) {
  if (!state.asked_ahead.valid()) return false;
  const double waiting = clock_();
  const std::vector<search::ConfigurationId> ids = state.asked_ahead.get();
  state.result.progress.search_seconds += clock_() - waiting;
  return enqueue_all(state, ids);
}

bool Session::enqueue_all(State& state, const std::vector<search::ConfigurationId>& ids) {
  bool any_unknown = false;
  for (const search::ConfigurationId id : ids) {
    enqueue(state, id);
    any_unknown = any_unknown || (!state.queue.empty() && !state.queue.back().known);
  }
  return any_unknown;
}

void Session::enqueue(State& state, search::ConfigurationId id) {
  const auto is_this = [id](const State::Asked& asked) { return asked.id == id; };
  // The strategy may ask for the first one again before it is told.
  if (first_ == id && std::ranges::any_of(state.queue, is_this)) return;
  Configuration configuration = space_.at(id);
  std::string key = configuration.key();
  bool known = state.known.contains(key);
  if (!known) {
    time_best_known_again(state);
    evaluator_.submit(std::move(configuration));
  }
  state.queue.push_back({id, std::move(key), known});
}

/// Takes the first of the queue out, or one that overtook it; without an evaluation where a recording lacks
/// it.
std::pair<search::ConfigurationId, std::optional<Evaluation>> Session::take(State& state) {
  std::optional<Evaluation> answer;
  const bool is_known = state.queue.front().known;
  ask_ahead(state);  // of known ones too: a run that continues another asks the same in the same order
  if (!is_known) answer = evaluator_.next();  // which may ask for more
  take_asked(state);
  auto asked = state.queue.begin();
  if (is_known) {
    answer = state.known.at(asked->key);
  } else if (answer) {
    const auto is_answered = [key = answer->configuration.key()](const State::Asked& one) {
      return !one.known && one.key == key;
    };
    asked = std::ranges::find_if(state.queue, is_answered);
    if (asked == state.queue.end())
      throw std::logic_error("the evaluator returned a configuration that is not in the queue");
  }
  const search::ConfigurationId id = asked->id;
  state.queue.erase(asked);
  return {id, std::move(answer)};
}

/// Evaluates one configuration of the queue, stores and counts the evaluation and tells the strategy.
void Session::one_evaluation(State& state) {
  const auto [id, answer] = take(state);
  if (!answer) {
    if (state.observer.stop_requested()) state.end = RunEnd::interrupted;
    return;  // a run whose time is over is ended by check_time
  }
  const Evaluation& evaluation = *answer;
  if (lacks_energy(evaluation, state.objective) &&
      state.unread.insert(evaluation.configuration.key()).second) {  // nothing is told of it: once more
    evaluator_.submit(evaluation.configuration);
    state.queue.push_back({id, evaluation.configuration.key(), false});
    return;
  }
  Progress& progress = state.result.progress;
  store(state, evaluation);
  note_time(state);
  // Puts a stored value on today's scale.
  const double scale = evaluation.reused ? progress.known_scale.value_or(1) : 1;
  count(state, evaluation, scale);
  const double telling = clock_();
  const PhaseTimes& took = evaluation.phases;
  std::optional<double> value = objective_value(evaluation, state.objective);
  if (value) *value *= scale;
  const search::Observation observation{id, value, took.compile + took.load + took.verify + took.measure,
                                        front_values(evaluation, state.objective).value_or(FrontValues{})};
  strategy_.tell({&observation, 1});
  progress.search_seconds += clock_() - telling;
  state.observer.on_evaluation(evaluation, progress);

  if (state.observer.stop_requested()) state.end = RunEnd::interrupted;
  check_gain(state);
  check_hopeless(state, evaluation);
}

void Session::store(State& state, const Evaluation& evaluation) {
  const double storing = clock_();
  if (store_low_ && evaluation.low_fidelity && !evaluation.low_fidelity->reused)
    store_low_(*evaluation.low_fidelity);
  if (!evaluation.ended_at_low_fidelity()) state.stored.record(evaluation);
  take_news(state);
  state.result.progress.store_seconds += clock_() - storing;
}

/// Stores how devices that share the run compare, and tells which of them take no part any more.
void Session::take_news(State& state) {
  const DeviceNews news = evaluator_.take_news();
  for (const Evaluation& comparison : news.comparisons) state.stored.record(comparison);
  for (const std::string& line : news.lines) {
    state.observer.on_news(line);
    state.news += (state.news.empty() ? "" : "; ") + line;
  }
}

void Session::count(State& state, const Evaluation& evaluation, double scale) {
  Progress& progress = state.result.progress;
  const bool early = !evaluation.outcome && before_launch(evaluation.outcome.error());
  if (early) {
    ++progress.cannot_run[evaluation.outcome.error().phase];
    if (!evaluation.reused) ++state.early_failures;
  } else {
    ++progress.evaluations;
    if (evaluation.reused) ++progress.reused;
  }
  if (evaluation.estimate)
    ++progress.estimated;
  else if (evaluation.outcome)
    ++progress.measured;
  if (evaluation.low_fidelity && !evaluation.ended_at_low_fidelity() && evaluation.outcome)
    state.at_both.emplace_back(evaluation.low_fidelity->outcome->time(), evaluation.outcome->time());
  if (!evaluation.outcome) ++progress.failures[evaluation.outcome.error().phase];
  if (!evaluation.reused) {
    progress.phases += evaluation.phases;
    state.longest_reference = std::max(state.longest_reference, evaluation.phases.reference);
    if (evaluation.from_cache) ++progress.from_cache;
    if (evaluation.same_code) ++progress.same_code;
  }
  const bool accident = evaluation.outcome ? lacks_value(evaluation, state.objective)
                                           : recurrence_of(evaluation.outcome.error()) == Recurrence::unknown;
  state.accidents = accident ? state.accidents + 1 : 0;
  if (const auto value = evaluation.outcome ? objective_value(evaluation, state.objective) : std::nullopt) {
    state.values.push_back(*value * scale);
    if (first_ && space_.at(*first_) == evaluation.configuration) state.result.default_value = *value * scale;
  }
  if (!evaluation.estimate) state.top_candidates.add(evaluation, scale);
  const Evaluation* best = state.top_candidates.best();
  if (best != nullptr && (!progress.best || progress.best->configuration != best->configuration))
    progress.best = *best;
}

void Session::check_gain(State& state) const {
  if (state.end || !state.budget.gain) return;
  const std::optional<double> expected = strategy_.expected_gain();
  state.little_to_gain = expected && *expected < *state.budget.gain ? state.little_to_gain + 1 : 0;
  if (state.little_to_gain >= patience) state.end = RunEnd::stopped;
}

void Session::check_hopeless(State& state, const Evaluation& evaluation) const {
  if (state.end || (evaluation.outcome && !lacks_value(evaluation, state.objective))) return;
  std::string last;
  if (evaluation.outcome) {
    last = no_value(evaluation, state.objective);
  } else {
    const Failure& failure = evaluation.outcome.error();
    last = format("the last one: {}, {}: {}", to_string(failure.phase), failure.reason, failure.detail);
  }
  if (state.accidents >= hopeless)
    state.result.reason = format(
        "{} configurations in a row failed for a cause outside of them; {}; remove the cause and call "
        "again, which tries them again",
        state.accidents, last);
  else if (state.result.progress.evaluations == 0 && state.early_failures >= hopeless)
    state.result.reason =
        format("all of the first {} configurations failed before a launch; {}", state.early_failures, last);
  else
    return;
  state.end = RunEnd::failed;
}

}  // namespace tune
