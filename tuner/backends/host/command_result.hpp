// SPDX-License-Identifier: Apache-2.0
// Numbers and texts in what a command writes.
#pragma once

#include <string>

#include "tuner/base/failure.hpp"
#include "tuner/base/program.hpp"
#include "tuner/plan/command_plan.hpp"

namespace tune::host {

/// Returns why this is not a regular expression (POSIX, extended, with \d, \s and \w); empty where it is one.
std::string pattern_mistake(const std::string& pattern);
/// Likewise of a path in a JSON text.
std::string path_mistake(const std::string& path);

/// Returns a number of an execution that has ended. Failure{launch} where its output has none, or two.
Result<double> read_result(const ResultSource& source, const ProgramResult& ended);

/// Compares word by word: numbers with the tolerance, other words exactly. Failure{verify}. Returns the
/// largest difference of two numbers.
Result<double> compare_texts(const std::string& text, const std::string& right,
                             const ExpectedOutput& expected);

}  // namespace tune::host
