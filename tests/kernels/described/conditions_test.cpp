// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source/conditions.hpp"

#include <gmock/gmock.h>

namespace tune::described {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

KernelText file_of(const std::string& text, std::vector<SourceFile> headers = {}) {
  return {{"k.cu", text}, std::move(headers)};
}

TEST(Conditions, HaveTheValuesOfThePreprocessor) {
  const MacroValues macros = {{"A", "3"}, {"B", "(A * 2)"}, {"EMPTY", ""}, {"LOOP", "LOOP + 1"}};
  EXPECT_EQ(value_of_condition("A == 3 && B == 6", macros), 1);
  EXPECT_EQ(value_of_condition("(A + 1) * 2 % 5 - -1 << 2", macros), 16);
  EXPECT_EQ(value_of_condition("!defined(A) || defined Z or 0", macros), 0);
  EXPECT_EQ(value_of_condition("A > 2 ? 0x10 : 7UL", macros), 16);
  EXPECT_EQ(value_of_condition("~0 & 6 ^ 1 | 8", macros), 15);
  EXPECT_EQ(value_of_condition("-9223372036854775807 - 1 == 1 << 63", macros), 1);
  for (const char* wrong : {"", "1 +", "(1", "1 / 0", "EMPTY", "f(1)", "'a'", "LOOP", "1 2"})
    EXPECT_EQ(value_of_condition(wrong, macros), std::nullopt) << wrong;
  std::vector<std::string> asked;
  EXPECT_EQ(
      value_of_condition("X + Y == 0 && A", macros, [&](std::string_view name) { asked.emplace_back(name); }),
      1);
  EXPECT_THAT(asked, ElementsAre("X", "Y"));
}

TEST(Conditions, NestingIsBounded) {
  EXPECT_EQ(value_of_condition(std::string(100'000, '('), {}), std::nullopt);
  EXPECT_EQ(value_of_condition(std::string(100'000, '!') + "1", {}), std::nullopt);
  MacroValues macros;  // each twice the one before
  for (int i = 1; i < 60; ++i)
    macros["M" + std::to_string(i)] = "M" + std::to_string(i - 1) + " + M" + std::to_string(i - 1);
  macros["M0"] = "1";
  EXPECT_EQ(value_of_condition("M59", macros), std::nullopt);
}

TEST(Conditions, LeaveTheBranchThatIsTaken) {
  const Branches branches =
      follow_conditions(file_of("#define N 4  // four\n"
                                "#ifndef BLOCK\n#define BLOCK 64\n#endif\n"
                                "#if MODE == 1\nfirst\n#elif MODE == 2\nsecond\n#else\nthird\n#endif\n"
                                "#ifdef __CUDA_ARCH__\ndevice /* here */ \\\n  goes on\n#endif\n"
                                "#define LDG(x) __ldg(x)\n#undef N\n#pragma unroll FACTOR\n"),
                        {{"MODE", "2"}, {"BLOCK", "128"}});
  EXPECT_EQ(branches.text.find("first"), std::string::npos);
  EXPECT_EQ(branches.text.find("third"), std::string::npos);
  EXPECT_EQ(branches.text.find('#'), std::string::npos);
  EXPECT_EQ(branches.text.find('\\'), std::string::npos);
  // Lines stay where they are.
  const std::size_t second = branches.text.find("second");
  ASSERT_NE(second, std::string::npos);
  EXPECT_EQ(
      std::count(branches.text.begin(), branches.text.begin() + static_cast<std::ptrdiff_t>(second), '\n'),
      7);
  EXPECT_EQ(branches.macros.at("BLOCK"), "128");
  EXPECT_FALSE(branches.macros.contains("N"));
  EXPECT_EQ(branches.functions.at("LDG"), "(x) __ldg(x)");
  EXPECT_THAT(branches.unrolls, ElementsAre("FACTOR"));
  EXPECT_TRUE(branches.asked.empty());
  EXPECT_THAT(
      follow_conditions(file_of("#if A == B\n#elif C\n#endif\n#if 0\n#if D\n#endif\n#endif"), {}).asked,
      ElementsAre("A", "B"));
}

TEST(Conditions, FollowHeadersOnce) {
  const Branches branches =
      follow_conditions(file_of("#include \"a.h\"\n#include <math.h>\n#if SIZE == 8\nyes\n#endif\n",
                                {{"a.h", "#include \"a.h\"\n#define SIZE 8\nint in_header;\n"}}),
                        {});
  EXPECT_NE(branches.text.find("yes"), std::string::npos);
  EXPECT_NE(branches.text.find("int in_header"), std::string::npos);
}

TEST(Conditions, CompareNamesWithNumbers) {
  const auto all = comparisons_in(
      file_of("#if (VECTOR == 1)\n#elif VECTOR == 2 || (4 == 4 && VECTOR==4)\n#endif\n"
              "#if USE_CACHE\n#if !defined(GUARD) && UNROLL > 0\n#endif\n#endif\n#if A % 2 == 0\n#endif\n"));
  EXPECT_THAT(all.at("VECTOR").equal, UnorderedElementsAre(1, 2, 4));
  EXPECT_TRUE(all.at("USE_CACHE").is_flag);
  EXPECT_TRUE(all.at("UNROLL").above_zero);
  EXPECT_FALSE(all.contains("GUARD"));
  EXPECT_TRUE(all.at("A").equal.empty());
}

TEST(Conditions, GuardedMacrosHaveTheirDefaults) {
  const auto macros = guarded_macros(file_of(
      "#ifndef A\n  #define A 8  // eight\n#endif\n#define B 3\n#ifndef C\n#define C \\\n 5\n#endif\n"));
  ASSERT_EQ(macros.size(), 2U);
  EXPECT_EQ(macros[0].name + "=" + macros[0].value, "A=8");
  EXPECT_EQ(macros[1].name + "=" + macros[1].value, "C=5");
}

TEST(Conditions, MacrosAreExpanded) {
  const MacroValues macros = {{"border", "(width / 2) * 2"}, {"width", "FILTER"}, {"self", "self + 1"}};
  EXPECT_EQ(expanded("border + 1", macros), "((FILTER / 2) * 2) + 1");
  EXPECT_EQ(expanded("border", macros, {{"width", ""}}), "((width / 2) * 2)");
  EXPECT_LT(expanded("self", macros).size(), 1000U);
}

}  // namespace
}  // namespace tune::described
