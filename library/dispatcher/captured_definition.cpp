// SPDX-License-Identifier: Apache-2.0
#include "library/dispatcher/captured_definition.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "library/dispatcher/call_arguments.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/serialization/json.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::api {
namespace {

using described::Argument;
using described::BufferAccess;
using described::Expression;
using described::ExpressionScope;
using described::KernelDescription;
using described::LaunchDescription;
using json = nlohmann::ordered_json;

constexpr std::uint64_t most_configurations = 512;

/// Writes expressions of one description at one size.
class Writer {
 public:
  Writer(const described::DescribedProblem& problem, const Instance& instance,
         const search::SearchSpace& space)
      : description_(problem.description()), instance_(instance), space_(space) {}

  /// A function becomes the sum of its values, each times whether the configuration is one of its.
  json number(const Expression& expression, const std::string& what) const {
    if (!expression.is_function()) return as_written(expression);
    return table(what, [&](const ExpressionScope& scope) { return expression.real(scope); });
  }

  /// One function may give all three.
  json geometry(const std::array<std::optional<Expression>, 3>& all, const std::string& what) const {
    json list = json::array();
    if (all[0] && !all[1] && all[0]->is_function()) {
      for (std::size_t i = 0; i < 3; ++i)
        list.push_back(table(what, [&](const ExpressionScope& scope) {
          const auto value = all[0]->value(scope);
          if (!value.is_list()) return i == 0 ? all[0]->real(scope) : 1.0;
          return i < value.list().size() ? value.list()[i].scalar().as_real() : 1.0;
        }));
      return list;
    }
    for (const std::optional<Expression>& one : all)
      if (one) list.push_back(number(*one, what));
    return list;
  }

  /// A number that is the same for all configurations.
  double at_size(const Expression& expression) const {
    return expression.real(ExpressionScope(description_.parameters, instance_));
  }

  /// The configurations for which it holds, as a rule.
  std::string rule(const described::FunctionRule& rule) const {
    require_few(rule.reason);
    std::string text;
    for (const search::Configuration& configuration : configurations())
      if (rule.holds(instance_, configuration))
        text += (text.empty() ? "" : " or ") + condition(configuration);
    return text.empty() ? "False" : text;
  }

 private:
  static json as_written(const Expression& expression) {
    if (expression.is_constant()) {
      const double number = expression.real(ExpressionScope({}, {}));
      if (number == static_cast<double>(static_cast<std::int64_t>(number)))
        return static_cast<std::int64_t>(number);
      return number;
    }
    return expression.text();
  }

  void require_few(const std::string& what) const {
    if (space_.size() > most_configurations)
      throw UsageError(format(
          "{} is a function, which a definition can have for at most {} configurations, not {}: write it "
          "as a formula",
          what, most_configurations, space_.size()));
  }

  std::vector<search::Configuration> configurations() const {
    std::vector<search::Configuration> all;
    for (std::uint64_t id = 0; id < space_.size(); ++id) all.push_back(space_.at(id));
    return all;
  }

  std::string condition(const search::Configuration& configuration) const {
    std::string text;
    for (const auto& [name, value] : configuration.entries()) {
      if (!text.empty()) text += " and ";
      text += format("{} == {}", name,
                     value.is_text()   ? format("'{}'", value.as_text())
                     : value.is_bool() ? (value.as_bool() ? "True" : "False")
                                       : value.to_string());
    }
    return text.empty() ? "True" : "(" + text + ")";
  }

  template<class Evaluate>
  json table(const std::string& what, Evaluate evaluate) const {
    require_few(what);
    std::map<double, std::vector<search::Configuration>> by_value;
    for (search::Configuration& configuration : configurations())
      by_value[evaluate(ExpressionScope(description_.parameters, instance_, configuration))].push_back(
          configuration);
    if (by_value.size() == 1) return by_value.begin()->first;
    std::string text;
    for (const auto& [value, all] : by_value) {
      std::string when;
      for (const search::Configuration& one : all) when += (when.empty() ? "" : " or ") + condition(one);
      text += format("{}{} * ({})", text.empty() ? "" : " + ", value, when);
    }
    return text;
  }

  const KernelDescription& description_;
  const Instance& instance_;
  const search::SearchSpace& space_;
};

json parameters_of(const KernelDescription& description) {
  json all = json::object();
  for (const search::Parameter& parameter : description.parameters) {
    json values = json::array();
    for (const search::Value& value : parameter.values) values.push_back(json_value(value));
    json one = {{"values", values}, {"default", json_value(parameter.default_value)}};
    if (!parameter.documentation.empty()) one["help"] = parameter.documentation;
    if (parameter.exists_if) one["if"] = parameter.exists_if->to_string();
    all[parameter.name] = std::move(one);
  }
  return all;
}

json settings_of(const KernelDescription& description, const Instance& instance) {
  json all = json::object();
  for (const SettingInfo& setting : description.settings) {
    json values = json::array();
    for (const search::Value& value : setting.values) values.push_back(json_value(value));
    all[setting.name] = {{"values", values},
                         {"default", json_value(instance.setting_or(setting.name, setting.default_value))}};
  }
  return all;
}

json array_of(const Argument& array, const Writer& writer, bool is_compared) {
  if (array.texture || array.map)
    throw UsageError(format("'{}' is a texture or tensor map, whose memory is not copied", array.name));
  json one = {{"type", array.type_name}};
  json extents = json::array();
  for (const Expression& extent : array.extents)
    extents.push_back(static_cast<std::int64_t>(writer.at_size(extent)));
  one["size"] = std::move(extents);
  const bool scratch = array.access == BufferAccess::scratch || array.access == BufferAccess::restored;
  one["access"] = scratch                               ? "scratch"
                  : array.access == BufferAccess::write ? "write"
                  : array.access == BufferAccess::both  ? "both"
                                                        : "read";
  if (array.is_filled()) one["fill"] = {{"file", file_before(array)}};
  if (array.is_written() && is_compared) one["expect"] = {{"file", file_after(array)}};
  if (array.bounds)
    one["tolerance"] = {{"absolute", array.bounds->absolute},
                        {"relative", array.bounds->relative},
                        {"each", array.bounds->each},
                        {"sum", array.bounds->sum}};
  if (!array.symbol.empty()) one["symbol"] = array.symbol;
  return one;
}

json arguments_of(const KernelDescription& description, const Writer& writer, const PassedValue& value) {
  json all = json::object();
  for (const Argument& argument : description.arguments) {
    if (argument.is_vector()) {
      if (description.is_in_struct(argument.name))
        throw UsageError(format("the address of '{}' is in a struct", argument.name));
      all[argument.name] = array_of(argument, writer, !description.reference.is_none);
    } else if (argument.is_passed()) {
      all[argument.name] = value(argument);
    } else if (argument.value) {
      all[argument.name] = {{"type", argument.type_name},
                            {"value", writer.number(*argument.value, format("'{}'", argument.name))}};
    } else {
      throw UsageError(format("the struct '{}' follows from sizes and configuration", argument.name));
    }
  }
  return all;
}

json launches_of(const KernelDescription& description, const Writer& writer) {
  json all = json::array();
  for (const LaunchDescription& launch : description.launches) {
    if (launch.repeat) throw UsageError(format("the launch of '{}' is repeated", launch.entry));
    json one = {{"entry", launch.entry},
                {"grid", writer.geometry(launch.grid, "a grid")},
                {"block", writer.geometry(launch.block, "a block")}};
    if (launch.shared) one["shared"] = writer.number(*launch.shared, "the shared memory");
    if (launch.when) one["if"] = writer.number(*launch.when, "the condition of a launch");
    one["arguments"] = description.arguments_of(launch);
    all.push_back(std::move(one));
  }
  return all;
}

/// The name of a file in the folder: the names of headers may have folders, those of a kernel have none.
std::filesystem::path name_in_folder(const std::string& name, bool is_kernel) {
  const std::filesystem::path path = std::filesystem::path(name).lexically_normal();
  if (is_kernel || path.is_absolute() || path.begin() == path.end() || *path.begin() == "..")
    return path.filename();
  return path;
}

json kernel_of(const KernelDescription& description, const Writer& writer) {
  const described::KernelSource& kernel = description.kernel;
  json one = {{"file", name_in_folder(kernel.text->source.name, true).string()}};
  if (!kernel.text->headers.empty()) one["include"] = {"."};
  if (!kernel.options.empty()) one["options"] = kernel.options;
  const auto macros = [&](const auto& all) {
    json object = json::object();
    for (const auto& [name, value] : all) object[name] = writer.number(value, format("the macro '{}'", name));
    return object;
  };
  if (!kernel.defines.empty()) one["defines"] = macros(kernel.defines);
  if (!kernel.redefines.empty()) one["redefine"] = macros(kernel.redefines);
  if (kernel.compiler != CompilerName::automatic)
    one["compiler"] = kernel.compiler == CompilerName::nvcc ? "nvcc" : "nvrtc";
  return one;
}

json work_of(const KernelDescription& description, const Writer& writer) {
  json work = json::object();
  if (description.items) work["items"] = writer.at_size(*description.items);
  if (description.flops) work["flops"] = writer.at_size(*description.flops);
  if (description.bytes) work["bytes"] = writer.at_size(*description.bytes);
  if (description.per_execution)
    work["per_execution"] = writer.number(*description.per_execution, "the work of an execution");
  return work;
}

}  // namespace

std::string file_before(const Argument& array) {
  return array.name + ".before.bin";
}

std::string file_after(const Argument& array) {
  return array.name + ".after.bin";
}

std::size_t bytes_of(const Argument& array, const described::DescribedProblem& problem,
                     const Instance& instance) {
  const described::TypeName type = problem.type_of(array, instance);
  std::size_t bytes = element_size(type.element) * static_cast<std::size_t>(type.components);
  const ExpressionScope scope(problem.description().parameters, instance);
  for (const Expression& extent : array.extents) bytes *= static_cast<std::size_t>(extent.real(scope));
  return bytes;
}

json captured_definition(const described::DescribedProblem& problem, const Instance& instance,
                         const search::SearchSpace& space, const PassedValue& value) {
  const KernelDescription& description = problem.description();
  if (!description.kernel.text) throw UsageError("the kernel has no text");
  const Writer writer(problem, instance, space);
  json all = {{"problem", description.name},
              {"summary", "captured: the inputs and outputs of a call"},
              {"kernel", kernel_of(description, writer)}};
  for (const auto& [name, extent] : instance.extents) all["sizes"][name] = extent;
  if (!description.settings.empty()) all["settings"] = settings_of(description, instance);
  all["parameters"] = parameters_of(description);
  json constraints = json::array();
  for (const search::Constraint& constraint : description.constraints)
    constraints.push_back(
        {{"rule", constraint.rule.to_string()},
         {"why", constraint.reason.empty() ? constraint.rule.to_string() : constraint.reason}});
  for (const described::FunctionRule& rule : description.rules)
    constraints.push_back({{"rule", writer.rule(rule)}, {"why", rule.reason}});
  if (!constraints.empty()) all["constraints"] = std::move(constraints);
  all["arguments"] = arguments_of(description, writer, value);
  all["launches"] = launches_of(description, writer);
  if (description.reference.is_none) all["reference"] = "none";
  if (description.absolute_tolerance) all["tolerance"]["absolute"] = *description.absolute_tolerance;
  if (description.relative_tolerance) all["tolerance"]["relative"] = *description.relative_tolerance;
  if (json work = work_of(description, writer); !work.empty()) all["work"] = std::move(work);
  return all;
}

std::vector<std::pair<std::filesystem::path, std::string>> captured_files(
    const described::DescribedProblem& problem) {
  const described::KernelText& text = *problem.description().kernel.text;
  std::vector<std::pair<std::filesystem::path, std::string>> files = {
      {name_in_folder(text.source.name, true), text.source.text}};
  for (const SourceFile& header : text.headers)
    files.emplace_back(name_in_folder(header.name, false), header.text);
  return files;
}

}  // namespace tune::api
