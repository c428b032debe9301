// SPDX-License-Identifier: Apache-2.0
#include "db/result_rows.hpp"

#include "db/json.hpp"
#include "db/rows.hpp"

namespace tune::db {

WorkInfo work_info(SQLite::Statement& row) {
  WorkInfo work;
  work.id = integer(row, "work");
  work.problem = text(row, "problem");
  work.size = text(row, "size");
  work.settings = text(row, "settings");
  work.extents = extents_from_json(text(row, "extents"));
  work.device = text(row, "device");
  work.model_key = text(row, "model_key");
  work.architecture = text(row, "architecture");
  work.driver = text(row, "driver");
  work.toolchain = {text(row, "compiler"), text(row, "source_hash")};
  work.origin = origin_from_string(text(row, "origin"));
  return work;
}

WorkAmount work_amount(SQLite::Statement& row) {
  return {real(row, "limit_seconds"), real(row, "items"), real(row, "flops"), real(row, "bytes"),
          text(row, "item")};
}

ResultRow result_row(SQLite::Statement& row) {
  ResultRow result;
  result.evaluation = integer(row, "evaluation");
  result.run = integer(row, "run");
  result.work = work_info(row);
  result.amount = work_amount(row);
  result.configuration = configuration_from_json(text(row, "configuration"));
  result.time = optional_real(row, "time");
  result.minimum = optional_real(row, "minimum").value_or(0);
  result.error = optional_real(row, "error").value_or(0);
  result.tolerance = optional_real(row, "tolerance").value_or(0);
  result.samples = integer(row, "samples");
  result.failure = failure(row);
  result.resources = resources(row);
  result.binary_hash = text(row, "binary_hash");
  result.phases = phase_times(row);
  result.recorded = text(row, "recorded");
  result.current = integer(row, "current") != 0;
  return result;
}

RunSummary run_summary(SQLite::Statement& row) {
  RunSummary run;
  run.run = integer(row, "run");
  run.work = work_info(row);
  run.strategy = text(row, "strategy");
  run.started = text(row, "started");
  run.ended = text_or_empty(row, "ended");
  run.end_reason = text_or_empty(row, "end_reason");
  run.evaluations = integer(row, "evaluations");
  run.reused = integer(row, "reused");
  run.failures = integer(row, "failures");
  run.best = optional_real(row, "best");
  if (run.best) run.best_configuration = text(row, "best_configuration");
  return run;
}

}  // namespace tune::db
