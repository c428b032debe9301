// SPDX-License-Identifier: Apache-2.0
// One object for all sizes, the variables of a kernel, and the arguments of calls, on a device that does not
// exist.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <future>
#include <thread>

#include "library/dispatcher/dispatcher_c.hpp"
#include "tests/library/fake_streams.hpp"
#include "tests/library/toy.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tune::testing {
namespace {

class OnlineSizes : public ::testing::Test {
 protected:
  api::Dispatchers dispatchers(const api::Problem& problem, std::size_t most = 16) {
    api::DispatchOptions options;
    options.database = (folder_.path() / "results.db").string();
    auto backend = std::make_unique<FakeBackend>();
    compiler_ = &backend->compiler();
    device_ = std::make_shared<api::CheckingDevice>(std::move(backend));
    return api::Dispatchers(std::make_unique<api::Dispatchers::Pool>(
        problem, options, most, device_, [this] { return std::make_unique<FakeStreams>(log_); }));
  }
  template<class... More>
  std::string message(api::Dispatchers& all, More... more) {
    try {
      all.launch(nullptr, in(), out_.data(), more...);
    } catch (const api::Error& error) {
      return error.what();
    }
    return "";
  }
  const float* in() const { return in_.data(); }
  static api::Problem toy() { return toy_in_code().scalar<int>("n", "nx"); }

  TemporaryFolder folder_;
  FakeStreams::Log log_;
  std::shared_ptr<api::CheckingDevice> device_;
  const FakeCompiler* compiler_ = nullptr;
  std::vector<float> in_ = std::vector<float>(1000, 1.0f), out_ = std::vector<float>(1000);
};

TEST_F(OnlineSizes, EachHasItsOwnAndTheArgumentsHaveTheSize) {
  api::Dispatchers all = dispatchers(toy());
  all.pause();
  all.launch(nullptr, in(), out_.data(), 500);
  const std::uint64_t checks = device_->device_work;
  all.launch(nullptr, in(), out_.data(), 600);
  all.launch(nullptr, in(), out_.data(), 600L);
  all.launch_at(nullptr, {{"nx", 700}}, in(), out_.data());
  EXPECT_EQ(device_->device_work, checks) << "the same code is not checked again";
  EXPECT_EQ(all.count(), 3U);
  EXPECT_EQ(all.state({{"nx", 600}}).calls, 2U);
  EXPECT_EQ(all.state({{"nx", 700}}).calls, 1U);
  EXPECT_EQ(all.state({{"nx", 800}}).calls, 0U);
  EXPECT_TRUE(all.state({{"nx", 700}}).paused) << "also where it was made later";
  EXPECT_THAT(message(all, 2.5f), ::testing::HasSubstr("argument 3 'n' is an int32, a float was given"));
  EXPECT_THAT(message(all), ::testing::HasSubstr("launch takes 3 arguments (in, out, n), 2 were given"));
  EXPECT_THAT(message(all, -3), ::testing::HasSubstr("not a positive whole number"));
  EXPECT_EQ(all.count(), 3U);
}

TEST_F(OnlineSizes, ANewSizeBeginsWithTheBestOfTheLast) {
  api::Dispatchers all = dispatchers(toy());
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!all.state({{"nx", 500}}).settled && std::chrono::steady_clock::now() < end)
    all.launch(nullptr, in(), out_.data(), 500);
  const api::Configuration best = all.state({{"nx", 500}}).configuration;
  EXPECT_EQ(best, (api::Configuration{{"kind", "plain"}, {"block", 256}, {"items", 4}}));
  all.launch(nullptr, in(), out_.data(), 501);
  EXPECT_EQ(all.state({{"nx", 501}}).configuration, best);
}

TEST_F(OnlineSizes, OfTooManyTheLeastRecentlyUsedGoes) {
  api::Dispatchers all = dispatchers(toy(), 2);
  for (const int n : {100, 200, 100, 300}) all.launch(nullptr, in(), out_.data(), n);
  EXPECT_EQ(all.count(), 2U);
  EXPECT_EQ(all.state({{"nx", 200}}).calls, 0U) << "gone";
  EXPECT_EQ(all.state({{"nx", 100}}).calls, 2U);
}

TEST_F(OnlineSizes, ThreadsMayUseAndMakeThem) {
  api::Dispatchers all = dispatchers(toy(), 3);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<float> out(1000);
      for (int i = 0; i < 40; ++i) all.launch(nullptr, in(), out.data(), 100 + (i + t) % 5);
    });
  threads.clear();
  EXPECT_LE(all.count(), 3U);
}

TEST_F(OnlineSizes, AFirstCallDoesNotWaitForChecksOfOtherSizes) {
  api::Dispatchers all = dispatchers(toy(), 2);
  all.pause();
  all.launch(nullptr, in(), out_.data(), 500);
  auto checking = device_->turns.take_if_free();  // a check of another size
  ASSERT_TRUE(checking);
  auto calls = std::async(std::launch::async, [&] {
    for (const int n : {600, 700, 800}) all.launch(nullptr, in(), out_.data(), n);
  });
  EXPECT_EQ(calls.wait_for(std::chrono::seconds(30)), std::future_status::ready);
  checking.reset();
  calls.get();
  EXPECT_EQ(all.state({{"nx", 800}}).calls, 1U);
}

TEST(OnlineTurns, CallsGoBeforeChecksInTheBackground) {
  using Waiting = api::Turns::Waiting;
  api::Turns turns;
  std::optional<api::Turns::Turn> first = turns.take_if_free();
  ASSERT_TRUE(first);
  EXPECT_FALSE(turns.take_if_free());
  std::mutex mutex;
  std::vector<Waiting> order;
  const auto take = [&](Waiting waiting) {
    const api::Turns::Turn turn = turns.take(waiting);
    const std::lock_guard lock(mutex);
    order.push_back(waiting);
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(take, Waiting::background);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  threads.emplace_back(take, Waiting::call);
  while (!turns.call_waits()) std::this_thread::yield();
  EXPECT_FALSE(turns.take_if_free());
  first.reset();
  threads.clear();
  EXPECT_THAT(order, ::testing::ElementsAre(Waiting::call, Waiting::background, Waiting::background,
                                            Waiting::background));
  EXPECT_TRUE(turns.take_if_free());
}

TEST_F(OnlineSizes, EachIsTriedOnRequest) {
  api::Dispatchers all = dispatchers(toy());
  all.pause();
  int tried = 0;
  while (all.try_now(nullptr, in(), out_.data(), 500)) ++tried;
  EXPECT_GT(tried, 0);
  EXPECT_EQ(all.state({{"nx", 500}}).configuration,
            (api::Configuration{{"kind", "plain"}, {"block", 256}, {"items", 4}}));
  EXPECT_EQ(all.state({{"nx", 500}}).lost, 0.0);
  EXPECT_TRUE(all.try_now_at(nullptr, {{"nx", 600}}, in(), out_.data()));
  EXPECT_EQ(all.count(), 2U);
  EXPECT_THROW(all.try_now(nullptr, in(), out_.data()), api::Error);
}

TEST_F(OnlineSizes, ThreadsMayTryAndLaunch) {
  api::Dispatchers all = dispatchers(toy(), 3);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<float> out(1000);
      for (int i = 0; i < 10; ++i) {
        all.try_now(nullptr, in(), out.data(), 100 + (i + t) % 3);
        all.launch(nullptr, in(), out.data(), 100 + (i + t) % 5);
      }
    });
  threads.clear();
  EXPECT_LE(all.count(), 3U);
}

TEST_F(OnlineSizes, WithoutAnArgumentForASizeItIsGiven) {
  api::Dispatchers all = dispatchers(toy_in_code());
  EXPECT_THAT(message(all), ::testing::HasSubstr("no argument has the size 'nx'"));
  all.launch_at(nullptr, {{"nx", 100}}, in(), out_.data());
  EXPECT_THROW(all.launch_at(nullptr, {{"ny", 100}}, in(), out_.data()), api::Error);
}

TEST_F(OnlineSizes, VariablesAreFilledBeforeLaunches) {
  api::Dispatchers all = dispatchers(toy().symbol<float>("weights", 3));
  EXPECT_THAT(message(all, 500), ::testing::HasSubstr("the symbol 'weights' is not set"));
  const float weights[] = {1, 2, 3};
  all.symbol("weights", weights, 3);
  all.pause();
  for (int i = 0; i < 3; ++i) all.launch(nullptr, in(), out_.data(), 500);
  EXPECT_EQ(log_.copies, 1) << "only what changed is copied";
  all.launch(nullptr, in(), out_.data(), 600);
  EXPECT_EQ(log_.copies, 2) << "sizes made later have them too";
  const auto& held = log_.variables.at("plain/128/1 weights");
  ASSERT_EQ(held.size(), sizeof weights);
  EXPECT_EQ(std::memcmp(held.data(), weights, sizeof weights), 0);
  const auto refused = [&](const auto& set) -> std::string {
    try {
      set();
    } catch (const api::Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused([&] { all.symbol("weight", weights, 3); }),
            "toy: there is no symbol 'weight' (did you mean 'weights'?)");
  EXPECT_EQ(refused([&] { all.symbol("weights", weights, 2); }),
            "toy: the symbol 'weights' has 12 bytes, 8 were given");
  const int whole[] = {1, 2, 3};
  EXPECT_EQ(refused([&] { all.symbol("weights", whole, 3); }),
            "toy: the symbol 'weights' is of float, int32 was given");
}

TEST_F(OnlineSizes, VariablesThatFollowASizeAreFilledForEach) {
  api::Dispatchers all = dispatchers(toy().symbol<float>("weights", "nx"));
  const std::vector<float> weights(600, 2);
  all.symbol("weights", weights.data(), 500);
  all.pause();
  all.launch(nullptr, in(), out_.data(), 500);
  EXPECT_EQ(
      message(all, 600),
      "toy: the symbol 'weights' is not set: call symbol(\"weights\", data, count) before launch, with 2400 "
      "bytes");
  all.symbol("weights", weights.data(), 600);
  all.launch(nullptr, in(), out_.data(), 600);
  all.launch(nullptr, in(), out_.data(), 500);
  EXPECT_EQ(log_.copies, 2);
  EXPECT_THROW(all.symbol("weights", weights.data(), 0), api::Error);
}

class OnlineInC : public OnlineSizes {
 protected:
  OnlineInC() {
    auto device = std::make_shared<api::CheckingDevice>(std::make_unique<FakeBackend>());
    api::DispatchOptions options;
    options.database = (folder_.path() / "results.db").string();
    dispatcher_ = new tune_dispatcher{std::make_unique<api::Dispatchers::Pool>(
        toy().scalar<float>("factor", 2).symbol<float>("weights", 3), options, 16, device,
        [this] { return std::make_unique<FakeStreams>(log_); })};
  }
  ~OnlineInC() override { tune_dispatcher_close(dispatcher_); }
  tune_status launch(std::size_t n_bytes = sizeof(int), const char* out_type = "float*") {
    const float* const from = in();
    float* const to = out_.data();
    const int n = 500;
    const float factor = 2;
    const tune_call_argument arguments[] = {{"*", &from, sizeof from},
                                            {out_type, &to, sizeof to},
                                            {"int32", &n, n_bytes},
                                            {"float", &factor, sizeof factor}};
    return tune_dispatcher_launch(dispatcher_, nullptr, nullptr, 0, arguments, 4);
  }
  tune_dispatcher* dispatcher_ = nullptr;
};

TEST_F(OnlineInC, CallsTrialsAndState) {
  EXPECT_EQ(launch(), TUNE_WRONG_USE);
  EXPECT_THAT(tune_message(), ::testing::HasSubstr("the symbol 'weights' is not set"));
  const float weights[] = {1, 2, 3};
  ASSERT_EQ(tune_dispatcher_symbol(dispatcher_, "weights", "float", weights, sizeof weights), TUNE_OK);
  ASSERT_EQ(tune_dispatcher_pause(dispatcher_), TUNE_OK);
  ASSERT_EQ(launch(), TUNE_OK) << tune_message();
  EXPECT_EQ(out_[7], 2.0f);
  const float* const from = in();
  float* const to = out_.data();
  const float factor = 2;
  const tune_assignment size = {"nx", "500"};
  const tune_call_argument others[] = {
      {"float*", &from, sizeof from}, {"void*", &to, sizeof to}, {"float", &factor, sizeof factor}};
  int tried = 1, trials = 0;
  for (; tried != 0; ++trials)
    ASSERT_EQ(tune_dispatcher_try(dispatcher_, nullptr, &size, 1, others, 3, &tried), TUNE_OK)
        << tune_message();
  EXPECT_GT(trials, 2);
  EXPECT_EQ(tune_dispatcher_count(dispatcher_), 1U);
  ASSERT_EQ(tune_dispatcher_finish(dispatcher_), TUNE_OK);
  const tune_dispatch_state* state = nullptr;
  ASSERT_EQ(tune_dispatcher_state(dispatcher_, &size, 1, &state), TUNE_OK);
  ASSERT_NE(state, nullptr);
  EXPECT_STREQ(state->configuration->text, "kind=plain, block=256, items=4");
  EXPECT_EQ(state->paused, 1);
  EXPECT_GT(state->tried, 2U);
  EXPECT_STREQ(state->notice, "");
  tune_dispatch_state_free(state);
  const tune_assignment other = {"nx", "501"};
  ASSERT_EQ(tune_dispatcher_state(dispatcher_, &other, 1, &state), TUNE_OK);
  EXPECT_EQ(state, nullptr) << "not held";
}

TEST_F(OnlineInC, WrongUseIsAStatusWithALine) {
  const auto expect = [](tune_status got, const std::string& part) {
    EXPECT_EQ(got, TUNE_WRONG_USE);
    EXPECT_THAT(tune_message(), ::testing::HasSubstr(part));
  };
  expect(launch(8), "argument 3 of type int32 has 4 bytes, 8 were given");
  expect(launch(4, "int32*"), "argument 2 'out' is a pointer to float, a pointer to int32 was given");
  expect(launch(4, "flaot"), "argument 2 has the type 'flaot': expected a number's type");
  expect(tune_dispatcher_launch(dispatcher_, nullptr, nullptr, 0, nullptr, 1), "a null pointer");
  expect(tune_dispatcher_launch(nullptr, nullptr, nullptr, 0, nullptr, 0), "a null pointer");
  expect(tune_dispatcher_symbol(dispatcher_, "weight", nullptr, this, 1), "did you mean 'weights'?");
  tune_problem* gemm = nullptr;
  tune_dispatcher* none = dispatcher_;
  ASSERT_EQ(tune_problem_built_in("gemm", &gemm), TUNE_OK);
  const tune_assignment wrong = {"slow_down", "0"}, emulator = {"device", "emulator"};
  expect(tune_dispatcher_open(gemm, &wrong, 1, &none),
         "there is no option 'slow_down' (did you mean 'slowdown'?)");
  expect(tune_dispatcher_open(gemm, &emulator, 1, &none), "a Dispatcher launches on a GPU");
  EXPECT_EQ(none, nullptr);
  EXPECT_STREQ(tune_dispatch_option(2), "slowdown");
  EXPECT_EQ(tune_dispatch_option(100), nullptr);
  tune_problem_free(gemm);
}

// Wrong arguments are named as the problem and the kernel have them.
TEST_F(OnlineSizes, ErrorsNameTheKernelsDeclaration) {
  api::Problem problem("toy");
  problem.size("nx", 1000)
      .parameter("kind", {"plain"})
      .parameter("block", {32})
      .parameter("items", {1})
      .input<float>("in", "nx")
      .output<float>("out", "nx")
      .kernel(api::Kernel::from_source(
                  "enum { x = kind * block * items };\nextern \"C\" __global__ void toy(const "
                  "float* source, float* target) {}\n",
                  "toy.cu"),
              "toy")
      .grid("ceil_div(nx, block)")
      .block("block")
      .reference([](api::HostData& data) {
        for (std::size_t i = 0; i < data.result("out").size; ++i)
          data.result("out")[i] = 2 * static_cast<double>(data.input<float>("in")[i]);
      });
  api::Dispatchers all = dispatchers(problem);
  try {
    all.launch_at(nullptr, {}, in(), 3);
    FAIL();
  } catch (const api::Error& error) {
    EXPECT_STREQ(
        error.what(),
        "toy: launch: argument 2 'out' is a pointer to float, an int32 was given; the kernel is toy(const "
        "float* source, float* target)");
  }
}

}  // namespace
}  // namespace tune::testing
