// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/readers/definition.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "kernels/described/problem.hpp"
#include "search/space/search_space.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::described {
namespace {

const char* const kernel_text =
    "#include \"helper.cuh\"\n"
    "__constant__ float weights[8];\n"
    "/* k(int wrong) */ __global__ void k(void* out, const float* in,  // the arrays\n"
    "                  int n) { out[0] = in[0] * weights[0] + kind * pad; }\n"
    "template<int TILE, typename T> __global__ void t(T* out) {}\n";

const char* const native = R"json({
  "problem": "scaled sum",
  "kernel": {"file": "k.cu", "options": ["-maxrregcount=TILE"], "defines": {"HALF": "n // 2"}},
  "sizes": {"n": 1000, "m": {"default": 20, "help": "rows"}},
  "settings": {"real": {"values": ["float", "double"]}},
  "check": [{"n": 33, "m": 1}],
  "parameters": {
    "TILE": [16, 32],
    "kind": ["plain", "fast"],
    "pad": {"values": [0, 1], "default": 1, "if": "kind == 'fast'", "help": "padding"}
  },
  "constraints": ["TILE * m <= 640", {"rule": "kind == 'plain' or TILE > 16", "why": "fast is large"}],
  "arguments": {
    "out": {"type": "real", "size": ["n", "m"], "access": "both", "fill": {"from": 1, "step": 2}},
    "in": {"type": "float", "size": "n + max(TILE)", "fill": {"random": [-1, 1]}},
    "w": {"type": "float", "size": 8, "symbol": "weights", "fill": 0.5},
    "n": {"type": "int", "value": "n * TILE"}
  },
  "launches": [
    {"entry": "k", "grid": ["ceil_div(n, TILE)", "m"], "block": "TILE", "shared": "4 * TILE",
     "arguments": ["out", "in", "n"]},
    {"entry": "t<TILE, real>", "grid": 1, "block": [32, 2], "arguments": ["out"], "if": "kind == 'fast'"}
  ],
  "reference": {"configuration": {"TILE": 32}},
  "tolerance": {"absolute": 0.25, "relative": 0.5},
  "work": {"items": "n * m", "item": "sum", "flops": "2 * n", "bytes": "n"}
})json";

class Definitions : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const auto path = folder_.path() / name;
    std::ofstream(path) << text;
    return path.string();
  }
  DescribedProblem problem(const std::string& text) {
    write("k.cu", kernel_text);
    write("helper.cuh", "#include \"more.cuh\"\n");
    write("more.cuh", "// nothing\n");
    return DescribedProblem(read_definition(write("d.json", text)));
  }
  /// The message of a definition that is refused.
  std::string refusal(const std::string& text) {
    try {
      const DescribedProblem made = problem(text);
      const Instance instance = make_instance(made.info(), "", {});
      const search::SearchSpace space(made.space(instance, architecture_properties("sm_90")));
      EXPECT_TRUE(made.plan(instance, space.at(0), sources_));
      made.inputs(instance, 1);
    } catch (const UsageError& error) {
      const std::string what = error.what(), where = folder_.path().string() + "/";
      return what.starts_with(where) ? what.substr(where.size()) : what;
    }
    return "it was taken";
  }
  static std::string replace(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }

  struct NoSources : KernelSources {
    std::string text(std::string_view) const override { throw Error("nobody asks"); }
  };
  tune::testing::TemporaryFolder folder_;
  NoSources sources_;
};

TEST_F(Definitions, OfOurOwnFormMakeASpace) {
  const DescribedProblem made = problem(native);
  EXPECT_EQ(made.info().name, "scaled_sum");
  const Instance instance = make_instance(made.info(), "", {});
  EXPECT_EQ(instance.key(), "1000x20 real=float");
  const search::SearchSpace space(made.space(instance, architecture_properties("sm_90")));
  // plain: both tiles; fast: 32 alone, padded or not.
  EXPECT_EQ(space.size(), 4U);
  EXPECT_EQ(made.check_instances(instance, space.at(0)).at(0).key(), "33x1 real=float");
  const ProblemCost cost = made.cost(instance);
  EXPECT_EQ(cost.items, 20000);
  EXPECT_EQ(cost.flops, 2000);
  EXPECT_EQ(cost.bytes, 1000);
  EXPECT_EQ(made.tolerance(instance).of("out").absolute, 0.25);
  EXPECT_EQ(made.tolerance(instance).of("out").relative, 0.5);
}

TEST_F(Definitions, MakePlans) {
  const DescribedProblem made = problem(native);
  const std::vector<std::pair<std::string, Value>> settings = {{"real", "double"}};
  const Instance instance = make_instance(made.info(), "100x3", settings);
  const auto plan = made.plan(instance, {{"TILE", 32}, {"kind", "fast"}, {"pad", 0}}, sources_);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->compile.source.name, "k.cu");
  ASSERT_EQ(plan->compile.headers.size(), 2U);
  EXPECT_EQ(plan->compile.headers[1].name, "more.cuh");
  // TILE and real stand in a template's arguments: a macro would replace the template's own names.
  const std::vector<std::pair<std::string, std::string>> defines = {
      {"kind", "fast"}, {"pad", "0"}, {"HALF", "50"}};
  EXPECT_EQ(plan->compile.defines, defines);
  EXPECT_EQ(plan->compile.options, std::vector<std::string>{"-maxrregcount=32"});
  EXPECT_EQ(plan->compile.entries, (std::vector<std::string>{"k", "t<32, double>"}));
  ASSERT_EQ(plan->launches.size(), 2U);
  const Launch& launch = std::get<Launch>(plan->launches[0]);
  EXPECT_EQ(launch.grid, (Dim3{4, 3, 1}));
  EXPECT_EQ(launch.block, (Dim3{32, 1, 1}));
  EXPECT_EQ(launch.dynamic_shared_memory, 128U);
  ASSERT_EQ(launch.arguments.size(), 3U);
  EXPECT_EQ(std::get<std::int32_t>(std::get<ScalarArgument>(launch.arguments[2])), 3200);
  EXPECT_EQ(plan->buffer("out").type, ElementType::f64);
  EXPECT_EQ(plan->buffer("out").role, BufferRole::output);
  EXPECT_EQ(plan->buffer("out").fill, BufferFill::contents);
  EXPECT_EQ(plan->buffer("in").layout.extents, Extents{132});
  EXPECT_EQ(plan->buffer("w").symbol, "weights");
  // Without the second launch.
  EXPECT_EQ(made.plan(instance, {{"TILE", 16}, {"kind", "plain"}}, sources_)->launches.size(), 1U);
}

TEST_F(Definitions, FillArrays) {
  const DescribedProblem made = problem(native);
  const Instance instance = make_instance(made.info(), "10x2", {});
  const TensorSet one = made.inputs(instance, 1), again = made.inputs(instance, 1),
                  other = made.inputs(instance, 2);
  EXPECT_EQ(one.at("out").as<float>()[3], 7);
  EXPECT_EQ(one.at("w").as<float>()[7], 0.5F);
  const auto in = one.at("in").as<float>();
  EXPECT_TRUE(std::ranges::equal(in, again.at("in").as<float>()));
  EXPECT_FALSE(std::ranges::equal(in, other.at("in").as<float>()));
  EXPECT_LT(*std::ranges::min_element(in), -0.5);
  EXPECT_GT(*std::ranges::max_element(in), 0.5);
  EXPECT_TRUE(std::ranges::all_of(in, [](float value) { return value >= -1 && value <= 1; }));
}

TEST_F(Definitions, FillAnArrayLikeAnother) {
  const auto with_fill = [&](const char* fill, const char* type = "float") {
    return replace(native,
                   "\"w\": {\"type\": \"float\", \"size\": 8, \"symbol\": \"weights\", \"fill\": 0.5}",
                   format("\"w\": {{\"type\": \"{}\", \"size\": 8, \"symbol\": \"weights\", \"fill\": {}}}",
                          type, fill));
  };
  const DescribedProblem made = problem(with_fill("{\"as\": \"in\"}"));
  const Instance instance = make_instance(made.info(), "10x2", {});
  for (const std::uint64_t seed : {1, 2}) {
    const TensorSet all = made.inputs(instance, seed);
    EXPECT_TRUE(std::ranges::equal(all.at("w").as<float>(), all.at("in").as<float>().first(8)));
    EXPECT_NE(all.at("w").as<float>()[0], all.at("w").as<float>()[1]);
  }
  const auto refused = [&](const std::string& text) { return refusal(text); };
  EXPECT_EQ(refused(with_fill("{\"as\": \"n\"}")),
            "d.json:16: arguments.w: its fill is that of 'n', which is not an array");
  EXPECT_EQ(
      refused(with_fill("{\"as\": \"w\"}")),
      "d.json:16: arguments.w: its fill is that of 'w', which has another's: name an array with a fill of its own");
  EXPECT_EQ(refused(with_fill("{\"as\": \"in\"}", "int")),
            "d.json:16: arguments.w: its fill is that of 'in', which has the type float: both need one type");
  EXPECT_EQ(refused(with_fill("{\"as\": \"in\", \"seed\": 3}")),
            "d.json:16: arguments.w.fill.seed: no such field; there are: as");
  EXPECT_EQ(
      refused(replace(
          with_fill("{\"as\": \"out\"}"),
          "\"real\", \"size\": [\"n\", \"m\"], \"access\": \"both\", \"fill\": {\"from\": 1, \"step\": 2}",
          "\"real\", \"size\": [\"n\", \"m\"], \"access\": \"write\"")),
      "d.json:16: arguments.w: its fill is that of 'out', which has none");
}

TEST_F(Definitions, FillArraysByFormulasThatFollowTheSize) {
  const auto input = [&](const char* fill) {
    const DescribedProblem made = problem(replace(native, "{\"random\": [-1, 1]}", fill));
    const HostTensor tensor = made.inputs(make_instance(made.info(), "200x2", {}), 1).at("in");
    return std::vector<float>(tensor.as<float>().begin(), tensor.as<float>().end());
  };
  EXPECT_EQ(input("{\"formula\": \"1 + i * 0.5 if i < n else m\"}")[199], 100.5F);
  EXPECT_EQ(input("{\"formula\": \"1 + i * 0.5 if i < n else m\"}")[200], 2);
  EXPECT_EQ(input("{\"from\": \"n\", \"step\": \"-m\"}")[3], 194);
  EXPECT_EQ(input("{\"constant\": \"m * 3\"}")[3], 6);
  const std::vector<float> random = input("{\"random\": [\"n - 1\", \"n + 1\"]}");
  EXPECT_TRUE(std::ranges::all_of(random, [](float value) { return value >= 199 && value <= 201; }));
  EXPECT_EQ(refusal(replace(native, "{\"random\": [-1, 1]}", "{\"formula\": \"1 + z\"}")),
            "d.json:15: arguments.in.fill.formula: '1 + z', column 5: unknown name 'z'");
}

TEST_F(Definitions, ANumberOfElementsBeyondAListIsFilledToo) {
  const DescribedProblem made = problem(replace(native, "{\"random\": [-1, 1]}", "{\"formula\": \"i % 7\"}"));
  const HostTensor tensor = made.inputs(make_instance(made.info(), "70000x1", {}), 1).at("in");
  for (const std::size_t i : {std::size_t{65535}, std::size_t{65536}, std::size_t{70031}})
    EXPECT_EQ(tensor.as<float>()[i], static_cast<float>(i % 7));
}

TEST_F(Definitions, WithoutAReferenceOnRequestNothingIsCompared) {
  const DescribedProblem made = problem(replace(native, "{\"configuration\": {\"TILE\": 32}}", "\"none\""));
  const Instance instance = make_instance(made.info(), "", {});
  EXPECT_EQ(made.compared_with(), "nothing: the definition has 'reference': 'none'");
  EXPECT_FALSE(made.reference_plan(instance, sources_));
  EXPECT_TRUE(made.reference(instance, {}).empty());
  EXPECT_EQ(made.description().notes.front(), "results are not compared: a wrong kernel can win");
  const search::SearchSpace space(made.space(instance, architecture_properties("sm_90")));
  const Result<LaunchPlan> plan = made.plan(instance, space.at(0), sources_);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->buffer("out").role, BufferRole::scratch);
  EXPECT_EQ(made.cost(instance).items, 20000);
  EXPECT_NE(refusal(replace(native, "{\"configuration\": {\"TILE\": 32}}", "\"nothing\"")).find("'none'"),
            std::string::npos);
}

// A kernel whose result depends on a parameter, such as the number of steps in a launch.
TEST_F(Definitions, MayHaveAReferenceForEachValueOfAParameter) {
  const DescribedProblem made =
      problem(replace(native, "{\"configuration\": {\"TILE\": 32}}", "{\"same\": [\"kind\", \"TILE\"]}"));
  const Instance instance = make_instance(made.info(), "", {});
  const auto reference_of = [&](const char* kind, int tile) {
    const Instance reference =
        made.reference_instance(instance, Configuration{{"TILE", tile}, {"kind", kind}, {"pad", 1}});
    EXPECT_NE(reference.key(), instance.key());
    EXPECT_EQ(made.inputs(reference, 1).at("w").as<float>()[0], 0.5F);
    const auto plan = made.reference_plan(reference, sources_);
    EXPECT_TRUE(plan && *plan);
    EXPECT_EQ(
        std::ranges::count((*plan)->compile.defines, "TILE", [](const auto& macro) { return macro.first; }),
        0)
        << "it is an argument of a template";
    return std::pair((*plan)->launches.size(), std::get<Launch>((*plan)->launches.at(0)).block.x);
  };
  EXPECT_EQ(reference_of("plain", 16), (std::pair<std::size_t, std::uint32_t>(1, 16)));
  EXPECT_EQ(reference_of("plain", 32), (std::pair<std::size_t, std::uint32_t>(1, 32)));
  EXPECT_EQ(reference_of("fast", 32), (std::pair<std::size_t, std::uint32_t>(2, 32)));
  EXPECT_NE(refusal(replace(native, "{\"configuration\": {\"TILE\": 32}}", "{\"same\": \"tile\"}"))
                .find("there is no parameter 'tile'"),
            std::string::npos);
}

TEST_F(Definitions, TakeTheStatedConfigurationForRight) {
  const DescribedProblem made = problem(native);
  const Instance instance = make_instance(made.info(), "", {});
  EXPECT_TRUE(made.reference(instance, {}).empty());
  const auto plan = made.reference_plan(instance, sources_);
  ASSERT_TRUE(plan && *plan);
  EXPECT_EQ(std::get<Launch>((*plan)->launches.at(0)).block.x, 32U);
}

TEST_F(Definitions, SayWhereTheyAreWrong) {
  const auto refused = [&](const std::string& from, const std::string& to) {
    return refusal(replace(native, from, to));
  };
  EXPECT_EQ(refused("\"TILE\": [16, 32]", "\"TILE\": []"),
            "d.json:8: parameters.TILE: expected at least one value");
  EXPECT_EQ(refused("\"TILE\": [16, 32]", "\"TILE\": \"[2**i for i in range(4)\""),
            "d.json:8: parameters.TILE: '[2**i for i in range(4)', column 24: expected ']', found the end");
  EXPECT_EQ(refused("\"tolerance\"", "\"budget\": {\"evaluations\": -3}, \"tolerance\""),
            "d.json:25: budget.evaluations: expected a number of at least 1");
  EXPECT_EQ(refused("\"access\"", "\"acess\""),
            "d.json:14: arguments.out.acess: no such field; did you mean 'access'?");
  EXPECT_EQ(
      refused("\"type\": \"float\", \"size\": 8", "\"type\": \"quarter\", \"size\": 8"),
      "d.json:16: arguments.w.type: no array has elements of type 'quarter'; there are half, bfloat16, "
      "float, "
      "double, bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, and vectors of them such as "
      "float4");
  EXPECT_EQ(refused("n + max(TILE)", "n + max(TILES)"),
            "d.json:15: arguments.in.size: 'n + max(TILES)', column 9: unknown name 'TILES'");
  EXPECT_EQ(
      refused("n + max(TILE)", "n / 3"),
      "d.json:15: arguments.in.size: 'n / 3': 333.3333333333333 is not a whole number of elements from 1 to "
      "2^40");
  EXPECT_EQ(
      refused("\"value\": \"n * TILE\"", "\"value\": \"n * 10**9\""),
      "d.json:17: arguments.n.value: 'n * 10**9': 1000000000000 is beyond int32 (-2147483648 to 2147483647)");
  EXPECT_EQ(refused("\"grid\": [\"ceil_div(n, TILE)\", \"m\"]", "\"grid\": \"n / 3\""),
            "d.json:20: launches[0].grid: 'n / 3': expected a whole number, found 333.3333333333333");
  EXPECT_EQ(refused("[\"out\", \"in\", \"n\"]", "[\"out\", \"n\"]"),
            "d.json: kernel 'k' takes 3 arguments (void* out, const float* in, int n), the definition has "
            "2 (out, n)");
  EXPECT_EQ(
      refused("[\"out\", \"in\", \"n\"]", "[\"out\", \"n\", \"in\"]"),
      "d.json:17: arguments.n: argument 2 of kernel 'k' is 'const float* in', a pointer: set 'size' for a "
      "vector");
  EXPECT_EQ(refused("[\"out\", \"in\", \"n\"]", "[\"out\", \"inn\"]"),
            "d.json:21: launches[0].arguments[1]: there is no argument 'inn'");
  EXPECT_EQ(
      refused("\"work\": {", "\"work\": {,"),
      "d.json:26:12: this is not JSON: it goes wrong at the end of '  \"work\": {,': check the quotes, commas and brackets there");
  EXPECT_EQ(refused("\"problem\"", "\"problems\""),
            "d.json:2: problems: no such field; did you mean 'problem'?");
  EXPECT_EQ(refused("k.cu", "missing.cu"),
            format("{0}/d.json: cannot read the kernel's file {0}/missing.cu", folder_.path().string())
                .substr(folder_.path().string().size() + 1));
  EXPECT_EQ(refusal("[1, 2]"), "d.json:1: expected an object with the fields of a definition");
}

const char* const t1 = R"json({
  "General": {"BenchmarkName": "t1 example"},
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "block_size_x", "Type": "int", "Values": "[16*i for i in range(1, 5)]", "Default": 32},
      {"Name": "mode", "Type": "string", "Values": "['a', 'b']", "Default": "b"},
      {"Name": "scale", "Type": "float", "Values": "[0.5, 1]", "Default": [1]},
      {"Name": "flag", "Type": "bool", "Values": "[True, False]"}
    ],
    "Conditions": [{"Expression": "block_size_x % 32 == 0 or mode == 'a' and not flag", "Parameters": []}]
  },
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu", "CompilerOptions": ["-std=c++14"],
    "ProblemSize": [4096, 100], "LocalSize": {"X": "block_size_x", "Y": "2"}, "GridDivX": ["block_size_x", "2"],
    "Arguments": [
      {"Name": "out", "Type": "float", "MemoryType": "Vector", "Size": "ProblemSize[0]", "AccessType": "WriteOnly"},
      {"Name": "in", "Type": "float", "Size": "ProblemSize[0] + max(block_size_x)", "FillType": "Random"},
      {"Name": "weights", "Type": "float", "Size": "8", "MemType": "Constant", "FillType": "Constant", "FillValue": 2},
      {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 7}
    ],
    "ReferenceArguments": [
      {"Name": "r", "TargetName": "out", "FillType": "Constant", "FillValue": 3,
       "ValidationMethod": "SideBySideComparison", "ValidationThreshold": 1e-3}
    ]
  }
})json";

TEST_F(Definitions, BoundFormulasAndMessagesAboutThem) {
  const auto repeated = [](const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
  };
  for (const auto& [begin, end] : std::vector<std::pair<std::string, std::string>>{{"-", ""},
                                                                                   {"+", ""},
                                                                                   {"not ", ""},
                                                                                   {"!", ""},
                                                                                   {"2**", ""},
                                                                                   {"1 if 1 else ", ""},
                                                                                   {"1?1:", ""},
                                                                                   {"abs(", ")"},
                                                                                   {"(", ")"},
                                                                                   {"[", "]"}}) {
    const std::string formula = repeated(begin, 20'000) + "1" + repeated(end, 20'000);
    const std::string message =
        refusal(replace(native, "\"TILE\": [16, 32]", "\"TILE\": \"" + formula + "\""));
    EXPECT_LT(message.size(), 400U) << begin;
    EXPECT_NE(message.find("d.json:8: parameters.TILE: '"), std::string::npos) << message;
    EXPECT_NE(message.find(", column "), std::string::npos) << message;
    EXPECT_NE(message.find("nested more than 200 deep"), std::string::npos) << message;
  }
}

TEST_F(Definitions, BoundNestingAndNumbers) {
  const std::string deep = std::string(200'000, '[') + "1" + std::string(200'000, ']');
  EXPECT_NE(refusal(replace(native, "[16, 32]", deep)).find("more than 100 lists or objects in each other"),
            std::string::npos);
  for (const char* number : {"9223372036854775808", "[16, 18446744073709551615]"})
    EXPECT_NE(refusal(replace(native, "[16, 32]", number)).find(": expected numbers of at most 64 bits"),
              std::string::npos)
        << number;
  EXPECT_EQ(refusal(replace(native, "[16, 32]", "[16, 1e999]")),
            "d.json: a number is beyond the range of double: correct it");
}

// std::regex overflows the stack there.
TEST_F(Definitions, OfKernelsWithLongLines) {
  const std::size_t files = problem(native).texts().size();
  write("k.cu", "#include \"" + std::string(1'000'000, 'x') + "\"\n" + kernel_text);
  EXPECT_EQ(DescribedProblem(read_definition(folder_.path() / "d.json")).texts().size(), files);
}

TEST_F(Definitions, OfTheExchangeFormat) {
  const DescribedProblem made = problem(t1);
  EXPECT_EQ(made.info().name, "t1_example");
  const Instance instance = make_instance(made.info(), "", {});
  EXPECT_EQ(instance.size(), "4096x100");
  const search::SearchSpace space(made.space(instance, architecture_properties("sm_90")));
  // Blocks of 32 and 64: all 8; of 16 and 48: mode a without the flag, two scales.
  EXPECT_EQ(space.size(), 2U * 8 + 2 * 2);
  const Configuration chosen = space.at(*space.default_configuration());
  EXPECT_EQ(chosen.to_string(), "block_size_x=32, mode=b, scale=1.0, flag=true");
  const auto plan = made.plan(instance, chosen, sources_);
  ASSERT_TRUE(plan);
  const Launch& launch = std::get<Launch>(plan->launches.at(0));
  EXPECT_EQ(launch.grid, (Dim3{64, 100, 1}));
  EXPECT_EQ(launch.block, (Dim3{32, 2, 1}));
  // The kernel does not take the weights as an argument: they lie in constant memory alone.
  EXPECT_EQ(launch.arguments.size(), 3U);
  EXPECT_EQ(plan->buffer("weights").symbol, "weights");
  EXPECT_EQ(plan->buffer("in").layout.extents, Extents{4096 + 64});
  const TensorSet reference = made.reference(instance, {});
  EXPECT_EQ(reference.at("out").as<double>()[5], 3);
  EXPECT_EQ(made.tolerance(instance).of("out").absolute, 1e-3);
  EXPECT_FALSE(made.reference_plan(instance, sources_));
}

TEST_F(Definitions, OfTheExchangeFormatSayWhereTheyAreWrong) {
  const auto refused = [&](const std::string& from, const std::string& to) {
    return refusal(replace(t1, from, to));
  };
  EXPECT_EQ(
      refused("[True, False]", "[True, 'x']"),
      "d.json:8: ConfigurationSpace.TuningParameters[3].Values: expected values of type bool, found 'x'");
  EXPECT_EQ(refused("block_size_x % 32 == 0", "block % 32 == 0"),
            "d.json:10: ConfigurationSpace.Conditions[0].Expression: 'block' is not a parameter");
  EXPECT_EQ(
      refused("\"Language\": \"CUDA\"", "\"Language\": \"Fortran\""),
      format("{}/d.json: kernels in Fortran cannot be compiled here, only CUDA, and HIP and OpenCL like it",
             folder_.path().string())
          .substr(folder_.path().string().size() + 1));
  EXPECT_EQ(refused("\"KernelFile\": \"k.cu\", ", ""),
            "d.json:12: KernelSpecification: expected a field 'KernelFile'");
}

TEST_F(Definitions, ReadFilesOfElements) {
  const std::string text = replace(native, "{\"random\": [-1, 1]}", "{\"file\": \"in.bin\"}");
  const std::vector<float> numbers(1032, 2.5F);
  write("in.bin", std::string(reinterpret_cast<const char*>(numbers.data()), 4 * numbers.size()));
  const DescribedProblem made = problem(text);
  EXPECT_EQ(made.inputs(make_instance(made.info(), "", {}), 1).at("in").as<float>()[1031], 2.5F);
  const std::string message = "in.bin has fewer bytes than the 4128 that 'in' takes";
  write("in.bin", "too short");
  const std::string found = refusal(text);
  EXPECT_NE(found.find(message), std::string::npos) << found;
}

TEST_F(Definitions, ACheaperInstanceHasSmallerSizes) {
  std::string text = native;
  text.insert(text.find("\"check\""), "\"low_fidelity\": {\"m\": 4}, ");
  const DescribedProblem made = problem(text);
  const auto cheaper = [&](const char* size) {
    const auto found = made.low_fidelity(make_instance(made.info(), size, {}));
    return found ? found->size() : "";
  };
  EXPECT_EQ(cheaper("1000x20"), "1000x4");
  EXPECT_EQ(cheaper("1000x4"), "");
  EXPECT_EQ(cheaper("1000x3"), "");
  EXPECT_FALSE(problem(native).low_fidelity(make_instance(made.info(), "", {})));
  const auto refused = [&](const char* member) {
    std::string wrong = native;
    wrong.insert(wrong.find("\"check\""), std::string("\"low_fidelity\": ") + member + ", ");
    return refusal(wrong);
  };
  EXPECT_NE(refused("{\"k\": 4}").find("there is no size 'k'"), std::string::npos);
  EXPECT_NE(refused("{\"m\": 0}").find("expected a positive size"), std::string::npos);
}

}  // namespace
}  // namespace tune::described
