// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <tl/expected.hpp>

namespace tune {

/// All bytes of a file, or why they cannot be read, in a few words: `No such file or directory`.
tl::expected<std::string, std::string> read_text(const std::filesystem::path& path);

}  // namespace tune
