// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Statement.h>

#include "tuner/evaluation/evaluation.hpp"

/// Evaluations as rows of `evaluations`: for the .cpp files of this folder only.
namespace tune::db {

/// With a parameter for each column; `:run`, `:work` and `:recorded` are the caller's to bind.
extern const char* const insert_evaluation_sql;
/// Binds all else. Throws Error for a measurement without samples.
void bind_evaluation(SQLite::Statement& insert, const Evaluation& evaluation);

/// The reverse, without samples; `reused` is set.
Evaluation read_evaluation(SQLite::Statement& row);

}  // namespace tune::db
