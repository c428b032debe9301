// SPDX-License-Identifier: Apache-2.0
#include "db/store/evaluation_insert.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string_view>

#include "db/store/json.hpp"
#include "db/store/rows.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::db {

namespace {

constexpr std::string_view columns =
    "run, work, configuration, configuration_key, time, minimum, error, tolerance, phase, reason, "
    "detail, registers, spill_store_bytes, spill_load_bytes, local_bytes, static_shared_memory, "
    "dynamic_shared_memory, threads, max_threads, blocks_per_multiprocessor, occupancy, limiter, "
    "binary_hash, compile_seconds, load_seconds, verify_seconds, measure_seconds, recorded, "
    "stop_reason, executions, throttled, core_clock, memory_clock, temperature, power, throttle, "
    "energy, reference_seconds, same_code, from_cache, counts, attempts, time_limit, metrics";

/// The place of a column among the statement's parameters. SQLite would look for a name anew in each row.
consteval int place(std::string_view name) {
  int number = 1;
  for (std::string_view rest = columns;; ++number) {
    const std::size_t end = std::min(rest.find(", "), rest.size());
    if (rest.substr(0, end) == name) return number;
    if (end == rest.size()) throw std::logic_error("no such column");
    rest.remove_prefix(end + 2);
  }
}

std::string insert_evaluation() {
  std::string parameters = "?";
  for (const char c : columns)
    if (c == ',') parameters += ", ?";
  return format("INSERT INTO evaluations ({}) VALUES ({})", columns, parameters);
}

void bind_above_zero(SQLite::Statement& insert, int column, double value) {
  if (value > 0) insert.bind(column, value);
}

void bind_measurement(SQLite::Statement& insert, const Measurement& measurement) {
  if (measurement.samples.empty()) throw Error("a measurement without samples cannot be stored");
  insert.bind(place("time"), measurement.time());
  insert.bind(place("minimum"), *std::min_element(measurement.samples.begin(), measurement.samples.end()));
  insert.bind(place("error"), measurement.error);
  insert.bind(place("tolerance"), measurement.tolerance);
  insert.bind(place("stop_reason"), std::string(to_string(measurement.stop)));
  insert.bind(place("executions"), measurement.executions);
  insert.bind(place("throttled"), measurement.throttled);
  bind_above_zero(insert, place("energy"), measurement.energy);
  const MachineState& machine = measurement.machine;
  bind_above_zero(insert, place("core_clock"), machine.core_clock);
  bind_above_zero(insert, place("memory_clock"), machine.memory_clock);
  bind_above_zero(insert, place("temperature"), machine.temperature);
  bind_above_zero(insert, place("power"), machine.power);
  if (machine.core_clock > 0) insert.bind(place("throttle"), machine.throttle);
  if (!measurement.metrics.empty()) insert.bind(place("metrics"), to_json(measurement.metrics));
}

void bind_failure(SQLite::Statement& insert, const Failure& failure, int attempts) {
  insert.bind(place("phase"), std::string(to_string(failure.phase)));
  insert.bind(place("reason"), failure.reason);
  insert.bind(place("detail"), failure.detail);
  insert.bind(place("attempts"), attempts);
  bind_above_zero(insert, place("time_limit"), failure.time_limit);
}

void bind_resources(SQLite::Statement& insert, const KernelResources& resources) {
  insert.bind(place("registers"), resources.registers);
  insert.bind(place("spill_store_bytes"), resources.spill_store_bytes);
  insert.bind(place("spill_load_bytes"), resources.spill_load_bytes);
  insert.bind(place("local_bytes"), resources.local_bytes);
  insert.bind(place("static_shared_memory"), resources.static_shared_memory);
  insert.bind(place("dynamic_shared_memory"), resources.dynamic_shared_memory);
  insert.bind(place("threads"), resources.threads);
  insert.bind(place("max_threads"), resources.max_threads);
  insert.bind(place("blocks_per_multiprocessor"), resources.blocks_per_multiprocessor);
  insert.bind(place("occupancy"), resources.occupancy);
  insert.bind(place("limiter"), resources.limiter);
}

void bind_evaluation(SQLite::Statement& insert, const Evaluation& evaluation) {
  insert.bind(place("configuration"), to_json(evaluation.configuration.entries()));
  insert.bind(place("configuration_key"), evaluation.configuration.key());
  if (evaluation.outcome) {
    bind_measurement(insert, *evaluation.outcome);
  } else {
    bind_failure(insert, evaluation.outcome.error(), evaluation.attempts);
  }
  const bool counts = !evaluation.is_comparison &&
                      (evaluation.outcome || !is_accident(evaluation.outcome.error(), evaluation.attempts));
  insert.bind(place("counts"), counts ? 1 : 0);
  if (evaluation.resources) bind_resources(insert, *evaluation.resources);
  insert.bind(place("binary_hash"), evaluation.binary_hash);
  insert.bind(place("compile_seconds"), evaluation.phases.compile);
  insert.bind(place("reference_seconds"), evaluation.phases.reference);
  insert.bind(place("same_code"), evaluation.same_code ? 1 : 0);
  insert.bind(place("from_cache"), evaluation.from_cache ? 1 : 0);
  insert.bind(place("load_seconds"), evaluation.phases.load);
  insert.bind(place("verify_seconds"), evaluation.phases.verify);
  insert.bind(place("measure_seconds"), evaluation.phases.measure);
}

}  // namespace

EvaluationInsert::EvaluationInsert(SQLite::Database& connection)
    : connection_(connection), evaluation_(connection, insert_evaluation()) {}

std::int64_t EvaluationInsert::operator()(const EvaluationOwner& owner, const Evaluation& evaluation,
                                          const std::string& recorded) {
  evaluation_.clearBindings();
  evaluation_.bind(place("run"), owner.run);
  evaluation_.bind(place("work"), owner.workload);
  evaluation_.bind(place("recorded"), recorded);
  bind_evaluation(evaluation_, evaluation);
  run(evaluation_);
  const std::int64_t id = connection_.getLastInsertRowid();
  if (evaluation.outcome) add_samples(id, evaluation.outcome->samples);
  return id;
}

SQLite::Statement& EvaluationInsert::sample_insert(std::size_t power) {
  std::optional<SQLite::Statement>& statement = samples_.at(power);
  if (!statement) {
    std::string rows;
    for (std::size_t i = 0; i < std::size_t{1} << power; ++i)
      rows += format("{}(?1, ?2 + {}, ?{})", i == 0 ? "" : ", ", i, i + 3);
    statement.emplace(connection_, "INSERT INTO samples (evaluation, ordinal, seconds) VALUES " + rows);
  }
  return *statement;
}

void EvaluationInsert::add_samples(std::int64_t evaluation, const std::vector<double>& seconds) {
  for (std::size_t at = 0; at < seconds.size();) {
    const auto left = std::bit_width(seconds.size() - at);
    const std::size_t power =
        std::min<std::size_t>(static_cast<std::size_t>(left) - 1, sample_statements - 1);
    SQLite::Statement& insert = sample_insert(power);
    insert.bind(1, evaluation);
    insert.bind(2, static_cast<std::int64_t>(at));
    const std::size_t end = at + (std::size_t{1} << power);
    for (int parameter = 3; at < end; ++at) insert.bind(parameter++, seconds[at]);
    run(insert);
  }
}

void EvaluationInsert::make_ready() {
  const auto reset = [](SQLite::Statement& statement) {
    statement.tryReset();
    statement.clearBindings();
  };
  reset(evaluation_);
  for (auto& statement : samples_)
    if (statement) reset(*statement);
}

}  // namespace tune::db
