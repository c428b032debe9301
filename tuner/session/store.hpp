// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/device/device_properties.hpp"
#include "tuner/evaluation/rerank.hpp"
#include "tuner/problem/instance.hpp"

namespace tune {

/// Where a result comes from; results of different origin are never mixed. Another program measured imported
/// ones.
enum class Origin { measured, replayed, imported };
std::string_view to_string(Origin origin);
/// Throws std::invalid_argument for an unknown name.
Origin origin_from_string(std::string_view name);
/// Returns the mark behind a device in lists: nothing for measured results, else ` (replayed)` or `
/// (imported)`.
std::string origin_mark(Origin origin);

/// The compiler and sources of the binaries.
struct Toolchain {
  std::string compiler;     ///< `NVRTC 13.0 sm_90`
  std::string source_hash;  ///< of all kernel sources of the problem and its revision
};

/// Evaluations of one configuration under equal keys are interchangeable.
struct WorkloadKey {
  Instance instance;
  DeviceProperties device;
  Toolchain toolchain;
  Origin origin = Origin::measured;
  CacheState cache = CacheState::cold;
};

/// The options of a run, as the user gave them.
struct RunOptions {
  std::string strategy;
  Objective objective = Objective::time;
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> budget_evaluations;
  std::optional<double> budget_seconds;
  std::optional<double> until_gain;  ///< a share, see Budget::gain
  std::string where;                 ///< restriction of the space, as the user wrote it
  std::vector<std::pair<std::string, Value>> pinned;
  std::string command_line;  ///< repeats the run
  double timeout = 10;       ///< seconds that one execution may take
  /// Whether the energy is measured beside another objective, too; not stored.
  bool energy = false;
};

/// A device beyond the first that shares a run.
struct RunDevice {
  DeviceProperties properties;
  MachineState machine;
};

/// One call of the tuner.
struct RunRecord {
  WorkloadKey key;
  RunOptions options;
  MachineState machine;
  std::vector<RunDevice> other_devices = {};  ///< that share it, of the same model and driver
  std::string program_version;                ///< version and revision
  std::uint64_t space_size = 0;               ///< valid configurations
  double limit = 0;                           ///< seconds: the roofline limit at the run's start
  std::string limit_by;                       ///< host_bound of the problem; not stored
  double items = 0, flops = 0, bytes = 0;     ///< of the problem at this size
  std::string item;                           ///< `cell update`
  /// Seconds that no configuration with a value of the first parameter can beat, by the value's index; 0
  /// where nothing is known. Not stored.
  std::vector<double> variant_bounds = {};
  /// The record of the run at a cheaper instance, where some configurations are evaluated there first.
  std::shared_ptr<RunRecord> low_fidelity = nullptr;
};

using RunId = std::int64_t;

/// The reason why a run ended.
enum class RunEnd { exhausted, budget, interrupted, stopped, failed };
std::string_view to_string(RunEnd end);

/// Stores evaluations. Every `record` is durable when it returns: a killed program loses at most the
/// evaluation in flight. Throws Error for a broken database.
class Store {
 public:
  virtual ~Store() = default;
  virtual RunId begin_run(const RunRecord& run) = 0;
  void record(RunId run, const Evaluation& evaluation) { record(run, evaluation, run); }
  /// The same of an evaluation that another run made, with the same key but for the device: both have it.
  virtual void record(RunId run, const Evaluation& evaluation, RunId maker) = 0;
  /// Stores the places of the run's re-ranking. Each configuration must have an evaluation under the run's
  /// key.
  virtual void record_rerank(RunId run, const RerankResult& rerank) = 0;
  virtual void end_run(RunId run, RunEnd end) = 0;
  /// Returns the newest evaluation of every configuration under the key: with equal device model, driver,
  /// compiler, source, origin and cache state. Failures that may not come again (is_accident) are newest only
  /// where there is nothing else. `attempts` counts all that ended in the same failure.
  virtual std::vector<Evaluation> known(const WorkloadKey& key) = 0;
  /// Returns the newest re-ranking under the key and objective, without failures and without places whose
  /// configuration was evaluated again since. Empty places where there is none.
  virtual RerankResult known_rerank(const WorkloadKey& key, const Objective& objective) = 0;
};

/// The store's evaluations under the key that answer a question about the objective, marked as reused. A
/// measurement without energy does not answer one about energy. A failure does not answer where it may not
/// come again (is_answer); `timeout`: the seconds that one execution may take now. `energy`: a measurement
/// without energy answers nothing.
std::vector<Evaluation> known_answers(Store& store, const WorkloadKey& key, const Objective& objective,
                                      double timeout, bool energy = false);

/// Stores nothing: for runs whose results are not those of a device.
class NoStore : public Store {
 public:
  RunId begin_run(const RunRecord&) override { return 0; }
  using Store::record;
  void record(RunId, const Evaluation&, RunId) override {}
  void record_rerank(RunId, const RerankResult&) override {}
  void end_run(RunId, RunEnd) override {}
  std::vector<Evaluation> known(const WorkloadKey&) override { return {}; }
  RerankResult known_rerank(const WorkloadKey&, const Objective&) override { return {}; }
};

}  // namespace tune
