// SPDX-License-Identifier: Apache-2.0
#include "tests/db/examples.hpp"

#include <gtest/gtest.h>

#include "db/store/database.hpp"
#include "db/store/sqlite_store.hpp"

namespace tune::testing {

DeviceProperties example_device() {
  DeviceProperties properties;
  properties.name = "Invented H1";
  properties.uuid = "GPU-01234567";
  properties.compute_major = 9;
  properties.compute_minor = 1;
  properties.multiprocessors = 132;
  properties.warp_size = 32;
  properties.max_threads_per_block = 1024;
  properties.max_threads_per_multiprocessor = 2048;
  properties.max_blocks_per_multiprocessor = 31;
  for (int i = 0; i < 3; ++i) {
    properties.max_block_dim[i] = 100 + i;
    properties.max_grid_dim[i] = 4'000'000'000 + i;
  }
  properties.registers_per_block = 65'536;
  properties.registers_per_multiprocessor = 65'537;
  properties.shared_memory_per_block = 49'152;
  properties.shared_memory_per_block_optin = 232'448;
  properties.shared_memory_per_multiprocessor = 233'472;
  properties.reserved_shared_memory_per_block = 1024;
  properties.global_memory = 150'000'000'000;
  properties.l2_cache = 62'914'560;
  properties.core_clock = 1'980'000'000;
  properties.memory_clock = 3'201'000'000;
  properties.memory_bus_bits = 6144;
  properties.ecc = true;
  properties.driver = "580.1";
  properties.power_limit = 700.5;
  properties.copy_bandwidth = 4.1234567890123456e12;
  return properties;
}

Instance example_instance() {
  return {"stencil3d",
          {{"nx", 512}, {"ny", 256}, {"nz", 128}},
          {{"type", "float"}, {"shape", "star"}, {"radius", 2}, {"damping", 0.1}, {"periodic", true}}};
}

WorkloadKey example_key() {
  return {example_instance(), example_device(), {"NVRTC 13.0 sm_91", "0123abcd"}, Origin::measured};
}

RunRecord example_run() {
  RunRecord run = run_of(example_key());
  run.options.objective = Objective::edp;
  run.options.budget_evaluations = 1000;
  run.options.budget_seconds = 12.5;
  run.options.until_gain = 0.015;
  return run;
}

RunRecord run_of(const WorkloadKey& key) {
  RunRecord run;
  run.key = key;
  run.options.strategy = "random";
  run.options.seed = 0xfedc'ba98'7654'3210;  // needs all 64 bits
  run.options.where = "block_x * block_y <= 256 && variant != 'fft'";
  run.options.pinned = {{"block_x", 32}, {"variant", "direct"}, {"fast", false}, {"scale", 1.0}};
  run.options.command_line = "./tune --problem stencil3d --where \"it's\"";
  run.machine = {1.98e9, 3.2e9, 41.5, 123.25, "power cap,thermal", "host-a"};
  run.program_version = "0.1.0+abc";
  run.space_size = 123'456;
  run.limit = 1.25e-3;
  run.items = 1e9;
  run.flops = 2e9;
  run.bytes = 3e9;
  run.item = "cell update";
  return run;
}

Configuration example_configuration(int block_x) {
  return {{"variant", "direct"}, {"block_x", block_x}, {"unroll", true}, {"alpha", 0.1}, {"beta", 2.0}};
}

KernelResources example_resources() {
  return {40, 8, 12, 16, 1024, 2048, 256, 512, 6, 0.75, "registers"};
}

Evaluation measured(const Configuration& configuration, std::vector<double> samples) {
  Evaluation evaluation;
  evaluation.configuration = configuration;
  Measurement measurement;
  measurement.samples = std::move(samples);
  measurement.error = 1.5e-6;
  measurement.tolerance = 2.5e-6;
  measurement.stop = StopReason::precise;
  measurement.executions = 3;
  measurement.throttled = 2;
  measurement.energy = 0.375;
  measurement.metrics = {{"GFLOP/s", 812.5}, {"power (W)", -0.25}};
  measurement.machine = {1.75e9, 2.6e9, 51.5, 623.25, "power cap", ""};
  evaluation.outcome = std::move(measurement);
  evaluation.resources = example_resources();
  evaluation.binary_hash = "feedface";
  evaluation.phases.compile = 0.5;
  evaluation.phases.reference = 0.03125;
  evaluation.phases.load = 0.25;
  evaluation.phases.verify = 0.125;
  evaluation.phases.measure = 0.0625;
  evaluation.same_code = true;
  evaluation.from_cache = true;
  return evaluation;
}

Evaluation failed(const Configuration& configuration, Phase phase, const std::string& reason,
                  const std::string& detail) {
  Evaluation evaluation;
  evaluation.configuration = configuration;
  evaluation.outcome = fail(phase, reason, detail);
  evaluation.phases.compile = 0.5;
  return evaluation;
}

void record_example_runs(const std::filesystem::path& path, int evaluations) {
  db::Database database(path);
  db::SqliteStore store(database);
  for (int r = 0; r < 4; ++r) {
    const RunId run = store.begin_run(example_run());
    for (int i = 0; i < evaluations; ++i) {
      const Configuration configuration = example_configuration(20 * r + i);  // a third replaces earlier ones
      store.record(run, i % 7 == 3
                            ? failed(configuration, Phase::verify, "wrong", "element 17")
                            : measured(configuration, {1e-3 + 1e-5 * ((i * 13 + r) % 31), 2e-3, 2e-3}));
    }
    if (r == 1) {
      std::vector<RerankPlace> places;
      for (const int i : {21, 22}) {
        RerankPlace place;
        place.configuration = example_configuration(i);
        place.rounds.assign(8, {1e-3 + 1e-6 * i, 0.5});
        places.push_back(std::move(place));
      }
      RerankResult ranked;
      ranked.places = rank_top_k(std::move(places), Objective::time);
      store.record_rerank(run, ranked);
    }
    store.end_run(run, RunEnd::budget);
  }
}

void expect_equal(const DeviceProperties& a, const DeviceProperties& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.uuid, b.uuid);
  EXPECT_EQ(a.compute_major, b.compute_major);
  EXPECT_EQ(a.compute_minor, b.compute_minor);
  EXPECT_EQ(a.multiprocessors, b.multiprocessors);
  EXPECT_EQ(a.warp_size, b.warp_size);
  EXPECT_EQ(a.max_threads_per_block, b.max_threads_per_block);
  EXPECT_EQ(a.max_threads_per_multiprocessor, b.max_threads_per_multiprocessor);
  EXPECT_EQ(a.max_blocks_per_multiprocessor, b.max_blocks_per_multiprocessor);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(a.max_block_dim[i], b.max_block_dim[i]);
    EXPECT_EQ(a.max_grid_dim[i], b.max_grid_dim[i]);
  }
  EXPECT_EQ(a.registers_per_block, b.registers_per_block);
  EXPECT_EQ(a.registers_per_multiprocessor, b.registers_per_multiprocessor);
  EXPECT_EQ(a.shared_memory_per_block, b.shared_memory_per_block);
  EXPECT_EQ(a.shared_memory_per_block_optin, b.shared_memory_per_block_optin);
  EXPECT_EQ(a.shared_memory_per_multiprocessor, b.shared_memory_per_multiprocessor);
  EXPECT_EQ(a.reserved_shared_memory_per_block, b.reserved_shared_memory_per_block);
  EXPECT_EQ(a.global_memory, b.global_memory);
  EXPECT_EQ(a.l2_cache, b.l2_cache);
  EXPECT_EQ(a.core_clock, b.core_clock);
  EXPECT_EQ(a.memory_clock, b.memory_clock);
  EXPECT_EQ(a.memory_bus_bits, b.memory_bus_bits);
  EXPECT_EQ(a.ecc, b.ecc);
  EXPECT_EQ(a.driver, b.driver);
  EXPECT_EQ(a.power_limit, b.power_limit);
  EXPECT_EQ(a.copy_bandwidth, b.copy_bandwidth);
}

void expect_equal(const KernelResources& a, const KernelResources& b) {
  EXPECT_EQ(a.registers, b.registers);
  EXPECT_EQ(a.spill_store_bytes, b.spill_store_bytes);
  EXPECT_EQ(a.spill_load_bytes, b.spill_load_bytes);
  EXPECT_EQ(a.local_bytes, b.local_bytes);
  EXPECT_EQ(a.static_shared_memory, b.static_shared_memory);
  EXPECT_EQ(a.dynamic_shared_memory, b.dynamic_shared_memory);
  EXPECT_EQ(a.threads, b.threads);
  EXPECT_EQ(a.max_threads, b.max_threads);
  EXPECT_EQ(a.blocks_per_multiprocessor, b.blocks_per_multiprocessor);
  EXPECT_EQ(a.occupancy, b.occupancy);
  EXPECT_EQ(a.limiter, b.limiter);
}

void expect_equal(const Evaluation& a, const Evaluation& b) {
  EXPECT_EQ(a.configuration.entries(), b.configuration.entries());  // order of declaration included
  ASSERT_EQ(a.outcome.has_value(), b.outcome.has_value());
  if (a.outcome) {
    EXPECT_EQ(a.outcome->samples, b.outcome->samples);
    EXPECT_EQ(a.outcome->error, b.outcome->error);
    EXPECT_EQ(a.outcome->tolerance, b.outcome->tolerance);
    EXPECT_EQ(a.outcome->stop, b.outcome->stop);
    EXPECT_EQ(a.outcome->executions, b.outcome->executions);
    EXPECT_EQ(a.outcome->throttled, b.outcome->throttled);
    EXPECT_EQ(a.outcome->energy, b.outcome->energy);
    EXPECT_EQ(a.outcome->metrics, b.outcome->metrics);
    EXPECT_EQ(a.outcome->machine.core_clock, b.outcome->machine.core_clock);
    EXPECT_EQ(a.outcome->machine.memory_clock, b.outcome->machine.memory_clock);
    EXPECT_EQ(a.outcome->machine.temperature, b.outcome->machine.temperature);
    EXPECT_EQ(a.outcome->machine.power, b.outcome->machine.power);
    EXPECT_EQ(a.outcome->machine.throttle, b.outcome->machine.throttle);
  } else {
    EXPECT_EQ(a.outcome.error().phase, b.outcome.error().phase);
    EXPECT_EQ(a.outcome.error().reason, b.outcome.error().reason);
    EXPECT_EQ(a.outcome.error().detail, b.outcome.error().detail);
  }
  ASSERT_EQ(a.resources.has_value(), b.resources.has_value());
  if (a.resources) expect_equal(*a.resources, *b.resources);
  EXPECT_EQ(a.binary_hash, b.binary_hash);
  EXPECT_EQ(a.same_code, b.same_code);
  EXPECT_EQ(a.from_cache, b.from_cache);
  EXPECT_EQ(a.phases.reference, b.phases.reference);
  EXPECT_EQ(a.phases.compile, b.phases.compile);
  EXPECT_EQ(a.phases.load, b.phases.load);
  EXPECT_EQ(a.phases.verify, b.phases.verify);
  EXPECT_EQ(a.phases.measure, b.phases.measure);
}

void expect_equal(const RunRecord& a, const RunRecord& b) {
  EXPECT_EQ(a.key.instance, b.key.instance);
  expect_equal(a.key.device, b.key.device);
  EXPECT_EQ(a.key.toolchain.compiler, b.key.toolchain.compiler);
  EXPECT_EQ(a.key.toolchain.source_hash, b.key.toolchain.source_hash);
  EXPECT_EQ(a.key.origin, b.key.origin);
  EXPECT_EQ(a.key.cache, b.key.cache);
  EXPECT_EQ(a.options.objective, b.options.objective);
  EXPECT_EQ(a.options.strategy, b.options.strategy);
  EXPECT_EQ(a.options.seed, b.options.seed);
  EXPECT_EQ(a.options.budget_evaluations, b.options.budget_evaluations);
  EXPECT_EQ(a.options.budget_seconds, b.options.budget_seconds);
  EXPECT_EQ(a.options.until_gain, b.options.until_gain);
  EXPECT_EQ(a.options.where, b.options.where);
  EXPECT_EQ(a.options.pinned, b.options.pinned);
  EXPECT_EQ(a.options.command_line, b.options.command_line);
  EXPECT_EQ(a.machine.core_clock, b.machine.core_clock);
  EXPECT_EQ(a.machine.memory_clock, b.machine.memory_clock);
  EXPECT_EQ(a.machine.temperature, b.machine.temperature);
  EXPECT_EQ(a.machine.power, b.machine.power);
  EXPECT_EQ(a.machine.throttle, b.machine.throttle);
  EXPECT_EQ(a.machine.host, b.machine.host);
  EXPECT_EQ(a.program_version, b.program_version);
  EXPECT_EQ(a.space_size, b.space_size);
  EXPECT_EQ(a.limit, b.limit);
  EXPECT_EQ(a.items, b.items);
  EXPECT_EQ(a.flops, b.flops);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.item, b.item);
}

}  // namespace tune::testing
