// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

/// Where databases and recordings are found: the command line asks here too.
namespace tune::lookup {

/// $TUNE_DB, else $XDG_DATA_HOME/tune/results.db, else ~/.local/share/tune/results.db. Nothing where none of
/// them can be told.
std::optional<std::string> default_database();

/// The *.db files in a folder, sorted; none where it cannot be read.
std::vector<std::string> databases_in(const std::string& folder);

/// The recordings that ship with tune: of $TUNE_RECORDINGS where that is set, else of the first of these
/// folders that has any: ../share/tune/recordings beside the program; the same beside this library, where it
/// is a shared one; where the build was to be installed.
std::vector<std::string> default_recordings();

}  // namespace tune::lookup
