// SPDX-License-Identifier: Apache-2.0
#include "cli/output/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <sstream>
#include <thread>

#include "tests/cli/sandbox.hpp"

namespace tune::testing {
namespace {

using cli::ProgressDisplay;

/// What a display shows of a run of 100 evaluations in `seconds`, every third of which fails, after `count`
/// of them.
std::string shown(ProgressDisplay::Mode mode, std::uint64_t count, double seconds) {
  std::ostringstream out;
  {
    ProgressDisplay display(out, mode, 250e-6, 1.3e8, "cell update");
    Progress progress;
    progress.planned = 100;
    for (std::uint64_t i = 1; i <= count; ++i) {
      Evaluation evaluation;
      if (i % 3 == 0) {
        ++progress.failures[Phase::launch];
      } else {
        Measurement measurement;
        measurement.samples = {1e-3 / static_cast<double>(i)};
        evaluation.outcome = measurement;
        progress.best = evaluation;
        ++progress.measured;
      }
      progress.evaluations = i;
      progress.seconds = seconds * static_cast<double>(i) / 100;
      display.on_evaluation(evaluation, progress);
    }
  }
  return out.str();
}

TEST(Progress, OnATerminalIsOneLineThatIsRewritten) {
  const std::string text = shown(ProgressDisplay::Mode::live, 100, 100);
  EXPECT_EQ(lines_of(text).size(), 1U);
  EXPECT_TRUE(text.ends_with("\n"));
  std::istringstream parts(text);
  int redraws = 0;
  for (std::string part; std::getline(parts, part, '\r');) {
    if (part.empty()) continue;
    ++redraws;
    EXPECT_TRUE(part.starts_with("\x1b[K")) << "the rest of a longer line would stay";
    EXPECT_LE(part.size() - 3, 80U) << part;
    EXPECT_FALSE(part.ends_with(" ") || part.ends_with(",") || part.ends_with("|")) << part;
  }
  EXPECT_EQ(redraws, 100);
  EXPECT_NE(text.find("50/100 evaluated, 16 failed | 1.0/s, 50 s left | best 20 us"), std::string::npos)
      << text;
}

TEST(Progress, OnATerminalIsNotRedrawnMoreOftenThanAnybodyReads) {
  const std::string text = shown(ProgressDisplay::Mode::live, 100, 1);
  EXPECT_LE(std::ranges::count(text, '\r'), 13);
}

TEST(Progress, ShowsTheLastStateWhateverEndsTheRun) {
  for (const auto mode : {ProgressDisplay::Mode::live, ProgressDisplay::Mode::plain}) {
    const std::string text = shown(mode, 57, 0.001);
    const std::size_t last = text.rfind("57/100 evaluated, 19 failed");
    ASSERT_NE(last, std::string::npos) << text;
    EXPECT_EQ(text.find("evaluated", last + 20), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with("\n"));
  }
}

TEST(Progress, PlainLinesForTheBestAndEveryTenth) {
  const std::string text = shown(ProgressDisplay::Mode::plain, 100, 10);
  EXPECT_EQ(text.find_first_of("\r\x1b"), std::string::npos);
  for (const char* tenth : {"10/100", "30/100", "90/100", "100/100"})
    EXPECT_NE(text.find(tenth), std::string::npos) << tenth;
  EXPECT_EQ(text.find("33/100"), std::string::npos) << "a failure that is no tenth";
}

TEST(Progress, QuietIsQuiet) {
  EXPECT_EQ(shown(ProgressDisplay::Mode::quiet, 100, 10), "");
}

// `timeout` sends a signal to its process and to the group.
TEST(Interrupt, ASignalThatComesTwiceAtOnceIsOne) {
  const cli::InterruptGuard guard;
  std::raise(SIGTERM);
  std::raise(SIGTERM);
  EXPECT_TRUE(cli::InterruptGuard::interrupted());
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  EXPECT_EXIT(std::raise(SIGTERM), ::testing::KilledBySignal(SIGTERM), "") << "a person's second one";
}

}  // namespace
}  // namespace tune::testing
