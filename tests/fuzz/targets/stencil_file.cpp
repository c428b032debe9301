// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/language/definition.hpp"
#include "tests/fuzz/fuzz_target.hpp"

// Files of stencils: equations and coefficients.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tune::kernels;
  const auto read = parse_definition(tune::testing::bytes_of(data, size), "in.stencil");
  if (!read) return 0;
  const auto again = parse_definition(definition_text(read->stencil, read->name));
  tune::testing::require(again.has_value() && again->stencil == read->stencil,
                         "a stencil's text is read back");
  return 0;
}
