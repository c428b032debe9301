// SPDX-License-Identifier: Apache-2.0
#include "db/read/result_rows.hpp"

#include "db/store/json.hpp"

namespace tune::db {

Workload workload_info(const Row& row) {
  Workload workload;
  workload.id = integer(row, "work");
  workload.problem = text(row, "problem");
  workload.size = text(row, "size");
  workload.settings = text(row, "settings");
  workload.extents = extents_from_json(text(row, "extents"));
  workload.device = text(row, "device");
  workload.model_key = text(row, "model_key");
  workload.architecture = text(row, "architecture");
  workload.driver = text(row, "driver");
  workload.toolchain = {text(row, "compiler"), text(row, "source_hash")};
  workload.origin = origin_from_string(text(row, "origin"));
  workload.cache = cache_state_from_string(text(row, "cache"));
  return workload;
}

WorkloadCost workload_cost(const Row& row) {
  return {real(row, "limit_seconds"), real(row, "items"), real(row, "flops"), real(row, "bytes"),
          text(row, "item")};
}

namespace {

std::optional<RerankStanding> rerank_standing(const Row& row) {
  if (row.is_null("final_run")) return std::nullopt;
  RerankStanding result;
  result.run = integer(row, "final_run");
  result.place = integer(row, "final_place");
  result.rounds = integer(row, "final_rounds");
  result.time = rerank_interval(row, "time", "final_low", "final_high", result.rounds);
  result.ratio = rerank_interval(row, "final_ratio", "final_ratio_low", "final_ratio_high", result.rounds);
  result.tied = flag(row, "final_tied");
  return result;
}

}  // namespace

ResultRow evaluation_row(const Row& row) {
  ResultRow result;
  result.evaluation = integer(row, "evaluation");
  result.run = integer(row, "run");
  result.configuration = configuration_from_json(text(row, "configuration"));
  result.time = result.measured_time = optional_real(row, "measured_time");
  if (!row.is_null("stop_reason")) result.timing = timing(row);
  result.same_code = flag(row, "same_code");
  result.from_cache = flag(row, "from_cache");
  result.minimum = optional_real(row, "minimum").value_or(0);
  result.error = optional_real(row, "error").value_or(0);
  result.tolerance = optional_real(row, "tolerance").value_or(0);
  result.samples = integer(row, "samples");
  result.failure = failure(row);
  result.resources = resources(row);
  result.binary_hash = text(row, "binary_hash");
  result.phases = phase_times(row);
  result.recorded = text(row, "recorded");
  return result;
}

ResultRow result_row(const Row& row) {
  ResultRow result = evaluation_row(row);
  result.workload = workload_info(row);
  result.board = {text(row, "board"), optional_real(row, "power_limit").value_or(0),
                  optional_real(row, "max_core_clock").value_or(0),
                  optional_real(row, "max_memory_clock").value_or(0)};
  result.amount = workload_cost(row);
  result.time = optional_real(row, "time");
  result.rerank = rerank_standing(row);
  result.current = integer(row, "current") != 0;
  return result;
}

std::optional<double> ObjectiveFigures::value(double seconds, double energy,
                                              const Objective& objective) const {
  return objective_value({configuration, resources, seconds, energy, &metrics}, objective);
}

std::optional<FrontValues> ObjectiveFigures::both(double seconds, double energy,
                                                  const Objective& objective) const {
  return front_values({configuration, resources, seconds, energy, &metrics}, objective);
}

ObjectiveFigures objective_figures(const Row& row) {
  return {configuration_from_json(text(row, "configuration")), resources(row),
          optional_real(row, "energy").value_or(0), metrics_of(row)};
}

RerankStanding place_standing(const Row& row) {
  RerankStanding result;
  result.run = integer(row, "run");
  result.place = integer(row, "place");
  result.rounds = integer(row, "rounds");
  result.time = rerank_interval(row, "time", "time_low", "time_high", result.rounds);
  result.ratio = rerank_interval(row, "ratio", "ratio_low", "ratio_high", result.rounds);
  result.tied = flag(row, "tied");
  return result;
}

MedianInterval rerank_interval(const Row& row, const char* median, const char* low, const char* high,
                               std::int64_t rounds) {
  const std::vector<double> any(static_cast<std::size_t>(rounds));
  return {real(row, median), real(row, low), real(row, high),
          median_interval(any, rerank_confidence).confidence};
}

RunSummary run_summary(const Row& row) {
  RunSummary run;
  run.run = integer(row, "run");
  run.workload = workload_info(row);
  run.strategy = text(row, "strategy");
  run.objective = objective_from_string(text(row, "objective"));
  run.tied = integer(row, "tied");
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
