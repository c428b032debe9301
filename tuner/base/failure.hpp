// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace tune {

/// The phases in which an evaluation can fail. The first three cost no launch and do not count against a
/// budget.
enum class Phase { constraint, compile, resources, launch, verify, timeout, crash };

/// Returns `constraint`, `compile`, ...: as stored and as shown.
std::string_view to_string(Phase phase);
/// Throws std::invalid_argument for an unknown name.
Phase phase_from_string(std::string_view name);
/// True for failures that are known before anything is launched.
constexpr bool before_launch(Phase phase) {
  return phase <= Phase::resources;
}

/// The reason why a configuration has no measurement: an expected outcome, stored like a measurement.
struct Failure {
  Phase phase = Phase::launch;
  /// Short, and the same for the same cause, so that failures can be counted by it (`shared memory`).
  std::string reason;
  std::string detail;  ///< the compiler's log, the worst element, demand and limit
};

/// The reason of a Failure{crash} where another program killed the process that ran a kernel.
constexpr std::string_view killed_from_outside = "killed";

template<class T>
using Result = tl::expected<T, Failure>;

inline tl::unexpected<Failure> fail(Phase phase, std::string reason, std::string detail = {}) {
  return tl::unexpected<Failure>(Failure{phase, std::move(reason), std::move(detail)});
}

}  // namespace tune
