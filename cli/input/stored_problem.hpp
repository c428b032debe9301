// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/read/queries.hpp"
#include "db/store/database.hpp"
#include "search/space/configuration.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::cli {

/// A problem that only databases know: it was defined in a program (docs/library.md). It has the sizes and
/// settings under which results are stored, by default those of the newest run; its parameters become macros.
/// It cannot be run, and what is valid at another size only that program knows. Null where no database has
/// it.
std::unique_ptr<Problem> stored_problem(const std::vector<const db::Database*>& databases,
                                        const std::string& name);

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

/// The configuration that the problem of stored results declares as its default, where the problem is known
/// and the configuration valid.
std::optional<search::Configuration> stored_default(const db::Workload& workload);

}  // namespace tune::cli
