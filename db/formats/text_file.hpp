// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace tune::replay {

/// A larger text is not a recording, or a compressed file that was made to fill the memory.
constexpr std::size_t max_bytes = std::size_t{2} << 30;

/// Returns the file's bytes, unpacked where it is compressed with gzip, whatever its name. Throws Error for a
/// file that is missing or cannot be read, a compressed one that is cut off or damaged, and for more than
/// `max_count` bytes.
std::string read_text(const std::filesystem::path& path, std::size_t max_count = max_bytes);

/// Writes a new file with that text, compressed with gzip where its name ends with `.gz`. It gets its name
/// when it is complete. Throws Error where the file exists already or cannot be written; no file is left
/// then.
void write_new_text(const std::filesystem::path& path, const std::string& text);

}  // namespace tune::replay
