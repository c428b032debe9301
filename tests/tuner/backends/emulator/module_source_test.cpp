// SPDX-License-Identifier: Apache-2.0
// The translation of kernels to C++, as text.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "tuner/backends/emulator/module/module_compiler.hpp"

namespace tune::emulator {
namespace {

std::string translated(const std::string& source, const std::string& header = "") {
  CompileRequest request;
  request.source = {"k.cu", source};
  request.headers = {{"more.cuh", header}};
  request.entries = {"k"};
  const CompileRequest* const all[] = {&request};
  return module_source(all);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ModuleSource, RewritesWhatIsNotOfTheHostsLanguage) {
  const std::string text = translated(
      "extern \"C\" __global__ void k() { __shared__ int a[2]; static __shared__ float b; }\n"
      "extern __shared__ __align__(16) unsigned char all[];\n");
  EXPECT_TRUE(has(
      text,
      "\n __global__ void k() { __shared__ int a[2]; TUNE_SHARED_GAP __shared__ float b; TUNE_SHARED_GAP }\n"))
      << text;
  EXPECT_TRUE(has(text, "static unsigned char* const all __attribute__((__unused__)) = ")) << text;
}

TEST(ModuleSource, AConstantOfAnotherFileIsDeclaredAlone) {
  const std::string text = translated(
      "extern \"C\" const int size;\nextern \"C\" __constant__ int table[2];\n"
      "__global__ void k(int* x) { *x = size + table[0]; }\n");
  EXPECT_TRUE(has(text, "\nextern const int size;\n")) << text;
  EXPECT_TRUE(has(text, "\n __constant__ int table[2];\n")) << text;
}

TEST(ModuleSource, PutsHeadersInTheirPlaces) {
  const std::string text = translated(
      "# include \"more.cuh\" // text\n#include <cuda_fp16.h>\n#include <thrust/x.h>\n#include \"no.h\"\n",
      "#ifndef H\n# define H\n#include \"more.cuh\"\n__device__ int inside;\n#endif\n");
  EXPECT_TRUE(has(text, "int inside;"));
  EXPECT_TRUE(has(text, "#include \"half.cuh\""));
  EXPECT_TRUE(has(text, "#pragma tune no_header thrust/x.h\n"));
  EXPECT_TRUE(has(text, "#error tune: cannot find the header \"no.h\""));
  EXPECT_TRUE(has(text, "#undef H\n"));
}

TEST(ModuleSource, LeavesOutCodeOfTheHost) {
  const std::string text = translated(
      "#include <vector>\n__global__ void k(float* v) { v[0] = 1; }\nint main() {\n  k<<<1, 2>>>(0);\n  return 0;\n}\n"
      "__device__ int last() { return 1; }\n");
  EXPECT_FALSE(has(text, "k<<<"));
  EXPECT_FALSE(has(text, "<vector>"));
  const std::string_view behind = std::string_view(text).substr(text.find("#line 1 \"k.cu\""));
  const std::string_view before = behind.substr(0, behind.find("int last()"));
  EXPECT_EQ(std::count(before.begin(), before.end(), '\n'), 7) << text;
}

// std::regex overflows the stack there.
TEST(ModuleSource, OfLongLines) {
  std::string table;
  for (int i = 0; i < 300'000; ++i) table += "1, ";
  const std::string text = translated("#define TABLE " + table + "\nextern \"C\" __constant__ int t[] = {" +
                                      table + "};\n__shared__ int x" + std::string(300'000, ' ') +
                                      ";\n#include \"cuda" + std::string(300'000, 'x') + "\"\n");
  EXPECT_TRUE(has(text, "#undef TABLE\n"));
  EXPECT_TRUE(has(text, "\n __constant__ int t[] = {1, 1, "));
}

}  // namespace
}  // namespace tune::emulator
