// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_target.hpp"
#include "tuner/base/content_hash.hpp"
#include "tuner/cache/binary_cache.hpp"

// Entries of the compile cache. The bytes are their contents, to which the checksum fits.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tune;
  static const std::string mark = [] {
    const std::string entry = cache::to_entry("key", fail(Phase::compile, "syntax", "detail"));
    return entry.substr(0, entry.find('\n') + 1);
  }();
  const std::string payload(tune::testing::bytes_of(data, size));
  const auto read = cache::from_entry("key", mark + content_hash(payload) + payload);
  if (read)
    tune::testing::require(cache::from_entry("key", cache::to_entry("key", *read)).has_value(),
                           "what was read can be kept");
  return 0;
}
