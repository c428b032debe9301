// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// Where a number of an execution comes from.
struct ResultSource {
  enum class Kind {
    wall_time,
    processor_time,
    peak_memory,  ///< resident [bytes]
    exit_code,
    output,   ///< standard output is the number
    pattern,  ///< the first group of a regular expression, or all that it matches, in standard output
    json      ///< the member of a JSON text at a path: `stats.times[0]`
  };
  Kind kind = Kind::wall_time;
  std::string text = {};  ///< the regular expression or the path
  double scale = 1;       ///< by which the number is multiplied: 1e-3 for milliseconds
};

/// What standard output, or a file that the command writes, must hold.
struct ExpectedOutput {
  std::filesystem::path file = {};     ///< the right contents
  std::filesystem::path written = {};  ///< relative to the working directory; empty: standard output
  double absolute = 0, relative = 0;   ///< by which numbers may differ
};

/// The meaning of a configuration of a problem whose evaluation is a command. A command is its program and
/// arguments; an empty one does not exist.
struct CommandPlan {
  using Words = std::vector<std::string>;

  std::filesystem::path folder;  ///< in which commands run
  /// Files and folders in it of which each build gets a copy, in which its commands run; empty: commands run
  /// in the folder itself, one after another.
  std::vector<std::filesystem::path> files = {};
  Words build = {}, run = {}, check = {};
  std::vector<std::pair<std::string, std::string>> environment = {};
  /// By name. `time`: the seconds by which executions are ranked; without it, the wall time.
  std::vector<std::pair<std::string, ResultSource>> results = {};
  std::optional<ExpectedOutput> expected = std::nullopt;
  std::optional<double> timeout = std::nullopt;  ///< seconds of an execution, where the run names none
  int warmup = 1;                                ///< executions before the first that counts
};

/// Returns the words for a message: `./app --tile 8`.
std::string to_text(const CommandPlan::Words& command);

}  // namespace tune
