// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tune/tuner.hpp>

#include "db/store/sqlite_store.hpp"
#include "library/tuner/spec.hpp"
#include "tuner/backends/backend.hpp"
#include "tuner/evaluation/device_evaluator.hpp"
#include "tuner/session/session.hpp"

namespace tune::api {

/// A problem at a size on the device, ready for evaluations one by one. They are one run of the database.
struct OpenRun {
  /// `backend` is null on the emulator.
  OpenRun(const Problem& problem, const Sizes& sizes, const Options& options, Backend* backend);

  std::uint64_t stamp;
  described::DescribedProblem problem;
  described::DescribedSources sources;
  Instance instance;
  DeviceProperties device;
  search::SearchSpace space;
  RunRecord record;
  std::unique_ptr<Evaluator> evaluator;
  std::optional<RunId> run = std::nullopt;  ///< once something was stored
  /// What the database knew when the first evaluation was asked for, and what came since; by the key.
  std::optional<std::map<std::string, tune::Evaluation>> known = std::nullopt;
};

struct Tuner::State {
  explicit State(Options wanted);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  bool emulated() const { return options.device == "emulator"; }
  /// Opened at the first call. Throws tune::Error where there is no such device.
  Backend* backend();
  db::Database& database();
  /// The one that is open, where it is of this problem and these sizes.
  OpenRun& open_run(const Problem& problem, const Sizes& sizes);
  void close_run();

  Options options;
  std::atomic<bool> cancelled{false};
  /// Tests put another in its place.
  std::function<std::unique_ptr<Backend>()> open_backend;

 private:
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<db::Database> database_;
  std::unique_ptr<db::SqliteStore> store_;
  std::unique_ptr<OpenRun> open_run_;

 public:
  db::SqliteStore& store();
};

/// The GPU that the options name, with the cache of binaries, behind a worker process unless they say
/// otherwise. Throws tune::Error that says what is missing and what to do.
std::unique_ptr<Backend> open_gpu(const std::string& device, double timeout, bool in_process);

MeasureOptions measure_options(const Options& options);
tune::Objective objective_of(Objective objective);

}  // namespace tune::api
