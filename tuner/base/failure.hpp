// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace tune {

/// Where an evaluation can end. The first three cost no launch and do not count against a budget.
enum class Phase { constraint, compile, resources, launch, verify, timeout, crash };

/// `constraint`, `compile`, ...: as stored and as shown.
std::string_view to_string(Phase phase);
/// Throws std::invalid_argument for an unknown name.
Phase phase_from_string(std::string_view name);
/// True for failures that are known before anything is launched.
constexpr bool before_launch(Phase phase) {
  return phase <= Phase::resources;
}

/// Why a configuration gave no measurement: an expected outcome, stored like one.
struct Failure {
  Phase phase = Phase::launch;
  /// Short and the same for the same cause: groups failures (`shared memory`, `spills`, ...).
  std::string reason;
  std::string detail;  ///< everything known: the compiler's log, the worst element, the limits and the demand
};

/// The reason of a Failure{crash} where somebody else ended the process that ran a kernel.
constexpr std::string_view killed_from_outside = "killed";

template<class T>
using Result = tl::expected<T, Failure>;

inline tl::unexpected<Failure> fail(Phase phase, std::string reason, std::string detail = {}) {
  return tl::unexpected<Failure>(Failure{phase, std::move(reason), std::move(detail)});
}

}  // namespace tune
