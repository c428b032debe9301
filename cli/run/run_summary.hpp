// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "tuner/session/session.hpp"
#include "tuner/session/store.hpp"

namespace tune::cli {

/// What a finished run tells.
struct FinishedRun {
  const RunRecord& record;
  const SessionResult& result;
  std::string device_label;
  std::filesystem::path database;
};

/// For people: the winner first.
std::string to_text(const FinishedRun& summary);
/// One object, with times in seconds.
std::string to_json(const FinishedRun& summary);

}  // namespace tune::cli
