// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/recording.hpp"

#include <array>
#include <cmath>

#include "db/store/sqlite_store.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "search/space/search_space.hpp"
#include "search/strategies/registry.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/content_hash.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::testing {
namespace {

constexpr std::array phases = {Phase::compile, Phase::resources, Phase::launch,
                               Phase::verify,  Phase::timeout,   Phase::crash};
constexpr std::array reasons = {"syntax",       "shared memory", "launch failed",
                                "wrong result", "timeout",       "illegal address"};

double number_of(const Configuration& configuration, const char* name, double otherwise) {
  const search::Value* value = configuration.find(name);
  return value == nullptr ? otherwise : value->as_real();
}

/// A landscape with one valley: what it is matters to no test, only that it is the same each time.
double invented_time(const Configuration& configuration, std::int64_t n) {
  const auto edge = static_cast<double>(n);
  const double threads = number_of(configuration, "block_x", 1) * number_of(configuration, "block_y", 1) *
                         number_of(configuration, "block_z", 1);
  const double cells = number_of(configuration, "vector", 1) * number_of(configuration, "cells_y", 1);
  const double shape = 1 + std::abs(threads - 256) / 300 + std::abs(cells - 4) / 5 +
                       0.1 * number_of(configuration, "min_blocks", 1);
  return edge * edge * edge * 2.5e-12 * shape;
}

Evaluation invented_evaluation(const Configuration& configuration, const InventedRecording& recording) {
  Evaluation evaluation;
  evaluation.configuration = configuration;
  evaluation.phases = {0.5, 0.01, 0.02, 0.03};
  const std::uint64_t hash = std::stoull(content_hash(configuration.key()).substr(0, 8), nullptr, 16);
  if (hash % 10 == 0) {
    const std::size_t which = hash / 10 % phases.size();
    evaluation.outcome = fail(phases.at(which), reasons.at(which), "invented\nin two lines");
    return evaluation;
  }
  const double time = recording.slower_by * invented_time(configuration, recording.n);
  Measurement measurement;
  for (int i = 0; i < recording.samples_each; ++i)
    measurement.samples.push_back(time * (1 + 0.001 * (i % 3 - 1)));
  if (recording.energies) measurement.energy = 1e-9 / time;
  measurement.error = 1e-7;
  measurement.tolerance = 1e-6;
  evaluation.outcome = measurement;
  evaluation.binary_hash = content_hash(configuration.key());
  evaluation.resources = KernelResources{40, 0, 0, 0, 1024, 2048, 256, 1024, 6, 0.75, "registers"};
  return evaluation;
}

RunRecord invented_run(const InventedRecording& recording, const Problem& problem) {
  RunRecord run;
  run.key = {invented_instance(recording.n),
             recording.device,
             {"NVRTC 13.0 sm_90", source_hash(problem, kernels::EmbeddedSources())},
             recording.origin};
  if (!recording.sources.empty()) run.key.toolchain.source_hash = recording.sources;
  run.options.strategy = "grid";
  run.options.command_line = "tune --problem stencil3d --strategy grid";
  run.machine.host = "invented-host";
  run.program_version = "0.0.7";  // no release that a build could have
  const ProblemCost cost = problem.cost(run.key.instance);
  run.items = cost.items;
  run.flops = cost.flops;
  run.bytes = cost.bytes;
  run.item = problem.info().item;
  run.limit = roofline_limit(cost, recording.device);
  return run;
}

}  // namespace

DeviceProperties device_named(const std::string& name) {
  DeviceProperties properties = architecture_properties("sm_90");
  properties.name = name;
  properties.uuid = "GPU-0000";
  properties.multiprocessors = 132;
  properties.global_memory = 100'000'000'000;
  properties.l2_cache = 50'000'000;
  properties.core_clock = 1'980'000'000;
  properties.memory_clock = 3'201'000'000;
  properties.memory_bus_bits = 6144;
  properties.driver = "580.1";
  properties.copy_bandwidth = 4e12;
  return properties;
}

Instance invented_instance(std::int64_t n) {
  return {
      "stencil3d", {{"nx", n}, {"ny", n}, {"nz", n}}, {{"type", "float"}, {"shape", "star"}, {"radius", 1}}};
}

void add_recording(const std::filesystem::path& path, const InventedRecording& recording) {
  const auto problem = kernels::make_problem("stencil3d");
  RunRecord run = invented_run(recording, *problem);
  const search::SearchSpace space(problem->space(run.key.instance, recording.device));
  run.space_size = space.size();
  db::Database database(path);
  db::SqliteStore store(database, [] { return std::string("2026-01-31T12:00:00.000Z"); });
  const RunId id = store.begin_run(run);
  const auto strategy = search::choose_strategy("random").make({space, recording.sample});
  for (const search::ConfigurationId chosen : strategy->ask(recording.count))
    store.record(id, invented_evaluation(space.at(chosen), recording));
  store.end_run(id, RunEnd::exhausted);
}

const std::filesystem::path& shipped_recording() {
  static const TemporaryFolder folder;
  static const std::filesystem::path path = [] {
    const std::filesystem::path made = folder / "invented.db";
    add_recording(made);
    add_recording(made, {.n = 512, .count = 60});
    return made;
  }();
  return path;
}

}  // namespace tune::testing
