// SPDX-License-Identifier: Apache-2.0
#include "db/rows.hpp"

namespace tune::db {

double real(SQLite::Statement& row, const char* column) {
  return row.getColumn(column).getDouble();
}

std::int64_t integer(SQLite::Statement& row, const char* column) {
  return row.getColumn(column).getInt64();
}

std::string text(SQLite::Statement& row, const char* column) {
  return row.getColumn(column).getString();
}

std::optional<double> optional_real(SQLite::Statement& row, const char* column) {
  if (row.isColumnNull(column)) return std::nullopt;
  return real(row, column);
}

std::optional<std::int64_t> optional_integer(SQLite::Statement& row, const char* column) {
  if (row.isColumnNull(column)) return std::nullopt;
  return integer(row, column);
}

std::string text_or_empty(SQLite::Statement& row, const char* column) {
  return row.isColumnNull(column) ? std::string() : text(row, column);
}

std::optional<KernelResources> resources(SQLite::Statement& row) {
  if (row.isColumnNull("registers")) return std::nullopt;
  const auto number = [&row](const char* column) { return static_cast<int>(integer(row, column)); };
  KernelResources result;
  result.registers = number("registers");
  result.spill_store_bytes = number("spill_store_bytes");
  result.spill_load_bytes = number("spill_load_bytes");
  result.local_bytes = number("local_bytes");
  result.static_shared_memory = number("static_shared_memory");
  result.dynamic_shared_memory = number("dynamic_shared_memory");
  result.threads = number("threads");
  result.max_threads = number("max_threads");
  result.blocks_per_multiprocessor = number("blocks_per_multiprocessor");
  result.occupancy = real(row, "occupancy");
  result.limiter = text(row, "limiter");
  return result;
}

PhaseTimes phase_times(SQLite::Statement& row) {
  return {real(row, "compile_seconds"), real(row, "load_seconds"), real(row, "verify_seconds"),
          real(row, "measure_seconds")};
}

std::optional<Failure> failure(SQLite::Statement& row) {
  if (row.isColumnNull("phase")) return std::nullopt;
  return Failure{phase_from_string(text(row, "phase")), text(row, "reason"), text(row, "detail")};
}

void bind_optional(SQLite::Statement& statement, const char* name, const std::optional<double>& value) {
  if (value) {
    statement.bind(name, *value);
  } else {
    statement.bind(name);
  }
}

void bind_optional(SQLite::Statement& statement, const char* name, const std::optional<std::int64_t>& value) {
  if (value) {
    statement.bind(name, *value);
  } else {
    statement.bind(name);
  }
}

std::vector<double> samples(SQLite::Database& connection, std::int64_t evaluation) {
  SQLite::Statement rows(connection, "SELECT seconds FROM samples WHERE evaluation = ? ORDER BY ordinal");
  rows.bind(1, evaluation);
  std::vector<double> seconds;
  while (rows.executeStep()) seconds.push_back(rows.getColumn(0).getDouble());
  return seconds;
}

void run(SQLite::Statement& statement) {
  statement.exec();
  statement.reset();
}

}  // namespace tune::db
