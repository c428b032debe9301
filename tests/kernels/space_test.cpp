// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/variants.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "kernels/stencil/problem.hpp"
#include "tests/kernels/stencil_cases.hpp"
#include "tuner/core/architectures.hpp"

namespace tune::kernels {
namespace {

using search::Parameter;
using search::SearchSpace;

/// Parameters that exist under one variant only; all others exist under both.
const std::map<std::string, std::string> variant_of = {
    {"block_z", "direct"},   {"cells_z", "direct"},   {"shuffle", "direct"},
    {"readonly", "direct"},  {"chunk", "streaming"},  {"queue", "streaming"},
    {"loader", "streaming"}, {"stages", "streaming"}, {"unroll", "streaming"}};

void expect_conditional_parameters(const Configuration& configuration, const Instance& instance) {
  const std::string variant = configuration["variant"].as_text();
  const bool star = instance.setting("shape").as_text() == "star";
  const auto expected = [&](const std::string& name) {
    const auto found = variant_of.find(name);
    if (found != variant_of.end() && found->second != variant) return false;
    if (name == "shuffle") return instance.setting("radius").as_int() <= 4;
    if (name == "queue") return star;
    if (name == "stages") return configuration["loader"].as_text() != "cache";
    if (name == "unroll_rows") return !star;
    return true;
  };
  for (const char* name :
       {"block_x", "block_y", "block_z", "vector", "cells_y", "cells_z", "shuffle", "readonly", "chunk",
        "queue", "loader", "stages", "unroll", "unroll_rows", "padded", "store", "min_blocks"})
    ASSERT_EQ(configuration.has(name), expected(name)) << name << " in " << configuration.to_string();
}

/// What no rule may let through, told once more without the rules' own words.
void expect_runnable(const Configuration& configuration, const Instance& instance,
                     const DeviceFacts& device) {
  const auto value = [&](const char* name) { return configuration[name].as_int(); };
  const bool direct = configuration["variant"].as_text() == "direct";
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
  ASSERT_LE(value("unroll"), 2 * instance.setting("radius").as_int() + 1) << text;
}

class StencilSpace : public ::testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Problem> problem_ = make_stencil3d();
};

TEST_P(StencilSpace, HasEveryVariantAndItsDefaults) {
  for (const testing::StencilCase& stencil : testing::all_cases()) {
    SCOPED_TRACE(stencil.name());
    const SearchSpace space =
        testing::stencil_space_on(*problem_, testing::stencil_instance(stencil, 512, 512, 512), GetParam());
    ASSERT_FALSE(space.empty());
    const auto id = space.default_configuration();
    ASSERT_TRUE(id);
    const Configuration chosen = space.at(*id);
    for (const Parameter& parameter : space.parameters()) {
      const Value* const value = chosen.find(parameter.name);
      EXPECT_TRUE(value == nullptr || *value == parameter.default_value)
          << parameter.name << " is " << value->to_string();
    }
    std::set<std::string> variants;
    for (const Configuration& configuration : testing::sample_of(space, 500, 1))
      variants.insert(configuration["variant"].as_text());
    EXPECT_EQ(variants, (std::set<std::string>{"direct", "streaming"}));
  }
}

TEST_P(StencilSpace, HoldsWhatCanRun) {
  const DeviceFacts device = architecture_facts(GetParam());
  std::uint64_t seed = 0;
  for (const testing::StencilCase& stencil : testing::all_cases())
    for (const std::int64_t nx : {512, 510, 511}) {
      if (nx != 512 && stencil.radius % 4 != 1) continue;
      const Instance instance = testing::stencil_instance(stencil, nx, 67, 29);
      SCOPED_TRACE(instance.key());
      const SearchSpace space(problem_->space(instance, device));
      std::set<std::int64_t> unpadded_vectors;
      for (const Configuration& configuration : testing::sample_of(space, 1500, ++seed)) {
        expect_conditional_parameters(configuration, instance);
        expect_runnable(configuration, instance, device);
        if (HasFatalFailure()) return;
        if (!configuration["padded"].as_bool()) unpadded_vectors.insert(configuration["vector"].as_int());
      }
      const std::set<std::int64_t> expected = nx % 4 == 0   ? std::set<std::int64_t>{1, 2, 4}
                                              : nx % 2 == 0 ? std::set<std::int64_t>{1, 2}
                                                            : std::set<std::int64_t>{1};
      EXPECT_EQ(unpadded_vectors, expected);
    }
}

INSTANTIATE_TEST_SUITE_P(Architectures, StencilSpace, ::testing::Values("sm_80", "sm_90", "sm_120"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(StencilSpaceText, DocumentsEveryParameterAndRule) {
  const auto problem = make_stencil3d();
  for (const testing::StencilCase& stencil : testing::all_cases()) {
    const search::SpaceDefinition definition =
        problem->space(testing::stencil_instance(stencil, 512, 512, 512), architecture_facts("sm_90"));
    for (const Parameter& parameter : definition.parameters)
      EXPECT_GT(parameter.documentation.size(), 15u) << parameter.name;
    for (const search::Constraint& constraint : definition.constraints)
      EXPECT_GT(constraint.reason.size(), 30u) << constraint.rule.to_string();
  }
}

// Every value of every parameter is in some valid configuration of some stencil: no dead choices.
TEST(StencilSpaceText, NoValueIsImpossible) {
  const auto problem = make_stencil3d();
  std::set<std::string> listed, seen;
  for (const testing::StencilCase& stencil : testing::all_cases()) {
    const SearchSpace space =
        testing::stencil_space_on(*problem, testing::stencil_instance(stencil, 512, 512, 512), "sm_90");
    for (const Parameter& parameter : space.parameters())
      for (const Value& value : parameter.values) listed.insert(parameter.name + "=" + value.to_string());
    for (const Configuration& configuration : testing::sample_of(space, 1000, 3))
      for (const auto& [name, value] : configuration.entries()) seen.insert(name + "=" + value.to_string());
  }
  EXPECT_EQ(listed, seen);
}

}  // namespace
}  // namespace tune::kernels
