// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace tune::testing {

/// Returns the bytes of a sound database without a log, made once a process.
const std::string& sound_database();

/// Asks a database of these example runs everything that commands ask. Errors of the program are answers;
/// every other exception is let through.
void read_everything(const std::filesystem::path& path);

}  // namespace tune::testing
