// SPDX-License-Identifier: Apache-2.0
// How often g++ is called, and what happens where it does not take the emulator's options.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/support/temporary_folder.hpp"
#include "tests/tuner/backends/emulator/kernel_check.hpp"
#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

using testing::KernelCheck;

/// A g++ that notes every compilation of a batch, and begins with some lines of shell.
class NotingCompiler {
 public:
  explicit NotingCompiler(const std::string& first_lines = "") {
    const std::string script = folder_.path() / "g++";
    std::ofstream(script) << "#!/bin/sh\n"
                          << first_lines << "\ncase \"$*\" in *batch*.cpp*) echo \"$@\" >> " << calls()
                          << ";; esac\nexec g++ \"$@\"\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    setenv("TUNE_EMULATOR_CXX", script.c_str(), 1);
  }
  ~NotingCompiler() { unsetenv("TUNE_EMULATOR_CXX"); }

  /// The arguments of each call.
  std::vector<std::string> noted() const {
    std::vector<std::string> lines;
    std::ifstream file(calls());
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

 private:
  std::string calls() const { return folder_.path() / "calls"; }

  tune::testing::TemporaryFolder folder_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Copies its input; the job of number `wrong` leaves a barrier out, that of `misaligned` reads a vector in
/// two parts.
std::string kernel(std::size_t number, const std::string& fault) {
  return format(
      "extern \"C\" __global__ void k(const float* in, float* out, int n) {{\n"
      "  __shared__ float tile[64]; const int t = threadIdx.x + {} * 0;\n"
      "  tile[t] = in[t];\n"
      "  {}\n"
      "  out[t] = tile[63 - t];\n}}\n",
      number, fault);
}

std::map<std::size_t, CheckVerdict> check_all(const std::vector<std::string>& faults,
                                              std::size_t elements = 64, double seconds = 60) {
  CheckOptions options;
  options.workers = 1;
  options.seconds = seconds;
  std::map<std::size_t, CheckVerdict> verdicts;
  check(
      faults.size(),
      [&](std::size_t number) {
        const KernelCheck one(kernel(number, faults[number]), 64, 1, elements);
        return CheckJob{{{"", one.plan, std::make_shared<const ReferenceData>(one.expected)}}, {}};
      },
      options,
      [&](std::size_t number, CheckVerdict verdict) {
        verdicts.insert_or_assign(number, std::move(verdict));
        return true;
      });
  return verdicts;
}

const std::string barrier = "__syncthreads();";
const std::string misaligned = barrier + " if (t == 5) out[6] = reinterpret_cast<const float2*>(in + 3)->y;";

TEST(CompilerCalls, OneForABatchWithoutFindings) {
  const NotingCompiler compiler;
  for (const auto& [number, verdict] : check_all(std::vector<std::string>(16, barrier)))
    EXPECT_TRUE(verdict.clean()) << number;
  EXPECT_EQ(compiler.noted().size(), 1U);
}

TEST(CompilerCalls, OneMoreForEachJobWithFindings) {
  const NotingCompiler compiler;
  std::vector<std::string> faults(6, barrier);
  faults[1] = "";
  faults[3] = faults[4] = misaligned;  // harm the worker that finds them
  const auto verdicts = check_all(faults);
  ASSERT_EQ(verdicts.size(), 6U);
  for (const std::size_t clean : {0U, 2U, 5U}) EXPECT_TRUE(verdicts.at(clean).clean()) << clean;
  ASSERT_FALSE(verdicts.at(1).findings.empty());
  EXPECT_EQ(verdicts.at(1).findings[0].kind, FindingKind::race_in_block);
  for (const std::size_t number : {3U, 4U}) {
    ASSERT_EQ(verdicts.at(number).findings.size(), 1U);
    const Finding& finding = verdicts.at(number).findings[0];
    EXPECT_EQ(finding.kind, FindingKind::misaligned) << finding.text();
    EXPECT_EQ(finding.source, "k.cu:4");
    EXPECT_EQ(finding.offset, 12);
  }
  const std::vector<std::string> calls = compiler.noted();
  EXPECT_EQ(calls.size(), 4U);
  for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(has(calls[i], " -g1 "), i > 0) << calls[i];
}

TEST(CompilerCalls, OneForAllLinesWhereMostJobsHaveFindings) {
  const NotingCompiler compiler;
  for (const auto& [number, verdict] : check_all(std::vector<std::string>(12, ""))) {
    ASSERT_FALSE(verdict.findings.empty()) << number;
    EXPECT_TRUE(verdict.findings[0].source.starts_with("k.cu:")) << verdict.findings[0].text();
  }
  EXPECT_LE(compiler.noted().size(), 5U);  // the batch, the first jobs by themselves, the batch with lines
}

TEST(CompilerCalls, TakeNoTimeOfAJob) {
  const NotingCompiler compiler("case \"$*\" in *\" -g1 \"*) sleep 2;; esac");
  const auto verdicts = check_all({""}, 64, 0.5);
  ASSERT_FALSE(verdicts.at(0).findings.empty());
  EXPECT_EQ(verdicts.at(0).findings[0].kind, FindingKind::race_in_block);
}

TEST(CompilerCalls, MoreEffortWhereThereIsMoreWork) {
  for (const std::size_t elements : {std::size_t{64}, std::size_t{100'000}}) {
    const NotingCompiler compiler;
    check_all({barrier}, elements);
    ASSERT_EQ(compiler.noted().size(), 1U);
    EXPECT_EQ(has(compiler.noted()[0], "-fno-tree-ccp"), elements == 64) << elements;
  }
}

// Another version of g++ may not know the passes by these names.
TEST(CompilerCalls, WorksWithACompilerThatDoesNotKnowTheOptions) {
  const NotingCompiler compiler("case \"$*\" in *-fdisable-*) echo 'error: unknown pass' >&2; exit 1;; esac");
  const auto verdicts = check_all({barrier, ""});
  EXPECT_TRUE(verdicts.at(0).clean());
  EXPECT_FALSE(verdicts.at(1).findings.empty());
  for (const std::string& call : compiler.noted()) EXPECT_FALSE(has(call, "-fno-tree-ccp"));
}

TEST(CompilerCalls, WorksWithACompilerThatBreaksOnThem) {
  const NotingCompiler compiler(
      "case \"$*\" in *-fdisable-*batch*) echo 'internal compiler error: in x' >&2; exit 1;; esac");
  EXPECT_TRUE(check_all({barrier}).at(0).clean());
  EXPECT_EQ(compiler.noted().size(), 1U);
}

}  // namespace
}  // namespace tune::emulator
