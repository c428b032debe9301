// SPDX-License-Identifier: Apache-2.0
// A definition in T1 in our own format, with the same meaning.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kernels/described/description.hpp"
#include "kernels/described/imports/import.hpp"
#include "kernels/described/imports/t1_sizes.hpp"
#include "kernels/described/readers/definition.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {
namespace {

std::string t1_json(double number) {
  if (number == std::floor(number) && std::abs(number) < 1e15)
    return std::to_string(static_cast<std::int64_t>(number));
  return nlohmann::json(number).dump();
}

/// A number, or a formula as a text.
std::string t1_json(const Expression& expression) {
  const std::string text = expression.text();
  const auto number = nlohmann::json::parse(text, nullptr, false);
  return number.is_number() ? text : as_json(text);
}

std::string t1_json(const search::Value& value) {
  if (value.is_text()) return as_json(value.as_text());
  if (value.is_bool())
    return value.to_string() == "true" || value.to_string() == "True" || value.to_string() == "1" ? "true"
                                                                                                  : "false";
  return value.to_string();
}

class T1Draft {
 public:
  T1Draft(KernelDescription definition, const ImportRequest& request)
      : is_(std::move(definition)), request_(request), sizes_(is_) {}

  Import import() {
    if (!is_.unusable.empty()) throw UsageError(is_.unusable);
    Draft& draft = result_.draft;
    draft.maker = "tune import";
    draft.problem = is_.name;
    add_kernel();
    add_sizes();
    for (const search::Parameter& parameter : is_.parameters) add_parameter(parameter);
    for (const search::Constraint& constraint : is_.constraints)
      draft.constraints.push_back({"", as_json(constraint.rule.to_string())});
    for (const Argument& argument : is_.arguments) add_argument(argument);
    add_launch();
    add_results();
    for (const std::string& note : is_.notes) result_.notes.push_back(note);
    return std::move(result_);
  }

 private:
  std::string name_of(const std::filesystem::path& path) const {
    return as_json(request_.name_of ? request_.name_of(path) : path.string());
  }

  void add_kernel() {
    auto& kernel = result_.draft.kernel;
    std::vector<std::string> files = {name_of(is_.kernel.path)};
    for (const std::filesystem::path& other : is_.kernel.others) files.push_back(name_of(other));
    kernel.push_back({"file", json_extents(files)});
    std::vector<std::string> options, defines;
    for (const std::string& option : is_.kernel.options) options.push_back(as_json(option));
    if (!options.empty()) kernel.push_back({"options", json_list(options)});
    if (is_.kernel.language == KernelLanguage::opencl) kernel.push_back({"language", as_json("opencl")});
    if (is_.kernel.compiler != CompilerName::automatic)
      kernel.push_back({"compiler", as_json(is_.kernel.compiler == CompilerName::nvcc ? "nvcc" : "nvrtc")});
    // Kernel Tuner's macros, which kernels of T1 get where they mention them.
    std::error_code error;
    if (!std::filesystem::exists(is_.kernel.path, error)) {
      result_.notes.push_back(format("there is no file {}", is_.kernel.path.string()));
      return;
    }
    const auto words =
        words_in(without_comments(read_kernel_text(is_.kernel.path, {}, {}, is_.kernel.others).source.text));
    if (words.contains("kernel_tuner")) return;  // then it gets them anyway
    constexpr std::array<char, 3> letters = {'x', 'y', 'z'};
    const LaunchDescription& launch = is_.launches.front();
    for (std::size_t i = 0; i < letters.size(); ++i)
      for (const auto& [kind, extents] :
           {std::pair("block", &launch.block), std::pair("grid", &launch.grid)}) {
        const std::string name = format("{}_size_{}", kind, letters[i]);
        if (!words.contains(name) || std::ranges::count(is_.parameters, name, &search::Parameter::name) > 0)
          continue;
        const auto& extent = (*extents)[i];
        defines.push_back(format("{}: {}", as_json(name), extent ? t1_json(*extent) : "1"));
      }
    if (!defines.empty()) kernel.push_back({"defines", "{" + joined(defines) + "}"});
  }

  /// A formula with names for its large numbers.
  std::string named(const Expression& expression) const {
    const std::string text = expression.text(), other = sizes_.with_names(text);
    return other == text ? t1_json(expression) : as_json(other);
  }

  std::string named(const std::array<std::optional<Expression>, 3>& all) const {
    std::vector<std::string> texts;
    for (const auto& one : all)
      if (one) texts.push_back(named(*one));
    return json_extents(texts);
  }

  void add_sizes() {
    std::vector<std::string> sizes, small;
    for (const ScriptSize& size : sizes_.sizes()) {
      sizes.push_back(format("{}: {}", as_json(size.name), size.value));
      small.push_back(format("{}: {}", as_json(size.name), size.check));
    }
    if (sizes.empty()) {
      result_.draft.work.push_back(
          {"sizes", R"({"n": 1})",
           "T1 has only numbers: name them here, and let arrays and grid follow the names"});
      return;
    }
    result_.draft.work.push_back(
        {"sizes", "{" + joined(sizes) + "}",
         "names for the large numbers of T1; check that arrays, scalars and grid follow the right ones"});
    result_.draft.work.push_back({"check", "[{" + joined(small) + "}]", "small sizes for checks"});
  }

  void add_parameter(const search::Parameter& parameter) {
    std::vector<std::string> values;
    for (const search::Value& value : parameter.values) values.push_back(t1_json(value));
    DraftObject made{parameter.name, {{"values", json_list(values)}}};
    if (!(parameter.default_value == parameter.values.front()))
      made.set("default", t1_json(parameter.default_value));
    result_.draft.parameters.push_back(std::move(made));
  }

  std::string json_of_contents(const Contents& contents) const {
    const std::string seed = contents.seed ? format(", \"seed\": {}", *contents.seed) : "";
    switch (contents.kind) {
      case Contents::Kind::constant:
        return contents.value.is_constant() ? t1_json(contents.value)
                                            : format("{{\"constant\": {}}}", t1_json(contents.value));
      case Contents::Kind::random:
        return format("{{\"random\": [{}, {}]{}}}", t1_json(contents.low), t1_json(contents.high), seed);
      case Contents::Kind::sequence:
        return format("{{\"from\": {}, \"step\": {}}}", t1_json(contents.value), t1_json(contents.step));
      case Contents::Kind::file:
        return format("{{\"file\": {}}}", name_of(contents.file));
      default:
        return contents.formula ? format("{{\"formula\": {}}}", as_json(contents.formula->text()))
                                : R"("random")";
    }
  }

  static std::string json_of_texture(const TextureSpec& texture) {
    const auto mode_name = [](AddressMode mode) {
      return mode == AddressMode::wrap     ? "wrap"
             : mode == AddressMode::mirror ? "mirror"
             : mode == AddressMode::border ? "border"
                                           : "clamp";
    };
    return format(R"({{"memory": "{}", "filter": "{}", "address": "{}", "normalized": {}}})",
                  texture.memory == TextureMemory::linear ? "linear" : "array",
                  texture.filter == FilterMode::linear ? "linear" : "point", mode_name(texture.address[0]),
                  texture.normalized_coordinates ? "true" : "false");
  }

  void add_argument(const Argument& argument) {
    DraftObject made{argument.name};
    const bool is_custom = argument.is_vector() && !type_named(argument.type_name);
    const std::string type = is_custom ? "uint8" : argument.type_name;
    if (argument.object) {
      std::string digits;
      for (const std::byte one : argument.object->bytes)
        digits += format("{}{:02x}", digits.empty() ? "" : " ", static_cast<unsigned>(one));
      made.set("bytes", as_json(digits));
      made.add_guess("a struct by its bytes; \"struct\" has fields");
    } else if (argument.value) {
      made.set("type", as_json(type));
      made.set("value", named(*argument.value));
    } else {
      made.set("type", as_json(type));
      std::vector<std::string> extents;
      for (const Expression& extent : argument.extents) extents.push_back(extent_json(argument.name, extent));
      if (is_custom) {
        extents.front() = as_json(format("{} * ({})", argument.type->components,
                                         extent_text(argument.name, argument.extents.front())));
        made.add_guess(format("elements of {} bytes each, compared byte by byte", argument.type->components));
      }
      made.set("size", json_extents(extents));
      if (argument.access == BufferAccess::write) made.set("access", as_json("write"));
      if (argument.access == BufferAccess::both) made.set("access", as_json("both"));
      if (argument.access != BufferAccess::write) made.set("fill", json_of_contents(argument.contents));
      if (argument.texture) made.set("texture", json_of_texture(*argument.texture));
      if (!argument.symbol.empty()) made.set("symbol", as_json(argument.symbol));
      if (argument.expected) made.set("expect", json_of_contents(*argument.expected));
      if (argument.bounds) made.set("tolerance", json_of_bounds(*argument.bounds));
    }
    result_.draft.arguments.push_back(std::move(made));
  }

  /// The number of an array's elements, by sizes.
  std::string extent_text(const std::string& array, const Expression& extent) {
    const std::string text = extent.text();
    const auto number = nlohmann::json::parse(text, nullptr, false);
    return number.is_number_integer() ? sizes_.of_array(array, number.get<std::int64_t>()) : text;
  }
  std::string extent_json(const std::string& array, const Expression& extent) {
    const std::string text = extent_text(array, extent);
    return text == extent.text() ? t1_json(extent) : as_json(text);
  }

  static std::string json_of_bounds(const Bounds& bounds) {
    std::vector<std::string> all;
    for (const auto& [name, value] :
         {std::pair("absolute", bounds.absolute), std::pair("relative", bounds.relative),
          std::pair("each", bounds.each), std::pair("sum", bounds.sum)})
      if (value != 0) all.push_back(format("\"{}\": {}", name, t1_json(value)));
    return "{" + joined(all) + "}";
  }

  void add_launch() {
    for (const LaunchDescription& launch : is_.launches) {
      DraftLaunch made = {
          {"entry", as_json(launch.entry)}, {"grid", named(launch.grid)}, {"block", named(launch.block)}};
      if (launch.shared) made.push_back({"shared", t1_json(*launch.shared)});
      const bool has_symbol = std::ranges::any_of(
          is_.arguments, [](const Argument& argument) { return !argument.symbol.empty(); });
      std::vector<std::string> names;
      for (const std::string& name : is_.arguments_of(launch)) names.push_back(as_json(name));
      if (has_symbol)
        made.push_back({"arguments", json_list(names),
                        "T1 passes all of these; a __constant__ array is none of the kernel's"});
      result_.draft.launches.push_back(std::move(made));
    }
  }

  void add_results() {
    auto& results = result_.draft.results;
    const bool is_known =
        std::ranges::any_of(is_.arguments, [](const Argument& one) { return one.expected.has_value(); });
    if (!is_known)
      results.push_back(
          {"reference", R"({"configuration": {}})",
           "the default configuration is the reference: is there a better one, a kernel or a file?"});
    std::vector<std::string> sizes;
    for (const ScriptSize& size : sizes_.sizes())
      if (size.is_of_grid) sizes.push_back(size.name);
    results.push_back({"work",
                       format("{{\"items\": {}, \"item\": \"element\", \"flops\": 0}}",
                              as_json(sizes.empty() ? "1" : joined(sizes, {}, " * "))),
                       "for rates: the operations, as a formula (\"flops\")"});
    std::vector<std::string> budget;
    if (is_.budget_evaluations) budget.push_back(format("\"evaluations\": {}", *is_.budget_evaluations));
    if (is_.budget_seconds) budget.push_back(format("\"seconds\": {}", t1_json(*is_.budget_seconds)));
    if (!budget.empty()) results.push_back({"budget", "{" + joined(budget) + "}"});
    // What our format has no words for: options of a run.
    if (is_.budget_share)
      result_.notes.push_back(
          format("Budget: a definition has no share of the configurations ({}): use --budget-evals",
                 t1_json(*is_.budget_share)));
    if (!is_.strategy.empty())
      result_.notes.push_back(
          format("Search: a definition has no strategy; give it to a run: --strategy {}{}", is_.strategy,
                 is_.seed ? format(" --seed {}", *is_.seed) : std::string()));
  }

  const KernelDescription is_;
  const ImportRequest& request_;
  T1Sizes sizes_;
  Import result_ = {};
};

}  // namespace

Import import_t1(const ImportRequest& request) {
  const auto source = read_json(request.path);
  const JsonField root(source);
  if (!root.is_object() || !(root.find("ConfigurationSpace") || root.find("KernelSpecification")))
    root.fail(
        root.is_object() && root.find("parameters")
            ? "this is a definition of tune already: edit it"
            : "expected a definition in T1, with 'ConfigurationSpace' and 'KernelSpecification'; 'tune db import' "
              "reads results");
  return T1Draft(read_t1(root), request).import();
}

}  // namespace tune::described
