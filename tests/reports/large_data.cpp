// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/large_data.hpp"

#include <algorithm>
#include <cmath>

#include "search/random.hpp"
#include "tests/db/examples.hpp"
#include "tuner/evaluation/evaluation.hpp"

namespace tune::testing {
namespace {

int power(search::Random& random, unsigned max) {
  return 1 << random.below(max + 1);
}

Configuration any_configuration(search::Random& random) {
  Configuration configuration;
  const bool fused = random.below(3) == 0;
  configuration.set("variant", fused ? "fused" : "direct");
  configuration.set("block_x", 8 * power(random, 5));
  configuration.set("block_y", power(random, 4));
  configuration.set("vector", power(random, 2));
  configuration.set("padded", random.below(2) == 0);
  configuration.set("chunk", 16 * static_cast<int>(1 + random.below(32)));
  if (fused)
    configuration.set("steps", static_cast<int>(1 + random.below(8)));
  else
    configuration.set("unroll", power(random, 3));
  return configuration;
}

double time_of(const Configuration& configuration, search::Random& random) {
  double time = 1e-3 * (1 + std::abs(std::log2(configuration["block_x"].as_real() / 64)) / 4);
  time *= 1 + 0.3 / configuration["vector"].as_real();
  if (configuration["padded"].as_bool()) time *= 0.93;
  if (const auto* steps = configuration.find("steps")) time *= 0.8 + 0.02 * std::pow(steps->as_real() - 3, 2);
  return time * (1 + 0.05 * static_cast<double>(random.below(1000)) / 1000);
}

db::ResultRow row_of(std::size_t number, const db::Workload& workload, search::Random& random) {
  db::ResultRow row;
  row.evaluation = static_cast<std::int64_t>(number + 1);
  row.run = 1;
  row.workload = workload;
  row.configuration = any_configuration(random);
  row.time = time_of(row.configuration, random);
  row.measured_time = row.time;
  row.minimum = *row.time;
  row.error = 1e-7 * static_cast<double>(1 + random.below(5));
  row.tolerance = 1e-6;
  row.samples = 7;
  row.resources = example_resources();
  row.resources->registers = static_cast<int>(32 + random.below(200));
  row.resources->occupancy = 0.25 * static_cast<double>(1 + random.below(4));
  row.phases = {.compile = 0.3, .load = 0.001, .verify = 0.01, .measure = 0.02, .reference = 0};
  row.recorded = "2026-01-31T12:00:00.000Z";
  return row;
}

}  // namespace

reports::ReportData large_data(std::size_t measurements) {
  search::Random random(7);
  reports::ReportData data;
  data.database = "large.db";
  reports::Section& section = data.sections.emplace_back();
  section.workload.problem = "stencil3d";
  section.workload.size = "512x512x512";
  section.workload.settings = "radius=1,type=float";
  section.workload.extents = {{"nx", 512}, {"ny", 512}, {"nz", 512}};
  section.device = example_device();
  section.workload.device = section.device.name;
  section.workload.model_key = section.device.model_key();
  section.amount = {5e-4, 1.3e8, 1.7e9, 1e9, "cell update"};
  section.space_size = 10 * measurements;
  std::vector<db::ResultRow> rows;
  rows.reserve(measurements);
  for (std::size_t i = 0; i < measurements; ++i) rows.push_back(row_of(i, section.workload, random));
  // Rows are large: their numbers are sorted.
  std::vector<std::pair<double, std::size_t>> order(measurements);
  for (std::size_t i = 0; i < measurements; ++i) order[i] = {*rows[i].time, i};
  std::ranges::sort(order);
  section.evaluations.reserve(measurements);
  for (const auto& [time, i] : order) section.evaluations.push_back(std::move(rows[i]));
  section.measured = measurements;
  section.top = 10;
  section.winner = section.evaluations.front();
  section.median_value = section.evaluations[measurements / 2].time;
  section.close = 10;
  reports::RunReport& run = section.runs.emplace_back();
  run.summary.run = 1;
  run.summary.strategy = "random";
  run.summary.started = "2026-01-31T12:00:00.000Z";
  run.summary.evaluations = static_cast<std::int64_t>(measurements);
  run.seconds = 600;
  run.improvements.push_back({{0, 2, false, 2e-3, 2e-3, ""}, 0.5});
  run.improvements.push_back({{40, 1, false, *section.winner->time, *section.winner->time, ""}, 20});
  return data;
}

}  // namespace tune::testing
