// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kernels/described/problem.hpp"
#include "search/space/search_space.hpp"

namespace tune::api {

/// The value of an argument that a call passes and that is no array: `value` or `bytes` of a definition.
using PassedValue = std::function<nlohmann::ordered_json(const described::Argument&)>;

/// Names of files with an array's contents before the launch, and after it.
std::string file_before(const described::Argument& array);
std::string file_after(const described::Argument& array);

/// A definition, and what lies beside it besides the arrays.
struct CapturedDefinition {
  nlohmann::ordered_json definition;
  std::vector<std::pair<std::filesystem::path, std::string>> files = {};  ///< names and contents
  /// Names, and files that are copied to them: of a program that judges.
  std::vector<std::pair<std::filesystem::path, std::filesystem::path>> copies = {};
  std::vector<std::string> left_out = {};  ///< a line for each part that is not carried over, with the cure
};

/// Writes the problem at this size as a definition, whose arrays are filled from files, and whose outputs are
/// compared with files, those of a call in `configuration`. Functions become tables over the space's
/// configurations. Throws UsageError for what a definition cannot express, and for functions over more than
/// 512 configurations.
CapturedDefinition captured_definition(const described::DescribedProblem& problem, const Instance& instance,
                                       const search::SearchSpace& space,
                                       const search::Configuration& configuration, const PassedValue& value);

}  // namespace tune::api
