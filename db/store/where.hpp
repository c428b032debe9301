// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Statement.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

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
