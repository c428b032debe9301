// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "tuner/evaluation/evaluation.hpp"

namespace tune {

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

}  // namespace tune
