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
#include "library/run/tuning_run.hpp"
#include "library/tuner/maker.hpp"
#include "library/tuner/problem.hpp"
#include "tuner/backends/backend.hpp"
#include "tuner/evaluation/evaluation.hpp"
#include "tuner/session/session.hpp"

namespace tune::api {

/// A problem at a size on the device, ready for evaluations. They are one run of the database.
struct OpenRun {
  OpenRun(const Problem& problem, const Sizes& sizes, const run::TuningRequest& wanted, Tuner::State& state);

  std::uint64_t stamp;
  std::shared_ptr<const tune::Problem> problem;
  Backend* backend;  ///< null on the emulator and for a command
  std::unique_ptr<KernelSources> sources;
  run::TuningRequest request;  ///< settled
  Instance instance;
  DeviceProperties device;
  search::SearchSpace space;
  RunRecord record;
  std::unique_ptr<Evaluator> evaluator;
  std::optional<RunId> run = std::nullopt;  ///< once something was stored
  /// Evaluations that the database had when the first one was asked for, and those since; by the key.
  std::optional<std::map<std::string, tune::Evaluation>> known = std::nullopt;
};

struct Tuner::State {
  explicit State(Options wanted);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  bool emulated() const { return options.device == "emulator"; }
  /// Opens the device of the problem at the first call; null on the emulator and for a command. Throws
  /// tune::Error where there is no such device, and UsageError where it does not run the problem.
  Backend* backend_of(const tune::Problem& problem);
  db::Database& database();
  /// Returns the open run, or opens another where it is not of this problem and these sizes.
  OpenRun& open_run(const Problem& problem, const Sizes& sizes);
  void close_run();

  /// Replaces the options; parts that they do not change stay open. Throws UsageError.
  void set(Options wanted);

  const Maker maker = {};
  Options options;
  run::TuningRequest request;  ///< not settled: a definition decides what the options leave open
  std::atomic<bool> cancelled{false};
  /// Tests replace it.
  std::function<std::unique_ptr<Backend>()> open_backend;

 private:
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<db::Database> database_;
  std::unique_ptr<db::SqliteStore> store_;
  std::unique_ptr<OpenRun> open_run_;

 public:
  db::SqliteStore& store();
};

/// Opens a GPU, or the processor (`cpu`), with the cache of binaries, behind a worker process unless
/// `in_process`. `timeout` is in seconds. Throws tune::Error that states what is missing and what to do.
std::unique_ptr<Backend> open_gpu(const std::string& device, double timeout, bool in_process,
                                  const std::string& installed);

}  // namespace tune::api
