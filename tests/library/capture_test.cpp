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
#include <nlohmann/json.hpp>
#include <sstream>

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
}

}  // namespace
}  // namespace tune::testing
