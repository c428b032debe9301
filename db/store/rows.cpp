// SPDX-License-Identifier: Apache-2.0
#include "db/store/rows.hpp"

namespace tune::db {

int ColumnPlaces::of(const SQLite::Statement& statement, const char* name) {
  for (std::size_t i = 0; i < known_.size(); ++i, ++next_) {
    if (next_ == known_.size()) next_ = 0;
    if (known_[next_].first == name) return known_[next_++].second;
  }
  known_.emplace_back(name, statement.getColumnIndex(name));
  next_ = known_.size();
  return known_.back().second;
}

SQLite::Column Row::operator[](const char* name) const {
  return places_ == nullptr ? statement_.getColumn(name)
                            : statement_.getColumn(places_->of(statement_, name));
}

double real(const Row& row, const char* column) {
  return row[column].getDouble();
}

std::int64_t integer(const Row& row, const char* column) {
  return row[column].getInt64();
}

std::string text(const Row& row, const char* column) {
  return row[column].getString();
}

std::optional<double> optional_real(const Row& row, const char* column) {
  if (row.is_null(column)) return std::nullopt;
  return real(row, column);
}

std::optional<std::int64_t> optional_integer(const Row& row, const char* column) {
  if (row.is_null(column)) return std::nullopt;
  return integer(row, column);
}

std::string text_or_empty(const Row& row, const char* column) {
  return row.is_null(column) ? std::string() : text(row, column);
}

std::optional<KernelResources> resources(const Row& row) {
  if (row.is_null("registers")) return std::nullopt;
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

bool flag(const Row& row, const char* column) {
  return optional_integer(row, column).value_or(0) != 0;
}

Metrics metrics_of(const Row& row) {
  return row.is_null("metrics") ? Metrics{} : metrics_from_json(text(row, "metrics"));
}

Timing timing(const Row& row) {
  Timing result;
  if (!row.is_null("stop_reason")) result.stop = stop_reason_from_string(text(row, "stop_reason"));
  result.executions = static_cast<int>(optional_integer(row, "executions").value_or(1));
  result.throttled = static_cast<int>(optional_integer(row, "throttled").value_or(0));
  result.energy = optional_real(row, "energy").value_or(0);
  result.machine.core_clock = optional_real(row, "core_clock").value_or(0);
  result.machine.memory_clock = optional_real(row, "memory_clock").value_or(0);
  result.machine.temperature = optional_real(row, "temperature").value_or(0);
  result.machine.power = optional_real(row, "power").value_or(0);
  result.machine.throttle = text_or_empty(row, "throttle");
  result.metrics = metrics_of(row);
  return result;
}

PhaseTimes phase_times(const Row& row) {
  PhaseTimes phases;
  phases.compile = real(row, "compile_seconds");
  phases.reference = optional_real(row, "reference_seconds").value_or(0);
  phases.load = real(row, "load_seconds");
  phases.verify = real(row, "verify_seconds");
  phases.measure = real(row, "measure_seconds");
  return phases;
}

std::optional<Failure> failure(const Row& row) {
  if (row.is_null("phase")) return std::nullopt;
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

std::vector<RerankRound> rounds_of(SQLite::Database& connection, std::int64_t run, std::int64_t evaluation) {
  SQLite::Statement row = bound(
      connection,
      "SELECT seconds, energy, metrics FROM final_rounds WHERE run = ? AND evaluation = ? ORDER BY round",
      run, evaluation);
  std::vector<RerankRound> rounds;
  while (row.executeStep())
    rounds.push_back({real(row, "seconds"), optional_real(row, "energy").value_or(0), metrics_of(row)});
  return rounds;
}

void run(SQLite::Statement& statement) {
  statement.exec();
  statement.reset();
}

}  // namespace tune::db
