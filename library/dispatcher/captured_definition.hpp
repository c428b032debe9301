// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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

/// The bytes that an array takes at this size.
std::size_t bytes_of(const described::Argument& array, const described::DescribedProblem& problem,
                     const Instance& instance);

/// Writes the problem at this size as a definition, whose arrays are filled from files, and whose outputs are
/// compared with files. Functions become tables over the space's configurations. Throws UsageError for what a
/// definition cannot express, and for functions over more than 512 configurations.
nlohmann::ordered_json captured_definition(const described::DescribedProblem& problem,
                                           const Instance& instance, const search::SearchSpace& space,
                                           const PassedValue& value);

/// Returns the kernel's files, by the names that the definition gives them.
std::vector<std::pair<std::filesystem::path, std::string>> captured_files(
    const described::DescribedProblem& problem);

}  // namespace tune::api
