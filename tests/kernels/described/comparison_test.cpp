// SPDX-License-Identifier: Apache-2.0
// What a definition can say about the comparison of results, run on the emulator.
#include <gtest/gtest.h>

#include <fstream>

#include "kernels/described/problem.hpp"
#include "kernels/described/readers/definition.hpp"
#include "tests/kernels/described/definition_check.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"

namespace tune::described {
namespace {

using emulator::Finding;

class ComparedResults : public ::testing::Test {
 protected:
  ComparedResults() {
    write("k.cu",
          "__global__ void k(float* out, const float* x, int n) {\n"
          "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
          "  if (i < n) out[i] = x[i] + (i == 5 ? 0.5f : 0);\n}\n");
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
  }
  /// `out` has n + 10 elements, of which the kernel writes n: i, but 5.5 for i = 5.
  std::string definition(const std::string& of_output, const std::string& rest = "") {
    return R"j({"problem": "k", "kernel": "k.cu", "sizes": {"n": 300}, "check": [{"n": 70}],
      "parameters": {"BLOCK": [32]}, "arguments": {
        "out": {"type": "float", "size": "n + 10", "access": "write")j" +
           of_output + R"j(}, "x": {"type": "float", "size": "n", "fill": {"from": 0}},
        "n": {"type": "int", "value": "n"}},
      "launches": {"entry": "k", "grid": "ceil_div(n, BLOCK)", "block": "BLOCK"})j" +
           rest + "}";
  }
  /// Returns what is wrong; empty if nothing is.
  std::string check(const std::string& text) {
    write("k.json", text);
    std::string all;
    for (const Finding& finding : testing::findings_of(folder_.path() / "k.json", 1)) all += finding.text();
    return all;
  }
  std::string refusal(const std::string& text) {
    try {
      check(text);
    } catch (const UsageError& error) {
      return error.what();
    } catch (const Error& error) {
      return error.what();
    }
    return "it was taken";
  }

  tune::testing::TemporaryFolder folder_;
};

const std::string expected = R"(, "expect": {"formula": "i"})";
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(ComparedResults, ElementsHaveTolerancesOfTheirOwn) {
  const std::string part = expected + R"(, "compare": {"first": "n"}, "tolerance": )";
  EXPECT_EQ(check(definition(part + R"({"absolute": "1 if i == 5 else 1e-6"})")), "");
  EXPECT_EQ(check(definition(part + R"({"each": "0.2 if i == 5 else 0"})")), "");
  const std::string wrong = check(definition(part + R"({"absolute": "1e-3 * i"})"));
  EXPECT_TRUE(contains(wrong,
                       "1 of 70 compared elements (of 80) of 'out' differ by more than their tolerance; the "
                       "worst is (5): 5.5 instead of 5, where 0.005 is allowed"))
      << wrong;
  std::string limits(80 * sizeof(double), '\0');
  write("limits.bin", limits);
  EXPECT_TRUE(contains(check(definition(part + R"({"absolute": {"file": "limits.bin"}})")), "1 of 70"));
  const double one = 1;
  limits.replace(5 * sizeof one, sizeof one, reinterpret_cast<const char*>(&one), sizeof one);
  write("limits.bin", limits);
  EXPECT_EQ(check(definition(part + R"({"absolute": {"file": "limits.bin"}})")), "");
}

TEST_F(ComparedResults, OnlyAPartOfAnOutputCounts) {
  const auto with = [&](const std::string& part) {
    return check(definition(expected + R"(, "compare": )" + part));
  };
  EXPECT_TRUE(contains(check(definition(expected)), "element (70) of 'out' was never written"));
  EXPECT_TRUE(contains(with(R"({"first": "n"})"), "(5): 5.5 instead of 5"));
  EXPECT_EQ(with(R"({"first": 5})"), "");
  EXPECT_EQ(with(R"({"from": 6, "to": "n"})"), "");
  EXPECT_EQ(with(R"({"where": "i % 5 > 0 and i < n"})"), "");
  EXPECT_TRUE(
      contains(with(R"({"where": "i % 5 == 0 and i <= n"})"),
               "element (70) of 'out' was never written; 2 of 15 compared elements (of 80) are wrong"));
}

// The largest value decides a relative tolerance: what does not count must not widen it.
TEST_F(ComparedResults, WhatDoesNotCountDoesNotWidenTheTolerance) {
  const std::string far =
      R"(, "expect": {"formula": "i if i < n else 1e9"}, "tolerance": {"relative": 1e-3})";
  EXPECT_TRUE(contains(check(definition(far + R"(, "compare": {"first": "n"})")), "(5): 5.5 instead of 5"));
}

TEST_F(ComparedResults, AProgramJudges) {
  const auto with = [&](const std::string& command, const std::string& more = "") {
    return check(definition("", R"(, "verify": {"command": )" + command + more + "}"));
  };
  EXPECT_EQ(with(R"j(["sh", "-c", "test $(wc -c < {out}) = 320 && test $(wc -c < {x}) = $((4 * {n}))"])j"),
            "");
  EXPECT_EQ(with(R"(["cmp", "{out}", "{out.reference}"])"), "") << "the default configuration is right";
  const std::string wrong = with(R"(["sh", "-c", "echo element 5 of block {BLOCK}; exit 3", "{out}"])");
  EXPECT_TRUE(contains(wrong, "which judges 'out', says: element 5 of block 32")) << wrong;
  EXPECT_TRUE(contains(with(R"(["false", "{out}"])"),
                       "the program false {out}, which judges 'out', ends with status 1"));
  EXPECT_TRUE(contains(with(R"(["sh", "-c", "sleep 9", "{out}"])", R"(, "seconds": 0.1)"),
                       "has not ended after 0.1 s"));
}

TEST_F(ComparedResults, AKernelJudges) {
  write(
      "check.cu",
      "__global__ void differs(const float* out, const float* right, int n, unsigned long long* verdict) {\n"
      "  const int i = blockIdx.x * 64 + threadIdx.x;\n"
      "  if (i >= n || out[i] == right[i]) return;\n"
      "  atomicAdd(&verdict[0], 1ULL);\n  verdict[1] = i;\n}\n");
  const auto with = [&](const std::string& of_output, const std::string& right = "out.reference") {
    return definition(of_output, R"j(, "verify": {"kernel": "check.cu", "launches": {"entry": "differs",
      "grid": "ceil_div(n, 64)", "block": 64, "arguments": ["out", ")j" +
                                     right + R"j(", "n", "verdict"]}})j");
  };
  const std::string wrong = check(with(expected));
  EXPECT_TRUE(contains(wrong,
                       "the checking kernel differs, which judges 'out', counts 1 wrong elements; one is "
                       "element 5"))
      << wrong;
  EXPECT_EQ(check(with(R"(, "expect": {"formula": "5.5 if i == 5 else i"})")), "");
  EXPECT_EQ(check(with("")), "") << "the default configuration is right";
  EXPECT_TRUE(contains(check(with("", "x")), "counts 1 wrong elements")) << "without a reference";
  EXPECT_TRUE(contains(refusal(with("", "y")), "there is no argument 'y'"));
  EXPECT_TRUE(contains(refusal(with("", "n.reference")), "expected an array"));
  std::string none = with("");
  none.replace(none.find(", \"verdict\"]"), 12, "]");
  EXPECT_TRUE(contains(refusal(none), "expected an output and 'verdict' among the arguments"));
}

TEST_F(ComparedResults, AProgramGetsTheContentsBefore) {
  write("k.cu",
        "__global__ void k(float* out, const float* x, int n) {\n"
        "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) out[i] = -out[i];\n}\n");
  std::string text = definition(R"(, "fill": 1)", R"(, "verify": {"command":
    ["sh", "-c", "od -A n -t f4 -N 4 {out} && od -A n -t f4 -N 4 {out.before}; false"]})");
  text.replace(text.find("\"write\""), 7, "\"both\"");
  const std::string both = check(text);
  EXPECT_TRUE(contains(both, "-1") && contains(both, " 1;")) << both;
}

TEST_F(ComparedResults, MistakesAreNamed) {
  const auto verify = [&](const std::string& text) {
    return refusal(definition("", R"(, "verify": )" + text));
  };
  EXPECT_TRUE(contains(verify(R"({"command": ["true"]})"), "the program gets no output"));
  EXPECT_TRUE(contains(verify(R"({"command": ["true", "{out}", "{y}"]})"), "'{y}': expected an array"));
  EXPECT_TRUE(contains(verify(R"({"command": ["./none", "{out}"]})"), "cannot start '"));
  EXPECT_TRUE(contains(verify(R"({"command": ["true", "{out}"], "seconds": 0})"), "expected seconds"));
  EXPECT_TRUE(contains(refusal(definition("", R"(, "reference": "none", "verify": {"command": ["cmp",
    "{out}", "{out.reference}"]})")),
                       "'reference' is 'none'"));
  EXPECT_TRUE(contains(refusal(definition(expected + R"(, "compare": {"where": "i < 0"})")),
                       "no element of 'out' is compared at 70"));
  EXPECT_TRUE(
      contains(refusal(definition(expected + R"(, "compare": {"first": 1, "to": 2})")), "found both"));
  EXPECT_TRUE(contains(refusal(definition(expected + R"(, "tolerance": {"absolute": "-1"})")),
                       "the tolerance of an element of 'out' is -1"));
}

TEST_F(ComparedResults, UsersAreToldWhatIsCompared) {
  const auto told = [&](const std::string& of_output, const std::string& rest) {
    write("k.json", definition(of_output, rest));
    return DescribedProblem(read_definition(folder_.path() / "k.json")).compared_with();
  };
  EXPECT_EQ(told("", R"(, "verify": {"command": ["cmp", "{out}", "{out.reference}"]})"),
            "the program cmp {out} {out.reference}");
  EXPECT_EQ(told(expected, ""), "the values that the definition expects");
  EXPECT_EQ(told("", R"(, "reference": "none")"), "nothing: the definition has 'reference': 'none'");
}

}  // namespace
}  // namespace tune::described
