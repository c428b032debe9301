// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source/first_definition.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <optional>
#include <sstream>

#include "kernels/described/problem.hpp"
#include "kernels/described/readers/definition.hpp"
#include "kernels/described/source/kernel_source.hpp"
#include "kernels/described/source/syntax.hpp"
#include "search/space/search_space.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::described {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class FirstDefinitionOf : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = why_no_parser(); !reason.empty()) GTEST_SKIP() << reason;
  }

  static FirstDefinition made(const std::string& text, const std::string& entry = {},
                              const UndefinedNames& undefined = {}) {
    return first_definition("k.cu", {{"k.cu", text}, {}}, entry, undefined);
  }

  /// The line of a definition that begins with this name; with its mark.
  static std::string line_of(const FirstDefinition& definition, const std::string& name) {
    const std::size_t at = definition.json.find("\"" + name + "\":");
    return at == std::string::npos ? "" : definition.json.substr(at, definition.json.find('\n', at) - at);
  }

  /// What a kernel does with its first argument.
  static std::string accesses(const std::string& body, const std::string& before = {}) {
    const KernelText text{
        {"k.cu", before + "\n__global__ void k(float* x, float* other, int n) {" + body + "}"}, {}};
    const Accesses is =
        read_kernel_source(follow_conditions(text, {}), "k.cu", "", {}).parameters.at(0).accesses;
    return std::string(is.read ? "r" : "") + (is.written ? "w" : "") + (is.unknown ? "?" : "");
  }

  /// The definition as a problem.
  const DescribedProblem& problem(const std::string& text) {
    std::ofstream(folder_ / "k.cu") << text;
    std::ofstream(folder_ / "k.json") << made(text).json;
    problem_.emplace(read_definition(folder_ / "k.json"));
    return *problem_;
  }

 private:
  const tune::testing::TemporaryFolder folder_ = {};
  std::optional<DescribedProblem> problem_ = std::nullopt;
};

const char* const saxpy =
    "#ifndef BLOCK_SIZE\n#define BLOCK_SIZE 256  // threads\n#endif\n#ifndef UNROLL\n#define UNROLL "
    "1\n#endif\n"
    "#ifndef TYPE\n#define TYPE float\n#endif\n"
    "extern \"C\" __global__ void __launch_bounds__(BLOCK_SIZE) saxpy(float* __restrict__ y,\n"
    "    const double *x, unsigned int n, TYPE a) {\n  int i = blockIdx.x * BLOCK_SIZE * UNROLL + threadIdx.x;\n"
    "  for (int k = 0; k < UNROLL; ++k, i += BLOCK_SIZE) if (i < n) y[i] = a * x[i];\n}\n"
    "__global__ void second(int* out) { out[blockIdx.x] = 1; }\n";

// What comes out is a definition: it has a space and plans as it stands.
TEST_F(FirstDefinitionOf, AKernelIsOneAsItStands) {
  const DescribedProblem& made = problem(saxpy);
  EXPECT_EQ(made.info().name, "saxpy");
  const Instance instance = make_instance(made.info(), "", {});
  const search::SearchSpace space(made.space(instance, architecture_properties("sm_90")));
  EXPECT_EQ(space.at(*space.default_configuration()).to_string(), "BLOCK_SIZE=256, UNROLL=1");
  const KernelDescription& definition = made.description();
  ASSERT_EQ(definition.arguments.size(), 4U);
  EXPECT_EQ(definition.argument("y")->access, BufferAccess::write);
  EXPECT_EQ(definition.argument("x")->access, BufferAccess::read);
  EXPECT_EQ(definition.argument("x")->type->element, ElementType::f64);
  EXPECT_EQ(definition.argument("n")->type->element, ElementType::u32);
  EXPECT_EQ(definition.argument("a")->type->element, ElementType::f32);
}

TEST_F(FirstDefinitionOf, ANamedKernel) {
  EXPECT_THAT(made(saxpy, "second").json, HasSubstr("\"entry\": \"second\""));
  EXPECT_THROW(made(saxpy, "third"), UsageError);
  EXPECT_THROW(made("int main() {}"), UsageError);
  EXPECT_THROW(made("__global__ void __launch_bounds__(32"), UsageError);
}

TEST_F(FirstDefinitionOf, KernelsWithWordsAroundTheirNames) {
  for (const char* text :
       {"static __global__ inline void __launch_bounds__(32 * 2, 1) k(int* y) { y[0] = 1; }",
        "extern \"C\" { __global__ void k(int* y); }\n__global__ void k(int* y) { y[0] = 1; }",
        "extern \"C\" __launch_bounds__(64) __global__ void k(int* y) { y[0] = 1; }",
        "__attribute__((global)) __global__ __attribute__((used)) void k(int* y) { y[0] = 1; }",
        "// __global__ void a()\n__global__\nvoid\nk\n(\nint* y) { y[0] = 1; }"})
    EXPECT_THAT(made(text).json, HasSubstr("\"entry\": \"k\"")) << text;
  EXPECT_THAT(made("namespace a { namespace b { __global__ void k(int* y) { y[0] = 1; } } }").json,
              HasSubstr("\"entry\": \"a::b::k\""));
}

// The grammar takes `x < ... >` behind a member for a template with its arguments.
TEST_F(FirstDefinitionOf, ComparisonsOfMembersAreNoTemplates) {
  const FirstDefinition definition = made(
      "struct Of { template <int N> __device__ int get(int i) const; int a; };\n"
      "__global__ void k(float* y, const float* x, Of of, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (threadIdx.x < blockDim.x - 1 && i < n) y[i] = x[of.get<3>(i)];\n"
      "  for (int t = 0; of.a < n - 1 && t < n; ++t) y[i] = of.a<t;\n}\n"
      "void run(float* y, float* x, Of of, int n) { k<<<(n + 255) / 256, 256>>>(y, x, of, n); }\n");
  EXPECT_THAT(definition.kernels, ElementsAre("k"));
  EXPECT_THAT(line_of(definition, "grid"), HasSubstr("block_size_x"));
  EXPECT_THAT(made("__global__ void __launch_bounds__(64) __maxnreg__(32) __cluster_dims__(2, 1, 1)\n"
                   "k(int* y) { y[threadIdx.x] = 0; }")
                  .kernels,
              ElementsAre("k"));
}

TEST_F(FirstDefinitionOf, ATemplate) {
  const FirstDefinition definition = made(
      "#include <cstdint>\ntemplate <typename T, int BLOCK, bool FAST>\n"
      "__global__ void __launch_bounds__(BLOCK) sum(const T* __restrict__ in, T* out, std::uint32_t n) {\n"
      "  int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) out[i] = FAST ? in[i] : 2 * in[i];\n}\n");
  EXPECT_THAT(definition.json, HasSubstr("\"entry\": \"sum<T, BLOCK, FAST>\""));
  EXPECT_THAT(line_of(definition, "settings"), HasSubstr("\"T\""));
  EXPECT_THAT(line_of(definition, "in"), HasSubstr("\"type\": \"T\""));
  EXPECT_THAT(line_of(definition, "out"), HasSubstr("\"access\": \"write\""));
  EXPECT_EQ(line_of(definition, "n"), "\"n\": 1048576},  // TODO: the sizes to tune for");
  EXPECT_THAT(definition.json, HasSubstr("\"n\": {\"type\": \"uint32_t\", \"value\": \"n\"}"));
  EXPECT_THAT(line_of(definition, "FAST"), HasSubstr("[0, 1]"));
  EXPECT_EQ(line_of(definition, "grid"), "\"grid\": \"ceil_div(n, BLOCK)\",");
}

TEST_F(FirstDefinitionOf, AKernelInTwoDimensions) {
  const FirstDefinition definition = made(
      "__global__ void blur(const float* in, float* out, int width, int height) {\n"
      "  const int tx = threadIdx.x, by = blockIdx.y;\n"
      "  const int x = blockIdx.x * (TX * 2) + tx;\n  const int y = (by * TY + threadIdx.y) * ROWS;\n"
      "  if (x >= width) return;\n"
      "  for (int i = 0; i < ROWS; ++i) if (y + i < height) out[(y + i) * width + x] = in[(y + i) * width + x];\n}\n");
  EXPECT_THAT(line_of(definition, "grid"),
              HasSubstr("[\"ceil_div(width, TX * 2)\", \"ceil_div(height, TY * ROWS)\"]"))
      << definition.json;
  EXPECT_THAT(
      definition.json,
      HasSubstr("\"out\": {\"type\": \"float\", \"size\": [\"width\", \"height\"], \"access\": \"write\"}"));
  EXPECT_THAT(definition.json, HasSubstr("\"width\": {\"type\": \"int\", \"value\": \"width\"}"));
  EXPECT_THAT(line_of(definition, "ROWS"), HasSubstr("the file does not define this name"));
}

// A step from thread to thread is the block's extent; a name alone makes no size of a macro with a default.
TEST_F(FirstDefinitionOf, StepsOfThreads) {
  const FirstDefinition definition = made(
      "#ifndef TILE\n#define TILE 32\n#endif\n#ifndef ROWS\n#define ROWS 8\n#endif\n"
      "__global__ void k(float* y, int w, int h) {\n  int x = blockIdx.x * TILE + threadIdx.x;\n"
      "  for (int r = threadIdx.y; r < TILE; r += ROWS)\n    if (x < w && blockIdx.y * TILE + r < h) y[x] = 1;\n}\n");
  EXPECT_THAT(line_of(definition, "block"), HasSubstr("[\"TILE\", \"ROWS\"]")) << definition.json;
  EXPECT_THAT(definition.json, HasSubstr("\"ROWS\": {\"values\": [1, 2, 4, 8, 16], \"default\": 8}"));
}

// Any number of blocks will do: which is a guess.
TEST_F(FirstDefinitionOf, LoopsOverTheGrid) {
  const FirstDefinition definition = made(
      "__global__ void k(float* y, int n) {\n  for (int i = blockIdx.x * B + threadIdx.x; i < n; i += gridDim.x * B) y[i] = 1;\n}\n");
  EXPECT_THAT(line_of(definition, "grid"), AllOf(HasSubstr("ceil_div(n, B)"), HasSubstr("TODO")));
}

// What the threads of a block are compared with is no extent of the grid.
TEST_F(FirstDefinitionOf, BoundsOfThreads) {
  const FirstDefinition definition = made(
      "__global__ void k(float* y, int n) {\n  int batch = blockIdx.x * GROUP + threadIdx.y;\n  int tx = threadIdx.x;\n"
      "  if (tx < SIZE_C) y[batch * SIZE_C + tx] = 1;\n}\n");
  EXPECT_THAT(line_of(definition, "grid"), AllOf(HasSubstr("ceil_div(n, GROUP)"), HasSubstr("TODO")));
}

// An array is of numbers where the kernel reads it as vectors of several lengths.
TEST_F(FirstDefinitionOf, VectorsOfSeveralLengths) {
  const FirstDefinition definition = made(
      "#if LENGTH == 2\ntypedef uint2 vec;\n#elif LENGTH == 4\ntypedef uint4 vec;\n#endif\n"
      "__global__ void k(const vec* x, float* y) { y[blockIdx.x * B + threadIdx.x] = x[0].x; }\n");
  EXPECT_THAT(definition.json, HasSubstr(format("\"x\": {{\"type\": \"{}\"", to_string(ElementType::u32))));
}

// Columns that one block goes along each: the array has both extents, the grid one.
TEST_F(FirstDefinitionOf, AnAxisWithOneBlock) {
  const FirstDefinition definition = made(
      "__global__ void k(float* y, int h, int w) {\n  int x = blockIdx.x * BX + threadIdx.x;\n  int ty = threadIdx.y;\n"
      "  if (x < w) for (int i = ty; i < h - 1; i += BY) y[i * w + x] *= 2;\n}\n");
  EXPECT_THAT(definition.json, HasSubstr("\"y\": {\"type\": \"float\", \"size\": [\"w\", \"h\"]"));
  EXPECT_EQ(line_of(definition, "grid"), "\"grid\": [\"ceil_div(w, BX)\", \"1\"],");
  EXPECT_THAT(line_of(definition, "block"), HasSubstr("[\"BX\", \"BY\"]"));
}

TEST_F(FirstDefinitionOf, AKernelThatTakesAnyBlock) {
  const FirstDefinition definition = made(
      "__global__ void k(float* y, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] *= 2;\n}\n");
  EXPECT_THAT(line_of(definition, "block"), HasSubstr("\"block_size_x\"},"));
  EXPECT_EQ(line_of(definition, "grid"), "\"grid\": \"ceil_div(n, block_size_x)\",");
  EXPECT_THAT(line_of(definition, "y"), HasSubstr("\"access\": \"both\""));
}

TEST_F(FirstDefinitionOf, MemoryBesideTheArguments) {
  const FirstDefinition definition = made(
      "#define ORDER 8\nstruct Params { int n; float dt; };\nstruct Point { float x, y, z; };\ntypedef double real;\nusing Wide = real;\n"
      "__constant__ float4 weights[2 * ORDER];\n__constant__ int unused[4];\n"
      "__global__ void advect(Point* p, const Wide* w, cudaTextureObject_t speed, Params q, real dt) {\n"
      "  extern __shared__ float2 part[];\n  int i = blockIdx.x * 128 + threadIdx.x;\n"
      "  p[i].x += w[i] * tex2D<float2>(speed, i, 0).x * weights[0].x * dt;\n}\n");
  EXPECT_THAT(line_of(definition, "weights"), HasSubstr("\"type\": \"float4\", \"size\": \"2 * 8\""));
  EXPECT_THAT(line_of(definition, "weights"),
              AllOf(HasSubstr("\"symbol\": \"weights\""), Not(HasSubstr("TODO"))));
  EXPECT_EQ(
      line_of(definition, "unused"),
      "\"unused\": [0]  // TODO: the kernel has no parameter: #ifndef NAME, #define NAME 16, #endif gives it one");
  EXPECT_THAT(line_of(definition, "p"), AllOf(HasSubstr("\"type\": \"float\", \"size\": \"3 * n\""),
                                              HasSubstr("\"access\": \"both\"")));
  EXPECT_THAT(line_of(definition, "w"), HasSubstr("\"type\": \"double\""));
  EXPECT_THAT(line_of(definition, "speed"), AllOf(HasSubstr("\"type\": \"float2\", \"size\": [\"n\", \"n\"]"),
                                                  HasSubstr("\"texture\": true")));
  EXPECT_THAT(line_of(definition, "shared"), AllOf(HasSubstr("8 * 128"), HasSubstr("TODO")));
  EXPECT_THAT(line_of(definition, "dt"), HasSubstr("\"type\": \"double\""));
  EXPECT_THAT(
      line_of(definition, "q"),
      HasSubstr("{\"struct\": [{\"name\": \"n\", \"type\": \"int\", \"value\": \"n\"}, {\"name\": \"dt\""));
  EXPECT_THAT(definition.missing, IsEmpty());
}

TEST_F(FirstDefinitionOf, NamesThatNothingDefines) {
  const std::string text =
      "#if VECTOR == 1\ntypedef float vec;\n#elif VECTOR == 2\ntypedef float2 vec;\n#endif\n"
      "__device__ float one(float v) { return v * FACTOR + FLT_MAX + M_PI; }\n"
      "__device__ float elsewhere(float v) { return v * NOT_USED; }\n"
      "#define LAST (WIDTH - 1)\n"
      "__global__ void k(const vec* in, float* out) {\n  __shared__ float tile[TILE];\n"
      "  int i = blockIdx.x * BLOCK_SIZE_X + threadIdx.x;\n"
      "#if CACHED\n  tile[0] = 0;\n#if MODE == 3\n  out[1] = HIDDEN;\n#endif\n#endif\n"
      "  if (i < LAST) out[i] = one(i) + helper(i) + other<COUNT>(i);\n}\n";
  const FirstDefinition definition = made(text);
  EXPECT_THAT(line_of(definition, "VECTOR"), HasSubstr("[1, 2]"));
  EXPECT_THAT(line_of(definition, "CACHED"), HasSubstr("[0, 1]"));
  EXPECT_THAT(line_of(definition, "MODE"), HasSubstr("3"));
  EXPECT_THAT(line_of(definition, "BLOCK_SIZE_X"), HasSubstr("256"));
  for (const char* name : {"FACTOR", "TILE", "HIDDEN", "COUNT"})
    EXPECT_NE(line_of(definition, name), "") << name;
  for (const char* name : {"FLT_MAX", "M_PI", "helper", "vec", "other"})
    EXPECT_EQ(line_of(definition, name), "") << name;
  // A bound of the index is a size, which the kernel gets as a macro.
  EXPECT_THAT(line_of(definition, "defines"), HasSubstr("{\"WIDTH\": \"WIDTH\""));
  // The file must compile, but this is no parameter of the kernel.
  EXPECT_THAT(line_of(definition, "NOT_USED"), HasSubstr("other functions"));
  // An array is the same for all values: floats, whatever the vector.
  EXPECT_THAT(line_of(definition, "in"), HasSubstr("\"type\": \"float\""));
}

TEST_F(FirstDefinitionOf, NamesThatACompilerKnowsAreNoParameters) {
  const std::string text = "__global__ void k(float* y) { y[threadIdx.x] = A + B; }";
  const FirstDefinition definition = made(text, "", [](const MacroValues& defines) {
    std::vector<std::string> undefined;
    if (!defines.contains("B")) undefined.emplace_back("B");
    return std::optional(undefined);
  });
  EXPECT_EQ(line_of(definition, "A"), "");
  EXPECT_NE(line_of(definition, "B"), "");
}

// They must compile, but have no part in this kernel.
TEST_F(FirstDefinitionOf, OtherKernelsOfTheFile) {
  const std::string text =
      "#if LENGTH == 2\n#define VEC float2\n#elif LENGTH == 4\n#define VEC float4\n#endif\n"
      "__global__ void k(float* y, int n) {\n  int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) y[i] = 1;\n}\n"
      "__global__ void other(VEC* y) {\n  __shared__ float s[TILE];\n#if MODE == 1\n  y[0].x = s[0];\n#endif\n}\n";
  const FirstDefinition definition = made(text, "", [](const MacroValues& defines) {
    std::vector<std::string> undefined;
    for (const char* name : {"BLOCK", "TILE"})
      if (!defines.contains(name)) undefined.emplace_back(name);
    if (!defines.contains("LENGTH")) undefined.emplace_back("VEC");
    return std::optional(undefined);
  });
  EXPECT_THAT(line_of(definition, "defines"), HasSubstr("{\"LENGTH\": 2, \"TILE\": ")) << definition.json;
  EXPECT_EQ(line_of(definition, "MODE"), "");
  EXPECT_NE(line_of(definition, "BLOCK"), "");
  EXPECT_THAT(line_of(made(text, "other"), "LENGTH"), HasSubstr("[2, 4]"));
}

// An output of which the kernel leaves the rim as it is.
TEST_F(FirstDefinitionOf, OutputsThatAreWrittenInPart) {
  const std::string text =
      "__global__ void k(float* y, const float* x, int n) {\n  int i = blockIdx.x * B + threadIdx.x;\n  if (";
  const std::string end = ") y[i] = x[i];\n}\n";
  EXPECT_THAT(line_of(made(text + "i < n" + end), "y"), HasSubstr("\"access\": \"write\""));
  for (const char* condition : {"i > 0 && i < n - 1", "0 < i && i < n", "i >= 2 && i < n"})
    EXPECT_THAT(line_of(made(text + condition + end), "y"),
                AllOf(HasSubstr("\"access\": \"both\""), HasSubstr("perhaps not all")))
        << condition;
  EXPECT_THAT(line_of(made(text + "i >= 0 && i < n" + end), "y"), HasSubstr("\"access\": \"write\""));
}

TEST_F(FirstDefinitionOf, KernelsWithoutABoundAreCheckedAtWholeBlocks) {
  const FirstDefinition definition =
      made("__global__ void k(float* y) { y[blockIdx.x * blockDim.x + threadIdx.x] = 1; }");
  EXPECT_THAT(line_of(definition, "check"), AllOf(HasSubstr("[{\"n\": 4096}]"), HasSubstr("whole blocks")));
  EXPECT_THAT(line_of(definition, "grid"), HasSubstr("TODO"));
  // A quotient of the index needs more blocks.
  EXPECT_THAT(
      line_of(
          made(
              "__global__ void k(float* y, int n) {\n  int row = (blockIdx.x * B + threadIdx.x) / 32;\n  if (row < n) y[row] = 1;\n}\n"),
          "grid"),
      HasSubstr("ceil_div(n * 32, B)"));
}

TEST_F(FirstDefinitionOf, ValuesThatMakeSense) {
  const FirstDefinition definition = made(
      "#ifndef block_size_z\n#define block_size_z 1\n#endif\n#ifndef tile_size\n#define tile_size 1\n#endif\n"
      "#ifndef use_ldg\n#define use_ldg 0\n#endif\n#ifndef UNUSED\n#define UNUSED 3\n#endif\n#ifndef filter\n#define filter 17\n#endif\n"
      "__global__ void k(float* y, int n) {\n  int z = blockIdx.z * block_size_z + threadIdx.z;\n#pragma unroll DEPTH_UNROLL\n"
      "  for (int i = 0; i < tile_size; ++i) if (z < n) y[z] = use_ldg + filter;\n}\n");
  EXPECT_THAT(line_of(definition, "block_size_z"), HasSubstr("[1, 2, 4]")) << definition.json;
  EXPECT_THAT(line_of(definition, "tile_size"), HasSubstr("[1, 2, 4]"));
  EXPECT_THAT(line_of(definition, "use_ldg"), HasSubstr("[0, 1]"));
  EXPECT_THAT(line_of(definition, "filter"), HasSubstr("[17]"));
  EXPECT_THAT(line_of(definition, "DEPTH_UNROLL"), HasSubstr("[1, 2, 4]"));
  EXPECT_EQ(line_of(definition, "UNUSED"), "");
  EXPECT_THAT(line_of(definition, "block"), HasSubstr("[\"1\", \"1\", \"block_size_z\"]"));
}

TEST_F(FirstDefinitionOf, WhatTheFileFixesIsRedefined) {
  const std::string kernel =
      "__global__ void __launch_bounds__(BLOCK_SIZE) k(float* y) {\n"
      "  int x = blockIdx.x * BLOCK_SIZE + threadIdx.x;\n  if (x < WIDTH) y[x] = PI;\n}\n";
  const FirstDefinition definition =
      made("#define WIDTH 4096\n#define BLOCK_SIZE 128\n#define PI 3\n" + kernel);
  EXPECT_THAT(line_of(definition, "sizes"), HasSubstr("\"WIDTH\": 4096"));
  EXPECT_THAT(line_of(definition, "check"), HasSubstr("\"WIDTH\": 1003"));
  EXPECT_THAT(line_of(definition, "redefine"),
              HasSubstr("{\"WIDTH\": \"WIDTH\", \"BLOCK_SIZE\": \"BLOCK_SIZE\"}"));
  EXPECT_THAT(definition.json,
              HasSubstr("\"BLOCK_SIZE\": {\"values\": [32, 64, 128, 256, 512, 1024], \"default\": 128}"));
  EXPECT_EQ(line_of(definition, "PI"), "");
  EXPECT_EQ(made("constexpr int WIDTH = 4096;  // of a row\nstatic const unsigned int BLOCK_SIZE{128};\n"
                 "const int PI = 3;\n" +
                 kernel)
                .json,
            definition.json);
  EXPECT_EQ(line_of(made("const int WIDTH = 4096;\n__device__ int f(int WIDTH) { return WIDTH; }\n"
                         "__global__ void k(float* y, int n) { y[threadIdx.x * B] = f(n); }\n"),
                    "redefine"),
            "")
      << "the name has two meanings";
}

TEST_F(FirstDefinitionOf, StructsByValue) {
  const std::string text =
      "typedef int index;\nstruct Inner { float4 v; double w[2]; };\ntypedef struct { index n; Inner inner; } Params;\n"
      "__global__ void k(float* y, Params p, float2 q) {\n  int i = blockIdx.x * B + threadIdx.x;\n  if (i >= p.n) return;\n  y[i] = p.inner.v.x + q.x;\n}\n";
  const FirstDefinition definition = made(text);
  EXPECT_THAT(
      definition.json,
      HasSubstr(
          "\"p\": {\"struct\": [{\"name\": \"n\", \"type\": \"int\", \"value\": \"n\"}, {\"name\": \"inner\", \"struct\": ["
          "{\"name\": \"v\", \"type\": \"float4\", \"value\": [0.5, 0.5, 0.5, 0.5]}, {\"name\": \"w\", \"type\": \"double\", \"value\": [0.5, 0.5]}]}]}"));
  EXPECT_THAT(definition.json, HasSubstr("\"q\": {\"type\": \"float2\", \"value\": [0.5, 0.5]}"));
  EXPECT_EQ(line_of(definition, "grid"), "\"grid\": \"ceil_div(n, B)\",");
  problem(text);  // it can be read
  EXPECT_THAT(made("struct P { float* data; };\n__global__ void k(P p) { p.data[threadIdx.x] = 1; }").missing,
              ElementsAre(HasSubstr("P p")));
}

TEST_F(FirstDefinitionOf, AccessesFollowFromTheBody) {
  EXPECT_EQ(accesses("x[n] = 1;"), "w");
  EXPECT_EQ(accesses("*x = 1; *(x + n) = 2; x[0] = x == other;"), "w");
  EXPECT_EQ(accesses("other[x[n] > 0] = x[1];"), "r");
  EXPECT_EQ(accesses("x[n] += 1;"), "rw");
  EXPECT_EQ(accesses("++x[n];"), "rw");
  EXPECT_EQ(accesses("x[n] = x[n + 1];"), "rw");
  EXPECT_EQ(accesses("atomicAdd(&x[n], 1.f);"), "rw");
  EXPECT_EQ(accesses("atomicAdd(x + n, 1.f);"), "rw");
  EXPECT_EQ(accesses("float* p = x + n; *p++ = 1;"), "w");
  EXPECT_EQ(accesses("const float* p = &x[n]; other[0] = p[1];"), "r");
  EXPECT_EQ(accesses("float& r = x[n]; r = 1;"), "rw");
  EXPECT_EQ(accesses("((float4*)x)[n] = make_float4(1, 1, 1, 1);"), "w");
  EXPECT_EQ(accesses("reinterpret_cast<float4*>(x)[n].x = 1;"), "w");
  EXPECT_EQ(accesses("auto p = reinterpret_cast<const float4*>(x); other[0] = p[0].x;"), "r");
  EXPECT_EQ(accesses("other[0] = __ldg(x + n);"), "r");
  EXPECT_EQ(accesses("__stcs(x + n, other[0]);"), "w");
  EXPECT_EQ(accesses("elsewhere(x);"), "?");
  EXPECT_EQ(accesses("other[0] = sqrtf(x[n]);"), "r");
  EXPECT_EQ(accesses("put(x + 1, 2.f);", "__device__ void put(float* to, float v) { to[0] = v; }"), "w");
  EXPECT_EQ(
      accesses(
          "a(x);",
          "__device__ void b(float*);\n__device__ void a(float* p) { b(p); }\n__device__ void b(float* p) { a(p); p[0] = p[1]; }"),
      "rw");
  EXPECT_EQ(accesses("add(x[n]);", "__device__ void add(float& v) { v += 1; }"), "rw");
  EXPECT_EQ(accesses("other[0] = LOAD(x, n);", "#define LOAD(p, i) __ldg(p + i)"), "r");
  EXPECT_EQ(accesses("STORE(x, n);", "#define STORE(p, i) p[i] = 0"), "?");
  EXPECT_EQ(accesses("other[0] = n;"), "");
}

// A person need not look at any other line.
TEST_F(FirstDefinitionOf, EveryGuessIsMarkedAndListed) {
  const FirstDefinition definition = made(saxpy);
  std::vector<int> marked;
  std::istringstream lines(definition.json);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number)
    if (line.find("// TODO: ") != std::string::npos) marked.push_back(number);
  std::vector<int> listed;
  for (const Guess& guess : definition.guesses) listed.push_back(guess.line);
  EXPECT_EQ(marked, listed);
  EXPECT_THAT(definition.missing, IsEmpty());
  for (const char* certain : {"problem", "kernel", "entry"})
    EXPECT_THAT(line_of(definition, certain), Not(HasSubstr("TODO"))) << certain;
  EXPECT_THAT(line_of(definition, "a"), HasSubstr("TODO: its value"));
}

TEST_F(FirstDefinitionOf, AFileWithLongLines) {
  const std::string spaces(1'000'000, ' '),
      text = "#ifndef A //" + spaces + "\n#define A 8\n#endif\n// __global__" + spaces +
             "\n__global__ void k(const" + spaces + "float* in, float* out) { out[A] = in[A]; }\n";
  const FirstDefinition definition = made(text);
  EXPECT_THAT(line_of(definition, "A"), HasSubstr("\"values\": [4, 8, 16], \"default\": 8"));
  EXPECT_THAT(line_of(definition, "in"), HasSubstr("\"type\": \"float\", \"size\""));
}

TEST_F(FirstDefinitionOf, AFileThatIsNested) {
  for (const auto& [open, close] : {std::pair("(", ")"), std::pair("-", ""), std::pair("x[", "]"),
                                    std::pair("{", "}"), std::pair("a = ", "")}) {
    std::string text = "__global__ void k(float* x) { ", end;
    for (int i = 0; i < 4'000; ++i) {
      text += open;
      end += close;
    }
    try {
      made(text + "1" + end + "; }");
    } catch (const UsageError&) {  // NOLINT(bugprone-empty-catch): it may be refused
    }
  }
}

// ---- launches of the file itself

constexpr const char* rows_of = R"(
#include <cublas_v2.h>
__global__ void rows(float* out, const float* in, int N, int C) {
  namespace cg = cooperative_groups;
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (row >= N) return;
  for (int i = warp.thread_rank(); i < C; i += warp.size()) out[row * C + i] = 2 * in[row * C + i];
}
__global__ void other(float* x) {}
void launch(float* out, const float* in, int B, int T, int C, const int block_size) {
  const int N = B * T;
  const int grid_size = ceil_div(N * 32, block_size);
  rows<<<grid_size, block_size>>>(out, in, N, C);
}
int main() {
  int B = 8, T = 1024, C = 768;
  float *d_out, *d_in;
  cudaCheck(cudaMalloc(&d_out, B * T * C * sizeof(float)));
  cudaCheck(cudaMalloc((void**)&d_in, sizeof(float) * (B * T * C)));
  launch(d_out, d_in, B, T, C, 128);
}
)";

TEST_F(FirstDefinitionOf, TheLaunchOfTheFileSaysSizesAndGrid) {
  const FirstDefinition definition = made(rows_of);
  EXPECT_EQ(line_of(definition, "grid"), "\"grid\": \"ceil_div(N * 32, block_size_x)\",");
  EXPECT_EQ(line_of(definition, "block"), "\"block\": \"block_size_x\"},");
  EXPECT_EQ(line_of(definition, "out"),
            "\"out\": {\"type\": \"float\", \"size\": \"N * C\", \"access\": \"write\"},");
  EXPECT_THAT(line_of(definition, "in"), HasSubstr("\"size\": \"N * C\", \"fill\""));
  EXPECT_THAT(line_of(definition, "sizes"), HasSubstr("{\"N\": 8192, \"C\": 768}"));
  EXPECT_THAT(definition.kernels, ElementsAre("rows", "other"));
  EXPECT_THAT(definition.json, Not(HasSubstr("defines"))) << "names of the host need no value";
}

TEST_F(FirstDefinitionOf, TheLaunchOfTheFileMayHaveAxesCastsAndNumbers) {
  const FirstDefinition definition = made(
      "#define TILE 16\n"
      "__global__ void k(float* y, int width, int height, float scale) {\n  __shared__ float t[TILE][TILE];\n"
      "  int x = blockIdx.x * TILE + threadIdx.x, z = blockIdx.y * TILE + threadIdx.y;\n"
      "  if (x < width && z < height) y[z * width + x] = scale * t[threadIdx.y][threadIdx.x];\n}\n"
      "void run(float* device, int w, int h) {\n  dim3 threads(TILE, TILE);\n"
      "  dim3 blocks((unsigned int)ceil((float)w / (float)threads.x), (h + threads.y - 1) / threads.y);\n"
      "  cudaMalloc(&device, w * h * sizeof(float));\n  k<<<blocks, threads>>>(device, w, h, 1.5f);\n}\n");
  EXPECT_EQ(line_of(definition, "grid"),
            "\"grid\": [\"ceil_div(width, TILE)\", \"ceil_div(height, TILE)\"],");
  EXPECT_EQ(line_of(definition, "block"), "\"block\": [\"TILE\", \"TILE\"]},");
  EXPECT_THAT(line_of(definition, "y"), HasSubstr("\"size\": \"width * height\""));
  EXPECT_THAT(line_of(definition, "scale"), HasSubstr("\"value\": 1.5}"));
  EXPECT_THAT(line_of(definition, "scale"), HasSubstr("its value (of line 11 of the file)"));
}

TEST_F(FirstDefinitionOf, TheLaunchOfTheFileChoosesTemplateArguments) {
  const FirstDefinition definition = made(
      "template<class T, int BLOCK, bool POW2> __global__ void reduce(const T* in, T* out, unsigned n) {\n"
      "  extern __shared__ T part[];\n  unsigned i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) out[i] = in[i];\n}\n"
      "template<class T> void run(T* in, T* out, unsigned n, int threads) {\n"
      "  const int blocks = (n + threads - 1) / threads, bytes = threads * sizeof(float);\n"
      "  switch (threads) {\n  case 512: reduce<float, 512, true><<<blocks, threads, bytes>>>(in, out, n); break;\n"
      "  case 128: reduce<int, 128, true><<<blocks, threads, bytes>>>(in, out, n); break;\n  }\n}\n");
  EXPECT_THAT(line_of(definition, "BLOCK"), HasSubstr("\"values\": [128, 512], \"default\": 512"));
  EXPECT_THAT(line_of(definition, "POW2"), HasSubstr("\"default\": 1"));
  EXPECT_THAT(line_of(definition, "settings"), HasSubstr("\"values\": [\"float\", \"int\"]"));
}

TEST_F(FirstDefinitionOf, ANumberOfTheLaunchIsAParameterWhereTheKernelTakesAnyBlock) {
  const FirstDefinition definition = made(
      "__global__ void k(float* x, int n, int tile) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) x[i] = tile;\n}\n"
      "void run(float* x) {\n  int n = 4096;\n  k<<<(n + 255) / 256, 256>>>(x, n, 7);\n}\n");
  EXPECT_EQ(line_of(definition, "grid"), "\"grid\": \"ceil_div(n, block_size_x)\",");
  EXPECT_THAT(line_of(definition, "sizes"), HasSubstr("{\"n\": 4096}"));
  EXPECT_THAT(line_of(definition, "tile"), HasSubstr("\"value\": 7"));
  // The kernel is passed its block: a macro of that name would replace the argument.
  const FirstDefinition passed = made(
      "__global__ void k(float* x, int n, int Bc) {\n  extern __shared__ float part[];\n"
      "  for (int j = 0; j < n; j += Bc) x[j + threadIdx.x] = part[threadIdx.x];\n}\n"
      "void run(float* x, int n) {\n  const int Bc = 32;\n  const int bytes = 3 * Bc * sizeof(float);\n"
      "  dim3 block(Bc);\n  k<<<1, block, bytes>>>(x, n, Bc);\n}\n");
  EXPECT_THAT(line_of(passed, "block_size_x"), HasSubstr("\"default\": 32"));
  EXPECT_EQ(line_of(passed, "Bc"), "\"Bc\": {\"type\": \"int\", \"value\": \"block_size_x\"}");
  EXPECT_EQ(line_of(passed, "shared"), "\"shared\": \"3 * block_size_x * 4\"},");
}

TEST_F(FirstDefinitionOf, AGridThatIsRoundedDownTakesWholeBlocks) {
  const FirstDefinition definition = made(
      "__global__ void k(float* x, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  x[i] = n;\n}\n"
      "void run(float* x, int n) {\n  cudaMalloc(&x, n * sizeof(float));\n  k<<<n / 128, 128>>>(x, n);\n}\n");
  EXPECT_EQ(line_of(definition, "grid"), "\"grid\": \"n // block_size_x\",");
  EXPECT_THAT(
      line_of(definition, "check"),
      HasSubstr("[{\"n\": 4096}],  // TODO: small sizes for checks; the kernel seems to need whole blocks"));
}

TEST_F(FirstDefinitionOf, AnArrayHasOneSizeForAllValues) {
  const FirstDefinition definition = made(
      "template<int N> __global__ void k(float* x, int blocks) {\n  x[blockIdx.x * N + threadIdx.x] = blocks;\n}\n"
      "void run(float* x, int blocks) {\n  const int N = 128;\n  cudaMalloc(&x, blocks * N * sizeof(float));\n"
      "  k<N><<<blocks, N>>>(x, blocks);\n}\n");
  EXPECT_THAT(line_of(definition, "x"), HasSubstr("\"size\": \"blocks * max(N)\""));
  EXPECT_EQ(line_of(definition, "block"), "\"block\": \"N\"},");
}

TEST_F(FirstDefinitionOf, AWordOfTheLanguageIsNoSize) {
  const FirstDefinition definition = made(
      "__global__ void k(float* x, int in) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < in) x[i] = 1; "
      "}");
  EXPECT_THAT(definition.missing, ElementsAre(HasSubstr("formulas cannot have a size 'in'")));
}

TEST_F(FirstDefinitionOf, WhatALaunchLeavesOpenIsAGuessThatShowsIt) {
  const FirstDefinition definition = made(
      "__global__ void k(float* x, int n) {\n  int i = blockIdx.x * 256 + threadIdx.x;\n  x[i] = n;\n}\n"
      "void run(float* x, Plan plan) {\n  int grid = plan.blocks();\n  grid += 1;\n  k<<<grid, plan.threads>>>(x, plan.n);\n}\n");
  EXPECT_THAT(line_of(definition, "grid"),
              HasSubstr("TODO: the grid in blocks; line 8 of the file has 'grid'"));
  EXPECT_THAT(line_of(definition, "block"), HasSubstr("line 8 of the file has 'plan.threads'"));
  // The kernel's own bound is right where the file's launch has the other size.
  const FirstDefinition swapped = made(
      "__global__ void k(float* x, int w, int h) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  int j = blockIdx.y * blockDim.y + threadIdx.y;\n  if (i < w && j < h) x[j * w + i] = 1;\n}\n"
      "void run(float* x, int w, int h) {\n  dim3 b(32, 8), g((h + b.x - 1) / b.x, (w + b.y - 1) / b.y);\n  k<<<g, b>>>(x, w, h);\n}\n");
  EXPECT_THAT(
      line_of(swapped, "grid"),
      HasSubstr("\"grid\": [\"ceil_div(w, block_size_x)\", \"ceil_div(h, block_size_y)\"],  // TODO"));
  for (const char* const broken :
       {"k<<<", "k<<<>>>()", "k<<<1>>>(x)", "k<<<1, (2>>>(x);", "dim3 b = {1, 2, 3, 4}; k<<<b, b>>>(x, n);",
        "int n = n; k<<<n, n>>>(x, n);", "int a = b, b = a; k<<<a, b>>>(x, a);"})
    EXPECT_THAT(
        made(std::string(
                 "__global__ void k(float* x, int n) { x[threadIdx.x] = n; }\nvoid run(float* x, int n) { ") +
             broken + " }\n")
            .json,
        HasSubstr("\"entry\": \"k\""))
        << broken;
}

}  // namespace
}  // namespace tune::described
