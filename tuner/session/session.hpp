// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "search/ask_tell/strategy.hpp"
#include "search/space/search_space.hpp"
#include "tuner/evaluation/evaluation.hpp"
#include "tuner/evaluation/rerank.hpp"
#include "tuner/session/store.hpp"

namespace tune {

/// When a session ends at the latest. Failures before a launch do not count.
struct Budget {
  std::optional<std::uint64_t> evaluations = std::nullopt;
  std::optional<double> seconds = std::nullopt;
  /// Ends a run when the strategy, ten evaluations in a row, expects less than this share of the best from
  /// the most promising configuration left. Needs a strategy with an expected_gain.
  std::optional<double> gain = std::nullopt;
};

/// Where a session stands; the same struct is its result.
struct Progress {
  std::uint64_t evaluations = 0;  ///< that count against the budget, reused ones included
  std::uint64_t reused = 0;       ///< of these, answered from the database
  std::uint64_t measured = 0;     ///< of these, with a measurement
  std::uint64_t planned = 0;      ///< evaluations at the end, as far as known: the budget or the space
  std::uint64_t from_cache = 0;   ///< evaluations whose binary was found, not compiled
  std::uint64_t same_code = 0;    ///< not measured: the same machine code was before
  std::map<Phase, std::uint64_t> failures;
  std::optional<Evaluation> best;  ///< by the objective; after finals their winner
  double seconds = 0;              ///< since the start
  PhaseTimes phases;               ///< summed over what was not reused
  double search_seconds = 0;       ///< spent in the strategy
  double store_seconds = 0;        ///< spent in the database
  double rerank_seconds = 0;       ///< spent in the finals, after all else
};

/// Sees every evaluation as it is stored, and may ask to stop.
class SessionObserver {
 public:
  virtual ~SessionObserver() = default;
  virtual void on_evaluation(const Evaluation& evaluation, const Progress& progress) = 0;
  /// The finals begin with so many configurations; nothing more is evaluated.
  virtual void on_rerank(std::size_t /*finalists*/) {}
  /// Asked after every evaluation and before every turn of the finals, from the session's thread.
  virtual bool stop_requested() { return false; }
};

struct SessionResult {
  RunId run = 0;
  RunEnd end = RunEnd::failed;
  Progress progress;
  RerankResult rerank;  ///< without places where none were held: interrupted, no device, or none wanted
  std::string reason;   ///< for RunEnd::failed: what went wrong, one sentence
};

/// The loop of a tuning run: asks the strategy, answers from the database or evaluates, stores, tells. All
/// else is behind the interfaces it is given, which must outlive it.
///
/// It keeps as many configurations on their way as the evaluator's window takes, so that neither compiler nor
/// device waits, and tells each outcome in the order in which it asked: what the strategy sees depends on the
/// seed and the outcomes, never on how long anything took.
class Session {
 public:
  /// `clock` gives seconds from any fixed point.
  Session(const search::SearchSpace& space, search::Strategy& strategy, Evaluator& evaluator, Store& store,
          std::function<double()> clock);

  /// A configuration to be evaluated before any that the strategy asks for: that a problem declares as its
  /// default, say, so that a run never ends worse than that, and the gain over it is known.
  void begin_with(std::optional<search::ConfigurationId> first) { first_ = first; }

  /// Configurations whose evaluations are already known are not evaluated again, unless `fresh`. A run that
  /// is repeated with the same seed therefore goes on where the first one stopped (nearly, where slow
  /// compiles were overtaken: results then come in another order). Finals follow when the budget or the space
  /// ends the run; those of an earlier run serve where they had the same finalists.
  SessionResult run(const RunRecord& record, const Budget& budget, bool fresh, SessionObserver& observer,
                    const RerankOptions& rerank = {});

 private:
  struct State;
  void fill_queue(State& state);
  void enqueue(State& state, search::ConfigurationId id);
  std::pair<search::ConfigurationId, std::optional<Evaluation>> take(State& state);
  void one_evaluation(State& state);
  void end_as_failed(RunId run);
  void count(State& state, const Evaluation& evaluation);
  void check_hopeless(State& state) const;
  void check_gain(State& state) const;
  void load_known(State& state, const WorkloadKey& key);
  void finish(State& state, const RunRecord& record, const RerankOptions& options, bool fresh);
  RerankResult rerank_top_k(State& state, const RunRecord& record, const RerankOptions& options, bool fresh);

  const search::SearchSpace& space_;
  search::Strategy& strategy_;
  Evaluator& evaluator_;
  Store& store_;
  std::function<double()> clock_;
  std::optional<search::ConfigurationId> first_;
};

}  // namespace tune
