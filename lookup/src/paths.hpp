// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

/// Finds databases and recordings, for the command line too.
namespace tune::lookup {

/// Returns $TUNE_DB, else $XDG_DATA_HOME/tune/results.db, else ~/.local/share/tune/results.db; nothing where
/// none of the variables is set.
std::optional<std::string> default_database();

/// Returns the *.db files in a folder, sorted; none where it cannot be read.
std::vector<std::string> databases_in(const std::string& folder);

/// Returns where the recordings that ship with tune are searched: $TUNE_RECORDINGS alone where that is set,
/// else share/tune/recordings in the prefix of the program; in that of this library, where it is a shared
/// one; in the prefix `installed`, if any; where the build was to be installed.
std::vector<std::string> recording_places(const std::string& installed = {});

/// Returns the recordings of the first of these places that has any.
std::vector<std::string> default_recordings(const std::string& installed = {});

}  // namespace tune::lookup
