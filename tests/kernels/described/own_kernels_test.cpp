// SPDX-License-Identifier: Apache-2.0
// The examples of kernels of one's own, and what happens when one is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "kernels/described/problem.hpp"
#include "kernels/described/readers/definition.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "search/space/search_space.hpp"
#include "tests/kernels/described/definition_check.hpp"
#include "tests/kernels/described/written_definitions.hpp"
#include "tests/support/sampled.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/backends/emulator/jobs/checker.hpp"
#include "tuner/base/format.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/plan/texture_shape.hpp"

namespace tune::emulator {
namespace {

using described::DescribedProblem;
using described::testing::findings_of;
namespace fs = std::filesystem;

const fs::path examples = fs::path(TUNE_SOURCE_DIR) / "examples" / "own_kernels";

void expect_clean(const std::string& name, std::size_t max,
                  const std::vector<std::pair<std::string, Value>>& settings = {}) {
  for (const Finding& finding : findings_of(examples / name, max, settings)) ADD_FAILURE() << finding.text();
}

TEST(OwnKernels, OfEveryKindAreClean) {
  for (const char* const name : {"attention", "bilateral_filter", "convolution", "heat", "layer_norm",
                                 "matrix_vector", "optimizer", "shortest_path"}) {
    SCOPED_TRACE(name);
    expect_clean(std::string(name) + ".json", tune::testing::sampled_count(9));
  }
}

TEST(OwnKernels, TransposeIsClean) {
  expect_clean("transpose.json", 30);
}

TEST(OwnKernels, ReductionIsClean) {
  expect_clean("reduction.json", 4);
}

TEST(OwnKernels, MatrixProductIsCleanInBothTypes) {
  expect_clean("matrix_product.json", 10);
  expect_clean("matrix_product.json", 3, {{"real", "double"}});
}

/// A copy of an example whose kernel was changed.
class ChangedKernels : public ::testing::Test {
 protected:
  std::vector<Finding> findings(const std::string& name, const std::string& from, const std::string& to) {
    for (const fs::directory_entry& file : fs::directory_iterator(examples))
      fs::copy_file(file, folder_.path() / file.path().filename(), fs::copy_options::overwrite_existing);
    const fs::path kernel = folder_.path() / (name + ".cu");
    std::ostringstream text;
    text << std::ifstream(kernel).rdbuf();
    std::string changed = text.str();
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos);
    std::ofstream(kernel) << changed.replace(at, from.size(), to);
    return findings_of(folder_.path() / (name + ".json"), 2);
  }

  tune::testing::TemporaryFolder folder_;
};

TEST_F(ChangedKernels, AreHeldAgainstTheOtherKernel) {
  const std::vector<Finding> found = findings("transpose", "= tile[threadIdx.x][threadIdx.y + j]",
                                              "= 2 * tile[threadIdx.x][threadIdx.y + j]");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().kind, FindingKind::wrong_result);
  EXPECT_EQ(found.front().array, "out");
}

TEST_F(ChangedKernels, AreCheckedForRaces) {
  const std::vector<Finding> found = findings("transpose", "__syncthreads();", "");
  // A block may be one warp.
  EXPECT_TRUE(std::ranges::any_of(found, [](const Finding& finding) {
    return finding.kind == FindingKind::race_in_block || finding.kind == FindingKind::race_in_warp;
  }));
}

/// Contents in constant memory, and an output that is added to.
TEST_F(ChangedKernels, SeeConstantMemoryAndContents) {
  std::ofstream(folder_.path() / "axpy.cu") << "__constant__ float factors[4];\n"
                                               "__global__ void axpy(float* y, const float* x, int n) {\n"
                                               "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                                               "  if (i < n) y[i] += factors[i % 4] * x[i];\n}\n";
  std::ofstream(folder_.path() / "axpy.json") << R"json({
    "problem": "axpy", "kernel": "axpy.cu", "sizes": {"n": 1000}, "check": [{"n": 77}],
    "parameters": {"BLOCK": [32, 64]},
    "arguments": {
      "y": {"type": "float", "size": "n", "access": "both", "fill": {"from": 0, "step": 1},
            "expect": {"from": 3.001, "step": 1}},
      "x": {"type": "float", "size": "n", "fill": 2},
      "factors": {"type": "float", "size": 4, "symbol": "factors", "fill": 1.5},
      "n": {"type": "int", "value": "n"}
    },
    "launches": {"entry": "axpy", "grid": "ceil_div(n, BLOCK)", "block": "BLOCK"},
    "tolerance": {"relative": 1e-4}
  })json";
  for (const Finding& finding : findings_of(folder_.path() / "axpy.json", 2)) ADD_FAILURE() << finding.text();
}

/// Variables of all kinds are filled, and what has another size than in the compiled kernel is no launch.
TEST_F(ChangedKernels, FillVariablesAndPassStructsOfTheirSizes) {
  const std::string fields =
                        R"json("struct": [{"type": "float", "value": 1}, {"type": "int", "value": 2}])json",
                    eight = R"json("bytes": "00 00 80 3f 02 00 00 00")json";
  const auto found = [&](const std::string& contents, int size, const char* alignment = "16") {
    std::ofstream(folder_.path() / "k.cu")
        << "#define ALIGNED " << alignment
        << "\nstruct P { float x; int y; };\nnamespace z { __constant__ P p; __device__ float f[4]; }\n"
           "struct alignas(ALIGNED) Q { float x; int y; };\n"
           "__global__ void k(float* a, Q q, int n) {\n"
           "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
           "  if (i < n) a[i] = q.x + q.y + z::p.x + z::p.y + z::f[3];\n}\n";
    std::ofstream(folder_.path() / "k.json") << format(
        R"json({{"problem": "k", "kernel": "k.cu", "sizes": {{"n": 900}}, "check": [{{"n": 33}}], "parameters": {{"BLOCK": [32]}},
          "arguments": {{
            "a": {{"type": "float", "size": "n", "access": "write", "expect": "15"}},
            "q": {{{}}},
            "n": {{"type": "int", "value": "n"}},
            "p": {{"struct": [{{"type": "float", "value": 3}}, {{"type": "int", "value": 4}}], "symbol": "z::p"}},
            "f": {{"type": "float", "size": {}, "symbol": "f", "fill": 5}}}},
          "launches": {{"entry": "k", "grid": "ceil_div(n, BLOCK)", "block": "BLOCK"}}}})json",
        contents, size);
    const std::vector<Finding> all = findings_of(folder_.path() / "k.json", 1);
    return all.empty() ? std::string() : all.front().detail;
  };
  EXPECT_EQ(found(fields, 4), "");
  EXPECT_EQ(found(fields + ", \"align\": 16", 4), "");
  for (const char* const alignment : {"32", "64", "256"}) EXPECT_EQ(found(fields, 4, alignment), "");
  EXPECT_EQ(
      found(eight, 4),
      "argument 2 of kernel `k` has 16 bytes, 8 are passed: compare the fields and the alignment of the "
      "struct");
  EXPECT_EQ(found(fields, 5), "variable `z::f` of the kernel has 16 bytes, 20 are copied to it");
}

class EveryType : public ChangedKernels {
 protected:
  std::vector<Finding> findings(const std::string& type, const std::string& word, const std::string& sum,
                                const std::string& expected) {
    return findings_of(described::testing::TypedKernel{type, word, sum, expected}.write(folder_.path()), 1);
  }
};

TEST_F(EveryType, IsFilledPassedAndCompared) {
  for (described::testing::TypedKernel kernel : described::testing::typed_kernels()) {
    SCOPED_TRACE(kernel.type);
    for (const Finding& finding : findings_of(kernel.write(folder_.path()), 1))
      ADD_FAILURE() << finding.text();
    kernel.expected = R"({"from": 8, "step": 2})";
    const std::vector<Finding> found = findings_of(kernel.write(folder_.path()), 1);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front().kind, FindingKind::wrong_result) << found.front().text();
  }
}

TEST_F(EveryType, TruthsAreZeroAndOne) {
  EXPECT_TRUE(findings("bool", "bool", "x[i] == s", R"({"from": 0, "step": 1})").empty());
  EXPECT_FALSE(findings("bool", "bool", "x[i] != s", R"({"from": 0, "step": 1})").empty());
}

TEST_F(EveryType, VectorsAreSoManyNumbers) {
  const std::string sum = "make_float4(x[i].x + s.x, x[i].y, x[i].z, x[i].w)";
  // A vector is no value of an argument.
  EXPECT_THROW(findings("float4", "float4", sum, "0"), std::exception);
}

// 16 bits: two units of the last place are right, three are not.
TEST_F(EveryType, ToleranceFollowsTheType) {
  EXPECT_TRUE(
      findings("half", "__half", "__half(1024.0f + float(x[i]))", R"({"from": 1026, "step": 1})").empty());
  EXPECT_FALSE(
      findings("half", "__half", "__half(1024.0f + float(x[i]))", R"({"from": 1028, "step": 1})").empty());
}

/// A kernel that reads its input through a texture object, and one that is right.
class Textures : public ChangedKernels {
 protected:
  void expect_right(described::testing::TexturedKernel kernel) {
    SCOPED_TRACE(kernel.fetch);
    for (const Finding& finding : findings_of(kernel.write(folder_.path()), 2))
      ADD_FAILURE() << finding.text();
    kernel.fetch += " + 1";
    EXPECT_FALSE(findings_of(kernel.write(folder_.path()), 2).empty());
  }
};

TEST_F(Textures, AreReadAsTheyAreDeclared) {
  for (const described::testing::TexturedKernel& kernel : described::testing::textured_kernels())
    expect_right(kernel);
}

// The emulator runs the small sizes alone; a GPU runs these, too.
TEST_F(ChangedKernels, OfWrittenDefinitionsHaveInputsAtTheirOwnSize) {
  const auto expect_inputs = [](const std::filesystem::path& file) {
    const DescribedProblem problem(described::read_definition(file));
    EXPECT_NO_THROW({
      problem.inputs(make_instance(problem.info(), "", {}), 1);
      problem.reference(make_instance(problem.info(), "", {}), {});
    }) << file;
  };
  for (const auto& kernel : described::testing::typed_kernels()) expect_inputs(kernel.write(folder_.path()));
  for (const auto& kernel : described::testing::textured_kernels())
    expect_inputs(kernel.write(folder_.path()));
  expect_inputs(described::testing::write_values_and_launches(folder_.path()));
}

TEST_F(Textures, AreTakenFromT1) {
  std::ofstream(folder_.path() / "k.cu")
      << "extern \"C\" __global__ void k(float* out, cudaTextureObject_t in) {\n"
         "  out[blockIdx.x * BLOCK + threadIdx.x] = tex1Dfetch<float>(in, blockIdx.x * BLOCK + "
         "threadIdx.x);\n}\n";
  std::ofstream(folder_.path() / "k.json") << R"json({
    "ConfigurationSpace": {"TuningParameters": [{"Name": "BLOCK", "Type": "int", "Values": "[32, 64]"}]},
    "KernelSpecification": {"Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu",
      "GlobalSize": {"X": "128 // BLOCK"}, "LocalSize": {"X": "BLOCK"},
      "Arguments": [
        {"Name": "out", "Type": "float", "Size": 128, "MemoryType": "Vector", "AccessType": "WriteOnly"},
        {"Name": "in", "Type": "float", "Size": 128, "MemoryType": "Texture", "FillType": "Generator"}],
      "ReferenceArguments": [{"Name": "r", "TargetName": "out", "FillType": "Generator",
                              "ValidationMethod": "SideBySideRelativeComparison", "ValidationThreshold": 1e-6}]}})json";
  const described::DescribedProblem problem(described::read_definition(folder_.path() / "k.json"));
  const kernels::EmbeddedSources sources;
  const Instance instance = make_instance(problem.info(), "", {});
  const auto plan = problem.plan(instance, {{"BLOCK", 32}}, sources);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->textures().size(), 1U);
  EXPECT_EQ(plan->textures()[0].texture.memory, TextureMemory::linear);
  EXPECT_TRUE(texture_shape(plan->buffer("in"), plan->textures()[0].texture));
}

/// A kernel that adds the two neighbours of each cell of a row, which the copy engine brings.
class TensorMaps : public ChangedKernels {
 protected:
  fs::path write(const std::string& sum, const std::string& box) {
    std::ofstream(folder_.path() / "tensor_copy.cuh")
        << kernels::EmbeddedSources().text("common/tensor_copy.cuh");
    std::ofstream(folder_.path() / "k.cu")
        << "#include \"tensor_copy.cuh\"\n"
           "extern \"C\" __global__ void k(float* out, const __grid_constant__ TensorMap in, int nx) {\n"
           "  __shared__ __align__(128) float row[BLOCK + 8];\n"
           "  __shared__ AsyncBarrier full;\n"
           "  const int x = blockIdx.x * BLOCK + threadIdx.x, y = blockIdx.y;\n"
           "  if (threadIdx.x == 0) {\n    init_barrier(full, 1);\n    fence_barriers();\n  }\n"
           "  __syncthreads();\n"
           "  if (threadIdx.x == 0) {\n    arrive_expecting(full, sizeof(row));\n"
           "    copy_box(row, in, full, x - 4, y);\n  }\n"
           "  wait_barrier(full, 0);\n"
           "  if (x < nx) out[y * nx + x] = "
        << sum << ";\n}\n";
    std::ofstream(folder_.path() / "right.cu")
        << "extern \"C\" __global__ void right(float* out, const float* in, int nx) {\n"
           "  const float* row = in + blockIdx.y * nx;\n"
           "  for (int x = threadIdx.x; x < nx; x += 32)\n"
           "    out[blockIdx.y * nx + x] = (x > 0 ? row[x - 1] : 0) + (x + 1 < nx ? row[x + 1] : 0);\n}\n";
    std::ofstream(folder_.path() / "k.json")
        << R"json({"problem": "k", "kernel": "k.cu", "sizes": {"nx": 100, "ny": 20},
                   "check": [{"nx": 44, "ny": 5}], "parameters": {"BLOCK": [32, 64]},
                   "launches": {"entry": "k", "grid": ["ceil_div(nx, BLOCK)", "ny"], "block": "BLOCK",
                                "arguments": ["out", "in", "nx"]},
                   "reference": {"kernel": "right.cu",
                                 "launches": {"entry": "right", "grid": [1, "ny"], "block": 32,
                                              "arguments": ["out", "plain", "nx"]}},
                   "arguments": {"out": {"type": "float", "size": ["nx", "ny"], "access": "write"},
                                 "in": {"type": "float", "size": ["nx", "ny"], "fill": {"from": 0, "step": 0.5},
                                        "tensor_map": {"box": [")json"
        << box << R"json(", 1], "promotion": "256B"}},
                                 "plain": {"type": "float", "size": ["nx", "ny"],
                                           "fill": {"from": 0, "step": 0.5}},
                                 "nx": {"type": "int", "value": "nx"}}})json";
    return folder_.path() / "k.json";
  }
};

TEST_F(TensorMaps, AreReadAsTheyAreDeclared) {
  for (const Finding& finding :
       findings_of(write("row[threadIdx.x + 3] + row[threadIdx.x + 5]", "BLOCK + 8"), 2))
    ADD_FAILURE() << finding.text();
  EXPECT_FALSE(findings_of(write("row[threadIdx.x + 3] + row[threadIdx.x + 4]", "BLOCK + 8"), 2).empty());
  EXPECT_FALSE(findings_of(write("row[threadIdx.x + 3] + row[threadIdx.x + 5]", "BLOCK"), 2).empty());
}

TEST_F(TensorMaps, ABoxThatNoDeviceTakesIsNoConfiguration) {
  const DescribedProblem problem(described::read_definition(write("0", "BLOCK + 3")));
  const kernels::EmbeddedSources sources;
  const auto plan = problem.plan(make_instance(problem.info(), "", {}), {{"BLOCK", 32}}, sources);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().phase, Phase::constraint);
  EXPECT_NE(plan.error().detail.find("make them a multiple of 16"), std::string::npos) << plan.error().detail;
}

/// Kernels of one's own that compute in a narrower type than that of their arrays.
class NarrowKernels : public ::testing::Test {
 protected:
  std::vector<Finding> findings(const std::string& type, const std::string& word, const std::string& fill,
                                const std::string& term) {
    const auto write = [&](const std::string& name, const std::string& summand) {
      std::ofstream(folder_.path() / (name + ".cu"))
          << "extern \"C\" __global__ void k(" << word << "* y, const " << word << "* x, int n) {\n"
          << "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) y[i] = 3 * " << summand
          << ";\n}\n";
    };
    write("k", term);
    write("right", "x[i]");
    std::ofstream(folder_.path() / "k.json")
        << R"json({"problem": "k", "kernel": "k.cu", "sizes": {"n": 900}, "check": [{"n": 307}],
                   "parameters": {"BLOCK": [32]},
                   "launches": {"entry": "k", "grid": "ceil_div(n, BLOCK)", "block": "BLOCK"},
                   "reference": {"kernel": "right.cu", "launches": {"entry": "k", "grid": "ceil_div(n, 32)",
                                                                    "block": 32}},
                   "arguments": {"y": {"type": ")json"
        << type << R"json(", "size": "n", "access": "write"}, "x": {"type": ")json" << type
        << R"json(", "size": "n", "fill": )json" << fill
        << R"json(}, "n": {"type": "int", "value": "n"}}})json";
    return findings_of(folder_.path() / "k.json", 1);
  }

  tune::testing::TemporaryFolder folder_;
};

TEST_F(NarrowKernels, AreFound) {
  const std::string large = R"({"random": [-1e15, 1e15]})";
  EXPECT_TRUE(findings("int64", "long long", large, "x[i]").empty());
  EXPECT_FALSE(findings("int64", "long long", large, "(long long)(int)x[i]").empty());
  EXPECT_TRUE(findings("double", "double", "\"random\"", "x[i]").empty());
  EXPECT_FALSE(findings("double", "double", "\"random\"", "(float)x[i]").empty());
}

// As doubles, the results are equal.
TEST_F(NarrowKernels, AWrongLowBitOf64IsFound) {
  const std::string large = R"({"random": [0, 1e18]})";
  for (const auto& [type, word] :
       {std::pair("uint64", "unsigned long long"), std::pair("int64", "long long")}) {
    EXPECT_TRUE(findings(type, word, large, "x[i]").empty());
    const std::vector<Finding> found = findings(type, word, large, "(x[i] ^ 1)");
    ASSERT_FALSE(found.empty()) << type;
    EXPECT_NE(found.front().text().find("a difference of 3"), std::string::npos) << found.front().text();
  }
}

}  // namespace
}  // namespace tune::emulator
