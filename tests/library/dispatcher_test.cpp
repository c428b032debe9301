// SPDX-License-Identifier: Apache-2.0
// Tuning while a program works, on a device that does not exist.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <thread>

#include "db/read/best.hpp"
#include "library/dispatcher/dispatcher_engine.hpp"
#include "tests/library/fake_streams.hpp"
#include "tests/library/in_fork.hpp"
#include "tests/library/toy.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"

namespace tune::testing {
namespace {

using ::testing::HasSubstr;

const api::Configuration fastest{{"kind", "plain"}, {"block", 256}, {"items", 4}};

class Online : public ::testing::Test {
 protected:
  api::DispatchOptions options() {
    api::DispatchOptions all;
    all.database = (folder_.path() / "results.db").string();
    return all;
  }
  api::Dispatcher dispatcher(const api::DispatchOptions& options, const api::Problem& problem = toy_in_code(),
                             const api::Sizes& sizes = {}) {
    return api::Dispatcher(std::make_unique<api::Dispatcher::Engine>(
        problem, sizes, options, std::make_shared<api::CheckingDevice>(std::make_unique<FakeBackend>()),
        std::make_unique<FakeStreams>(log_)));
  }
  /// Calls until it has settled; every call's results have to be right.
  void work_until_settled(api::Dispatcher& dispatcher) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (int i = 0; !dispatcher.state().settled; ++i) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "it does not settle";
      work(dispatcher, i);
      if (i % 64 == 0) std::this_thread::yield();
    }
  }
  void work(api::Dispatcher& dispatcher, int i = 1) {
    in_[static_cast<std::size_t>(i) % in_.size()] = static_cast<float>(i);
    std::fill(out_.begin(), out_.end(), -1.0f);
    const float* in = in_.data();
    dispatcher.launch(nullptr, in, out_.data());
    for (std::size_t k = 0; k < in_.size(); ++k) ASSERT_EQ(out_[k], 2 * in_[k]);
  }
  std::vector<db::BestCandidate> best(CacheState cache) {
    const db::Database database(folder_.path() / "results.db", db::OpenMode::read_only);
    return db::best(database, {.problem = "toy", .extents = {{"nx", 1000}}, .cache = cache});
  }

  tune::testing::TemporaryFolder folder_;
  FakeStreams::Log log_;
  std::vector<float> in_ = std::vector<float>(1000, 1.0f), out_ = std::vector<float>(1000);
};

TEST_F(Online, SettlesOnTheFastestAndStoresIt) {
  {
    api::Dispatcher tuning = dispatcher(options());
    EXPECT_EQ(tuning.state().configuration,
              (api::Configuration{{"kind", "plain"}, {"block", 128}, {"items", 1}}));
    work_until_settled(tuning);
    const api::DispatchState state = tuning.state();
    EXPECT_EQ(state.configuration, fastest);
    EXPECT_EQ(state.tried, 11U);
    EXPECT_EQ(state.failed, 12U) << "the wrong ones";
    EXPECT_EQ(state.notice, "");
    EXPECT_LE(state.lost, 0.1 * state.seconds + 4e-5);
    EXPECT_NEAR(state.best_seconds, 1e-6, 2e-8);
  }
  const auto found = best(CacheState::warm);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().result.configuration.key(), "block=256,items=4,kind=plain");
  EXPECT_NEAR(*found.front().result.time, 1e-6, 1e-7);
  EXPECT_TRUE(best(CacheState::cold).empty()) << "times of a working program are no times with cold caches";
}

TEST_F(Online, TimesThatDriftAreTunedAgain) {
  api::Dispatcher tuning = dispatcher(options());
  work_until_settled(tuning);
  ASSERT_EQ(tuning.state().configuration, fastest);
  for (int i = 0; i < 500; ++i) work(tuning);  // the band
  {
    const std::lock_guard lock(log_.mutex);
    log_.factors["plain/256/4"] = 3;
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (tuning.state().retuned == 0) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    work(tuning);
  }
  work_until_settled(tuning);
  EXPECT_EQ(tuning.state().retuned, 1U);
  EXPECT_NEAR(tuning.state().best_seconds, 2e-6, 1e-7) << tuning.state().configuration.to_string();
}

TEST_F(Online, WithoutFollowingDriftNothingIsTimedOnceSettled) {
  api::DispatchOptions all = options();
  all.follow_drift = false;
  api::Dispatcher tuning = dispatcher(all);
  work_until_settled(tuning);
  const int timed = log_.timed;
  for (int i = 0; i < 200; ++i) work(tuning);
  EXPECT_EQ(log_.timed, timed);
}

TEST_F(Online, ATrialNowNeedsNoOtherCalls) {
  api::Dispatcher tuning = dispatcher(options());
  tuning.pause();
  for (int i = 0; i < 100; ++i) work(tuning);
  EXPECT_EQ(log_.launches.size(), 1U) << "paused";
  EXPECT_TRUE(tuning.state().paused);
  const float* in = in_.data();
  int trials = 0;
  while (tuning.try_now(nullptr, in, out_.data())) ++trials;
  EXPECT_EQ(trials, 11);
  EXPECT_EQ(tuning.state().configuration, fastest);
  EXPECT_EQ(tuning.state().lost, 0);
  EXPECT_FALSE(tuning.try_now(nullptr, in, out_.data()));
  log_.capturing = true;
  EXPECT_THROW(tuning.try_now(nullptr, in, out_.data()), api::Error);
}

TEST_F(Online, APauseEnds) {
  api::Dispatcher tuning = dispatcher(options());
  tuning.pause();
  work(tuning);
  tuning.resume();
  work_until_settled(tuning);
  EXPECT_EQ(tuning.state().configuration, fastest);
}

// Its thread is not in the fork, and its worker and database are the parent's.
TEST_F(Online, AForkLeavesItToItsParent) {
  auto tuning = std::make_unique<api::Dispatcher>(dispatcher(options()));
  work(*tuning);
  EXPECT_TRUE(ends_in_fork([&] { tuning.reset(); }));
  work_until_settled(*tuning);
  EXPECT_EQ(tuning->state().configuration, fastest);
}

TEST_F(Online, AFinishEndsATrialThatWaits) {
  auto backend = std::make_unique<FakeBackend>();
  const FakeCompiler& compiler = backend->compiler();
  compiler.slow_block = 64;
  api::DispatchOptions two = options();
  two.where = "items == 1 and (block == 128 and kind == 'plain' or block == 64 and kind == 'wrong')";
  api::Dispatcher tuning(std::make_unique<api::Dispatcher::Engine>(
      toy_in_code(), api::Sizes{}, two, std::make_shared<api::CheckingDevice>(std::move(backend)),
      std::make_unique<FakeStreams>(log_)));
  std::future<bool> trial = std::async(std::launch::async, [&] {
    const float* in = in_.data();
    return tuning.try_now(nullptr, in, out_.data());
  });
  while (compiler.compiled < 2) std::this_thread::yield();
  std::jthread finish([&] { tuning.finish(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  compiler.release = true;
  compiler.release.notify_all();
  ASSERT_EQ(trial.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  EXPECT_FALSE(trial.get());
}

TEST_F(Online, WhatIsWrongIsNeverLaunched) {
  api::Dispatcher tuning = dispatcher(options());
  work_until_settled(tuning);
  for (const auto& [name, count] : log_.launches) EXPECT_THAT(name, HasSubstr("plain/"));
  EXPECT_EQ(log_.launches.size(), 12U);
}

// The reference is then a plan, too, and only one plan is on the device at a time.
TEST_F(Online, WithoutAReferenceTheDefaultIsTakenForRight) {
  const api::Problem problem = toy_in_code().reference(std::function<void(api::HostData&)>());
  api::Dispatcher tuning = dispatcher(options(), problem);
  work_until_settled(tuning);
  EXPECT_EQ(tuning.state().configuration, fastest);
  EXPECT_EQ(tuning.state().failed, 12U);
}

TEST_F(Online, AStrategyMayHaveOptions) {
  api::DispatchOptions all = options();
  all.strategy = "model:start=2";
  api::Dispatcher tuning = dispatcher(all);
  work_until_settled(tuning);
  EXPECT_EQ(tuning.state().configuration, fastest);
  all.strategy = "model:strat=2";
  EXPECT_THROW(dispatcher(all), tune::Error);
}

TEST_F(Online, TheNextProcessBeginsWithTheBest) {
  {
    api::Dispatcher first = dispatcher(options());
    work_until_settled(first);
  }
  log_.launches.clear();
  api::Dispatcher next = dispatcher(options());
  EXPECT_EQ(next.state().configuration, fastest);
  work_until_settled(next);
  EXPECT_EQ(next.state().tried, 0U) << "all has been tried";
  EXPECT_EQ(log_.launches.size(), log_.launches.empty() ? 0U : 1U);
}

TEST_F(Online, AProcessThatEndsEarlyLeavesWhatItKnows) {
  api::Configuration reached;
  {
    api::Dispatcher first = dispatcher(options());
    while (first.state().tried < 4) work(first);
    first.finish();
    reached = first.state().configuration;
    EXPECT_TRUE(first.state().settled);
    work(first);
    EXPECT_EQ(first.state().configuration, reached);
  }
  api::Dispatcher next = dispatcher(options());
  EXPECT_EQ(next.state().configuration, reached);
  work_until_settled(next);
  EXPECT_EQ(next.state().configuration, fastest);
  EXPECT_LE(next.state().tried, 7U);
}

TEST_F(Online, BeginsWithWhatATuningRunFound) {
  api::Options offline;
  offline.database = options().database;
  offline.strategy = "grid";
  fake_tuner(offline).run(toy_in_code());
  api::Dispatcher tuning = dispatcher(options());
  EXPECT_EQ(tuning.state().configuration, fastest);
  work_until_settled(tuning);
  EXPECT_EQ(tuning.state().configuration, fastest);
  EXPECT_EQ(tuning.state().failed, 0U) << "that these are wrong was known";
}

TEST_F(Online, BeginsWithAnotherSizesBest) {
  {
    api::Dispatcher first = dispatcher(options());
    work_until_settled(first);
  }
  log_.elements = 500;
  in_.resize(500);
  out_.resize(500);
  api::DispatchOptions none = options();
  none.slowdown = 0;
  EXPECT_EQ(dispatcher(none, toy_in_code(), {{"nx", 500}}).state().configuration, fastest);
}

TEST_F(Online, WithoutABudgetItOnlyLaunches) {
  api::DispatchOptions none = options();
  none.slowdown = 0;
  api::Dispatcher plain = dispatcher(none);
  work_until_settled(plain);
  for (int i = 0; i < 500; ++i) work(plain, i);
  EXPECT_EQ(log_.launches.size(), 1U);
  EXPECT_EQ(log_.timed, 0);
}

TEST_F(Online, NotMoreCandidatesThanAsked) {
  api::DispatchOptions few = options();
  few.candidates = 3;
  few.where = "kind == plain";
  api::Dispatcher tuning = dispatcher(few);
  work_until_settled(tuning);
  EXPECT_EQ(tuning.state().tried, 3U);
}

TEST_F(Online, ALaunchThatIsRefusedIsDoneByTheBest) {
  log_.refuse = "plain/256/4";
  api::Dispatcher tuning = dispatcher(options());
  work_until_settled(tuning);
  EXPECT_EQ(tuning.state().failed, 13U);
  EXPECT_EQ(log_.launches.count("plain/256/4"), 0U);
  EXPECT_EQ(tuning.state().configuration["block"] * tuning.state().configuration["items"], 512);
}

TEST_F(Online, WhatIsRecordedIntoAGraphIsNeitherTimedNorTried) {
  log_.capturing = true;
  api::Dispatcher tuning = dispatcher(options());
  for (int i = 0; i < 2000; ++i) work(tuning, i);
  EXPECT_EQ(log_.timed, 0);
  EXPECT_EQ(log_.launches.size(), 1U);
  log_.capturing = false;
  work_until_settled(tuning);
  EXPECT_EQ(tuning.state().configuration, fastest);
}

TEST_F(Online, WithoutADatabaseItWorksAndSaysSo) {
  api::DispatchOptions broken = options();
  broken.database = folder_.path().string();  // a folder
  api::Dispatcher tuning = dispatcher(broken);
  EXPECT_THAT(tuning.state().notice, HasSubstr("results are not stored"));
  work_until_settled(tuning);
  EXPECT_EQ(tuning.state().configuration, fastest);
}

TEST_F(Online, SeveralThreadsMayCall) {
  api::Dispatcher tuning = dispatcher(options());
  std::vector<std::jthread> threads;
  std::atomic<bool> wrong{false};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<float> in(1000, static_cast<float>(t)), out(1000);
      while (!tuning.state().settled) {
        tuning.launch(nullptr, in.data(), out.data());
        if (out.back() != 2 * in.back()) wrong = true;
      }
    });
  threads.clear();
  EXPECT_FALSE(wrong);
  EXPECT_EQ(tuning.state().configuration, fastest);
}

TEST_F(Online, ArgumentsAreChecked) {
  api::Problem scaled = toy_in_code().scalar<float>("factor", 2.0f).scalar<int>("n", "nx");
  api::Dispatcher tuning = dispatcher(options(), scaled);
  float* out = out_.data();
  const float* in = in_.data();
  double* wide = nullptr;
  const auto message = [&](auto... arguments) -> std::string {
    try {
      tuning.launch(nullptr, arguments...);
    } catch (const api::Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(in, out, 2.0f), "") << "n follows from the size";
  EXPECT_EQ(message(in, out), "toy: launch takes 3 arguments (in, out, factor), 2 were given");
  EXPECT_EQ(message(in, out, 2.0), "toy: launch: argument 3 'factor' is a float, a double was given");
  EXPECT_EQ(message(in, wide, 2.0f),
            "toy: launch: argument 2 'out' is a pointer to float, a pointer to double was given");
  EXPECT_EQ(message(in, static_cast<float*>(nullptr), 2.0f),
            "toy: launch: argument 2 'out' is a null pointer");
  EXPECT_EQ(message(in, 3.0f, 2.0f),
            "toy: launch: argument 2 'out' is a pointer to float, a float was given");
  EXPECT_EQ(message(static_cast<const void*>(in), out, 2.0f), "");
}

struct Pair {
  float first;
  int second;
};

TEST_F(Online, StructsArePassedByValue) {
  const api::Problem scaled = toy_in_code().structure("pair", Pair{2, 3});
  api::Dispatcher tuning = dispatcher(options(), scaled);
  const float* in = in_.data();
  EXPECT_NO_THROW(tuning.launch(nullptr, in, out_.data(), Pair{4, 5}));
  const auto message = [&](auto last) -> std::string {
    try {
      tuning.launch(nullptr, in, out_.data(), last);
    } catch (const api::Error& error) {
      return error.what();
    }
    return "";
  };
  struct Other {
    char text[12];
  };
  EXPECT_EQ(message(2.0f), "toy: launch: argument 3 'pair' is a struct, a float was given");
  EXPECT_EQ(message(Other{}), "toy: launch: the struct 'pair' has 8 bytes, 12 were given");
}

TEST_F(Online, LoopsOfLaunchesGetTheArgumentsOfTheirTurn) {
  api::DispatchOptions all = options();
  all.slowdown = 0;
  api::Dispatcher tuning =
      dispatcher(all, api::Problem::from_text(
                          R"json({"problem": "toy", "kernel": "toy.cu", "sizes": {"nx": 1000},
                  "parameters": {"kind": ["plain"], "block": [128], "items": [2]},
                  "arguments": {"in": {"type": "float", "size": "nx", "access": "both"},
                                "out": {"type": "float", "size": "nx", "access": "both"},
                                "factor": {"type": "float", "value": 2}},
                  "launches": [{"launches": [{"entry": "toy", "grid": 1, "block": "block"},
                                             {"entry": "toy", "grid": 1, "block": "block", "if": "step > 0",
                                              "arguments": ["out", "in", "factor"]}],
                                "repeat": "items", "as": "step", "swap": ["in", "out"]}],
                  "reference": "none"})json",
                          ".", {{"toy.cu", toy_source}}));
  float *in = in_.data(), *out = out_.data();
  tuning.launch(nullptr, in, out, 2.0f);
  const std::vector<void*> forward{in, out}, back{out, in};
  EXPECT_THAT(log_.arguments, ::testing::ElementsAre(forward, back, forward));
}

TEST_F(Online, NothingThatRunsIsAnError) {
  api::Problem wrong("toy");
  wrong.size("nx", 1000)
      .parameter("kind", {"wrong"})
      .parameter("block", {32})
      .parameter("items", {1})
      .input<float>("in", "nx")
      .output<float>("out", "nx")
      .kernel(api::Kernel::from_source(toy_source, "toy.cu"), "toy")
      .grid(1)
      .block("block")
      .reference([](api::HostData& data) {
        for (std::size_t i = 0; i < data.result("out").size; ++i)
          data.result("out")[i] = 2 * static_cast<double>(data.input<float>("in")[i]);
      });
  EXPECT_THROW(dispatcher(options(), wrong), tune::Error);
  try {
    dispatcher(options(), wrong);
  } catch (const tune::Error& error) {
    EXPECT_THAT(
        error.what(),
        HasSubstr("toy 1000: no configuration could be launched: kind=wrong, block=32, items=1: verify"));
  }
}

TEST_F(Online, TheEmulatorIsNoDeviceToLaunchOn) {
  api::DispatchOptions emulator;
  emulator.device = "emulator";
  EXPECT_THROW(api::Dispatcher(toy_in_code(), {}, emulator), api::Error);
}

}  // namespace
}  // namespace tune::testing
