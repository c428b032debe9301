// SPDX-License-Identifier: Apache-2.0
#include "db/formats/text_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tuner/base/error.hpp"

// Files that may be compressed with gzip.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t most = 1 << 20;
  const std::filesystem::path path = tune::testing::written("in.gz", tune::testing::bytes_of(data, size));
  try {
    tune::replay::TextFile file(path, most);
    std::size_t bytes = 0;
    for (std::string_view part = file.next(); !part.empty(); part = file.next()) bytes += part.size();
    tune::testing::require(bytes <= most, "the text is bounded");
  } catch (const tune::Error&) {
  }
  return 0;
}
