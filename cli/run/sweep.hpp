// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/input/problem_selection.hpp"
#include "cli/run/dry_run.hpp"
#include "cli/run/run_summary.hpp"
#include "db/store/database.hpp"
#include "tuner/problem/instance.hpp"
#include "tuner/session/store.hpp"

namespace tune::cli {

/// One call of `tune run` with several works: each is a run, and one summary shows all.
class Sweep {
 public:
  /// `works` are the instances of all works, each once.
  explicit Sweep(std::vector<Instance> works) : works_(std::move(works)) {}

  /// Whether an earlier, unfinished call with the same command line has ended a run of this work by itself;
  /// if so, that run is the work's row.
  bool finished_before(const db::Database& database, const RunRecord& record,
                       const std::string& command_line);
  void add(const FinishedRun& run);
  void add_failed(const ProblemOptions& work, const std::string& reason);
  void add_left_out(const ProblemOptions& work);
  bool has_run() const { return has_run_; }
  /// What a dry run would do.
  void plan(PlannedWork work) { planned_.push_back(std::move(work)); }
  const std::vector<PlannedWork>& planned() const { return planned_; }

  /// A table with a row for each work.
  std::string text() const;
  /// `works`: the summary of each run, or an object with `work`, `end` and `reason`.
  std::string json() const;

 private:
  struct Row {
    std::string work, best = {}, rate = {}, share = {}, over_default = {}, evaluations = {}, run = {},
                      end = {};
    bool has_failed = false;

    /// Of an execution that takes so long.
    void set_speed(const RunRecord& record, double seconds);
  };

  std::vector<Instance> works_;
  std::vector<Row> rows_;
  std::vector<PlannedWork> planned_;
  std::string database_option_ = {};
  bool has_run_ = false;
  nlohmann::ordered_json objects_ = nlohmann::ordered_json::array();
};

}  // namespace tune::cli
