// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/evaluation/evaluation.hpp"

/// Reading and writing of columns by name: for the .cpp files of this folder only. All throw
/// SQLite::Exception.
namespace tune::db {

double real(SQLite::Statement& row, const char* column);
std::int64_t integer(SQLite::Statement& row, const char* column);
std::string text(SQLite::Statement& row, const char* column);
std::optional<double> optional_real(SQLite::Statement& row, const char* column);
std::optional<std::int64_t> optional_integer(SQLite::Statement& row, const char* column);
std::string text_or_empty(SQLite::Statement& row, const char* column);

/// Nothing where the evaluation has none.
std::optional<KernelResources> resources(SQLite::Statement& row);
/// False where it is not known.
bool flag(SQLite::Statement& row, const char* column);
/// Without samples; defaults for what is not known.
Timing timing(SQLite::Statement& row);
PhaseTimes phase_times(SQLite::Statement& row);
std::optional<Failure> failure(SQLite::Statement& row);

void bind_optional(SQLite::Statement& statement, const char* name, const std::optional<double>& value);
void bind_optional(SQLite::Statement& statement, const char* name, const std::optional<std::int64_t>& value);

/// In the order taken.
std::vector<double> samples(SQLite::Database& connection, std::int64_t evaluation);

/// Runs a statement that returns no rows and makes it ready for the next use.
void run(SQLite::Statement& statement);

}  // namespace tune::db

/// For the .cpp files of this folder only.
namespace tune::db {

/// The conditions of a query: only those that were asked for, so that SQLite can use its indexes.
class Where {
 public:
  /// A condition with no values in it.
  void add(const std::string& condition) { conditions_.push_back(condition); }
  /// A condition with one `?` for the value, where there is a value.
  template<class T>
  void add(const std::string& condition, const std::optional<T>& value) {
    if (!value) return;
    conditions_.push_back(condition);
    binders_.push_back([v = *value](SQLite::Statement& statement, int index) { statement.bind(index, v); });
  }
  /// Its model key or its name.
  void device(const std::optional<std::string>& value) { add("? IN (model_key, device)", value); }

  /// ` WHERE a AND b`, or nothing.
  std::string sql() const {
    std::string text;
    for (const std::string& condition : conditions_) text += (text.empty() ? " WHERE " : " AND ") + condition;
    return text;
  }
  void bind(SQLite::Statement& statement) const {
    int index = 0;
    for (const auto& binder : binders_) binder(statement, ++index);
  }

 private:
  std::vector<std::string> conditions_;
  std::vector<std::function<void(SQLite::Statement&, int)>> binders_;
};

/// ` LIMIT n`, or nothing.
inline std::string limit_sql(const std::optional<std::size_t>& limit) {
  return limit ? " LIMIT " + std::to_string(*limit) : std::string();
}

}  // namespace tune::db
