// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tune::db {

struct SalvageResult {
  std::int64_t runs = 0, evaluations = 0, samples = 0;  ///< that were saved
  std::vector<std::string> left_out;                    ///< one line for each table or row, at most max_lines
  std::int64_t more = 0;                                ///< further ones
  static constexpr std::size_t max_lines = 20;
};

/// Copies all sound rows of a damaged database, of any released schema, into a new file, which check_database
/// finds sound. Numbers stay. Left out are rows on damaged pages, rows that contradict others, and rows that
/// refer to them; a measurement whose samples cannot be read stays without them. The source is not changed.
/// Throws Error where the target exists or cannot be written, or where the source's schema cannot be read; no
/// file is left there then.
SalvageResult salvage_database(const std::filesystem::path& source, const std::filesystem::path& target);

}  // namespace tune::db
