// SPDX-License-Identifier: Apache-2.0
// Equations as papers print them, against the built-in shapes and a table of mistakes.
#include <gtest/gtest.h>

#include <map>

#include "kernels/stencil/language/expression.hpp"
#include "kernels/stencil/model/shapes.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

Stencil parsed(std::string_view text, const EquationNames& names = {}) {
  const Parsed<Stencil> stencil = parse_equation(text, names);
  if (!stencil) ADD_FAILURE() << stencil.error().message;
  return stencil.value_or(Stencil{});
}

double weight_at(const Stencil& stencil, int dx, int dy, int dz) {
  for (const StencilPoint& point : stencil.points)
    if (point.dx == dx && point.dy == dy && point.dz == dz) return point.weight;
  ADD_FAILURE() << "no point at " << dx << "," << dy << "," << dz;
  return 0;
}

/// The built-in stencil's weights as constants: c[1], c[2], ... in the order of its points.
EquationNames all_weights(const Stencil& stencil) {
  EquationNames names;
  for (const StencilPoint& point : stencil.points) names.lists["c"].values.push_back(point.weight);
  return names;
}

constexpr const char* papers_star =
    "c0*D[x,y,z] + sum(i,1,4, c[i]*(D[x+i,y,z]+D[x-i,y,z]+D[x,y+i,z]+D[x,y-i,z]+D[x,y,z+i]+D[x,y,z-i]))";

TEST(StencilEquation, OfThePapersStarIsTheBuiltInOne) {
  const Stencil star = make_stencil("star", 4, 3, true);
  EquationNames names;
  names.numbers["c0"] = weight_at(star, 0, 0, 0);
  for (int i = 1; i <= 4; ++i) names.lists["c"].values.push_back(weight_at(star, i, 0, 0));
  EXPECT_EQ(parsed(papers_star, names), star);
  EXPECT_EQ(parsed(std::string("out[x,y,z] = ") + papers_star, names), star);
}

TEST(StencilEquation, OfAStarWithPrintedNumbersIsTheBuiltInOne) {
  const Stencil star = make_stencil("star", 4, 3, true);
  std::string text = format("{:.17g}*A[x,y,z]", weight_at(star, 0, 0, 0));
  for (int i = 1; i <= 4; ++i)
    text += format(
        "\n + {0:.17g}*(A[x+{1},y,z] + A[x-{1},y,z] + A[x,y+{1},z] + A[x,y-{1},z] + A[x,y,z+{1}] + "
        "A[x,y,z-{1}])",
        weight_at(star, i, 0, 0), i);
  EXPECT_EQ(parsed(text), star);
}

TEST(StencilEquation, OfABoxInNestedSumsIsTheBuiltInOne) {
  for (const int r : {1, 2, 3}) {
    const Stencil flat = make_stencil("box", r, 2), box = make_stencil("box", r);
    EquationNames names = all_weights(flat);
    names.numbers = {{"r", r}, {"w", 2 * r + 1}};
    EXPECT_EQ(parsed("out[x,y] = sum(j,-r,r, sum(i,-r,r, c[(j+r)*w + i+r + 1] * D[x+i, y+j]))", names), flat);
    names.lists = all_weights(box).lists;
    EXPECT_EQ(
        parsed("sum(k,-r,r, sum(j,-r,r, sum(i,-r,r, c[((k+r)*w + j+r)*w + i+r + 1]*D[x+i,y+j,z+k])))", names),
        box);
  }
}

TEST(StencilEquation, OfFluxesIsTheBuiltInOne) {
  for (const int r : {1, 2, 5, 8}) {
    EquationNames names;
    names.numbers = {{"r", r}, {"r1", r + 1}};
    names.lists["c"].values = {37.0 / (4 * 121), 41.0 / (4 * 121), 43.0 / (4 * 121)};
    const char* const text =
        "out[x,y,z] = D[x,y,z]\n"
        " + sum(k,1,r, c[1]*(r+1-k)*(r+2-k)/(r*r1)*(D[x+k,y,z] - D[x+1-k,y,z]))\n"
        " - sum(k,1,r, c[1]*(r+1-k)*(r+2-k)/(r*r1)*(D[x-1+k,y,z] - D[x-k,y,z]))\n"
        " + sum(k,1,r, c[2]*(r+1-k)*(r+2-k)/(r*r1)*(D[x,y+k,z] - D[x,y+1-k,z]))\n"
        " - sum(k,1,r, c[2]*(r+1-k)*(r+2-k)/(r*r1)*(D[x,y-1+k,z] - D[x,y-k,z]))\n"
        " + sum(k,1,r, c[3]*(r+1-k)*(r+2-k)/(r*r1)*(D[x,y,z+k] - D[x,y,z+1-k]))\n"
        " - sum(k,1,r, c[3]*(r+1-k)*(r+2-k)/(r*r1)*(D[x,y,z-1+k] - D[x,y,z-k]))\n";
    EXPECT_EQ(parsed(text, names), make_stencil("flux", r)) << r;
  }
}

// As AN5D's benchmarks have them, with the divisor of shapes.hpp. Sums of the same numbers in another order
// would differ by a rounding: the divisor is given as the shape has it.
TEST(StencilEquation, OfNamedStencilsIsTheBuiltInOne) {
  EquationNames five;
  five.numbers["total"] = 5.1 + 12.1 + 15 + 12.2 + 5.2;
  EXPECT_EQ(
      parsed("(5.1*A[x,y-1] + 12.1*A[x-1,y] + 15.0*A[x,y] + 12.2*A[x+1,y] + 5.2*A[x,y+1]) / total", five),
      make_stencil("j2d5pt", 1, 2));
  EXPECT_EQ(parsed("(24*u[x,y,z] + 2*(u[x-1,y,z]+u[x+1,y,z]+u[x,y-1,z]+u[x,y+1,z]+u[x,y,z-1]+u[x,y,z+1])"
                   " + sum(i,0,1, sum(j,0,1, u[x+2*i-1,y+2*j-1,z] + u[x+2*i-1,y,z+2*j-1] + "
                   "u[x,y+2*i-1,z+2*j-1])))/48"),
            make_stencil("poisson", 1));
  const Stencil box = make_stencil("j3d27pt", 1);
  EquationNames names;
  // b[.] of the plane below the cell in thousandths; each plane above adds ten.
  names.lists["b"].values = {500, 700, 900, 1200, 1500, 1201, 901, 701, 501};
  const Stencil typed =
      parsed("sum(k,-1,1, sum(j,-1,1, sum(i,-1,1, (b[3*j+i+5] + 10*(k+1))/1000 * A[z+k][y+j][x+i])))", names);
  names.numbers["total"] = absolute_weight(typed);
  EXPECT_EQ(
      parsed("(sum(k,-1,1, sum(j,-1,1, sum(i,-1,1, (b[3*j+i+5] + 10*(k+1))/1000 * A[z+k][y+j][x+i]))))/total",
             names),
      box);
}

TEST(StencilEquation, FollowsTheRulesOfArithmetic) {
  const std::map<std::string, double> weights = {
      {"2*D[x,y]", 2},
      {"D[x,y]*2/8", 0.25},
      {"-D[x,y]", -1},
      {"+D[x,y]", 1},
      {"- -D[x,y]", 1},
      {"(2 - 3 - 4)*D[x,y]", -5},
      {"2*3^2*D[x,y]", 18},
      {"-2^2*D[x,y]", -4},
      {"2^-1*D[x,y]", 0.5},
      {"2^3^2*D[x,y]", 512},
      {"(1/4)^2*D[x,y]", 0.0625},
      {"12/4/3*D[x,y]", 1},
      {"D[x,y]/(2*4)", 0.125},
      {".5e1*D[x,y]", 5},
      {"1e-2*D[x,y]", 0.01},
      {"sum(i,1,4,i)*D[x,y]", 10},
      {"sum(i,1,4,1/2^i)*D[x,y]", 0.9375},
      {"sum(i,3,2,D[x,y]) + 7*D[x,y]", 7},
      {"D[x,y] + 2*D[x,y] - 5*D[x+0,y-0]", -2},
      {"0.25*(D[x,y] - (D[x,y] - 3*D[x,y]))", 0.75},
      {"0*D[x,y]", 0},
      {"a*D[x,y] + l[-1]*D[x,y] + l[1]*D[x,y]", 1007},
      {"sum(i,1,2, sum(j,i,2, 10^(i-1)*j*D[x,y]))", 23},
      {"D[x-1+1,(y+2)-2]", 1},
      {"(x1+x2)*D[x,y]", 5},
  };
  EquationNames names;
  names.numbers = {{"a", 1000}, {"x1", 2}, {"x2", 3}};
  names.lists["l"] = {-1, {3, 9, 4}};
  for (const auto& [text, weight] : weights) {
    const Stencil expected{2, {{0, 0, 0, weight}}};
    EXPECT_EQ(parsed(text, names), expected) << text;
  }
}

TEST(StencilEquation, TakesIndicesInEitherOrderAndStyle) {
  const Stencil expected{3, {{0, 0, -3, 4}, {0, -2, 0, 2}, {1, 0, 0, 1}}};
  EXPECT_EQ(parsed("u[x+1,y,z] + 2*u[x,y-2,z] + 4*u[x,y,z-3]"), expected);
  EXPECT_EQ(parsed("u[z][y][1+x] + 2*u[z][-2+y][x] + 4*u[z-3][y][x]"), expected);
  EXPECT_EQ(parsed("v[z][y][x] = u[z,y,x+1] + 2*u[z][y-2][x] + 4*u[z-(1+2)][y][x]"), expected);
  EquationNames names;
  names.coordinates = {"i", "j", "k"};
  EXPECT_EQ(parsed("u[i+1,j,k] + 2*u[i,j-2,k] + 4*u[i,j,k-3]", names), expected);
  EXPECT_EQ(parsed("u[j,i+1]", names), (Stencil{2, {{1, 0, 0, 1}}}));
}

TEST(StencilEquation, IgnoresSpacesLinesAndComments) {
  EXPECT_EQ(parsed("# heat\r\n\tout[x,y]=\n0.5 # half\n*\nD[ x , y+\n1 ]\n\n"),
            (Stencil{2, {{0, 1, 0, 0.5}}}));
}

TEST(StencilEquation, MayBeLargeWithinItsLimits) {
  // A box of radius 32.
  const Stencil box = parsed("sum(k,-32,32,sum(j,-32,32,sum(i,-32,32, (i+100*j)/2^k*A[x+i,y+j,z+k])))");
  EXPECT_EQ(box.points.size(), 65U * 65 * 65);
  EXPECT_EQ(weight_at(box, 3, -7, 2), -697.0 / 4);
  std::string chain = "0*A[x,y]";
  for (int i = 0; i < 200'000; ++i) chain += "+A[x,y]";
  EXPECT_EQ(parsed(chain), (Stencil{2, {{0, 0, 0, 200'000}}}));
}

}  // namespace
}  // namespace tune::kernels
