// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/input/problem_selection.hpp"
#include "db/read/recording.hpp"
#include "search/space/search_space.hpp"

namespace tune::cli {

/// What another tuner's file has, as a recording of the chosen problem; nothing where `device`
/// (`replay:FILE`) does not name such a file, as a database. Where the user names no size, the selection gets
/// that of the file, if it has as many extents. Throws Error for a file that cannot be read, UsageError for
/// another size than the user's.
std::optional<db::Recording> recording_in_file(const std::string& device, const ProblemOptions& options,
                                               ProblemSelection& selection);

/// A recording as far as its configurations are in the space of a problem.
struct MatchedRecording {
  db::Recording recording;    ///< another program's: with the names and values of the problem's parameters
  search::SearchSpace space;  ///< of the recorded configurations
  /// States what was matched of another program's recording; else empty.
  std::string notice = {};
};

/// Throws UsageError that names the differences where nothing matches.
MatchedRecording matched_recording(const ProblemSelection& selection, db::Recording recording,
                                   const SpaceChoice& choice);

}  // namespace tune::cli
