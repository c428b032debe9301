// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// What makes runs and evaluations of two databases the same: for the .cpp files of this folder only. See
/// db/merge.hpp. All throw SQLite::Exception.
namespace tune::db {

/// A run and what was known of it when it began.
struct RunIdentity {
  std::int64_t id = 0;
  std::string hash;
  bool imported = false;
};

/// All runs, by number.
std::vector<RunIdentity> run_identities(SQLite::Database& connection);

/// `SELECT id, run, <content>...` of evaluations, to which a condition and an order can be added.
class EvaluationContent {
 public:
  explicit EvaluationContent(SQLite::Database& connection);
  const std::string& sql() const { return sql_; }
  /// Of a row of that statement.
  std::string hash_of(SQLite::Statement& row) const;

 private:
  std::string sql_;
  int columns_ = 0;
};

/// What a run saw: hashes of evaluations by their place in it.
std::map<std::int64_t, std::string> seen_by_run(SQLite::Database& connection, std::int64_t run);

/// Whether they can be one run, seen at two moments: equal wherever both have an evaluation.
bool compatible(const std::map<std::int64_t, std::string>& a, const std::map<std::int64_t, std::string>& b);

}  // namespace tune::db
