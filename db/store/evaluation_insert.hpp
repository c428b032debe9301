// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/session/store.hpp"

/// For the .cpp files of db alone. All throw SQLite::Exception.
namespace tune::db {

/// The run that made an evaluation, and its workload.
struct EvaluationOwner {
  RunId run = 0;
  std::int64_t workload = 0;
};

/// Inserts evaluations with their samples, by statements that are prepared once.
class EvaluationInsert {
 public:
  explicit EvaluationInsert(SQLite::Database& connection);

  /// Returns the new row's number. `recorded`: the time of day. Throws Error for a measurement without
  /// samples.
  std::int64_t operator()(const EvaluationOwner& owner, const Evaluation& evaluation,
                          const std::string& recorded);
  void add_samples(std::int64_t evaluation, const std::vector<double>& seconds);
  /// A statement that failed half way would keep its bindings and its lock.
  void make_ready();

 private:
  /// Statements for 1, 2, 4, ... samples, prepared at first use: one for many takes a third of the time.
  static constexpr std::size_t sample_statements = 6;

  SQLite::Statement& sample_insert(std::size_t power);

  SQLite::Database& connection_;
  SQLite::Statement evaluation_;
  std::array<std::optional<SQLite::Statement>, sample_statements> samples_;
};

}  // namespace tune::db
