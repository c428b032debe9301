// SPDX-License-Identifier: Apache-2.0
// Runs that end when little is left to gain, answered by a recording.
#include <gtest/gtest.h>

#include "tests/cli/recording.hpp"
#include "tests/cli/runs.hpp"
#include "tests/cli/sandbox.hpp"

namespace tune::testing {
namespace {

TEST(UntilGain, EndsTheRunAndSaysWhy) {
  const Sandbox sandbox;
  const ProgramResult outcome = sandbox.tune(small_run({"--device", "replay", "--until-gain", "20%"}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("the expected improvement is too small"), std::string::npos) << outcome.out;
  // There is no default budget then: the space is the end.
  EXPECT_NE(outcome.err.find("/600 evaluated"), std::string::npos) << outcome.err;
  EXPECT_NE(sandbox.tune({"list", "runs"}).out.find("stopped"), std::string::npos);
  const std::string shown = sandbox.tune({"show"}).out;
  EXPECT_NE(shown.find("budget until less than 20 % can be gained"), std::string::npos) << shown;
  const auto json = nlohmann::json::parse(sandbox.tune({"show", "--format", "json"}).out);
  EXPECT_EQ(json["until_gain"], 0.2);
}

TEST(UntilGain, LessLeftTakesLonger) {
  const Sandbox sandbox;
  std::vector<std::vector<std::string>> seen;
  for (const char* share : {"90%", "5%", "0.0005"}) {
    const auto run = json_run(sandbox, {"--fresh", "--no-transfer", "--until-gain", share});
    EXPECT_EQ(run["end"], "stopped") << share;
    seen.push_back(configurations(sandbox, static_cast<RunId>(seen.size() + 1)));
  }
  EXPECT_GE(seen[0].size(), 10U);
  // One evaluation may leave nothing for two of them.
  EXPECT_LE(seen[0].size(), seen[1].size());
  EXPECT_LE(seen[1].size(), seen[2].size());
  EXPECT_LT(seen[0].size(), seen[2].size());
  EXPECT_LT(seen[2].size(), 600U);
  for (std::size_t i = 1; i < seen.size(); ++i) {
    // The search itself is the same.
    ASSERT_LE(seen[i - 1].size(), seen[i].size());
    EXPECT_TRUE(std::equal(seen[i - 1].begin(), seen[i - 1].end(), seen[i].begin()));
  }
}

TEST(UntilGain, BudgetsStillEndARun) {
  const Sandbox sandbox;
  const auto run = json_run(sandbox, {"--until-gain", "99%", "--budget-evals", "5"});
  EXPECT_EQ(run["end"], "budget");
  EXPECT_EQ(run["evaluations"], 5);
}

TEST(UntilGain, GoesOnFromWhatIsKnown) {
  const Sandbox sandbox;
  const auto first = json_run(sandbox, {"--until-gain", "20%"});
  const auto second = json_run(sandbox, {"--until-gain", "20%"});
  EXPECT_EQ(second["evaluations"], first["evaluations"]);
  EXPECT_EQ(second["reused"], first["evaluations"]);
  EXPECT_EQ(second["end"], "stopped");
  EXPECT_EQ(trace(sandbox, 1), trace(sandbox, 2));
}

TEST(UntilGain, TheDefaultStrategyIsTheModel) {
  const Sandbox sandbox;
  for (const std::vector<std::string>& choice :
       {std::vector<std::string>{}, {"--strategy", "auto"}, {"--strategy", "model"}}) {
    std::vector<std::string> more = {"--fresh", "--budget-evals", "40"};
    more.insert(more.end(), choice.begin(), choice.end());
    EXPECT_EQ(json_run(sandbox, more)["strategy"], "model");
  }
  EXPECT_EQ(configurations(sandbox, 1), configurations(sandbox, 2));
  EXPECT_EQ(configurations(sandbox, 1), configurations(sandbox, 3));
}

}  // namespace
}  // namespace tune::testing
