// SPDX-License-Identifier: Apache-2.0
// Forms of constraints that users of Python write, with the numbers of configurations that Python counts.
#include <gtest/gtest.h>

#include <string>

#include "search/space/search_space.hpp"

namespace tune::search {
namespace {

SpaceDefinition with_constraint(const std::string& text) {
  SpaceDefinition definition;
  definition.parameters = {{"A", "", {1, 2, 3, 4, 8}, 1},
                           {"B", "", {0, 1, 2, 3, 5}, 0},
                           {"F", "", {0.5, 1.0, 2.5}, 0.5},
                           {"S", "", {"x", "y", "auto"}, "x"},
                           {"T", "", {true, false}, true}};
  definition.constraints = {{Expr::parse(text), ""}};
  return definition;
}

TEST(ConstraintForms, CountLikePython) {
  const struct {
    const char* text;
    ConfigurationId valid;  ///< of 450
  } forms[] = {
      {"A & 1", 180},
      {"(A & (A - 1)) == 0", 360},
      {"A | B == 3", 144},
      {"(A | B) == 3", 144},
      {"A ^ B < 4", 234},
      {"~A + B < 0", 324},
      {"A << B <= 16", 288},
      {"A >> 1 == 1", 180},
      {"A << 2 >> 1 == 4", 90},
      {"round(F) == 2", 150},
      {"log2(A) == 2", 90},
      {"math.log2(A) % 1 == 0", 360},
      {"gcd(A, 6) == 2", 270},
      {"math.gcd(A, B) == 1", 306},
      {"divmod(A, 3)[1] == 0", 90},
      {"B is not None", 450},
      {"A is None", 0},
      {"A in [1, 2, 4]", 270},
      {"A not in (1, 2)", 270},
      {"B in range(1, 4)", 270},
      {"B not in range(0, 6, 2)", 270},
      {"S in ['x', 'y']", 300},
      {"S not in ('x',)", 300},
      {"A in {1, 2, 8}", 270},
      {"1 < A <= 4", 270},
      {"B < A < 8 > B", 180},
      {"A == B == 2", 18},
      {"A != B != 2", 324},
      {"A and B", 360},
      {"A or B", 450},
      {"(A and B) == 2", 90},
      {"(B or A) == 4", 18},
      {"not A & 1", 270},
      {"(B or 7) < 6", 360},
      {"T and A > 2", 135},
      {"T == True", 225},
      {"T", 225},
      {"not T", 225},
      {"S == 'x' and A > 1 or T", 285},
      {"A * B % 4 == 0", 252},
      {"A ** 2 <= 16", 360},
      {"A // 2 == 1", 180},
      {"A / 2 == 1.5", 90},
      {"-A + B > 0", 126},
      {"+A > 2", 270},
      {"A % 2 == 0 if T else A > 2", 270},
      {"[1, 5, 3][1] == B", 90},
      {"[2, 4, 8][B % 3] == A", 90},
      {"[1, 2, 4][:2] == [1, 2] and A > 1", 360},
      {"A in [1, 2, 4, 8][1:3]", 180},
      {"A in [x * 2 for x in range(3)]", 180},
      {"A in [*range(3)]", 180},
      {"A in [1 << i for i in range(3)]", 270},
      {"A in range(1, 9)[::2]", 180},
      {"all(A % x == 0 for x in [1, 2])", 270},
      {"any(A == x for x in (1, 8))", 180},
      {"sum([A, B]) == 5", 54},
      {"max(A, B) <= 3", 216},
      {"min([A, B]) == 2", 108},
      {"abs(A - B) <= 1", 180},
      {"len([x for x in [A, B] if x > 2]) == 1", 234},
      {"(A, B) in [(1, 2), (2, 3)]", 36},
      {"(A, B) == (1, 2)", 18},
      {"(A, B) != (1, 2)", 432},
      {"int(F) == A", 60},
      {"float(A) == 2.0", 90},
      {"bool(B)", 360},
      {"math.ceil(F) == B", 90},
      {"math.floor(F) == B", 90},
      {"math.sqrt(A) == 2", 90},
      {"pow(A, 2) == 16", 90},
      {"A <= 1e1", 450},
      {"A < B or (A > B and T)", 261},
      {"sum(x * A for x in range(3)) == 6", 90},
      {"A == max(1, 2, B)", 72},
      {"[A, B][0] == 2", 90},
      {"A in [1, 2] + [8]", 270},
      {"A in list(range(3))", 180},
      {"A in [B, B + 1]", 126},
      {"A in set([1,2])", 180},
      {"np.log2(A) == 1", 90},
      {"all([A > 1, B > 1])", 216},
      {"any([T, A > 4])", 270},
      {"sum(1 for x in [A, B] if x > 2) == 2", 108},
      {"math.prod([A, B]) == 4", 36},
      {"A == (2 if T else 3)", 90},
      {"len({A, B}) == 2", 396},
      {"len({A, B}) == 1", 54},
      {"len({A, B, F}) == 3", 348},
      {"len({A, B, F}) < 3", 102},
      {"3 == len(set([A, B, F]))", 348},
      {"len(set((A, B, F))) != 3", 102},
      {"len({A, B, 2}) == 2", 180},
      {"sum(set([A, B])) == 4", 54},
      {"sum({A, A, B}) == 4", 54},
      {"math.prod({A, B}) == 4", 18},
      {"len({1, 1}) == 1", 450},
      {"len({1, 1.0, True, A}) == 1", 90},
      {"len({x for x in (A, B) if x > 1}) == 1", 234},
      {"len([A, B]) == len(set([A, B]))", 396},
      {"len({x % 2 for x in (A, B)}) == 1", 216},
      {"max({A, B}) == 3", 108},
      {"any({A > 3, B > 3})", 234},
      {"len(set()) == 0", 450},
      {"True", 450},
      {"1", 450},
      {"A and not T or B", 405},
  };
  for (const auto& [text, valid] : forms) EXPECT_EQ(SearchSpace(with_constraint(text)).size(), valid) << text;
}

// What is not understood is never taken for something else.
TEST(ConstraintForms, OthersAreRefused) {
  for (const char* const text : {"round(F * 1.3, 1) > 1", "divmod(A, 3) == (1, 1)", "(A, B) < (2, 3)",
                                 "str(A) == '2'", "S.startswith('a')", "'u' in S", "len(S) == 1", "A == 0x4",
                                 "isinstance(A, int)", "sorted([A, B])[0] == 1", "tuple([A, B]) == (1, 2)",
                                 "reversed([A,B]) is not None", "(lambda x: x > 2)(A)", "A.bit_length() == 2",
                                 "A is not B", "A is 2", "A @ B", "bin(A).count('1') == 1"})
    EXPECT_THROW(with_constraint(text), ExprError) << text;
}

}  // namespace
}  // namespace tune::search
