// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "db/formats/text_file.hpp"

namespace tune::testing {

inline std::string whole_text(const std::filesystem::path& path, std::size_t max_count = replay::max_bytes) {
  replay::TextFile file(path, max_count);
  std::string text;
  for (std::string_view part = file.next(); !part.empty(); part = file.next()) text += part;
  return text;
}

}  // namespace tune::testing
