// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "db/store/database.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::cli {

/// The words of a command line as the program stores it: quoted where the shell needs it.
std::vector<std::string> words_of(const std::string& command_line);

/// The files that the stored runs of a problem named as its definition, the newest run's first, each once.
/// Empty for a problem of the program's own.
std::vector<std::string> named_definitions(const db::Database& database, const std::string& problem);

/// The problem that one of these files describes, if it is there and still has this name; else null, and
/// `failure_reason` is one line that says what to do.
std::shared_ptr<const Problem> defined_problem(const std::string& problem,
                                               const std::vector<std::string>& files,
                                               std::string& failure_reason);

}  // namespace tune::cli
