// SPDX-License-Identifier: Apache-2.0
// What `tune new` makes of the ways in which files launch kernels, and what it marks.
#include <gmock/gmock.h>

#include "kernels/described/source/first_definition.hpp"
#include "kernels/described/source/kernel_source.hpp"
#include "kernels/described/source/syntax.hpp"
#include "tuner/base/error.hpp"

namespace tune::described {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class GuessedLaunches : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = why_no_parser(); !reason.empty()) GTEST_SKIP() << reason;
  }

  /// The line of the definition that begins with this name; with its mark.
  static std::string line_of(const std::string& text, const std::string& name) {
    const std::string json = first_definition("k.cu", {{"k.cu", text}, {}}, {}, {}).json;
    const std::size_t at = json.find("\"" + name + "\":");
    return at == std::string::npos ? "" : json.substr(at, json.find('\n', at) - at);
  }
};

const std::string scaled =
    "__global__ void k(float* y, const float* x, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }\n";

TEST_F(GuessedLaunches, BlocksAreThoseOfCollectivesAndWholeWarps) {
  const auto with = [](const std::string& block) {
    return "#define TILE 64\n__global__ void k(float* y, const float* x, int n) {\n"
           "  using Sum = cub::BlockReduce<Pair<float, 2>, " +
           block +
           ", cub::BLOCK_REDUCE_RAKING>;\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i]; }\n";
  };
  EXPECT_EQ(line_of(with("128"), "block"), "\"block\": \"128\"},");
  EXPECT_EQ(line_of(with("TILE"), "block"), "\"block\": \"TILE\"},");
  const std::string product =
      "__global__ void k(float* c, const half* a, int m, int n, int depth) {\n"
      "  int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize * 16;\n"
      "  int column = (blockIdx.y * blockDim.y + threadIdx.y) * 16;\n"
      "  for (int i = 0; i < depth; i += 16) if (row < m && column < n) {\n"
      "    wmma::load_matrix_sync(f, a + row * depth + i, depth); wmma::mma_sync(s, f, f, s); }\n"
      "  if (row < m && column < n) wmma::store_matrix_sync(c + row * n + column, s, n, wmma::mem_row_major); }\n";
  EXPECT_THAT(line_of(product, "block_size_x"), HasSubstr("{\"values\": [32, 64, 128], \"default\": 32}"));
  EXPECT_THAT(line_of(product, "grid"), HasSubstr("[\"ceil_div(m * 32, block_size_x * 16)\", "));
  EXPECT_THAT(line_of(product, "a"), HasSubstr("\"size\": \"depth * m\""));
  EXPECT_THAT(line_of(product, "c"), HasSubstr("\"size\": [\"m\", \"n\"], \"access\": \"write\""));
  EXPECT_THAT(line_of(product, "check"), HasSubstr("\"depth\": 64}"));
}

TEST_F(GuessedLaunches, MayRoundUpByAFunctionOfTheFile) {
  for (const std::string name : {"iDivUp", "div_up", "ceil_div", "divRndUp"})
    EXPECT_EQ(
        line_of("int " + name + "(int a, int b) { return a % b != 0 ? a / b + 1 : a / b; }\n" + scaled +
                    "void f(float* a, float* b, int n) { k<<<" + name + "(n, 128), 128>>>(a, b, n); }\n",
                "grid"),
        "\"grid\": \"ceil_div(n, block_size_x)\",")
        << name;
}

TEST_F(GuessedLaunches, InTemplatesHaveTheNumbersOfTheirCalls) {
  const std::string kernel =
      "template<int SIZE, int WORK> __global__ void k(float* y, int n) {\n"
      "  int i = blockIdx.x * SIZE + threadIdx.x; if (i < n) y[i] = WORK; }\n"
      "template<int A, int B> void launch(float* y, int n) { k<B, A><<<(n + B - 1) / B, B>>>(y, n); }\n";
  const std::string calls =
      "void run(float* y, int n) {\n  if (n > 9) launch<3, 192>(y, n);\n  else launch<5, 64>(y, n); }\n";
  EXPECT_THAT(line_of(kernel + calls, "SIZE"), HasSubstr("{\"values\": [64, 192], \"default\": 192}"));
  EXPECT_THAT(line_of(kernel + calls, "WORK"), HasSubstr("{\"values\": [3, 5], \"default\": 3}"));
  EXPECT_THAT(line_of(kernel, "WORK"), HasSubstr("{\"values\": [1, 2, 4], \"default\": 1}"));
}

TEST_F(GuessedLaunches, OfHipAndOfTheRuntime) {
  EXPECT_EQ(
      line_of(
          scaled +
              "void f(float* a, float* b, int m) { hipLaunchKernelGGL(k, dim3((m + 255) / 256), dim3(256), 0, "
              "0, a, b, m); }",
          "grid"),
      "\"grid\": \"ceil_div(n, block_size_x)\",");
  const std::string runtime =
      scaled +
      "void f(float* a, float* b, int m) {\n  void* args[] = {&a, &b, (void*)&m};\n"
      "  cudaLaunchKernel((const void*)k, dim3((m + 255) / 256), dim3(256), args, 0, 0);\n}";
  EXPECT_EQ(line_of(runtime, "grid"), "\"grid\": \"ceil_div(n, block_size_x)\",");
  EXPECT_EQ(line_of(runtime, "cooperative"), "");
}

TEST_F(GuessedLaunches, OfCooperativeKernels) {
  const std::string kernel =
      "__global__ void k(float* y, int n) {\n  auto g = cooperative_groups::this_grid();\n"
      "  for (int i = g.thread_rank(); i < n; i += g.size()) y[i] = 1;\n  g.sync();\n}\n";
  EXPECT_THAT(line_of(kernel, "cooperative"), HasSubstr("true"));
  EXPECT_THAT(line_of(kernel, "grid"), HasSubstr("TODO"));
  EXPECT_THAT(line_of(scaled + "void f(float* a, float* b, int m) { void* args[] = {&a, &b, &m};\n"
                               "  cudaLaunchCooperativeKernel((void*)k, dim3(8), dim3(256), args); }",
                      "cooperative"),
              HasSubstr("true"));
}

TEST_F(GuessedLaunches, RowsForWarpsAreMarked) {
  EXPECT_THAT(line_of("#define WARP 32\n__global__ void k(float* y, const float* x, int rows) {\n"
                      "  int id = blockIdx.x * blockDim.x + threadIdx.x; int row = id / WARP;\n"
                      "  if (row < rows) y[row] = x[row];\n}\n",
                      "grid"),
              AllOf(HasSubstr("ceil_div(rows * 32, block_size_x)"), HasSubstr("TODO")));
  EXPECT_THAT(line_of(scaled, "grid"), Not(HasSubstr("TODO")));
}

TEST_F(GuessedLaunches, VariablesThatOtherFunctionsChangeAreNoConstants) {
  EXPECT_THAT(line_of("unsigned total = 0;\nvoid setup(int n) { total += n; }\n"
                      "__global__ void k(float* y) { y[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n"
                      "int main() { setup(100); float* y; k<<<total / 128, 128>>>(y); }\n",
                      "grid"),
              AllOf(Not(HasSubstr("\"0 ")), HasSubstr("TODO")));
}

TEST_F(GuessedLaunches, DynamicSharedMemoryByWayOfHelpers) {
  const std::string kernel =
      "__global__ void k(float* y, int n) {\n  @\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  s[threadIdx.x] = i; __syncthreads(); if (i < n) y[i] = s[threadIdx.x]; }\n";
  const auto with = [&](const std::string& line) {
    return std::string(kernel).replace(kernel.find('@'), 1, line);
  };
  EXPECT_THAT(line_of(with("HIP_DYNAMIC_SHARED(double, s)"), "shared"),
              AllOf(HasSubstr("8 * block_size_x"), HasSubstr("TODO")));
  EXPECT_THAT(
      line_of("template <class T> struct Shared { __device__ operator T*() { extern __shared__ int raw[]; "
              "return (T*)raw; } };\n" +
                  with("float* s = Shared<float>();"),
              "shared"),
      AllOf(HasSubstr("4 * block_size_x"), HasSubstr("TODO")));
  EXPECT_EQ(line_of(with("__shared__ float s[256];"), "shared"), "");
}

// 1024 is nx, and ny.
TEST_F(GuessedLaunches, AnExtentThatIsAsLargeAsAnotherIsNotTakenForIt) {
  EXPECT_THAT(
      line_of(
          "__global__ void k(float* y, int first, int end, int nx) {\n"
          "  int iy = blockIdx.y * blockDim.y + threadIdx.y + first, ix = blockIdx.x * blockDim.x + "
          "threadIdx.x;\n  if (iy < end && ix < nx) y[iy * nx + ix] = 1; }\n"
          "int main() { const int nx = 1024, ny = 1024; float* y; cudaMalloc(&y, nx * ny * sizeof(float));\n"
          "  dim3 b(32, 4), g((nx + 31) / 32, (ny + 3) / 4); k<<<g, b>>>(y, 0, ny, nx); }\n",
          "y"),
      Not(HasSubstr("\"nx * nx\"")));
}

// 0 is in range for each array; 1 is not.
TEST_F(GuessedLaunches, OffsetsBeginAtZero) {
  const std::string text =
      "__global__ void k(float* y, const float* x, int start_bit, int inOffset, int goff, int scale) {\n"
      "  int i = blockIdx.x * BLOCK + threadIdx.x;\n  y[i] = x[i + inOffset];\n}\n";
  for (const std::string name : {"start_bit", "inOffset", "goff"})
    EXPECT_THAT(line_of(text, name), HasSubstr("\"value\": 0}")) << name;
  EXPECT_THAT(line_of(text, "scale"), HasSubstr("\"value\": 1}"));
}

TEST_F(GuessedLaunches, ATypeThatAnIncludingFileDefines) {
  const std::string text =
      "__global__ void k(long n, fp* y, fp scale) {\n  int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) y[i] = scale;\n}\n";
  const auto compiler = [](const MacroValues& defines) {
    std::vector<std::string> missing = {"fp", "BLOCK"};
    std::erase_if(missing, [&](const std::string& name) { return defines.contains(name); });
    return std::optional(missing);
  };
  const FirstDefinition made = first_definition("k.cu", {{"k.cu", text}, {}}, {}, compiler);
  EXPECT_THAT(made.json, HasSubstr("\"options\": [\"-Dfp=float\"]}"));
  EXPECT_THAT(made.json, HasSubstr("the file does not declare this type: which is it?"));
  EXPECT_THAT(made.json, HasSubstr(R"("y": {"type": "float", "size": "n", "access": "write"})"));
  EXPECT_THAT(made.json, HasSubstr(R"("scale": {"type": "float", "value": 0.5})"));
  EXPECT_TRUE(made.missing.empty());
}

TEST(KernelsOfOneName, AreListedWithTheirLines) {
  if (const std::string reason = why_no_parser(); !reason.empty()) GTEST_SKIP() << reason;
  const std::string text =
      "namespace a {\n__global__ void k(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }\n}\n"
      "namespace b {\n__global__ void k(int* y) { y[threadIdx.x] = 1; }\n}\n"
      "template <int N> __global__ void t(float* x) { x[N] = 1; }\ntemplate <> __global__ void t<1>(float* x) { x[0] = 1; }\n"
      "#ifdef FIRST\nint main() { a::k<<<1, 32>>>(nullptr, 3); }\n#else\nint main() { b::k<<<2, 64>>>(nullptr); }\n#endif\n";
  const auto drafted = [&](const std::string& entry) {
    return first_definition("k.cu", {{"k.cu", text}, {}}, entry).json;
  };
  try {
    drafted("k");
    FAIL() << "the first of two was taken";
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()),
              "k.cu: 2 kernels are called 'k': k.cu:2 a::k, k.cu:5 b::k; choose one by its line: --entry 2");
  }
  EXPECT_NE(drafted("b::k").find("\"entry\": \"b::k\""), std::string::npos);
  EXPECT_NE(drafted("5").find("\"entry\": \"b::k\""), std::string::npos);
  EXPECT_NE(drafted("").find("\"entry\": \"a::k\""), std::string::npos);
  EXPECT_NE(drafted("t").find("\"entry\": \"t<N>\""), std::string::npos);
  const std::vector<std::pair<int, std::string>> all = kernels_in(text);
  ASSERT_GE(all.size(), 3U);
  EXPECT_EQ(all[1], std::pair(5, std::string("b::k")));
}

}  // namespace
}  // namespace tune::described
