// SPDX-License-Identifier: Apache-2.0
// The block of defaults at the top of each kernel file against the search space.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "kernels/sources.hpp"
#include "kernels/stencil/shapes.hpp"
#include "kernels/stencil/stencil3d.hpp"
#include "kernels/stencil/weights.hpp"
#include "tests/kernels/stencil_cases.hpp"
#include "tuner/core/architectures.hpp"
#include "tuner/cuda/available.hpp"

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

  /// Configurations of the variant, of all kinds of stencil, each with its instance.
  std::vector<std::pair<Instance, Configuration>> configurations() const {
    std::vector<std::pair<Instance, Configuration>> all;
    for (const int radius : {1, 3, 8})
      for (const testing::StencilCase& stencil : testing::cases_of_radius(radius)) {
        const Instance instance = testing::stencil_instance(stencil, 512, 512, 512);
        const search::SearchSpace space = testing::stencil_space_on(*problem_, instance, "sm_90");
        for (const Configuration& configuration : testing::sample_of(space, 300, 1))
          if (configuration["variant"].as_text() == GetParam()) all.emplace_back(instance, configuration);
      }
    return all;
  }

  std::unique_ptr<Problem> problem_ = make_stencil3d();
};

TEST_P(KernelDefaults, NameTheParametersOfTheVariant) {
  std::set<std::string> expected = {"RADIUS", "SHAPE", "REAL"};
  for (const auto& [instance, configuration] : configurations())
    for (const auto& [name, value] : configuration.entries())
      if (name != "variant") expected.insert(upper(name));
  std::set<std::string> named;
  for (const auto& [name, value] : defaults_of(text())) named.insert(name);
  EXPECT_EQ(named, expected);
}

// A macro that no kernel reads would be ignored without a word.
TEST_P(KernelDefaults, NameEveryMacroThatAPlanDefines) {
  const auto defaults = defaults_of(text());
  const EmbeddedSources sources;
  for (const auto& [instance, configuration] : configurations()) {
    const Result<LaunchPlan> plan = problem_->plan(instance, configuration, sources);
    ASSERT_TRUE(plan);
    std::set<std::string> defined;
    for (const auto& [name, value] : plan->compile.defines) {
      EXPECT_TRUE(defaults.contains(name)) << name;
      EXPECT_TRUE(defined.insert(name).second) << name << " twice";
    }
    for (const char* name : {"RADIUS", "SHAPE", "REAL"}) EXPECT_TRUE(defined.contains(name)) << name;
    const bool box = instance.setting("shape").as_text() == "box";
    if (box && defaults.contains("QUEUE")) {
      EXPECT_TRUE(defined.contains("QUEUE")) << "a box would take the default queue";
    }
  }
}

TEST_P(KernelDefaults, AreValuesOfTheirParameters) {
  std::map<std::string, std::set<std::string>> values;
  for (const testing::StencilCase& stencil : testing::cases_of_radius(1)) {
    const search::SpaceDefinition definition =
        problem_->space(testing::stencil_instance(stencil, 512, 512, 512), architecture_facts("sm_90"));
    for (const search::Parameter& parameter : definition.parameters)
      for (const Value& value : parameter.values)
        values[upper(parameter.name)].insert(macro_value(parameter.name, value));
  }
  for (const SettingInfo& setting : problem_->info().settings) {
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
  std::string why;
  const std::unique_ptr<Compiler> compiler = cuda::make_nvrtc_compiler("sm_90", &why);
  if (!compiler) GTEST_SKIP() << why;
  const auto [instance, configuration] = configurations().at(0);
  CompileRequest request = problem_->plan(instance, configuration, EmbeddedSources())->compile;
  request.defines.clear();
  // RADIUS and SHAPE of the defaults; both files have the same.
  for (SourceFile& header : request.headers)
    if (header.name == "stencil_weights.cuh") header.text = weights_header(make_stencil("star", 1));
  const Result<Binary> binary = compiler->compile(request);
  ASSERT_TRUE(binary) << binary.error().detail;
  EXPECT_GT(binary->resources.at("stencil3d").registers, 0);
}

// Macros stay in the block of defaults; one use of each below it, which gives it a type.
TEST_P(KernelDefaults, AreTheOnlyMacros) {
  const std::string all = text();
  const std::string below = all.substr(all.find("// ---- end of defaults ----"));
  EXPECT_EQ(below.find("#define"), std::string::npos);
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

INSTANTIATE_TEST_SUITE_P(Stencil3d, KernelDefaults, ::testing::Values("direct", "streaming"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace tune::kernels
