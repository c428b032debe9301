// SPDX-License-Identifier: Apache-2.0
#include "cli/best/best_formats.hpp"

#include <algorithm>
#include <cctype>
#include <utility>
#include <variant>
#include <vector>

#include "cli/output/text_layout.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

/// The launches that differ, in their order: plans of many time steps repeat themselves.
std::vector<const Launch*> different_launches(const LaunchPlan& plan) {
  const auto alike = [](const Launch& a, const Launch& b) {
    const auto same = [](const Dim3& one, const Dim3& other) {
      return one.x == other.x && one.y == other.y && one.z == other.z;
    };
    return a.entry == b.entry && same(a.grid, b.grid) && same(a.block, b.block) &&
           a.dynamic_shared_memory == b.dynamic_shared_memory;
  };
  std::vector<const Launch*> all;
  for (const PlanStep& step : plan.launches)
    if (const auto* const launch = std::get_if<Launch>(&step))
      if (std::ranges::none_of(all, [&](const Launch* known) { return alike(*known, *launch); }))
        all.push_back(launch);
  return all;
}

std::string source_of(const BestFacts& facts) {
  return facts.kept.empty() ? facts.plan.compile.source.name : facts.kept.string();
}

std::string extents(const Dim3& dim, std::string_view separator) {
  return format("{}{}{}{}{}", dim.x, separator, dim.y, separator, dim.z);
}

std::vector<std::pair<std::string, std::string>> named_texts(const BestFacts& facts) {
  std::vector<std::pair<std::string, std::string>> all = {{"TUNE_PROBLEM", facts.instance.problem},
                                                          {"TUNE_SIZE", facts.instance.size()},
                                                          {"TUNE_SETTINGS", facts.instance.settings_key()},
                                                          {"TUNE_DEVICE", facts.device},
                                                          {"TUNE_SOURCE", source_of(facts)}};
  for (const auto& [name, value] : facts.configuration.entries())
    all.emplace_back("TUNE_PARAMETER_" + name, value.to_string());
  int number = 0;
  for (const Launch* const launch : different_launches(facts.plan)) {
    const std::string name = format("TUNE_LAUNCH_{}", number++);
    all.emplace_back(name + "_KERNEL", launch->entry);
    all.emplace_back(name + "_GRID", extents(launch->grid, " "));
    all.emplace_back(name + "_BLOCK", extents(launch->block, " "));
    all.emplace_back(name + "_SHARED_MEMORY", std::to_string(launch->dynamic_shared_memory));
  }
  all.emplace_back("TUNE_LAUNCHES", std::to_string(number));
  return all;
}

/// Names of shells, CMake and Rust have letters, digits and underscores.
std::string identifier(std::string name) {
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; }, '_');
  return name;
}

std::string quoted(const std::string& text, std::string_view escaped) {
  std::string result = "\"";
  for (const char c : text) {
    if (escaped.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string python_value(const search::Value& value) {
  if (value.is_text()) return quoted(value.as_text(), "\"\\");
  if (value.is_bool()) return value.as_bool() ? "True" : "False";
  return value.to_string();
}

/// With a point or an exponent, so that Rust takes it for a floating-point number.
std::string real_text(double value) {
  const std::string text = format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string rust_constant(const std::string& name, const search::Value& value) {
  const std::string text = value.is_text()   ? quoted(value.as_text(), "\"\\")
                           : value.is_real() ? real_text(value.as_real())
                                             : value.to_string();
  return format("pub const {}: {} = {};\n", upper(identifier(name)),
                value.is_text()   ? "&str"
                : value.is_bool() ? "bool"
                : value.is_real() ? "f64"
                                  : "i64",
                text);
}

}  // namespace

std::string best_env(const BestFacts& facts) {
  std::string text;
  for (const auto& [name, value] : named_texts(facts))
    text += format("{}={}\n", identifier(name), value.empty() ? "''" : shell_quoted(value));
  return text;
}

std::string best_cmake(const BestFacts& facts) {
  std::string text = "# Written by 'tune best --format cmake'.\n";
  for (const auto& [name, value] : named_texts(facts))
    text += format("set({} {})\n", identifier(name), quoted(value, "\"\\$;"));
  std::vector<std::string> flags;
  for (const auto& [name, value] : facts.plan.compile.defines)
    flags.push_back(quoted(format("-D{}={}", name, value), "\"\\$;"));
  return text + format("set(TUNE_FLAGS {})\n", joined(flags, {}, " "));
}

std::string best_python(const BestFacts& facts) {
  const auto text = [](const std::string& value) { return quoted(value, "\"\\"); };
  std::string result = "# Written by 'tune best --format python'.\nbest = {\n";
  result += format("    \"problem\": {},\n    \"size\": ({},),\n", text(facts.instance.problem),
                   joined(facts.instance.extents, [](const auto& one) { return one.second; }));
  result += format("    \"device\": {},\n    \"source\": {},\n    \"parameters\": {{\n", text(facts.device),
                   text(source_of(facts)));
  for (const auto& [name, value] : facts.configuration.entries())
    result += format("        {}: {},\n", text(name), python_value(value));
  result += "    },\n    \"launches\": [\n";
  for (const Launch* const launch : different_launches(facts.plan))
    result += format("        {{\"kernel\": {}, \"grid\": ({}), \"block\": ({}), \"shared_memory\": {}}},\n",
                     text(launch->entry), extents(launch->grid, ", "), extents(launch->block, ", "),
                     launch->dynamic_shared_memory);
  return result + "    ],\n}\n";
}

std::string best_rust(const BestFacts& facts) {
  std::string text = format("// Written by 'tune best --format rust': {} {} on {}.\n", facts.instance.problem,
                            facts.instance.key(), facts.device);
  text += rust_constant("source", search::Value(source_of(facts)));
  for (const auto& [name, value] : facts.configuration.entries()) text += rust_constant(name, value);
  text +=
      "/// Kernel, grid, block, bytes of dynamic shared memory.\n"
      "pub const LAUNCHES: &[(&str, [u32; 3], [u32; 3], usize)] = &[\n";
  for (const Launch* const launch : different_launches(facts.plan))
    text += format("    ({}, [{}], [{}], {}),\n", quoted(launch->entry, "\"\\"), extents(launch->grid, ", "),
                   extents(launch->block, ", "), launch->dynamic_shared_memory);
  return text + "];\n";
}

std::string best_nvcc(const BestFacts& facts) {
  if (facts.kept.empty())
    throw UsageError("--format nvcc needs the kernel's file: add --keep-sources DIR, where it is written to");
  std::vector<std::string> words = {
      format("-arch={}{}", facts.architecture, facts.plan.compile.architecture_specific ? "a" : "")};
  if (const std::string standard = cuda::default_standard(facts.plan.compile.options); !standard.empty())
    words.push_back(standard);
  words.push_back("-I" + facts.kept.parent_path().string());
  words.insert(words.end(), facts.plan.compile.options.begin(), facts.plan.compile.options.end());
  words.push_back(facts.kept.string());
  return joined(words, shell_quoted, " ") + "\n";
}

}  // namespace tune::cli
