// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/conformance/drawn.hpp"

#include <gtest/gtest.h>

#include <map>

#include "kernels/registry.hpp"

namespace tune::kernels::testing {
namespace {

constexpr std::size_t configurations = 96;

Draw draw(const std::string& name) {
  Draw draw{make_problem(name), {}};
  const EmbeddedSources sources;
  for (emulator::testing::Sampled& sampled :
       emulator::testing::random_sample(*draw.problem, configurations, 5)) {
    Result<LaunchPlan> plan = draw.problem->plan(sampled.instance, sampled.configuration, sources);
    if (plan)
      draw.all.push_back({std::move(sampled.instance), std::move(sampled.configuration), std::move(*plan)});
    else
      EXPECT_EQ(plan.error().phase, Phase::constraint) << plan.error().detail;
  }
  return draw;
}

}  // namespace

const Draw& Draw::of(const std::string& name) {
  static std::map<std::string, Draw> made;
  const auto found = made.find(name);
  return found != made.end() ? found->second : made.emplace(name, draw(name)).first->second;
}

}  // namespace tune::kernels::testing
