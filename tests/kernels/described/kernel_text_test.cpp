// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kernels/described/redefinition.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tune::described {
namespace {

KernelText text_of(const std::string& text, std::vector<SourceFile> headers = {}) {
  return {{"k.cu", text}, std::move(headers)};
}

/// `file:line macro value` of what is found.
std::string found(const KernelText& text, const std::map<std::string, std::string>& macros = {{"B", ""}}) {
  const auto redefinition = find_redefinition(text, macros);
  if (!redefinition) return "";
  return redefinition->file + ":" + std::to_string(redefinition->line) + " " + redefinition->macro + " " +
         redefinition->value + (redefinition->condition.empty() ? "" : " if " + redefinition->condition);
}

TEST(Redefinition, IsFoundWhereItIsCertain) {
  EXPECT_EQ(found(text_of("int a;\n#define B 64\n")), "k.cu:2 B 64");
  EXPECT_EQ(found(text_of("#  define B (1 << 6) // of a row\n")), "k.cu:1 B (1 << 6)");
  EXPECT_EQ(found(text_of("/* one\n two */\n#define A \\\n  1\n#define B 64\n")), "k.cu:5 B 64");
  EXPECT_EQ(found(text_of("#undef B\n#define B 64\n")), "k.cu:2 B 64");
  EXPECT_EQ(found(text_of("#ifdef B\n#define B 64\n#endif\n")), "k.cu:2 B 64");
  EXPECT_EQ(found(text_of("#ifndef C\n#define C\n#define B 64\n#endif\n")), "k.cu:3 B 64");
  EXPECT_EQ(found(text_of("#if defined(B) && !defined C\n#define B 64\n#endif\n")), "k.cu:2 B 64");
  EXPECT_EQ(found(text_of("#if 0\n#else\n#define B 64\n#endif\n")), "k.cu:3 B 64");
  EXPECT_EQ(found(text_of("#include \"h.h\"\n", {{"h.h", "#pragma once\n\n#define B 64\n"}})), "h.h:3 B 64");
}

TEST(Redefinition, IsNotFoundWhereItIsGuardedOrNotCertain) {
  for (const char* const text :
       {"#ifndef B\n#define B 64\n#endif\n", "#if !defined(B)\n#define B 64\n#endif\n",
        "#ifdef B\n#else\n#define B 64\n#endif\n", "#if !defined(C) && !defined(B)\n#define B 64\n#endif\n",
        "#if 0\n#define B 64\n#endif\n", "#if N == 3\n#define B 64\n#endif\n",
        "#if N == 3\n#else\n#define B 64\n#endif\n", "#if 1\n#elif N\n#define B 64\n#endif\n",
        "#if __CUDA_ARCH__ > 600\n#ifndef B\n#define B 64\n#endif\n#endif\n",
        "#if __CUDA_ARCH__ > 600\n#if N == 3\n#define B 64\n#endif\n#endif\n", "// #define B 64\n",
        "#define Bs 64\n", "#ifdef NO\n#include \"h.h\"\n#endif\n"})
    EXPECT_EQ(found(text_of(text, {{"h.h", "#define B 64\n"}})), "") << text;
  // A single value that the source repeats.
  EXPECT_EQ(found(text_of("#define B 64\n"), {{"B", "64"}}), "");
  EXPECT_EQ(found(text_of("#define B 65\n"), {{"B", "64"}}), "k.cu:1 B 65");
}

TEST(Redefinition, MayDependOnTheDevice) {
  EXPECT_EQ(found(text_of("#ifdef __CUDA_ARCH__\n#define B 64\n#endif\n")), "k.cu:2 B 64 if __CUDA_ARCH__");
  const std::string text = "#if __CUDA_ARCH__ < 700\n#elif 1\n#undef B\n#define B 64\n#endif\n";
  EXPECT_EQ(found(text_of(text)), "k.cu:4 B 64 if __CUDA_ARCH__ < 700");
  EXPECT_EQ(found(text_of(text + "#define B 8\n")), "k.cu:6 B 8") << "what is certain comes first";
}

TEST(KernelText, HeadersLieInFoldersAboveTheFile) {
  const tune::testing::TemporaryFolder folder;
  const auto root = folder.path() / "project", below = root / "kernels" / "one";
  std::filesystem::create_directories(below);
  for (const char* const name : {"project/.git", "project/common", "project/utils", "include"})
    std::filesystem::create_directories(folder.path() / name);
  const auto write = [](const std::filesystem::path& path, const char* text) { std::ofstream(path) << text; };
  write(below / "k.cu",
        "#include <shared.h>\n#include <missing.h>\n#include <outside.h>\n#include <beside.h>\n");
  write(below / "beside.h", "");
  write(root / "common" / "shared.h", "#include \"deeper.h\"\n");
  write(root / "utils" / "deeper.h", "");
  write(folder.path() / "include" / "outside.h", "");
  const auto names_with = [&](const std::vector<std::filesystem::path>& folders) {
    std::vector<std::string> names;
    for (const SourceFile& header : read_kernel_text(below / "k.cu", folders, {}).headers)
      names.push_back(header.name);
    return names;
  };
  EXPECT_TRUE(names_with({}).empty()) << "angle brackets: not beside the file";
  const auto found = folders_with_headers(below / "k.cu", {});
  EXPECT_EQ(found, (std::vector<std::filesystem::path>{root / "common", below, root / "utils"}))
      << "nothing outside of the repository";
  EXPECT_EQ(names_with(found), (std::vector<std::string>{"shared.h", "beside.h", "deeper.h"}));
}

TEST(Redefinition, IncludesAndConditionsWithoutEndAreBounded) {
  EXPECT_EQ(found(text_of("#include \"h.h\"\n", {{"h.h", "#include \"h.h\"\n#include \"h.h\"\n"}})), "");
  std::string condition = "#if ";
  for (int i = 0; i < 100'000; ++i) condition += "!";
  EXPECT_EQ(found(text_of(condition + "0\n#define B 64\n#endif\n#endif\n#else\n#elif\n")), "");
}

TEST(KernelDeclarations, AreAllOfThatName) {
  const std::string text =
      "__global__ void other(int a);\n/* k(int) */ template<class T> __global__ void __launch_bounds__(B)\n"
      "k(const T* in, /* out */ float (&out)[2], int n = f(1, 2)) {}\n__global__ void k();";
  for (const char* const entry : {"k<float>", "inner::k"}) {
    const std::vector<KernelDeclaration> found = declarations_of(text, entry);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].parameters,
              (std::vector<std::string>{"const T* in", "float (&out)[2]", "int n = f(1, 2)"}));
    EXPECT_EQ(found[0].templates, std::vector<std::string>{"T"});
    EXPECT_TRUE(found[1].parameters.empty() && found[1].templates.empty());
  }
  EXPECT_TRUE(declarations_of(text, "l").empty());
}

TEST(KernelDeclarations, AttributesMayStandBehindTheTemplate) {
  for (const char* const attributes :
       {"", "static inline", "__launch_bounds__(B * (B + 1), 2)", "[[maybe_unused]] static", "extern \"C++\"",
        "__attribute__((aligned(8)))\n", "void"}) {
    const auto of = [&](const std::string& before) {
      return declarations_of(before + " " + attributes + " __global__ void k(T* a) {}", "k").at(0).templates;
    };
    EXPECT_EQ(of("template <class T, int B = (8 > 4)>"), (std::vector<std::string>{"T", "B"})) << attributes;
    EXPECT_TRUE(of("template <class T> struct S;").empty()) << attributes;
    EXPECT_TRUE(of("template <class T> void f() {}").empty()) << attributes;
    EXPECT_TRUE(of("template <class T> void f() {}\n#include <vector>\n").empty()) << attributes;
  }
}

TEST(KernelDeclarations, TypesHaveNoQualifiers) {
  EXPECT_EQ(type_of_parameter("const float* __restrict__ in"), "float");
  EXPECT_EQ(type_of_parameter("unsigned long long n = 3"), "unsigned long long");
  EXPECT_EQ(type_of_parameter("double2 const volatile *const x"), "double2");
  EXPECT_EQ(type_of_parameter("const __grid_constant__ CUtensorMap map"), "CUtensorMap");
  EXPECT_EQ(type_of_parameter("int"), "int");
  EXPECT_EQ(type_of_parameter("float a[4]"), "float");
  EXPECT_TRUE(is_pointer("float a[4]"));
  EXPECT_FALSE(is_pointer("float a"));
}

}  // namespace
}  // namespace tune::described
