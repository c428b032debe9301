// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>
#include <system_error>

namespace tune::cache {

/// How the names of files begin that write_file has not finished.
inline constexpr std::string_view unfinished_prefix = "unfinished-";

/// Writes a whole file in one step: whoever reads `path`, in this process or another one, sees all of it, or
/// what was there before. Makes the folder where it is missing. Leaves nothing behind where it fails. Not
/// synced: what a crash of the machine cuts short is for the reader to notice.
std::error_code write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace tune::cache
