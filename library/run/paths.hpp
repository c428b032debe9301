// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tune::run {

/// Returns `given`, else $TUNE_DB, else $XDG_DATA_HOME/tune/results.db, else ~/.local/share/tune/results.db.
/// Throws Error where none of them is set.
std::filesystem::path database_path(const std::string& given);

/// Returns the folder of compiled kernels: `given`, else $TUNE_CACHE_DIR, else $XDG_CACHE_HOME/tune/binaries,
/// else ~/.cache/tune/binaries. Empty where none of them is set.
std::filesystem::path cache_folder(const std::string& given);

/// Returns the recordings that ship with the program, sorted by name: lookup::default_recordings.
/// `installed`: the folder in which tune is installed, where a static library does not find it.
std::vector<std::filesystem::path> shipped_recordings(const std::filesystem::path& installed = {});

}  // namespace tune::run
