// SPDX-License-Identifier: Apache-2.0
// Stored results name configurations by their values and are found again by the space they belong to. What a
// configuration is called, which number it has and what it means may therefore change only on purpose: with
// new parameters or kernels, never with a change of the code's structure.
#include <gtest/gtest.h>

#include <set>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "search/random.hpp"
#include "search/space/search_space.hpp"
#include "tests/support/golden.hpp"
#include "tuner/base/content_hash.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {
namespace {

constexpr int sampled_ids = 100;
constexpr int sampled_plans = 12;
constexpr std::size_t max_setting_values = 5;  // of one setting

std::string short_hash(const std::string& text) {
  return content_hash(text).substr(0, 12);
}

/// All that a plan asks of a backend but the kernels' texts, which change as kernels do.
std::string meaning_of(const LaunchPlan& plan) {
  std::string text = plan.compile.source.name;
  std::set<std::string> headers;  // in whichever order the request lists them
  for (const SourceFile& header : plan.compile.headers) headers.insert(header.name);
  for (const std::string& header : headers) text += " " + header;
  for (const auto& [name, value] : plan.compile.defines) text += format("\n{}={}", name, value);
  for (const std::string& option : plan.compile.options) text += "\n" + option;
  for (const std::string& entry : plan.compile.entries) text += "\n" + entry;
  return text + "\n" + launches_of(plan);
}

/// `stencil3d 512x512x512 radius=1: 123 configurations, ids 0f.., plans 3c..`
std::string identity_line(const Problem& problem, const Instance& instance) {
  const EmbeddedSources sources;
  const search::SearchSpace space(problem.space(instance, architecture_properties("sm_90")));
  std::string ids, plans;
  search::Random random(11);
  for (int i = 0; i < sampled_ids && !space.empty(); ++i) {
    const search::ConfigurationId id = space.sample(random);
    const Configuration configuration = space.at(id);
    ids += format("{} {}\n", id, configuration.key());
    if (i >= sampled_plans) continue;
    const Result<LaunchPlan> plan = problem.plan(instance, configuration, sources);
    plans += plan ? meaning_of(*plan) : plan.error().detail;
  }
  return format("{} {}: {} configurations, ids {}, plans {}\n", instance.problem, instance.key(),
                space.size(), short_hash(ids), short_hash(plans));
}

std::vector<Value> other_values(const SettingInfo& setting) {
  if (setting.range) return {Value(setting.range->first + 2)};
  std::vector<Value> others = setting.values;
  std::erase(others, setting.default_value);
  if (others.size() > max_setting_values) others.resize(max_setting_values);
  return others;
}

/// The default instance, and those that differ from it in one setting and are not refused.
std::string identity_lines(const Problem& problem) {
  const ProblemInfo& info = problem.info();
  std::string lines = identity_line(problem, make_instance(info, "", {}));
  for (const SettingInfo& setting : info.settings)
    for (const Value& value : other_values(setting)) {
      const std::pair<std::string, Value> other{setting.name, value};
      try {
        lines += identity_line(problem, make_instance(info, "", {&other, 1}));
      } catch (const UsageError&) {
        lines += format("{} {}={} is refused\n", info.name, setting.name, value.to_string());
      }
    }
  return lines;
}

TEST(Identity, ConfigurationsKeepTheirNumbersAndTheirMeaning) {
  std::string lines;
  for (const ProblemEntry& entry : gpu_problems()) lines += identity_lines(*entry.make());
  tune::testing::expect_golden("identity.txt", lines);
}

}  // namespace
}  // namespace tune::kernels
