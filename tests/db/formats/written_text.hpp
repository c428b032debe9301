// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "db/formats/file_format.hpp"

namespace tune::testing {

/// A file's text, and what writing it lost.
struct WrittenText {
  std::string text;
  replay::WrittenFile file;
};

/// Writes the record, whose evaluations lie in memory.
inline WrittenText written_text(const replay::FileFormat& format, const replay::ThirdPartyRecord& record) {
  replay::WrittenWorkload workload{record.problem, record.workload, record.device, {}};
  workload.each = [&](const replay::WrittenWorkload::Take& take) {
    for (std::size_t i = 0; i < record.evaluations.size(); ++i)
      take(record.evaluations[i], i < record.recorded.size() ? record.recorded[i] : std::string());
  };
  WrittenText written;
  written.file = format.write(workload, [&](std::string_view part) { written.text += part; });
  return written;
}

}  // namespace tune::testing
