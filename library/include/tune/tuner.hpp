// SPDX-License-Identifier: Apache-2.0
// Runs the tuner in this program: searches a problem's configurations, or evaluates one. See
// docs/reference/library.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tune/description.hpp>
#include <tune/problem.hpp>
#include <tune/search.hpp>
#include <vector>

namespace tune::api {

/// Why a configuration has no time.
struct Failure {
  std::string phase;   ///< `constraint`, `compile`, `resources`, `launch`, `verify`, `timeout`, `crash`
  std::string reason;  ///< short and equal for equal causes: `shared memory`
  std::string detail;  ///< the compiler's log, the worst element, ...
};

/// One configuration compiled, checked and measured.
struct Evaluation {
  Configuration configuration;
  std::optional<Failure> failure;  ///< empty: it ran with correct results
  double seconds = 0;              ///< per execution: median of the samples; 0: not measured
  double joules = 0;               ///< per execution; 0: not measured
  std::vector<double> samples;     ///< seconds per execution
  double error = 0;                ///< largest |out - ref|
  double tolerance = 0;            ///< of that error
  int registers = 0;               ///< per thread; 0: unknown
  double occupancy = 0;            ///< 0 to 1; 0: unknown
  /// Host seconds of each step; for a reused evaluation, those stored with it.
  double compile_seconds = 0, check_seconds = 0, measure_seconds = 0;
  bool reused = false;  ///< answered from the database
  /// `seconds` are extrapolated from fewer time steps, if other configurations were faster.
  bool estimated = false;

  bool right() const { return !failure; }
  bool measured() const { return !failure && !samples.empty(); }
};

/// The progress of a run.
struct Progress {
  std::uint64_t evaluations = 0;  ///< counted against the budget
  std::uint64_t planned = 0;      ///< expected evaluations at the end
  std::uint64_t measured = 0;     ///< evaluations so far with a time
  double seconds = 0;             ///< since the start
  std::optional<Evaluation> best;
};

/// Why a run ended: whole space evaluated, budget spent, expected gain too small, or `cancel`.
enum class End { exhausted, budget, little_to_gain, cancelled };

/// The result of a run.
struct Result {
  std::optional<Evaluation> best;  ///< empty on the emulator, and if no configuration is right
  /// Other configurations that are not slower than the best by 0.5 % with confidence.
  std::vector<Configuration> ties;
  std::uint64_t space_size = 0;                   ///< valid configurations
  std::uint64_t evaluations = 0;                  ///< counted against the budget, reused ones included
  std::uint64_t reused = 0;                       ///< of these, from the database
  std::uint64_t right = 0;                        ///< configurations that ran with right results
  std::map<std::string, std::uint64_t> failures;  ///< by phase
  std::vector<Evaluation> wrong;                  ///< the first hundred failed evaluations
  End end = End::exhausted;
  double seconds = 0;    ///< duration of the run
  double limit = 0;      ///< seconds: roofline time; 0: unknown
  std::int64_t run = 0;  ///< its number in the database; 0 on the emulator
};

/// The best stored configuration for a problem at a size, as `tune best` finds it.
struct Stored {
  Configuration configuration;  ///< valid at the size
  double seconds = 0;           ///< measured at `size` on `device`
  double joules = 0;            ///< per execution; 0: not measured
  /// How the record fits: `exact`, `nearest size`, `same architecture` or `portfolio`
  /// (docs/reference/lookup.md).
  std::string match;
  std::string why;           ///< one sentence
  std::string size, device;  ///< of the record
};

struct Options {
  /// The number of a GPU; `cpu` for commands and kernels of the processor; or `emulator`: kernels run on the
  /// CPU and are checked as by `tune check --device emulator`; nothing is measured or stored.
  std::string device = "0";
  std::string database = {};  ///< empty: where `tune` looks ($TUNE_DB, ...)
  /// As --strategy; empty: that of the problem's definition, else `auto`.
  std::string strategy = {};
  std::shared_ptr<const OwnStrategy> own_strategy = {};  ///< instead of `strategy`
  /// Without any budget: that of the definition, else 200; `grid`: the whole space.
  std::optional<std::uint64_t> evaluations = {};
  std::optional<double> seconds = {};
  std::optional<double> until_gain = {};   ///< a share, as --until-gain
  std::optional<std::uint64_t> seed = {};  ///< default: that of the definition, else 1
  /// As --objective: time, energy, edp, min:METRIC, max:METRIC or pareto:A,B; empty: that of the definition,
  /// else time.
  std::string objective = {};
  bool warm_caches = false;                   ///< measure with warm caches
  bool fresh = false;                         ///< evaluate known configurations again
  bool energy = false;                        ///< also measure energy with another objective
  bool reproducible = false;                  ///< as --reproducible
  bool transfer = true;                       ///< start from results of other sizes and devices
  std::optional<std::size_t> finalists = {};  ///< timed again in turns at the end; 0: none
  std::string where = {};                     ///< restricts the space: an expression
  double timeout = 10;                        ///< time limit of one execution [s]
  unsigned compilers = 0;                     ///< parallel compiles; 0: as many as cores and memory allow
  /// Launch in this process instead of a worker process of the program `tune` (docs/reference/library.md says
  /// how that is found). A fault of a kernel then takes this process's device.
  bool in_process = false;
  std::string installed = installed_in;  ///< where the program and the recordings are, if nowhere nearer
  std::function<void(const Evaluation&, const Progress&)> on_evaluation = {};
  std::function<void(const std::string&)> on_notice = {};  ///< gets notes for the user
};

/// Describes a problem without a device, with the limits of an sm_90. Throws Error for an invalid problem or
/// size, and if no configuration is valid.
TUNE_API Description describe(const Problem& problem, const Sizes& sizes = {});
/// Returns the names for Problem::built_in.
TUNE_API std::vector<std::string> built_in_problems();

/// Tunes problems on one device. Results are stored in the database, as those of the command are, so that
/// `tune best`, `tune report` and the lookup library find them. Not thread-safe but for `cancel`. A fork
/// makes another one, and leaves that of its parent alone.
class TUNE_API Tuner {
 public:
  /// Throws Error for invalid options. Devices and files are opened when they are needed first.
  explicit Tuner(Options options = {});
  Tuner(Tuner&&) noexcept;
  Tuner& operator=(Tuner&&) noexcept;
  ~Tuner();

  /// Replaces the options. Device and database stay open unless the new options name others. Throws Error
  /// for invalid options, and changes nothing then.
  void set(Options options);

  /// Searches the problem's configurations. `sizes` has the sizes and settings that are not at their
  /// defaults. Throws Error for an invalid problem or size, and if device or database cannot be used.
  Result run(const Problem& problem, const Sizes& sizes = {});
  /// Evaluates one configuration, or returns the database's evaluation of it (see Options::fresh). Parameters
  /// that it leaves out are at their defaults. One that is not valid fails with phase `constraint`. Throws as
  /// `run`, and for a parameter that does not exist.
  Evaluation evaluate(const Problem& problem, const Configuration& configuration, const Sizes& sizes = {});
  /// Returns the best that the database and the shipped recordings have for this device (`emulator`: any),
  /// Options::objective and the state of the caches; nothing if nothing fits. Measures nothing. Throws as
  /// `run`.
  std::optional<Stored> best(const Problem& problem, const Sizes& sizes = {});
  /// Describes a problem with the limits of this device (`emulator`: of an sm_90) and Options::where.
  /// Evaluates nothing. Throws as `run`.
  Description describe(const Problem& problem, const Sizes& sizes = {});
  /// Returns the number of valid configurations on this device; for `emulator` those of an sm_90.
  std::uint64_t space_size(const Problem& problem, const Sizes& sizes = {});
  /// Returns the default configuration, or the valid one nearest to it.
  Configuration default_configuration(const Problem& problem, const Sizes& sizes = {});

  /// Ends `run` after the evaluation in flight; may be called from any thread, a signal handler, or
  /// `on_evaluation`. Finished evaluations are stored.
  void cancel() noexcept;

  struct State;  // inside the library
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace tune::api
