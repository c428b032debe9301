// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "db/store/database.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::cli {

/// A problem that only databases know: it was defined in a program (docs/library.md). It has the sizes and
/// settings under which results are stored, by default those of the newest run; its parameters become macros.
/// It cannot be run, and what is valid at another size only that program knows. Null where no database has
/// it.
std::unique_ptr<Problem> stored_problem(const std::vector<const db::Database*>& databases,
                                        const std::string& name);

}  // namespace tune::cli
