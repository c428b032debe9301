// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
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

}  // namespace tune
