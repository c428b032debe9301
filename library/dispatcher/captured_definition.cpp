// SPDX-License-Identifier: Apache-2.0
#include "library/dispatcher/captured_definition.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <system_error>

#include "kernels/described/contents.hpp"
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

  /// A formula as it is, and a function as its number at this size.
  json size_number(const Expression& expression) const {
    if (expression.is_function()) return at_size(expression);
    return as_written(expression);
  }

  /// A number that is the same for all configurations.
  double at_size(const Expression& expression) const {
    return expression.real(ExpressionScope(description_.parameters, instance_));
  }

  /// True for these values of the configuration.
  static std::string has_values(const search::Configuration& configuration,
                                const std::vector<std::string>& names) {
    search::Configuration part;
    for (const auto& [name, value] : configuration.entries())
      if (std::ranges::count(names, name) > 0) part.set(name, value);
    return condition(part);
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

  static std::string condition(const search::Configuration& configuration) {
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

/// The settings of a comparison; limits of elements become files, unless they are formulas.
class Comparisons {
 public:
  Comparisons(const described::DescribedProblem& problem, const Instance& instance, const Writer& writer,
              CapturedDefinition& captured)
      : problem_(problem), instance_(instance), writer_(writer), captured_(captured) {}

  void add_to(json& array, const Argument& output) const {
    const described::ElementComparison& comparison = output.comparison;
    const auto bounds = problem_.tolerance(instance_).buffers;
    const auto known = bounds.find(output.name);
    if (known != bounds.end() && (output.bounds || comparison.absolute || comparison.each)) {
      const Bounds& all = known->second;
      array["tolerance"] = {
          {"absolute", all.absolute}, {"relative", all.relative}, {"each", all.each}, {"sum", all.sum}};
      if (comparison.absolute)
        array["tolerance"]["absolute"] = limits(output, *comparison.absolute, "absolute");
      if (comparison.each) array["tolerance"]["each"] = limits(output, *comparison.each, "each");
    }
    if (comparison.from) array["compare"]["from"] = writer_.size_number(*comparison.from);
    if (comparison.to) array["compare"]["to"] = writer_.size_number(*comparison.to);
    if (comparison.where) array["compare"]["where"] = writer_.size_number(*comparison.where);
  }

 private:
  json limits(const Argument& output, const described::Contents& contents, const char* what) const {
    if (contents.kind == described::Contents::Kind::formula) return contents.formula->text();
    const ExpressionScope scope(problem_.description().parameters, instance_);
    tune::Extents extents;
    for (const Expression& extent : output.extents)
      extents.push_back(static_cast<std::uint64_t>(extent.integer(scope)));
    const int components = problem_.type_of(output, instance_).components;
    if (components > 1) extents.insert(extents.begin(), static_cast<std::uint64_t>(components));
    const HostTensor numbers =
        described::make_tensor(contents, output, {ElementType::f64}, extents, 0, scope, false);
    const std::span<const std::byte> bytes = numbers.bytes();
    const std::string name = format("{}.{}.bin", output.name, what);
    captured_.files.emplace_back(name,
                                 std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    return {{"file", name}};
  }

  const described::DescribedProblem& problem_;
  const Instance& instance_;
  const Writer& writer_;
  CapturedDefinition& captured_;
};

/// A function that judges an output cannot be written: the output counts as scratch.
bool is_scratch(const KernelDescription& description, const Argument& array) {
  return array.access == BufferAccess::scratch || array.access == BufferAccess::restored ||
         (description.judge.function && description.judge.judges(array.name));
}

json array_of(const KernelDescription& description, const Argument& array, const Writer& writer,
              const Comparisons& comparisons) {
  if (array.texture || array.map)
    throw UsageError(format("'{}' is a texture or tensor map, whose memory is not copied", array.name));
  json one = {{"type", array.type_name}};
  json extents = json::array();
  for (const Expression& extent : array.extents)
    extents.push_back(static_cast<std::int64_t>(writer.at_size(extent)));
  one["size"] = std::move(extents);
  const bool scratch = is_scratch(description, array);
  one["access"] = scratch                               ? "scratch"
                  : array.access == BufferAccess::write ? "write"
                  : array.access == BufferAccess::both  ? "both"
                                                        : "read";
  if (array.is_filled()) one["fill"] = {{"file", file_before(array)}};
  if (array.is_written() && !scratch) {
    if (!description.reference.is_none) one["expect"] = {{"file", file_after(array)}};
    comparisons.add_to(one, array);
  }
  if (!array.symbol.empty()) one["symbol"] = array.symbol;
  return one;
}

json arguments_of(const KernelDescription& description, const Writer& writer, const Comparisons& comparisons,
                  const PassedValue& value) {
  json all = json::object();
  for (const Argument& argument : description.arguments) {
    if (argument.is_for_judge) continue;
    if (argument.is_vector()) {
      if (description.is_in_struct(argument.name))
        throw UsageError(format("the address of '{}' is in a struct", argument.name));
      all[argument.name] = array_of(description, argument, writer, comparisons);
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

json launches_of(const KernelDescription& description, const std::vector<LaunchDescription>& launches,
                 const Writer& writer) {
  json all = json::array();
  for (const LaunchDescription& launch : launches) {
    if (launch.host) throw UsageError("host code runs after a launch");
    json one = json::object();
    if (launch.copy) {
      const described::CopyDescription& copy = *launch.copy;
      one["copy"] = {{"from", copy.from}, {"to", copy.to}};
      if (copy.count) one["copy"]["count"] = writer.number(*copy.count, "a copy");
      if (copy.from_first) one["copy"]["from_first"] = writer.number(*copy.from_first, "a copy");
      if (copy.to_first) one["copy"]["to_first"] = writer.number(*copy.to_first, "a copy");
    } else if (!launch.zero.empty()) {
      one["zero"] = launch.zero;
    } else if (!launch.body.empty()) {
      one["launches"] = launches_of(description, launch.body, writer);
    } else {
      one = {{"entry", launch.entry},
             {"grid", writer.geometry(launch.grid, "a grid")},
             {"block", writer.geometry(launch.block, "a block")}};
      if (launch.shared) one["shared"] = writer.number(*launch.shared, "the shared memory");
      one["arguments"] = description.arguments_of(launch);
    }
    if (launch.when) one["if"] = writer.number(*launch.when, "the condition of a launch");
    if (launch.repeat) one["repeat"] = writer.number(*launch.repeat, "the number of repetitions");
    if (!launch.counter.empty()) one["as"] = launch.counter;
    for (const auto& [first, second] : launch.swaps) one["swap"].push_back({first, second});
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

void add_kernel_files(const described::KernelText& text, CapturedDefinition& captured) {
  captured.files.emplace_back(name_in_folder(text.source.name, true), text.source.text);
  for (const SourceFile& header : text.headers)
    captured.files.emplace_back(name_in_folder(header.name, false), header.text);
}

json work_of(const KernelDescription& description, const Writer& writer) {
  json work = json::object();
  if (description.items) work["items"] = writer.at_size(*description.items);
  if (description.flops) work["flops"] = writer.at_size(*description.flops);
  if (description.bytes) work["bytes"] = writer.at_size(*description.bytes);
  if (description.per_execution)
    work["per_execution"] = writer.number(*description.per_execution, "the work of an execution");
  if (description.item != KernelDescription{}.item) work["item"] = description.item;
  return work;
}

/// A word of a command: a file beside the definition becomes one of the captured folder.
std::string captured_word(const std::string& word, const std::filesystem::path& folder,
                          CapturedDefinition& captured) {
  const std::filesystem::path path(word), file = folder / path;
  std::error_code error;
  if (word.empty() || path.is_absolute() || !std::filesystem::is_regular_file(file, error)) return word;
  const std::filesystem::path inside = path.lexically_normal();
  if (*inside.begin() == "..") return std::filesystem::absolute(file, error).lexically_normal().string();
  captured.copies.emplace_back(inside, file);
  captured.left_out.push_back(
      format("'verify' runs a copy of {}: copy other files that it needs into the folder", word));
  return word;
}

json verify_of(const KernelDescription& description, const Writer& writer, CapturedDefinition& captured) {
  const described::JudgeDescription& judge = description.judge;
  if (judge.function) {
    captured.left_out.push_back(format(
        "a function judges '{}', which a definition cannot have: add 'verify' with a program or a kernel, "
        "or nothing checks it",
        joined(judge.outputs, {}, "', '")));
    return {};
  }
  if (!judge.launches.empty()) return {{"launches", launches_of(description, judge.launches, writer)}};
  if (judge.command.empty()) return {};
  json words = json::array();
  for (const std::string& word : judge.command) words.push_back(captured_word(word, judge.folder, captured));
  return {{"command", std::move(words)}, {"seconds", judge.seconds}};
}

/// What the data of one call do not tell.
void add_left_out(const KernelDescription& description, CapturedDefinition& captured) {
  if (!description.check_sizes.empty())
    captured.left_out.emplace_back(
        "the small sizes of checks are left out, because the data belong to one size: check the program's "
        "own problem at them, with the device emulator");
  if (!description.low_fidelity.empty())
    captured.left_out.emplace_back(
        "the cheaper size (low_fidelity) is left out, because the data belong to one size: runs take longer");
}

json constraints_of(const KernelDescription& description, const search::Configuration& configuration,
                    const Writer& writer, CapturedDefinition& captured) {
  json all = json::array();
  for (const search::Constraint& constraint : description.constraints) {
    const std::string rule = constraint.rule.to_string();
    all.push_back(constraint.reason.empty() ? json(rule) : json{{"rule", rule}, {"why", constraint.reason}});
  }
  for (const described::FunctionRule& rule : description.rules)
    all.push_back({{"rule", writer.rule(rule)}, {"why", rule.reason}});
  if (const std::vector<std::string>& same = description.reference.same; !same.empty()) {
    all.push_back({{"rule", Writer::has_values(configuration, same)},
                   {"why", "the recorded results belong to these values"}});
    captured.left_out.push_back(
        format("results depend on {}: other values than those of the call are left out; a call with others "
               "needs a capture of its own",
               joined(same)));
  }
  return all;
}

json sizes_of(const KernelDescription& description, const Instance& instance) {
  json all = json::object();
  for (std::size_t i = 0; i < instance.extents.size(); ++i) {
    const auto& [name, extent] = instance.extents[i];
    const std::string& help = description.extents[i].documentation;
    all[name] = help.empty() ? json(extent) : json{{"default", extent}, {"help", help}};
  }
  return all;
}

}  // namespace

std::string file_before(const Argument& array) {
  return array.name + ".before.bin";
}

std::string file_after(const Argument& array) {
  return array.name + ".after.bin";
}

CapturedDefinition captured_definition(const described::DescribedProblem& problem, const Instance& instance,
                                       const search::SearchSpace& space,
                                       const search::Configuration& configuration, const PassedValue& value) {
  const KernelDescription& description = problem.description();
  if (!description.kernel.text) throw UsageError("the kernel has no text");
  const Writer writer(problem, instance, space);
  CapturedDefinition captured;
  add_kernel_files(*description.kernel.text, captured);
  json& all = captured.definition;
  all = {{"problem", description.name},
         {"summary", "captured: the inputs and outputs of a call"},
         {"kernel", kernel_of(description, writer)},
         {"sizes", sizes_of(description, instance)}};
  if (!description.settings.empty()) all["settings"] = settings_of(description, instance);
  all["parameters"] = parameters_of(description);
  const auto add = [&all](const char* name, json part) {
    if (!part.empty()) all[name] = std::move(part);
  };
  add("constraints", constraints_of(description, configuration, writer, captured));
  all["arguments"] =
      arguments_of(description, writer, Comparisons(problem, instance, writer, captured), value);
  all["launches"] = launches_of(description, description.launches, writer);
  if (description.reference.is_none) all["reference"] = "none";
  if (description.absolute_tolerance) all["tolerance"]["absolute"] = *description.absolute_tolerance;
  if (description.relative_tolerance) all["tolerance"]["relative"] = *description.relative_tolerance;
  add("verify", verify_of(description, writer, captured));
  add("work", work_of(description, writer));
  for (const auto& [name, formula] : description.metrics) all["metrics"][name] = writer.number(formula, name);
  if (description.budget_evaluations) all["budget"]["evaluations"] = *description.budget_evaluations;
  if (description.budget_seconds) all["budget"]["seconds"] = *description.budget_seconds;
  add_left_out(description, captured);
  return captured;
}

}  // namespace tune::api
