// SPDX-License-Identifier: Apache-2.0
// Products of matrices by a warp (kernels/common/tensor_core.cuh) in the emulator, against plain loops.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/framework/kernel_files.hpp"
#include "tests/tuner/backends/emulator/kernel_check.hpp"
#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

using testing::KernelCheck;

/// A kernel of one block that includes the header; out[32 i + lane] is element i of the lane's result.
KernelCheck warp_kernel(const std::string& body, std::uint32_t threads, std::uint64_t count) {
  const kernels::EmbeddedSources sources;
  KernelCheck check(
      "#include \"tensor_core.cuh\"\n"
      "float large_part(float x) {\n"
      "  float high, low;\n  split_tf32<true>(x, high, low);\n  return high;\n}\n"
      "float operand(float x) {\n"
      "  return __uint_as_float(__float_as_uint(tf32_operand(x)) & 0xffffe000u);\n}\n"
      "double seen(float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000u); }\n"
      "extern \"C\" __global__ void k(const float* in, float* out, int n) {\n"
      "  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;\n" +
          body + "\n}\n",
      threads, 1, count);
  check.plan.compile.headers.push_back({"tensor_core.cuh", sources.text("common/tensor_core.cuh")});
  return check;
}

/// C(row, column) as the lanes hold it: element 128 i of `out` belongs to element i of a lane.
template<class Value>
std::vector<double> fragments_of(const Value& value) {
  std::vector<double> all(128);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i)
      all[static_cast<std::size_t>(32 * i + lane)] = value(lane / 4 + 8 * (i / 2), 2 * (lane % 4) + i % 2);
  return all;
}

double a_of(int row, int k) {
  return (row * 7 + k * 5) % 23 - 11;
}
double b_of(int k, int column) {
  return (k * 3 + column * 11) % 17 - 8;
}

/// c = 1 + row + product, of whole numbers: exact, so that every misplaced element shows.
std::string whole_numbers(const std::string& type, int inner) {
  return format(
      "  {0} a[{1} / 2], b[{1} / 4], c[4];\n"
      "  for (int q = 0; q < {1} / 4; ++q) {{\n"
      "    for (int h = 0; h < 2; ++h) a[2 * q + h] = ((g + 8 * h) * 7 + (t + 4 * q) * 5) % 23 - 11;\n"
      "    b[q] = ((t + 4 * q) * 3 + g * 11) % 17 - 8;\n"
      "  }}\n"
      "  for (int i = 0; i < 4; ++i) c[i] = 1 + g + 8 * (i / 2);\n"
      "  multiply_add<{1}>(c, a, b);\n"
      "  for (int i = 0; i < 4; ++i) out[32 * i + lane] = c[i];",
      type, inner);
}

TEST(MatrixProduct, PlacesEveryElementOfEveryShape) {
  struct Shape {
    const char* type;
    int inner;
  };
  for (const auto& [type, inner] : {Shape{"float", 8}, {"double", 4}, {"double", 8}, {"double", 16}}) {
    for (const Flavour flavour : {Flavour::plain, Flavour::sanitize}) {
      KernelCheck check = warp_kernel(whole_numbers(type, inner), 32, 128);
      check.flavour(flavour).expecting(fragments_of([inner = inner](int row, int column) {
        double sum = 1 + row;
        for (int k = 0; k < inner; ++k) sum += a_of(row, k) * b_of(k, column);
        return sum;
      }));
      EXPECT_EQ(check.report(), "") << type << " " << inner;
    }
  }
}

// One lane's element of A in the wrong place changes the result.
TEST(MatrixProduct, SeesAMisplacedElement) {
  std::string body = whole_numbers("float", 8);
  const std::string right = "a[2 * q + h] = ((g + 8 * h)", wrong = "a[q + 2 * h] = ((g + 8 * h)";
  body.replace(body.find(right), right.size(), wrong);
  KernelCheck check = warp_kernel(body, 32, 128);
  check.expecting(fragments_of([](int row, int column) {
    double sum = 1 + row;
    for (int k = 0; k < 8; ++k) sum += a_of(row, k) * b_of(k, column);
    return sum;
  }));
  EXPECT_NE(check.report(), "");
}

/// tf32 by arithmetic instead of bits: 11 significant bits, ties away from zero.
double rounded_to_tf32(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  return std::ldexp(std::round(std::ldexp(mantissa, 11)), exponent - 11);
}

TEST(Tf32, RoundsToElevenBits) {
  for (const char* name : {"to_tf32", "large_part", "operand"}) {
    KernelCheck check = warp_kernel(
        format("  for (int i = 0; i < 4; ++i) {{\n"
               "    const float x = (i % 2 ? -1.0f : 1.0f) * (1.0f + (32 * i + lane) * 123457e-8f);\n"
               "    out[32 * i + lane] = {}(x);\n  }}",
               name),
        32, 128);
    std::vector<double> expected(128);
    for (int j = 0; j < 128; ++j) {
      const float x = (j / 32 % 2 != 0 ? -1.0F : 1.0F) * (1.0F + static_cast<float>(j) * 123457e-8F);
      expected[static_cast<std::size_t>(j)] = rounded_to_tf32(static_cast<double>(x));
    }
    check.expecting(expected);
    EXPECT_EQ(check.report(), "") << name;
  }
  // A tie: 1 + 2^-11 lies between 1 and 1 + 2^-10.
  KernelCheck tie = warp_kernel(
      "  out[lane] = to_tf32(1.0f + 0x1p-11f) + large_part(-1.0f - 0x1p-11f);\n"
      "  out[lane + 32] = to_tf32(1.0f + 0x1p-11f);",
      32, 64);
  std::vector<double> expected(64, 0.0);
  for (std::size_t i = 32; i < 64; ++i) expected[i] = 1 + 0x1p-10;
  EXPECT_EQ(tie.expecting(expected).report(), "");
}

// NaN and infinity reach the products, whichever NaN it is.
TEST(Tf32, KeepsWhatIsNoNumber) {
  KernelCheck check = warp_kernel(
      "  const unsigned bits[] = {0x7fffffffu, 0xffffffffu, 0x7fc00000u, 0x7f800001u, 0x7f800000u};\n"
      "  const float x = __uint_as_float(bits[lane % 5]);\n"
      "  float high, low, cut_high, cut_low;\n"
      "  split_tf32<true>(x, high, low);\n  split_tf32<false>(x, cut_high, cut_low);\n"
      "  const bool infinite = lane % 5 == 4;\n"
      "  out[lane] = isnan(low) && isnan(cut_low) && (infinite ? isinf(tf32_operand(x)) : "
      "isnan(tf32_operand(x))) && (infinite ? isinf(to_tf32(x)) : isnan(to_tf32(x)));",
      32, 32);
  EXPECT_EQ(check.expecting(std::vector<double>(32, 1.0)).report(), "");
}

// A device does not see the lower 13 bits of an operand.
TEST(MatrixProduct, CutsOperandsToTf32) {
  KernelCheck check = warp_kernel(
      "  float a[4] = {}, b[2] = {}, c[4] = {};\n"
      "  if (t == 0) a[0] = 1.0f + 0x1p-10f + 0x1p-11f, b[0] = 1.0f;\n"
      "  multiply_add<8>(c, a, b);\n"
      "  for (int i = 0; i < 4; ++i) out[32 * i + lane] = c[i];",
      32, 128);
  check.expecting(fragments_of([](int row, int) { return row < 8 ? 1 + 0x1p-10 : 0.0; }));
  EXPECT_EQ(check.report(), "");
}

// The three products of split operands, as a device sees them, are nearly as good as one of floats; one alone
// is not, two are not.
TEST(Tf32, SplitOperandsKeepTheFloat) {
  for (const char* rounded : {"true", "false"}) {
    const auto report_of = [&](const std::string& use) {
      KernelCheck check =
          warp_kernel(format("  const float x = 1.0f + lane * 0.0312345f, y = -3.0f + lane * 0.0712345f;\n"
                             "  float xh, xl, yh, yl;\n  split_tf32<{0}>(x, xh, xl);\n"
                             "  split_tf32<{0}>(y, yh, yl);\n"
                             "  const double product = double(x) * double(y);\n"
                             "  out[lane] = float(({1} - product) / product);",
                             rounded, use),
                      32, 32);
      check.expecting(std::vector<double>(32, 0.0));
      check.expected.tolerance.absolute = std::string(rounded) == "true" ? 0x1p-21 : 0x1p-19;
      return check.report();
    };
    EXPECT_EQ(report_of("(seen(xl) * seen(yh) + seen(xh) * seen(yl) + seen(xh) * seen(yh))"), "") << rounded;
    EXPECT_NE(report_of("(seen(xh) * seen(yh))"), "") << rounded;
    EXPECT_NE(report_of("(seen(xl) * seen(yh) + seen(xh) * seen(yh))"), "") << rounded;
  }
}

TEST(MatrixProduct, NeedsAllLanes) {
  const std::string product =
      "  float a[4] = {}, b[2] = {}, c[4] = {};\n  {}multiply_add<8>(c, a, b);\n  out[threadIdx.x] = c[0];";
  const auto with = [&](const std::string& condition, std::uint32_t threads) {
    std::string body = product;
    return warp_kernel(body.replace(body.find("{}m"), 2, condition), threads, threads).report();
  };
  EXPECT_EQ(with("", 64), "");
  EXPECT_NE(with("", 40).find("needs all lanes of the warp, which has 8"), std::string::npos) << with("", 40);
  const std::string some = with("if (lane != 5) ", 32);
  EXPECT_NE(some.find("divergent warp operation"), std::string::npos) << some;
  // Two products at one place, of different extents.
  const std::string mixed =
      warp_kernel(
          "  double a[8] = {}, b[4] = {}, c[4] = {};\n"
          "  auto& a4 = *reinterpret_cast<double (*)[2]>(a); auto& b1 = *reinterpret_cast<double "
          "(*)[1]>(b);\n"
          "  auto& a8 = *reinterpret_cast<double (*)[4]>(a); auto& b2 = *reinterpret_cast<double "
          "(*)[2]>(b);\n"
          "  if (lane < 16) multiply_add<4>(c, a4, b1); else multiply_add<8>(c, a8, b2);\n"
          "  out[lane] = c[0];",
          32, 32)
          .report();
  EXPECT_NE(mixed.find("lanes of one mask are at different operations"), std::string::npos) << mixed;
}

// A product orders no memory: who reads what another lane has stored needs a barrier.
TEST(MatrixProduct, OrdersNoMemory) {
  const auto with = [](const std::string& barrier) {
    return warp_kernel(
               "  __shared__ float s[32];\n  float a[4] = {}, b[2] = {}, c[4] = {};\n  s[lane] = lane;\n" +
                   barrier + "  multiply_add<8>(c, a, b);\n  out[lane] = s[31 - lane] + c[0];",
               32, 32)
        .report();
  };
  EXPECT_EQ(with("  __syncwarp();\n"), "");
  EXPECT_NE(with("").find("race"), std::string::npos);
}

}  // namespace
}  // namespace tune::emulator
