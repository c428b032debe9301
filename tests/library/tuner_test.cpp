// SPDX-License-Identifier: Apache-2.0
// Runs and single evaluations of problems in code, on a device that does not exist.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "db/read/best.hpp"
#include "db/read/queries.hpp"
#include "tests/library/in_fork.hpp"
#include "tests/library/toy.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tune::testing {
namespace {

using ::testing::HasSubstr;

class InProcess : public ::testing::Test {
 protected:
  api::Options options() {
    api::Options all;
    all.database = (folder_.path() / "results.db").string();
    all.strategy = "grid";
    all.transfer = false;
    return all;
  }
  /// Returns the answer of `tune best`.
  std::vector<db::BestCandidate> best() {
    const db::Database database(folder_.path() / "results.db", db::OpenMode::read_only);
    return db::best(database, {.problem = "toy", .extents = {{"nx", 1000}}});
  }

  tune::testing::TemporaryFolder folder_;
};

TEST_F(InProcess, ARunFindsTheBestAndStoresIt) {
  api::Tuner tuner = fake_tuner(options());
  const api::Result result = tuner.run(toy_in_code());
  ASSERT_TRUE(result.best);
  EXPECT_EQ(result.best->configuration,
            (api::Configuration{{"kind", "plain"}, {"block", 256}, {"items", 4}}));
  EXPECT_NEAR(result.best->seconds, 1e-6, 2e-8);
  EXPECT_EQ(result.space_size, 24U);
  EXPECT_EQ(result.evaluations, 24U);
  EXPECT_EQ(result.right, 12U);
  EXPECT_EQ(result.failures.at("verify"), 12U);
  ASSERT_EQ(result.wrong.size(), 12U);
  EXPECT_EQ(result.wrong.front().failure->phase, "verify");
  EXPECT_EQ(result.end, api::End::exhausted);

  const auto found = best();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().match, db::Match::exact);
  EXPECT_EQ(found.front().result.configuration.key(), "block=256,items=4,kind=plain");
}

// The program `tune` has only the stored rows of the problem.
TEST_F(InProcess, TheCommandReadsWhatARunStored) {
  fake_tuner(options()).run(toy_in_code());
  const auto tune = [&](const std::string& words) {
    const std::string out = (folder_.path() / "out").string();
    const std::filesystem::path none = folder_.path() / "no recordings";
    std::filesystem::create_directories(none);
    const std::string command = "TUNE_RECORDINGS='" + none.string() + "' " TUNE_PROGRAM " " + words +
                                " --db '" + options().database + "' > '" + out + "' 2>&1";
    const int status = std::system(command.c_str());
    std::ostringstream text;
    text << std::ifstream(out).rdbuf();
    return std::to_string(status) + ": " + text.str();
  };
  EXPECT_THAT(tune("best --problem toy"), ::testing::StartsWith("0: toy 1000 on "));
  EXPECT_THAT(tune("best --problem toy"), HasSubstr("kind=plain, block=256, items=4"));
  EXPECT_EQ(tune("best --problem toy --format flags"), "0: -Dkind=plain -Dblock=256 -Ditems=4\n");
  EXPECT_THAT(tune("best --problem toy --size 2000 --device 'Invented GPU'"),
              HasSubstr("recorded on this device model at 1000, the nearest size"));
  EXPECT_THAT(tune("report --problem toy"), HasSubstr("block=256"));
  EXPECT_THAT(tune("best --problem toyy"), HasSubstr("unknown problem 'toyy'"));
  EXPECT_THAT(tune("list runs"), HasSubstr("toy"));
}

TEST_F(InProcess, ARepeatedRunIsAnsweredFromTheDatabase) {
  fake_tuner(options()).run(toy_in_code());
  const api::Result again = fake_tuner(options()).run(toy_in_code());
  EXPECT_EQ(again.reused, again.evaluations);
  api::Options fresh = options();
  fresh.fresh = true;
  EXPECT_EQ(fake_tuner(fresh).run(toy_in_code()).reused, 0U);
}

TEST_F(InProcess, AnotherRevisionIsAnotherProgram) {
  fake_tuner(options()).run(toy_in_code());
  EXPECT_EQ(fake_tuner(options()).run(toy_in_code().revision(2)).reused, 0U);
  EXPECT_EQ(fake_tuner(options()).run(toy_in_code().tolerance(1e-6)).reused, 24U);
}

TEST_F(InProcess, OneEvaluationIsStoredAndReused) {
  api::Tuner tuner = fake_tuner(options());
  const api::Problem problem = toy_in_code();
  const api::Evaluation one = tuner.evaluate(problem, {{"block", 64}});
  EXPECT_TRUE(one.measured());
  EXPECT_EQ(one.configuration.to_string(), "kind=plain, block=64, items=1");
  EXPECT_FALSE(one.reused);
  EXPECT_TRUE(tuner.evaluate(problem, {{"block", 64}}).reused);
  EXPECT_TRUE(fake_tuner(options()).evaluate(problem, {{"block", 64}}).reused);
  ASSERT_FALSE(best().empty());
  EXPECT_EQ(best().front().result.configuration.key(), "block=64,items=1,kind=plain");
}

TEST_F(InProcess, FailuresOfConfigurationsAreValues) {
  api::Tuner tuner = fake_tuner(options());
  const api::Problem problem = toy_in_code().constraint(
      [](const api::Configuration& c) { return c["items"] < 4 || c["block"] > 32; }, "too little to do");
  const api::Evaluation wrong = tuner.evaluate(problem, {{"kind", "wrong"}});
  ASSERT_TRUE(wrong.failure);
  EXPECT_EQ(wrong.failure->phase, "verify");
  EXPECT_FALSE(wrong.right());
  const api::Evaluation invalid = tuner.evaluate(problem, {{"block", 48}});
  ASSERT_TRUE(invalid.failure);
  EXPECT_EQ(invalid.failure->phase, "constraint");
  EXPECT_THAT(invalid.failure->detail, HasSubstr("block cannot be 48"));
  const api::Evaluation ruled_out = tuner.evaluate(problem, {{"block", 32}, {"items", 4}});
  ASSERT_TRUE(ruled_out.failure);
  EXPECT_EQ(ruled_out.failure->detail, "too little to do");
}

// The wrong kind's last element is too large by 1.
TEST_F(InProcess, FunctionsSayHowResultsAreCompared) {
  api::Options fresh = options();
  fresh.fresh = true;
  const auto outcome = [&](const api::Problem& problem) {
    const api::Evaluation one = fake_tuner(fresh).evaluate(problem, {{"kind", "wrong"}});
    return one.failure ? one.failure->phase + ": " + one.failure->detail : "right";
  };
  EXPECT_EQ(outcome(toy_in_code().compare("out", 0, "nx - 1")), "right");
  EXPECT_THAT(outcome(toy_in_code().compare("out", 1, "nx")), HasSubstr("1 of 36 compared elements (of 37)"));
  const auto last = [](double limit) {
    return [limit](std::size_t i, const api::Sizes& s) {
      return static_cast<std::int64_t>(i) + 1 == s["nx"] ? limit : 1e-6;
    };
  };
  EXPECT_EQ(outcome(toy_in_code().tolerance("out", last(1.01))), "right");
  EXPECT_THAT(outcome(toy_in_code().tolerance("out", last(0.99))), HasSubstr("where 0.99 is allowed"));
  const auto judged = [&](double limit) {
    return toy_in_code().judge({"out"}, [limit](const api::Results& results) -> std::string {
      const auto in = results.input<float>("in"), out = results.output<float>("out");
      const std::vector<double> right = results.reference("out");
      if (results.sizes()["nx"] != static_cast<std::int64_t>(in.size)) return "another size";
      if (results.configuration().text("kind") != "wrong") return "another kind";
      for (std::size_t i = 0; i < out.size; ++i)
        if (std::abs(out[i] - right[i]) > limit || right[i] != 2.0 * static_cast<double>(in[i]))
          return "element " + std::to_string(i);
      return "";
    });
  };
  EXPECT_EQ(outcome(judged(1.01)), "right");
  EXPECT_THAT(outcome(judged(0.5)), HasSubstr("verify: at 37: element 36"));
  EXPECT_THROW(toy_in_code().judge({"in"}, [](const api::Results&) { return ""; }), api::Error);
}

TEST_F(InProcess, FunctionsRestrictTheSpace) {
  api::Problem problem = toy_in_code();
  problem
      .constraint([](const api::Configuration& c) { return c.text("kind") == "plain"; }, "the other is wrong")
      .constraint(
          [](const api::Configuration& c, const api::Sizes& s) { return c["block"] * c["items"] < s["nx"]; },
          "a thread without work");
  api::Tuner tuner = fake_tuner(options());
  EXPECT_EQ(tuner.space_size(problem), 11U);
  const api::Result result = tuner.run(problem);
  EXPECT_EQ(result.right, 11U);
  EXPECT_TRUE(result.wrong.empty());
  EXPECT_EQ(result.best->configuration["block"] * result.best->configuration["items"], 512);
  EXPECT_EQ(tuner.space_size(problem, {{"nx", 100}}), 3U);
}

TEST_F(InProcess, CancelEndsTheRunAndKeepsWhatWasDone) {
  api::Options all = options();
  int seen = 0;
  api::Tuner* running = nullptr;
  all.on_evaluation = [&](const api::Evaluation&, const api::Progress& progress) {
    EXPECT_EQ(progress.planned, 24U);
    if (++seen == 5) running->cancel();
  };
  api::Tuner tuner = fake_tuner(all);
  running = &tuner;
  const api::Result result = tuner.run(toy_in_code());
  EXPECT_EQ(result.end, api::End::cancelled);
  EXPECT_EQ(result.evaluations, 5U);
  EXPECT_EQ(fake_tuner(options()).run(toy_in_code()).reused, 5U);
  EXPECT_EQ(tuner.run(toy_in_code()).end, api::End::exhausted) << "a cancel ends one run";
}

TEST_F(InProcess, ABudgetOfEvaluationsIsKept) {
  api::Options all = options();
  all.strategy = "random";
  all.evaluations = 7;
  const api::Result result = fake_tuner(all).run(toy_in_code());
  EXPECT_EQ(result.evaluations, 7U);
  EXPECT_EQ(result.end, api::End::budget);
}

TEST_F(InProcess, AForkDoesNotEndTheRunOfItsParent) {
  auto tuner = std::make_unique<api::Tuner>(fake_tuner(options()));
  tuner->evaluate(toy_in_code(), {{"block", 64}});
  EXPECT_TRUE(ends_in_fork([&] { tuner.reset(); }));
  EXPECT_TRUE(ends_in_fork([&] { *tuner = api::Tuner(options()); }));
  const auto end_of_run = [&] {
    const db::Database database(folder_.path() / "results.db", db::OpenMode::read_only);
    return db::list_runs(database).at(0).ended;
  };
  EXPECT_EQ(end_of_run(), "");
  tuner.reset();
  EXPECT_NE(end_of_run(), "");
}

TEST_F(InProcess, AStrategyMayHaveOptions) {
  api::Options all = options();
  all.strategy = "model:start=7";
  all.evaluations = 5;
  EXPECT_EQ(fake_tuner(all).run(toy_in_code()).evaluations, 5U);
  const db::Database database(all.database, db::OpenMode::read_only);
  const std::vector<db::RunSummary> runs = db::list_runs(database);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].strategy, "model:start=7");
}

TEST_F(InProcess, AChangedProblemIsNotAnsweredByTheOldOne) {
  api::Tuner tuner = fake_tuner(options());
  api::Problem problem = toy_in_code();
  EXPECT_EQ(tuner.space_size(problem), 24U);
  problem.constraint("block <= 64");
  EXPECT_EQ(tuner.space_size(problem), 12U);
}

// Commands and kernels in C++, without a GPU and without a stand-in for one.
TEST_F(InProcess, TheProcessorIsADevice) {
  api::Options all = options();
  all.device = "cpu";
  all.in_process = true;
  all.finalists = 0;
  api::Tuner tuner(all);
  const api::Problem command = api::Problem::from_text(
      R"({"problem": "app", "parameters": {"n": [3, 1, 2]}, "objective": "min:size",
          "command": {"run": "echo {n}", "result": {"size": "output"}}})");
  const api::Result printed = tuner.run(command);
  EXPECT_EQ(printed.evaluations, 3u);
  ASSERT_TRUE(printed.best);
  EXPECT_EQ(printed.best->configuration["n"], 1);
  const std::optional<api::Stored> stored = tuner.best(command);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->configuration["n"], 1);
  const api::Problem kernel = api::Problem::from_text(
      R"({"problem": "scale", "kernel": {"file": "k.cpp", "language": "c++", "options": ["-O0"]},
          "sizes": {"n": 64}, "check": [{"n": 3}], "parameters": {"by": [1, 2]},
          "arguments": {"n": {"type": "int64", "value": "n"}, "x": {"type": "float", "size": "n"},
                        "y": {"type": "float", "size": "n", "access": "write"}},
          "launches": {"entry": "scale"}})",
      ".",
      {{"k.cpp",
        "extern \"C\" void scale(long n, const float* x, float* y) {\n"
        "  for (long i = 0; i < n; ++i) y[i] = 3 * x[i] + (by - 1);\n}\n"}});
  const api::Result ran = tuner.run(kernel);
  EXPECT_EQ(ran.right, 1u) << "the default is the reference";
  EXPECT_EQ(ran.failures.at("verify"), 1u);
  EXPECT_TRUE(tuner.evaluate(kernel, {{"by", 1}}).seconds > 0);
  const auto refusal = [&](const std::string& device, const api::Problem& problem) -> std::string {
    all.device = device;
    try {
      api::Tuner(all).run(problem);
    } catch (const api::Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("0", kernel), "scale runs on the processor: set the device to cpu");
  EXPECT_EQ(refusal("emulator", command), "app runs on the processor: set the device to cpu");
  EXPECT_EQ(refusal("cpu", toy_in_code()),
            "toy has kernels of a GPU: set the device to its number, or to emulator");
}

TEST_F(InProcess, OptionsThatCannotBeAreRefused) {
  const auto message = [](api::Options options) -> std::string {
    try {
      api::Tuner tuner(std::move(options));
      tuner.run(toy_in_code());
    } catch (const api::Error& error) {
      return error.what();
    }
    return "";
  };
  api::Options all = options();
  all.strategy = "modle";
  EXPECT_EQ(message(all), "there is no strategy 'modle' (did you mean 'model'?)");
  all.strategy = "modle:start=10";
  EXPECT_EQ(message(all), "there is no strategy 'modle' (did you mean 'model'?)");
  all.strategy = "model:strat=10";
  EXPECT_THAT(message(all), ::testing::StartsWith("model:strat=10: "));
  all = options();
  all.until_gain = 0.1;
  EXPECT_THAT(message(all), HasSubstr("does not estimate"));
  all = options();
  all.device = "gpu";
  EXPECT_THAT(message(all), HasSubstr("unknown device 'gpu'"));
}

}  // namespace
}  // namespace tune::testing
