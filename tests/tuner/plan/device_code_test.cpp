// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/device_code.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tune {
namespace {

std::string left_of(const std::string& text, const std::string& header = {},
                    std::vector<std::string> options = {}) {
  CompileRequest request;
  request.source = {"k.cu", text};
  if (!header.empty()) request.headers = {{"h.cuh", header}};
  request.options = std::move(options);
  leave_out_host_code(request);
  return request.headers.empty() ? request.source.text : request.headers[0].text;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void expect(const std::string& left, std::initializer_list<const char*> stay,
            std::initializer_list<const char*> go) {
  for (const char* const part : stay) EXPECT_TRUE(has(left, part)) << part << " should stay in:\n" << left;
  for (const char* const part : go) EXPECT_FALSE(has(left, part)) << part << " should go from:\n" << left;
}

TEST(DeviceCode, WhatKernelsNeedStays) {
  expect(
      left_of(
          "struct Pair { float a, b; };\ntypedef Pair Both;\nenum Kind { first, second };\n"
          "constexpr int twice(int n) { return 2 * n; }\nconst float scale = 2;\n"
          "inline float helper(float x) { return x * scale; }\n"
          "template<class T> struct Of { T value; };\n"
          "template<class T> concept Number = requires(T a) { a + a; };\ntemplate<Number T> __device__ T two(T a) { return a; }\n"
          "__constant__ float weights[4];\nusing Alias = Of<float>;\n"
          "extern \"C\" __global__ void k(Both* p, Alias a) { p->a = helper(twice(second)) * weights[0]; }\n"),
      {"struct Pair { float a, b; };", "typedef Pair Both;", "enum Kind { first, second };",
       "constexpr int twice", "const float scale = 2;", "inline float helper", "struct Of", "concept Number",
       "weights[4];", "using Alias", "void k("},
      {});
}

TEST(DeviceCode, AliasesOfTheHostGoWhateverTypesTheyName) {
  expect(
      left_of(
          "using types = nvbench::type_list<int32_t, float>;\ntypedef lib::list<int32_t> more;\n"
          "using real = float;\ntypedef unsigned int word;\ntypedef float row[4];\n"
          "template<class T> using pointer = T*;\n"
          "__global__ void k(int32_t* a, real b, word c, row* d, pointer<float> e) {}\n"
          "void bench(nvbench::state& state) {}\nNVBENCH_BENCH_TYPES(bench, NVBENCH_TYPE_AXES(types));\n"),
      {"using real = float;", "typedef unsigned int word;", "typedef float row[4];", "using pointer = T*;"},
      {"type_list", "lib::list"});
}

TEST(DeviceCode, WhatOnlyTheHostUsesGoes) {
  const std::string text =
      "#include <vector>\n#define CHECK(call) check(call, __LINE__)\n"
      "struct Options { std::vector<int> sizes; };\nstatic float* table[4];\ncublasHandle_t handle;\n"
      "int rounded = (ROUND(1, 2) * 3);\n#define ROUND(a, b) (a)\n"
      "float ambient = 80.0; // a local variable of the kernel has this name\n"
      "void run(FILE* file, Options o);\n"
      "template<class T> [[nodiscard]] cudaError_t copy(T* to) { return cudaMemcpy(to, 0, 4, kind); }\n"
      "void check(cudaError_t error, int line) { if (error) exit(line); }\n"
      "auto now = [] { return std::chrono::now(); };\n"
      "namespace a {\n__global__ void k(float* x) { float ambient = 1; x[0] = ambient; }\n"
      "void k(float* x, int n) {\n  k<<<n, 1>>>(x);\n}\nfloat k(int n) { return cudaFree (n); }\n"
      "void launch(float* x) {\n#ifdef FAST\n  k<<<1, 2>>>(x);\n#else\n  k<<<1, 1>>>(x);\n#endif\n}\n}\n"
      "std::string text() { return R\"x(})\" }\")x\" + std::string(\"}\"); }\n"
      "int main(int argc, char** argv) {\n  CHECK(cudaSetDevice(0));\n  char c = '}';\n}\n"
      "__device__ int last() { return 1'000; }\n";
  const std::string left = left_of(text);
  expect(left,
         {"#include <vector>", "#define CHECK", "namespace a {", "void k(float* x) {", "#ifdef FAST", "#else",
          "#endif", "__device__ int last() { return 1'000; }"},
         {"Options", "table", "handle", "80.0", "rounded", "cudaFree", "FILE", "copy", "exit", "chrono",
          "<<<", "string", "main", "argv"});
  EXPECT_EQ(std::ranges::count(left, '\n'), std::ranges::count(text, '\n')) << "lines keep their numbers";
}

TEST(DeviceCode, InstantiationsOfHostFunctionsGoWithThem) {
  expect(left_of("template<class T> __global__ void k(T* x) { *x = 1; }\n"
                 "template<class T> void run(T* x) { k<T><<<1, 32>>>(x); }\n"
                 "template void run<float>(float* x);\ntemplate __global__ void k<double>(double* x);\n"),
         {"template __global__ void k<double>", "void k(T* x)"}, {"run"});
}

TEST(DeviceCode, NamespacesHaveOtherNames) {
  const std::string text =
      "namespace cg = cooperative_groups;\nusing namespace nvcuda;\n__global__ void k() { cg::sync(); }\n";
  EXPECT_EQ(left_of(text), text);
}

TEST(DeviceCode, MacrosHideWordsOfCuda) {
  expect(left_of("#define DEVICE __device__ __forceinline__\n#define INLINE DEVICE\n"
                 "#define KERNEL(type) __global__ void k_##type(type* x) { x[0] = part_##type(); }\n"
                 "INLINE float twice(float x) { return 2 * x; }\n"
                 "constexpr float part_float() { return 1; }\nvoid host() { puts(\"\"); }\n"
                 "KERNEL(float)\nint main() { host(); }\n"),
         {"twice(float x)", "part_float", "KERNEL(float)"}, {"puts", "main"});
}

TEST(DeviceCode, OtherTextsAndTheRequestAreUses) {
  const std::string header =
      "struct Add { int x; };\ninline int of_source() { return 1; }\ninline int of_none() { return 2; }\n";
  expect(left_of("#include \"h.cuh\"\ntemplate<class T> __global__ void k() { of_source(); }\n", header),
         {"of_source"}, {"of_none", "Add"});
  CompileRequest request;
  request.source = {"k.cu", "struct Add {};\nstruct Less {};\ntemplate<class T> __global__ void k() {}\n"};
  request.entries = {"k<Add>"};
  leave_out_host_code(request);
  expect(request.source.text, {"struct Add {};"}, {"Less"});
}

TEST(DeviceCode, AllStaysWhereUnmarkedCodeIsOfTheDevice) {
  const std::string text = "int state = 1;\nint other() { return state; }\n__global__ void k() {}\n";
  EXPECT_EQ(left_of(text, {}, {"-default-device"}), text);
  EXPECT_EQ(left_of(text, {}, {"--device-as-default-execution-space"}), text);
}

TEST(DeviceCode, WhatCallsTheHostIsOfTheHost) {
  expect(
      left_of(
          "inline float half_of(float x) { return x / 2; }\n__global__ void k(float* p) { int all = 1; p[all] = half_of(2); }\n"
          "void launch(float* p) { k<<<1, 1>>>(p); }\nvoid twice(float* p) { launch(p); launch(p); }\n"
          "void all(float* p) { twice(p); all(p); }\n"),
      {"half_of(float", "void k("}, {"launch(", "twice(", "void all("});
}

TEST(DeviceCode, ALambdaOfTheDeviceKeepsNoFunctionOfTheHost) {
  expect(
      left_of(
          "__global__ void k(int* p) { auto f = [] __device__ (int i) { return i; }; p[0] = f(1); }\n"
          "auto named = [] __device__ (int i) { return i + 1; };\n"
          "struct Twice { [[nodiscard]] __device__ int of(int i) { return 2 * i; } };\n"
          "void run(int* p) { k<<<1, 1>>>(p); other(p, [=] __host__ __device__ (int i) { return i; }); }\n"),
      {"void k(", "auto named", "struct Twice"}, {"run"});
  EXPECT_TRUE(has_extended_lambda("auto f = [=]\n __host__ __device__ (int i) { return i; };"));
  EXPECT_FALSE(has_extended_lambda("struct A { [[nodiscard]] __device__ int f(); }; __device__ int a[4];"));
}

TEST(DeviceCode, WhatCannotBeToldStays) {
  // A function that begins in two branches: its end is not found.
  const std::string text =
      "#ifdef A\nvoid f(int x) {\n#else\nvoid f() {\n#endif\n}\n__global__ void k() {}\n";
  EXPECT_EQ(left_of(text), text);
  for (const char* const broken :
       {"struct", "/*", "\"", "R\"(", "template<", "void f(", "{{{", ")))", "#define", "'", "enum {"})
    (void)left_of(std::string(broken));
}

TEST(DeviceCode, TakesLinearTime) {
  std::string text = "const int table[] = {";
  for (int i = 0; i < 300'000; ++i) text += "1, ";
  text += "};\n";
  for (int i = 0; i < 20'000; ++i)
    text += "inline int f" + std::to_string(i) + "() { return f" + std::to_string(i + 1) + "(); }\n";
  text += "__global__ void k(int* x) { x[0] = f0() + table[0]; }\n";
  EXPECT_EQ(left_of(text), text);
}

}  // namespace
}  // namespace tune
