// SPDX-License-Identifier: Apache-2.0
// Sizes that a first definition gives arrays, from the largest indexes of the kernel.
#include <gmock/gmock.h>

#include "kernels/described/source/first_definition.hpp"
#include "kernels/described/source/polynomial.hpp"
#include "kernels/described/source/syntax.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class SizesOfArrays : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = why_no_parser(); !reason.empty()) GTEST_SKIP() << reason;
  }

  static FirstDefinition made(const std::string& text) {
    return first_definition("k.cu", {{"k.cu", text}, {}}, {}, {});
  }

  /// The size of `a`; empty where it is not by its index.
  static std::string size_of_a(const std::string& text) {
    const std::string json = made(text).json, begin = "\"a\": {\"type\": \"float\", \"size\": ";
    const std::size_t at = json.find(begin) + begin.size();
    const std::string line = json.substr(at, json.find('\n', at) - at);
    const std::string size =
        line.substr(0, line.starts_with('[') ? line.find(']') + 1 : line.find_first_of(",}"));
    return line.find("by its largest index") == std::string::npos ? "" : size;
  }

  static std::string in_body(const std::string& body, const std::string& before = {}) {
    return size_of_a(before +
                     "\n__global__ void k(float* out, const float* a, const int* list, int n, int m) {\n"
                     "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
                     body + "}\n");
  }
};

TEST_F(SizesOfArrays, FollowFromConditionsAndLoops) {
  EXPECT_EQ(in_body("if (i < n) out[i] = a[i];"), "\"n\"");
  EXPECT_EQ(in_body("if (i >= n) return; out[i] = a[i + 1];"), "\"n + 1\"");
  EXPECT_EQ(
      in_body(
          "if (i >= n || m == 0) return; float s = 0; for (int j = 0; j < m; ++j) s += a[i * m + j]; out[i] = s;"),
      "\"m * n\"");
  EXPECT_EQ(in_body("for (; i <= n && m > 0; i += blockDim.x * gridDim.x) out[i] = a[i];"), "\"n + 1\"");
  EXPECT_EQ(in_body("if (i < n) for (int j = -R; j <= R; ++j) out[i] += a[i + R + j];", "#define R 3"),
            "\"n + 6\"");
  EXPECT_EQ(in_body("if (i < n) out[i] = ((const float4*)a)[i].x;"), "\"4 * n\"");
  EXPECT_EQ(in_body("if (i < n) out[i] = *reinterpret_cast<const float2*>(a + 2 * i);"), "\"2 * n\"");
  EXPECT_EQ(in_body("if (i < n) { auto b = reinterpret_cast<const double2 *>(a) + 1; out[i] = b[i].x; }"),
            "\"4 * n + 4\"");
  EXPECT_EQ(in_body("if (i < n) out[i] = ((const char*)a)[i];"), "");
  EXPECT_EQ(in_body("if (i <= n) out[i] = a[i];"), "\"n\"");  // a mistake is to be found
  EXPECT_EQ(in_body("if (i > n - 1) return; out[i] = a[i];"), "\"n\"");
  EXPECT_EQ(in_body("if (i < n) out[i] = i > 0 ? a[i - 1] : 0;"), "\"n\"");
  EXPECT_EQ(in_body("if (i < n) { const float* row = a + i * 4; out[i] = row[3]; }"), "\"4 * n\"");
  EXPECT_EQ(in_body("if (i < n) out[i] = __ldg(a + 2 * i) + LOAD(a, 2 * i + 1);", "#define LOAD(x, i) x[i]"),
            "\"2 * n\"");
  EXPECT_EQ(in_body("if (i < n) for (int s = m; s > 0; s /= 2) out[i] += a[s];"), "\"m + 1\"");
}

TEST_F(SizesOfArrays, FollowFromTheGridWhereNothingIsCompared) {
  const std::string text =
      "__global__ void k(float* out, const float* a, int width, int height) {\n"
      "  int x = blockIdx.x * block_size_x * tile + threadIdx.x, y = blockIdx.y * block_size_y + threadIdx.y;\n"
      "  for (int t = 0; t < tile; ++t) out[y * width + x + t * block_size_x] = a[(y + 2) * (width + 2) + x + t * block_size_x + 2];\n"
      "}\n";
  EXPECT_EQ(size_of_a(text), "[\"width + 2\", \"height + 2\"]");
  EXPECT_THAT(
      made(text).json,
      HasSubstr("\"out\": {\"type\": \"float\", \"size\": [\"width\", \"height\"], \"access\": \"write\"}"));
}

TEST_F(SizesOfArrays, OfACube) {
  const std::string json =
      made(
          "__global__ void k(float* out, int n, int atoms) {\n"
          "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,\n"
          "      z = blockIdx.z * blockDim.z + threadIdx.z;\n"
          "  if (x < n && y < n && z < n) out[(z * n + y) * n + x] = atoms;\n}\n")
          .json;
  EXPECT_THAT(json, HasSubstr("\"out\": {\"type\": \"float\", \"size\": \"n * n * n\""));
  EXPECT_THAT(json, HasSubstr("ceil_div(n, block_size_z)\"]"));
  EXPECT_THAT(json, HasSubstr("{\"n\": 21}]"));
}

TEST_F(SizesOfArrays, AreGuessesOtherwise) {
  EXPECT_EQ(in_body("if (i < n) out[i] = a[list[i]];"), "");
  EXPECT_EQ(in_body("if (i < n) out[i] = other(a);"), "");
  EXPECT_EQ(in_body("if (i < n) { const float* p = a; p += m; out[i] = p[i]; }"), "");
  EXPECT_EQ(in_body("if (i < n) { int j = i; while (j * j < m) { j += list[j]; out[i] = a[j]; } }"), "");
  EXPECT_EQ(in_body("if (i < n) out[i] = a[i] + a[m];"), "");  // which one is larger?
}

// A variable of another scope is another one.
TEST_F(SizesOfArrays, KnowTheScopesOfVariables) {
  EXPECT_EQ(
      in_body("for (int j = 0; j < 5; j += 2) out[j] = 0; if (i < n) { int j = 2 * i; out[i] = a[j]; }"),
      "\"2 * n\"");
}

TEST_F(SizesOfArrays, ThatFollowAParameterMakeResultsDependOnIt) {
  const std::string json =
      made(
          "__global__ void k(float* out, const float* a, int n) {\n"
          "  float s = 0;\n"
          "  for (int i = blockIdx.x * block_size_x + threadIdx.x; i < n; i += num_blocks * block_size_x) s += a[i];\n"
          "  if (threadIdx.x == 0) out[blockIdx.x] = s;\n}\n")
          .json;
  EXPECT_THAT(
      json,
      HasSubstr(
          "\"out\": {\"type\": \"float\", \"size\": \"max(num_blocks)\", \"access\": \"both\", \"fill\": 0}"));
  EXPECT_THAT(
      json,
      HasSubstr("\"reference\": {\"configuration\": {}, \"same\": [\"block_size_x\", \"num_blocks\"]}"));
}

// An element for each block.
TEST_F(SizesOfArrays, AreNumbersOfBlocks) {
  const auto made_with = [](const std::string& place) {
    return made(
               "__global__ void k(float* out, const float* a, int n, int m) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;\n"
               "  float s = i < n && j < m ? a[j * n + i] : 0;\n"
               "  if (threadIdx.x == 0 && threadIdx.y == 0) " +
               place + " = s;\n}\n")
        .json;
  };
  EXPECT_THAT(made_with("out[blockIdx.x]"),
              AllOf(HasSubstr("\"out\": {\"type\": \"float\", \"size\": \"ceil_div(n, "
                              "min(block_size_x))\", \"access\": \"both\", \"fill\": 0}"),
                    HasSubstr("\"same\": [\"block_size_x\", \"block_size_y\"]")));
  EXPECT_THAT(made_with("out[blockIdx.y * gridDim.x + blockIdx.x]"),
              HasSubstr("\"ceil_div(n, min(block_size_x)) * ceil_div(m, min(block_size_y))\""));
  EXPECT_THAT(made_with("out[2 * blockIdx.x + 1]"), HasSubstr("\"2 * ceil_div(n, min(block_size_x))\""));
  EXPECT_THAT(made_with("out[i]"),
              HasSubstr("\"out\": {\"type\": \"float\", \"size\": \"n\", \"access\": \"write\"}"));
}

TEST_F(SizesOfArrays, ReadForOneValueMakeResultsDependOnTheParameter) {
  const std::string json =
      made(
          "#ifndef pairs\n#define pairs 0\n#endif\n"
          "__global__ void k(float* out, const float2* both, const float* a, int n) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "#if pairs == 1\n  if (i < n) out[i] = both[i].x;\n#else\n  if (i < n) out[i] = a[i];\n#endif\n}\n")
          .json;
  EXPECT_THAT(json, HasSubstr("\"same\": [\"pairs\"]"));
  EXPECT_THAT(json, HasSubstr("\"both\": {\"type\": \"float2\", \"size\": \"n\""));
}

// `nx` and `NX` are one size.
TEST_F(SizesOfArrays, AMacroThatTheLaunchPassesFollowsTheArgument) {
  const std::string json =
      made(
          "#define NX 4096\n#define NY 512\n"
          "__global__ void k(int nx, int ny, float* out, const float* a) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (i < nx) for (int j = 0; j < ny; ++j) out[i] += a[i * NY + j];\n}\n"
          "int main() {\n  float *out, *a;\n  cudaMalloc(&out, NX * sizeof(float));\n"
          "  cudaMalloc(&a, NX * NY * sizeof(float));\n  k<<<NX / 256, 256>>>(NX, NY, out, a);\n}\n")
          .json;
  EXPECT_THAT(json, HasSubstr("\"redefine\": {\"NY\": \"ny\"}"));
  EXPECT_THAT(json, HasSubstr("\"sizes\": {\"nx\": 4096, \"ny\": 512}"));
  EXPECT_THAT(json, HasSubstr("\"a\": {\"type\": \"float\", \"size\": \"nx * ny\""));
  EXPECT_THAT(json, Not(HasSubstr("\"NX\": 4096")));
}

TEST_F(SizesOfArrays, BlocksThatAreQuotientsAreWhole) {
  EXPECT_THAT(
      made("__global__ void k(float* a) {\n"
           "  int x = blockIdx.x * (TILE / ROWS) + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;\n"
           "  a[y * 64 + x] = TILE;\n}\n")
          .json,
      HasSubstr("\"TILE % ROWS == 0\""));
}

TEST_F(SizesOfArrays, ATemplateOfJinjaIsNoKernel) {
  const auto error = [](const std::string& text) -> std::string {
    try {
      made(text);
    } catch (const UsageError& failure) {
      return failure.what();
    }
    return {};
  };
  EXPECT_THAT(
      error("__global__ void k(float* a) {\n{% for i in range(4) %}\n  a[{{ i }}] = 0;\n{% endfor %}\n}\n"),
      HasSubstr("k.cu:2: this is a template of jinja"));
  EXPECT_EQ(error("__global__ void k(int* a) { int b[2][1] = {{ 1 }, { 2 }}; a[0] = b[0][0] %2; }\n"), "");
}

TEST(Polynomials, AreBounds) {
  const auto bound = [](const std::string& expression) -> std::string {
    const auto all = upper_bound(
        expression, [](std::string_view name) { return std::optional(Polynomial::name(std::string(name))); });
    if (!all) return "?";
    return all->text([](const std::string& name) { return name; }).value_or("?");
  };
  EXPECT_EQ(bound("(a + 1) * (b - 2) + 3"), "a * b - 2 * a + b + 1");
  EXPECT_EQ(bound("a - (a - 1)"), "1");
  EXPECT_EQ(bound("(a / 2) * 2"), "a");
  EXPECT_EQ(bound("17 / 2 * 2"), "16");
  EXPECT_EQ(bound("a / b * b"), "a");
  EXPECT_EQ(bound("a % 4"), "3");
  EXPECT_EQ(bound("min(a, 5)"), "a");
  EXPECT_EQ(bound("max(0, -a)"), "-a");
  EXPECT_EQ(bound("a / 2"), "?");
  EXPECT_EQ(bound("a / (a + b)"), "?");
  EXPECT_EQ(bound("a / 0"), "?");
  EXPECT_EQ(bound("a * (b"), "?");
  EXPECT_EQ(bound("f(a)"), "?");
  EXPECT_EQ(bound(std::string(5'000, '(')), "?");
  EXPECT_EQ(bound(std::string(5'000, '-') + "a"), "?");
}

// ---- launches of the file

class SizesOfLaunches : public SizesOfArrays {
 protected:
  static std::string line_of(const FirstDefinition& definition, const std::string& name) {
    const std::size_t at = definition.json.find("\"" + name + "\":");
    return at == std::string::npos ? "" : definition.json.substr(at, definition.json.find('\n', at) - at);
  }
};

// The grid of the file may be computed where nobody sees it.
TEST_F(SizesOfLaunches, AnIndexBelowAProductMakesSizesOfItsFactors) {
  for (const char* const bound : {"int total = B * NH * T; if (i < total)", "if (i < B * NH * T)"}) {
    const FirstDefinition definition = made(format(
        "__global__ void k(float* out, const int* index, int B, int T, int NH) {{\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  {} out[i] = index[i];\n}}\n"
        "void run(float* out, int* index) {{\n  int n = grid(); n = 2 * n;\n  k<<<n, 64>>>(out, index, 8, 1024, 12);\n}}\n",
        bound));
    EXPECT_THAT(line_of(definition, "grid"), HasSubstr("\"ceil_div((B * NH * T), block_size_x)\"")) << bound;
    EXPECT_THAT(line_of(definition, "sizes"), HasSubstr("{\"B\": 8, \"T\": 1024, \"NH\": 12}"));
    EXPECT_THAT(line_of(definition, "out"), HasSubstr("\"size\": \"B * NH * T\""));
    // Below every size, whichever the index is for.
    EXPECT_THAT(line_of(definition, "index"), HasSubstr("{\"random\": [0, \"min(B, T, NH) - 1\"]}"));
  }
}

TEST_F(SizesOfLaunches, WhatALoopOfTheHostCountsIsTheFirstOfItsValues) {
  const FirstDefinition definition = made(
      "__global__ void k(float* a, int n, int k) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n - (k + 1)) a[k * n + i] = 0;\n}\n"
      "void run(float* a) {\n  const int n = 2048;\n"
      "  for (int k = 0; k < n; ++k) k<<<(n - (k + 1) + 255) / 256, 256>>>(a, n, k);\n}\n");
  EXPECT_THAT(line_of(definition, "sizes"), HasSubstr("{\"n\": 2048}"));
  EXPECT_THAT(definition.json, HasSubstr("\"k\": {\"type\": \"int\", \"value\": 0}")) << definition.json;
}

TEST_F(SizesOfLaunches, ASquareBlockOfTheFileHasTwoExtents) {
  const FirstDefinition definition = made(
      "__global__ void k(float* out, const float* in, int BT, int C) {\n"
      "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
      "  if (x < BT && y < C) out[x * C + y] = in[x * C + y];\n}\n"
      "void run(float* out, float* in, int side) {\n  const int B = 32, T = 1024, C = 768;\n"
      "  cudaMalloc(&out, B * T * C * sizeof(float));\n"
      "  dim3 grid(ceil_div(B * T, side), ceil_div(C, side)), block(side, side);\n"
      "  k<<<grid, block>>>(out, in, B*T, C);\n}\n");
  EXPECT_THAT(line_of(definition, "grid"), HasSubstr("\"ceil_div(C, block_size_y)\"")) << definition.json;
  EXPECT_THAT(line_of(definition, "out"), HasSubstr("\"size\": \"BT * C\""));
}

TEST_F(SizesOfArrays, AreArgumentsRatherThanTheHaloOfATile) {
  const std::string json = made(R"(
#define R 2
#ifndef BY
#define BY 8
#endif
__global__ void k(float* out, const float* a, int width, int height) {
  const int i0 = blockIdx.x * 32, j0 = blockIdx.y * BY, i = i0 + threadIdx.x, j = j0 + threadIdx.y;
  __shared__ float tile[BY + 2 * R][32];
  for (int row = threadIdx.y; row < BY + 2 * R; row += BY) {
    const int from = j0 + row - R;
    tile[row][threadIdx.x] = from >= 0 && from < height && i < width ? a[from * width + i] : 0;
  }
  __syncthreads();
  if (i < width && j < height) out[j * width + i] = tile[threadIdx.y][threadIdx.x];
})")
                               .json;
  EXPECT_THAT(json, HasSubstr("\"sizes\": {\"width\": 1024, \"height\": 1024}"));
  EXPECT_THAT(json, HasSubstr("\"grid\": [\"ceil_div(width, 32)\", \"ceil_div(height, BY)\"]"));
}

TEST_F(SizesOfArrays, APitchInAStructIsARow) {
  EXPECT_THAT(made(R"(
struct Grid { int nx, ny; long long pitch; float spacing; };
__global__ void k(float* out, const float* a, Grid g) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < g.nx && y < g.ny) out[y * g.pitch + x] = a[y * g.pitch + x] / g.spacing;
})")
                  .json,
              HasSubstr("{\"name\": \"pitch\", \"type\": \"long long\", \"value\": \"nx\"}"));
}

// A pitch that is a size of its own would be smaller than the width in a check.
TEST_F(SizesOfArrays, ThePitchOfAnArgumentIsARowAndAStrideOfOneAxisIsOne) {
  EXPECT_THAT(made(R"(
__global__ void k(float* out, const float* a, int width, int height, int pitch) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * pitch + x] = a[y * pitch + x];
})")
                  .json,
              AllOf(HasSubstr("\"pitch\": {\"type\": \"int\", \"value\": \"width\"}"),
                    HasSubstr("\"out\": {\"type\": \"float\", \"size\": [\"width\", \"height\"]"),
                    Not(HasSubstr("\"pitch\": 1"))));
  EXPECT_THAT(made(R"(
struct Of { int n, stride; };
__global__ void k(float* out, const float* a, Of p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) out[i] = a[i * p.stride];
})")
                  .json,
              HasSubstr("{\"name\": \"stride\", \"type\": \"int\", \"value\": 1}"));
}

TEST_F(SizesOfArrays, AClassOfATemplateWithADefaultIsLeftOut) {
  const std::string json = made(R"(
template <class T> struct Plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <class T, int ITEMS, class Op = Plus<T>, class U = float> __global__ void k(T* out, const T* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = Op()(a[i], T(ITEMS));
})")
                               .json;
  EXPECT_THAT(json, HasSubstr("\"entry\": \"k<T, ITEMS>\""));
  EXPECT_THAT(json, Not(HasSubstr("\"Op\"")));
}

}  // namespace
}  // namespace tune::described
