// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "lookup/src/checked_pages.hpp"
#include "tests/fuzz/database_reads.hpp"
#include "tests/fuzz/fuzz_target.hpp"

// Damaged pages that no checksum covers. Four bytes are a change: the page, the place in it (two), the new
// byte.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tune;
  constexpr std::size_t page_bytes = 4096;
  std::string file = tune::testing::sound_database();
  for (std::size_t i = 0; i + 4 <= size; i += 4) {
    const std::size_t page = data[i] % (file.size() / page_bytes) * page_bytes;
    file[page + (data[i + 1] + 256U * data[i + 2]) % page_bytes] = static_cast<char>(data[i + 3]);
    // A page whose checksum is 0 is one that another program copied: it is not verified.
    const auto end = file.begin() + static_cast<std::ptrdiff_t>(page + page_bytes);
    std::fill(end - lookup::checksum_bytes, end, '\0');
  }
  tune::testing::read_everything(tune::testing::written("pages.db", file));
  return 0;
}
