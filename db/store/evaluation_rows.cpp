// SPDX-License-Identifier: Apache-2.0
#include "db/store/evaluation_rows.hpp"

#include <algorithm>

#include "db/store/json.hpp"
#include "db/store/rows.hpp"
#include "tuner/base/error.hpp"

namespace tune::db {
namespace {

/// Zero stands for what could not be read.
void bind_known(SQLite::Statement& insert, const char* name, double value) {
  bind_optional(insert, name, value > 0 ? std::optional(value) : std::nullopt);
}

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

void bind_failure(SQLite::Statement& insert, const Failure& failure) {
  insert.bind(":phase", std::string(to_string(failure.phase)));
  insert.bind(":reason", failure.reason);
  insert.bind(":detail", failure.detail);
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

}  // namespace

const char* const insert_evaluation_sql = R"(
INSERT INTO evaluations (run, work, configuration, configuration_key, time, minimum, error, tolerance, phase,
                         reason, detail, registers, spill_store_bytes, spill_load_bytes, local_bytes,
                         static_shared_memory, dynamic_shared_memory, threads, max_threads,
                         blocks_per_multiprocessor, occupancy, limiter, binary_hash, compile_seconds,
                         load_seconds, verify_seconds, measure_seconds, recorded, stop_reason, executions,
                         throttled, core_clock, memory_clock, temperature, power, throttle, energy,
                         reference_seconds, same_code, from_cache)
VALUES (:run, :work, :configuration, :configuration_key, :time, :minimum, :error, :tolerance, :phase,
        :reason, :detail, :registers, :spill_store_bytes, :spill_load_bytes, :local_bytes,
        :static_shared_memory, :dynamic_shared_memory, :threads, :max_threads,
        :blocks_per_multiprocessor, :occupancy, :limiter, :binary_hash, :compile_seconds,
        :load_seconds, :verify_seconds, :measure_seconds, :recorded, :stop_reason, :executions, :throttled,
        :core_clock, :memory_clock, :temperature, :power, :throttle, :energy, :reference_seconds, :same_code,
        :from_cache))";

void bind_evaluation(SQLite::Statement& insert, const Evaluation& evaluation) {
  insert.bind(":configuration", to_json(evaluation.configuration.entries()));
  insert.bind(":configuration_key", evaluation.configuration.key());
  if (evaluation.outcome) {
    bind_measurement(insert, *evaluation.outcome);
  } else {
    bind_failure(insert, evaluation.outcome.error());
  }
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

Evaluation read_evaluation(SQLite::Statement& row) {
  Evaluation evaluation;
  evaluation.configuration = configuration_from_json(text(row, "configuration"));
  if (auto failed = failure(row)) {
    evaluation.outcome = tl::unexpected(*std::move(failed));
  } else {
    Measurement measurement;
    static_cast<Timing&>(measurement) = timing(row);
    measurement.error = real(row, "error");
    measurement.tolerance = real(row, "tolerance");
    evaluation.outcome = std::move(measurement);
  }
  evaluation.resources = resources(row);
  evaluation.binary_hash = text(row, "binary_hash");
  evaluation.phases = phase_times(row);
  evaluation.same_code = flag(row, "same_code");
  evaluation.from_cache = flag(row, "from_cache");
  evaluation.reused = true;
  return evaluation;
}

}  // namespace tune::db
