// SPDX-License-Identifier: Apache-2.0
// A call that is saved becomes a definition with its data, which the emulator carries out.
#include "library/dispatcher/capture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "library/dispatcher/captured_definition.hpp"
#include "library/dispatcher/dispatcher_pool.hpp"
#include "tests/library/fake_streams.hpp"
#include "tests/library/toy.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"

namespace tune::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Factor {
  float value;
  int step;
};

const char* const kernel = R"(
struct Factor { float value; int step; };
extern "C" __global__ void toy(const float* in, float* out, float two, Factor factor, int n) {
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
    out[i] = two * factor.value * in[i] + 0 * ITEMS;
}
)";

/// The invented device reads `block` and `items`, which mean something else on the emulator.
void leave_defines_out(const std::string& file) {
  auto definition = nlohmann::ordered_json::parse(std::ifstream(file));
  EXPECT_EQ(definition["kernel"]["defines"].size(), 2U);
  definition["kernel"].erase("defines");
  std::ofstream(file) << definition;
}

/// The toy kernel with a grid and a constraint that are functions, as users of the library write them.
api::Problem toy() {
  api::Problem problem("toy");
  problem.size("nx", 1000)
      .parameter("BLOCK", {32, 64, 128, 256}, 128)
      .parameter("ITEMS", {1, 2, 4})
      .constraint([](const api::Configuration& c) { return c["BLOCK"] * c["ITEMS"] <= 512; }, "too large")
      .input<float>("in", "nx")
      .output<float>("out", "nx")
      .scalar<float>("two", 2.0f)
      .structure("factor", Factor{1, 1})
      .scalar<int>("n", "nx")
      .kernel(api::Kernel::from_source(kernel, "toy.cu").define("block", "BLOCK").define("items", "ITEMS"),
              "toy")
      .grid([](const api::Configuration& c, const api::Sizes& sizes) {
        return api::Dim3((sizes["nx"] + c["BLOCK"] * c["ITEMS"] - 1) / (c["BLOCK"] * c["ITEMS"]));
      })
      .block("BLOCK")
      .reference([](api::HostData& data) {
        for (std::size_t i = 0; i < data.result("out").size; ++i)
          data.result("out")[i] = 2 * static_cast<double>(data.input<float>("in")[i]);
      })
      .tolerance(1e-6)
      .check_at({{"nx", 37}});
  return problem;
}

class Captured : public ::testing::Test {
 protected:
  Captured() {
    setenv("TUNE_CAPTURE_DIR", (folder_.path() / "captured").c_str(), 1);
    for (std::size_t i = 0; i < in_.size(); ++i) in_[i] = static_cast<float>(i) / 7;
  }
  ~Captured() override {
    unsetenv("TUNE_CAPTURE");
    unsetenv("TUNE_CAPTURE_DIR");
  }
  api::Dispatcher dispatcher(const api::Problem& problem) {
    api::DispatchOptions options;
    options.database = (folder_.path() / "results.db").string();
    options.slowdown = 0;
    return api::Dispatcher(std::make_unique<api::Dispatcher::Engine>(
        problem, api::Sizes{}, options,
        std::make_shared<api::CheckingDevice>(std::make_unique<FakeBackend>()),
        std::make_unique<FakeStreams>(log_)));
  }
  void call(api::Dispatcher& dispatcher) {
    const float* in = in_.data();
    dispatcher.launch(nullptr, in, out_.data(), 2.0f, Factor{1, 7});
  }
  std::vector<std::string> entries() const {
    std::vector<std::string> names;
    if (std::filesystem::exists(folder_.path() / "captured"))
      for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "captured"))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
  }

  TemporaryFolder folder_;
  FakeStreams::Log log_;
  std::vector<float> in_ = std::vector<float>(1000), out_ = std::vector<float>(1000, -1);
};

TEST_F(Captured, TheCallIsADefinitionThatTheEmulatorConfirms) {
  setenv("TUNE_CAPTURE", "other,toy:2", 1);
  api::Dispatcher tuning = dispatcher(toy());
  call(tuning);
  EXPECT_TRUE(entries().empty()) << "the second call is asked for";
  call(tuning);
  EXPECT_THAT(tuning.state().notice, HasSubstr("toy 1000 is captured"));
  EXPECT_THAT(entries(), ElementsAre("toy-1000"));
  call(tuning);
  EXPECT_THAT(entries(), ElementsAre("toy-1000")) << "once";
  EXPECT_EQ(log_.launches["/128/1"], 3);

  const std::string file = (folder_.path() / "captured" / "toy-1000" / "toy.json").string();
  leave_defines_out(file);
  api::Options options;
  options.device = "emulator";
  options.strategy = "grid";
  api::Tuner tuner(options);
  const api::Result result = tuner.run(api::Problem::from_definition(file));
  EXPECT_EQ(result.space_size, 11U) << "without 256 x 4";
  EXPECT_EQ(result.right, 11U) << (result.wrong.empty() ? "" : result.wrong.front().failure->detail);

  // The recorded output is what results are compared with.
  const std::filesystem::path after = std::filesystem::path(file).parent_path() / "out.after.bin";
  std::fstream out(after, std::ios::in | std::ios::out | std::ios::binary);
  const float other = 1e6f;
  out.seekp(40);
  out.write(reinterpret_cast<const char*>(&other), sizeof other);
  out.close();
  const api::Evaluation one = tuner.evaluate(api::Problem::from_definition(file), {});
  ASSERT_FALSE(one.right());
  EXPECT_EQ(one.failure->phase, "verify");
}

TEST_F(Captured, ACallThatIsRecordedIntoAGraphIsNot) {
  setenv("TUNE_CAPTURE", "toy:2", 1);
  api::Dispatcher tuning = dispatcher(toy());
  call(tuning);
  log_.capturing = true;
  call(tuning);
  EXPECT_TRUE(entries().empty());
  log_.capturing = false;
  call(tuning);
  EXPECT_THAT(entries(), ElementsAre("toy-1000")) << "the first one that can be saved";
}

TEST_F(Captured, ASecondCaptureKeepsTheFirst) {
  setenv("TUNE_CAPTURE", "all", 1);
  for (int i = 0; i < 2; ++i) {
    api::Dispatcher tuning = dispatcher(toy());
    call(tuning);
  }
  EXPECT_THAT(entries(), ElementsAre("toy-1000", "toy-1000.2"));
}

TEST_F(Captured, WhatCannotBeCapturedIsLaunchedAllTheSame) {
  setenv("TUNE_CAPTURE", "toy", 1);
  std::ofstream(folder_.path() / "file") << "no folder";
  setenv("TUNE_CAPTURE_DIR", (folder_.path() / "file").c_str(), 1);
  api::Dispatcher tuning = dispatcher(toy());
  call(tuning);
  EXPECT_THAT(tuning.state().notice, HasSubstr("toy 1000 is not captured: cannot write "));
  EXPECT_EQ(log_.launches["/128/1"], 1);
  EXPECT_EQ(out_[7], 2 * in_[7]);

  setenv("TUNE_CAPTURE_DIR", (folder_.path() / "captured").c_str(), 1);
  api::Problem many = toy();
  many.parameter("unroll", {1, 2, 3, 4, 5, 6, 7, 8}).parameter("more", {1, 2, 3, 4, 5, 6, 7, 8});
  api::Dispatcher large = dispatcher(many);
  call(large);
  EXPECT_THAT(large.state().notice, HasSubstr("is a function, which a definition can have for at most 512"));
  EXPECT_TRUE(entries().empty());

  api::Dispatcher infinite = dispatcher(toy());
  const float* in = in_.data();
  infinite.launch(nullptr, in, out_.data(), std::numeric_limits<float>::infinity(), Factor{1, 7});
  EXPECT_THAT(infinite.state().notice, HasSubstr("'two' is inf, which a definition cannot have"));
}

// A definition whose results are compared in part, within limits of elements, and judged by a program.
constexpr const char* judged_definition = R"json({
  "problem": "toy", "kernel": "toy.cu",
  "sizes": {"nx": {"default": 1000, "help": "numbers"}},
  "check": [{"nx": 37}],
  "parameters": {"BLOCK": {"values": [32, 64, 128, 256], "default": 128}, "ITEMS": [1, 2]},
  "arguments": {
    "in": {"type": "float", "size": "nx"},
    "out": {"type": "float", "size": "nx", "access": "write", "compare": {"to": "nx - 1", "where": "i != 3"},
            "tolerance": {"absolute": "1e-5 + 0 * i", "each": 1e-6}},
    "copy": {"type": "float", "size": "nx", "access": "write"},
    "two": {"type": "float", "value": 2},
    "n": {"type": "int32", "value": "nx"}},
  "launches": {"entry": "toy", "grid": "ceil_div(nx, BLOCK * ITEMS)", "block": "BLOCK"},
  "verify": {"command": ["sh", "tools/judge.sh", "{copy}", "{nx}", "{BLOCK}"], "seconds": 30},
  "metrics": {"numbers a second": "nx / time"},
  "work": {"items": "nx", "item": "number"},
  "budget": {"evaluations": 3}
})json";
constexpr const char* judged_kernel = R"(
extern "C" __global__ void toy(const float* in, float* out, float* copy, float two, int n) {
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
    out[i] = two * in[i] + 0 * ITEMS;
    copy[i] = in[i];
  }
}
)";

/// Saves a call in the default configuration, whose results `launch` computes. `given`: the values of the
/// call.
struct SavedCall {
  SavedCall(const api::Problem& problem, const std::filesystem::path& folder, const std::vector<void*>& given,
            const std::function<void()>& launch) {
    const auto described = api::made_described(problem.spec());
    const Instance instance = api::instance_at(described->info(), {});
    const search::SearchSpace space = described->valid_space(instance, architecture_properties("sm_90"));
    const search::Configuration configuration = space.at(*space.default_configuration());
    const api::CallVariables variables(*described, instance);
    FakeStreams::Log log;
    FakeStreams runner(log);
    api::Capture capture({*described, instance, space, configuration, runner, nullptr, given, variables},
                         folder);
    launch();
    file = capture.complete().string();
    left_out = capture.left_out();
    definition = nlohmann::ordered_json::parse(std::ifstream(file));
  }
  std::string file;
  std::vector<std::string> left_out;
  nlohmann::ordered_json definition;
};

api::Result checked_on_emulator(const std::string& file) {
  api::Options options;
  options.device = "emulator";
  options.strategy = "grid";
  options.evaluations = 100;
  return api::Tuner(options).run(api::Problem::from_definition(file));
}

TEST_F(Captured, ADefinitionKeepsHowItsResultsAreJudged) {
  std::filesystem::create_directory(folder_.path() / "tools");
  std::ofstream(folder_.path() / "tools" / "judge.sh") << "test -s $1 && test $2 = 1000 && test $3 != 64\n";
  const api::Problem problem =
      api::Problem::from_text(judged_definition, folder_.path().string(), {{"toy.cu", judged_kernel}});
  std::vector<float> copy(1000);
  const float* in = in_.data();
  float *out = out_.data(), *copied = copy.data();
  float two = 2;
  const SavedCall saved(problem, folder_.path() / "captured", {&in, &out, &copied, &two}, [&] {
    for (std::size_t i = 0; i < in_.size(); ++i) out_[i] = 2 * in_[i];
    out_[3] = out_[999] = -1;  // do not count
  });
  EXPECT_EQ(saved.definition["sizes"]["nx"]["help"], "numbers");
  EXPECT_EQ(saved.definition["metrics"]["numbers a second"], "nx / time");
  EXPECT_EQ(saved.definition["work"]["item"], "number");
  EXPECT_EQ(saved.definition["budget"]["evaluations"], 3);
  EXPECT_EQ(saved.definition["arguments"]["out"]["tolerance"]["absolute"], "1e-5 + 0 * i");
  EXPECT_EQ(saved.definition["arguments"]["two"]["value"], 2);
  EXPECT_THAT(saved.left_out,
              ElementsAre(HasSubstr("'verify' runs a copy of tools/judge.sh: copy other files"),
                          HasSubstr("the small sizes of checks are left out")));
  std::filesystem::remove_all(folder_.path() / "tools");
  const api::Result result = checked_on_emulator(saved.file);
  EXPECT_EQ(result.space_size, 8U);
  EXPECT_EQ(result.right, 6U) << (result.wrong.empty() ? "" : result.wrong.front().failure->detail);
  for (const api::Evaluation& wrong : result.wrong) EXPECT_EQ(wrong.configuration["BLOCK"], 64);
}

// Functions become files, or a line.
TEST_F(Captured, FunctionsThatJudgeAreLeftOutAndLimitsAreFiles) {
  api::Problem problem = toy();
  problem.arguments({"in", "out", "two", "factor", "n"})
      .inout<float>("extra", "nx")
      .tolerance("out",
                 [](std::size_t i, const api::Sizes& sizes) {
                   return i + 1 < static_cast<std::size_t>(sizes["nx"]) ? 1e-3 : 1e9;
                 })
      .compare("out", 1, [](const api::Sizes& sizes) { return static_cast<double>(sizes["nx"]); })
      .judge({"extra"}, [](const api::Results&) { return std::string("never right"); });
  std::vector<float> extra(1000);
  const float* in = in_.data();
  float *out = out_.data(), *more = extra.data();
  float two = 2;
  Factor factor{1, 7};
  const SavedCall saved(problem, folder_.path() / "captured", {&in, &out, &two, &factor, &more}, [&] {
    for (std::size_t i = 0; i < in_.size(); ++i) out_[i] = 2 * in_[i];
  });
  EXPECT_THAT(saved.left_out, ElementsAre(HasSubstr("a function judges 'extra'"), HasSubstr("small sizes")));
  const auto& arguments = saved.definition["arguments"];
  EXPECT_EQ(arguments["extra"]["access"], "scratch");
  EXPECT_EQ(arguments["out"]["compare"]["to"], 1000);
  EXPECT_EQ(arguments["out"]["tolerance"]["absolute"]["file"], "out.absolute.bin");
  std::vector<double> limits(1000);
  std::ifstream(std::filesystem::path(saved.file).parent_path() / "out.absolute.bin", std::ios::binary)
      .read(reinterpret_cast<char*>(limits.data()), 8000);
  EXPECT_EQ(limits[998], 1e-3);
  EXPECT_EQ(limits[999], 1e9);
}

// A result that depends on a parameter is recorded for one of its values; steps and loops stay.
TEST_F(Captured, LoopsStayAndResultsOfOtherValuesAreLeftOut) {
  const api::Problem problem = api::Problem::from_text(
      R"json({"problem": "twice", "kernel": "twice.cu", "sizes": {"n": 100},
        "parameters": {"STEPS": {"values": [1, 2, 3], "default": 2}, "BLOCK": [32, 64]},
        "arguments": {"a": {"type": "float", "size": "n", "access": "both"},
                      "b": {"type": "float", "size": "n", "access": "scratch"}},
        "launches": [{"entry": "twice", "grid": "ceil_div(n, BLOCK)", "block": "BLOCK", "repeat": "2 * STEPS",
                      "swap": ["a", "b"]}],
        "reference": {"same": "STEPS"}})json",
      ".",
      {{"twice.cu",
        "extern \"C\" __global__ void twice(const float* a, float* b) {\n"
        "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < 100) b[i] = 2 * a[i];\n}\n"}});
  std::vector<float> a(100, 1.0f), b(100);
  float *first = a.data(), *second = b.data();
  const SavedCall saved(problem, folder_.path() / "captured", {&first, &second},
                        [&] { a.assign(100, 16.0f); });
  EXPECT_EQ(saved.definition["launches"][0]["repeat"], "2 * STEPS");
  EXPECT_EQ(saved.definition["launches"][0]["swap"][0][1], "b");
  EXPECT_THAT(saved.left_out, ElementsAre(HasSubstr("results depend on STEPS")));
  const api::Result result = checked_on_emulator(saved.file);
  EXPECT_EQ(result.space_size, 2U);
  EXPECT_EQ(result.right, 2U) << (result.wrong.empty() ? "" : result.wrong.front().failure->detail);
}

TEST_F(Captured, OnlyNamedProblemsAre) {
  setenv("TUNE_CAPTURE", "toys", 1);
  EXPECT_FALSE(api::capture_request("toy"));
  setenv("TUNE_CAPTURE", "toy:x", 1);
  EXPECT_THROW(api::capture_request("toy"), UsageError);
  setenv("TUNE_CAPTURE", "toy:0", 1);
  EXPECT_THROW(api::capture_request("toy"), UsageError);
  setenv("TUNE_CAPTURE", "toy:12", 1);
  EXPECT_EQ(api::capture_request("toy")->call, 12U);
}

/// Runs `tune capture` with a shell in the place of an application; returns its status and what it said.
std::string tune_capture(const std::filesystem::path& folder, const std::string& options,
                         const std::string& script) {
  std::ofstream(folder / "app.sh") << script;
  const std::string out = (folder / "said").string();
  const int status = std::system(("cd '" + folder.string() + "' && '" TUNE_PROGRAM "' capture " + options +
                                  " -- sh app.sh --size 3 >'" + out + "' 2>&1")
                                     .c_str());
  std::ostringstream text;
  text << WEXITSTATUS(status) << "\n" << std::ifstream(out).rdbuf();
  return text.str();
}

TEST_F(Captured, TheCommandRunsTheProgramAndSaysWhatItSaved) {
  const std::string saves =
      "mkdir -p \"$TUNE_CAPTURE_DIR/toy-1\" && echo \"$TUNE_CAPTURE $*\" && "
      "touch \"$TUNE_CAPTURE_DIR/toy-1/toy.json\"\n";
  EXPECT_EQ(tune_capture(folder_.path(), "--name toy,other --call 3 --dir saved", saves),
            "0\ntoy:3,other:3 --size 3\ncaptured saved/toy-1/toy.json\n"
            "  check it:  tune check --problem saved/toy-1/toy.json\n"
            "  tune it:   tune --problem saved/toy-1/toy.json\n");
  EXPECT_THAT(tune_capture(folder_.path(), "--dir saved", saves),
              HasSubstr("nothing was captured: sh made no call"))
      << "what was there before does not count";
  EXPECT_THAT(tune_capture(folder_.path(), "--dir other", saves + "exit 5\n"),
              HasSubstr("ended with status 5"));
  EXPECT_THAT(tune_capture(folder_.path(), "--name ,", saves), ::testing::StartsWith("2\n"));
  EXPECT_THAT(tune_capture(folder_.path(), "--dir moved", "cd /\n" + saves),
              HasSubstr("captured moved/toy-1/toy.json"))
      << "the program works in another folder";
}

}  // namespace
}  // namespace tune::testing
