// SPDX-License-Identifier: Apache-2.0
#include "db/store/evaluation_insert.hpp"

#include <algorithm>

#include "db/store/json.hpp"
#include "db/store/rows.hpp"
#include "tuner/base/error.hpp"

namespace tune::db {

namespace {

void bind_measurement(SQLite::Statement& insert, const Measurement& measurement) {
  if (measurement.samples.empty()) throw Error("a measurement without samples cannot be stored");
  insert.bind(":time", measurement.time());
  insert.bind(":minimum", *std::min_element(measurement.samples.begin(), measurement.samples.end()));
  insert.bind(":error", measurement.error);
  insert.bind(":tolerance", measurement.tolerance);
  insert.bind(":stop_reason", std::string(to_string(measurement.stop)));
  insert.bind(":executions", measurement.executions);
  insert.bind(":throttled", measurement.throttled);
  bind_known(insert, ":energy", measurement.energy);
  const MachineState& machine = measurement.machine;
  bind_known(insert, ":core_clock", machine.core_clock);
  bind_known(insert, ":memory_clock", machine.memory_clock);
  bind_known(insert, ":temperature", machine.temperature);
  bind_known(insert, ":power", machine.power);
  if (machine.core_clock > 0) insert.bind(":throttle", machine.throttle);
}

void bind_failure(SQLite::Statement& insert, const Failure& failure, int attempts) {
  insert.bind(":phase", std::string(to_string(failure.phase)));
  insert.bind(":reason", failure.reason);
  insert.bind(":detail", failure.detail);
  insert.bind(":attempts", attempts);
  bind_known(insert, ":time_limit", failure.time_limit);
}

void bind_resources(SQLite::Statement& insert, const KernelResources& resources) {
  insert.bind(":registers", resources.registers);
  insert.bind(":spill_store_bytes", resources.spill_store_bytes);
  insert.bind(":spill_load_bytes", resources.spill_load_bytes);
  insert.bind(":local_bytes", resources.local_bytes);
  insert.bind(":static_shared_memory", resources.static_shared_memory);
  insert.bind(":dynamic_shared_memory", resources.dynamic_shared_memory);
  insert.bind(":threads", resources.threads);
  insert.bind(":max_threads", resources.max_threads);
  insert.bind(":blocks_per_multiprocessor", resources.blocks_per_multiprocessor);
  insert.bind(":occupancy", resources.occupancy);
  insert.bind(":limiter", resources.limiter);
}

constexpr const char* insert_evaluation_sql = R"(
INSERT INTO evaluations (run, work, configuration, configuration_key, time, minimum, error, tolerance, phase,
                         reason, detail, registers, spill_store_bytes, spill_load_bytes, local_bytes,
                         static_shared_memory, dynamic_shared_memory, threads, max_threads,
                         blocks_per_multiprocessor, occupancy, limiter, binary_hash, compile_seconds,
                         load_seconds, verify_seconds, measure_seconds, recorded, stop_reason, executions,
                         throttled, core_clock, memory_clock, temperature, power, throttle, energy,
                         reference_seconds, same_code, from_cache, counts, attempts, time_limit)
VALUES (:run, :work, :configuration, :configuration_key, :time, :minimum, :error, :tolerance, :phase,
        :reason, :detail, :registers, :spill_store_bytes, :spill_load_bytes, :local_bytes,
        :static_shared_memory, :dynamic_shared_memory, :threads, :max_threads,
        :blocks_per_multiprocessor, :occupancy, :limiter, :binary_hash, :compile_seconds,
        :load_seconds, :verify_seconds, :measure_seconds, :recorded, :stop_reason, :executions, :throttled,
        :core_clock, :memory_clock, :temperature, :power, :throttle, :energy, :reference_seconds, :same_code,
        :from_cache, :counts, :attempts, :time_limit))";

void bind_evaluation(SQLite::Statement& insert, const Evaluation& evaluation) {
  insert.bind(":configuration", to_json(evaluation.configuration.entries()));
  insert.bind(":configuration_key", evaluation.configuration.key());
  if (evaluation.outcome) {
    bind_measurement(insert, *evaluation.outcome);
  } else {
    bind_failure(insert, evaluation.outcome.error(), evaluation.attempts);
  }
  const bool counts = evaluation.outcome || !is_accident(evaluation.outcome.error(), evaluation.attempts);
  insert.bind(":counts", counts ? 1 : 0);
  if (evaluation.resources) bind_resources(insert, *evaluation.resources);
  insert.bind(":binary_hash", evaluation.binary_hash);
  insert.bind(":compile_seconds", evaluation.phases.compile);
  insert.bind(":reference_seconds", evaluation.phases.reference);
  insert.bind(":same_code", evaluation.same_code ? 1 : 0);
  insert.bind(":from_cache", evaluation.from_cache ? 1 : 0);
  insert.bind(":load_seconds", evaluation.phases.load);
  insert.bind(":verify_seconds", evaluation.phases.verify);
  insert.bind(":measure_seconds", evaluation.phases.measure);
}

}  // namespace

EvaluationInsert::EvaluationInsert(SQLite::Database& connection)
    : connection_(connection),
      evaluation_(connection, insert_evaluation_sql),
      sample_(connection, "INSERT INTO samples (evaluation, ordinal, seconds) VALUES (?, ?, ?)") {}

std::int64_t EvaluationInsert::operator()(const EvaluationOwner& owner, const Evaluation& evaluation,
                                          const std::string& recorded) {
  evaluation_.clearBindings();
  evaluation_.bind(":run", owner.run);
  evaluation_.bind(":work", owner.workload);
  evaluation_.bind(":recorded", recorded);
  bind_evaluation(evaluation_, evaluation);
  run(evaluation_);
  const std::int64_t id = connection_.getLastInsertRowid();
  if (evaluation.outcome) add_samples(id, evaluation.outcome->samples);
  return id;
}

void EvaluationInsert::add_samples(std::int64_t evaluation, const std::vector<double>& seconds) {
  int ordinal = 0;
  for (const double one : seconds) {
    bind_all(sample_, evaluation, ordinal++, one);
    run(sample_);
  }
}

void EvaluationInsert::make_ready() {
  for (SQLite::Statement* statement : {&evaluation_, &sample_}) {
    statement->tryReset();
    statement->clearBindings();
  }
}

}  // namespace tune::db
