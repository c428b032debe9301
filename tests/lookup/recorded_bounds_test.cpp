// SPDX-License-Identifier: Apache-2.0
// What no configuration of a variant can beat was never beaten.
#include <gtest/gtest.h>

#include <map>

#include "db/read/recording.hpp"
#include "kernels/registry.hpp"
#include "tuner/base/error.hpp"

namespace tune::testing {
namespace {

TEST(RecordedBounds, AreBelowEveryMeasurement) {
  const db::Database database(TUNE_RECORDING, db::OpenMode::read_only);
  std::map<std::string, int> checked;
  for (const db::Recording& recording : db::all_recordings(database)) {
    const auto problem = kernels::make_problem(recording.instance.problem);
    for (const Evaluation& evaluation : recording.evaluations) {
      if (!evaluation.outcome || evaluation.outcome->samples.empty()) continue;
      const search::Value* const variant = evaluation.configuration.find("variant");
      if (variant == nullptr) continue;
      const double bound = problem->least_seconds(recording.instance, *variant, recording.device);
      if (bound > 0) ++checked[recording.instance.problem];
      ASSERT_LE(bound, evaluation.outcome->time())
          << recording.instance.problem << " " << recording.instance.key() << " "
          << evaluation.configuration.key();
    }
  }
  for (const char* problem : {"stencil2d", "stencil3d", "gemm", "conv2d_separable"})
    EXPECT_GT(checked[problem], 100) << problem;
}

// Variants that cannot compete are not tried once a better time is known.
TEST(RecordedBounds, TellVariantsApart) {
  const db::Database database(TUNE_RECORDING, db::OpenMode::read_only);
  const db::Recording any = db::all_recordings(database).front();
  const auto bound = [&](const char* name, const std::vector<std::pair<std::string, Value>>& settings,
                         const char* variant) {
    const auto problem = kernels::make_problem(name);
    return problem->least_seconds(make_instance(problem->info(), "", settings), Value(variant), any.device);
  };
  EXPECT_DOUBLE_EQ(bound("gemm", {{"type", "double"}}, "register"),
                   2 * bound("gemm", {{"type", "double"}}, "tensor"));
  EXPECT_GT(bound("gemm", {}, "async"), 0);
  EXPECT_EQ(bound("gemm", {}, "none of them"), 0);
  EXPECT_GT(bound("conv2d_separable", {}, "two_pass"), 1.5 * bound("conv2d_separable", {}, "fused"));
  EXPECT_EQ(bound("conv2d_separable", {}, "fft"), 0) << "unknown";
}

}  // namespace
}  // namespace tune::testing
