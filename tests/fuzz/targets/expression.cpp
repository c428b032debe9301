// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "search/expressions/expr.hpp"
#include "tests/fuzz/fuzz_target.hpp"

// Constraints, --where. The first byte says which names have a value.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tune::search;
  static const std::map<std::string, Value, std::less<>> known = {
      {"BLOCK", std::int64_t{64}}, {"ITEMS", 2.5}, {"mode", "a"}, {"flag", true}};
  if (size == 0) return 0;
  const unsigned given = data[0];
  const Lookup lookup = [given](std::string_view name) -> const Value* {
    const auto found = known.find(name);
    if (found == known.end() || (given >> std::distance(known.begin(), found) & 1U) == 0) return nullptr;
    return &found->second;
  };
  try {
    const Expr expression = Expr::parse(tune::testing::bytes_of(data + 1, size - 1));
    const std::string text = expression.to_string();
    tune::testing::require(Expr::parse(text).same_as(expression), "parse reads to_string back");
    const Tribool truth = expression.partially_evaluate(lookup);
    try {
      const bool value = expression.evaluate(lookup).as_bool();
      tune::testing::require(truth != (value ? Tribool::no : Tribool::yes), "partial evaluation is sound");
    } catch (const ExprError&) {
    }
  } catch (const ExprError&) {
  }
  return 0;
}
