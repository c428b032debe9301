// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/kernels/described/imported_scripts.hpp"

namespace tune::described {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(ImportOfScripts, AScriptIsADefinition) {
  const Import import = imported(
      script_head + add_kernel +
      "def tune():\n  size = 10000000\n  a = np.random.randn(size).astype(np.float32)\n  c = np.zeros_like(a)\n"
      "  n = np.int32(size)\n  tune_params = dict()\n  tune_params['block_size_x'] = [128+64*i for i in range(3)]\n"
      "  results, env = tune_kernel('add', source, size, [c, a, n], tune_params)\n"
      "if __name__ == '__main__':\n  tune()\n");
  ASSERT_TRUE(import.kernel.has_value());
  EXPECT_EQ(import.kernel->name, "own.cu");
  EXPECT_EQ(import.draft.parameters.front().json(), "[128, 192, 256]");
  EXPECT_EQ(argument(import, "c"), R"({"type": "float", "size": "size", "access": "write"})");
  EXPECT_EQ(argument(import, "a"), R"({"type": "float", "size": "size", "fill": {"random": [-1, 1]}})");
  EXPECT_EQ(argument(import, "n"), R"({"type": "int", "value": "size"})");
  EXPECT_EQ(launch(import, "grid"), as_json("ceil_div(size, block_size_x)"));
  const DescribedProblem made = problem(import);
  EXPECT_EQ(made.info().name, "add");
  EXPECT_EQ(made.description().extents.front().default_value, 10000000);
}

TEST_F(ImportOfScripts, FormulasFollowTheScriptsNumbers) {
  const Import import = imported(
      script_head + add_kernel +
      "params = OrderedDict()\nparams['block_size_x'] = [2**i for i in range(5, 8)]\nparams['width'] = [3, 5, 7]\n"
      "problem_size = (4096, 2048)\nsize = np.prod(problem_size)\n"
      "padded = (problem_size[0] + max(params['width']) - 1) * problem_size[1]\n"
      "args = [np.zeros(padded, dtype='float32'), np.random.rand(size).astype(np.float32), np.int32(padded)]\n"
      "tune_kernel('add', source, problem_size, args, params, grid_div_x=['block_size_x', 'width'], grid_div_y=[],\n"
      "  restrictions=['block_size_x <= 128 or width == 3', lambda p: p['width'] * 2 < p['block_size_x'],\n"
      "    'block_size_x + unknown == 3'], metrics={'GB/s': lambda p: 8 * size / p['time']}, atol=1e-3)\n");
  EXPECT_EQ(
      argument(import, "c"),
      R"({"type": "float", "size": "(problem_size_x + max(width) - 1) * problem_size_y", "access": "both", "fill": 0})");
  EXPECT_EQ(argument(import, "n"),
            R"({"type": "int", "value": "(problem_size_x + 7 - 1) * problem_size_y"})");
  EXPECT_EQ(launch(import, "grid"),
            R"x(["ceil_div(problem_size_x, block_size_x * width)", "problem_size_y"])x");
  ASSERT_EQ(import.draft.constraints.size(), 2U);
  EXPECT_EQ(import.draft.constraints[0].json, R"("block_size_x <= 128 or width == 3")");
  EXPECT_EQ(import.draft.constraints[1].json, R"("width * 2 < block_size_x")");
  EXPECT_THAT(import.draft.further_constraints, HasSubstr("'block_size_x + unknown == 3'"));
  EXPECT_THAT(write_draft(import.draft).json,
              HasSubstr("\"metrics\": {\"GB/s\": \"8 * (problem_size_x * problem_size_y) / (time * 1000)\""));
  EXPECT_THAT(write_draft(import.draft).json, HasSubstr("{\"absolute\": 0.001, \"relative\": 1e-05}"));
}

TEST_F(ImportOfScripts, AnArrayThatIsPassedTwiceIsFilledTheSame) {
  const Import import = imported(
      script_head +
      "source = '__global__ void k(float* a, float* b, float* c, float* d, double* e, float* f) {}'\n"
      "x = np.random.rand(100).astype(np.float32)\ny = np.random.rand(100).astype(np.float32)\nz = np.load('z.npy')\n"
      "tune_kernel('k', source, 100, [x, x, x.copy(), y, x.astype(np.float64), np.ascontiguousarray(y).reshape(10, 10)],\n"
      "  {'block_size_x': [32]})\n");
  const auto fill = [&](const std::string& name) {
    const std::string all = argument(import, name);
    return all.substr(all.find("\"fill\"") + 8);
  };
  EXPECT_EQ(fill("a"), R"({"random": [0, 1]}})");
  EXPECT_EQ(fill("b"), R"({"as": "a"}})");
  EXPECT_EQ(fill("c"), R"({"as": "a"}})");
  EXPECT_EQ(fill("d"), R"({"random": [0, 1]}})");
  EXPECT_EQ(fill("e"), R"({"random": [0, 1]}})");  // other numbers: a type has one fill
  EXPECT_EQ(fill("f"), R"({"as": "d"}})");
  const DescribedProblem made = problem(import);
  const TensorSet all = made.inputs(make_instance(made.info(), "", {}), 1);
  EXPECT_TRUE(std::ranges::equal(all.at("a").as<float>(), all.at("b").as<float>()));
  EXPECT_FALSE(std::ranges::equal(all.at("a").as<float>(), all.at("d").as<float>()));
}

TEST_F(ImportOfScripts, AMetricIsTheObjective) {
  const auto objective_of = [&](const std::string& more) {
    const Import import =
        imported(script_head + add_kernel +
                 "x = np.ones(50).astype(np.float32)\n"
                 "tune_kernel('add', source, 50, [x, x, np.int32(50)], {'block_size_x': [32, 64]},\n"
                 "  metrics={'GFLOP/s': lambda p: 50 / p['time'], 'work': lambda p: p['time'] * 2}" +
                 more + ")\n");
    return problem(import).run_defaults().objective;
  };
  EXPECT_EQ(objective_of(""), "");
  EXPECT_EQ(objective_of(", objective='time'"), "");
  EXPECT_EQ(objective_of(", objective='nvml_energy'"), "energy");
  EXPECT_EQ(objective_of(", objective='GFLOP/s'"), "max:GFLOP/s");
  EXPECT_EQ(objective_of(", objective='work'"), "min:work");
  EXPECT_EQ(objective_of(", objective='work', objective_higher_is_better=True"), "max:work");
}

TEST_F(ImportOfScripts, WhatARunIsToldAndWhatIsNotFollowedIsSaid) {
  const Import import = imported(
      script_head + add_kernel +
      "def compare(a, b, atol=None):\n  return True\n"
      "tune_kernel('add', source, 50, arguments(), {'block_size_x': [32]}, verify=compare, strategy='bayes_opt',\n"
      "  strategy_options={'max_fevals': 40, 'time_limit': 60}, objective='GFLOP/s', observers=[watch])\n");
  const std::string notes = joined(import.notes, {}, "\n");
  EXPECT_THAT(
      notes,
      HasSubstr("verify: the script judges results with 'compare', which cannot be followed: each element is "
                "compared"));
  EXPECT_THAT(notes, HasSubstr("--strategy model"));
  EXPECT_THAT(notes, HasSubstr("objective: 'GFLOP/s' is not among the metrics that are followed"));
  EXPECT_THAT(notes, HasSubstr("observers: not used"));
  EXPECT_THAT(write_draft(import.draft).json,
              HasSubstr("\"budget\": {\"evaluations\": 40, \"seconds\": 60}"));
}

TEST_F(ImportOfScripts, AParameterOnWhichResultsSeemToDependIsSuggested) {
  const Import import = imported(
      script_head +
      "source = \"\"\"__global__ void naive_sum(float* c, const float* a, const float* b, int n) {}\n"
      "__global__ void sum(float* c, const float* a, const float* b, int n) {\n"
      "  int i = blockIdx.x * block_size_x + threadIdx.x;\n#if use_b == 1\n  if (i < n) c[i] = b[i];\n#else\n"
      "  if (i < n) c[i] = a[i];\n#endif\n}\n\"\"\"\n"
      "n = np.int32(100)\nx = np.random.rand(100).astype(np.float32)\n"
      "tune_kernel('sum', source, 100, [x, x, x, n], {'block_size_x': [32], 'use_b': [0, 1]})\n");
  EXPECT_THAT(write_draft(import.draft).json,
              HasSubstr("\"reference\": {\"configuration\": {}, \"same\": [\"use_b\"]}"));
  EXPECT_THAT(write_draft(import.draft).json, HasSubstr("a kernel such as 'naive_sum' or a file?"));
}

TEST_F(ImportOfScripts, FunctionsBuildWhatTheyReturn) {
  const Import import = imported(
      script_head +
      "def generate(p):\n  return '__global__ void add(float* c, int n) { c[blockIdx.x * %s] = n; }' % p['block']\n"
      "def rules(p):\n  if p['block'] > 64:\n    return p['tile'] == 1\n  return True\n"
      "def values():\n  blocks = []\n  for i in range(1, 5):\n    if i % 2 == 0:\n      blocks.append(32 * i)\n  return blocks\n"
      "class Settings:\n  pass\n"
      "n = 1000\n"
      "tune_kernel('add', generate, n, [np.zeros(n, np.float32), np.int32(n)], dict(block=values(), tile=[1, 2]),\n"
      "  block_size_names=['block'], restrictions=rules)\n");
  EXPECT_THAT(import.kernel->text, HasSubstr("blockIdx.x * block]"));
  EXPECT_EQ(import.draft.parameters.front().json(), "[64, 128]");
  EXPECT_EQ(launch(import, "block"), R"("block")");
  EXPECT_EQ(import.draft.constraints.at(0).json, R"("not block > 64 or tile == 1")");
}

TEST_F(ImportOfScripts, WhatCannotBeFollowedIsMarked) {
  const Import import = imported(
      script_head + "import sys, torch\nn = int(sys.argv[1])\nx = torch.load('x.pt')\n" + add_kernel +
      "tune_kernel('add', source, n, [np.zeros(n, np.float32), x, np.int32(n)], {'block_size_x': pick(3)})\n");
  const FirstDefinition definition = write_draft(import.draft);
  EXPECT_THAT(definition.json, HasSubstr("the script has 'pick(3)'"));
  EXPECT_THAT(definition.json, HasSubstr("its size and contents: the script has 'torch.load('x.pt')'"));
  EXPECT_THAT(definition.json, HasSubstr("the script does not have the value of n"));
  EXPECT_THAT(launch(import, "grid"), HasSubstr("ceil_div(n, block_size_x)"));
}

TEST_F(ImportOfScripts, AnAnswerOfAnotherKernelIsTheReference) {
  std::ofstream(folder_ / "k.cu")
      << "#define WIDTH 4096\n__global__ void naive(float* y, float* x) { y[blockIdx.x] = x[0]; }\n"
         "__global__ void fast(float* y, float* x) { int i = blockIdx.x * block_size_x + "
         "threadIdx.x; if (i < WIDTH) y[i] = x[0]; }\n";
  const Import import = imported(
      script_head +
      "with open('k.cu', 'r') as f:\n  text = f.read()\nargs = [np.zeros(4096).astype(np.float32), np.ones(4096, np.float32)]\n"
      "results = run_kernel('naive', text, 4096, args, {'block_size_x': 64, 'other': 3}, grid_div_x=[])\n"
      "tune_kernel('fast', text, 4096, args, {'block_size_x': [32, 64]}, answer=[results[0], None])\n");
  EXPECT_FALSE(import.kernel.has_value());
  const std::string json = write_draft(import.draft).json;
  EXPECT_THAT(json, HasSubstr(R"("redefine": {"WIDTH": "n"})"));
  EXPECT_THAT(
      json, HasSubstr(R"({"kernel": {"file": "k.cu", "redefine": {"WIDTH": "n"}, "defines": {"other": 3}})"));
  EXPECT_THAT(json, HasSubstr(R"("configuration": {"block_size_x": 64})"));
  EXPECT_EQ(problem(import).description().reference.launches.front().entry, "naive");
}

TEST_F(ImportOfScripts, ErrorsNameTheCure) {
  const auto error = [&](const std::string& script, const std::string& kernel = {}) -> std::string {
    try {
      imported(script_head + add_kernel + script, kernel);
    } catch (const UsageError& failure) {
      return failure.what();
    }
    return {};
  };
  const std::string two =
      "tune_kernel('add', source, 5, [], {'b': [1]})\ntune_kernel('other', source, 5, [], {'b': [1]})\n";
  EXPECT_THAT(error("x = 1\n"), HasSubstr("no call of tune_kernel"));
  EXPECT_THAT(error(two), HasSubstr("add (line 9), other (line 10); choose one with --kernel"));
  EXPECT_THAT(error(two, "third"), HasSubstr("no call of tune_kernel is 'third'"));
  EXPECT_EQ(error(two, "9"), "");
  EXPECT_THAT(error("tune_kernel('add', source, 5, [], {}, lang='OpenCL')\n"),
              HasSubstr("the kernel is in OpenCL"));
  EXPECT_THAT(error("tune_kernel('add', source, 5, [], {}, lang='C')\n"), HasSubstr("'tune new'"));
  EXPECT_THAT(error("tune_kernel('add', 'k.cu', 5, [], {})\n"), HasSubstr("k.cu"));
}

// Loops that never end, and values that grow, end the following.
TEST_F(ImportOfScripts, AScriptThatGoesOn) {
  for (const std::string script :
       {"while True:\n  x = 1\n", "def f(x):\n  return f(x + 1)\nf(1)\n",
        "x = 'a'\nfor i in range(100): x = x + x\n", "x = [1]\nwhile True: x += x\n",
        "x = 2 ** 10 ** 10 ** 10\ny = [0] * 10 ** 12\n", "x = 1\nwhile x: x = x * 3 + 1\n"})
    EXPECT_THROW(imported(script), UsageError) << script;
}

class ImportOfT1 : public ImportOfScripts {
 protected:
  static void expect_same(const Contents& a, const Contents& b) {
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.value.text(), b.value.text());
    EXPECT_EQ(a.low.text(), b.low.text());
    EXPECT_EQ(a.high.text(), b.high.text());
  }
};

TEST_F(ImportOfT1, TheOwnFormatHasTheSameMeaning) {
  std::ofstream(folder_ / "k.cu")
      << "__constant__ float weights[4];\n__global__ void k(float* y, const float* x, int n) "
         "{ y[blockIdx.x * block_size_y] = x[0] * weights[0]; }\n";
  std::ofstream(folder_ / "t1.json") << R"x({"ConfigurationSpace": {"TuningParameters": [
    {"Name": "block", "Type": "int", "Values": "[32, 64, 128]", "Default": 64}, {"Name": "kind", "Type": "string", "Values": "['a', 'b']"},
    {"Name": "scale", "Type": "float", "Values": "[0.5, 1.0]"}],
    "Conditions": [{"Expression": "block > 32 || kind == 'a'", "Parameters": ["block", "kind"]}]},
    "KernelSpecification": {"Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu", "CompilerOptions": ["-use_fast_math", "-O3"],
    "ProblemSize": [1000, 20], "GridDivX": ["block"], "LocalSize": {"X": "block"}, "SharedMemory": "4 * block",
    "Arguments": [
      {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 1000, "FillType": "Constant", "FillValue": 0},
      {"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": "1000 * 2", "FillType": "Random", "FillValue": 3, "RandomSeed": 7},
      {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 1000},
      {"Name": "weights", "Type": "float", "MemType": "Constant", "MemoryType": "Vector", "Size": 4, "FillType": "Generator", "FillValue": 2}],
    "ReferenceArguments": [{"TargetName": "y", "FillType": "Constant", "FillValue": 6, "ValidationMethod": "SideBySideComparison", "ValidationThreshold": 0.01}]},
    "Budget": [{"Type": "ConfigurationCount", "BudgetValue": 12}], "Search": {"Name": "MCMC"}})x";
  ImportRequest request{folder_ / "t1.json", "", {}, ""};
  request.name_of = [](const std::filesystem::path& path) { return path.filename().string(); };
  const Import import = import_t1(request);
  std::ofstream(folder_ / "own.json") << write_draft(import.draft).json;
  const KernelDescription a = read_definition(folder_ / "t1.json"), b = read_definition(folder_ / "own.json");
  EXPECT_EQ(a.name, b.name);
  ASSERT_EQ(a.parameters.size(), b.parameters.size());
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    EXPECT_EQ(a.parameters[i].values, b.parameters[i].values);
    EXPECT_EQ(a.parameters[i].default_value, b.parameters[i].default_value);
  }
  ASSERT_EQ(a.constraints.size(), b.constraints.size());
  EXPECT_EQ(a.constraints[0].rule.to_string(), b.constraints[0].rule.to_string());
  ASSERT_EQ(a.arguments.size(), b.arguments.size());
  const DescribedProblem own(b);
  const Instance instance = make_instance(own.info(), "", {});
  const ExpressionScope ours(b.parameters, instance);
  for (std::size_t i = 0; i < a.arguments.size(); ++i) {
    EXPECT_EQ(a.arguments[i].name, b.arguments[i].name);
    EXPECT_EQ(a.arguments[i].access, b.arguments[i].access);
    EXPECT_EQ(a.arguments[i].symbol, b.arguments[i].symbol);
    EXPECT_EQ(a.arguments[i].contents.seed, b.arguments[i].contents.seed);
    if (a.arguments[i].is_filled()) expect_same(a.arguments[i].contents, b.arguments[i].contents);
    ASSERT_EQ(a.arguments[i].extents.size(), b.arguments[i].extents.size());
    if (!a.arguments[i].extents.empty()) {
      EXPECT_EQ(a.arguments[i].extents[0].integer(ours), b.arguments[i].extents[0].integer(ours));
    }
  }
  expect_same(*a.arguments[0].expected, *b.arguments[0].expected);
  EXPECT_EQ(b.arguments[0].bounds->absolute, 0.01);
  EXPECT_EQ(a.launches[0].grid[0]->text(), b.launches[0].grid[0]->text());
  EXPECT_EQ(a.launches[0].shared->text(), b.launches[0].shared->text());
  EXPECT_EQ(a.kernel.options, b.kernel.options);
  EXPECT_EQ(b.budget_evaluations, 12);
  // What the own format has no words for, and a macro of Kernel Tuner.
  EXPECT_THAT(joined(import.notes), HasSubstr("--strategy annealing"));
  EXPECT_THAT(write_draft(import.draft).json, HasSubstr("\"defines\": {\"block_size_y\": 1}"));
}

// The same number is the same size, in the grid, in scalars and in arrays; checks are small and whole.
TEST_F(ImportOfT1, NumbersBecomeSizesThatArraysFollow) {
  std::ofstream(folder_ / "k.cu")
      << "__global__ void k(float* y, const float* x, const float* w, int m, int few, const float* v, int atoms, const float* u, const float* atomInfo) {}\n";
  std::ofstream(folder_ / "t1.json") << R"x({"ConfigurationSpace": {"TuningParameters": [
    {"Name": "n", "Type": "int", "Values": "[16, 32]"}, {"Name": "Z", "Type": "int", "Values": "[1, 2, 8]"}]},
    "KernelSpecification": {"Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu",
    "GlobalSize": {"X": "2 * 128 // n", "Y": "256 // 4", "Z": "256 // Z"}, "LocalSize": {"X": "n", "Y": "4"},
    "Arguments": [
      {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 16777216},
      {"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": 73984, "FillType": "Constant", "FillValue": 1},
      {"Name": "w", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": 289, "FillType": "Constant", "FillValue": 1},
      {"Name": "m", "Type": "int32", "MemoryType": "Scalar", "FillValue": 4000}, {"Name": "few", "Type": "int32", "MemoryType": "Scalar", "FillValue": 20},
      {"Name": "v", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": 20, "FillType": "Constant", "FillValue": 1},
      {"Name": "atoms", "Type": "int32", "MemoryType": "Scalar", "FillValue": 64},
      {"Name": "u", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": 64, "FillType": "Constant", "FillValue": 1},
      {"Name": "atomInfo", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": 256, "FillType": "Constant", "FillValue": 1}]}})x";
  ImportRequest request{folder_ / "t1.json", "", {}, ""};
  request.name_of = [](const std::filesystem::path& path) { return path.filename().string(); };
  const std::string json = write_draft(import_t1(request).draft).json;
  for (const char* const words :
       {R"("sizes": {"k": 256, "m": 4000, "few": 20, "atoms": 64},  // TODO)",
        R"("check": [{"k": 32, "m": 501, "few": 20, "atoms": 64}],  // TODO)",
        R"("y": {"type": "float", "size": "k * k * k", "access": "write"})",
        R"x("size": "(k + 16) * (k + 16)")x", R"("w": {"type": "float", "size": 289)",
        R"("m": {"type": "int32", "value": "m"})", R"("v": {"type": "float", "size": "few")",
        R"("atomInfo": {"type": "float", "size": "4 * atoms")",
        R"x(["ceil(k // n)", "ceil(k // 4)", "ceil(k // Z)"])x"})
    EXPECT_THAT(json, HasSubstr(words));
}

TEST_F(ImportOfT1, OpenClStaysOpenCl) {
  std::ofstream(folder_ / "k.cl") << "__kernel void k(__global float* y) { y[get_global_id(0)] = 1; }\n";
  std::ofstream(folder_ / "t1.json")
      << R"x({"ConfigurationSpace": {"TuningParameters": [{"Name": "block", "Type": "int", "Values": "[32, 64]"}]},
    "KernelSpecification": {"Language": "OpenCL", "KernelName": "k", "KernelFile": "k.cl", "GlobalSize": {"X": "128"}, "LocalSize": {"X": "block"},
    "Arguments": [{"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 128}]}})x";
  ImportRequest request{folder_ / "t1.json", "", {}, ""};
  request.name_of = [](const std::filesystem::path& path) { return path.filename().string(); };
  EXPECT_EQ(problem(import_t1(request)).description().kernel.language, KernelLanguage::opencl);
}

TEST_F(ImportOfT1, OtherFilesAreRefused) {
  const auto error = [&](const std::string& text) -> std::string {
    std::ofstream(folder_ / "t1.json") << text;
    try {
      import_t1({folder_ / "t1.json", "", {}, ""});
    } catch (const UsageError& failure) {
      return failure.what();
    }
    return {};
  };
  EXPECT_THAT(error(R"({"parameters": {}, "kernel": "k.cu"})"), HasSubstr("already"));
  EXPECT_THAT(error("[1]"), HasSubstr("expected a definition in T1"));
  EXPECT_THAT(error(R"({"ConfigurationSpace": {"TuningParameters": [{"Name": "a", "Values": [1]}]}})"),
              HasSubstr("no KernelSpecification"));
}

TEST_F(ImportOfScripts, AxesOfABenchmark) {
  const std::string text =
      "#include <nvbench/nvbench.cuh>\n"
      "template <typename T>\n__global__ void copy(const T* in, T* out, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i]; }\n"
      "using types = nvbench::type_list<nvbench::float32_t, double>;\n"
      "template <typename T> void bench(nvbench::state& state, nvbench::type_list<T>) {\n"
      "  const int n = static_cast<int>(state.get_int64(\"Elements\"));\n"
      "  const int block = static_cast<int>(state.get_int64(\"Block Size\"));\n"
      "  T *a, *b;\n  cudaMalloc(&a, n * sizeof(T));\n  cudaMalloc(&b, n * sizeof(T));\n"
      "  state.exec([=](nvbench::launch& launch) {\n    copy<T><<<(n + block - 1) / block, block, 0, launch.get_stream()>>>(a, b, n);\n  });\n}\n"
      "NVBENCH_BENCH_TYPES(bench, NVBENCH_TYPE_AXES(types))\n  .set_type_axes_names({\"T\"})\n"
      "  .add_int64_power_of_two_axis(\"Elements\", nvbench::range(16, 24, 4))\n"
      "  .add_int64_axis(\"Block Size\", {64, 128, 256});\n";
  std::ofstream(folder_ / "b.cu") << text;
  ImportRequest request{folder_ / "b.cu", text, {}, ""};
  request.name_of = [](const std::filesystem::path& path) { return path.filename().string(); };
  const Import import = import_nvbench(request);
  const std::string json = write_draft(import.draft).json;
  EXPECT_THAT(json, HasSubstr("\"sizes\": {\"n\": 16777216}"));
  EXPECT_THAT(json, HasSubstr("\"values\": [\"float\", \"double\"]"));
  EXPECT_THAT(json, HasSubstr("\"Block_Size\": [64, 128, 256]")) << json;
  EXPECT_EQ(launch(import, "block"), as_json("Block_Size")) << json;
  EXPECT_EQ(launch(import, "grid"), as_json("(n + Block_Size - 1) // Block_Size"));
  EXPECT_THAT(json, Not(HasSubstr("block_size_x")));
  std::ofstream(folder_ / "own.json") << json;
  EXPECT_EQ(DescribedProblem(read_definition(folder_ / "own.json")).info().name, "copy");
  std::ofstream(folder_ / "b.cu") << "__global__ void k(int* x) { x[0] = 1; }\n";
  EXPECT_THROW(import_nvbench(request), UsageError);
}

TEST_F(ImportOfScripts, ElementsOfAThreadAreAParameter) {
  const std::string text =
      "__global__ void copy(const float* in, float* out, int n, int items) {\n"
      "  const int first = blockIdx.x * blockDim.x * items + threadIdx.x;\n"
      "  for (int k = 0; k < items; ++k) { const int i = first + k * blockDim.x; if (i < n) out[i] = in[i]; }\n}\n"
      "void bench(nvbench::state& state) {\n"
      "  const auto n = static_cast<int>(state.get_int64(\"Elements\"));\n"
      "  const auto block = static_cast<int>(state.get_int64(\"Block\"));\n"
      "  const auto items = static_cast<int>(state.get_int64(\"Items\"));\n"
      "  state.exec([&](nvbench::launch& l) {\n"
      "    copy<<<(n + block * items - 1) / (block * items), block, 0, l.get_stream()>>>(in, out, n, items); });\n}\n"
      "NVBENCH_BENCH(bench).add_int64_axis(\"Elements\", {1048576})\n"
      "  .add_int64_axis(\"Block\", {64, 128}).add_int64_axis(\"Items\", {1, 2, 4});\n";
  std::ofstream(folder_ / "b.cu") << text;
  ImportRequest request{folder_ / "b.cu", text, {}, ""};
  request.name_of = [](const std::filesystem::path& path) { return path.filename().string(); };
  const std::string json = write_draft(import_nvbench(request).draft).json;
  EXPECT_THAT(json, HasSubstr("\"sizes\": {\"n\": 1048576}"));
  EXPECT_THAT(json, HasSubstr("\"items\": [1, 2, 4]")) << json;
  EXPECT_THAT(json, Not(HasSubstr("\"items\": 63")));
}

// Types of a library's namespace, several axes of types, and a macro that declares a name of its own.
TEST_F(ImportOfScripts, AxesOfSeveralTypes) {
  const std::string text =
      "namespace lib { using int32_t = std::int32_t; }\n"
      "#define CALL(call) do { const int call_error = call; if (call_error != 0) exit(call_error); } while (false)\n"
      "template <typename A, typename B>\n__global__ void copy(const A* in, B* out, const lib::int32_t* more, int n) {\n"
      "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) out[i] = in[i] + more[i];\n"
      "  CALL(0);\n}\n"
      "using from = nvbench::type_list<nvbench::float32_t, double>;\nusing to = nvbench::type_list<nvbench::int32_t, nvbench::int64_t>;\n"
      "template <typename A, typename B> void bench(nvbench::state& state, nvbench::type_list<A, B>) {\n"
      "  state.exec([](nvbench::launch& l) { copy<A, B><<<256, 256>>>(in, out, more, n); });\n}\n"
      "NVBENCH_BENCH_TYPES(bench, NVBENCH_TYPE_AXES(from, to)).set_type_axes_names({\"In\", \"Out\"});\n";
  std::ofstream(folder_ / "b.cu") << text;
  ImportRequest request{folder_ / "b.cu", text, {}, ""};
  request.name_of = [](const std::filesystem::path& path) { return path.filename().string(); };
  const Import import = import_nvbench(request);
  const std::string json = write_draft(import.draft).json;
  EXPECT_THAT(
      json,
      HasSubstr(
          R"("settings": {"A": {"values": ["float", "double"]}, "B": {"values": ["int32_t", "int64_t"]}})"));
  EXPECT_THAT(json, HasSubstr(R"("more": {"type": "int32_t")"));
  EXPECT_THAT(json, Not(HasSubstr("call_error\":")));
  EXPECT_EQ(launch(import, "grid"), as_json("256"));
  EXPECT_TRUE(import.notes.empty());
}

TEST_F(ImportOfScripts, ABenchmarkWhoseKernelIsInAHeader) {
  std::ofstream(folder_ / "kernels.cuh")
      << "#pragma once\nstruct Timer { int m_count; int count() { return m_count; } };\n"
         "namespace lib {\n__global__ void wait(double s) { Timer timer; timer.count(); }\n"
         "__global__ void copy(const int* in, int* out, int n) {\n"
         "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) out[i] = in[i]; }\n}\n";
  const std::string text =
      "#include \"kernels.cuh\"\n"
      "void sleeps(nvbench::state& state) {\n  const auto s = state.get_float64(\"Duration\");\n"
      "  state.exec([s](nvbench::launch& l) { lib::wait<<<1, 1, 0, l.get_stream()>>>(s); });\n}\n"
      "NVBENCH_BENCH(sleeps).add_float64_axis(\"Duration\", nvbench::range(0., 1., 0.5));\n"
      "void one_shape(nvbench::state& state) {\n"
      "  state.exec([](nvbench::launch& l) { lib::copy<<<7, 256, 0, l.get_stream()>>>(in, out, 9); });\n}\n"
      "NVBENCH_BENCH(one_shape);\n"
      "void shapes(nvbench::state& state) {\n  const auto block = static_cast<unsigned int>(state.get_int64(\"Block\"));\n"
      "  const auto blocks = static_cast<unsigned int>(state.get_int64(\"Blocks\"));\n"
      "  state.exec([block, blocks](nvbench::launch& l) { lib::copy<<<blocks, block, 0, l.get_stream()>>>(in, out, n); });\n}\n"
      "NVBENCH_BENCH(shapes).add_int64_power_of_two_axis(\"Block\", nvbench::range(6, 10, 2)).add_int64_axis(\"Blocks\", {32, 64});\n";
  std::ofstream(folder_ / "b.cu") << text;
  ImportRequest request{folder_ / "b.cu", text, {}, ""};
  request.name_of = [](const std::filesystem::path& path) { return path.filename().string(); };
  const Import import = import_nvbench(request);
  EXPECT_EQ(import.draft.problem, "copy");
  EXPECT_EQ(launch(import, "entry"), R"("lib::copy")");
  EXPECT_EQ(launch(import, "grid"), R"("Blocks")");
  EXPECT_EQ(launch(import, "block"), R"("Block")");
  EXPECT_THAT(write_draft(import.draft).json, HasSubstr("\"Block\": [64, 256, 1024],"));
  EXPECT_THAT(
      joined(import.notes),
      HasSubstr("of 3 benchmarks 'shapes' is read; --kernel NAME takes another: sleeps, one_shape, shapes"));
  request.kernel = "sleeps";
  const Import sleeps = import_nvbench(request);
  EXPECT_EQ(sleeps.draft.problem, "wait");
  EXPECT_THAT(joined(sleeps.notes), HasSubstr("does not follow from Duration"));
  EXPECT_THAT(write_draft(sleeps.draft).json, Not(HasSubstr("m_count")));
  request.kernel = "other";
  EXPECT_THROW(import_nvbench(request), UsageError);
}

}  // namespace
}  // namespace tune::described
