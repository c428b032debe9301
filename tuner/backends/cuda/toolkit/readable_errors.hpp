// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tuner/plan/launch_plan.hpp"

namespace tune::cuda {

/// Returns the first errors of a compiler's log, the first three with the line of the user's file, each
/// message once, and the number of the others. Warnings, and lines that nvcc has changed before it shows
/// them, are left out: the same error of several configurations has the same text. A log in which no error is
/// recognised is returned as it is.
std::string readable_errors(std::string_view log, const CompileRequest& request);

}  // namespace tune::cuda
