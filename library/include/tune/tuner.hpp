// SPDX-License-Identifier: Apache-2.0
// Runs the tuner in this program: searches a problem's configurations, or evaluates one. See docs/library.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tune/problem.hpp>
#include <vector>

namespace tune::api {

/// Why a configuration gave no time.
struct Failure {
  std::string phase;   ///< `constraint`, `compile`, `resources`, `launch`, `verify`, `timeout`, `crash`
  std::string reason;  ///< short and the same for the same cause: `shared memory`
  std::string detail;  ///< everything known: the compiler's log, the worst element
};

/// One configuration compiled, checked and measured.
struct Evaluation {
  Configuration configuration;
  std::optional<Failure> failure;  ///< nothing: it runs, and its results are right
  double seconds = 0;              ///< an execution: the median of the samples; 0 where nothing was measured
  double joules = 0;               ///< an execution; 0 where not measured
  std::vector<double> samples;     ///< seconds an execution
  double error = 0;                ///< largest |out - ref|
  double tolerance = 0;            ///< that it was held against
  int registers = 0;               ///< a thread; 0 where unknown
  double occupancy = 0;            ///< 0 to 1; 0 where unknown
  bool reused = false;             ///< answered from the database

  bool right() const { return !failure; }
  bool measured() const { return !failure && !samples.empty(); }
};

/// Where a run stands.
struct Progress {
  std::uint64_t evaluations = 0;  ///< that count against the budget
  std::uint64_t planned = 0;      ///< evaluations at the end, as far as known
  std::uint64_t measured = 0;     ///< of those so far, with a time
  double seconds = 0;             ///< since the start
  std::optional<Evaluation> best;
};

enum class Objective { time, energy, edp };

/// Why a run ended: the whole space is known, the budget is spent, little was left to gain, somebody
/// cancelled.
enum class End { exhausted, budget, little_to_gain, cancelled };

/// What a run gave.
struct Result {
  std::optional<Evaluation>
      best;  ///< nothing where nothing was measured: on the emulator, or nothing is right
  std::vector<Configuration> ties;  ///< not slower than the best by 0.5 % with confidence; without it
  std::uint64_t space_size = 0;     ///< valid configurations
  std::uint64_t evaluations = 0;    ///< that count against the budget, reused ones included
  std::uint64_t reused = 0;         ///< of these, from the database
  std::uint64_t right = 0;          ///< configurations that run and are right
  std::map<std::string, std::uint64_t> failures;  ///< by phase
  std::vector<Evaluation> wrong;                  ///< the first hundred of those that failed
  End end = End::exhausted;
  double seconds = 0;    ///< that it took
  double limit = 0;      ///< seconds: what the device's bandwidth and peak allow; 0 where unknown
  std::int64_t run = 0;  ///< its number in the database; 0 on the emulator
};

struct Options {
  /// Number of a GPU, or `emulator`: kernels run on the CPU, are checked as `tune check --device emulator`
  /// does it, and nothing is measured or stored.
  std::string device = "0";
  std::string database = {};                      ///< empty: where `tune` looks ($TUNE_DB, ...)
  std::string strategy = "auto";                  ///< as --strategy
  std::optional<std::uint64_t> evaluations = {};  ///< without any budget: 200; `grid`: the whole space
  std::optional<double> seconds = {};
  std::optional<double> until_gain = {};  ///< a share, as --until-gain
  std::uint64_t seed = 1;
  Objective objective = Objective::time;
  bool warm_caches = false;                   ///< measure with caches as the execution before left them
  bool fresh = false;                         ///< evaluate again what the database already knows
  bool transfer = true;                       ///< start from what is known of other sizes and devices
  std::optional<std::size_t> finalists = {};  ///< timed again in turns at the end; 0: none
  std::string where = {};                     ///< restricts the space: an expression
  double timeout = 10;                        ///< seconds that a kernel may take to run once
  /// Launch in this process instead of a worker process of the program `tune`, which is found in
  /// $TUNE_WORKER, beside this program, or installed with the library. A fault of a kernel then takes this
  /// process's device.
  bool in_process = false;
  std::function<void(const Evaluation&, const Progress&)> on_evaluation = {};
  std::function<void(const std::string&)> on_notice = {};  ///< a line that a person should know
};

/// Tunes problems on one device. What it measures is stored in the database, as the command does it, so that
/// `tune best`, `tune report` and the lookup library find it. Not thread-safe but for `cancel`.
class TUNE_API Tuner {
 public:
  /// Throws Error for options that cannot be. Devices and files are only opened when they are needed.
  explicit Tuner(Options options = {});
  Tuner(Tuner&&) noexcept;
  Tuner& operator=(Tuner&&) noexcept;
  ~Tuner();

  /// Searches. `sizes`: sizes and settings that are not at their default.
  Result run(const Problem& problem, const Sizes& sizes = {});
  /// Evaluates one configuration, or tells what the database knows of it (see Options::fresh). What a
  /// configuration leaves out is at its default. One that is not valid fails with phase `constraint`.
  Evaluation evaluate(const Problem& problem, const Configuration& configuration, const Sizes& sizes = {});
  /// The number of valid configurations on this device; of `emulator` those of an sm_90.
  std::uint64_t space_size(const Problem& problem, const Sizes& sizes = {});
  /// The default configuration, or the valid one that is nearest to it.
  Configuration default_configuration(const Problem& problem, const Sizes& sizes = {});

  /// Ends `run` after the evaluation in flight; to be called from any thread, a signal handler, or
  /// `on_evaluation`. What was evaluated is stored.
  void cancel() noexcept;

  struct State;  // inside the library
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace tune::api
