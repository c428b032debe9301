// SPDX-License-Identifier: Apache-2.0
#include "lookup/src/connection.hpp"
#include "lookup/src/search.hpp"
#include "tests/fuzz/fuzz_target.hpp"

// Configurations and numbers as the lookup library reads them from a database.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(tune::testing::bytes_of(data, size));
  tune::lookup::real_or(text, 1);
  try {
    tune::lookup::parse_configuration(text, "results.db");
  } catch (const tune::lookup::Failed&) {
  }
  return 0;
}
