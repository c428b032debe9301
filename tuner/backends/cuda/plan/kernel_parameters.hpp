// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/backends/binary.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::cuda {

/// Reads the bytes of each parameter of a kernel from a cubin, by the kernel's lowered name. The runtime does
/// not report the number of parameters: asking beyond the last is an error, which tools that watch the API
/// report. The format (records in the ELF section `.nv.info.<kernel>`) is not documented, but the same from
/// sm_75 to sm_120. Nothing where any detail of it is unknown.
std::optional<std::vector<std::size_t>> parameter_sizes(std::span<const std::byte> cubin,
                                                        std::string_view symbol);

/// Returns how the launch's arguments differ from the parameters of its kernel in number or bytes, as the
/// cubin has them; empty where they fit, and where the cubin does not tell. With a wrong list of arguments
/// the kernel would read garbage, or the runtime beyond the list.
std::string unfit_arguments(const Launch& launch, const Binary& binary);

/// Returns the names in the cubin of the variables that the plan fills, by their names in the plan. Those
/// that no kernel uses may be left out of it.
std::map<std::string, std::string> variables_of(const LaunchPlan& plan, const Binary& binary);

/// Returns how the plan does not fit the binary: arguments, or contents that are larger than their variable;
/// empty where it does.
std::string unfit_plan(const LaunchPlan& plan, const Binary& binary);
/// The part of it that variables have.
std::string unfit_variables(const LaunchPlan& plan, const Binary& binary);

}  // namespace tune::cuda
