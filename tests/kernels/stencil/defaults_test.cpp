// SPDX-License-Identifier: Apache-2.0
// The block of defaults at the top of each kernel file against the search space.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/stencil/model/shapes.hpp"
#include "kernels/stencil/problem.hpp"
#include "tests/kernels/stencil/stencil_cases.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels {
namespace {

struct Default {
  std::string value;
  std::string comment;
};

/// The lines between the two marks: `#ifndef NAME`, `#define NAME value  // comment`, `#endif`.
std::map<std::string, Default> defaults_of(const std::string& text) {
  const std::size_t begin = text.find("// ---- defaults ----\n");
  const std::size_t end = text.find("// ---- end of defaults ----\n");
  if (begin == std::string::npos || end == std::string::npos)
    throw std::runtime_error("the block of defaults is not marked");
  std::istringstream block(text.substr(begin, end - begin));
  std::string line, guarded;
  std::getline(block, line);
  std::map<std::string, Default> defaults;
  const std::regex definition("#define (\\w+) (\\S+)  // (.+)");
  while (std::getline(block, line)) {
    std::smatch found;
    if (line.starts_with("#ifndef "))
      guarded = line.substr(8);
    else if (std::regex_match(line, found, definition) && found[1] == guarded)
      defaults[guarded] = {found[2], found[3]};
    else if (line != "#endif")
      throw std::runtime_error("not a default: " + line);
  }
  return defaults;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// `Loader::async` for async, 1 for true.
std::string macro_value(const std::string& name, const Value& value) {
  if (!value.is_text()) return std::to_string(value.as_int());
  std::string type = name;
  type[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(type[0])));
  return type + "::" + value.as_text();
}

/// A kernel file's variant.
class KernelDefaults : public ::testing::TestWithParam<const char*> {
 protected:
  std::string text() const { return EmbeddedSources().text("stencil/" + std::string(GetParam()) + ".cu"); }

  using Configurations = std::vector<std::pair<Instance, Configuration>>;

  /// Configurations of the variant, of all kinds of stencil in both dimensions, each with its instance.
  const Configurations& configurations() const {
    static std::map<std::string, Configurations> made;  // spaces are large: once a variant
    const auto [found, fresh] = made.try_emplace(GetParam());
    if (!fresh) return found->second;
    std::vector<testing::StencilCase> cases = testing::varied_cases();
    for (const testing::StencilCase& stencil : testing::cases_of_radius(8)) cases.push_back(stencil);
    for (const testing::StencilCase& stencil : cases) {
      const auto problem = testing::stencil_problem(stencil);
      const Instance instance = testing::stencil_instance(stencil, 512, 512, 512);
      for (Configuration& configuration : testing::sample_of_variant(*problem, instance, GetParam(), 60, 1))
        found->second.emplace_back(instance, std::move(configuration));
    }
    return found->second;
  }

  Result<LaunchPlan> plan(const Instance& instance, const Configuration& configuration) const {
    const auto problem = instance.problem == "stencil2d" ? make_stencil2d() : make_stencil3d();
    return problem->plan(instance, configuration, EmbeddedSources());
  }

  bool temporal() const { return std::string(GetParam()) == "temporal"; }
  bool split() const { return std::string(GetParam()) == "split"; }

  /// What is no macro: rows of `temporal` end where the array's do, so that only the layout is padded; which
  /// points belong to a part of `split` is said by headers.
  bool only_planned(const std::string& name) const {
    return name == "variant" || name == "fused" || (temporal() && name == "padded") ||
           (split() && (name == "parts" || name == "divide"));
  }
};

TEST_P(KernelDefaults, NameTheParametersOfTheVariant) {
  std::set<std::string> expected = {"REAL", "BOUNDARY"};
  // A launch of the fused steps, and one of what is left over.
  if (temporal()) expected.insert({"STEPS", "REST"});
  for (const auto& [instance, configuration] : configurations())
    for (const auto& [name, value] : configuration.entries())
      if (!only_planned(name)) expected.insert(upper(name));
  std::set<std::string> named;
  for (const auto& [name, value] : defaults_of(text())) named.insert(name);
  EXPECT_EQ(named, expected);
}

// A macro that no kernel reads would be ignored without a word.
TEST_P(KernelDefaults, NameEveryMacroThatAPlanDefines) {
  const auto defaults = defaults_of(text());
  for (const auto& [instance, configuration] : configurations()) {
    SCOPED_TRACE(instance.key() + ": " + configuration.to_string());
    const Result<LaunchPlan> planned = plan(instance, configuration);
    ASSERT_TRUE(planned) << planned.error().detail;
    std::set<std::string> defined;
    for (const auto& [name, value] : planned->compile.defines) {
      ASSERT_TRUE(defaults.contains(name)) << name;
      ASSERT_TRUE(defined.insert(name).second) << name << " twice";
    }
    // Whose defaults do not go with every stencil.
    for (const char* name : {"REAL", "BOUNDARY", "QUEUE", "BLOCK_Y", "CELLS_Y", "STEPS", "REST"}) {
      if (defaults.contains(name)) {
        EXPECT_TRUE(defined.contains(name)) << name;
      }
    }
  }
}

TEST_P(KernelDefaults, AreValuesOfTheirParameters) {
  std::map<std::string, std::set<std::string>> values;
  values["REST"] = {"0"};
  const auto problem = make_stencil3d();
  for (testing::StencilCase stencil : testing::cases_of_radius(1)) {
    stencil.steps = 16;
    const search::SpaceDefinition definition =
        problem->space(testing::stencil_instance(stencil, 512, 512, 512), architecture_properties("sm_90"));
    for (const search::Parameter& parameter : definition.parameters)
      for (const Value& value : parameter.values)
        values[parameter.name == "fused" ? "STEPS" : upper(parameter.name)].insert(
            macro_value(parameter.name, value));
  }
  for (const SettingInfo& setting : problem->info().settings) {
    const std::string name = setting.name == "type" ? "REAL" : upper(setting.name);
    for (const Value& value : setting.values)
      values[name].insert(setting.name == "type" ? value.as_text() : macro_value(setting.name, value));
  }
  for (const auto& [name, given] : defaults_of(text())) {
    EXPECT_TRUE(values[name].contains(given.value)) << name << " " << given.value;
    EXPECT_GT(given.comment.size(), 10u) << name;
  }
}

TEST_P(KernelDefaults, CompileWithoutAnyDefinition) {
  std::string reason;
  const std::unique_ptr<Compiler> compiler = cuda::make_nvrtc_compiler("sm_90", &reason);
  if (!compiler) GTEST_SKIP() << reason;
  const auto [instance, configuration] = configurations().at(0);
  CompileRequest request = plan(instance, configuration)->compile;
  request.defines.clear();
  const std::string entry = temporal() ? "stencil_steps" : split() ? "stencil_part_0" : "stencil_step";
  request.entries = {entry};
  for (SourceFile& header : request.headers)
    if (!split() && header.name == "stencil_points.cuh") header.text = points_header(make_stencil("star", 1));
  const Result<Binary> binary = compiler->compile(request);
  ASSERT_TRUE(binary) << binary.error().detail;
  EXPECT_GT(binary->resources.at(entry).registers, 0);
}

// Macros stay in the block of defaults; one use of each below it, which gives it a type.
TEST_P(KernelDefaults, AreTheOnlyMacros) {
  const std::string all = text();
  const std::string below = all.substr(all.find("// ---- end of defaults ----"));
  EXPECT_EQ(below.find("#define"), std::string::npos);
  if (temporal()) return;  // whether there is a second kernel is a macro's to say
  EXPECT_EQ(below.find("#if"), std::string::npos);
  for (const auto& [name, given] : defaults_of(all)) {
    const std::regex use("\\b" + name + "\\b");
    std::istringstream lines(below);
    int uses = 0;
    for (std::string line; std::getline(lines, line);) {
      line = std::regex_replace(line, std::regex("//.*|\"[^\"]*\""), "");
      uses += static_cast<int>(
          std::distance(std::sregex_iterator(line.begin(), line.end(), use), std::sregex_iterator()));
    }
    EXPECT_EQ(uses, 1) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Stencils, KernelDefaults,
                         ::testing::Values("direct", "streaming", "split", "temporal"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace tune::kernels
