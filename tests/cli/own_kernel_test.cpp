// SPDX-License-Identifier: Apache-2.0
// --problem FILE and `tune new`: a kernel of a person's own on the command line.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/cli/sandbox.hpp"

namespace tune::test {
namespace {

class OwnKernel : public ::testing::Test {
 protected:
  OwnKernel() {
    write("add.cu",
          "#ifndef BLOCK\n#define BLOCK 128\n#endif\n"
          "__global__ void add(float* out, const float* a, const float* b, int n) {\n"
          "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
          "  if (i < n) out[i] = a[i] + b[i];\n}\n");
  }
  std::string write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = sandbox_ / name;
    std::ofstream(path) << text;
    return path.string();
  }
  std::string path(const std::string& name) const { return (sandbox_ / name).string(); }

  Sandbox sandbox_;
};

// From a .cu file to checked configurations, with what `new` wrote as it stands.
TEST_F(OwnKernel, IsCheckedByItsFirstDefinition) {
  const Outcome made = sandbox_.tune({"new", path("add.cu")});
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_NE(made.out.find("tune check --problem"), std::string::npos) << made.out;
  std::string json = read_file(path("add.json"));
  // All three arrays are `n` long, and n is n: nothing is left to fill in for this kernel.
  const Outcome space = sandbox_.tune({"space", "--problem", path("add.json"), "--arch", "sm_90"});
  EXPECT_NE(space.out.find("4 valid configurations of 4"), std::string::npos) << space.out << space.err;
  const Outcome checked =
      sandbox_.tune({"check", "--problem", path("add.json"), "--device", "emulator", "--all"});
  EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
  EXPECT_NE(checked.out.find("4 configurations, 0 failed, 0 cannot be emulated"), std::string::npos)
      << checked.out;
}

TEST_F(OwnKernel, IsNotOverwritten) {
  write("add.json", "mine");
  expect_refused(sandbox_.tune({"new", path("add.cu")}), 2, {"add.json", "--out"});
  EXPECT_EQ(read_file(path("add.json")), "mine");
}

TEST_F(OwnKernel, WithARaceIsFound) {
  write("add.cu", read_file(path("add.cu")) +
                      "__global__ void sum(float* out, const float* a, int n) {\n"
                      "  __shared__ float part[128];\n"
                      "  part[threadIdx.x] = a[threadIdx.x];\n"
                      "  out[threadIdx.x] = part[127 - threadIdx.x];\n}\n");
  const std::string definition = write("sum.json", R"json({
    "problem": "sum", "kernel": "add.cu", "sizes": {"n": 128}, "check": [{"n": 128}],
    "parameters": {"UNUSED": [1, 2]},
    "arguments": {"out": {"type": "float", "size": "n", "access": "write"},
                  "a": {"type": "float", "size": "n"}, "n": {"type": "int", "value": "n"}},
    "launches": {"entry": "sum", "grid": 1, "block": 128}})json");
  const Outcome outcome = sandbox_.tune({"check", "--problem", definition, "--device", "emulator", "--all"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.out.find("race"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("add.cu:"), std::string::npos) << outcome.out;
}

TEST_F(OwnKernel, SaysInOneLineWhatIsWrong) {
  const std::string broken =
      write("broken.json", "{\"problem\": \"x\",\n \"kernel\": \"add.cu\",\n \"sizes\": {}}");
  expect_refused(sandbox_.tune({"space", "--problem", broken}), 2,
                 {"broken.json:3: sizes", "expected a size"});
  expect_refused(sandbox_.tune({"space", "--problem", path("none.json")}), 2, {"none.json"});
  expect_refused(sandbox_.tune({"space", "--problem", write("text.json", "nonsense")}), 2, {"text.json:1:"});
  expect_refused(sandbox_.tune({"new", path("none.cu")}), 1, {"none.cu"});
  expect_refused(sandbox_.tune({"new", path("add.cu"), "--entry", "sub"}), 2, {"'sub'", "add"});
  expect_refused(sandbox_.tune({"new"}), 2, {"tune new"});
}

// A size that is not there to be checked at is not taken for a clean check.
TEST_F(OwnKernel, WithoutSmallSizesAsksForOne) {
  sandbox_.tune({"new", path("add.cu")});
  std::string json = read_file(path("add.json"));
  const std::size_t at = json.find("  \"check\"");
  json.erase(at, json.find('\n', at) - at);
  const std::string definition = write("unchecked.json", json);
  expect_refused(sandbox_.tune({"check", "--problem", definition, "--device", "emulator", "--sample", "1"}),
                 2, {"--size"});
  const Outcome outcome = sandbox_.tune(
      {"check", "--problem", definition, "--device", "emulator", "--sample", "1", "--size", "77"});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
}

}  // namespace
}  // namespace tune::test
