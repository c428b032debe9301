// SPDX-License-Identifier: Apache-2.0
// A sample of configurations that has every value of every parameter compiles for a real architecture, and
// one that has every value that is no number for others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/stencil/plan/variant.hpp"
#include "kernels/stencil/problem.hpp"
#include "tests/kernels/stencil/stencil_cases.hpp"
#include "tests/support/covering.hpp"
#include "tests/support/sampled.hpp"
#include "tuner/backends/compile_pool.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/parallel.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/plan/tensor_map_shape.hpp"

namespace tune::kernels {
namespace {

constexpr std::string_view usual_architecture = "sm_90";

struct Sampled {
  Instance instance;
  Configuration configuration;

  /// Every value it has, the settings' too: `vector=4`, `shape=box`.
  std::set<std::string> values() const {
    std::set<std::string> all = tune::testing::values_of(configuration);
    for (const auto& [name, value] : instance.settings) all.insert(name + "=" + value.to_string());
    for (const char* setting : {"boundary=held", "coefficients=general"}) {
      const std::string text = setting, name = text.substr(0, text.find('='));
      if (instance.setting_or(name, "none").as_text() == "none") all.insert(text);
    }
    return all;
  }
};

/// Cases of some dimensions: all stars and boxes up to radius 8 and all other shapes.
std::vector<testing::StencilCase> cases_of(int dimensions) {
  std::vector<testing::StencilCase> cases;
  if (dimensions == 3) cases = testing::all_cases();
  for (const testing::StencilCase& stencil : testing::varied_cases())
    if (stencil.dimensions == dimensions) cases.push_back(stencil);
  return cases;
}

/// Values of all parameters and of the settings with a list of values, but for the radius: larger ones take
/// long to compile.
std::set<std::string> all_values(int dimensions) {
  std::set<std::string> all;
  for (const testing::StencilCase& stencil : cases_of(dimensions)) {
    const search::SpaceDefinition definition = testing::stencil_problem(stencil)->space(
        testing::stencil_instance(stencil, 512, 512, 512), architecture_properties("sm_90"));
    for (const search::Parameter& parameter : definition.parameters)
      for (const Value& value : parameter.values) all.insert(parameter.name + "=" + value.to_string());
  }
  const auto problem = dimensions == 2 ? make_stencil2d() : make_stencil3d();
  for (const SettingInfo& setting : problem->info().settings)
    if (setting.name != "radius")
      for (const Value& value : setting.values) all.insert(setting.name + "=" + value.to_string());
  return all;
}

/// `name == value` of a value's text, as an expression.
std::string condition(const std::string& value) {
  const std::size_t equals = value.find('=');
  const std::string text = value.substr(equals + 1);
  const bool word = text.find_first_not_of("0123456789.") != std::string::npos;
  const bool boolean = text == "true" || text == "false";
  return value.substr(0, equals) + " == " +
         (boolean ? (text == "true" ? "True" : "False")
          : word  ? "'" + text + "'"
                  : text);
}

/// An estimate of what it costs to compile: about the terms of a thread, as far as loops are unrolled.
double cost_of(const Sampled& sampled) {
  double terms = static_cast<double>(stencil_job(sampled.instance).stencil.points.size());
  for (const char* factor : {"vector", "cells_x", "cells_y", "cells_z", "fused"})
    if (const Value* value = sampled.configuration.find(factor)) terms *= value->as_real();
  // A thread of this variant has the cells of all fused steps in registers.
  const bool registers = sampled.configuration["variant"] == Value("temporal");
  return 100 + terms * (registers ? terms : 1);
}

/// Of many random configurations, few that together have every wanted value; besides, one of every 256 that
/// compiles soon.
class Covering {
 public:
  Covering(int dimensions, std::string architecture, std::uint64_t seed)
      : cases_(cases_of(dimensions)),
        wanted_(all_values(dimensions)),
        architecture_(std::move(architecture)),
        seed_(seed) {
    if (!has_tensor_maps(architecture_properties(architecture_))) wanted_.erase("loader=tma");
    // Numbers are alike on all of them, and compiling takes long.
    if (architecture_ != usual_architecture) std::erase_if(wanted_, tune::testing::is_amount);
  }

  std::vector<Sampled> sample() {
    for (const testing::StencilCase& stencil : cases_) draw(stencil, "True", 4);
    // A thread with few cells compiles soon, whatever else is chosen.
    for (const testing::StencilCase& stencil : cases_)
      if (stencil.radius == 1 && architecture_ == usual_architecture)
        draw(stencil, "vector * cells_x <= 2 and fused == 2", 30);
    // What is rare: the first case that has it.
    for (const std::string& value : wanted_)
      for (auto stencil = cases_.begin(); stencil != cases_.end() && !seen_.contains(value); ++stencil)
        if (has_parameter(*stencil, value.substr(0, value.find('=')))) draw(*stencil, condition(value), 1);
    for (const std::string& value : wanted_) EXPECT_TRUE(seen_.contains(value)) << value << " is missing";
    std::vector<Sampled> sample;
    for (const std::size_t place : tune::testing::covering(values_, costs_)) sample.push_back(drawn_[place]);
    for (std::size_t i = 256; i <= drawn_.size(); i += 256) sample.push_back(drawn_[cheapest(i - 64, i)]);
    return sample;
  }

 private:
  std::size_t cheapest(std::size_t begin, std::size_t end) const {
    const auto first = costs_.begin();
    return static_cast<std::size_t>(std::min_element(first + static_cast<std::ptrdiff_t>(begin),
                                                     first + static_cast<std::ptrdiff_t>(end)) -
                                    first);
  }

  bool has_parameter(const testing::StencilCase& stencil, const std::string& name) const {
    const search::SpaceDefinition definition = testing::stencil_problem(stencil)->space(
        testing::stencil_instance(stencil, 512, 512, 512), architecture_properties(architecture_));
    return std::ranges::find(definition.parameters, name, &search::Parameter::name) !=
           definition.parameters.end();
  }

  /// Random configurations of each variant.
  void draw(const testing::StencilCase& stencil, const std::string& where, std::size_t count) {
    const auto problem = testing::stencil_problem(stencil);
    const Instance instance = testing::stencil_instance(stencil, 512, 512, 512);
    for (const StencilVariant& variant : stencil_variants()) {
      if (!variant.applies(stencil_job(instance))) continue;
      if (where.find("cells_x") != std::string::npos && variant.name != "temporal") continue;
      const search::SearchSpace space = testing::stencil_space_on(
          *problem, instance, architecture_, format("variant == '{}' and {}", variant.name, where));
      for (const Configuration& configuration : testing::sample_of(space, count, ++seed_)) {
        drawn_.push_back({instance, configuration});
        costs_.push_back(cost_of(drawn_.back()));
        std::set<std::string>& values = values_.emplace_back();
        std::ranges::set_intersection(drawn_.back().values(), wanted_, std::inserter(values, values.end()));
        seen_.insert(values.begin(), values.end());
      }
    }
  }

  std::vector<testing::StencilCase> cases_;
  std::set<std::string> wanted_, seen_;
  std::string architecture_;
  std::uint64_t seed_;
  std::vector<Sampled> drawn_;
  std::vector<std::set<std::string>> values_;  ///< of each, those that are wanted
  std::vector<double> costs_;                  ///< of each
};

/// Dimensions and architecture.
class StencilCompiles : public ::testing::TestWithParam<std::tuple<int, const char*>> {};

TEST_P(StencilCompiles, ForTheArchitecture) {
  const auto [dimensions, architecture] = GetParam();
  std::string reason;
  const std::unique_ptr<Compiler> compiler = cuda::make_nvrtc_compiler(architecture, &reason);
  if (!compiler) GTEST_SKIP() << reason;
  const auto problem = dimensions == 2 ? make_stencil2d() : make_stencil3d();
  const EmbeddedSources sources;
  const std::vector<Sampled> sample =
      tune::testing::sampled(Covering(dimensions, architecture, 7).sample(),
                             [](const Sampled& one) { return one.configuration["variant"].to_string(); });
  CompilePool pool(*compiler, host_threads());
  std::vector<std::future<Result<Binary>>> compiling;
  for (const Sampled& next : sample)
    compiling.push_back(pool.submit(problem->plan(next.instance, next.configuration, sources)->compile));
  int spilled = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    SCOPED_TRACE(sample[i].instance.key() + ": " + sample[i].configuration.to_string());
    const Result<Binary> binary = compiling[i].get();
    ASSERT_TRUE(binary) << binary.error().detail;
    ASSERT_FALSE(binary->resources.empty());
    for (const auto& [entry, resources] : binary->resources) {
      EXPECT_GT(resources.registers, 0);
      EXPECT_LE(resources.registers, 255);
      EXPECT_EQ(resources.static_shared_memory, 0) << "shared memory is dynamic";
      if (resources.spill_store_bytes > 0) {
        ++spilled;
        EXPECT_GT(resources.local_bytes, 0);
      }
    }
  }
  RecordProperty("compiled", static_cast<int>(sample.size()));
  RecordProperty("spilled", spilled);
  std::printf("%s: %zu configurations compiled, %d spill registers\n", architecture, sample.size(), spilled);
}

TEST(StencilReferenceCompiles, ForBothTypesAndBoundaries) {
  std::string reason;
  const std::unique_ptr<Compiler> compiler = cuda::make_nvrtc_compiler("sm_80", &reason);
  if (!compiler) GTEST_SKIP() << reason;
  for (const char* type : {"float", "double"})
    for (const char* boundary : {"held", "zero"}) {
      const testing::StencilCase box{type, "box", 8, 3, boundary, 2};
      const Instance instance = testing::stencil_instance(box, 512, 512, 512);
      const auto plan = testing::stencil_problem(box)->reference_plan(instance, EmbeddedSources());
      ASSERT_TRUE(plan && *plan) << type << " " << boundary;
      const Result<Binary> binary = compiler->compile((*plan)->compile);
      EXPECT_TRUE(binary) << type << " " << boundary << ": " << (binary ? "" : binary.error().detail);
    }
}

/// Configurations of a box for a device of the H200's architecture.
struct Unspilled {
  const char* type;
  int radius;
  const char* where;
};

// Blocks for which a thread may have 255 registers: brick, row and addresses fit them, whatever is unrolled.
TEST(StencilRegisters, DoNotSpillWhereMinBlocksLeavesEnough) {
  std::string reason;
  const std::unique_ptr<Compiler> compiler = cuda::make_nvrtc_compiler("sm_90", &reason);
  if (!compiler) GTEST_SKIP() << reason;
  const EmbeddedSources sources;
  const auto problem = make_stencil3d();
  const std::string blocks =
      "min_blocks == 1 and block_x * block_y * block_z <= 128 and vector * cells_y * cells_z in [8, 16] and ";
  for (const Unspilled& one :
       {Unspilled{"float", 2, "padded and variant == 'split'"},
        Unspilled{"float", 3, "padded and variant == 'split' and parts <= 4"},
        Unspilled{"double", 2, "padded and variant == 'split' and vector * cells_y * cells_z == 8"},
        Unspilled{"float", 3, "padded and variant == 'direct' and unroll_rows and not unroll_planes"},
        Unspilled{"float", 2, "padded and variant == 'direct' and unroll_rows and unroll_planes"}}) {
    const Instance instance = testing::stencil_instance({one.type, "box", one.radius}, 512, 512, 512);
    const search::SearchSpace space =
        testing::stencil_space_on(*problem, instance, "sm_90", blocks + one.where);
    ASSERT_FALSE(space.empty()) << one.where;
    for (const Configuration& configuration : testing::sample_of(space, 3, 11)) {
      SCOPED_TRACE(instance.key() + ": " + configuration.to_string());
      const Result<Binary> binary =
          compiler->compile(problem->plan(instance, configuration, sources)->compile);
      ASSERT_TRUE(binary) << binary.error().detail;
      for (const auto& [entry, resources] : binary->resources) {
        EXPECT_EQ(resources.spill_store_bytes, 0) << entry;
        std::printf("%s %s: %d registers\n", one.where, entry.c_str(), static_cast<int>(resources.registers));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, StencilCompiles,
                         ::testing::Combine(::testing::Values(2, 3),
                                            ::testing::ValuesIn(tune::testing::tried_architectures())),
                         [](const auto& tested) {
                           return std::to_string(std::get<0>(tested.param)) + "d_" +
                                  std::get<1>(tested.param);
                         });

}  // namespace
}  // namespace tune::kernels
