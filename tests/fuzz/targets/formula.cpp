// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/formula.hpp"

#include <map>

#include "tests/fuzz/fuzz_target.hpp"

// Values in definitions.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tune::described::FormulaValue;
  static const std::map<std::string, FormulaValue, std::less<>> known = {
      {"n", std::int64_t{12}},
      {"x", 2.5},
      {"mode", std::string("a")},
      {"list", FormulaValue::List{true, 1.5}}};
  const auto lookup = [](std::string_view name) {
    const auto found = known.find(name);
    return found == known.end() ? nullptr : &found->second;
  };
  try {
    tune::described::evaluate(tune::testing::bytes_of(data, size), lookup);
  } catch (const tune::search::ExprError&) {
  }
  return 0;
}
