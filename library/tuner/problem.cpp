// SPDX-License-Identifier: Apache-2.0
// The interface's Problem: takes down what it is told, and refuses at once what cannot be.
#include <algorithm>
#include <atomic>
#include <cctype>
#include <limits>
#include <tune/problem.hpp>

#include "kernels/described/definition.hpp"
#include "kernels/described/kernel_files.hpp"
#include "library/tuner/convert.hpp"
#include "library/tuner/spec.hpp"
#include "search/expressions/expr.hpp"
#include "search/expressions/nearest.hpp"
#include "tuner/base/format.hpp"

namespace tune::api {
namespace {

bool is_name(const std::string& text) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && letter(text.front()) && std::ranges::all_of(text, [&](char c) {
    return letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
}

/// Sizes, settings, parameters and arguments: scalars may have the name of a size.
void check_new(const Problem::Spec& spec, const std::string& name) {
  if (!is_name(name)) throw Error(format("{}: '{}' is no name: letters, digits and _", spec.name, name));
  const bool taken = std::ranges::count(spec.extents, name, &ExtentInfo::name) > 0 ||
                     std::ranges::count(spec.settings, name, &SettingInfo::name) > 0 ||
                     std::ranges::count(spec.parameters, name, &search::Parameter::name) > 0;
  if (taken) throw Error(format("{}: '{}' is there twice", spec.name, name));
}

std::vector<search::Value> values_of(const Problem::Spec& spec, const std::string& name,
                                     const std::vector<AnyValue>& values) {
  if (values.empty()) throw Error(format("{}: '{}' has no values", spec.name, name));
  std::vector<search::Value> all;
  for (const AnyValue& value : values) all.push_back(to_search(value.value));
  return all;
}

search::Expr expression(const Problem::Spec& spec, const std::string& text) {
  try {
    return search::Expr::parse(text);
  } catch (const search::ExprError& error) {
    throw Error(format("{}: '{}': {}", spec.name, text, error.what()));
  }
}

void add_argument(Problem::Spec& spec, ArgumentSpec argument) {
  if (!is_name(argument.name))
    throw Error(format("{}: '{}' is no name of an argument", spec.name, argument.name));
  if (spec.argument(argument.name) != nullptr)
    throw Error(format("{}: the argument '{}' is there twice", spec.name, argument.name));
  if (argument.is_array() && argument.extents.empty())
    throw Error(format("{}: the array '{}' has no extents", spec.name, argument.name));
  spec.arguments.push_back(std::move(argument));
}

LaunchSpec& last_launch(Problem::Spec& spec, const char* what) {
  if (spec.describes_reference) return spec.reference_kernel->launch;
  if (spec.launches.empty())
    throw Error(format("{}: {}() is of a launch: call kernel(file, entry) before", spec.name, what));
  return spec.launches.back();
}

/// Texts in memory are as they are; files are read with what they include.
KernelSpec read_kernel(const std::string& problem, Kernel given) {
  KernelSpec spec{std::move(given)};
  const Kernel& kernel = spec.kernel;
  if (!kernel.text.empty()) {
    spec.source = {kernel.path, kernel.text};
  } else {
    auto place = std::make_shared<definition::JsonText>();
    place->path = problem;
    definition::KernelFile file;
    file.path = kernel.path;
    for (const std::string& folder : kernel.folders) file.folders.emplace_back(folder);
    definition::KernelText text =
        guarded([&] { return definition::read_kernel_text(file, definition::JsonField(place)); });
    spec.source = std::move(text.source);
    spec.headers = std::move(text.headers);
  }
  for (const auto& [name, text] : kernel.headers) {
    std::erase_if(spec.headers, [&](const SourceFile& header) { return header.name == name; });
    spec.headers.push_back({name, text});
  }
  return spec;
}

}  // namespace

const ArgumentSpec* Problem::Spec::argument(std::string_view wanted) const {
  const auto found = std::ranges::find(arguments, wanted, &ArgumentSpec::name);
  return found == arguments.end() ? nullptr : &*found;
}

std::vector<std::string> Problem::Spec::arguments_of(const LaunchSpec& launch) const {
  if (launch.arguments) return *launch.arguments;
  std::vector<std::string> names;
  for (const ArgumentSpec& one : arguments)
    if (!one.symbol) names.push_back(one.name);
  return names;
}

std::optional<ElementType> type_named(std::string_view name) {
  // Vectors are their elements in code: what a kernel calls float4 is four floats.
  const auto type = definition::type_named(name);
  return type && type->components == 1 ? std::optional(type->element) : std::nullopt;
}

Kernel Kernel::from_source(std::string text, std::string name) {
  Kernel kernel(std::move(name));
  kernel.text = std::move(text);
  if (kernel.text.empty()) throw Error(format("the kernel '{}' has no text", kernel.path));
  return kernel;
}

Kernel& Kernel::include(std::string folder) {
  folders.push_back(std::move(folder));
  return *this;
}

Kernel& Kernel::header(std::string name, std::string contents) {
  headers.emplace_back(std::move(name), std::move(contents));
  return *this;
}

Kernel& Kernel::option(std::string option) {
  options.push_back(std::move(option));
  return *this;
}

Kernel& Kernel::define(std::string name, Number value) {
  defines.emplace_back(std::move(name), std::move(value));
  return *this;
}

Problem::Problem(std::string name) : spec_(std::make_unique<Spec>()) {
  const bool plain = !name.empty() && std::ranges::all_of(name, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
  });
  if (!plain) throw Error(format("'{}' is no problem's name: letters, digits, _, - and .", name));
  spec_->name = std::move(name);
}
Problem::Problem(const Problem& other) : spec_(std::make_unique<Spec>(*other.spec_)) {}
Problem::Problem(Problem&&) noexcept = default;
Problem& Problem::operator=(Problem other) noexcept {
  spec_ = std::move(other.spec_);
  return *this;
}
Problem::~Problem() = default;

const std::string& Problem::name() const {
  return spec_->name;
}

/// Another stamp for every change: what was prepared for a problem serves it until then.
Problem& Problem::changed() {
  static std::atomic<std::uint64_t> last{0};
  spec_->stamp = ++last;
  return *this;
}

Problem& Problem::size(std::string name, std::int64_t default_value) {
  check_new(*spec_, name);
  if (default_value < 1 || default_value > std::numeric_limits<std::int32_t>::max())
    throw Error(
        format("{}: the size {} = {} is not between 1 and 2^31 - 1", spec_->name, name, default_value));
  spec_->extents.push_back({std::move(name), "", default_value});
  return changed();
}

Problem& Problem::setting(std::string name, std::vector<AnyValue> values) {
  check_new(*spec_, name);
  SettingInfo setting;
  setting.values = values_of(*spec_, name, values);
  setting.default_value = setting.values.front();
  setting.name = std::move(name);
  spec_->settings.push_back(std::move(setting));
  return changed();
}

Problem& Problem::parameter(std::string name, std::vector<AnyValue> values,
                            std::optional<AnyValue> default_value) {
  check_new(*spec_, name);
  search::Parameter parameter;
  parameter.values = values_of(*spec_, name, values);
  parameter.default_value = default_value ? to_search(default_value->value) : parameter.values.front();
  if (std::ranges::find(parameter.values, parameter.default_value) == parameter.values.end())
    throw Error(format("{}: the default of '{}', {}, is not among its values {}", spec_->name, name,
                       parameter.default_value.to_string(), search::list_values(parameter)));
  parameter.name = std::move(name);
  spec_->parameters.push_back(std::move(parameter));
  return changed();
}

Problem& Problem::parameter_if(std::string condition, std::string name, std::vector<AnyValue> values) {
  search::Expr exists = expression(*spec_, condition);
  parameter(std::move(name), std::move(values));
  spec_->parameters.back().exists_if = std::move(exists);
  return changed();
}

Problem& Problem::constraint(std::string rule, std::string why) {
  spec_->constraints.push_back({expression(*spec_, rule), std::move(why)});
  return changed();
}

Problem& Problem::constraint(std::function<bool(const Configuration&)> rule, std::string why) {
  return constraint([rule = std::move(rule)](const Configuration& configuration,
                                             const Sizes&) { return rule(configuration); },
                    std::move(why));
}

Problem& Problem::constraint(std::function<bool(const Configuration&, const Sizes&)> rule, std::string why) {
  if (why.empty())
    throw Error(format("{}: a constraint that is a function needs a reason: it is all that people see of it",
                       spec_->name));
  spec_->rules.push_back({std::move(rule), std::move(why)});
  return changed();
}

Problem& Problem::input(std::string name, std::string type, Extents extents, Fill fill) {
  add_argument(*spec_, {std::move(name), ArgumentAccess::read, std::move(type), std::move(extents.numbers),
                        std::move(fill)});
  return changed();
}

Problem& Problem::symbol(std::string name, std::string type, Extents extents, Fill fill) {
  input(std::move(name), std::move(type), std::move(extents), std::move(fill));
  spec_->arguments.back().symbol = true;
  return changed();
}

Problem& Problem::output(std::string name, std::string type, Extents extents) {
  add_argument(*spec_, {std::move(name), ArgumentAccess::write, std::move(type), std::move(extents.numbers)});
  return changed();
}

Problem& Problem::inout(std::string name, std::string type, Extents extents, Fill fill) {
  add_argument(*spec_, {std::move(name), ArgumentAccess::both, std::move(type), std::move(extents.numbers),
                        std::move(fill)});
  return changed();
}

Problem& Problem::scratch(std::string name, std::string type, Extents extents) {
  add_argument(*spec_,
               {std::move(name), ArgumentAccess::scratch, std::move(type), std::move(extents.numbers)});
  return changed();
}

Problem& Problem::scalar(std::string name, std::string type, Number value) {
  add_argument(*spec_, {std::move(name), ArgumentAccess::scalar, std::move(type), {}, {}, std::move(value)});
  return changed();
}

Problem& Problem::kernel(Kernel kernel, std::string entry) {
  if (spec_->kernel)
    throw Error(format("{}: there is a kernel already; launch(entry) adds a launch of it", spec_->name));
  spec_->kernel = read_kernel(spec_->name, std::move(kernel));
  return launch(std::move(entry));
}

Problem& Problem::launch(std::string entry) {
  if (!spec_->kernel) throw Error(format("{}: call kernel(file, entry) first", spec_->name));
  if (entry.empty()) throw Error(format("{}: a launch needs a kernel's name", spec_->name));
  spec_->launches.push_back({std::move(entry)});
  spec_->describes_reference = false;
  return changed();
}

Problem& Problem::grid(Number x, Number y, Number z) {
  last_launch(*spec_, "grid").grid = {{std::move(x), std::move(y), std::move(z)}};
  return changed();
}

Problem& Problem::block(Number x, Number y, Number z) {
  last_launch(*spec_, "block").block = {{std::move(x), std::move(y), std::move(z)}};
  return changed();
}

Problem& Problem::grid_function(Geometry function) {
  last_launch(*spec_, "grid").grid = {{}, std::move(function)};
  return changed();
}

Problem& Problem::block_function(Geometry function) {
  last_launch(*spec_, "block").block = {{}, std::move(function)};
  return changed();
}

Problem& Problem::shared_memory(Number bytes) {
  last_launch(*spec_, "shared_memory").shared = std::move(bytes);
  return changed();
}

Problem& Problem::arguments(std::vector<std::string> names) {
  last_launch(*spec_, "arguments").arguments = std::move(names);
  return changed();
}

Problem& Problem::when(Number condition) {
  last_launch(*spec_, "when").when = std::move(condition);
  return changed();
}

Problem& Problem::reference(std::function<void(HostData&)> function) {
  spec_->reference = std::move(function);
  spec_->reference_kernel.reset();
  spec_->describes_reference = false;
  return changed();
}

Problem& Problem::reference(Configuration configuration) {
  spec_->reference_configuration = from_values(configuration);
  return changed();
}

Problem& Problem::reference(Kernel kernel, std::string entry) {
  if (entry.empty()) throw Error(format("{}: the reference needs a kernel's name", spec_->name));
  spec_->reference_kernel = ReferenceKernel{read_kernel(spec_->name, std::move(kernel)), {std::move(entry)}};
  spec_->describes_reference = true;
  spec_->reference = {};
  return changed();
}

Problem& Problem::tolerance(double absolute, double relative) {
  if (!(absolute >= 0) || !(relative >= 0))
    throw Error(format("{}: a tolerance is not negative", spec_->name));
  spec_->absolute_tolerance = absolute;
  spec_->relative_tolerance = relative;
  return changed();
}

Problem& Problem::check_at(Sizes sizes) {
  spec_->checks.push_back(std::move(sizes));
  return changed();
}

Problem& Problem::flops(SizeNumber count) {
  spec_->flops = std::move(count);
  return changed();
}

Problem& Problem::bytes(SizeNumber count) {
  spec_->bytes = std::move(count);
  return changed();
}

Problem& Problem::items(SizeNumber count, std::string name) {
  spec_->items = std::move(count);
  spec_->item = std::move(name);
  return changed();
}

Problem& Problem::revision(int number) {
  spec_->revision = number;
  return changed();
}

}  // namespace tune::api
