// SPDX-License-Identifier: Apache-2.0
// A fuzz target is a source of targets/ that defines the function of libFuzzer. It calls a parser with the
// bytes and lets the exceptions through that the parser does not document: these, aborts and reports of
// sanitizers are findings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/support/temporary_folder.hpp"

/// Returns 0. The bytes may be of any kind and number.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tune::testing {

inline std::string_view bytes_of(const std::uint8_t* data, std::size_t size) {
  return size == 0 ? std::string_view() : std::string_view(reinterpret_cast<const char*>(data), size);
}

/// Removes and returns the text up to the next separator, which goes too.
inline std::string_view next_part(std::string_view& text, char separator = '\n') {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

/// Ends the process where a property of the parser does not hold.
inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

/// The folder of this process for files of inputs.
inline const TemporaryFolder& fuzz_folder() {
  static const TemporaryFolder folder;
  return folder;
}

/// Writes a file of the folder and returns its path.
inline std::filesystem::path written(const std::string& name, std::string_view bytes) {
  std::filesystem::path path = fuzz_folder() / name;
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path;
}

}  // namespace tune::testing
