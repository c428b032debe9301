// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/tuner/replay/spaces.hpp"
#include "tuner/replay/comparison.hpp"

namespace tune::testing {
namespace {

using replay::Scores;
using replay::SpaceGroup;
using replay::SpaceResult;

/// Shares of three contenders after the only budget.
SpaceResult result_of(double a, double b, double c) {
  SpaceResult result;
  for (const double share : {a, b, c}) {
    Scores scores;
    scores.share = {{share, share, share}};
    result.scores.push_back(scores);
  }
  return result;
}

TEST(HeldOut, AKernelHasNoSayInWhatIsChosenForIt) {
  // `b` is best on the first kernel alone, by far: it would be chosen if that were not left out.
  const std::vector<SpaceResult> results = {result_of(.2, 1, .3), result_of(.8, .7, .6),
                                            result_of(.7, .6, .8)};
  const std::vector<SpaceGroup> groups = {{"x", {0}}, {"y", {1}}, {"z", {2}}};
  const replay::HeldOut held = replay::hold_out(results, groups);
  ASSERT_EQ(held.folds.size(), 3U);
  EXPECT_EQ(held.folds[0].chosen, 0U) << ".75, .65, .7";
  EXPECT_NEAR(held.folds[0].elsewhere, .75, 1e-12);
  EXPECT_EQ(held.folds[1].chosen, 1U) << ".45, .8, .55";
  EXPECT_EQ(held.folds[2].chosen, 1U) << ".5, .85, .45";
  EXPECT_NEAR(held.folds[2].scores.share[0].mean, .6, 1e-12);
  EXPECT_NEAR(held.scores.share[0].mean, (.2 + .7 + .6) / 3, 1e-12);
  EXPECT_EQ(held.hindsight, 1U);
}

TEST(HeldOut, KernelsCountTheSameHoweverManySpacesTheyHave) {
  std::vector<SpaceResult> results = {result_of(.5, .5, .5), result_of(.9, .1, 0)};
  for (int copy = 0; copy < 3; ++copy) results.push_back(result_of(.4, .6, 0));
  const std::vector<SpaceGroup> groups = {{"left out", {0}}, {"one space", {1}}, {"three", {2, 3, 4}}};
  const replay::HeldOut held = replay::hold_out(results, groups);
  EXPECT_EQ(held.folds[0].chosen, 0U) << ".65 to .35; by spaces it would be .525 to .475 as well";
  results[1] = result_of(.7, .5, 0);
  EXPECT_EQ(replay::hold_out(results, groups).folds[0].chosen, 0U)
      << "equal: the first; by spaces the second";
  EXPECT_NEAR(held.scores.share[0].mean,
              (.5 + held.folds[1].scores.share[0].mean + 3 * held.folds[2].scores.share[0].mean) / 5, 1e-12)
      << "means are over spaces";
}

TEST(HeldOut, IsChosenByTimesWhereThereAreSome) {
  std::vector<SpaceResult> results = {result_of(.9, .1, .1), result_of(.9, .1, .1)};
  for (SpaceResult& result : results)
    for (std::size_t c = 0; c < 3; ++c) {
      const double share = c == 2 ? .8 : .2;
      result.scores[c].share_at_times = {{share, share, share}};
    }
  const std::vector<SpaceGroup> groups = {{"x", {0}}, {"y", {1}}};
  EXPECT_EQ(replay::hold_out(results, groups).folds[0].chosen, 2U);
}

TEST(HeldOut, NeedsTwoGroups) {
  const std::vector<SpaceResult> results = {result_of(.9, .1, .1)};
  const std::vector<SpaceGroup> groups = {{"x", {0}}};
  EXPECT_THROW(replay::hold_out(results, groups), std::logic_error);
}

TEST(HeldOut, SpacesAreGroupedByTheirKernels) {
  std::vector<replay::RecordedSpace> spaces;
  for (const char* name : {"gemm_A", "conv_A", "gemm_B", "nameless"}) {
    spaces.push_back(recorded_line({1.0, 2.0}, name));
    spaces.back().problem = std::string(name).substr(0, 4);
  }
  spaces.back().problem.clear();
  const auto kernels = replay::kernels_of(spaces, {});
  EXPECT_EQ(kernels, (std::vector<std::string>{"gemm", "conv", "gemm", "nameless"}));
  const std::vector<std::pair<std::string, std::string>> named = {{"both", "gemm"}, {"both", "conv"}};
  EXPECT_EQ(replay::kernels_of(spaces, named),
            (std::vector<std::string>{"both", "both", "both", "nameless"}));
  const auto groups = replay::groups_by(kernels);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].name, "gemm");
  EXPECT_EQ(groups[0].spaces, (std::vector<std::size_t>{0, 2}));
}

}  // namespace
}  // namespace tune::testing
