// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "search/ask_tell/strategy.hpp"
#include "search/space/search_space.hpp"
#include "tuner/evaluation/evaluation.hpp"
#include "tuner/evaluation/rerank.hpp"
#include "tuner/measurement/rank_agreement.hpp"
#include "tuner/session/store.hpp"
#include "tuner/session/stored_run.hpp"

namespace tune {

/// Limits of a session. Failures before a launch do not count, nor does timing the best known again.
struct Budget {
  std::optional<std::uint64_t> evaluations = std::nullopt;
  /// Of the whole call: what went before the session, references, the search and the re-ranking, for which
  /// the search leaves time.
  std::optional<double> seconds = std::nullopt;
  /// Ends the run when, ten evaluations in a row, the strategy expects the best remaining configuration to
  /// gain less than this share. Needs a strategy with an expected_gain.
  std::optional<double> gain = std::nullopt;
  double seconds_before = 0;  ///< that the call took before the session began
};

/// The progress of a session, and its result.
struct Progress {
  std::uint64_t evaluations = 0;  ///< counted against the budget, reused ones included
  std::uint64_t reused = 0;       ///< of these, answered from the database
  std::uint64_t measured = 0;     ///< of these, with a measurement
  std::uint64_t estimated = 0;    ///< of these, measured at a cheaper instance alone
  std::uint64_t planned = 0;      ///< evaluations at the end: the budget or the space
  std::uint64_t from_cache = 0;   ///< evaluations whose binary was found, not compiled
  std::uint64_t same_code = 0;    ///< evaluations that reused the measurement of the same machine code
  std::map<Phase, std::uint64_t> failures;
  std::map<Phase, std::uint64_t> cannot_run;  ///< of these, the failures before a launch
  /// Times of the database are multiplied by it: today's time of the best known configuration to the stored
  /// one. Nothing where nothing was timed again.
  std::optional<double> known_scale;
  std::optional<Evaluation> best;  ///< by the objective; the winner of the re-ranking, if there is one
  double seconds = 0;              ///< since the session began
  /// Of the whole call so far, where a budget limits it, and that budget; 0 without one.
  double seconds_of_call = 0, seconds_allowed = 0;
  PhaseTimes phases;          ///< summed over evaluations that were not reused
  double search_seconds = 0;  ///< spent in the strategy
  double store_seconds = 0;   ///< spent in the database
  double rerank_seconds = 0;  ///< spent in the re-ranking, at the end
};

/// Gets every evaluation as it is stored, and may stop the session.
class SessionObserver {
 public:
  virtual ~SessionObserver() = default;
  virtual void on_evaluation(const Evaluation& evaluation, const Progress& progress) = 0;
  /// Called when the evaluator begins something else, with the number of configurations that compile, or of
  /// the devices that do it where there are several.
  virtual void on_activity(Activity /*activity*/, std::size_t /*count*/) {}
  /// Hears of a device that takes no part any more, where several share the run: one line.
  virtual void on_news(const std::string& /*line*/) {}
  /// Called when the re-ranking begins, with its number of candidates.
  virtual void on_rerank(std::size_t /*finalists*/) {}
  /// Called after every evaluation and before every turn of the re-ranking, from the session's thread.
  virtual bool stop_requested() { return false; }
};

/// A member of a Pareto front.
struct FrontMember {
  Configuration configuration;
  FrontValues values = {};
};

struct SessionResult {
  RunId run = 0;
  RunEnd end = RunEnd::failed;
  Progress progress;
  RerankResult rerank;  ///< without places where there was none: interrupted, no device, or not asked for
  /// How far the cheaper instance and the instance itself agree on the order of what was measured at both.
  RankAgreement fidelity;
  /// By the objective, of the configuration that the run began with; nothing where it has no measurement.
  std::optional<double> default_value = std::nullopt;
  std::optional<double> median_value = std::nullopt;  ///< of all measured configurations
  std::vector<RankedConfiguration> top = {};          ///< the best ones by their evaluations, the best first
  /// Where the objective is a front: its members, by the first quantity; those that the re-ranking confirmed,
  /// if there was one.
  std::vector<FrontMember> front = {};
  std::vector<DeviceShare> devices = {};  ///< that share the run; empty for one
  std::string reason;                     ///< for RunEnd::failed: one sentence
  std::string notice;  ///< one line that the user should know about the checks (Evaluator::notice)
};

/// The loop of a tuning run: asks the strategy for configurations, takes evaluations from the database or the
/// evaluator, stores them and tells the strategy. The interfaces that it gets must outlive it.
///
/// It keeps as many configurations in flight as keep compilers and device busy, and tells outcomes in the
/// order in which the evaluator returns them. That is the order in which the strategy asked, unless a
/// configuration that compiles slowly is overtaken (DeviceEvaluatorOptions).
///
/// Before the first evaluation that the database does not answer, the best known configuration is timed
/// again, and values of the database are multiplied by the ratio: a device may be slower or faster than it
/// was.
class Session {
 public:
  /// `clock` returns seconds since any fixed point.
  Session(const search::SearchSpace& space, search::Strategy& strategy, Evaluator& evaluator, Store& store,
          std::function<double()> clock);

  /// Sets a configuration to evaluate before any that the strategy asks for, such as the problem's default: a
  /// run then never ends worse than that, and the gain over it is known.
  void begin_with(std::optional<search::ConfigurationId> first) { first_ = first; }

  /// Stores evaluations of a cheaper instance (Evaluation::low_fidelity); without it, they are not stored.
  void store_low_fidelity(std::function<void(const Evaluation&)> store) { store_low_ = std::move(store); }

  /// Evaluates, and unless `fresh` reuses stored evaluations: a run that is repeated with the same seed goes
  /// on where the first one stopped (nearly, where slow compiles were overtaken). A re-ranking follows when
  /// the budget or the space ends the run; it reuses the rounds of an earlier one with the same candidates.
  SessionResult run(const RunRecord& record, const Budget& budget, bool fresh, SessionObserver& observer,
                    const RerankOptions& rerank = {});

 private:
  struct State;
  std::size_t wanted_in_flight() const;
  double seconds_left(const State& state) const;
  double rerank_seconds(const State& state, const RerankOptions& options) const;
  double seconds_for_rerank(const State& state) const;
  void check_time(State& state, const RerankOptions& rerank) const;
  void note_time(State& state) const;
  void fill_queue(State& state);
  bool ask(State& state, std::size_t count);
  bool asks_ahead(const State& state) const;
  void ask_ahead(State& state);
  bool take_asked(State& state);
  bool enqueue_all(State& state, const std::vector<search::ConfigurationId>& ids);
  bool budget_left(const State& state) const;
  void enqueue(State& state, search::ConfigurationId id);
  std::pair<search::ConfigurationId, std::optional<Evaluation>> take(State& state);
  void one_evaluation(State& state);
  void end_as_failed(State& state);
  void store(State& state, const Evaluation& evaluation);
  void take_news(State& state);
  void count(State& state, const Evaluation& evaluation, double scale);
  void check_hopeless(State& state, const Evaluation& evaluation) const;
  void time_best_known_again(State& state);
  void check_gain(State& state) const;
  void load_known(State& state, const RunRecord& record);
  void finish(State& state, const RunRecord& record, const RerankOptions& options, bool fresh);
  RerankResult rerank_top_k(State& state, const RunRecord& record, std::span<const Evaluation> top_k,
                            const RerankOptions& options, bool fresh);

  const search::SearchSpace& space_;
  search::Strategy& strategy_;
  Evaluator& evaluator_;
  Store& store_;
  std::function<double()> clock_;
  std::optional<search::ConfigurationId> first_;
  std::function<void(const Evaluation&)> store_low_;
};

}  // namespace tune
