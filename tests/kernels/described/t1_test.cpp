// SPDX-License-Identifier: Apache-2.0
// Definitions in T1 as people write them: other spellings, fields left out, kinds that are not what the
// schema says.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "kernels/described/problem.hpp"
#include "kernels/described/readers/definition.hpp"
#include "search/space/search_space.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::described {
namespace {

using Json = nlohmann::json;

const char* const plain = R"json({
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "bx", "Type": "int", "Values": "[16, 32, 64]"},
      {"Name": "by", "Type": "int", "Values": "[1, 2, 4]"},
      {"Name": "mode", "Type": "string", "Values": "['a', 'b']"}
    ],
    "Conditions": [{"Parameters": ["bx", "by"], "Expression": "bx * by <= 64"}]
  },
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu", "ProblemSize": [1000],
    "GlobalSize": {"X": "ceil_div(ProblemSize[0], bx)"}, "LocalSize": {"X": "bx", "Y": "by"},
    "Arguments": [
      {"Name": "out", "Type": "float", "Size": "1000", "MemoryType": "Vector", "AccessType": "WriteOnly",
       "FillType": "Constant", "FillValue": 0},
      {"Name": "in", "Type": "float", "Size": 1000, "MemoryType": "Vector", "AccessType": "ReadOnly"},
      {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 1000}
    ],
    "ReferenceArguments": [
      {"Name": "r", "TargetName": "out", "FillType": "Constant", "FillValue": 3}
    ]
  }
})json";

class T1 : public ::testing::Test {
 protected:
  T1() : json_(Json::parse(plain)) {
    write_kernel(
        "extern \"C\" __global__ void k(float* out, const float* in, int n) { /* bx by */ int a = mode; }\n");
  }
  void write_kernel(const std::string& text) { std::ofstream(folder_.path() / "k.cu") << text; }
  DescribedProblem problem() {
    const auto path = folder_.path() / "d.json";
    std::ofstream(path) << json_.dump(1);
    return DescribedProblem(read_definition(path));
  }
  Json& space() { return json_["ConfigurationSpace"]; }
  Json& kernel() { return json_["KernelSpecification"]; }
  Json& condition() { return space()["Conditions"][0]["Expression"]; }
  /// How many configurations are valid.
  std::size_t size() {
    const DescribedProblem made = problem();
    return search::SearchSpace(
               made.space(make_instance(made.info(), "", {}), architecture_properties("sm_90")))
        .size();
  }
  Result<LaunchPlan> plan() {
    const DescribedProblem made = problem();
    const Instance instance = make_instance(made.info(), "", {});
    const search::SearchSpace all(made.space(instance, architecture_properties("sm_90")));
    return made.plan(instance, all.at(*all.default_configuration()), sources_);
  }
  Launch launch() { return std::get<Launch>(plan()->launches.at(0)); }
  std::vector<std::string> notes() { return problem().description().notes; }
  std::string refusal() {
    try {
      (void)plan();
    } catch (const UsageError& error) {
      return error.what();
    }
    return "it was taken";
  }
  Bounds bounds(const std::string& method, const Json& threshold) {
    Json& reference = kernel()["ReferenceArguments"][0];
    reference["ValidationMethod"] = method;
    reference["ValidationThreshold"] = threshold;
    const DescribedProblem made = problem();
    return made.tolerance(make_instance(made.info(), "", {})).of("out");
  }

  struct NoSources : KernelSources {
    std::string text(std::string_view) const override { throw Error("nobody asks"); }
  };
  tune::testing::TemporaryFolder folder_;
  NoSources sources_;
  Json json_;
};

// 16: 1, 2, 4; 32: 1, 2; 64: 1; each in two modes.
TEST_F(T1, PlainIsRead) {
  EXPECT_EQ(size(), 12U);
  EXPECT_EQ(launch().grid, (Dim3{63, 1, 1}));
  EXPECT_TRUE(notes().empty());
}

// Without it a rim that the kernel leaves alone would be never written.
TEST_F(T1, AFillThatIsGivenIsThatOfAnOutputToo) {
  EXPECT_EQ(problem().inputs(make_instance(problem().info(), "", {}), 1).count("out"), 1U);
  EXPECT_EQ(plan()->buffer("out").fill, BufferFill::contents);
  kernel()["Arguments"][0]["FillType"] = "Random";
  EXPECT_NE(plan()->buffer("out").fill, BufferFill::contents);
  kernel()["Arguments"][0].erase("FillType");
  EXPECT_NE(plan()->buffer("out").fill, BufferFill::contents);
}

TEST_F(T1, ValuesComeInAllForms) {
  Json& values = space()["TuningParameters"][0]["Values"];
  const std::vector<Json> forms = {"[16,32,64]",
                                   "(16, 32, 64)",
                                   "16, 32, 64",
                                   "[16*2**i for i in range(3)]",
                                   "[2**i for i in range(4, 7)]",
                                   Json::array({16, 32, 64}),
                                   Json::array({"16", "32", "64"}),
                                   Json::array({16.0, 32.0, 64.0}),
                                   "['16', '32', '64']",
                                   "list(range(16, 17)) + [32, 64]",
                                   "[i for i in range(1, 65) if i in (16, 32, 64)]",
                                   "sorted([64, 32, 16])",
                                   "np.array([16, 32, 64])",
                                   "[16, 32] + [64 if True else 0]"};
  for (const Json& form : forms) {
    SCOPED_TRACE(form.dump());
    values = form;
    EXPECT_EQ(size(), 12U);
    const DescribedProblem made = problem();
    EXPECT_TRUE(made.description().parameters[0].values[0] == Value(16));
  }
  Json& modes = space()["TuningParameters"][2]["Values"];
  for (const Json& form : {Json::array({"a", "b"}), Json("('a', 'b')"), Json("['a', 'b', 'a']")}) {
    modes = form;
    EXPECT_EQ(size(), 12U) << form;
  }
  values = 16;
  EXPECT_EQ(size(), 6U);
  values = "[0.5, 1.5]";  // an int that is none: as it stands
  condition() = "bx < 1";
  EXPECT_EQ(size(), 6U);
}

TEST_F(T1, ConditionsComeInAllForms) {
  const std::vector<std::string> same = {
      "bx*by<=64",
      "bx * by < 65 and True",
      "(bx * by <= 64) && (mode == 'a' || mode != 'a')",
      "!(bx * by > 64)",
      "not bx * by > 64",
      "64 >= bx * by",
      "bx * by in (16, 32, 64)",
      "bx * by in [16, 32, 64]",
      "bx * by in {16, 32, 64}",
      "bx * by in range(0, 65)",
      "bx * by not in range(65, 1000)",
      "True if bx * by <= 64 else False",
      "bx * by <= 64 ? true : false",
      "(bx * by) // 65 == 0",
      "int(bx * by / 64.5) == 0",
      "max([bx * by, 64]) == 64",
      "max(bx * by, 64) == 64",
      "0 < bx * by <= 64",
      "math.ceil(bx * by / 64) == 1",
      "all([bx * by <= 64, by >= 1])",
      "len([bx, by]) == 2 and bx * by <= 1 << 6",
      "sum([bx * by, 0]) <= pow(2, 6)",
      "mode in ('a', 'b') and bx * by <= 64",
      "mode in [\"a\"] and bx * by <= 64 or mode == \"b\" and by * bx <= 64",
      "(bx * by) >> 6 <= 1 and bx * by < 65",
      "+bx * by <= 64.0"};
  for (const std::string& rule : same) {
    SCOPED_TRACE(rule);
    condition() = rule;
    EXPECT_EQ(size(), 12U);
  }
  const std::string rule = "bx * by <= 64";
  for (const Json& form : {Json::array({rule}), Json(rule), Json{{"Expression", rule}},
                           Json::array({{{"Expression", rule}}, {{"Expression", "by > 0"}}}),
                           Json::array({{{"Expression", Json::array({rule, "by > 0"})}}}),
                           Json::array({{{"expression", rule}, {"parameters", Json::array()}}})}) {
    SCOPED_TRACE(form.dump());
    space()["Conditions"] = form;
    EXPECT_EQ(size(), 12U);
  }
  for (const Json& none : {Json::array(), Json()}) {
    space()["Conditions"] = none;
    EXPECT_EQ(size(), 18U);
  }
  space()["Conditions"] = "bz < 2";
  EXPECT_NE(refusal().find("'bz' is not a parameter"), std::string::npos);
}

TEST_F(T1, NamesDifferInCase) {
  Json other = {
      {"configurationspace",
       {{"tuningParameters", Json::array({{{"name", "bx"}, {"type", "INT"}, {"values", "[16, 32]"}}})}}},
      {"kernelSpecification",
       {{"language", "cuda"},
        {"kernelName", "k"},
        {"kernelFile", "k.cu"},
        {"globalSize", {{"x", 10}}},
        {"localSize", {{"x", "bx"}}},
        {"arguments",
         Json::array({{{"name", "out"}, {"type", "Float"}, {"size", "10"}, {"accessType", "writeonly"}},
                      {{"name", "in"}, {"type", "FLOAT"}, {"size", "10"}, {"fillType", "random"}},
                      {{"name", "n"}, {"type", "Int32"}, {"memoryType", "scalar"}, {"fillValue", "10"}}})}}}};
  json_ = other;
  EXPECT_EQ(size(), 2U);
  EXPECT_EQ(launch().block.x, 16U);
  EXPECT_EQ(std::get<std::int32_t>(std::get<ScalarArgument>(launch().arguments[2])), 10);
}

TEST_F(T1, NumbersMayBeTexts) {
  json_["Budget"] = Json::array({{{"Type", "ConfigurationCount"}, {"BudgetValue", "50"}}});
  space()["TuningParameters"][0]["Default"] = "32";
  kernel()["ProblemSize"] = "[1000]";
  kernel()["SharedMemory"] = "4 * bx";
  kernel()["Arguments"][0]["FillValue"] = "0.0";
  EXPECT_EQ(bounds("SideBySideComparison", "1e-3").absolute, 1e-3);
  EXPECT_EQ(problem().description().budget_evaluations, 50);
  EXPECT_EQ(launch().block.x, 32U);
  EXPECT_EQ(launch().dynamic_shared_memory, 128U);
}

TEST_F(T1, SizesComeInAllForms) {
  kernel().erase("LocalSize");
  EXPECT_NE(refusal().find("expected a field 'LocalSize', or a parameter block_size_x"), std::string::npos);
  space()["TuningParameters"][0]["Name"] = "block_size_x";
  condition() = "block_size_x * by <= 64";
  kernel()["GlobalSize"] = {{"X", "ProblemSize[0] / block_size_x"}};  // rounded up: the rest is work too
  EXPECT_EQ(launch().block, (Dim3{16, 1, 1}));
  EXPECT_EQ(launch().grid, (Dim3{63, 1, 1}));
  kernel()["GlobalSize"] = Json::array({"1000", 4});
  kernel()["GlobalSizeType"] = "OpenCL";
  EXPECT_EQ(launch().grid, (Dim3{63, 4, 1}));
  kernel()["GridDivX"] = Json::array({"block_size_x", 2});  // goes before the other
  EXPECT_EQ(launch().grid, (Dim3{32, 1, 1}));
  kernel()["GridDivX"] = Json::array();
  EXPECT_EQ(launch().grid, (Dim3{1000, 1, 1}));
  kernel().erase("ProblemSize");  // nothing to divide
  EXPECT_EQ(launch().grid, (Dim3{63, 4, 1}));
}

// KTT's comparisons, by which the methods are defined.
TEST_F(T1, ValidationMethodsMeanWhatTheyMean) {
  const Bounds each = bounds("SideBySideComparison", 0.5);
  EXPECT_EQ(each.absolute, 0.5);
  EXPECT_EQ(each.each + each.relative + each.sum, 0);
  const Bounds relative = bounds("SideBySideRelativeComparison", 0.01);
  EXPECT_EQ(relative.absolute, 1e-4);
  EXPECT_EQ(relative.each, 0.01);
  const Bounds sum = bounds("AbsoluteDifference", 2.0);
  EXPECT_EQ(sum.sum, 2.0);
  kernel()["ReferenceArguments"][0]["ValidationMethod"] = "Nearly";
  EXPECT_NE(refusal().find("found 'Nearly'"), std::string::npos);
  // Whole numbers are equal or not.
  kernel()["Arguments"][0]["Type"] = "int32";
  write_kernel("extern \"C\" __global__ void k(int* out, const float* in, int n) { int a = mode; }\n");
  EXPECT_EQ(bounds("SideBySideComparison", 0.5).absolute, 0);
}

// The default kernels of published files are for those who compile them without a tuner.
TEST_F(T1, WhatKernelTunerDefinesIsDefined) {
  write_kernel(
      "#ifndef kernel_tuner\n#define bx 16\n#endif\n"
      "extern \"C\" __global__ void k(float* out, const float* in, int n) {\n"
      "  __shared__ float tile[block_size_y][block_size_x]; int a = mode + grid_size_x + by; }\n");
  using Macros = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(plan()->compile.defines, (Macros{{"bx", "16"},
                                             {"by", "1"},
                                             {"mode", "a"},
                                             {"kernel_tuner", "1"},
                                             {"block_size_x", "16"},
                                             {"block_size_y", "1"},
                                             {"grid_size_x", "63"}}));
  write_kernel(
      "extern \"C\" __global__ void k(float* out, const float* in, int n) { int a = mode + grid_size_x; }\n");
  EXPECT_EQ(plan()->compile.defines.size(), 2U) << "what it mentions";
}

TEST_F(T1, HipIsCudaByAnotherName) {
  kernel()["Language"] = "HIP";
  EXPECT_EQ(refusal(), "it was taken");
}

TEST_F(T1, AParameterThatTheSourceReplacesIsAnError) {
  const std::string rest =
      "extern \"C\" __global__ void k(float* out, const float* in, int n) { int a = mode; }\n";
  write_kernel("// ours\n#define bx 16\n" + rest);
  EXPECT_EQ(refusal(),
            "k.cu:2: '#define bx 16' replaces the parameter 'bx', so that its values change nothing: put it "
            "between '#ifndef bx' and '#endif'");
  write_kernel("#ifndef bx\n#define bx 16\n#endif\n" + rest);
  EXPECT_EQ(refusal(), "it was taken");
}

TEST_F(T1, AParameterThatTheSourceDeclaresItselfIsNoMacro) {
  const auto macros = [&](const std::string& text) {
    write_kernel(text);
    std::string names;
    const auto made = plan();
    for (const auto& [name, value] : made->compile.defines) names += name + " ";
    return names;
  };
  const std::string rest = "extern \"C\" __global__ void k(float* out, const float* in, int n)";
  EXPECT_EQ(macros(rest + " { int a = mode + bx; }"), "bx mode ");
  // The launch mentions bx: its block is as wide.
  EXPECT_EQ(macros(rest + " { int a = mode; }"), "mode ") << "not mentioned";
  EXPECT_EQ(macros("template<int bx> struct S {};\n" + rest + " { int a = mode; }"), "mode ");
  EXPECT_EQ(macros("void main() { char* text = \"int mode\"; const unsigned int bx(3); }" + rest +
                   " { int a = mode; }"),
            "mode ");
  EXPECT_EQ(macros("#ifndef bx\nconst int bx = 8;\n#endif\n" + rest + " { int a = mode; }"), "bx mode ")
      << "only where there is no macro";
  EXPECT_EQ(macros("float f(float a) { return bx; }\n" + rest + " { int a = mode * bx; }"), "bx mode ")
      << "used";
  EXPECT_EQ(macros("#define name(x) b##x\n" + rest + " { int a = mode + name(x); }"), "bx by mode ")
      << "put together";
  space()["TuningParameters"][2] = {{"Name", "mode"}, {"Type", "int"}, {"Values", "[1, 2]"}};
  write_kernel("const int mode = 3;\n" + rest + " { int a = mode; }");
  EXPECT_EQ(
      refusal(),
      "k.cu:1: 'const int mode' declares the parameter 'mode' itself, so that its values change nothing: "
      "make it a macro between '#ifndef mode' and '#endif', or a template argument of the launch, or (not in "
      "T1) add \"redefine\": {\"mode\": \"mode\"} to 'kernel'");
}

TEST_F(T1, AParameterThatNothingMentionsIsTold) {
  write_kernel("// mode\nextern \"C\" __global__ void k(float* out, const float* in, int n) {}\n");
  ASSERT_EQ(notes().size(), 1U);
  EXPECT_EQ(notes()[0],
            "parameter 'mode' changes nothing: neither the kernel's files nor the launches mention it");
}

TEST_F(T1, TypesOfArgumentsAreThoseOfTheKernel) {
  const auto refusal_of = [&](const char* parameters) {
    write_kernel(std::string("extern \"C\" __global__ void k(") + parameters + ") { int a = mode; }\n");
    const std::string text = refusal();
    const std::size_t begin = text.find("argument ");
    return begin == std::string::npos ? text : text.substr(begin);
  };
  EXPECT_EQ(
      refusal_of("double* out, const float* in, int n"),
      "argument 1 of kernel 'k' is 'double* out', but 'out' has the type float: give it the kernel's type");
  EXPECT_EQ(
      refusal_of("float* __restrict__ out, const float in[], const long long n"),
      "argument 3 of kernel 'k' is 'const long long n', but 'n' has the type int32: give it the kernel's type");
  EXPECT_EQ(refusal_of("float* out, const float* in, float n"),
            "argument 3 of kernel 'k' is 'float n', but 'n' has the type int32: give it the kernel's type");
  for (const char* taken :
       {"float* out, const float* in, unsigned int n", "float4* out, float const* in, const int32_t n",
        "real* out, const T* in, int", "PTR(float) out, const float* in, int n",
        "volatile float *out, const float * const __restrict__ in, int n = 3"})
    EXPECT_EQ(refusal_of(taken), "it was taken") << taken;
  // One of several declarations that a condition chooses among is enough.
  write_kernel(
      "#ifdef DOUBLE\nextern \"C\" __global__ void k(double* out, const double* in, int n) {}\n#else\n"
      "extern \"C\" __global__ void k(float* out, const float* in, int n) { int a = mode; }\n#endif\n");
  EXPECT_EQ(refusal(), "it was taken");
}

TEST_F(T1, BudgetsAndSearchAreHonoured) {
  json_["Budget"] = Json::array({{{"Type", "ConfigurationFraction"}, {"BudgetValue", 0.25}},
                                 {{"Type", "TuningDuration"}, {"BudgetValue", 60}}});
  json_["Search"] = {{"Name", "MCMC"}, {"Attributes", Json::array({{{"Name", "Seed"}, {"Value", 7}}})}};
  const DescribedProblem made = problem();
  EXPECT_EQ(made.description().budget_share, 0.25);
  EXPECT_EQ(made.description().budget_seconds, 60);
  EXPECT_EQ(made.description().strategy, "annealing");
  EXPECT_EQ(made.description().seed, 7U);
  EXPECT_TRUE(made.description().notes.empty());
  for (const auto& [name, ours] : std::map<std::string, std::string>{{"RandomSearcher", "random"},
                                                                     {"Deterministic", "grid"},
                                                                     {"genetic_algorithm", "genetic"},
                                                                     {"bayes_opt", "model"},
                                                                     {"PSO", "pso"},
                                                                     {"simulated_annealing", "annealing"}}) {
    json_["Search"] = {{"Name", name}};
    EXPECT_EQ(problem().description().strategy, ours) << name;
  }
  json_["Search"] = {{"Name", "Firefly"}, {"Attributes", Json::array({{{"Name", "B0"}, {"Value", 1}}})}};
  EXPECT_EQ(problem().description().strategy, "");
  ASSERT_EQ(notes().size(), 2U);
  EXPECT_NE(notes()[0].find("'Firefly'"), std::string::npos);
  EXPECT_NE(notes()[1].find("B0"), std::string::npos);
  json_["Budget"] = Json::array({{{"Type", "ConfigurationFraction"}, {"BudgetValue", 25}}});
  EXPECT_NE(refusal().find("at most 1"), std::string::npos);
}

TEST_F(T1, WhatIsNotUsedIsSaidOnce) {
  json_["General"] = {{"TimeUnit", "Milliseconds"}, {"BenchmarkName", "b"}, {"OutputFile", "x"}};
  kernel()["Profiling"] = true;
  kernel()["Stream"] = nullptr;
  kernel()["Device"] = {{"DeviceId", 1}};
  json_["Extra"] = 1;
  ASSERT_EQ(notes().size(), 1U);
  EXPECT_EQ(notes()[0],
            "not used here: Extra, General.OutputFile, General.TimeUnit, KernelSpecification.Device, "
            "KernelSpecification.Profiling");
  kernel()["CompilerOptions"] = Json::array({"-O3", "-arch sm_70", "--use_fast_math -lineinfo", "-DA=bx"});
  EXPECT_EQ(notes()[0], "CompilerOptions: -O3 -arch sm_70 not used");
  EXPECT_EQ(plan()->compile.options, (std::vector<std::string>{"--use_fast_math", "-lineinfo"}));
  EXPECT_EQ(plan()->compile.defines.back(), (std::pair<std::string, std::string>("A", "16")));
  EXPECT_EQ(plan()->compile.compiler, CompilerName::automatic);
}

TEST_F(T1, NvccGetsItsOptionsForTheHost) {
  kernel()["Compiler"] = "nvcc";
  kernel()["CompilerOptions"] =
      Json::array({"-O3", "-arch sm_70", "-Xcompiler -Wall", "--expt-relaxed-constexpr"});
  EXPECT_EQ(notes()[0], "CompilerOptions: -arch sm_70 not used");
  EXPECT_EQ(plan()->compile.options,
            (std::vector<std::string>{"-O3", "-Xcompiler", "-Wall", "--expt-relaxed-constexpr"}));
  EXPECT_EQ(plan()->compile.compiler, CompilerName::nvcc);
}

// Neither is read, the space can be seen all the same, and the cure is exact.
TEST_F(T1, ScriptsAndHdfFilesSayWhatHelps) {
  kernel()["Arguments"][1]["FillType"] = "Script";
  kernel()["Arguments"][1]["DataSource"] = "np.random.rand(1000)";
  EXPECT_EQ(size(), 12U);
  EXPECT_NE(refusal().find("a.tofile(\"in.bin\")"), std::string::npos) << refusal();
  EXPECT_NE(refusal().find("Arguments[1].FillType"), std::string::npos) << refusal();
  kernel()["Arguments"][1]["FillType"] = "BinaryHDF";
  kernel()["Arguments"][1]["DataSource"] = "data.h5";
  EXPECT_NE(refusal().find("h5dump -d /in -b LE -o in.bin data.h5"), std::string::npos) << refusal();
  // Of a reference there is another one.
  kernel()["Arguments"][1]["FillType"] = "Random";
  kernel()["ReferenceArguments"][0]["FillType"] = "Script";
  EXPECT_TRUE(plan());
  ASSERT_EQ(notes().size(), 1U);
  EXPECT_NE(notes()[0].find("default configuration"), std::string::npos);
}

// KTT's tutorial has `2 * i + 3` as reference of its first kernel.
TEST_F(T1, GeneratorsMayBeFormulas) {
  kernel()["Arguments"][1]["FillType"] = "Generator";
  kernel()["Arguments"][1]["FillValue"] = 2;
  const auto third = [&] {
    const DescribedProblem made = problem();
    const Instance instance = make_instance(made.info(), "", {});
    return std::pair(made.inputs(instance, 1).at("in").as<float>()[3],
                     made.reference(instance, {}).at("out").as<double>()[3]);
  };
  EXPECT_EQ(third(), (std::pair(5.F, 3.)));
  kernel()["Arguments"][1]["DataSource"] = "1+i*0.5";
  kernel()["ReferenceArguments"][0]["FillType"] = "Generator";
  kernel()["ReferenceArguments"][0]["DataSource"] = "2 * i + 3";
  EXPECT_EQ(third(), (std::pair(2.5F, 9.)));
}

TEST_F(T1, LocalMemoryIsDynamicSharedMemory) {
  kernel()["SharedMemory"] = 16;
  kernel()["Arguments"].push_back(
      {{"Name", "buffer"}, {"Type", "double"}, {"MemoryType", "Local"}, {"Size", "bx"}});
  EXPECT_EQ(launch().dynamic_shared_memory, 16U + 8 * 16);
  EXPECT_EQ(launch().arguments.size(), 3U);
}

TEST_F(T1, VectorsAndCustomElements) {
  std::ofstream(folder_.path() / "k.cu") << "__global__ void k(float4* out, const void* in, int n) {}\n";
  kernel()["Arguments"][0]["Type"] = "float4";
  kernel()["Arguments"][1]["Type"] = "custom";
  kernel()["Arguments"][1]["TypeSize"] = 12;
  EXPECT_EQ(plan()->buffer("out").layout.extents, (Extents{4, 1000}));
  EXPECT_EQ(plan()->buffer("in").allocation_bytes(), 12'000U);
}

TEST_F(T1, ArgumentsNeedNoNames) {
  for (auto& argument : kernel()["Arguments"]) argument.erase("Name");
  kernel()["ReferenceArguments"][0]["TargetName"] = "argument_1";
  const Launch made = launch();
  EXPECT_EQ(std::get<BufferArgument>(made.arguments.at(0)).buffer, "argument_1");
  EXPECT_EQ(std::get<std::int32_t>(std::get<ScalarArgument>(made.arguments.at(2))), 1000);
}

TEST_F(T1, KernelsMayLieInSeveralFiles) {
  write_kernel("#include \"mode.h\"\n__device__ int twice(int a) { /* bx by */ return mode * a; }\n");
  std::filesystem::create_directory(folder_.path() / "more");
  std::ofstream(folder_.path() / "more" / "second.cu")
      << "#include \"local.h\"\n__global__ void k(float* out, const float* in, int n) { out[0] = twice(n); }\n";
  std::ofstream(folder_.path() / "more" / "local.h") << "// nothing\n";
  std::ofstream(folder_.path() / "mode.h") << "// nothing\n";
  kernel()["KernelFile"] = {"k.cu", "more/second.cu"};
  const auto made = plan();
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->compile.source.text.ends_with("\n#include \"second.cu\"\n"));
  std::set<std::string> names;
  for (const SourceFile& header : made->compile.headers) names.insert(header.name);
  EXPECT_EQ(names, (std::set<std::string>{"second.cu", "local.h", "mode.h"}));
  kernel()["KernelFile"] = {"k.cu", "more/../k.cu"};
  EXPECT_NE(refusal().find("two of the kernel's files have the name k.cu"), std::string::npos);
}

TEST_F(T1, CustomScalarsAreStructs) {
  write_kernel(
      "struct P { int a, b; };\n"
      "__global__ void k(float* out, const float* in, P n) { /* bx by */ int a = mode; }\n");
  Json& argument = kernel()["Arguments"][2];
  argument = {{"Name", "n"},
              {"Type", "custom"},
              {"TypeSize", 8},
              {"MemoryType", "Scalar"},
              {"FillType", "BinaryRaw"},
              {"DataSource", "n.bin"}};
  std::ofstream(folder_.path() / "n.bin") << "12345678";
  const Launch made = launch();
  const auto& object = std::get<StructArgument>(made.arguments.at(2));
  EXPECT_EQ(object.bytes.size(), 8U);
  EXPECT_EQ(object.bytes[2], std::byte{'3'});
  argument["TypeSize"] = 12;
  EXPECT_NE(refusal().find("n.bin has 8 bytes, TypeSize says 12"), std::string::npos);
  argument["FillType"] = "Random";
  EXPECT_NE(refusal().find("FillType BinaryRaw"), std::string::npos);
}

TEST_F(T1, WithoutAKernelIsASpace) {
  json_.erase("KernelSpecification");
  EXPECT_EQ(size(), 12U);
  EXPECT_NE(refusal().find("there is no KernelSpecification"), std::string::npos);
}

TEST_F(T1, ParametersMayBeAnObject) {
  space()["TuningParameters"] = {{"bx", {16, 32, 64}}, {"by", "[1, 2, 4]"}, {"mode", {"a", "b"}}};
  EXPECT_EQ(size(), 12U);
}

}  // namespace
}  // namespace tune::described
