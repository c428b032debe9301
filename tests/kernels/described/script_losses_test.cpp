// SPDX-License-Identifier: Apache-2.0
// What a script of Kernel Tuner has and its definition lacks is told with its line, and options of the script
// have their defaults.
#include <gmock/gmock.h>

#include "tests/kernels/described/imported_scripts.hpp"

namespace tune::described {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class LossesOfScripts : public ImportOfScripts {
 protected:
  /// The notes about a script whose first line is 9.
  std::string notes(const std::string& script) const {
    return joined(imported(script_head + add_kernel + script).notes, {}, "\n");
  }

  static std::string call(const std::string& more = {}) {
    return "x = np.ones(50, np.float32)\ntune_kernel('add', source, 50, [x, x, np.int32(50)], params" + more +
           ")\n";
  }
};

TEST_F(LossesOfScripts, ParametersOfALoopThatIsNotFollowed) {
  const std::string all = notes(
      "params = {}\nfor n, v in load('a.json').items():\n  params[n] = v\n"
      "for i in range(2):\n  params['block_size_x'] = [32, 64]\n" +
      call());
  EXPECT_THAT(
      all, HasSubstr("tune_it.py:10: the loop over 'load('a.json').items()' cannot be followed: add what it "
                     "gives params"));
  EXPECT_THAT(all, Not(HasSubstr("tune_it.py:12")));
}

TEST_F(LossesOfScripts, EachThatADictMayGet) {
  EXPECT_THAT(notes("params = {'block_size_x': [32], **load()}\n" + call()),
              HasSubstr("tune_it.py:9: '**load()' gives parameters that cannot be followed"));
  EXPECT_THAT(notes("params = {'block_size_x': [32]}\nparams.update(load())\n" + call()),
              HasSubstr("tune_it.py:10: 'params.update(load())' gives parameters that cannot be followed"));
  EXPECT_THAT(notes("params = dict(load(), block_size_x=[32])\n" + call()),
              HasSubstr("tune_it.py:9: 'dict(load(), block_size_x=[32])' gives parameters"));
  EXPECT_THAT(notes("params = {'block_size_x': [32]}\nparams[name() + 'x'] = [1]\n" + call()),
              HasSubstr("tune_it.py:10: 'params[name() + 'x'] = [1]' gives parameters"));
  EXPECT_EQ(notes("params = {'block_size_x': [32], 'more': [1]}\ndel params['more']\n" + call()), "");
}

TEST_F(LossesOfScripts, ConditionsOfWhichEachWayCounts) {
  EXPECT_THAT(
      notes("params = {'block_size_x': [32]}\nif is_large():\n  params['tile'] = [1, 2]\n" + call()),
      HasSubstr(
          "tune_it.py:10: cannot tell whether 'is_large()' holds: both branches are read; for params the "
          "last value counts"));
  // Neither what changes nothing, nor what comes behind the call.
  EXPECT_EQ(notes("params = {'block_size_x': [32]}\nif is_large():\n  print(1)\n" + call() +
                  "for r in load():\n  best = r\n"),
            "");
}

TEST_F(LossesOfScripts, ArgumentsOfTheCall) {
  EXPECT_THAT(notes("params = {'block_size_x': [32]}\n" + call(", **load()")),
              HasSubstr("tune_it.py:11: '**load()' cannot be followed: add what it gives tune_kernel"));
  EXPECT_THAT(
      notes(
          "params = {'block_size_x': [32]}\n" +
          call(
              ", iterations=32, cache='c.json', strategy_options={'popsize': 3, 'max_fevals': 9},\n verify=f")),
      AllOf(HasSubstr("tune_it.py:11: iterations: an option of a run: --samples"),
            HasSubstr("tune_it.py:11: cache: 'tune db import FILE'"),
            HasSubstr("tune_it.py:11: strategy_options: popsize not used"),
            HasSubstr("tune_it.py:12: verify: the script judges results with 'f'")));
  EXPECT_THAT(
      notes(
          "for n in [1, 2]:\n  params = {'block_size_x': [32]}\n  tune_kernel('add', source, n, [], params)\n"),
      HasSubstr("tune_it.py:11: the script calls this 2 times: this definition is the first call"));
}

TEST_F(LossesOfScripts, MarksNameTheLine) {
  const Import import = imported(script_head + add_kernel + "params = {'block_size_x': pick(3)}\n" + call());
  EXPECT_THAT(write_draft(import.draft).json, HasSubstr("values to try: the script has 'pick(3)' (line 9)"));
}

TEST_F(LossesOfScripts, SizesOfArraysAreFollowed) {
  const Import import = imported(
      script_head +
      "source = '__global__ void k(float* a, double* b, float* c, float* d, int n, int m, int bytes) {}'\n"
      "n = 5000\nx = np.zeros((n, 3), dtype=np.float32)\ny = np.linspace(0, 1, n + 1)\n"
      "z = np.concatenate([np.arange(n), np.zeros(70, dtype=int)]).astype(np.float32)\n"
      "tune_kernel('k', source, n, [x, y, z, np.diff(x), np.int32(x.size), np.int32(len(y)), np.int32(y.nbytes)],\n"
      "  {'block_size_x': np.linspace(32, 128, 4).astype(int), 'tile': np.logspace(0, 3, 4, base=2, dtype=int)})\n");
  EXPECT_EQ(argument(import, "a"), R"({"type": "float", "size": ["3", "n"], "fill": 0})");
  EXPECT_THAT(argument(import, "b"), HasSubstr(R"("size": "n + 1", "fill": {"from": 0, "step": 2e-04})"));
  EXPECT_THAT(argument(import, "c"), HasSubstr(R"("size": "n + 70")"));
  EXPECT_EQ(argument(import, "n"), R"({"type": "int", "value": "n * 3"})");
  EXPECT_EQ(argument(import, "m"), R"({"type": "int", "value": "n + 1"})");
  EXPECT_EQ(argument(import, "bytes"), R"({"type": "int", "value": "(n + 1) * 8"})");
  EXPECT_EQ(import.draft.parameters.at(0).json(), "[32, 64, 96, 128]");
  EXPECT_EQ(import.draft.parameters.at(1).json(), "[1, 2, 4, 8]");
  // A function that changes the shape is not followed, and marked.
  EXPECT_THAT(write_draft(import.draft).json, HasSubstr("'np.diff(x)' (line 9)"));
}

TEST_F(LossesOfScripts, LettersLibrariesAndNamedParametersAreFollowed) {
  const Import import = imported(
      script_head + add_kernel +
      "params = nothing = {}\nfor n, v in zip('xy', ([32, 64], [1, 2])): params['block_size_' + n] = v\n"
      "tune_kernel('add', source, 50, [np.zeros(50, np.float32), np.ones(50, np.float32), *map(np.int32, (50,))],\n"
      "  params, restrictions=[lambda block_size_x, block_size_y: block_size_x * block_size_y > 32])\n");
  EXPECT_EQ(import.draft.parameters.at(1).json(), "[1, 2]");
  EXPECT_EQ(argument(import, "n"), R"({"type": "int", "value": "n"})");
  EXPECT_EQ(import.draft.constraints.at(0).json, R"("block_size_x * block_size_y > 32")");
  EXPECT_TRUE(import.notes.empty()) << joined(import.notes);
}

TEST_F(LossesOfScripts, OptionsHaveTheirDefaults) {
  const std::string text =
      "import argparse, sys, os\nparser = argparse.ArgumentParser()\n"
      "parser.add_argument('-n', '--size', type=int, default='5000')\nparser.add_argument('--fast', action='store_true')\n"
      "parser.add_argument('rows', type=int)\nargs = parser.parse_args()\n"
      "m = int(sys.argv[1]) if len(sys.argv) > 1 else 700\nblock = int(os.environ.get('BLOCK', 64))\n"
      "x = np.ones(args.size * m, np.float32)\n"
      "tune_kernel('add', source, args.size, [x, np.zeros(vars(args)['rows'], np.float32), np.int32(m)],\n"
      "  {'block_size_x': [32, block]})\n";
  const Import import = imported(script_head + add_kernel + text);
  EXPECT_THAT(
      joined(import.notes, {}, "\n"),
      AllOf(HasSubstr("tune_it.py:11: --size: the definition has its default, 5000"),
            HasSubstr("tune_it.py:15: the script is read as if it was started without arguments"),
            HasSubstr("tune_it.py:16: BLOCK: the definition has its default, 64"), Not(HasSubstr("fast"))));
  EXPECT_THAT(write_draft(import.draft).json, HasSubstr("\"block_size_x\": [32, 64]"));
  EXPECT_THAT(argument(import, "c"), HasSubstr(R"("size": "size * m")"));
  EXPECT_THAT(launch(import, "grid"), HasSubstr("ceil_div(size, block_size_x)"));
}

TEST_F(LossesOfScripts, AnswersThatAreFillsAreExpected) {
  const auto answered = [&](const std::string& answer) {
    return imported(
        script_head +
        "source = '''__global__ void k(float* a, float* b, float* c, int n) {\n"
        "  int i = blockIdx.x * block_size_x + threadIdx.x;\n  if (i < n) { a[i] = b[i]; c[i] = i; }\n}'''\n"
        "n = np.int32(5000)\nx = np.random.rand(n).astype(np.float32)\nz = np.zeros_like(x)\n"
        "answer = " +
        answer +
        "\ntune_kernel('k', source, n, [z, x, np.zeros_like(x), n], {'block_size_x': [32]}, answer=answer)\n");
  };
  const Import full = answered("[np.full(n, 3, np.float32), None, np.arange(n).astype(np.float32), None]");
  EXPECT_THAT(argument(full, "a"), HasSubstr(R"("expect": 3)"));
  EXPECT_THAT(argument(full, "c"), HasSubstr(R"("expect": {"from": 0, "step": 1})"));
  EXPECT_THAT(write_draft(full.draft).json, Not(HasSubstr("\"reference\"")));
  EXPECT_EQ(joined(full.notes), "");
  problem(full);
  const Import part = answered("[np.ones(n, np.float32), None, None, None]");
  EXPECT_THAT(argument(part, "a"), HasSubstr(R"("expect": 1)"));
  EXPECT_THAT(joined(part.notes),
              HasSubstr("tune_it.py:12: answer: the script does not compare c, the definition does"));
  const Import other = answered("[compute(x), None, None, None]");
  EXPECT_THAT(write_draft(other.draft).json, HasSubstr("to compare, the script has 'compute(x)' (line 11)"));
}

class ModulesOfScripts : public ImportOfScripts {};

TEST_F(ModulesOfScripts, ThoseBesideTheScriptAreFollowed) {
  std::filesystem::create_directory(folder_ / "lib");
  std::ofstream(folder_ / "common.py")
      << "import numpy as np\nfrom other import block\nn = 5000\n_own = 1\n"
         "params = {'block_size_x': block}\n"
         "def arguments(size):\n  return [np.zeros(size, np.float32), np.ones(n, np.float32), np.int32(n)]\n";
  std::ofstream(folder_ / "other.py")
      << "from common import *\nblock = [32, 64]\n";  // each imports the other
  std::ofstream(folder_ / "lib" / "more.py") << "def tiles(): return [1, 2]\nfor i in load(): m = i\n";
  const Import import = imported(
      script_head + add_kernel +
      "import sys, common\nsys.path.insert(0, 'lib')\nfrom common import n as size, params as p\nimport more as m, pandas\n"
      "p['tile'] = m.tiles()\np['last'] = m.missing()\ntune_kernel('add', source, common.n, common.arguments(size), p)\n");
  EXPECT_EQ(argument(import, "c"), R"({"type": "float", "size": "n", "access": "write"})");
  EXPECT_EQ(argument(import, "n"), R"({"type": "int", "value": "n"})");
  EXPECT_EQ(import.draft.parameters.at(0).json(), "[32, 64]");
  EXPECT_EQ(import.draft.parameters.at(1).json(), "[1, 2]");
  EXPECT_THAT(import.draft.parameters.at(2).guess, HasSubstr("the script has 'm.missing()' (line 14)"));
  EXPECT_EQ(joined(import.notes), (folder_ / "lib/more.py").string() +
                                      ":2: the loop over 'load()' cannot be followed: add what it gives m");
}

TEST_F(ModulesOfScripts, ACallInAFunctionOfAModule) {
  std::ofstream(folder_ / "common.py")
      << "from kernel_tuner import tune_kernel\n\ndef tune(source, n, args):\n  tune_kernel('add', source, n, args, {'block_size_x': [32]})\n";
  const Import import =
      imported(script_head + add_kernel +
               "from common import tune\nn = 700\ntune(source, n, [np.zeros(n, np.float32), "
               "np.ones(n, np.float32), np.int32(n)])\n");
  EXPECT_EQ(argument(import, "c"), R"({"type": "float", "size": "n", "access": "write"})");
}

class TemplatesOfScripts : public ImportOfScripts {
 protected:
  Import rendered(const std::string& kernel, const std::string& with = "template.render") const {
    std::ofstream(folder_ / "k.cu") << kernel;
    return imported(script_head +
                    "from jinja2 import Template\ntemplate = Template(open('k.cu').read())\nn = 50\n"
                    "def made(p):\n  return template.render(**p, real='float')\n"
                    "tune_kernel('add', " +
                    with + ", n, [np.ones(n, np.float32)], {'block': [32, 64], 'kind': [1, 2]})\n");
  }
};

TEST_F(TemplatesOfScripts, NamesAndConditionsAreMacros) {
  const Import import = rendered(
      "{# one #}__global__ void add({{ real }}* c) {\n  int i = blockIdx.x * {{block}} + threadIdx.x * {{ kind * 2 }};\n"
      "  {%- if kind == 2 and block > 32 -%}\n  c[i] = 1;\n{% else %}\n  c[i] = 2;\n  {% endif %}\n}\n",
      "made");
  ASSERT_TRUE(import.kernel.has_value());
  EXPECT_EQ(import.kernel->text,
            "__global__ void add(float* c) {\n  int i = blockIdx.x * block + threadIdx.x * (kind * 2);\n"
            "  #if kind == 2 && block > 32\n  c[i] = 1;\n#else\n  c[i] = 2;\n  #endif\n}\n");
  EXPECT_TRUE(import.draft.missing.empty());
}

TEST_F(TemplatesOfScripts, WhatHasNoCounterpartIsTold) {
  const auto notes = [&](const std::string& kernel) { return joined(rendered(kernel).notes, {}, "\n"); };
  EXPECT_THAT(
      notes("__global__ void add(float* c) {\n{% for i in range(kind) %}\n c[i] = 1;\n{% endfor %}\n}\n"),
      AllOf(HasSubstr("k.cu:2: '{% for i in range(kind) %}' of the template has no counterpart"),
            HasSubstr("a loop with #pragma unroll")));
  EXPECT_THAT(notes("\n\n{% set a = 3 %}\n"), HasSubstr("k.cu:3: '{% set a = 3 %}'"));
  EXPECT_THAT(notes("int x = {{ kind | upper }};"), HasSubstr("k.cu:1: '{{ kind | upper }}'"));
  EXPECT_THAT(notes("int x = {{ block // kind }};"), HasSubstr("k.cu:1: '{{ block // kind }}'"));
  EXPECT_THAT(notes("  x {% if kind == 1 %} y {% endif %}\n"), HasSubstr("k.cu:1: '{% if kind == 1 %}'"));
  EXPECT_THAT(notes("{% if kind == 'a' %}\n{% endif %}\n"), HasSubstr("#if over numbers, or a macro"));
}

}  // namespace
}  // namespace tune::described
