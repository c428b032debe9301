// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/problem/problem.hpp"
#include "tuner/session/session.hpp"
#include "tuner/session/store.hpp"

namespace tune::cli {

/// A finished run and what is known of it beyond the database.
struct FinishedRun {
  const RunRecord& record;
  const SessionResult& result;
  std::string device_label;
  std::filesystem::path database;
  const Problem* problem = nullptr;  ///< whose metrics are shown
  /// `--problem P --size S ...` for `tune best`, and `--db FILE` for every command, where it was given.
  /// Without the first no further commands are shown.
  std::string asked = {}, database_option = {};
  /// By the objective, of all that was recorded; nothing where nothing was replayed.
  std::optional<double> recorded_best = {};
  std::string replay_reason = {};  ///< why there was a replay that nobody asked for; else empty
  std::vector<int> devices = {};   ///< numbers of the GPUs that shared the run; empty for one
};

/// By the objective; nothing where there is no best or its value is unknown.
std::optional<double> best_value(const FinishedRun& summary);
/// How many times as good the best is as another one; nothing where one of them is unknown.
std::optional<double> speed_up(const FinishedRun& summary, const std::optional<double>& other);

/// The summary as text, the winner first.
std::string to_text(const FinishedRun& summary);
/// One object, with times in seconds.
std::string to_json(const FinishedRun& summary);

}  // namespace tune::cli
