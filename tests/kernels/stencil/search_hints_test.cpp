// SPDX-License-Identifier: Apache-2.0
// What a search is told of stencils beside their space: guesses, bounds, cheaper instances.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "kernels/registry.hpp"
#include "kernels/stencil/plan/variant.hpp"
#include "kernels/stencil/problem.hpp"
#include "search/space/search_space.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {
namespace {

using search::SearchSpace;
using Settings = std::vector<std::pair<std::string, Value>>;

DeviceProperties large_device() {
  DeviceProperties device = architecture_properties("sm_90");
  device.multiprocessors = 132;
  device.copy_bandwidth = 4.2e12;
  device.l2_cache = std::int64_t{50} << 20;
  return device;
}

struct Case {
  std::unique_ptr<Problem> problem;
  Instance instance;
};

Case make_case(int dimensions, const Settings& settings, const std::string& size = "") {
  Case made{dimensions == 2 ? make_stencil2d() : make_stencil3d(), {}};
  made.instance = make_instance(made.problem->info(), size, settings);
  return made;
}

std::map<std::string, Value> guess_for(const Case& made, const std::string& variant) {
  for (const auto& guess : made.problem->space(made.instance, large_device()).guesses) {
    std::map<std::string, Value> values(guess.begin(), guess.end());
    if (values.at("variant") == Value(variant)) return values;
  }
  return {};
}

TEST(TemporalGuess, KeepsTheSumsInRegisters) {
  for (const int dimensions : {2, 3})
    for (const char* type : {"float", "double"})
      for (const int radius : {1, 2}) {
        const Case made = make_case(dimensions, {{"steps", 96}, {"type", type}, {"radius", radius}});
        const auto guess = guess_for(made, "temporal");
        ASSERT_FALSE(guess.empty());
        const std::int64_t words = std::string(type) == "double" ? 2 : 1;
        const std::int64_t cells =
            guess.at("cells_x").as_int() * (dimensions == 2 ? 1 : guess.at("cells_y").as_int());
        const std::int64_t fused = guess.at("fused").as_int();
        EXPECT_GE(fused, 2);
        EXPECT_LE(fused * 2 * radius * cells * words, dimensions == 2 ? 144
                                                      : fused == 2    ? 128
                                                                      : 72)
            << dimensions << type << radius;
      }
  const auto usual = guess_for(make_case(3, {{"steps", 96}}), "temporal");
  EXPECT_EQ(usual.at("fused"), Value(4));
  EXPECT_EQ(usual.at("cells_x"), Value(2));
  EXPECT_EQ(usual.at("cells_y"), Value(4));
}

TEST(TemporalGuess, IsValidWhereTheVariantIs) {
  const Case made = make_case(3, {{"steps", 96}});
  const SearchSpace space(made.problem->space(made.instance, large_device()));
  Configuration guess = space.at(*space.default_configuration());
  Configuration temporal;
  for (const auto& [name, value] : guess_for(made, "temporal"))
    if (name != "unroll" || value == Value(1)) temporal.set(name, value);
  EXPECT_TRUE(space.find(temporal)) << space.explain(temporal);
}

TEST(FamilySpace, GuessesAreWhatAVariantPrefers) {
  for (const auto& [name, make] : {std::pair{"stencil3d", &make_stencil3d}, {"stencil2d", &make_stencil2d}})
    for (const int steps : {1, 2, 96})
      for (const char* shape : {"star", "box"})
        for (const int radius : {1, 2, 3}) {
          const auto problem = make();
          const Settings settings = {{"steps", steps}, {"shape", shape}, {"radius", radius}};
          const search::SpaceDefinition space =
              problem->space(make_instance(problem->info(), "", settings), large_device());
          EXPECT_LE(space.guesses.size(), 1u) << name;
          EXPECT_TRUE(steps == 1 || radius > 1 || space.guesses.size() == 1) << name << " " << shape;
          for (const auto& guess : space.guesses)
            for (const auto& [parameter, value] : guess) {
              const auto found = std::ranges::find(space.parameters, parameter, &search::Parameter::name);
              ASSERT_NE(found, space.parameters.end()) << parameter;
              EXPECT_NE(std::ranges::find(found->values, value), found->values.end())
                  << name << " " << parameter << "=" << value.to_string();
            }
        }
}

double bound(const Case& made, const char* variant, const DeviceProperties& device = large_device()) {
  return made.problem->least_seconds(made.instance, Value(variant), device);
}

TEST(StencilBounds, FollowFromTheFewestPasses) {
  const Case once = make_case(3, {}), often = make_case(3, {{"steps", 96}});
  const double pass = 2.0 * 512 * 512 * 512 * 4 / large_device().copy_bandwidth;
  EXPECT_NEAR(bound(once, "direct"), 0.95 * pass, 1e-9);
  EXPECT_LT(bound(often, "streaming"), 0.95 * 96 * pass);
  EXPECT_GT(bound(often, "streaming"), 0.8 * 96 * pass) << "the L2 cache keeps a tenth of the array";
  EXPECT_NEAR(bound(often, "temporal"), bound(often, "streaming") / 16, 0.1 * bound(often, "temporal"));
  EXPECT_GE(bound(often, "composed"), bound(often, "streaming") / 8);
  EXPECT_LE(bound(often, "composed"), bound(often, "streaming") / 2);
  EXPECT_EQ(bound(often, "fft"), 0) << "unknown";
  EXPECT_EQ(bound(often, "none of them"), 0);
  EXPECT_EQ(bound(often, "streaming", architecture_properties("sm_90")), 0) << "no bandwidth is known";
}

TEST(StencilBounds, AnArrayThatTheCacheHoldsIsReadAndWrittenOnce) {
  const Case once = make_case(3, {}, "64x64x64"), often = make_case(3, {{"steps", 96}}, "64x64x64");
  EXPECT_DOUBLE_EQ(bound(often, "direct"), bound(once, "direct"));
}

std::optional<Instance> cheaper(int dimensions, const Settings& settings, const std::string& size = "") {
  const Case made = make_case(dimensions, settings, size);
  return made.problem->low_fidelity(made.instance);
}

TEST(StencilLowFidelity, HasAQuarterOfTheStepsAtMost) {
  EXPECT_EQ(cheaper(3, {{"steps", 96}})->setting("steps"), Value(24));
  EXPECT_EQ(cheaper(3, {{"steps", 191}})->setting("steps"), Value(24));
  EXPECT_EQ(cheaper(2, {{"steps", 480}, {"type", "double"}})->setting("steps"), Value(48));
  EXPECT_FALSE(cheaper(3, {{"steps", 95}}));
  EXPECT_FALSE(cheaper(3, {}));
  EXPECT_FALSE(cheaper(3, {{"steps", 96}}, "128x128x128")) << "it takes no longer than its checks";
  const Instance one = *cheaper(2, {{"steps", 480}, {"type", "double"}});
  EXPECT_EQ(one.size(), "8192x8192");
  EXPECT_EQ(one.setting("type"), Value("double"));
}

TEST(StencilLowFidelity, MostConfigurationsAreValidAtBoth) {
  const Case made = make_case(3, {{"steps", 96}});
  const SearchSpace few(made.problem->space(*made.problem->low_fidelity(made.instance), large_device()));
  const SearchSpace all(made.problem->space(made.instance, large_device()));
  search::Random random(1);
  int both = 0;
  for (int i = 0; i < 200; ++i) both += few.find(all.at(random.below(all.size()))) ? 1 : 0;
  EXPECT_GT(both, 190);
}

}  // namespace
}  // namespace tune::kernels
