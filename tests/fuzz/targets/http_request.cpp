// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/http_server.hpp"
#include "tests/fuzz/fuzz_target.hpp"

// Heads of requests to `tune serve`.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto request = tune::cli::read_request(tune::testing::bytes_of(data, size));
  if (!request) return 0;
  tune::testing::require(!request->method.empty(), "a request has a method");
  for (const auto& [name, value] : request->headers)
    tune::testing::require(!name.empty() && value.find_first_of("\r\n") == std::string::npos,
                           "a field has a name, and a value in one line");
  return 0;
}
