// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/store/database.hpp"
#include "search/ask_tell/strategy.hpp"
#include "search/strategies/registry.hpp"
#include "tuner/backends/backend.hpp"
#include "tuner/problem/problem.hpp"
#include "tuner/session/session.hpp"
#include "tuner/session/store.hpp"

/// How a run is put together, for the command line and for programs that link the library: what is asked for
/// is settled, the run is opened on a device, and tuned. A recording takes the place of a device where the
/// caller fills the record (`describe_workload`) and brings an evaluator of its own.
namespace tune::run {

/// Evaluations of a run without a budget, unless its strategy visits the whole space.
inline constexpr std::uint64_t default_budget = 200;

/// A request for a run. A member without a value was not asked for.
struct TuningRequest {
  std::optional<search::StrategyChoice> strategy = std::nullopt;
  Budget budget = {};
  /// A budget as a share of the valid configurations, which only a description asks for.
  std::optional<double> share = std::nullopt;
  std::optional<std::uint64_t> seed = std::nullopt;
  std::string where = {};  ///< restriction of the space, as typed; stored with the run
  std::vector<std::pair<std::string, Value>> pinned = {};  ///< likewise
  std::optional<Objective> objective = std::nullopt;
  CacheState cache = CacheState::cold;
  MeasureOptions measure = {};  ///< `flush_cache` and `energy` follow from the cache state and the objective
  bool race = true;             ///< stop measuring what cannot become the fastest; by time only
  /// Configurations that are re-ranked at the end, 0 for none; default 12, or 5 by energy.
  std::optional<std::size_t> top_k = std::nullopt;
  double timeout = 10;  ///< seconds that one execution may take
  /// The order of evaluations depends on nothing but the seed and the results (DeviceEvaluatorOptions).
  bool reproducible = false;
  bool fresh = false;  ///< evaluate known configurations again
  /// Evaluate at a cheaper instance first, where the problem has one (Problem::low_fidelity); by time only.
  bool low_fidelity = true;
  /// Measure the energy also where the objective does without, if the device reports it; then nothing is
  /// stopped early.
  bool energy = false;
  bool transfer = true;  ///< start from results of other sizes, settings and devices
  /// Evaluate the default configuration before all others (of a restricted space the valid one nearest to
  /// it). The values of another tuner's recording have an order, but no default.
  bool default_first = true;
  unsigned compilers = 0;                ///< at the same time; 0: as many as cores and memory allow
  std::string command_line = {};         ///< stored with the run
  std::filesystem::path installed = {};  ///< see shipped_recordings
};

/// Reads a strategy as search::choose_strategy does. Throws UsageError.
search::StrategyChoice strategy_named(std::string_view text);

/// The objective that the problem's description names, if it has one (the problem may be null); else the
/// time.
Objective default_objective(const Problem* problem);

/// Decides what the request leaves open: by the problem's description, if it has one (the problem may be
/// null), else by the defaults of the program. A share is turned into evaluations where the space is known
/// (`budget_in`). Throws UsageError for a budget by expected gain whose strategy does not estimate it, and
/// for a strategy of the description that does not exist.
void settle(TuningRequest& request, const Problem* problem);

/// Returns the budget of a settled request, with its share as evaluations.
Budget budget_in(const search::SearchSpace& space, const TuningRequest& request);

/// How the request is stored with a run.
RunOptions run_options(const TuningRequest& request);

/// Fills in the workload of a record: instance, device, cache state, cost, roofline limit, and the version of
/// this program. Toolchain and origin are left to the caller.
void describe_workload(RunRecord& record, const Problem& problem, const Instance& instance,
                       const DeviceProperties& device, CacheState cache);

/// The same of a backend, with its toolchain. The compiler is that of the space's default configuration,
/// which is compiled where only that tells which compiler it is.
void describe_workload(RunRecord& record, const Problem& problem, const Instance& instance,
                       const search::SearchSpace& space, const Backend& backend, const KernelSources& sources,
                       CacheState cache);

/// A device of a run, and its number in messages.
struct OpenDevice {
  Backend& backend;
  int number = 0;
};

/// Describes the run in the record and returns what evaluates its configurations; problem, backends and
/// sources must outlive that. Several devices share the search: they are of one model and driver, and the
/// first one's compiler compiles. Throws UsageError where the buffers of the space's default configuration
/// need more than the device's memory, before minutes are spent on inputs and reference, and where the
/// objective needs energy, which the device does not report, and for several devices that must be
/// reproducible.
std::unique_ptr<Evaluator> open_run(RunRecord& record, const Problem& problem, const Instance& instance,
                                    const search::SearchSpace& space, const std::vector<OpenDevice>& devices,
                                    const KernelSources& sources, const TuningRequest& request);

/// The same of a problem whose evaluation is a command on this machine (HasCommand). `build_timeout`: seconds
/// that a build may take. Throws UsageError where the objective needs energy.
std::unique_ptr<Evaluator> open_command_run(RunRecord& record, const Problem& problem,
                                            const Instance& instance, const search::SearchSpace& space,
                                            const KernelSources& sources, const TuningRequest& request,
                                            double build_timeout);

/// Searches the space as a settled request says, completes the record, and stores everything in the database.
/// `tell` hears what the user should know before the first evaluation, a line at a time; it may be empty.
SessionResult tune(db::Database& database, const search::SearchSpace& space, Evaluator& evaluator,
                   RunRecord& record, const TuningRequest& request, SessionObserver& observer,
                   const std::function<void(const std::string&)>& tell);

/// Records that a search starts from.
struct RelatedRecords {
  std::vector<search::RelatedRecord> records;  ///< the most alike first
  std::string notice;                          ///< one line that names them; empty where there are none
};

/// Results of other workloads of the same problem, from the user's database and the shipped recordings. A
/// replayed run does not get those of its own recording.
RelatedRecords related_records(const db::Database& database, const WorkloadKey& key,
                               const search::SearchSpace& space, const std::filesystem::path& installed = {});

}  // namespace tune::run
