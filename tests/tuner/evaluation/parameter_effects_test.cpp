// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/parameter_effects.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace tune {
namespace {

std::string told(const ParameterEffects& effects, std::uint64_t min_pairs = ParameterEffects::few_pairs) {
  CompileRequest request;
  request.source = {"k.cu", "#include \"h.cuh\"\n// BLOCKS\nint a = BLOCK;\n"};
  request.headers = {{"h.cuh", "\n\nint b = UNROLL;\n"}};
  return to_text(effects.without_effect(min_pairs), request);
}

/// All combinations of two parameters; the code follows from what `code` returns.
ParameterEffects all_of(const std::function<int(int block, int unroll)>& code) {
  ParameterEffects effects;
  for (const int block : {32, 64, 128})
    for (const int unroll : {1, 2})
      effects.add({{"BLOCK", block}, {"UNROLL", unroll}}, std::to_string(code(block, unroll)));
  return effects;
}

TEST(ParameterEffects, NamesWhatChangesNothingAndItsPlace) {
  EXPECT_EQ(
      told(all_of([](int block, int) { return block; })),
      "parameter 'UNROLL' changed nothing in 3 pairs of configurations that differ in it alone (named first in "
      "h.cuh:3)");
  EXPECT_EQ(
      told(all_of([](int, int unroll) { return unroll; })),
      "parameter 'BLOCK' changed nothing in 4 pairs of configurations that differ in it alone (named first in "
      "k.cu:3)");
}

TEST(ParameterEffects, IsSilentWhereOnePairDiffers) {
  EXPECT_EQ(told(all_of([](int block, int unroll) { return block + unroll; })), "");
  EXPECT_EQ(told(all_of([](int block, int unroll) { return block == 128 ? unroll : block; })), "");
}

TEST(ParameterEffects, FewPairsProveNothing) {
  ParameterEffects effects;
  effects.add({{"BLOCK", 32}, {"UNROLL", 1}}, "a");
  effects.add({{"BLOCK", 32}, {"UNROLL", 2}}, "a");
  effects.add({{"BLOCK", 64}, {"UNROLL", 4}}, "a");
  EXPECT_EQ(told(effects), "");
  EXPECT_NE(told(effects, 1), "");
}

TEST(ParameterEffects, AParameterThatIsMissingElsewhereMakesNoPair) {
  ParameterEffects effects;
  for (const int block : {32, 64, 128, 256}) {
    effects.add({{"BLOCK", block}}, std::to_string(block));
    effects.add({{"BLOCK", block}, {"UNROLL", 2}}, std::to_string(block));
  }
  EXPECT_EQ(told(effects), "");
}

}  // namespace
}  // namespace tune
