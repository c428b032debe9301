// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace tune::replay {

/// More than this is no recording, or a compressed file that was made to fill the memory.
constexpr std::size_t max_bytes = std::size_t{2} << 30;

/// The file's bytes, unpacked where it is compressed with gzip, whatever its name. Throws Error: one that is
/// not there or cannot be read, a compressed one that is cut off or damaged, or more than `most` bytes.
std::string read_text(const std::filesystem::path& path, std::size_t max_count = max_bytes);

/// A new file with that text, compressed with gzip where its name ends with `.gz`; it has its name only when
/// it is complete. Throws Error where there is a file of that name already, or it cannot be written; nothing
/// is left then.
void write_new_text(const std::filesystem::path& path, const std::string& text);

}  // namespace tune::replay
