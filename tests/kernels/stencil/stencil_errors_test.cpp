// SPDX-License-Identifier: Apache-2.0
// Mistakes in equations: where they are, what was found and what was expected.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "kernels/stencil/language/expression.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

EquationNames some_names() {
  EquationNames names;
  names.numbers = {{"c0", -2.5}, {"half", 0.5}, {"zero", 0}};
  names.lists["c"].values = {1, 2, 3, 4};
  return names;
}

SourceError error_of(std::string_view text, const EquationNames& names = some_names()) {
  const Parsed<Stencil> stencil = parse_equation(text, names);
  if (stencil) ADD_FAILURE() << "no error: " << text;
  return stencil ? SourceError{} : stencil.error();
}

struct EquationMistake {
  std::string text;
  int line, column;
  std::string found, expected;
};

void expect_mistake(const EquationMistake& mistake, const EquationNames& names = some_names()) {
  const SourceError error = error_of(mistake.text, names);
  EXPECT_EQ(error.line, mistake.line) << mistake.text << "\n" << error.message;
  EXPECT_EQ(error.column, mistake.column) << mistake.text << "\n" << error.message;
  EXPECT_EQ(error.found, mistake.found) << mistake.text;
  EXPECT_EQ(error.expected, mistake.expected) << mistake.text;
}

constexpr const char* linear = "an equation that is linear in 'D'";
constexpr const char* operand = "a number, a name or '('";
constexpr const char* known =
    "a constant declared before, a variable of a sum around it or an array with indices";

TEST(EquationErrors, OfWordsNameTheirPlace) {
  const std::vector<EquationMistake> mistakes = {
      {"", 1, 1, "the end", operand},
      {"# nothing but a comment", 1, 24, "the end", operand},
      {"c0*D[x,y] + * 2", 1, 13, "'*'", operand},
      {"D[x,y] +", 1, 9, "the end", operand},
      {"D[x,y] D[x,y]", 1, 8, "'D'", "an operator or the end"},
      {"2 D[x,y]", 1, 3, "'D'", "an operator or the end"},
      {"(D[x,y]", 1, 8, "the end", "an operator or ')'"},
      {"D[x,y])", 1, 7, "')'", "an operator or the end"},
      {"D[x,y", 1, 6, "the end", "an operator, ',' or ']'"},
      {"D[x,y}", 1, 6, "'}'", "an operator, ',' or ']'"},
      {"D[x,]", 1, 5, "']'", operand},
      {"D[]", 1, 3, "']'", operand},
      {"5.1f*D[x,y]", 1, 1, "'5.1f'", "a number such as 2, 0.5 or 1e-3"},
      {"1e*D[x,y]", 1, 1, "'1e'", "a number such as 2, 0.5 or 1e-3"},
      {"1e999*D[x,y]", 1, 1, "'1e999'", "a number within double precision"},
      {"D[x,y]\n  + $\n", 2, 5, "'$'", operand},
      {"D[x,y]\n\t+ \xc3\xa9", 2, 4, "the byte 0xc3", operand},
      {"q*D[x,y]", 1, 1, "'q'", known},
      {"D[x,y]*y", 1, 8, "'y'", "a number; coordinates stand alone in the indices of an array"},
      {"c*D[x,y]", 1, 2, "'*'", "'[' and an index, because 'c' is a list"},
      {"c0[1]*D[x,y]", 1, 3, "'['", "an operator or the end"},
      {"c[q]*D[x,y]", 1, 3, "'q'", "a number, a constant declared before or a variable of a sum around it"},
      {"out[x,y] = D[x,y] = 2", 1, 19, "'='", "an operator or the end"},
  };
  for (const EquationMistake& mistake : mistakes) expect_mistake(mistake);
}

TEST(EquationErrors, OfWhatIsNotLinearNameTheirPlace) {
  const std::vector<EquationMistake> mistakes = {
      {"D[x,y]*D[x+1,y]", 1, 8, "a product of two cells", linear},
      {"D[x,y]*(2*(D[x+1,y]))", 1, 8, "a product of two cells", linear},
      {"2*D[x,y]*3*sum(i,1,0,D[x+i,y])", 1, 12, "a product of two cells", linear},
      {"1/D[x,y]", 1, 3, "a division by 'D'", linear},
      {"D[x,y]/(1+1)/-D[x,y]", 1, 14, "a division by 'D'", linear},
      {"D[x,y]^2", 1, 1, "a power of 'D'", linear},
      {"(D[x,y])^1", 1, 1, "a power of 'D'", linear},
      {"2^D[x,y]", 1, 3, "'D'", "a number, a constant declared before or a variable of a sum around it"},
      {"D[x,y] + 5", 1, 10, "a constant term", "a cell of 'D' in every term"},
      {"c0 - D[x,y]", 1, 1, "a constant term", "a cell of 'D' in every term"},
      {"2*(D[x,y] + sum(i,1,2,c[i]))", 1, 13, "a constant term", "a cell of 'D' in every term"},
      {"c0 + 1", 1, 1, "an expression without cells", "cells of an array, such as D[x,y,z]"},
      {"sum(i,1,0,D[x,y])", 1, 1, "sums without terms", "at least one cell"},
      {"D[x,y]/zero", 1, 8, "a division by zero", "another divisor"},
      {"1/(2-2)*D[x,y]", 1, 3, "a division by zero", "another divisor"},
      {"zero^-1*D[x,y]", 1, 1, "a division by zero", "another base"},
      {"1e300*1e300*D[x,y]", 1, 1, "a weight of inf", "weights within double precision"},
      {"10^400*D[x,y]*0", 1, 1, "a weight of -nan", "weights within double precision"},
  };
  for (EquationMistake mistake : mistakes) {
    // The sign of what is no number differs between processors.
    const SourceError error = error_of(mistake.text);
    if (error.found == "a weight of nan") mistake.found = error.found;
    expect_mistake(mistake);
  }
}

TEST(EquationErrors, OfIndicesNameTheirPlace) {
  const std::vector<EquationMistake> mistakes = {
      {"D[x,y] + E[x,y]", 1, 10, "'E'", "'D': an equation reads one array"},
      {"D[x]", 1, 1, "'D' with 1 index", "an array with the indices x,y or x,y,z"},
      {"D[x,y,z,x]", 1, 1, "'D' with 4 indices", "an array with the indices x,y or x,y,z"},
      {"D[x,y] + D[x,y,z]", 1, 10, "'D' with 3 indices", "2 indices as before"},
      {"D[x,z]", 1, 5, "an index along 'z'", "each of x,y once"},
      {"D[x,x]", 1, 5, "an index along 'x'", "each of x,y once"},
      {"D[x,y,z] + D[x,z,y]", 1, 16, "an index along 'z'", "'y', as in the indices before"},
      {"D[x,3]", 1, 5, "an index without coordinate", "one of x,y,z plus or minus an integer"},
      {"D[x,2*y]", 1, 7, "another use of 'y'", "'y' plus or minus an integer"},
      {"D[x,1-y]", 1, 7, "another use of 'y'", "'y' plus or minus an integer"},
      {"D[-x,y]", 1, 4, "another use of 'x'", "'x' plus or minus an integer"},
      {"D[x+y,y]", 1, 5, "a second coordinate", "one coordinate in an index"},
      {"D[x+half,y]", 1, 3, "the offset -0.5", "an integer from -1024 to 1024"},
      {"D[x,y+1025]", 1, 5, "the offset 1025", "an integer from -1024 to 1024"},
      {"D[x+q,y]", 1, 5, "'q'", "an integer, a variable of a sum around it or a coordinate (x,y,z)"},
      {"D[x+D[x,y],y]", 1, 5, "'D'", "an integer, a variable of a sum around it or a coordinate (x,y,z)"},
      {"c[5]*D[x,y]", 1, 3, "the index 5", "an integer from 1 to 4"},
      {"sum(i,0,4,c[i]*D[x+i,y])", 1, 13, "the index 0", "an integer from 1 to 4"},
      {"c[3/2]*D[x,y]", 1, 3, "the index 1.5", "an integer from 1 to 4"},
      {"D[x,y] = 2*D[x,y]", 1, 12, "'D'",
       "another name than that of the result, because cells are not updated in place"},
      {"out[x+1,y] = D[x,y]", 1, 5, "a shifted index", "a coordinate alone on the left-hand side"},
      {"out[x,y] = D[x,y,z]", 1, 12, "'D' with 3 indices", "2 indices as before"},
      {"c[x,y] = D[x,y]", 1, 1, "'c'", "a name for the result that means nothing else"},
  };
  for (EquationMistake mistake : mistakes) {
    if (mistake.found == "the offset -0.5") mistake.found = "the offset 0.5";
    expect_mistake(mistake);
  }
  EquationNames flat = some_names();
  flat.coordinates = {"i", "j"};
  expect_mistake({"D[i,j,j]", 1, 1, "'D' with 3 indices", "an array with the indices i,j"}, flat);
}

TEST(EquationErrors, OfSumsNameTheirPlace) {
  constexpr const char* fresh = "a name for the sum's variable that means nothing else here";
  const std::vector<EquationMistake> mistakes = {
      {"sum i", 1, 5, "'i'", "'(' after sum"},
      {"sum(1,2,3,D[x,y])", 1, 5, "'1'", "the name of the sum's variable"},
      {"sum(x,1,2,D[x,y])", 1, 5, "'x'", fresh},
      {"sum(c0,1,2,D[x,y])", 1, 5, "'c0'", fresh},
      {"sum(c,1,2,D[x,y])", 1, 5, "'c'", fresh},
      {"sum(i,1,2,sum(i,1,2,D[x,y]))", 1, 15, "'i'", fresh},
      {"sum(sum,1,2,D[x,y])", 1, 5, "'sum'", fresh},
      {"sum(i;1,2,D[x,y])", 1, 6, "';'", "',' and the first value of the sum's variable"},
      {"sum(i,1 2,D[x,y])", 1, 9, "'2'", "an operator, or ',' and the last value of the sum's variable"},
      {"sum(i,1,2)", 1, 10, "')'", "an operator, or ',' and what is summed up"},
      {"sum(i,1,2,D[x,y]", 1, 17, "the end", "an operator or ')'"},
      {"sum(i,1,half,D[x,y])", 1, 9, "the bound 0.5", "an integer from -1000000000 to 1000000000"},
      {"sum(i,1,10^10,D[x,y])", 1, 9, "the bound 10000000000", "an integer from -1000000000 to 1000000000"},
      {"sum(i,1,i,D[x,y])", 1, 9, "'i'",
       "a number, a constant declared before or a variable of a sum around it"},
      {"sum(i,1,2,D[x,y]) + i*D[x,y]", 1, 21, "'i'", known},
      {"2^half*D[x,y]", 1, 3, "the exponent 0.5", "an integer from -1024 to 1024"},
  };
  for (EquationMistake mistake : mistakes) {
    if (mistake.found == "the bound 10000000000") mistake.found = format("the bound {}", 1e10);
    expect_mistake(mistake);
  }
}

TEST(EquationErrors, ShowTheLineAndACaret) {
  EXPECT_EQ(error_of("c0*D[x,y]\n  +\t* 2\n").message,
            "2:5: found '*', expected a number, a name or '('\n"
            "    + * 2\n"
            "      ^");
  const std::string before = "D[x,y]" + std::string(100, ' ') + "+ ", after = std::string(100, '1');
  EXPECT_EQ(error_of(before + "q*" + after + "*D[x,y]").message,
            "1:109: found 'q', expected " + std::string(known) + "\n" + "  ..." + std::string(58, ' ') +
                "+ q*" + std::string(38, '1') + "...\n" + "  " + std::string(63, ' ') + "^");
}

TEST(EquationErrors, OfDeepNestingAreNoOverflow) {
  const auto nested = [](std::size_t depth, const std::string& open, const std::string& close) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += open;
    text += "D[x,y]";
    for (std::size_t i = 0; i < depth; ++i) text += close;
    return text;
  };
  const std::string found = format("more than {} levels in each other", max_nesting);
  EXPECT_TRUE(parse_equation(nested(max_nesting - 2, "(", ")")).has_value());
  EXPECT_TRUE(parse_equation(nested(max_nesting / 2 - 1, "-(", ")")).has_value());
  for (const char* open : {"(", "-", "2*(1+", "- -(", "2^"})
    EXPECT_EQ(error_of(nested(100'000, open, ")")).found, found) << open;
  std::string sums;
  for (int i = 0; i < 10'000; ++i) sums += format("sum(i{},1,2,", i);
  EXPECT_EQ(error_of(sums).found, found);
  std::string index;
  for (int i = 0; i < 100'000; ++i) index += "c[";
  EXPECT_EQ(error_of("D[x,y+" + index).found, found);
  EXPECT_EQ(error_of(std::string(1'000'000, '[')).found, "'['");
  EXPECT_EQ(error_of("D" + std::string(1'000'000, '[')).found, "'['");
}

TEST(EquationErrors, OfHugeSumsComeSoon) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(error_of("sum(i,1,1000000000,D[x,y])").found, format("more than {} terms", max_terms));
  EXPECT_EQ(error_of("sum(i,1,1000,sum(j,1,1000,sum(k,1,1000,D[x,y])))").found,
            format("more than {} terms", max_terms));
  const std::string operations = format("more than {} operations", max_operations);
  EXPECT_EQ(error_of("sum(i,1,10^9,1)*D[x,y]").found, operations);
  EXPECT_EQ(error_of("sum(i,1,10^9,sum(j,1,0,D[x,y]))").found, operations);
  EXPECT_EQ(error_of("sum(i,1,10^6,2^1000)*D[x,y]").found, operations);
  std::string product = "sum(i,1,10^6,D[x,y])";
  for (int i = 0; i < 1000; ++i) product += "*1";
  EXPECT_EQ(error_of(product).found, operations);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_LT(elapsed.count(), 60);
}

}  // namespace
}  // namespace tune::kernels
