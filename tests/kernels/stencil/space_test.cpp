// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/stencil/plan/variant.hpp"
#include "kernels/stencil/problem.hpp"
#include "tests/kernels/stencil/stencil_cases.hpp"
#include "tests/support/sampled.hpp"
#include "tuner/base/error.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels {
namespace {

using search::Parameter;
using search::SearchSpace;

const std::set<std::string> sweeps = {"direct", "streaming"};

/// Under which of these variants a parameter exists; `vector`, `cells_y`, `padded`, `store` and `min_blocks`
/// under all of them.
const std::map<std::string, std::set<std::string>> variants_of = {{"block_x", sweeps},
                                                                  {"block_y", sweeps},
                                                                  {"block_z", {"direct"}},
                                                                  {"cells_z", {"direct"}},
                                                                  {"shuffle", {"direct"}},
                                                                  {"readonly", {"direct"}},
                                                                  {"unroll_rows", sweeps},
                                                                  {"chunk", {"streaming", "temporal"}},
                                                                  {"queue", {"streaming"}},
                                                                  {"loader", {"streaming"}},
                                                                  {"stages", {"streaming"}},
                                                                  {"unroll", {"streaming", "temporal"}},
                                                                  {"fused", {"temporal"}},
                                                                  {"cells_x", {"temporal"}},
                                                                  {"threads", {"temporal"}},
                                                                  {"ahead", {"temporal"}},
                                                                  {"parts", {}},
                                                                  {"unroll_planes", {"direct"}},
                                                                  {"divide", {}}};

void expect_conditional_parameters(const Configuration& configuration, const Instance& instance) {
  const std::string variant = configuration["variant"].as_text();
  if (!sweeps.contains(variant) && variant != "temporal") return;
  const StencilJob job = stencil_job(instance);
  const bool star = job.stencil.star(), flat = job.dimensions == 2;
  const int reach_x = job.stencil.radii()[0];
  const auto expected = [&](const std::string& name) {
    const auto found = variants_of.find(name);
    if (found != variants_of.end() && !found->second.contains(variant)) return false;
    if (name == "block_y" || name == "cells_y") return !flat;
    if (name == "shuffle") return reach_x >= 1 && reach_x <= 4;
    if (name == "queue") return star;
    if (name == "stages") return configuration["loader"].as_text() != "cache";
    // A march over the rows of two dimensions has no loop over rows besides.
    if (name == "unroll_rows") return !star && !(flat && variant == "streaming");
    if (name == "unroll_planes") return !star && !flat && configuration["unroll_rows"].as_bool();
    return true;
  };
  std::set<std::string> names = {"block_y", "vector", "cells_y", "padded", "store", "min_blocks"};
  for (const auto& [name, variants] : variants_of) names.insert(name);
  for (const std::string& name : names)
    ASSERT_EQ(configuration.has(name), expected(name)) << name << " in " << configuration.to_string();
}

/// What no rule may let through, told once more without the rules' own words.
void expect_runnable(const Configuration& configuration, const Instance& instance,
                     const DeviceProperties& device) {
  const auto value = [&](const char* name) {
    return configuration.has(name) ? configuration[name].as_int() : 1;
  };
  const std::string& variant = configuration["variant"].as_text();
  if (!sweeps.contains(variant)) return;
  const bool direct = variant == "direct";
  const std::int64_t threads = value("block_x") * value("block_y") * (direct ? value("block_z") : 1);
  const std::string text = configuration.to_string();
  ASSERT_GE(threads, 64) << text;
  ASSERT_LE(threads, device.max_threads_per_block) << text;
  ASSERT_LE(threads * value("min_blocks"), device.max_threads_per_multiprocessor) << text;
  ASSERT_LE(value("min_blocks"), device.max_blocks_per_multiprocessor) << text;
  const bool padded = configuration["padded"].as_bool();
  ASSERT_TRUE(padded || instance.extent("nx") % value("vector") == 0) << text;
  if (direct) return;
  const std::string& loader = configuration["loader"].as_text();
  ASSERT_TRUE(loader != "async" || value("stages") >= 2) << text;
  ASSERT_TRUE(loader != "plain" || value("stages") <= 2) << text;
  ASSERT_TRUE(loader != "tma" || (device.compute_major >= 9 && value("stages") >= 2)) << text;
  ASSERT_LE(value("unroll"), 2 * stencil_job(instance).stencil.radii()[2] + 1) << text;
}

class StencilSpace : public ::testing::TestWithParam<const char*> {};

std::set<std::string> values_of_variant(const SearchSpace& space) {
  std::set<std::string> names;
  for (const Parameter& parameter : space.parameters())
    if (parameter.name == "variant")
      for (const Value& value : parameter.values) names.insert(value.as_text());
  return names;
}

std::vector<testing::StencilCase> every_case() {
  std::vector<testing::StencilCase> cases = testing::all_cases();
  for (const testing::StencilCase& stencil : testing::varied_cases()) cases.push_back(stencil);
  return cases;
}

TEST_P(StencilSpace, HasEveryVariantAndItsDefaults) {
  for (const testing::StencilCase& stencil : every_case()) {
    SCOPED_TRACE(stencil.name());
    const auto problem = testing::stencil_problem(stencil);
    const Instance instance = testing::stencil_instance(stencil, 512, 512, 512);
    const SearchSpace space = testing::stencil_space_on(*problem, instance, GetParam());
    ASSERT_FALSE(space.empty());
    const auto id = space.default_configuration();
    ASSERT_TRUE(id);
    const Configuration chosen = space.at(*id);
    for (const Parameter& parameter : space.parameters()) {
      const Value* const value = chosen.find(parameter.name);
      EXPECT_TRUE(value == nullptr || *value == parameter.default_value)
          << parameter.name << " is " << value->to_string();
    }
    std::set<std::string> applying;
    for (const StencilVariant& variant : stencil_variants())
      if (variant.applies(stencil_job(instance))) applying.insert(std::string(variant.name));
    EXPECT_EQ(values_of_variant(space), applying);
    EXPECT_TRUE(applying.contains("direct"));
  }
}

// Whatever the stencil, there is a way to compute it: `direct`, and `streaming` where its queue fits.
TEST_P(StencilSpace, HasDirectAndStreamingForLargeStencils) {
  struct Large {
    const char* shape;
    int dimensions, radius;
    bool streaming;
  };
  for (const Large& large : {Large{"star", 3, 32, true}, Large{"star", 2, 32, true}, Large{"box", 3, 4, true},
                             Large{"box", 2, 16, true}, Large{"box", 2, 32, false}, Large{"box", 3, 8, true},
                             Large{"flux", 3, 32, true}, Large{"flux", 2, 32, true}})
    for (const testing::StencilCase& stencil :
         testing::with_every_type_and_boundary({{"float", large.shape, large.radius, large.dimensions}}, 2)) {
      SCOPED_TRACE(stencil.name());
      const auto problem = testing::stencil_problem(stencil);
      const Instance instance = testing::stencil_instance(stencil, 512, 512, 512);
      for (const char* variant : {"direct", "streaming"}) {
        const SearchSpace space = testing::stencil_space_on(*problem, instance, GetParam(),
                                                            "variant == '" + std::string(variant) + "'");
        EXPECT_EQ(space.empty(), std::string(variant) == "streaming" && !large.streaming) << variant;
      }
    }
}

TEST_P(StencilSpace, HoldsWhatCanRun) {
  const DeviceProperties device = architecture_properties(GetParam());
  std::uint64_t seed = 0;
  for (const testing::StencilCase& stencil : every_case())
    for (const std::int64_t nx : {512, 510, 511}) {
      // Every stencil at one length of rows; a part of them at each length, on an architecture each.
      const std::string_view architecture = GetParam();
      if (nx != (architecture == "sm_80" ? 510 : architecture == "sm_90" ? 512 : 511)) continue;
      if (nx != 512 && stencil.radius % 4 != 1) continue;
      const auto problem = testing::stencil_problem(stencil);
      const Instance instance = testing::stencil_instance(stencil, nx, 67, 29);
      SCOPED_TRACE(stencil.name() + " " + instance.key());
      const SearchSpace space(problem->space(instance, device));
      std::set<std::int64_t> unpadded_vectors;
      for (const Configuration& configuration :
           testing::sample_of(space, tune::testing::sampled_count(1000), ++seed)) {
        expect_conditional_parameters(configuration, instance);
        expect_runnable(configuration, instance, device);
        if (HasFatalFailure()) return;
        const Value* padded = configuration.find("padded");  // fft chooses its layout by other names
        if (padded != nullptr && !padded->as_bool())
          unpadded_vectors.insert(configuration["vector"].as_int());
      }
      const std::set<std::int64_t> expected = nx % 4 == 0   ? std::set<std::int64_t>{1, 2, 4}
                                              : nx % 2 == 0 ? std::set<std::int64_t>{1, 2}
                                                            : std::set<std::int64_t>{1};
      EXPECT_EQ(unpadded_vectors, expected);
    }
}

INSTANTIATE_TEST_SUITE_P(Architectures, StencilSpace, ::testing::Values("sm_80", "sm_90", "sm_120"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(StencilSpaceText, RefusesAStencilThatNoVariantComputes) {
  const testing::StencilCase stencil{"double", "box", 32};
  const Instance instance = testing::stencil_instance(stencil, 512, 512, 512);
  EXPECT_THROW(testing::stencil_problem(stencil)->space(instance, architecture_properties("sm_90")),
               UsageError);
}

TEST(StencilSpaceText, DocumentsEveryParameterAndRule) {
  for (const testing::StencilCase& stencil : every_case()) {
    const search::SpaceDefinition definition = testing::stencil_problem(stencil)->space(
        testing::stencil_instance(stencil, 512, 512, 512), architecture_properties("sm_90"));
    for (const Parameter& parameter : definition.parameters)
      EXPECT_GT(parameter.documentation.size(), 15u) << parameter.name;
    for (const search::Constraint& constraint : definition.constraints)
      EXPECT_GT(constraint.reason.size(), 30u) << constraint.rule.to_string();
  }
}

/// Whether some stencil has a valid configuration with this value.
bool is_possible(const std::vector<testing::StencilCase>& cases, const std::string& where) {
  return std::ranges::any_of(cases, [&](const testing::StencilCase& stencil) {
    const auto problem = testing::stencil_problem(stencil);
    return !testing::stencil_space_on(*problem, testing::stencil_instance(stencil, 512, 512, 512), "sm_90",
                                      where)
                .empty();
  });
}

// Every value of every parameter is in some valid configuration of some stencil: no dead choices.
TEST(StencilSpaceText, NoValueIsImpossible) {
  for (const int dimensions : {2, 3}) {
    std::vector<testing::StencilCase> cases;
    for (testing::StencilCase stencil : every_case()) {
      stencil.steps = 16;  // all values of `fused`
      if (stencil.dimensions == dimensions && stencil.boundary == "held") cases.push_back(stencil);
    }
    std::set<std::string> listed, seen;
    for (const testing::StencilCase& stencil : cases) {
      const auto problem = testing::stencil_problem(stencil);
      const SearchSpace space =
          testing::stencil_space_on(*problem, testing::stencil_instance(stencil, 512, 512, 512), "sm_90");
      const auto condition = [](const std::string& name, const Value& value) {
        return name + " == " + (value.is_text() ? "'" + value.as_text() + "'" : value.to_string());
      };
      for (const Parameter& parameter : space.parameters())
        for (const Value& value : parameter.values) listed.insert(condition(parameter.name, value));
      for (const Configuration& configuration : testing::sample_of(space, 300, 3))
        for (const auto& [name, value] : configuration.entries()) seen.insert(condition(name, value));
    }
    for (const std::string& value : listed) {
      if (!seen.contains(value)) {
        EXPECT_TRUE(is_possible(cases, value)) << value;
      }
    }
  }
}

TEST(StencilCost, CountsEveryCellInEveryStep) {
  const std::unique_ptr<Problem> problem = make_stencil3d();
  const auto cost = [&](const char* boundary) {
    const std::vector<std::pair<std::string, Value>> settings = {
        {"radius", 4}, {"steps", 3}, {"boundary", boundary}, {"shape", "star"}, {"type", "float"}};
    return problem->cost(make_instance(problem->info(), "40x30x20", settings));
  };
  const ProblemCost held = cost("held"), zero = cost("zero");
  EXPECT_EQ(held.items, 3 * 40 * 30 * 20);
  EXPECT_EQ(zero.items, held.items);
  EXPECT_EQ(held.bytes, 2 * 4 * 40 * 30 * 20);
  EXPECT_EQ(zero.bytes, held.bytes);
  EXPECT_EQ(held.flops, 3.0 * (40 - 8) * (30 - 8) * (20 - 8) * (2 * 25 - 1));
  EXPECT_EQ(zero.flops, 3.0 * 40 * 30 * 20 * (2 * 25 - 1));
}

}  // namespace
}  // namespace tune::kernels
