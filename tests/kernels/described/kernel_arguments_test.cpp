// SPDX-License-Identifier: Apache-2.0
// What a definition can say of arguments and launches, run on the emulator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "kernels/described/problem.hpp"
#include "kernels/described/readers/definition.hpp"
#include "search/space/search_space.hpp"
#include "tests/kernels/described/definition_check.hpp"
#include "tests/kernels/described/written_definitions.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::described {
namespace {

using emulator::Finding;
using emulator::FindingKind;

struct NoSources : KernelSources {
  std::string text(std::string_view) const override { throw Error("nobody asks"); }
};

class KernelArguments : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
  }
  /// A definition of a kernel k with one output, `out` of n floats.
  std::string definition(const std::string& kernel, const std::string& arguments,
                         const std::string& rest = "") const {
    std::string text = R"j({"problem": "k", "kernel": )j" + kernel;
    text +=
        R"j(, "sizes": {"n": 300}, "check": [{"n": 70}], "parameters": {"BLOCK": [32, 64]}, "arguments": {)j";
    text += arguments + R"j(}, "launches": {"entry": "k", "grid": "ceil_div(n, BLOCK)", "block": "BLOCK")j";
    if (rest.starts_with(",")) return text + rest + "}";
    return text + (rest.empty() ? "}}" : "}, " + rest + "}");
  }
  std::vector<Finding> findings(const std::string& text) {
    write("k.json", text);
    return testing::findings_of(folder_.path() / "k.json", 2);
  }
  void expect_right(const std::string& text) {
    for (const Finding& finding : findings(text)) ADD_FAILURE() << finding.text();
  }
  LaunchPlan plan(const std::string& text, const std::string& size = "") {
    write("k.json", text);
    const DescribedProblem problem(read_definition(folder_.path() / "k.json"));
    const Instance instance = make_instance(problem.info(), size, {});
    return problem.plan(instance, {{"BLOCK", 32}}, NoSources()).value();
  }
  std::string refusal(const std::string& text) {
    try {
      plan(text);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "it was taken";
  }

  tune::testing::TemporaryFolder folder_;
};

// The struct has padding, an array, a vector, a struct of its own and an address.
constexpr const char* struct_kernel =
    "struct Inner { char first; double second; };\n"
    "struct P { char flag; float weights[3]; double scale; short low; Inner inner; float4 add; const float* x;\n"
    "           int n; };\n"
    "__global__ void k(float* out, P p) {\n"
    "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
    "  if (i >= p.n || p.flag != 7 || p.low != -2) return;\n"
    "  out[i] = p.x[i] * p.weights[i % 3] + float(p.scale) + p.inner.first + float(p.inner.second) + p.add.w;\n"
    "}\n";
constexpr const char* struct_arguments =
    R"("out": {"type": "float", "size": "n", "access": "write", "expect": {"formula": "(i % 3 + 1) * 2 + 36"}},
       "x": {"type": "float", "size": "n", "fill": 2},
       "p": {"struct": [{"type": "int8", "value": 7}, {"type": "float", "value": [1, 2, "1 + 2"]},
                        {"name": "scale", "type": "double", "value": 10.0}, {"type": "short", "value": -2},
                        {"struct": [{"type": "char", "value": 5}, {"type": "double", "value": 1}]},
                        {"type": "float4", "value": [0, 0, 0, 20]}, {"buffer": "x"},
                        {"type": "int", "value": "n"}]})";

TEST_F(KernelArguments, StructsByValueAreLaidOutAsInC) {
  write("k.cu", struct_kernel);
  expect_right(definition("\"k.cu\"", struct_arguments));
  struct Inner {
    char first;
    double second;
  };
  struct alignas(16) Float4 {
    float x, y, z, w;
  };
  struct P {
    char flag;
    float weights[3];
    double scale;
    short low;
    Inner inner;
    Float4 add;
    const float* x;
    int n;
  };
  const LaunchPlan made = plan(definition("\"k.cu\"", struct_arguments), "123");
  const auto& arguments = std::get<Launch>(made.launches.at(0)).arguments;
  ASSERT_EQ(arguments.size(), 2U) << "the array in the struct is no argument of its own";
  const auto& object = std::get<StructArgument>(arguments[1]);
  ASSERT_EQ(object.bytes.size(), sizeof(P));
  P p{};
  std::memcpy(&p, object.bytes.data(), sizeof p);
  EXPECT_EQ(p.weights[2], 3);
  EXPECT_EQ(p.inner.second, 1);
  EXPECT_EQ(p.add.w, 20);
  EXPECT_EQ(p.n, 123);
  ASSERT_EQ(object.pointers.size(), 1U);
  EXPECT_EQ(object.pointers[0].place, offsetof(P, x));
  EXPECT_EQ(object.pointers[0].target.buffer, "x");
}

TEST_F(KernelArguments, ValuesAndLaunchesAreAsTheySay) {
  for (const Finding& finding : testing::findings_of(testing::write_values_and_launches(folder_.path()), 2))
    ADD_FAILURE() << finding.text();
  EXPECT_FALSE(testing::findings_of(testing::write_values_and_launches(folder_.path(), 2), 2).empty());
}

TEST_F(KernelArguments, AWrongFieldIsAWrongResult) {
  write("k.cu", struct_kernel);
  std::string arguments = struct_arguments;
  arguments.replace(arguments.find("[1, 2, \"1 + 2\"]"), 15, "[1, 2, \"1 + 3\"]");
  const auto found = findings(definition("\"k.cu\"", arguments));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().kind, FindingKind::wrong_result);
}

TEST_F(KernelArguments, VectorsAndBytesAreValuesToo) {
  write("k.cu",
        "struct Bits { float a; int b; };\n"
        "__global__ void k(float* out, float2 v, Bits bits, int n) {\n"
        "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
        "  if (i < n) out[i] = v.x + 10 * v.y + bits.a * bits.b;\n}\n");
  const std::string arguments =
      R"("out": {"type": "float", "size": "n", "access": "write", "expect": 56},
         "v": {"type": "float2", "value": [2, 5]}, "bits": {"bytes": "00 00 80 3f 04000000"},
         "n": {"type": "int", "value": "n"})";
  expect_right(definition("\"k.cu\"", arguments));
  for (const char* wrong : {"", "0", "xx", "0000803"}) {
    std::string changed = arguments;
    changed.replace(changed.find("00 00 80 3f 04000000"), 20, wrong);
    EXPECT_NE(refusal(definition("\"k.cu\"", changed)).find("two hexadecimal digits"), std::string::npos)
        << wrong;
  }
}

TEST_F(KernelArguments, StructsAndTexturesAreNotMistakenForNumbers) {
  const auto refused = [&](const std::string& parameter, const std::string& argument) {
    write("k.cu",
          "struct P { int a; };\ntypedef struct { int b; } Q;\ntypedef double real;\nusing row = float*;\n"
          "__global__ void k(float* out, " +
              parameter + ") { out[BLOCK] = 0; }\n");
    const std::string told = refusal(definition(
        "\"k.cu\"", R"("out": {"type": "float", "size": "n", "access": "write"}, "p": )" + argument));
    return told.substr(told.find("argument 2") == std::string::npos ? 0 : told.find("argument 2"));
  };
  const std::string number = R"({"type": "float", "value": 1})", object = R"({"bytes": "00000000"})",
                    array = R"({"type": "float", "size": "n"})";
  const std::string of_k = "argument 2 of kernel 'k' is ";
  EXPECT_EQ(refused("P p", number), of_k + "'P p', a struct: set 'struct' or 'bytes'");
  EXPECT_EQ(refused("const Q p", number), of_k + "'const Q p', a struct: set 'struct' or 'bytes'");
  EXPECT_EQ(refused("cudaTextureObject_t p", number),
            of_k + "'cudaTextureObject_t p', a texture: set 'size' and 'texture'");
  EXPECT_EQ(refused("cudaTextureObject_t p", array),
            of_k + "'cudaTextureObject_t p', a texture: set 'size' and 'texture'");
  EXPECT_EQ(refused("int p", object), of_k + "'int p', a number: set 'type' and 'value'");
  EXPECT_EQ(refused("const P* p", object), of_k + "'const P* p', a pointer: set 'size' for a vector");
  // Through typedef and using, and vectors.
  EXPECT_EQ(refused("real p", number),
            of_k + "'real p', but 'p' has the type float: give it the kernel's type");
  EXPECT_EQ(refused("const real* p", array),
            of_k + "'const real* p', but 'p' has the type float: give it the kernel's type");
  EXPECT_EQ(refused("float2 p", number),
            of_k + "'float2 p', but 'p' has the type float: give it the kernel's type");
  EXPECT_EQ(refused("row p", number), of_k + "'row p', a pointer: set 'size' for a vector");
  EXPECT_EQ(refused("row p", array), "it was taken");
  EXPECT_EQ(refused("P p", object), "it was taken");
  EXPECT_EQ(refused("unknown p", array), "it was taken") << "a pointer perhaps, behind a macro";
}

TEST_F(KernelArguments, WhatAKernelDestroysIsRestored) {
  // Zeros what it has read; each execution needs the contents again.
  write("k.cu",
        "__global__ void k(float* out, float* work, int n) {\n"
        "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
        "  if (i < n) { out[i] = 2 * work[i]; work[i] = 0; }\n}\n");
  const auto with = [&](const char* access) {
    return definition("\"k.cu\"",
                      R"("out": {"type": "float", "size": "n", "access": "write", "expect": 6},
                         "work": {"type": "float", "size": "n", "fill": 3, "access": ")" +
                          std::string(access) + R"("}, "n": {"type": "int", "value": "n"})");
  };
  expect_right(with("scratch"));
  const LaunchPlan made = plan(with("scratch"));
  EXPECT_EQ(made.buffer("work").role, BufferRole::scratch);
  EXPECT_EQ(made.buffer("work").fill, BufferFill::contents);
  EXPECT_FALSE(findings(with("read")).empty());
  EXPECT_NE(refusal(with("write")).find("an array that is only written has no contents before"),
            std::string::npos);
}

TEST_F(KernelArguments, AHardMacroIsRedefined) {
  write("width.h",
        "#define OTHER(WIDTH) WIDTH\n#define WIDTH \\\n  4096  // of a row\n#define LINE __LINE__\n");
  write("k.cu",
        "#include \"width.h\"\n__global__ void k(float* out) {\n"
        "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
        "  if (i < WIDTH) out[i] = WIDTH + LINE - LINE + OTHER(1);\n}\n");
  const std::string arguments =
      R"("out": {"type": "float", "size": "n", "access": "write", "expect": {"formula": "n + 1"}})";
  expect_right(definition(R"({"file": "k.cu", "redefine": {"WIDTH": "n"}})", arguments));
  const LaunchPlan made =
      plan(definition(R"({"file": "k.cu", "redefine": {"WIDTH": "n"}})", arguments), "99");
  EXPECT_EQ(made.compile.headers.at(0).text,
            "#define OTHER(WIDTH) WIDTH\n#define WIDTH 99\n\n#define LINE __LINE__\n");
  EXPECT_NE(refusal(definition(R"({"file": "k.cu", "redefine": {"HEIGHT": "n"}})", arguments))
                .find("redefine: no file of the kernel has a line '#define HEIGHT ...'"),
            std::string::npos);
}

TEST_F(KernelArguments, AConstantIsRedefined) {
  write(
      "k.cu",
      "static constexpr int WIDTH = 64 *\n  64;  // WIDTH = 1\nenum Sizes { LOW = 1, HIGH = LOW + 7 };\n"
      "const int A = 5, B{3};\ntemplate<int WIDTH> __device__ int other(const int A = 2) { return WIDTH + A; }\n"
      "__device__ int same(int x) { const int* B = &x; return A == x ? *B : x; }\n"
      "__global__ void k(float* out) {\n  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
      "  if (i < WIDTH) out[i] = WIDTH + HIGH + 10 * A + 100 * B + other<2>() + same(0);\n}\n");
  const std::string arguments =
      R"("out": {"type": "float", "size": "n", "access": "write", "expect": {"formula": "n + 9 + 40 + 600 + 4"}})";
  const std::string kernel =
      R"({"file": "k.cu", "redefine": {"WIDTH": "n", "HIGH": 9, "A": "2 * 2", "B": 6}})";
  expect_right(definition(kernel, arguments));
  const std::string text = plan(definition(kernel, arguments), "99").compile.source.text;
  EXPECT_EQ(
      text.substr(0, text.find("__global__")),
      "static constexpr int WIDTH = 99\n;  // WIDTH = 1\nenum Sizes { LOW = 1, HIGH = 9};\n"
      "const int A = 4, B{6};\ntemplate<int WIDTH> __device__ int other(const int A = 2) { return WIDTH + A; }\n"
      "__device__ int same(int x) { const int* B = &x; return A == x ? *B : x; }\n");
}

TEST_F(KernelArguments, LaunchesRepeatWithSwappedArrays) {
  write("k.cu",
        "__global__ void k(float* out, const float* in, int n) {\n"
        "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
        "  if (i < n) out[i] = in[i] + 1;\n}\n");
  const std::string arguments =
      R"("a": {"type": "float", "size": "n", "access": "both", "fill": 10, "expect": 11},
         "b": {"type": "float", "size": "n", "access": "both", "fill": 20, "expect": 12},
         "n": {"type": "int", "value": "n"})";
  // a = b + 1 = 21, b = a + 1 = 22, ...: with b first as the input.
  std::string three = arguments;
  three.replace(three.find("\"expect\": 11"), 12, "\"expect\": 23");
  three.replace(three.find("\"expect\": 12"), 12, "\"expect\": 22");
  expect_right(definition("\"k.cu\"", three, R"(, "repeat": "n // n + 2", "swap": ["a", "b"]})"));
  EXPECT_FALSE(findings(definition("\"k.cu\"", three, R"(, "repeat": 2, "swap": [["a", "b"]]})")).empty());
  EXPECT_NE(refusal(definition("\"k.cu\"", three, R"(, "swap": ["a", "b"]})")).find("expected 'repeat'"),
            std::string::npos);
  EXPECT_NE(refusal(definition("\"k.cu\"", three, R"(, "repeat": 2, "swap": ["a", "n"]})"))
                .find("there is no array 'n'"),
            std::string::npos);
}

// A tree: pass p adds the second half of the first n >> p elements to the first one.
TEST_F(KernelArguments, LoopsCountAndHaveSeveralSteps) {
  write("k.cu",
        "__global__ void add_in(float* a, const float* x, int n) {\n"
        "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) a[i] += x[i];\n}\n"
        "__global__ void k(float* b, const float* a, int half) {\n"
        "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < half) b[i] = a[i] + a[i + half];\n}\n");
  const auto with = [](const std::string& loop) {
    return R"j({"problem": "k", "kernel": "k.cu", "sizes": {"n": 256}, "check": [{"n": 64}],
      "parameters": {"BLOCK": [32]}, "arguments": {
        "out": {"type": "float", "size": 2, "access": "both", "fill": 7, "expect": {"formula": "64 if i == 1 else 7"}},
        "a": {"type": "float", "size": "n", "access": "scratch"},
        "b": {"type": "float", "size": "n", "access": "scratch"},
        "x": {"type": "float", "size": "n", "fill": 1}, "n": {"type": "int", "value": "n"},
        "one": {"type": "int", "value": "n >> (pass + 1)"}, "two": {"type": "int", "value": "n >> (2 * pass + 1)"},
        "three": {"type": "int", "value": "n >> (2 * pass + 2)"}},
      "launches": [{"zero": "a"},
        {"entry": "add_in", "grid": "ceil_div(n, BLOCK)", "block": "BLOCK", "arguments": ["a", "x", "n"]},)j" +
           loop + R"j(, {"copy": {"from": "a", "to": "out", "count": 1, "to_first": 1}}]})j";
  };
  const std::string k =
      R"j("entry": "k", "grid": "ceil_div(n >> (pass + 1), BLOCK)", "block": "BLOCK", "arguments": )j";
  const std::string swapped =
      R"j({"repeat": "int(log2(n))", "as": "pass", "swap": ["a", "b"], )j" + k + R"j(["b", "a", "one"]})j";
  expect_right(with(swapped));
  expect_right(with(R"j({"repeat": "int(log2(n)) // 2", "as": "pass", "launches": [{)j" + k +
                    R"j(["b", "a", "two"]}, {)j" + k + R"j(["a", "b", "three"]}]})j"));
  std::string wrong = with(swapped);
  wrong.replace(wrong.find(R"({"zero": "a"},)"), 14, "");
  EXPECT_FALSE(findings(wrong).empty()) << "nothing wrote the array before";
  write("k.json", with(swapped));
  const DescribedProblem problem(read_definition(folder_.path() / "k.json"));
  const LaunchPlan made =
      problem.plan(make_instance(problem.info(), "64", {}), {{"BLOCK", 32}}, NoSources()).value();
  ASSERT_EQ(made.launches.size(), 9U);
  EXPECT_EQ(std::get<Zero>(made.launches[0]).buffer, "a");
  EXPECT_EQ(std::get<BufferArgument>(std::get<Launch>(made.launches[3]).arguments[0]).buffer, "a")
      << "swapped";
  EXPECT_EQ(std::get<ScalarArgument>(std::get<Launch>(made.launches[7]).arguments[2]), ScalarArgument(1));
  EXPECT_EQ(std::get<Copy>(made.launches[8]).to.offset, 1U);
}

TEST_F(KernelArguments, MistakesInStepsAreNamed) {
  write("k.cu", "__global__ void k(float* a, const float* x) { a[0] = x[0]; }\n");
  const auto expect = [&](const std::string& step, const std::string& message) {
    std::string text = definition("\"k.cu\"",
                                  R"("a": {"type": "float", "size": 8, "access": "write"},
                                     "x": {"type": "float", "size": 4, "fill": 1})");
    const std::size_t begin = text.find(R"({"entry")");
    text.replace(begin, text.size() - begin, R"([{"entry": "k", "grid": 1, "block": 1}, )" + step + "]}");
    const std::string told = refusal(text);
    EXPECT_NE(told.find(message), std::string::npos) << told;
  };
  expect(R"({"zero": "x"})", "launches[1].zero: 'x' is only read");
  expect(R"({"zero": "y"})", "there is no array 'y'");
  expect(R"({"copy": {"from": "x"}})", "'to'");
  expect(R"({"copy": {"from": "x", "to": "a", "count": -1}})", "-1 is not a number of elements");
  expect(R"({"repeat": 2, "as": "n", "launches": {"zero": "a"}})", "'n' is a size, a setting or a parameter");
  expect(R"({"as": "i", "launches": {"zero": "a"}})", "expected 'repeat' beside it");
  expect(R"({"repeat": 2, "launches": []})", "expected a launch");
}

TEST_F(KernelArguments, AnOutputMayHaveItsOwnTolerance) {
  write("k.cu",
        "__global__ void k(float* out, int n) {\n"
        "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
        "  if (i < n) out[i] = (i + 1) * 1.001f;\n}\n");
  const auto with = [&](const char* tolerance) {
    return definition("\"k.cu\"",
                      R"("out": {"type": "float", "size": "n", "access": "write", "expect": {"from": 1},
                         "tolerance": )" +
                          std::string(tolerance) + R"(}, "n": {"type": "int", "value": "n"})");
  };
  expect_right(with(R"({"each": 0.0011})"));
  EXPECT_FALSE(findings(with(R"({"each": 0.0009})")).empty());
  EXPECT_FALSE(findings(with(R"({"absolute": 0.01})")).empty());
  EXPECT_FALSE(findings(with(R"({"absolute": 0.1, "sum": 1})")).empty());
  EXPECT_NE(refusal(with(R"({"each": -1})")).find("a tolerance cannot be negative"), std::string::npos);
}

TEST_F(KernelArguments, FilesFollowTheSize) {
  write("k.cu",
        "__global__ void k(float* out, const float* in, int n) {\n"
        "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
        "  if (i < n) out[i] = in[i];\n}\n");
  const auto with = [&](const char* file) {
    return definition("\"k.cu\"",
                      R"("out": {"type": "float", "size": "n", "access": "write", "expect": 3},
                         "in": {"type": "float", "size": "n", "fill": {"file": ")" +
                          std::string(file) + R"("}}, "n": {"type": "int", "value": "n"})");
  };
  const auto numbers = [](std::size_t count, float value) {
    const std::vector<float> all(count, value);
    return std::string(reinterpret_cast<const char*>(all.data()), 4 * count);
  };
  write("x_70.bin", numbers(70, 3));
  write("x.bin", numbers(300, 3));
  write("long.bin", numbers(301, 3));
  expect_right(with("x_{n}.bin"));
  expect_right(with("x.bin"));  // its first elements
  write("k.json", with("long.bin"));
  const DescribedProblem problem(read_definition(folder_.path() / "k.json"));
  EXPECT_THROW(problem.inputs(make_instance(problem.info(), "", {}), 1), UsageError) << "at its own size";
}

TEST_F(KernelArguments, WorkIsEvaluatedAtOnce) {
  write("k.cu", "__global__ void k(float* out) { out[BLOCK] = 0; }\n");
  const std::string out = R"("out": {"type": "float", "size": "n", "access": "write"})";
  EXPECT_NE(refusal(definition("\"k.cu\"", out, R"("work": {"flops": "2 * m"})")).find("work.flops: '2 * m'"),
            std::string::npos);
  EXPECT_EQ(refusal(definition("\"k.cu\"", out, R"("work": {"flops": "2 * n"})")), "it was taken");
}

// Where configurations do different amounts of work, time alone finds the wrong one.
TEST_F(KernelArguments, AnExecutionMayDoTheWorkSeveralTimes) {
  write("k.cu", "__global__ void k(float* out) { out[BLOCK] = 0; }\n");
  const std::string out = R"("out": {"type": "float", "size": "n", "access": "write"})";
  const LaunchPlan once = plan(definition("\"k.cu\"", out));
  const LaunchPlan often = plan(definition("\"k.cu\"", out, R"("work": {"per_execution": "BLOCK // 8"})"));
  EXPECT_EQ(once.work_per_execution, 1);
  EXPECT_EQ(often.work_per_execution, 4);
  EXPECT_NE(launches_of(once), launches_of(often)) << "equal machine code has another time then";
  const DescribedProblem problem(read_definition(folder_.path() / "k.json"));
  EXPECT_EQ(problem.cost(make_instance(problem.info(), "", {})).bytes, 0)
      << "works of one execution may share what it moves: no limit follows from it";
  EXPECT_NE(refusal(definition("\"k.cu\"", out, R"("work": {"per_execution": "BLOCK - 32"})"))
                .find("0 is not a positive number"),
            std::string::npos);
}

TEST_F(KernelArguments, MetricsAreFormulasOverWhatWasMeasured) {
  write("k.cu", "__global__ void k(float* out) { out[BLOCK] = 0; }\n");
  const std::string out = R"("out": {"type": "float", "size": "n", "access": "write"})";
  write("k.json", definition("\"k.cu\"", out,
                             R"("metrics": {"GB/s": "4 * n / time / 1e9", "J/block": "energy * BLOCK / n",
                                            "registers a block": "registers * BLOCK"})"));
  const DescribedProblem problem(read_definition(folder_.path() / "k.json"));
  const Instance instance = make_instance(problem.info(), "1000", {});
  const Metrics some = problem.metrics(instance, {{"BLOCK", 64}}, {{"time", 1e-6}, {"registers", 20}});
  EXPECT_EQ(some, (Metrics{{"GB/s", 4}, {"registers a block", 1280}})) << "without the energy";
  EXPECT_EQ(problem.metrics(instance, {{"BLOCK", 64}}, {{"time", 1e-6}, {"energy", 2}}).at(1),
            (std::pair<std::string, double>("J/block", 0.128)));
  EXPECT_NE(refusal(definition("\"k.cu\"", out, R"("metrics": {"x": "flops / time"})"))
                .find("metrics.x: 'flops / time', column 1: unknown name 'flops'"),
            std::string::npos);
}

TEST_F(KernelArguments, LaunchesMayBeCooperative) {
  write("k.cu",
        "#include <cooperative_groups.h>\n__global__ void k(float* out, int n) {\n"
        "  auto grid = cooperative_groups::this_grid(); const int i = grid.thread_rank();\n"
        "  if (i < n) out[i] = i;\n  grid.sync();\n  const float other = i < n ? out[n - 1 - i] : 0;\n"
        "  grid.sync();\n  if (i < n) out[i] += other;\n}\n");
  const std::string arguments =
      R"j("out": {"type": "float", "size": "n", "access": "write"}, "n": {"type": "int", "value": "n"})j";
  expect_right(definition(R"j("k.cu")j", arguments, R"j(, "cooperative": true})j"));
  EXPECT_TRUE(
      std::get<Launch>(plan(definition(R"j("k.cu")j", arguments, R"j(, "cooperative": true})j")).launches[0])
          .cooperative);
  const std::vector<Finding> found = findings(definition(R"j("k.cu")j", arguments));
  ASSERT_FALSE(found.empty());
  EXPECT_NE(found[0].text().find("\"cooperative\": true"), std::string::npos) << found[0].text();
  for (const auto& [given, told] :
       {std::pair("1", "found 1: write true"), std::pair("0", "found 0: write false"),
        std::pair(R"("true")", "found \"true\": write true"), std::pair(R"("yes")", "found \"yes\""),
        std::pair("2", "found 2"), std::pair("[true]", "found [true]")}) {
    const std::string text =
        refusal(definition(R"j("k.cu")j", arguments, R"j(, "cooperative": )j" + std::string(given) + "}"));
    EXPECT_NE(text.find(std::string("launches.cooperative: expected true or false, ") + told),
              std::string::npos)
        << text;
  }
}

TEST_F(KernelArguments, AnEntryThatNoFileHasIsRefused) {
  write("h.cuh", "template <int N> __global__ void second(float*) {}\n");
  write("k.cu",
        "#include \"h.cuh\"\n/* k */ __device__ float half_of(float x) { return x / 2; }\n"
        "__global__ void __launch_bounds__(64)\n  first(float* out) {}\n");
  const auto told = [&](const std::string& entry, const std::string& options = "") {
    std::string text = definition("{\"file\": \"k.cu\"" + options + "}",
                                  R"j("out": {"type": "float", "size": "n", "access": "write"})j");
    const std::string begin = "\"entry\": \"k\"";
    text.replace(text.find(begin), begin.size(), "\"entry\": \"" + entry + "\"");
    return refusal(text);
  };
  const std::string all = "; there are: first (k.cu:4), second (h.cuh:1)";
  EXPECT_NE(told("k").find("there is no kernel 'k'" + all), std::string::npos) << told("k");
  EXPECT_NE(told("fist").find("there is no kernel 'fist' (did you mean 'first'?)" + all), std::string::npos);
  EXPECT_NE(told("secnd<4>", R"(, "options": ["-DX=1"])").find("(did you mean 'second'?)" + all),
            std::string::npos);
  EXPECT_NE(told("half_of").find("there is no kernel 'half_of'" + all), std::string::npos);
  EXPECT_NE(
      told("no::first")
          .find("there is no namespace 'no', in which the kernel 'first' would be; it is declared in k.cu:4"),
      std::string::npos);
  // Only a compiler knows.
  EXPECT_EQ(told("made", R"(, "options": ["-Dfirst=made"])"), "it was taken");
}

// Some editors put it before UTF-8.
TEST_F(KernelArguments, AByteOrderMarkIsNoCode) {
  write("h.cuh", "\xEF\xBB\xBF#define TWO 2\n");
  write("k.cu",
        "\xEF\xBB\xBF#include \"h.cuh\"\n__global__ void k(float* out, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = TWO; }\n");
  expect_right(definition(
      R"j("k.cu")j",
      R"j("out": {"type": "float", "size": "n", "access": "write"}, "n": {"type": "int", "value": "n"})j"));
}

TEST_F(KernelArguments, OptionsUndefineMacrosForAllCompilers) {
  write("k.cu", "__global__ void k(float* out) {}\n");
  const std::string out = R"j("out": {"type": "float", "size": "n", "access": "write"})j";
  const CompileRequest request =
      plan(definition(R"j({"file": "k.cu", "options": ["-DA=1", "-DB=2", "-UA", "-U", "C", "-DC=3"]})j", out))
          .compile;
  EXPECT_EQ(request.options, std::vector<std::string>{"-UA"});
  const auto has = [&](const char* name) {
    return std::ranges::any_of(request.defines, [&](const auto& one) { return one.first == name; });
  };
  EXPECT_FALSE(has("A"));
  EXPECT_TRUE(has("B"));
  EXPECT_TRUE(has("C"));
}

TEST_F(KernelArguments, OptionsLeaveTheArchitectureToTheDevice) {
  write("k.cu", "__global__ void k(float* out) {}\n");
  const auto with = [&](const std::string& options) {
    return definition(R"j({"file": "k.cu", "options": [)j" + options + "]}",
                      R"j("out": {"type": "float", "size": "n", "access": "write"})j");
  };
  for (const char* const options : {R"("-arch=sm_80", "-O3")", R"("--gpu-architecture", "compute_80", "-O3")",
                                    R"("-gencode=arch=compute_70,code=sm_70", "-O3", "-code=sm_70")"}) {
    const CompileRequest request = plan(with(options)).compile;
    EXPECT_EQ(request.options, std::vector<std::string>{"-O3"});
    EXPECT_FALSE(request.architecture_specific);
  }
  EXPECT_TRUE(plan(with(R"("-arch=sm_90a")")).compile.architecture_specific);
  EXPECT_THAT(refusal(with(R"("-O3", "-o", "k.o")")), ::testing::HasSubstr("k.json:1: options: '-o'"));
}

/// NVRTC says so, too; the emulator would run another program.
TEST_F(KernelArguments, AMacroOfTheOptionsThatTheFileReplacesIsAnError) {
  write("k.cu",
        "#define SHIFT 3\n#ifndef GUARDED\n#define GUARDED 1\n#endif\n#ifdef OTHER\n#define SHIFT 4\n#endif\n"
        "__global__ void k(float* out) { out[threadIdx.x] = SHIFT + GUARDED; }\n");
  const auto said = [&](const std::string& options) {
    return refusal(definition(R"j({"file": "k.cu", "options": [)j" + options + "]}",
                              R"j("out": {"type": "float", "size": "n", "access": "write"})j"));
  };
  EXPECT_THAT(said(R"("-DSHIFT=2")"),
              ::testing::HasSubstr("k.cu:1: '#define SHIFT 3' replaces the macro 'SHIFT'"));
  EXPECT_THAT(said(R"("-DSHIFT=3", "-DOTHER")"),
              ::testing::HasSubstr("k.cu:6: '#define SHIFT 4' replaces the macro"));
  for (const char* const options : {R"("-DSHIFT=3")", R"("-DGUARDED=2")", R"("-DSHIFT=2", "-USHIFT")"})
    EXPECT_EQ(said(options), "it was taken") << options;
}

TEST_F(KernelArguments, AParameterThatOptionsOrDefinesReplaceIsAnError) {
  write("k.cu", "__global__ void k(float* out) { out[threadIdx.x] = BLOCK + TILE; }\n");
  const auto said = [&](const std::string& more) {
    return refusal(definition(R"j({"file": "k.cu", )j" + more + "}",
                              R"j("out": {"type": "float", "size": "n", "access": "write"})j"));
  };
  for (const char* const option : {R"("-DBLOCK=16")", R"("-D", "BLOCK=16")", R"("--define-macro=BLOCK=16")"})
    EXPECT_THAT(said(std::string("\"options\": [") + option + "]"),
                ::testing::HasSubstr("the option -DBLOCK=16 replaces the parameter 'BLOCK'"))
        << option;
  EXPECT_THAT(said(R"("defines": {"BLOCK": "2 * n"})"),
              ::testing::HasSubstr("the macro 'BLOCK' of 'defines' replaces the parameter 'BLOCK'"));
  EXPECT_EQ(said(R"("options": ["-DTILE=BLOCK", "-DBLOCK=BLOCK"])"), "it was taken");
}

// All compilers see the same headers.
TEST_F(KernelArguments, FoldersOfOptionsHoldHeadersOfTheKernel) {
  std::filesystem::create_directories(folder_.path() / "deep");
  write("deep/shift.h", "#define SHIFT 3\n");
  write(
      "k.cu",
      "#include <shift.h>\n#ifndef SHIFT\n#define SHIFT 0\n#endif\n"
      "__global__ void k(float* out, int n) { int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) out[i] = i + SHIFT; }\n");
  const std::string
      folder = (folder_.path() / "deep").string(),
      arguments =
          R"j("out": {"type": "float", "size": "n", "access": "write", "expect": "i + 3"}, "n": {"type": "int", "value": "n"})j";
  for (const std::string& option :
       {"\"-I" + folder, "\"-I\", \"" + folder, "\"--include-path=" + folder, "\"-isystem\", \"" + folder})
    expect_right(definition("{\"file\": \"k.cu\", \"options\": [" + option + "\"]}", arguments));
  write(
      "k.cu",
      "#include \"no.h\"\n__global__ void k(float* out, int n) { if (threadIdx.x < n) out[threadIdx.x] = 0; }\n");
  const std::vector<Finding> found =
      findings(definition("{\"file\": \"k.cu\", \"options\": [\"-I" + folder + "\"]}", arguments));
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(found.front().text(), ::testing::HasSubstr("cannot find the header \"no.h\""));
}

}  // namespace
}  // namespace tune::described
