// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/space/configuration.hpp"
#include "tuner/backends/kernel_resources.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/measurement/timing.hpp"

namespace tune {

using search::Configuration;

/// Seconds that each phase of an evaluation took on the host.
struct PhaseTimes {
  double compile = 0;
  double load = 0;
  double verify = 0;
  double measure = 0;
  double reference = 0;  ///< inputs and references: the first evaluation of a size computes them
};

/// The middle value, or the mean of the two middle ones. Throws std::logic_error for none.
double median(std::vector<double> values);

/// What a configuration reached: times of a kernel whose results were right.
struct Measurement : Timing {
  double error = 0;      ///< largest |out - ref| over all elements
  double tolerance = 0;  ///< that it was held against

  /// The figure that configurations are ranked by: the median of the samples, in seconds.
  double time() const;
};

/// One configuration compiled, checked and measured: ends in a measurement or in a failure, and both are
/// stored.
struct Evaluation {
  Configuration configuration;
  Result<Measurement> outcome = fail(Phase::launch, "not evaluated");
  /// Of the launch that takes most; nothing where it did not compile.
  std::optional<KernelResources> resources;
  std::string binary_hash;
  PhaseTimes phases;
  bool reused = false;      ///< answered from the database, not evaluated again
  bool same_code = false;   ///< outcome of another configuration with the same machine code and launches
  bool from_cache = false;  ///< the binary was not compiled but found in the cache
};

/// What is to be smallest: seconds, joules, or their product (the energy-delay product), an execution.
enum class Objective { time, energy, edp };
/// `time`, `energy`, `edp`: as stored and as typed.
std::string_view to_string(Objective objective);
/// Throws std::invalid_argument for an unknown name.
Objective objective_from_string(std::string_view name);
/// `s`, `J` or `Js`.
std::string_view unit_of(Objective objective);

/// Nothing where the objective takes the energy and it is not known (0).
std::optional<double> objective_value(double seconds, double joules, Objective objective);
/// The same of a measurement; nothing without samples too.
std::optional<double> objective_value(const Measurement& measurement, Objective objective);
/// Nothing for a failure.
std::optional<double> objective_value(const Evaluation& evaluation, Objective objective);

/// A device that can time what was evaluated once more. Only an evaluator that has one takes part in
/// re-ranking.
class RerankDevice {
 public:
  virtual ~RerankDevice() = default;
  /// Announces configurations that will be timed again, so that they can be made ready together.
  virtual void begin_rerank(std::span<const Configuration> top_k) = 0;
  /// One turn of the candidate at that place of those announced: a few samples. Before its first turn it is
  /// checked more thoroughly than before; it must not be asked for again after a failure.
  virtual Result<Timing> time_candidate(std::size_t index) = 0;
  /// Hears of an evaluation of the same work that is known from elsewhere: what has to be beaten, for one.
  virtual void learn(const Evaluation& evaluation) = 0;
};

/// Answers configurations with evaluations: by a device, or from a recording. A queue: what is submitted
/// early is worked ahead on (compiled, say) while what was submitted before it is on the device.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Puts a configuration at the end of the queue.
  virtual void submit(Configuration configuration) = 0;
  /// Evaluates the first of the queue, or one behind it where the first would keep the device waiting, takes
  /// it out and waits for it. Nothing where it is unknown what would come out of the first: a recording may
  /// lack a configuration. Throws std::logic_error where the queue is empty.
  virtual std::optional<Evaluation> next() = 0;
  /// Empties the queue: what was not evaluated is never heard of again.
  virtual void drop() = 0;
  /// How long a queue keeps it busy.
  virtual std::size_t window() const { return 1; }
  /// Null where there is no device to time with: a recording.
  virtual RerankDevice* rerank_device() { return nullptr; }
};

/// Evaluates all of them, in the order of the evaluator, as fast as it can; `done` returns false to stop
/// early.
void evaluate_all(Evaluator& evaluator, std::span<const Configuration> configurations,
                  const std::function<bool(const Evaluation&)>& done);

}  // namespace tune
