// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/imports/import.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "kernels/described/problem.hpp"
#include "kernels/described/readers/definition.hpp"
#include "kernels/described/source/syntax.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ImportOfScripts : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const Language language : {Language::cuda, Language::python})
      if (const std::string reason = why_no_parser(language); !reason.empty()) GTEST_SKIP() << reason;
  }

  Import imported(const std::string& script, const std::string& kernel = {}) const {
    ImportRequest request{folder_ / "tune_it.py", script, kernel, "own.cu"};
    request.name_of = [](const std::filesystem::path& path) { return path.filename().string(); };
    request.read = [this](const std::string& name) -> std::optional<std::string> {
      std::ifstream file(folder_ / name);
      if (!file) return std::nullopt;
      return std::string(std::istreambuf_iterator<char>(file), {});
    };
    return import_kernel_tuner(request);
  }

  /// The definition, read back as a problem.
  DescribedProblem problem(const Import& import) const {
    if (import.kernel) std::ofstream(folder_ / import.kernel->name) << import.kernel->text;
    std::ofstream(folder_ / "own.json") << write_draft(import.draft).json;
    return DescribedProblem(read_definition(folder_ / "own.json"));
  }

  static std::string argument(const Import& import, const std::string& name) {
    for (const DraftObject& one : import.draft.arguments)
      if (one.name == name) return one.json();
    return {};
  }

  static std::string launch(const Import& import, const std::string& name) {
    for (const DraftField& field : import.draft.launches.front())
      if (field.name == name) return field.json;
    return {};
  }

  const tune::testing::TemporaryFolder folder_ = {};
};

const std::string head =
    "import numpy as np\nfrom kernel_tuner import tune_kernel, run_kernel\nfrom collections import OrderedDict\n";
const std::string add_kernel =
    "source = '''__global__ void add(float* c, const float* a, int n) {\n  int i = blockIdx.x * block_size_x + threadIdx.x;\n"
    "  if (i < n) c[i] = a[i];\n}\n'''\n";

TEST_F(ImportOfScripts, AScriptIsADefinition) {
  const Import import = imported(
      head + add_kernel +
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
      head + add_kernel +
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

TEST_F(ImportOfScripts, FunctionsBuildWhatTheyReturn) {
  const Import import = imported(
      head +
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
      head + "import sys, torch\nn = int(sys.argv[1])\nx = torch.load('x.pt')\n" + add_kernel +
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
      head +
      "with open('k.cu', 'r') as f:\n  text = f.read()\nargs = [np.zeros(4096).astype(np.float32), np.ones(4096, np.float32)]\n"
      "results = run_kernel('naive', text, 4096, args, {'block_size_x': 64, 'other': 3}, grid_div_x=[])\n"
      "tune_kernel('fast', text, 4096, args, {'block_size_x': [32, 64]}, answer=[results[0], None])\n");
  EXPECT_FALSE(import.kernel.has_value());
  const std::string json = write_draft(import.draft).json;
  EXPECT_THAT(json, HasSubstr(R"("redefine": {"WIDTH": "n"})"));
  EXPECT_THAT(json, HasSubstr(R"({"kernel": {"file": "k.cu", "defines": {"other": 3}})"));
  EXPECT_THAT(json, HasSubstr(R"("configuration": {"block_size_x": 64})"));
  EXPECT_EQ(problem(import).description().reference.launches.front().entry, "naive");
}

TEST_F(ImportOfScripts, ErrorsNameTheCure) {
  const auto error = [&](const std::string& script, const std::string& kernel = {}) -> std::string {
    try {
      imported(head + add_kernel + script, kernel);
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

}  // namespace
}  // namespace tune::described
