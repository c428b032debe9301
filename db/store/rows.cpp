// SPDX-License-Identifier: Apache-2.0
#include "db/store/rows.hpp"

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

bool flag(SQLite::Statement& row, const char* column) {
  return optional_integer(row, column).value_or(0) != 0;
}

Timing timing(SQLite::Statement& row) {
  Timing result;
  if (!row.isColumnNull("stop_reason")) result.stop = stop_reason_from_string(text(row, "stop_reason"));
  result.executions = static_cast<int>(optional_integer(row, "executions").value_or(1));
  result.throttled = static_cast<int>(optional_integer(row, "throttled").value_or(0));
  result.energy = optional_real(row, "energy").value_or(0);
  result.machine.core_clock = optional_real(row, "core_clock").value_or(0);
  result.machine.memory_clock = optional_real(row, "memory_clock").value_or(0);
  result.machine.temperature = optional_real(row, "temperature").value_or(0);
  result.machine.power = optional_real(row, "power").value_or(0);
  result.machine.throttle = text_or_empty(row, "throttle");
  return result;
}

PhaseTimes phase_times(SQLite::Statement& row) {
  PhaseTimes phases;
  phases.compile = real(row, "compile_seconds");
  phases.reference = optional_real(row, "reference_seconds").value_or(0);
  phases.load = real(row, "load_seconds");
  phases.verify = real(row, "verify_seconds");
  phases.measure = real(row, "measure_seconds");
  return phases;
}

std::optional<Failure> failure(SQLite::Statement& row) {
  if (row.isColumnNull("phase")) return std::nullopt;
  return Failure{phase_from_string(text(row, "phase")), text(row, "reason"), text(row, "detail"), {}};
}

void bind_known(SQLite::Statement& statement, const char* name, double value) {
  bind_optional(statement, name, value > 0 ? std::optional(value) : std::nullopt);
}

std::vector<double> samples(SQLite::Database& connection, std::int64_t evaluation) {
  SQLite::Statement rows =
      bound(connection, "SELECT seconds FROM samples WHERE evaluation = ? ORDER BY ordinal", evaluation);
  std::vector<double> seconds;
  while (rows.executeStep()) seconds.push_back(rows.getColumn(0).getDouble());
  return seconds;
}

std::vector<RerankRound> rounds_of(SQLite::Database& connection, RunId run, std::int64_t evaluation) {
  SQLite::Statement row = bound(
      connection, "SELECT seconds, energy FROM final_rounds WHERE run = ? AND evaluation = ? ORDER BY round",
      run, evaluation);
  std::vector<RerankRound> rounds;
  while (row.executeStep())
    rounds.push_back({real(row, "seconds"), optional_real(row, "energy").value_or(0)});
  return rounds;
}

void run(SQLite::Statement& statement) {
  statement.exec();
  statement.reset();
}

}  // namespace tune::db
