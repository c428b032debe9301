// SPDX-License-Identifier: Apache-2.0
// --problem FILE and `tune new`: a kernel of a person's own on the command line.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/input/problem_selection.hpp"
#include "db/read/related.hpp"
#include "db/store/sqlite_store.hpp"
#include "kernels/described/source/syntax.hpp"
#include "tests/cli/recording.hpp"
#include "tests/cli/sandbox.hpp"
#include "tuner/backends/cuda/toolkit/nvcc.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
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

/// Tests of `tune new`, which needs a parser.
class NewKernel : public OwnKernel {
 protected:
  void SetUp() override {
    const std::string reason = described::why_no_parser();
    if (reason.empty()) return;
    expect_refused(sandbox_.tune({"new", path("add.cu")}), 1, {reason});
    GTEST_SKIP() << reason;
  }
};

// From a .cu file to checked configurations, with what `new` wrote as it stands.
TEST_F(NewKernel, IsCheckedByItsFirstDefinition) {
  const ProgramResult made = sandbox_.tune({"new", path("add.cu")});
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_NE(made.out.find("4 configurations, 0 failed, 0 cannot be emulated"), std::string::npos) << made.out;
  EXPECT_NE(made.out.find("tune check --problem"), std::string::npos) << made.out;
  // All three arrays are `n` long, and n is n: nothing is left to fill in for this kernel.
  const ProgramResult space = sandbox_.tune({"space", "--problem", path("add.json"), "--arch", "sm_90"});
  EXPECT_NE(space.out.find("6 valid configurations of 6"), std::string::npos) << space.out << space.err;
  const ProgramResult checked =
      sandbox_.tune({"check", "--problem", path("add.json"), "--device", "emulator", "--all"});
  EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
  EXPECT_NE(checked.out.find("6 configurations, 0 failed, 0 cannot be emulated"), std::string::npos)
      << checked.out;
}

// The CPU would take hours; nothing says so but the number of threads.
TEST_F(OwnKernel, WithoutSmallSizesIsRefusedAtOnceAndToldWhatToWrite) {
  const auto definition = [&](std::int64_t size, const std::string& number) {
    auto json =
        nlohmann::ordered_json::parse(R"json({"problem": "large", "kernel": "add.cu", "sizes": {"n": 0},
        "parameters": {"BLOCK": [64, 128]},
        "arguments": {"out": {"type": "float", "access": "write"}, "a": {"type": "float"}, "b": {"type": "float"},
                      "n": {"type": "int", "value": "n"}},
        "launches": {"entry": "add", "block": "BLOCK"}})json");
    json["sizes"]["n"] = size;
    for (const char* const name : {"out", "a", "b"}) json["arguments"][name]["size"] = number;
    json["launches"]["grid"] = "ceil_div(" + number + ", BLOCK)";
    return write("large.json", json.dump());
  };
  const auto check = [&](const std::string& file, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"check", "--problem", file, "--device", "emulator"});
    return sandbox_.tune(more);
  };
  expect_refused(check(definition(1, "9000000")), 2, {"let arrays and grid follow"});
  const std::string large = definition(9'000'000, "n");
  expect_refused(check(large), 2, {"(9 M threads", R"(add "check": [{"n": 1003}])"});
  EXPECT_EQ(check(large, {"--size", "500"}).status, 0);
  expect_refused(check(large, {"--size", "500", "--budget-time", "1ms"}), 3,
                 {"nothing was checked: the check ended after", "--budget-time"});
}

// A file as programs have it: kernels, launches and main.
TEST_F(OwnKernel, WithHostCodeIsCompiledWithoutItOrByNvcc) {
  std::string reason;
  if (!cuda::make_nvcc_compiler("sm_90", &reason) || !cuda::make_nvrtc_compiler("sm_90", &reason))
    GTEST_SKIP() << reason;
  write("whole.cu",
        "#include <vector>\n#include <iostream>\n"
        "template<int BLOCK> __global__ void add(float* out, const float* a, int n) {\n"
        "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) out[i] = a[i] + VALUE;\n}\n"
        "int main() {\n  std::vector<float> host(128);\n  float* device = nullptr;\n"
        "  cudaMalloc(&device, 512);\n  add<128><<<1, 128>>>(device, device, 128);\n"
        "  std::cout << host[0] << cudaDeviceSynchronize();\n}\n");
  const auto definition = [&](const std::string& compiler) {
    return write("whole.json", R"json({
      "problem": "whole", "kernel": {"file": "whole.cu", "options": ["-lineinfo"])json" +
                                   compiler + R"json(},
      "sizes": {"n": 1024}, "check": [{"n": 200}], "parameters": {"BLOCK": [64, 128], "VALUE": [2, 2.5]},
      "reference": {"same": "VALUE"},
      "arguments": {"out": {"type": "float", "size": "n", "access": "write"},
                    "a": {"type": "float", "size": "n"}, "n": {"type": "int", "value": "n"}},
      "launches": {"entry": "add<BLOCK>", "grid": "ceil_div(n, BLOCK)", "block": "BLOCK"}})json");
  };
  std::vector<std::string> check = {"check", "--problem", definition(""), "--arch",
                                    "sm_90", "--all",     "--format",     "json"};
  const auto compiled = sandbox_.tune(check);
  EXPECT_EQ(compiled.status, 0) << compiled.out << compiled.err;
  const auto json = nlohmann::json::parse(compiled.out);
  EXPECT_EQ(json["failed"], 0) << compiled.out;
  EXPECT_EQ(json["checked"], 4);
  EXPECT_EQ(json["compiler"].get<std::string>().find("NVRTC "), 0U) << compiled.out;
  EXPECT_NE(json["notice"].get<std::string>().find("without the host code of the file"), std::string::npos)
      << compiled.out;
  EXPECT_GT(json["results"][0]["registers"], 4);
  EXPECT_EQ(nlohmann::json::parse(sandbox_.tune(check).out)["from_cache"], 4);
  check[2] = definition(", \"compiler\": \"nvcc\"");
  const auto other = nlohmann::json::parse(sandbox_.tune(check).out);
  EXPECT_EQ(other["failed"], 0);
  EXPECT_EQ(other["compiler"].get<std::string>().find("nvcc "), 0U);
  EXPECT_EQ(other["results"][0]["registers"], json["results"][0]["registers"]);
  const auto refused = sandbox_.tune(
      {"check", "--problem", definition(", \"compiler\": \"nvrtc\""), "--arch", "sm_90", "--all"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.out.find("missing header"), std::string::npos) << refused.out;
  expect_refused(sandbox_.tune({"space", "--problem", definition(", \"compiler\": \"gcc\"")}), 2,
                 {"whole.json:2: kernel.compiler: expected nvrtc, nvcc or automatic, found 'gcc'"});
  check = {"check", "--problem", definition(""), "--device", "emulator", "--all"};
  const auto emulated = sandbox_.tune(check);
  EXPECT_EQ(emulated.status, 0) << emulated.out << emulated.err;
  EXPECT_NE(emulated.out.find("4 configurations, 0 failed, 0 cannot be emulated"), std::string::npos)
      << emulated.out;
}

// The end of its output leads to every line that holds a guess.
TEST_F(NewKernel, ListsWhatIsLeft) {
  const ProgramResult made = sandbox_.tune({"new", path("add.cu"), "--no-check"});
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.out.find("emulated"), std::string::npos) << made.out;
  std::istringstream lines(read_file(path("add.json")));
  std::string line;
  int number = 0, marked = 0;
  while (std::getline(lines, line)) {
    ++number;
    const std::size_t mark = line.find("  // TODO: ");
    if (mark == std::string::npos) continue;
    ++marked;
    EXPECT_NE(made.out.find(format("  line {}, ", number)), std::string::npos) << line;
    EXPECT_NE(made.out.find(line.substr(mark + 11)), std::string::npos) << line;
  }
  EXPECT_GT(marked, 3);
}

TEST_F(NewKernel, WithWrongResultsIsWrittenAllTheSame) {
  write(
      "my bad.cu",
      "__global__ void bad(float* y, int n) {\n  int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i <= n) y[i] = 1;\n}\n");
  const ProgramResult made = sandbox_.tune({"new", path("my bad.cu")});
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_TRUE(has(made.out, "out of bounds") && has(made.out, "my bad.json' --device")) << made.out;
  write("unknown.cu", "#include \"none.h\"\n__global__ void k(float* y, Unknown u) { y[0] = u.x; }\n");
  const ProgramResult unknown = sandbox_.tune({"new", path("unknown.cu")});
  EXPECT_EQ(unknown.status, 0) << unknown.err;
  EXPECT_NE(unknown.out.find("it cannot be checked yet: the type of 'Unknown u'"), std::string::npos)
      << unknown.out;
}

TEST_F(NewKernel, IsNamedWithItsFolderWhereItHasNone) {
  expect_refused(sandbox_.tune({"new", path("add.cu"), "--entry", "sub"}), 2, {"'sub'", "add"});
  expect_refused(sandbox_.tune({"new", path("."), "--entry", "sub"}), 2,
                 {"no .cu file below it has a kernel 'sub'"});
  expect_refused(sandbox_.tune({"new", path(".")}), 2,
                 {"which kernel", "add.cu:", "tune new FILE --entry NAME"});
  write("empty.cu", "");
  expect_refused(sandbox_.tune({"new", path("empty.cu")}), 2, {"empty.cu: there is no __global__"});
  expect_refused(sandbox_.tune({"new", "/dev/null"}), 2, {"/dev/null", "it is a device"});
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
  const ProgramResult outcome =
      sandbox_.tune({"check", "--problem", definition, "--device", "emulator", "--all"});
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
  expect_refused(sandbox_.tune({"new", path("none.cu")}), 2, {"none.cu"});
  expect_refused(sandbox_.tune({"new"}), 2, {"tune new"});
}

// A type that only the compiler knows: the binary says how many bytes a parameter has.
// The small sizes of checks are within the limits.
TEST_F(OwnKernel, LaunchesBeyondADeviceCannotRunWithoutOneEither) {
  const auto write_with = [&](const std::string& grid, const std::string& block) {
    return write("limits.json",
                 R"({"problem": "limits", "kernel": "add.cu", "sizes": {"n": 70000}, "check": [{"n": 33}],
      "parameters": {"BLOCK": [32]}, "arguments": {"out": {"type": "float", "size": "n", "access": "write"},
      "a": {"type": "float", "size": "n"}, "b": {"type": "float", "size": "n"}, "n": {"type": "int", "value": "n"}},
      "launches": {"entry": "add", "grid": )" +
                     grid + R"(, "block": )" + block + "}}");
  };
  for (const auto& [grid, block, limit] :
       {std::tuple(R"([2, "n"])", "\"BLOCK\"",
                   "resources: grid: kernel `add` needs 70000 blocks along y, the limit is 65535"),
        std::tuple("1", "[1, 1, 128]",
                   "resources: block: kernel `add` needs 128 threads along z of a block, the limit is 64"),
        std::tuple("1", "2048",
                   "resources: block: kernel `add` needs 2048 threads along x of a block, the limit is 1024"),
        std::tuple("\"n * n\"", "\"BLOCK\"", "grid x: 'n * n' is 4900000000, not from 1 to 2147483647")}) {
    const std::string file = write_with(grid, block);
    for (const std::vector<std::string>& where :
         {std::vector<std::string>{"--device", "emulator"}, std::vector<std::string>{"--arch", "sm_90"}}) {
      const ProgramResult checked = sandbox_.tune({"check", "--problem", file, where[0], where[1]});
      EXPECT_EQ(checked.status, 3) << checked.out << checked.err;
      EXPECT_NE(checked.out.find(limit), std::string::npos) << checked.out << checked.err;
      EXPECT_NE(checked.out.find(", 1 cannot run here"), std::string::npos) << checked.out;
      EXPECT_NE(checked.err.find("no configuration can run here"), std::string::npos) << checked.err;
    }
  }
}

TEST_F(OwnKernel, ArgumentsOfOtherSizesFailWhereTheyAreCompiled) {
  std::string reason;
  if (!cuda::make_nvrtc_compiler("sm_90", &reason)) GTEST_SKIP() << reason;
  write("k.cu",
        "template<typename T> struct Number { T of; };\n"
        "template<typename T> __global__ void k(float* out, Number<T> factor) { out[BLOCK] = factor.of; }\n");
  const auto check = [&](const std::string& type) {
    const std::string file = write("k.json", R"json({"problem": "k", "kernel": "k.cu", "sizes": {"n": 64},
      "parameters": {"BLOCK": [32]},
      "arguments": {"out": {"type": "float", "size": "n", "access": "write"},
                    "factor": {"type": ")json" + type +
                                                 R"json(", "value": 2}},
      "launches": {"entry": "k<float>", "grid": 1, "block": 1}})json");
    return sandbox_.tune({"check", "--problem", file, "--arch", "sm_90", "--all"});
  };
  EXPECT_EQ(check("float").status, 0);
  const ProgramResult wrong = check("double");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.out.find("launch: arguments: argument 2 of kernel `k<float>` has 4 bytes, 8 are passed"),
            std::string::npos)
      << wrong.out << wrong.err;
}

/// Mentioned, but only where nothing is computed.
TEST_F(OwnKernel, AParameterThatChangesNoBinaryIsTold) {
  std::string reason;
  if (!cuda::make_nvrtc_compiler("sm_90", &reason)) GTEST_SKIP() << reason;
  write("k.cu",
        "extern \"C\" __global__ void k(float* out) {\n"
        "  if (sizeof(float) == 8) out[1] = UNROLL;\n"
        "  out[threadIdx.x] = DEPTH;\n}\n");
  const auto check = [&](const std::string& unroll) {
    const std::string file = write("k.json", R"json({"problem": "k", "kernel": "k.cu", "sizes": {"n": 64},
      "parameters": {"UNROLL": [1, 2, 4, 8], "DEPTH": [1, 2, 3], "BLOCK": [32, 64]},
      "arguments": {"out": {"type": "float", "size": "n", "access": "write"}},
      "launches": {"entry": "k", "grid": 1, "block": "BLOCK"}, "reference": "none"})json");
    if (unroll.empty())
      write("k.cu",
            "extern \"C\" __global__ void k(float* out) {\n"
            "  out[threadIdx.x] = DEPTH * UNROLL;\n}\n");
    return sandbox_.tune({"check", "--problem", file, "--arch", "sm_90", "--sample", "3"});
  };
  const ProgramResult told = check("dead");
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_TRUE(has(told.out, "3 configurations, 0 failed")) << told.out;
  EXPECT_TRUE(has(told.out, "parameter 'UNROLL' changed nothing in ")) << told.out;
  EXPECT_TRUE(has(told.out, "k.cu:2")) << told.out;
  EXPECT_FALSE(has(told.out, "'DEPTH'") || has(told.out, "'BLOCK'")) << told.out;
  const ProgramResult silent = check("");
  EXPECT_FALSE(has(silent.out, "changed nothing")) << silent.out;
}

TEST_F(OwnKernel, LongNamesOfParametersKeepTheirDistance) {
  const std::string file = write("long.json", R"json({"problem": "k", "kernel": "add.cu", "sizes": {"n": 64},
    "parameters": {"A_NAME_THAT_IS_LONGER_THAN_A_COLUMN": [1, 2], "B": [3]},
    "arguments": {"out": {"type": "float", "size": "n", "access": "write"}, "a": {"type": "float", "size": "n"},
                  "b": {"type": "float", "size": "n"}, "n": {"type": "int", "value": "n"}},
    "launches": {"entry": "add", "grid": 1, "block": 1}})json");
  const ProgramResult space = sandbox_.tune({"space", "--problem", file, "--arch", "sm_90"});
  EXPECT_NE(space.out.find("A_NAME_THAT_IS_LONGER_THAN_A_COLUMN  1 2  (default 1)\n"), std::string::npos)
      << space.out << space.err;
  EXPECT_NE(space.out.find("B                                    3  (default 3)\n"), std::string::npos)
      << space.out;
}

// A size that is not there to be checked at is not taken for a clean check.
TEST_F(NewKernel, WithoutSmallSizesAsksForOne) {
  sandbox_.tune({"new", path("add.cu"), "--no-check"});
  std::string json = read_file(path("add.json"));
  const std::size_t at = json.find("  \"check\"");
  json.erase(at, json.find('\n', at) - at);
  const std::string definition = write("unchecked.json", json);
  expect_refused(sandbox_.tune({"check", "--problem", definition, "--device", "emulator", "--sample", "1"}),
                 2, {"--size"});
  const ProgramResult outcome = sandbox_.tune(
      {"check", "--problem", definition, "--device", "emulator", "--sample", "1", "--size", "77"});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
}

/// A stored run of a definition with a setting: three configurations, one of which failed.
class StoredOwnKernel : public OwnKernel {
 protected:
  StoredOwnKernel()
      : definition_(write("scale.json", R"json({
          "problem": "scale", "kernel": "add.cu", "sizes": {"n": 4096}, "check": [{"n": 77}],
          "settings": {"real": {"values": ["float", "double"], "default": "double"}},
          "parameters": {"BLOCK": [64, 128, 256]},
          "arguments": {"out": {"type": "float", "size": "n", "access": "write"},
                        "a": {"type": "float", "size": "n"}, "b": {"type": "float", "size": "n"},
                        "n": {"type": "int", "value": "n"}},
          "launches": {"entry": "add", "grid": "ceil_div(n, BLOCK)", "block": "BLOCK"}})json")) {
    db::Database database(sandbox_.database());
    db::SqliteStore store(database);
    RunRecord run;
    run.key.instance = {"scale", {{"n", 4096}}, {{"real", "double"}}};
    run.key.device = device_named();
    run.key.toolchain = {"NVRTC 13.0 sm_90", "hash"};
    run.options.command_line = "tune --problem " + definition_;
    const RunId id = store.begin_run(run);
    for (const int block : {64, 128, 256}) {
      Evaluation evaluation;
      evaluation.configuration = {{"BLOCK", block}};
      Measurement measurement;
      measurement.samples = {1e-3 / block, 1e-3 / block, 1.1e-3 / block};
      evaluation.outcome = measurement;
      if (block == 256) evaluation.outcome = fail(Phase::verify, "wrong result", "invented");
      store.record(id, evaluation);
    }
  }
  std::string definition_;
};

TEST_F(StoredOwnKernel, IsExportedAsT4AndReadAgain) {
  const std::string file = path("scale.t4.json"), other = path("other.db");
  const ProgramResult exported =
      sandbox_.tune({"db", "export", "--format", "t4", "--problem", "scale", "--out", file});
  ASSERT_EQ(exported.status, 0) << exported.err;
  const auto json = nlohmann::json::parse(read_file(file));
  ASSERT_EQ(json["results"].size(), 3U);
  std::map<int, nlohmann::json> by_block;
  for (const auto& result : json["results"]) by_block[result["configuration"]["BLOCK"].get<int>()] = result;
  EXPECT_EQ(by_block.at(64)["invalidity"], "correct");
  EXPECT_EQ(by_block.at(64)["times"]["runtimes"].size(), 3U);
  EXPECT_EQ(by_block.at(256)["invalidity"], "correctness");
  const ProgramResult imported = sandbox_.tune({"db", "import", file, "--db", other});
  EXPECT_EQ(imported.status, 0) << imported.err;
  EXPECT_NE(imported.out.find("scale 4096 real=double"), std::string::npos) << imported.out;
  EXPECT_NE(imported.out.find("3 evaluations"), std::string::npos) << imported.out;
}

// Without naming the setting: the definition says what it is.
TEST_F(StoredOwnKernel, IsFoundByItsDefinition) {
  const std::vector<std::string> best = {"best", "--problem", definition_, "--device", "Invented H2"};
  const ProgramResult found = sandbox_.tune(best);
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_NE(found.out.find("BLOCK=128"), std::string::npos) << found.out;
  std::vector<std::string> other = best;
  other.insert(other.end(), {"--set", "real=float"});
  EXPECT_NE(sandbox_.tune(other).status, 0);
  // Its name alone finds it, too: with the stored sizes, without the definition's constraints.
  const ProgramResult named = sandbox_.tune({"best", "--problem", "scale", "--device", "Invented H2"});
  EXPECT_EQ(named.status, 0) << named.err;
  EXPECT_NE(named.out.find("BLOCK=128"), std::string::npos) << named.out;
  expect_refused(sandbox_.tune({"best", "--problem", "scales"}), 2, {"unknown problem 'scales'"});
  EXPECT_NE(sandbox_.tune({"report", "--problem", "scale"}).out.find("BLOCK"), std::string::npos);
}

TEST_F(StoredOwnKernel, MetricsAreShownWithTheResult) {
  std::string text = read_file(definition_);
  text.insert(text.rfind('}'), R"(, "metrics": {"elements a microsecond": "n / time / 1e6",
      "joules": "energy", "blocks": "n // BLOCK"})");
  std::vector<std::string> best = {"best", "--problem", write("scale.json", text), "--device", "Invented H2"};
  const ProgramResult found = sandbox_.tune(best);
  EXPECT_NE(found.out.find("elements a microsecond: 524.288\n"), std::string::npos) << found.out << found.err;
  EXPECT_NE(found.out.find("blocks: 32\n"), std::string::npos) << found.out;
  EXPECT_EQ(found.out.find("joules"), std::string::npos) << "no energy was measured: " << found.out;
  best.insert(best.end(), {"--format", "json"});
  const auto json = nlohmann::json::parse(sandbox_.tune(best).out);
  EXPECT_EQ(json["metrics"]["blocks"], 32);
}

/// What another program measured of the kernel, which knows no settings and calls the extent x.
class ImportedOwnKernel : public StoredOwnKernel {
 protected:
  ImportedOwnKernel() {
    write(
        "add.cu",
        "#ifndef real\n#define real double\n#endif\n#ifndef TILE\n#define TILE 1\n#endif\n#ifndef ROWS\n#define ROWS 1\n#endif\n__device__ const int tile = TILE * ROWS;\n" +
            read_file(path("add.cu")));
    std::string entries;
    for (int block = 32; block <= 512; block *= 2)
      for (int tile = 1; tile <= 3; ++tile)
        entries += std::string(entries.empty() ? "" : ", ") + "\"" + std::to_string(block) + "," +
                   std::to_string(tile) + "\": {\"BLOCK\": " + std::to_string(block) +
                   ", \"TILE\": " + std::to_string(tile) +
                   ", \"time\": " + std::to_string(0.5 + 64.0 / block + tile) + "}";
    const std::string file =
        write("cache.json",
              R"({"device_name": "NVIDIA A100", "kernel_name": "tiled", "problem_size": [4096],
            "tune_params_keys": ["BLOCK", "TILE"], "tune_params": {}, "cache": {)" +
                  entries + "}}");
    file_ = file;
    EXPECT_EQ(sandbox_.tune({"db", "import", file, "--db", imported_}).status, 0);
    std::string text = read_file(definition_);
    text.replace(text.find("\"scale\""), 7, "\"tiled\"");
    text.replace(text.find("\"BLOCK\": ["), 0, "\"TILE\": [1, 2, 3, 4], ");
    tiled_ = write("tiled.json", text);
  }
  std::string imported_ = path("imp.db"), tiled_, file_;
};

TEST_F(ImportedOwnKernel, IsReplayedWithItsDefinition) {
  const std::vector<std::string> call = {
      "run",  "--problem",    tiled_,     "--device", "replay:" + imported_, "--strategy", "grid", "--quiet",
      "--db", path("new.db"), "--format", "json"};
  const ProgramResult run = sandbox_.tune(call);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["space_size"], 9) << "3 of 5 blocks, 3 of 4 tiles: " << run.out;
  EXPECT_EQ(json["best"]["configuration"]["BLOCK"], 256);
  EXPECT_EQ(json["origin"], "replayed");
  EXPECT_NE(
      run.err.find(
          "replaying what Kernel Tuner measured of tiled 4096 on NVIDIA A100 (its extents x taken as n): "
          "9 of 15 configurations are of this problem; nothing was checked"),
      std::string::npos)
      << run.err;
  std::vector<std::string> other = call;
  other.insert(other.end(), {"--size", "8192"});
  const std::string error = sandbox_.tune(other).err;
  EXPECT_NE(error.find("\n  tune run tiled --size 4096 --device replay:"), std::string::npos) << error;
  std::string renamed = read_file(tiled_);
  for (std::size_t at = 0; (at = renamed.find("TILE", at)) != std::string::npos;)
    renamed.replace(at, 4, "ROWS");
  other = call;
  other[2] = write("renamed.json", renamed);
  expect_refused(sandbox_.tune(other), 2,
                 {"only the recording has TILE (1, 2, 3), and only tiled has ROWS (1, 2, 3, 4)",
                  "give the definition's parameters the names of the recording"});
}

// One command, without a database between them.
TEST_F(ImportedOwnKernel, OfAFileIsReplayedWithItsDefinition) {
  const auto with = [&](const std::string& definition, std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "--problem", definition, "--device", "replay:" + file_, "--strategy",
                               "grid", "--quiet", "--format", "json"});
    return sandbox_.tune(more);
  };
  const ProgramResult run = with(tiled_, {});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["space_size"], 9);
  EXPECT_EQ(json["best"]["configuration"]["BLOCK"], 256);
  EXPECT_NE(run.err.find("measured of tiled 4096 on NVIDIA A100 (its extents x taken as n): 9 of 15"),
            std::string::npos)
      << run.err;
  expect_refused(with(tiled_, {"--size", "8192"}), 2, {"was recorded at 4096", "leave --size out"});
  std::string text = read_file(tiled_);
  text.replace(text.find("4096"), 4, "1024");
  text.replace(text.find("[1, 2, 3, 4]"), 12, "[1.0, 2.0, 5.0]");
  text.replace(text.find("\"tiled\""), 7, "\"mine\"");
  const ProgramResult other = with(write("mine.json", text), {});
  ASSERT_EQ(other.status, 0) << other.err;
  EXPECT_NE(other.err.find("of mine 4096 on NVIDIA A100 (its kernel tiled taken as mine): 6 of 15"),
            std::string::npos)
      << other.err;
  text.replace(text.find("[1.0, 2.0, 5.0]"), 15, "[7, 8]");
  expect_refused(with(write("mine.json", text), {}), 2,
                 {"TILE is 1, 2, 3 in the recording, and 7, 8 in mine"});
  // A second parameter that was never varied there needs one value.
  text.replace(text.find("\"TILE\": [7, 8]"), 14, R"("TILE": [1, 2], "ROWS": [1, 2])");
  const std::string more = write("mine.json", text);
  expect_refused(with(more, {}), 2, {"only mine has ROWS (1, 2): choose a value", "--fix"});
  EXPECT_EQ(nlohmann::json::parse(with(more, {"--fix", "ROWS=2"}).out)["space_size"], 6);
}

TEST_F(ImportedOwnKernel, OfAFileIsComparedInTheSpaceOfItsDefinition) {
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"replay", "--space", file_, "--strategy", "random", "--budget", "4", "--repeats", "2"});
    return sandbox_.tune(more);
  };
  const ProgramResult whole = with({}), own = with({"--problem", tiled_});
  ASSERT_EQ(own.status, 0) << own.err;
  EXPECT_NE(whole.out.find("15 configurations"), std::string::npos) << whole.out;
  EXPECT_NE(own.out.find("9 configurations"), std::string::npos) << own.out;
  EXPECT_NE(own.err.find("9 of 15 configurations are of this problem"), std::string::npos) << own.err;
  expect_refused(with({"--size", "4096"}), 2, {"--size and --set need --problem"});
}

TEST_F(ImportedOwnKernel, AnswersWhereItIsAskedFor) {
  std::vector<std::string> best = {"best", "--problem", tiled_, "--db", imported_};
  expect_refused(sandbox_.tune(best), 3,
                 {"no result of tiled", "there are imported results of tiled: --imported"});
  best.emplace_back("--imported");
  const ProgramResult found = sandbox_.tune(best);
  ASSERT_EQ(found.status, 0) << found.err;
  EXPECT_NE(found.out.find("BLOCK=256"), std::string::npos) << "512 is none of this problem's: " << found.out;
}

TEST_F(ImportedOwnKernel, StartsASearch) {
  const std::string own = path("own.db");
  ASSERT_EQ(sandbox_.tune({"db", "merge", imported_, "--db", own}).status, 0);
  const Instance instance = {"tiled", {{"n", 4096}}, {{"real", "double"}}};
  const db::Database database(own);
  WorkloadKey key;
  key.instance = instance;
  key.device = device_named("NVIDIA A100");
  const auto related = db::related_workloads(database, key);
  ASSERT_EQ(related.size(), 1U);
  EXPECT_EQ(related[0].workload.origin, Origin::imported);
  EXPECT_EQ(db::related_results(database, related[0], 100).size(), 15U);
}

// What was never compared must not answer for what is.
TEST_F(StoredOwnKernel, ResultsOfAnotherReferenceAreOtherResults) {
  const auto hash_with = [&](const std::string& reference) {
    cli::ProblemOptions options;
    options.problem = definition_;
    options.reference = reference;
    const cli::ProblemSelection selection = cli::selected_problem(options);
    return source_hash(*selection.problem, *cli::chosen_sources(*selection.problem));
  };
  EXPECT_NE(hash_with(""), hash_with("none"));
  EXPECT_NE(hash_with("none"), hash_with("same:BLOCK"));
  EXPECT_EQ(hash_with("none"), hash_with("none"));
  expect_refused(sandbox_.tune({"check", "--problem", "gemm", "--reference", "none"}), 2, {"--reference"});
  expect_refused(sandbox_.tune({"check", "--stencil", "a.stencil", "--reference", "none"}), 2,
                 {"--reference"});
}

TEST_F(OwnKernel, OfAHugeSpaceIsCountedAndSampled) {
  std::string parameters;
  for (char name = 'A'; name < 'M'; ++name)
    parameters +=
        std::string(parameters.empty() ? "" : ", ") + "\"" + name + "\": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
  const std::string definition = write("huge.json", R"json({
    "problem": "huge", "kernel": "add.cu", "sizes": {"n": 128}, "parameters": {)json" +
                                                        parameters + R"json(},
    "constraints": ["A * B <= 50 && B + C != 7", "A != L"],
    "arguments": {"out": {"type": "float", "size": "n", "access": "write"}, "a": {"type": "float", "size": "n"},
                  "b": {"type": "float", "size": "n"}, "n": {"type": "int", "value": "n"}},
    "launches": {"entry": "add", "grid": 1, "block": 128}})json");
  std::uint64_t expected = 0;
  for (int a = 1; a <= 10; ++a)
    for (int b = 1; b <= 10; ++b)
      for (int c = 1; c <= 10; ++c) expected += a * b <= 50 && b + c != 7 ? 9 * 100'000'000ULL : 0;
  const ProgramResult counted =
      sandbox_.tune({"space", "--problem", definition, "--arch", "sm_90", "--count"});
  EXPECT_EQ(counted.out, std::to_string(expected) + "\n") << counted.err;
  const ProgramResult sampled = sandbox_.tune(
      {"space", "--problem", definition, "--arch", "sm_90", "--sample", "4", "--format", "json"});
  const auto json = nlohmann::json::parse(sampled.out);
  EXPECT_EQ(json["valid"].get<std::uint64_t>(), expected);
  ASSERT_EQ(json["sample"].size(), 4U);
  for (const auto& one : json["sample"])
    EXPECT_TRUE(one["A"].get<int>() * one["B"].get<int>() <= 50 && one["A"] != one["L"]) << one;
  expect_refused(sandbox_.tune({"space", "--problem", definition, "--count", "--sample", "2"}), 2,
                 {"--sample"});
}

}  // namespace
}  // namespace tune::testing
