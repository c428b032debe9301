// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/space/configuration.hpp"
#include "tuner/backends/kernel_resources.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/evaluation/objective.hpp"
#include "tuner/measurement/timing.hpp"

namespace tune {

using search::Configuration;

/// The seconds that each phase of an evaluation took on the host.
struct PhaseTimes {
  double compile = 0;
  double load = 0;
  double verify = 0;
  double measure = 0;
  double reference = 0;  ///< inputs and references: the first evaluation of a size computes them

  PhaseTimes& operator+=(const PhaseTimes& other);
};

/// Returns the middle value, or the mean of the two middle ones. Throws std::logic_error for no values.
double median(std::vector<double> values);

/// The times of a configuration whose results were right.
struct Measurement : Timing {
  double error = 0;      ///< largest |out - ref| over all elements
  double tolerance = 0;  ///< that `error` was compared with

  /// Returns the median of the samples, in seconds: configurations are ranked by it.
  double time() const;
};

/// The result of compiling, checking and measuring one configuration: a measurement or a failure; both are
/// stored.
struct Evaluation {
  Configuration configuration;
  Result<Measurement> outcome = fail(Phase::launch, "not evaluated");
  /// Those of the launch with the fewest resident threads; nothing where it did not compile.
  std::optional<KernelResources> resources;
  std::string binary_hash;
  PhaseTimes phases;
  bool reused = false;  ///< answered from the database, not evaluated again
  /// The outcome is that of another configuration with the same machine code and launches.
  bool same_code = false;
  bool from_cache = false;  ///< the binary was found in the cache
  /// Of a failure: how often it ended so, in this evaluation or, where it is known from the database, in all.
  int attempts = 1;
  /// Where a cheaper instance was evaluated before, or instead: that evaluation, which is stored as one of
  /// that instance.
  std::shared_ptr<const Evaluation> low_fidelity = nullptr;
  /// Which device evaluated it, where several share a run.
  std::size_t device = 0;
  /// It timed again what another device had measured, and replaces nothing.
  bool is_comparison = false;
  /// Instead: the seconds that are expected at the instance itself. `outcome` is then of the cheaper one.
  std::optional<double> estimate = std::nullopt;

  /// True where the instance itself was not evaluated: an estimate, or a failure at the cheaper one.
  bool ended_at_low_fidelity() const { return low_fidelity && (estimate || !low_fidelity->outcome); }
};

/// Returns nothing for a failure, and without samples; the time of an estimate.
std::optional<double> objective_value(const Evaluation& evaluation, const Objective& objective);
/// Likewise of both quantities of a front; nothing for an estimate.
std::optional<FrontValues> front_values(const Evaluation& evaluation, const Objective& objective);

/// A device that can time evaluated configurations again. Runs with such an evaluator begin with the best
/// known configuration, and end with a re-ranking.
class RerankDevice {
 public:
  virtual ~RerankDevice() = default;
  /// Announces the configurations that will be timed again, so that they can be prepared together.
  virtual void begin_rerank(std::span<const Configuration> top_k) = 0;
  /// Takes a few samples of announced candidate `index`. It is checked with other inputs before the first
  /// turn, and once more after the timed executions of every turn. A crash is returned where it came twice in
  /// a row. A candidate must not be timed again after a failure.
  virtual Result<Timing> time_candidate(std::size_t index) = 0;
};

/// The part that a device has in a run that several share.
struct DeviceShare {
  std::uint64_t evaluations = 0;
  /// The time of a common configuration there by that on the first device; nothing where it was not compared.
  std::optional<double> ratio;
  std::string left_out;  ///< why it takes no part any more; empty where it does
};

/// What happened to the devices that share a run.
struct DeviceNews {
  std::vector<std::string> lines;       ///< about those that take no part any more
  std::vector<Evaluation> comparisons;  ///< on other devices than the first
};

/// What an evaluator does right now.
enum class Activity { compiling, reference, checking, measuring };

/// Evaluates configurations, on a device or from a recording. It is a queue: later configurations are
/// compiled while earlier ones are on the device.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Puts a configuration at the end of the queue.
  virtual void submit(Configuration configuration) = 0;
  /// Takes the first configuration out of the queue, or a later one where the first would keep the device
  /// waiting, and evaluates it. Nothing where a recording lacks the first, and where it was stopped. Throws
  /// std::logic_error where the queue is empty.
  virtual std::optional<Evaluation> next() = 0;
  /// What is under way may end early. Each question is asked several times a second; empty: never.
  struct Stops {
    std::function<bool()> waiting = {};  ///< for a compile
    std::function<bool()> device = {};   ///< what the device does: its process is ended
  };
  virtual void stop_when(Stops stops) { stops_ = std::move(stops); }
  /// `ask` is called while `next` has waited for compiles for a while and compilers have nothing to do: it
  /// may submit more, and returns whether it did. Empty: nobody is asked.
  void when_starving(std::function<bool()> ask) { starving_ = std::move(ask); }
  /// `tell` is called by `next` whenever another activity begins, with the number of configurations of the
  /// queue that compile, or of the devices that do it where there are several. Empty: nobody is told.
  virtual void when_busy(std::function<void(Activity, std::size_t)> tell) { busy_ = std::move(tell); }
  /// Empties the queue.
  virtual void drop() = 0;
  /// Answers these from earlier runs of the cheaper instance, where there is one.
  virtual void know_low_fidelity(std::vector<Evaluation> /*evaluations*/) {}
  /// Returns the most configurations that the queue needs to keep the evaluator busy, whatever they take.
  virtual std::size_t window() const { return 1; }
  /// Returns how many keep it busy if the next ones take as long as those so far; nothing where that is not
  /// known.
  virtual std::optional<std::size_t> in_flight() const { return std::nullopt; }
  /// True where nothing else should compute on this machine while it evaluates.
  virtual bool needs_machine() const { return false; }
  /// Returns one line that the user should know about the checks so far; empty for none.
  virtual std::string notice() const { return {}; }
  /// Where several devices share the run, one each; else empty.
  virtual std::vector<DeviceShare> devices() const { return {}; }
  /// Takes what happened to them since the last call.
  virtual DeviceNews take_news() { return {}; }
  /// Null where there is no device to time on: a recording.
  virtual RerankDevice* rerank_device() { return nullptr; }

 protected:
  bool waits_no_longer() const { return stops_.waiting && stops_.waiting(); }
  bool device_is_stopped() const { return stops_.device && stops_.device(); }
  bool asked_for_more() const { return starving_ && starving_(); }
  void now(Activity activity, std::size_t compiling = 0) const {
    if (busy_) busy_(activity, compiling);
  }

  /// Seconds of waiting after which idle compilers get more to do: a device that waits makes guesses cheap.
  static constexpr double starving_after = 0.1;

 private:
  Stops stops_;
  std::function<bool()> starving_;
  std::function<void(Activity, std::size_t)> busy_;
};

/// Evaluates all configurations, in the order of the evaluator; `done` returns false to stop early.
void evaluate_all(Evaluator& evaluator, std::span<const Configuration> configurations,
                  const std::function<bool(const Evaluation&)>& done);

}  // namespace tune
