// SPDX-License-Identifier: Apache-2.0
// Stencil files: read, written, mistaken and mutilated.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <stdexcept>

#include "kernels/stencil/language/definition.hpp"
#include "kernels/stencil/language/expression.hpp"
#include "kernels/stencil/model/shapes.hpp"
#include "search/random.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

StencilDefinition parsed_definition(std::string_view text, std::string_view file = {}) {
  const Parsed<StencilDefinition> definition = parse_definition(text, file);
  if (!definition) ADD_FAILURE() << definition.error().message;
  return definition.value_or(StencilDefinition{});
}

const std::string heat =
    "# Eighth order in space.\n"
    "name = acoustic wave (8th order)   # the name ends before the comment\n"
    "c0 = -205/72\n"
    "c = [8/5, -1/5, 8/315,\n"
    "     -1/560]\n"
    "scale = 3*2^-4\n"
    "\n"
    "out[x,y,z] = scale*3*c0 * D[x,y,z]\n"
    "           + sum(i, 1, 4, scale*c[i] * (D[x+i,y,z] + D[x-i,y,z]\n"
    "                                      + D[x,y+i,z] + D[x,y-i,z]\n"
    "                                      + D[x,y,z+i] + D[x,y,z-i]))\n";

TEST(StencilDefinition, OfAnEquationHasNameAndPoints) {
  const StencilDefinition definition = parsed_definition(heat, "some/file.stencil");
  EXPECT_EQ(definition.name, "acoustic wave (8th order)");
  EXPECT_EQ(definition.stencil.points.size(), 25U);
  EXPECT_TRUE(definition.stencil.star());
  EXPECT_EQ(definition.stencil.points.front(), (StencilPoint{0, 0, -4, 0.1875 * (-1.0 / 560)}));
  EXPECT_EQ(definition.stencil.points[12], (StencilPoint{0, 0, 0, 0.1875 * 3 * (-205.0 / 72)}));
}

TEST(StencilDefinition, WithoutNameHasThatOfItsFile) {
  EXPECT_EQ(parsed_definition("D[x,y]", "some/heat2d.stencil").name, "heat2d");
  EXPECT_EQ(parsed_definition("D[x,y]").name, "stencil");
}

TEST(StencilDefinition, MayHaveItsOwnCoordinatesAndBounds) {
  const StencilDefinition definition = parsed_definition(
      "coordinates = i, j\n"
      "n = 2 w[-1..1] = [1, n, 4]\n"  // line ends mean nothing
      "sum(a,-1,1, w[a]*A[j][i+a])\n");
  EXPECT_EQ(definition.stencil, (Stencil{2, {{-1, 0, 0, 1}, {0, 0, 0, 2}, {1, 0, 0, 4}}}));
}

TEST(StencilDefinition, OfCoefficientsRunsAlongXInside) {
  EXPECT_EQ(parsed_definition("coefficients = [[0, 1, 0], [2, -8, 3], [0, 4, 0]]").stencil,
            (Stencil{2, {{0, -1, 0, 1}, {-1, 0, 0, 2}, {0, 0, 0, -8}, {1, 0, 0, 3}, {0, 1, 0, 4}}}));
  EXPECT_EQ(
      parsed_definition("q = 1/4\ncoefficients = [\n [[0, 0, q]],\n [[1, q*2, 0]],\n [[0, 0, 0]]\n]").stencil,
      (Stencil{3, {{1, 0, -1, 0.25}, {-1, 0, 0, 1}, {0, 0, 0, 0.5}}}));
  EXPECT_EQ(parsed_definition("coefficients = [[[1]]]").stencil, (Stencil{3, {{0, 0, 0, 1}}}));
}

TEST(StencilDefinition, OfCoefficientsMayHaveAnOrigin) {
  const Stencil upwind{2, {{-2, 0, 0, 1}, {-1, 0, 0, -4}, {0, 0, 0, 3}}};
  EXPECT_EQ(parsed_definition("coefficients = [[1, -4, 3]]\norigin = [2, 0]").stencil, upwind);
  EXPECT_EQ(parsed_definition("origin = [2, 0] coefficients = [[1, -4, 3]]").stencil, upwind);
  EXPECT_EQ(parsed_definition("origin = [0,1,0]\ncoefficients = [[[1,2],[3,4]]]").stencil,
            (Stencil{3, {{0, -1, 0, 1}, {1, -1, 0, 2}, {0, 0, 0, 3}, {1, 0, 0, 4}}}));
}

struct Mistake {
  std::string text;
  int line, column;
  std::string found, expected;
};

TEST(DefinitionErrors, NameTheirPlace) {
  const std::string constant = "a number, a constant declared before or a variable of a sum around it";
  const std::string free_name = "a name for a constant that has no other meaning";
  const std::vector<Mistake> mistakes = {
      {"", 1, 1, "the end", "an equation, or 'coefficients = [...]'"},
      {"c0 = 1\n", 2, 1, "the end", "an equation, or 'coefficients = [...]'"},
      {"c0 = \nD[x,y]", 2, 1, "'D'", constant},
      {"c0 = 2\n-c0*D[x,y]", 2, 2, "'c0'", constant},
      {"c0 = 1\nc0 = 2\nD[x,y]", 2, 1, "'c0'", "'c0' to be declared only once"},
      {"c = [1]\nc[0..1] = [1,2]\nD[x,y]", 2, 1, "'c'", "'c' to be declared only once"},
      {"x = 2", 1, 1, "'x'", free_name},
      {"sum = 2", 1, 1, "'sum'", free_name},
      {"c = [1, 2", 1, 10, "the end", "an operator, ',' or ']'"},
      {"c = []\nD[x,y]", 1, 6, "']'", "a number, a name or '('"},
      {"c = 1/0\nD[x,y]", 1, 7, "a division by zero", "another divisor"},
      {"c = 10^999\nD[x,y]", 1, 5, "a value that is not finite", "a value within double precision"},
      {"c[0..4] = [1,2]\nD[x,y]", 1, 11, "a list of 2", "5 elements, from 0 to 4"},
      {"c[4..0] = [1,2]\nD[x,y]", 1, 11, "a list of 2", "0 elements, from 4 to 0"},
      {"c[0..1/2] = [1]", 1, 6, "the index 0.5", "an integer from -1048576 to 1048576"},
      {"c[0..1 = [1]", 1, 8, "'='", "an operator or ']'"},
      {"c[0..1] [1]", 1, 9, "'['", "'=' and a list"},
      {"name = \nD[x,y]", 2, 1, "'D'", "a name on the same line"},
      {"name = a\nname = b\nD[x,y]", 2, 1, "'name'", "'name' only once"},
      {"coordinates = i\nD[i,j]", 1, 15, "1 coordinates", "two or three"},
      {"coordinates = i, j, k, l\n", 1, 15, "4 coordinates", "two or three"},
      {"coordinates = i, i\n", 1, 18, "'i'", "a name for a coordinate that has no other meaning"},
      {"coordinates = i, 2\n", 1, 18, "'2'", "the name of a coordinate"},
      {"j = 2\ncoordinates = i, j\n", 2, 18, "'j'", "a name for a coordinate that has no other meaning"},
      {"coordinates = i, j\nD[x,y]", 2, 3, "'x'",
       "an integer, a variable of a sum around it or a coordinate (i,j)"},
      {"D[x,y]\nc1 = 3", 2, 1, "'c1'", "an operator or the end, because the equation is the last statement"},
      {"origin = [1,1]\nD[x,y]", 1, 1, "'origin'", "no origin, because there is an equation"},
      {"coefficients = [[1]]\nD[x,y]", 2, 1, "'D'", "no equation, because there are coefficients already"},
      {"coefficients = [[1]]\ncoefficients = [[1]]", 2, 1, "'coefficients'", "'coefficients' only once"},
      {"coefficients = 3", 1, 16, "'3'", "'[': lists in lists"},
      {"coefficients = [1,2,3]", 1, 17, "'1'", "'[': a list of the coefficients along x"},
      {"coefficients = [[[[1]]]]", 1, 19, "'['", "a number: there are at most three levels of lists"},
      {"coefficients = [[1,2,3],[4,5],[6,7,8]]", 1, 29, "a list of 2", "a list of 3, as before"},
      {"coefficients = [[1,2,3],4]", 1, 25, "'4'", "'[': a list, as before"},
      {"coefficients = [[1,[2],3]]", 1, 20, "'['", "a number, a name or '('"},
      {"coefficients = [[[1]],[[1],[2]]]", 1, 31, "a list of 2", "a list of 1, as before"},
      {"coefficients = [[1,2]]", 1, 16, "2 elements along x", "an odd number, or 'origin = [...]'"},
      {"coefficients = [[1],[2]]", 1, 16, "2 elements along y", "an odd number, or 'origin = [...]'"},
      {"coefficients = [[0,0,0]]", 1, 16, "coefficients that are all 0", "one that is not"},
      {"coefficients = [[1,2]]\norigin = [0]", 2, 1, "'origin'",
       "2 indices, as the coefficients have levels"},
      {"coefficients = [[1,2]]\norigin = [2,0]", 2, 1, "the index 2",
       "one from 0 to 1 within the coefficients"},
      {"coefficients = [[1,2]]\norigin = [0,0,0,0]", 2, 16, "','", "an operator or ']'"},
      {"out = 2*D[x,y]", 1, 9, "'D'", constant},
  };
  for (const Mistake& mistake : mistakes) {
    const Parsed<StencilDefinition> definition = parse_definition(mistake.text, "a.stencil");
    if (definition) {
      ADD_FAILURE() << "no error: " << mistake.text;
      continue;
    }
    const SourceError& error = definition.error();
    EXPECT_EQ(error.line, mistake.line) << mistake.text << "\n" << error.message;
    EXPECT_EQ(error.column, mistake.column) << mistake.text << "\n" << error.message;
    EXPECT_EQ(error.found, mistake.found) << mistake.text;
    EXPECT_EQ(error.expected, mistake.expected) << mistake.text;
    const std::string start = format("a.stencil:{}:{}: found {}, expected {}\n", mistake.line, mistake.column,
                                     mistake.found, mistake.expected);
    EXPECT_TRUE(error.message.starts_with(start)) << error.message;
  }
}

TEST(DefinitionErrors, OfHugeListsComeSoon) {
  std::string row = "coefficients = [[1";
  for (int i = 0; i < 3000; ++i) row += ",1";
  EXPECT_EQ(parse_definition(row + "]]").error().found, "more than 2049 elements in a list");
  std::string rows = "coefficients = [";
  for (int i = 0; i < 1025; ++i) {
    rows += i == 0 ? "[0" : ",[0";
    for (int j = 1; j < 1025; ++j) rows += ",0";
    rows += "]";
  }
  EXPECT_EQ(parse_definition(rows + "]").error().found, format("more than {} coefficients", max_terms));
  EXPECT_FALSE(parse_definition("coefficients = " + std::string(1'000'000, '[')).has_value());
  EXPECT_FALSE(parse_definition("c[" + std::string(1'000'000, '(')).has_value());
}

/// Weights of all kinds: bits of any pattern that is finite.
double any_weight(search::Random& random) {
  while (true) {
    const double weight = std::bit_cast<double>(random.below(std::numeric_limits<std::uint64_t>::max()));
    if (std::isfinite(weight)) return weight;
  }
}

TEST(DefinitionText, ReadsBackBitByBit) {
  search::Random random(3);
  std::vector<Stencil> stencils;
  for (const StencilShape& shape : stencil_shapes())
    for (const int dimensions : {2, 3})
      if (dimensions == 2 ? shape.in_2d : shape.in_3d)
        stencils.push_back(make_stencil(shape.name, shape.radius == 0 ? 3 : shape.radius, dimensions));
  stencils.push_back(Stencil{3, {{0, 0, 0, 0.0}, {1, 0, 0, -0.0}, {2, 0, 0, 5e-324}, {3, 0, 0, 1e308}}});
  for (int trial = 0; trial < 300; ++trial) {
    Stencil stencil{trial % 2 == 0 ? 2 : 3, {}};
    const auto offset = [&] { return static_cast<int>(random.below(2 * max_offset + 1)) - max_offset; };
    for (std::uint64_t count = 1 + random.below(20); count > 0; --count)
      stencil.points.push_back(
          {offset(), offset(), stencil.dimensions == 3 ? offset() : 0, any_weight(random)});
    stencils.push_back(normalized(std::move(stencil)));
  }
  for (const Stencil& stencil : stencils) {
    const std::string text = definition_text(stencil, "a name");
    const StencilDefinition read = parsed_definition(text);
    EXPECT_EQ(read.name, "a name");
    ASSERT_EQ(read.stencil.points.size(), stencil.points.size());
    EXPECT_EQ(read.stencil.dimensions, stencil.dimensions);
    for (std::size_t i = 0; i < stencil.points.size(); ++i) {
      const StencilPoint &a = read.stencil.points[i], &b = stencil.points[i];
      EXPECT_EQ(std::tie(a.dx, a.dy, a.dz), std::tie(b.dx, b.dy, b.dz));
      EXPECT_EQ(std::bit_cast<std::uint64_t>(a.weight), std::bit_cast<std::uint64_t>(b.weight)) << b.weight;
    }
    EXPECT_EQ(definition_hash(read.stencil), definition_hash(stencil));
    EXPECT_EQ(definition_text(read.stencil, read.name), text);
  }
}

TEST(DefinitionText, IsAnEquationWithAllDigits) {
  EXPECT_EQ(definition_text({2, {{-1, 0, 0, -0.1}, {0, 2, 0, 1}}}, "t"),
            "name = t\n"
            "out[x,y] =\n"
            "    -0.10000000000000001*D[x-1,y]\n"
            "  + 1*D[x,y+2]\n");
}

TEST(DefinitionText, MakesNamesReadable) {
  const Stencil stencil{2, {{0, 0, 0, 1}}};
  EXPECT_EQ(parsed_definition(definition_text(stencil, "  two words = # 3\nlines\t ")).name,
            "two words = _ 3_lines_");
  EXPECT_EQ(parsed_definition(definition_text(stencil, " \xc3\xa9t\xc3\xa9")).name, "\xc3\xa9t\xc3\xa9");
  EXPECT_EQ(parsed_definition(definition_text(stencil, "  ")).name, "stencil");
}

TEST(DefinitionText, RefusesWhatNoDefinitionCanBe) {
  EXPECT_THROW(definition_text({2, {}}, "t"), std::invalid_argument);
  EXPECT_THROW(definition_text({2, {{0, 0, 0, std::nan("")}}}, "t"), std::invalid_argument);
  EXPECT_THROW(definition_text({2, {{max_offset + 1, 0, 0, 1}}}, "t"), std::invalid_argument);
}

TEST(DefinitionHash, TellsStencilsApart) {
  const Stencil base{2, {{0, 0, 0, 1}, {1, 0, 0, 2}}};
  EXPECT_EQ(definition_hash(base).size(), 12U);
  EXPECT_EQ(definition_hash(base).find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(definition_hash(base), definition_hash({2, {{1, 0, 0, 2}, {0, 0, 0, 1}}}));
  std::set<std::string> hashes{definition_hash(base)};
  hashes.insert(definition_hash({3, base.points}));
  hashes.insert(definition_hash({2, {{0, 0, 0, 1}, {0, 1, 0, 2}}}));
  hashes.insert(definition_hash({2, {{0, 0, 0, 1}, {1, 0, 0, 2.0000000000000004}}}));
  hashes.insert(definition_hash({2, {{0, 0, 0, 2}, {1, 0, 0, 1}}}));
  hashes.insert(definition_hash({2, {{0, 0, 0, 1}}}));
  EXPECT_EQ(hashes.size(), 6U);
}

TEST(StencilFile, IsReadAndItsErrorsNameIt) {
  const tune::testing::TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << text;
    return folder / name;
  };
  EXPECT_EQ(read_stencil_file(write("heat.stencil", heat)), parsed_definition(heat));
  const std::filesystem::path wrong = write("wrong.stencil", "c0 = 1\nc0 * D[x,q]\n");
  try {
    read_stencil_file(wrong);
    ADD_FAILURE() << "no error";
  } catch (const UsageError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        wrong.string() +
            ":2:10: found 'q', expected an integer, a variable of a sum around it or a coordinate (x,y,z)");
  }
  EXPECT_THROW(read_stencil_file(folder / "missing"), UsageError);
  EXPECT_THROW(read_stencil_file(folder.path()), UsageError);
  EXPECT_THROW(read_stencil_file(write("large", std::string((1U << 26) + 1, ' '))), UsageError);
}

/// One random change: a byte, a piece left out, doubled or put elsewhere.
std::string mutated(std::string text, search::Random& random) {
  constexpr std::string_view bytes = "+-*/^()[],=.#xyzDci0123456789 \n\t;\"'\x01\xff";
  const auto at = [&] { return static_cast<std::size_t>(random.below(text.size() + 1)); };
  const auto byte = [&] { return bytes[static_cast<std::size_t>(random.below(bytes.size()))]; };
  const std::size_t begin = at(), length = static_cast<std::size_t>(random.below(12));
  switch (random.below(5)) {
    case 0:
      text.insert(begin, 1, byte());
      break;
    case 1:
      text.erase(begin, length);
      break;
    case 2:
      text.insert(at(), text.substr(begin, length));
      break;
    case 3:
      if (begin < text.size()) text[begin] = byte();
      break;
    default:
      if (begin < text.size()) text[begin] = static_cast<char>(random.below(256));
      break;
  }
  return text;
}

TEST(StencilDefinition, OfMutilatedTextIsAStencilOrAnErrorInsideTheText) {
  const std::vector<std::string> texts = {
      heat,
      "coordinates = i, j\nw[-1..1] = [1, 2, 4]\nB[i,j] = sum(a,-1,1, sum(b,-a,1, w[a]/2^b*A[j+b][i+a]))\n",
      "name = array\norigin = [1, 0, 1]\ncoefficients = [[[0,1,0],[1,-4,1]],[[0,1/2,0],[0,1e-3,0]]]\n",
      definition_text(make_stencil("j2d9pt", 2, 2), "written")};
  search::Random random(11);
  int stencils = 0, errors = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    std::string text = texts[static_cast<std::size_t>(random.below(texts.size()))];
    for (std::uint64_t changes = 1 + random.below(4); changes > 0; --changes) text = mutated(text, random);
    const Parsed<StencilDefinition> definition = parse_definition(text, "m");
    if (definition) {
      ++stencils;
      ASSERT_FALSE(definition->stencil.points.empty());
      ASSERT_EQ(definition->stencil, normalized(definition->stencil));
      ASSERT_EQ(parsed_definition(definition_text(definition->stencil, definition->name)).stencil,
                definition->stencil);
      continue;
    }
    ++errors;
    const SourceError& error = definition.error();
    const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
    ASSERT_GE(error.line, 1);
    ASSERT_LE(error.line, lines);
    ASSERT_GE(error.column, 1);
    ASSERT_LE(error.column, static_cast<int>(text.size()) + 1);
    ASSERT_FALSE(error.found.empty());
    ASSERT_FALSE(error.expected.empty());
    ASSERT_EQ(std::count(error.message.begin(), error.message.end(), '\n'), 2) << error.message;
  }
  EXPECT_GT(stencils, 300);
  EXPECT_GT(errors, 2000);
}

}  // namespace
}  // namespace tune::kernels
