// SPDX-License-Identifier: Apache-2.0
// Every fuzz target on its seeds and on damaged ones, without libFuzzer.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/fuzz/seeds.hpp"
#include "tests/hostile/hostile_text.hpp"

// fuzz_targets.inc has a line FUZZ_TARGET(name) for each; the build names their functions apart.
#define FUZZ_TARGET(name) extern "C" int fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "fuzz_targets.inc"
#undef FUZZ_TARGET

namespace tune::testing {
namespace {

struct Target {
  const char* name;
  int (*run)(const std::uint8_t* data, std::size_t size);
};

constexpr Target targets[] = {
#define FUZZ_TARGET(name) {#name, fuzz_##name},
#include "fuzz_targets.inc"
#undef FUZZ_TARGET
};

class Fuzz : public ::testing::TestWithParam<Target> {};

TEST_P(Fuzz, SeedsAndDamagedOnesEndProperly) {
  constexpr std::chrono::milliseconds enough{800};
  constexpr std::uint64_t most = 500, at_least = 20;  // damaged ones
  const auto begin = std::chrono::steady_clock::now();
  const auto run = [](const std::string& input) {
    EXPECT_EQ(GetParam().run(reinterpret_cast<const std::uint8_t*>(input.data()), input.size()), 0);
  };
  const std::vector<std::string>& seeds = fuzz_seeds(GetParam().name);
  const auto is_enough = [&](std::uint64_t done) {
    return done >= at_least && std::chrono::steady_clock::now() - begin > enough;
  };
  run("");
  for (std::size_t i = 0; i < seeds.size() && !is_enough(i); ++i) run(seeds[i]);
  for (std::uint64_t i = 0; i < most && !is_enough(i); ++i) {
    Dice dice(i);
    run(damaged(dice, seeds[i % seeds.size()]));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Fuzz, ::testing::ValuesIn(targets),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace tune::testing
