// SPDX-License-Identifier: Apache-2.0
// What every problem of the registry promises: its documentation, spaces and plans. A new problem is held
// against all of this by being in the table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "kernels/registry.hpp"
#include "search/random.hpp"
#include "search/space/search_space.hpp"
#include "search/space/space_builder.hpp"
#include "tests/kernels/conformance/drawn.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/plan/tensor_part.hpp"

namespace tune::kernels {
namespace {

using testing::Draw;
using testing::Drawn;

class EveryProblem : public ::testing::TestWithParam<std::string> {
 protected:
  const Draw& draw() const { return Draw::of(GetParam()); }
  const Problem& problem() const { return *draw().problem; }
  const ProblemInfo& info() const { return problem().info(); }
  Instance default_instance() const { return make_instance(info(), "", {}); }
};

bool is_lower_case_name(const std::string& name) {
  return std::regex_match(name, std::regex("[a-z][a-z0-9_]*"));
}

TEST_P(EveryProblem, DocumentsExtentsAndSettings) {
  EXPECT_EQ(info().name, GetParam());
  EXPECT_GT(info().summary.size(), 10u);
  EXPECT_FALSE(info().item.empty());
  ASSERT_FALSE(info().extents.empty());
  std::set<std::string> names;
  for (const ExtentInfo& extent : info().extents) {
    EXPECT_TRUE(is_lower_case_name(extent.name)) << extent.name;
    EXPECT_FALSE(extent.documentation.empty()) << extent.name;
    EXPECT_GT(extent.default_value, 0) << extent.name;
    EXPECT_TRUE(names.insert(extent.name).second) << extent.name << " twice";
  }
  for (const SettingInfo& setting : info().settings) {
    EXPECT_TRUE(is_lower_case_name(setting.name)) << setting.name;
    EXPECT_GT(setting.documentation.size(), 8u) << setting.name;
    EXPECT_TRUE(names.insert(setting.name).second) << setting.name << " twice";
    if (setting.range) {
      ASSERT_TRUE(setting.default_value.is_int()) << setting.name;
      EXPECT_GE(setting.default_value.as_int(), setting.range->first) << setting.name;
      EXPECT_LE(setting.default_value.as_int(), setting.range->second) << setting.name;
    } else {
      EXPECT_NE(std::ranges::find(setting.values, setting.default_value), setting.values.end())
          << setting.name;
    }
  }
}

// A parameter's name must not be that of an extent or of a setting: expressions mention all of them.
TEST_P(EveryProblem, DocumentsParameters) {
  for (const Drawn& drawn : draw().all) {
    const search::SpaceDefinition definition =
        problem().space(drawn.instance, emulator::testing::sample_device(problem()));
    std::set<std::string> names;
    for (const auto& [name, value] : definition.constants) names.insert(name);
    for (const search::Parameter& parameter : definition.parameters) {
      EXPECT_TRUE(is_lower_case_name(parameter.name)) << parameter.name;
      EXPECT_GT(parameter.documentation.size(), 8u) << parameter.name;
      EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name << " twice";
    }
    for (const search::Constraint& constraint : definition.constraints)
      EXPECT_GT(constraint.reason.size(), 8u) << constraint.rule.to_string();
  }
}

std::string text_of(const std::string& parameter, const Value& value) {
  return parameter + "=" + value.to_string();
}

/// The values of a random part of the space: nearly all that are valid.
void add_sampled(const search::SpaceDefinition& definition, std::set<std::string>& valid) {
  const search::SearchSpace space(definition);
  search::Random random(1);
  for (int i = 0; i < 500 && !space.empty(); ++i) {
    const Configuration configuration = space.at(space.sample(random));
    for (const auto& [name, value] : configuration.entries()) valid.insert(text_of(name, value));
  }
}

/// Whether some configuration has this value of this parameter.
bool has_value(search::SpaceDefinition definition, const std::string& parameter, const Value& value) {
  definition.constraints.push_back(
      {search::var(parameter) == search::Expr(value), "the value that is looked for", true});
  return !search::SearchSpace(std::move(definition)).empty();
}

// The program offers no value that no configuration has, whatever the settings and the size.
TEST_P(EveryProblem, HasNoValueThatNoConfigurationHas) {
  constexpr std::size_t max_instances = 24;
  std::map<std::string, Instance> instances;
  for (const std::int64_t extent : {300, 1024}) {
    Instance instance = default_instance();
    for (auto& [name, value] : instance.extents) value = extent;
    instances.emplace(instance.key(), instance);
  }
  for (const Drawn& drawn : draw().all)
    if (instances.size() < max_instances) instances.emplace(drawn.instance.key(), drawn.instance);
  std::vector<search::SpaceDefinition> definitions;
  for (const auto& [key, instance] : instances)
    definitions.push_back(problem().space(instance, emulator::testing::sample_device(problem())));
  if (info().target == Target::gpu)
    definitions.push_back(problem().space(default_instance(), architecture_properties("sm_80")));
  std::set<std::string> valid;
  for (const search::SpaceDefinition& definition : definitions) add_sampled(definition, valid);
  // What is rare is looked for in each space that offers it.
  std::set<std::string> offered;
  for (const search::SpaceDefinition& definition : definitions)
    for (const search::Parameter& parameter : definition.parameters)
      for (const Value& value : parameter.values) {
        const std::string text = text_of(parameter.name, value);
        offered.insert(text);
        if (!valid.contains(text) && has_value(definition, parameter.name, value)) valid.insert(text);
      }
  for (const std::string& text : offered) EXPECT_TRUE(valid.contains(text)) << text;
}

TEST_P(EveryProblem, StartsWithAValidDefaultOnEveryArchitecture) {
  if (info().target == Target::cpu) {
    for (const int cores : {1, 256}) {
      DeviceProperties device = emulator::testing::sample_device(problem());
      device.multiprocessors = cores;
      const search::SearchSpace space(problem().space(default_instance(), device));
      ASSERT_FALSE(space.empty());
      EXPECT_TRUE(
          problem().plan(default_instance(), space.at(*space.default_configuration()), EmbeddedSources()));
    }
    return;
  }
  const auto architectures = known_architectures();
  for (const std::string_view architecture : architectures)
    for (const char* size : {"", "1", "7"}) {
      // Sizes that are tiny everywhere: on the oldest and the newest.
      if (*size != '\0' && architecture != architectures.front() && architecture != architectures.back())
        continue;
      std::string text = size;
      if (!text.empty())
        for (std::size_t i = 1; i < info().extents.size(); ++i) text += std::string("x") + size;
      const Instance instance = make_instance(info(), text, {});
      const search::SearchSpace space(problem().space(instance, architecture_properties(architecture)));
      SCOPED_TRACE(instance.key() + " on " + std::string(architecture));
      ASSERT_FALSE(space.empty());
      const Configuration chosen = space.at(*space.default_configuration());
      EXPECT_TRUE(problem().plan(instance, chosen, EmbeddedSources())) << chosen.to_string();
    }
}

struct BuiltSpace {
  const char *problem, *size;
  std::vector<std::pair<std::string, Value>> settings;
  std::uint64_t max_steps;
};

// The program builds the space at each start, in which a million steps take 10 to 20 ms.
TEST(ProblemSpaces, AreBuiltInFewSteps) {
  const BuiltSpace spaces[] = {
      {"conv2d_separable", "", {}, 300'000},
      {"fault_injection", "", {}, 10'000},
      {"gemm", "", {}, 700'000},
      {"gemm", "1000x1000x1000", {}, 800'000},
      {"gemm_host", "", {}, 700'000},
      {"gemm_stream", "", {}, 10'000},
      {"grid_knn", "", {}, 300'000},
      {"grid_knn", "1000x1000", {{"k", 16}}, 300'000},
      {"histogram", "", {}, 300'000},
      {"rotate", "", {}, 300'000},
      {"rotate", "", {{"type", "uint8x4"}, {"source", "array"}}, 300'000},
      {"histogram", "", {{"type", "float"}, {"bins", 65536}}, 300'000},
      {"matvec", "", {}, 1'800'000},
      {"matvec", "14336x14336", {}, 4'500'000},
      {"triangle_count", "", {}, 300'000},
      {"triangle_count", "317080x1049866", {{"build", "included"}}, 300'000},
      {"stencil2d", "", {}, 100'000},
      {"stencil2d", "", {{"steps", 8}}, 250'000},
      {"stencil3d", "", {}, 200'000},
      {"stencil3d", "", {{"steps", 8}}, 1'300'000},
      {"stencil3d", "", {{"radius", 2}, {"steps", 16}}, 900'000},
      {"stencil3d", "128x128x128", {{"steps", 96}}, 5'000'000},
  };
  std::set<std::string_view> covered;
  for (const auto& [name, size, settings, max_steps] : spaces) {
    SCOPED_TRACE(format("{} {}", name, size));
    covered.insert(name);
    const auto problem = make_problem(name);
    search::SpaceDefinition definition = problem->space(make_instance(problem->info(), size, settings),
                                                        emulator::testing::sample_device(*problem));
    std::vector<search::Parameter> reordered;
    if (!definition.counting_order) definition.counting_order.emplace();
    for (const std::size_t p : search::counting_order(definition))
      reordered.push_back(definition.parameters[p]);
    definition.parameters = std::move(reordered);
    EXPECT_NO_THROW(search::build_graph(definition, search::SearchSpace::default_max_states, max_steps));
  }
  EXPECT_EQ(covered.size(), problems().size());
}

// Other sizes take more steps, and are counted all the same.
TEST(ProblemSpaces, AreCountedAtUnusualSizes) {
  const auto is_counted = [](const char* problem, const char* size,
                             const std::vector<std::pair<std::string, Value>>& settings) {
    const auto made = make_problem(problem);
    return search::SearchSpace::counted_or_sampled(
               made->space(make_instance(made->info(), size, settings), architecture_properties("sm_90")))
        .counted();
  };
  EXPECT_TRUE(is_counted("matvec", "14336x14336", {}));
  EXPECT_TRUE(is_counted("stencil3d", "128x128x128", {{"steps", 96}}));
}

TEST_P(EveryProblem, CountsItsWork) {
  for (const Drawn& drawn : draw().all) {
    SCOPED_TRACE(drawn.text());
    const ProblemCost cost = problem().cost(drawn.instance);
    EXPECT_GT(cost.items, 0);
    EXPECT_TRUE(std::isfinite(cost.items) && std::isfinite(cost.flops) && std::isfinite(cost.bytes));
    EXPECT_GE(cost.flops, 0);
    double outputs = 0;
    for (const BufferSpec& buffer : drawn.plan.buffers)
      if (buffer.role == BufferRole::output && buffer.device == 0)
        outputs +=
            static_cast<double>(element_count(results_layout(buffer).extents) * element_size(buffer.type));
    EXPECT_GE(cost.bytes, outputs) << "every output is written once";
  }
}

TEST_P(EveryProblem, PlansTheSameForTheSameConfiguration) {
  const EmbeddedSources sources;
  for (const Drawn& drawn : draw().all) {
    const Result<LaunchPlan> again = problem().plan(drawn.instance, drawn.configuration, sources);
    ASSERT_TRUE(again) << drawn.text();
    EXPECT_EQ(content_of(again->compile), content_of(drawn.plan.compile)) << drawn.text();
    EXPECT_EQ(launches_of(*again), launches_of(drawn.plan)) << drawn.text();
  }
}

// Settings and configurations that differ in what they compute must not give one plan: equal machine code
// and launches are measured once.
TEST_P(EveryProblem, PlansDifferAcrossSizes) {
  const std::set<std::string> of_inputs_alone = {"data", "graph", "order"};
  std::map<std::string, std::string> first;
  for (const Drawn& drawn : draw().all) {
    Instance instance = drawn.instance;
    std::erase_if(instance.settings,
                  [&](const auto& setting) { return of_inputs_alone.contains(setting.first); });
    const std::string plan = content_of(drawn.plan.compile) + launches_of(drawn.plan);
    const auto [found, fresh] = first.try_emplace(plan, instance.key());
    EXPECT_EQ(found->second, instance.key()) << drawn.configuration.to_string();
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryProblem, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const ProblemEntry& entry : problems()) names.emplace_back(entry.name);
                           return names;
                         }()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace tune::kernels
