// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace tune {

/// The phases in which an evaluation can fail. The first three cost no launch and do not count against a
/// budget (see before_launch).
enum class Phase { constraint, compile, resources, launch, verify, timeout, crash };

/// Returns `constraint`, `compile`, ...: as stored and as shown.
std::string_view to_string(Phase phase);
/// Throws std::invalid_argument for an unknown name.
Phase phase_from_string(std::string_view name);
/// The reason why a configuration has no measurement: an expected outcome, stored like a measurement.
struct Failure {
  Phase phase = Phase::launch;
  /// Short, and the same for the same cause, so that failures can be counted by it (`shared memory`).
  std::string reason;
  std::string detail;  ///< the compiler's log, the worst element, demand and limit
  /// Of a Failure{timeout}: the seconds that were allowed; 0 where not known.
  double time_limit = 0;
};

/// The reason of a Failure{crash} where another program killed the process that ran a kernel.
constexpr std::string_view killed_from_outside = "killed";
/// The reason of a Failure{crash} where this program ended that process, because the run ends. It says
/// nothing about the configuration.
constexpr std::string_view run_ended = "the run ended";
/// The reason of a Failure{crash} of what a device evaluated when it was lost.
constexpr std::string_view lost_device = "lost device";
/// The reason of a Failure{timeout} of a compiler.
constexpr std::string_view slow_compiler = "compiler";
/// The reason of a Failure{compile} where the source gives a macro of the request another value.
constexpr std::string_view redefined_macro = "redefined macro";

/// The reason of a Failure{launch} of a re-ranking by energy: the execution ran, its energy was not read.
constexpr std::string_view energy_not_read = "energy";

/// Whether the same configuration fails in the same way when it is evaluated again, with the same sources,
/// compiler, driver and device model.
enum class Recurrence {
  certain,  ///< a wrong source, a limit of the device, a wrong result, a timeout under the same limit
  likely,   ///< a crash, a compiler that takes too long
  unknown   ///< memory that was taken by others or is damaged, a library, file or driver that is missing, a
            ///< process that was killed, an energy that was not read
};
Recurrence recurrence_of(const Failure& failure);

/// True where a failure that `times` evaluations had (at least one) answers a question about the same
/// configuration: it is certain, or likely and came twice. A timeout answers only for limits up to its own.
/// `timeout`: the seconds that are allowed now.
bool is_answer(const Failure& failure, int times, double timeout);

/// True for a failure that may be the fault of something else: it never replaces a measurement or another
/// failure of the configuration. `attempts` of one evaluation ended in it.
bool is_accident(const Failure& failure, int attempts);

/// True where a configuration demands more than the device has: it cannot run there, which says nothing about
/// its results.
bool is_beyond_device(const Failure& failure);

/// True for failures that are known before anything is launched, slow compilers included.
bool before_launch(const Failure& failure);

template<class T>
using Result = tl::expected<T, Failure>;

inline tl::unexpected<Failure> fail(Phase phase, std::string reason, std::string detail = {}) {
  return tl::unexpected<Failure>(Failure{phase, std::move(reason), std::move(detail)});
}

}  // namespace tune
