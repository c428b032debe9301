// SPDX-License-Identifier: Apache-2.0
// The description of a problem in code, and its instances.
#include <algorithm>

#include "library/tuner/convert.hpp"
#include "library/tuner/problem.hpp"
#include "search/expressions/nearest.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::api {
namespace {

using described::Expression;
using described::KernelDescription;
using described::LaunchDescription;

std::string to_text(const std::optional<Expression>& expression) {
  return expression ? expression->text() : "";
}

std::string to_text(const std::array<std::optional<Expression>, 3>& geometry) {
  if (!geometry[1]) return geometry[0]->text();
  std::string text;
  for (const std::optional<Expression>& extent : geometry) text += extent->text() + ";";
  return text;
}

/// Returns what results depend on besides the kernel's text, in one text; functions are only named.
std::string summary_of(const KernelDescription& description) {
  std::string text;
  for (const std::string& option : description.kernel.options) text += format("option {}\n", option);
  for (const auto& [name, value] : description.kernel.defines)
    text += format("define {} {}\n", name, value.text());
  for (const described::Argument& argument : description.arguments) {
    const described::Contents& contents = argument.contents;
    const int access = argument.is_vector() ? static_cast<int>(argument.access) : 4;
    text += format("argument {} {} {} {} {} {} {} {} {} {}\n", argument.name, access, argument.type_name,
                   argument.value ? argument.value->text() : "0", static_cast<int>(contents.kind),
                   contents.value.text(), contents.step.text(), contents.low.text(), contents.high.text(),
                   contents.file.string());
    if (!argument.symbol.empty()) text += "symbol\n";
    if (argument.object) {
      text += "struct ";
      for (const std::byte byte : argument.object->bytes)
        text += format("{:02x}", std::to_integer<int>(byte));
      text += "\n";
    }
    for (const Expression& extent : argument.extents) text += format("extent {}\n", extent.text());
    if (argument.comparison.absolute) text += "limits\n";
    if (argument.comparison.from)
      text += format("compared from {} to {}\n", argument.comparison.from->text(),
                     argument.comparison.to->text());
  }
  for (const std::string& output : description.judge.outputs) text += format("judged {}\n", output);
  for (const LaunchDescription& launch : description.launches) {
    if (launch.host) {
      text += format("host code {} back {}\n", launch.host->name, launch.host->back);
      continue;
    }
    text += format("launch {} grid {} block {} shared {} when {}{}\n", launch.entry, to_text(launch.grid),
                   to_text(launch.block), to_text(launch.shared), to_text(launch.when),
                   launch.cooperative.value_or(false) ? " cooperative" : "");
    if (launch.arguments)
      for (const std::string& name : *launch.arguments) text += format("with {}\n", name);
  }
  if (description.per_execution) text += format("work per execution {}\n", description.per_execution->text());
  return text;
}

}  // namespace

KernelDescription described(const Problem::Spec& spec) {
  KernelDescription description = spec.description;
  if (!description.kernel.text) description.place.fail("no kernel: call kernel(file, entry)");
  if (std::ranges::none_of(description.arguments, &described::Argument::is_written))
    description.place.fail("no output: results could not be checked; call output or inout");
  for (const auto* launches : {&description.launches, &description.reference.launches})
    for (const LaunchDescription& launch : *launches)
      if (!launch.entry.empty() && (!launch.grid[0] || !launch.block[0]))
        description.place.fail(
            format("the launch of '{}' has no {}", launch.entry, launch.grid[0] ? "block" : "grid"));
  const described::ReferenceDescription& reference = description.reference;
  if (reference.function || reference.kernel || !reference.configuration.entries().empty())
    description.judge.references = description.judge.outputs;
  const ProblemInfo info = description.info();
  for (const Sizes& sizes : spec.checks) {
    description.check_sizes.emplace_back();
    for (const auto& [name, extent] : instance_at(info, sizes).extents)
      if (sizes.has(name)) description.check_sizes.back().emplace_back(name, extent);
  }
  const described::KernelText& text = *description.kernel.text;
  description.sources = {text.source, {"description in code", summary_of(description)}};
  description.sources.insert(description.sources.end(), text.headers.begin(), text.headers.end());
  return description;
}

Instance instance_at(const ProblemInfo& info, const Sizes& sizes) {
  std::string size;
  std::vector<std::pair<std::string, search::Value>> settings;
  std::vector<std::string> known;
  for (const ExtentInfo& extent : info.extents) {
    known.push_back(extent.name);
    const std::int64_t value = sizes.has(extent.name) ? sizes[extent.name] : extent.default_value;
    size += (size.empty() ? "" : "x") + std::to_string(value);
  }
  for (const SettingInfo& setting : info.settings) known.push_back(setting.name);
  for (const auto& [name, value] : sizes.entries()) {
    if (std::ranges::find(known, name) == known.end())
      throw UsageError(format("{}: '{}' is not a size or setting{}; there is: {}", info.name, name,
                              search::did_you_mean(name, known), tune::joined(known)));
    if (std::ranges::find(info.extents, name, &ExtentInfo::name) == info.extents.end())
      settings.emplace_back(name, to_search(value));
  }
  return make_instance(info, size, settings);
}

}  // namespace tune::api
