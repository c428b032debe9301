// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "db/store/database.hpp"
#include "db/store/json.hpp"
#include "tuner/evaluation/evaluation.hpp"
#include "tuner/evaluation/rerank.hpp"

/// Reads and writes columns by name: for the .cpp files of the database's folders only. All throw
/// SQLite::Exception.
namespace tune::db {

/// The places of a statement's columns, each looked up once, for a statement that returns many rows. Names
/// are literals: they are told apart by their addresses.
class ColumnPlaces {
 public:
  int of(const SQLite::Statement& statement, const char* name);

 private:
  std::vector<std::pair<const char*, int>> known_;
  std::size_t next_ = 0;  ///< rows are read in the same order again and again
};

/// The row at which a statement is.
class Row {
 public:
  Row(SQLite::Statement& statement)  // NOLINT(google-explicit-constructor)
      : statement_(statement) {}
  Row(SQLite::Statement& statement, ColumnPlaces& places) : statement_(statement), places_(&places) {}

  SQLite::Column operator[](const char* name) const;
  bool is_null(const char* name) const { return (*this)[name].isNull(); }

 private:
  SQLite::Statement& statement_;
  ColumnPlaces* places_ = nullptr;
};

double real(const Row& row, const char* column);
std::int64_t integer(const Row& row, const char* column);
std::string text(const Row& row, const char* column);
std::optional<double> optional_real(const Row& row, const char* column);
std::optional<std::int64_t> optional_integer(const Row& row, const char* column);
std::string text_or_empty(const Row& row, const char* column);

/// Returns nothing where the evaluation has none.
std::optional<KernelResources> resources(const Row& row);
/// Returns false where it is not known.
bool flag(const Row& row, const char* column);
/// Returns the timing without samples; unknown members keep their defaults.
Metrics metrics_of(const Row& row);
Timing timing(const Row& row);
PhaseTimes phase_times(const Row& row);
std::optional<Failure> failure(const Row& row);

template<class T>
void bind_optional(SQLite::Statement& statement, const char* name, const std::optional<T>& value) {
  value ? statement.bind(name, *value) : statement.bind(name);
}

/// Binds a value; 0 stands for an unknown one.
void bind_known(SQLite::Statement& statement, const char* name, double value);

/// Binds the values to the statement's parameters in order.
template<class... Values>
void bind_all(SQLite::Statement& statement, const Values&... values) {
  int index = 0;
  (statement.bind(++index, values), ...);
}

/// Prepares a statement and binds the values to its parameters in order.
template<class... Values>
SQLite::Statement bound(SQLite::Database& connection, const std::string& sql, const Values&... values) {
  SQLite::Statement statement(connection, sql);
  bind_all(statement, values...);
  return statement;
}

/// Returns the samples in the order taken, in seconds.
std::vector<double> samples(SQLite::Database& connection, std::int64_t evaluation);

/// Returns the rounds of one evaluation in the re-ranking of a run, in order.
std::vector<RerankRound> rounds_of(SQLite::Database& connection, std::int64_t run, std::int64_t evaluation);

/// Calls `read`; returns whether all texts of the row could be read.
template<class Read>
bool is_readable(Read read) {
  try {
    read();
    return true;
  } catch (const UnreadableText&) {
  } catch (const std::invalid_argument&) {  // a word of a list, such as a phase
  }
  return false;
}

/// Calls `read` for each row of the statement. A row with a text that cannot be read is noted in the database
/// as `kind` and the number in the column `id`, and left out.
template<class Read>
void each_readable(const Database& database, SQLite::Statement& row, const char* kind, const char* id,
                   Read read) {
  while (row.executeStep())
    if (!is_readable(read)) database.leave_out(std::string(kind) + " " + std::to_string(integer(row, id)));
}

/// Runs a statement that returns no rows and makes it ready for the next use.
void run(SQLite::Statement& statement);

/// The conditions of a query; those without a value are left out, so that SQLite can use its indexes.
class Where {
 public:
  /// Adds a condition without a value.
  void add(const std::string& condition) { conditions_.push_back(condition); }
  /// Adds a condition with one `?` for the value, where there is a value.
  template<class T>
  void add(const std::string& condition, const std::optional<T>& value) {
    if (!value) return;
    conditions_.push_back(condition);
    binders_.push_back([v = *value](SQLite::Statement& statement, int index) { statement.bind(index, v); });
  }
  /// Adds a condition on a device's model key or name.
  void device(const std::optional<std::string>& value) { add("? IN (model_key, device)", value); }

  /// Returns ` WHERE a AND b`, or an empty text.
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

/// Returns ` LIMIT n`, or an empty text.
inline std::string limit_sql(const std::optional<std::size_t>& limit) {
  return limit ? " LIMIT " + std::to_string(*limit) : std::string();
}

}  // namespace tune::db
