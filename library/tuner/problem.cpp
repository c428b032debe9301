// SPDX-License-Identifier: Apache-2.0
#include "library/tuner/problem.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <iterator>
#include <limits>

#include "kernels/described/compile_options.hpp"
#include "library/tuner/convert.hpp"
#include "search/expressions/expr.hpp"
#include "search/expressions/nearest.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stop_scope.hpp"

namespace tune::api {

namespace {

using described::BufferAccess;
using described::Expression;
using described::FormulaValue;
using described::KernelDescription;
using described::LaunchDescription;
using described::SourceLocation;

using Spec = Problem::Spec;

bool is_name(const std::string& text) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && letter(text.front()) && std::ranges::all_of(text, [&](char c) {
    return letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
}

/// Refuses a name that a size, setting or parameter has; scalars may have the name of a size.
void check_new(const KernelDescription& description, const std::string& name) {
  if (!is_name(name))
    throw Error(format("{}: '{}' is not a name: letters, digits and _", description.name, name));
  const bool taken = std::ranges::count(description.extents, name, &ExtentInfo::name) > 0 ||
                     std::ranges::count(description.settings, name, &SettingInfo::name) > 0 ||
                     std::ranges::count(description.parameters, name, &search::Parameter::name) > 0;
  if (taken) throw Error(format("{}: '{}' is given twice", description.name, name));
}

std::vector<search::Value> values_of(const std::string& problem, const std::string& name,
                                     const std::vector<AnyValue>& values) {
  if (values.empty()) throw Error(format("{}: '{}' has no values", problem, name));
  std::vector<search::Value> all;
  for (const AnyValue& value : values) all.push_back(to_search(value.value));
  return all;
}

search::Expr rule_of(const std::string& problem, const std::string& text) {
  try {
    return search::Expr::parse(text);
  } catch (const search::ExprError& error) {
    throw Error(format("{}: '{}': {}", problem, text, error.what()));
  }
}

/// Returns the place of `what` in messages.
SourceLocation part(const Spec& spec, const std::string& what) {
  return SourceLocation::in_code(format("{}: {}", spec.description.name, what));
}

FormulaValue formula_value(const Exact& number) {
  if (const auto* real = std::get_if<double>(&number.value)) return FormulaValue::of_number(*real);
  if (const auto* whole = std::get_if<std::uint64_t>(&number.value)) return FormulaValue::of_whole(*whole);
  return FormulaValue(std::get<std::int64_t>(number.value));
}

Expression expression(const Exact& number, SourceLocation place) {
  return std::visit([&](auto one) { return Expression(one, std::move(place)); }, number.value);
}

/// Converts a Number, a function of configuration and sizes, or a SizeNumber, one of the sizes.
template<class N>
Expression expression(const Spec& spec, N number, const std::string& what) {
  if (auto* function = std::get_if<typename N::Function>(&number.value))
    return {[function = std::move(*function)](const Instance& instance, const search::Configuration& c) {
              if constexpr (std::is_same_v<N, SizeNumber>)
                return formula_value(function(sizes_of(instance)));
              else
                return formula_value(function(to_values(c), sizes_of(instance)));
            },
            part(spec, what)};
  if (auto* formula = std::get_if<std::string>(&number.value)) return {std::move(*formula), part(spec, what)};
  return expression(std::get<Exact>(number.value), part(spec, what));
}

std::array<std::optional<Expression>, 3> geometry(const Spec& spec, const std::string& what, Number x,
                                                  Number y, Number z) {
  return {expression(spec, std::move(x), what + " x"), expression(spec, std::move(y), what + " y"),
          expression(spec, std::move(z), what + " z")};
}

/// Converts one function for all three.
template<class Function>
std::array<std::optional<Expression>, 3> geometry(const Spec& spec, const std::string& what,
                                                  Function function) {
  Expression::Function all = [function](const Instance& instance, const search::Configuration& c) {
    const Dim3 given = function(to_values(c), sizes_of(instance));
    return FormulaValue(FormulaValue::List{given.x, given.y, given.z});
  };
  return {Expression(std::move(all), part(spec, what))};
}

static_assert(static_cast<int>(Fill::Kind::function) ==
              static_cast<int>(described::Contents::Kind::function));

described::Contents contents_of(Fill fill) {
  std::function<described::ExactNumber(std::size_t, std::uint64_t)> function;
  if (fill.function)
    function = [of_element = std::move(fill.function)](std::size_t index, std::uint64_t seed) {
      return of_element(index, seed).value;
    };
  return {.kind = static_cast<described::Contents::Kind>(fill.kind),
          .value = expression(fill.value, {}),
          .step = expression(fill.step, {}),
          .low = expression(fill.low, {}),
          .high = expression(fill.high, {}),
          .file = fill.file,
          .function = std::move(function)};
}

/// Adds an argument without extents or a value.
described::Argument& add_argument(Spec& spec, std::string name, std::string type) {
  KernelDescription& description = spec.description;
  if (!is_name(name)) throw Error(format("{}: '{}' is not a name of an argument", description.name, name));
  if (description.argument(name) != nullptr)
    throw Error(format("{}: the argument '{}' is given twice", description.name, name));
  described::Argument argument{std::move(name), SourceLocation::in_code(description.name)};
  argument.type = described::type_named(type);
  // In code a vector is its elements: a kernel's float4 is four floats.
  if (argument.type && argument.type->components != 1) argument.type.reset();
  argument.type_name = std::move(type);
  description.arguments.push_back(std::move(argument));
  return description.arguments.back();
}

void add_array(Spec& spec, BufferAccess access, std::string name, std::string type, Extents extents,
               Fill fill = {}) {
  if (extents.numbers.empty())
    throw Error(format("{}: the array '{}' has no extents", spec.description.name, name));
  described::Argument& argument = add_argument(spec, std::move(name), std::move(type));
  argument.access = access;
  argument.contents = contents_of(std::move(fill));
  for (SizeNumber& extent : extents.numbers)
    argument.extents.push_back(
        expression(spec, std::move(extent), format("the extent of '{}'", argument.name)));
}

LaunchDescription& last_launch(Spec& spec, const char* what) {
  check_open(spec);
  KernelDescription& description = spec.description;
  if (spec.describes_reference) return description.reference.launches.back();
  if (description.launches.empty() || description.launches.back().entry.empty())
    throw Error(
        format("{}: {}() describes a launch: call kernel(file, entry) before", description.name, what));
  return description.launches.back();
}

/// Takes texts in memory as they are; reads files with the headers that they include.
described::KernelSource read_kernel(const Spec& spec, Kernel given) {
  described::KernelSource kernel;
  kernel.path = given.path;
  kernel.place = SourceLocation::in_code(spec.description.name);
  for (const std::string& folder : given.folders) kernel.folders.emplace_back(folder);
  kernel.options = std::move(given.options);
  for (auto& [name, value] : given.defines)
    kernel.defines.emplace_back(name, expression(spec, std::move(value), format("the macro '{}'", name)));
  described::KernelText text;
  if (!given.text.empty())
    text.source = {given.path, std::move(given.text)};
  else
    text = guarded([&] {
      std::vector<std::filesystem::path> folders = kernel.folders;
      std::ranges::copy(described::folders_in(kernel.options), std::back_inserter(folders));
      return described::read_kernel_text(kernel.path, folders, kernel.place);
    });
  for (const auto& [name, header] : given.headers) {
    std::erase_if(text.headers, [&name = name](const SourceFile& other) { return other.name == name; });
    text.headers.push_back({name, header});
  }
  kernel.text = std::move(text);
  return kernel;
}

/// Returns the argument for which it is said how it is compared. Throws Error where there is none.
described::Argument& output_named(Spec& spec, const std::string& name) {
  const auto found = std::ranges::find(spec.description.arguments, name, &described::Argument::name);
  if (found == spec.description.arguments.end() || !found->is_written())
    throw Error(format("{}: there is no output '{}' yet", spec.description.name, name));
  return *found;
}

}  // namespace

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
  if (!plain) throw Error(format("'{}' is not a problem's name: letters, digits, _, - and .", name));
  KernelDescription& description = spec_->description;
  description.place = SourceLocation::in_code(name);
  description.reference.place = SourceLocation::in_code(format("{}: the reference's configuration", name));
  description.name = std::move(name);
  description.summary = "defined in code";
}
Problem::Problem(const Problem& other) : spec_(std::make_unique<Spec>(*other.spec_)) {}
Problem::Problem(Problem&&) noexcept = default;
Problem& Problem::operator=(Problem other) noexcept {
  spec_ = std::move(other.spec_);
  return *this;
}
Problem::~Problem() = default;

const std::string& Problem::name() const {
  return spec_->description.name;
}

/// Changes the stamp: parts that were prepared for the problem serve until then.
Problem& Problem::changed() {
  check_open(*spec_);
  static std::atomic<std::uint64_t> last{0};
  spec_->stamp = ++last;
  return *this;
}

Problem& Problem::size(std::string name, std::int64_t default_value) {
  check_new(spec_->description, name);
  if (default_value < 1 || default_value > std::numeric_limits<std::int32_t>::max())
    throw Error(format("{}: the size {} = {} is not between 1 and 2^31 - 1", spec_->description.name, name,
                       default_value));
  spec_->description.extents.push_back({std::move(name), "", default_value});
  return changed();
}

Problem& Problem::setting(std::string name, std::vector<AnyValue> values) {
  check_new(spec_->description, name);
  SettingInfo setting;
  setting.values = values_of(spec_->description.name, name, values);
  setting.default_value = setting.values.front();
  setting.name = std::move(name);
  spec_->description.settings.push_back(std::move(setting));
  return changed();
}

Problem& Problem::parameter(std::string name, std::vector<AnyValue> values,
                            std::optional<AnyValue> default_value) {
  check_new(spec_->description, name);
  search::Parameter parameter;
  parameter.values = values_of(spec_->description.name, name, values);
  parameter.default_value = default_value ? to_search(default_value->value) : parameter.values.front();
  if (std::ranges::find(parameter.values, parameter.default_value) == parameter.values.end())
    throw Error(format("{}: the default of '{}', {}, is not among its values {}", spec_->description.name,
                       name, parameter.default_value.to_string(), search::list_values(parameter)));
  parameter.name = std::move(name);
  spec_->description.parameters.push_back(std::move(parameter));
  return changed();
}

Problem& Problem::parameter_if(std::string condition, std::string name, std::vector<AnyValue> values) {
  search::Expr exists = rule_of(spec_->description.name, condition);
  parameter(std::move(name), std::move(values));
  spec_->description.parameters.back().exists_if = std::move(exists);
  return changed();
}

Problem& Problem::constraint(std::string rule, std::string why) {
  spec_->description.constraints.push_back({rule_of(spec_->description.name, rule), std::move(why)});
  return changed();
}

Problem& Problem::constraint(std::function<bool(const Configuration&)> rule, std::string why) {
  return constraint([rule = std::move(rule)](const Configuration& configuration,
                                             const Sizes&) { return rule(configuration); },
                    std::move(why));
}

Problem& Problem::constraint(std::function<bool(const Configuration&, const Sizes&)> rule, std::string why) {
  if (why.empty())
    throw Error(
        format("{}: a constraint that is a function needs a reason for messages", spec_->description.name));
  const SourceLocation place = part(*spec_, format("the constraint '{}'", why));
  const auto holds = [rule = std::move(rule)](const Instance& instance, const search::Configuration& c) {
    return rule(to_values(c), sizes_of(instance));
  };
  spec_->description.rules.push_back({holds, std::move(why), place});
  return changed();
}

Problem& Problem::input(std::string name, std::string type, Extents extents, Fill fill) {
  add_array(*spec_, BufferAccess::read, std::move(name), std::move(type), std::move(extents),
            std::move(fill));
  return changed();
}

Problem& Problem::symbol(std::string name, std::string type, Extents extents, Fill fill) {
  input(std::move(name), std::move(type), std::move(extents), std::move(fill));
  spec_->description.arguments.back().symbol = spec_->description.arguments.back().name;
  return changed();
}

Problem& Problem::output(std::string name, std::string type, Extents extents) {
  add_array(*spec_, BufferAccess::write, std::move(name), std::move(type), std::move(extents));
  return changed();
}

Problem& Problem::inout(std::string name, std::string type, Extents extents, Fill fill) {
  add_array(*spec_, BufferAccess::both, std::move(name), std::move(type), std::move(extents),
            std::move(fill));
  return changed();
}

Problem& Problem::scratch(std::string name, std::string type, Extents extents) {
  add_array(*spec_, BufferAccess::scratch, std::move(name), std::move(type), std::move(extents));
  return changed();
}

Problem& Problem::scalar(std::string name, std::string type, Number value) {
  described::Argument& argument = add_argument(*spec_, std::move(name), std::move(type));
  argument.value = expression(*spec_, std::move(value), format("the argument '{}'", argument.name));
  return changed();
}

Problem& Problem::structure(std::string name, const void* bytes, std::size_t size) {
  described::Argument& argument = add_argument(*spec_, std::move(name), "struct");
  const auto* const first = static_cast<const std::byte*>(bytes);
  argument.object = described::StructDescription{.bytes = {first, first + size}};
  return changed();
}

Problem& Problem::kernel(Kernel kernel, std::string entry) {
  if (spec_->description.kernel.text)
    throw Error(
        format("{}: there is a kernel already; launch(entry) adds a launch of it", spec_->description.name));
  spec_->description.kernel = read_kernel(*spec_, std::move(kernel));
  return launch(std::move(entry));
}

Problem& Problem::launch(std::string entry) {
  check_open(*spec_);
  if (!spec_->description.kernel.text)
    throw Error(format("{}: call kernel(file, entry) first", spec_->description.name));
  if (entry.empty()) throw Error(format("{}: a launch needs a kernel's name", spec_->description.name));
  spec_->description.launches.push_back({std::move(entry)});
  spec_->describes_reference = false;
  return changed();
}

Problem& Problem::grid(Number x, Number y, Number z) {
  last_launch(*spec_, "grid").grid = geometry(*spec_, "grid", std::move(x), std::move(y), std::move(z));
  return changed();
}

Problem& Problem::block(Number x, Number y, Number z) {
  last_launch(*spec_, "block").block = geometry(*spec_, "block", std::move(x), std::move(y), std::move(z));
  return changed();
}

Problem& Problem::grid_function(Geometry function) {
  last_launch(*spec_, "grid").grid = geometry(*spec_, "grid", std::move(function));
  return changed();
}

Problem& Problem::block_function(Geometry function) {
  last_launch(*spec_, "block").block = geometry(*spec_, "block", std::move(function));
  return changed();
}

Problem& Problem::shared_memory(Number bytes) {
  last_launch(*spec_, "shared_memory").shared = expression(*spec_, std::move(bytes), "shared_memory");
  return changed();
}

Problem& Problem::cooperative() {
  last_launch(*spec_, "cooperative").cooperative = true;
  return changed();
}

Problem& Problem::arguments(std::vector<std::string> names) {
  last_launch(*spec_, "arguments").arguments = std::move(names);
  return changed();
}

Problem& Problem::when(Number condition) {
  last_launch(*spec_, "when").when = expression(*spec_, std::move(condition), "when");
  return changed();
}

Problem& Problem::host(std::function<void(HostArrays&)> code) {
  if (!code) throw Error(format("{}: host() needs a function", spec_->description.name));
  return repeat_while(
      [code = std::move(code)](HostArrays& arrays) {
        code(arrays);
        return false;
      },
      0);
}

Problem& Problem::repeat_while(std::function<bool(HostArrays&)> code, std::size_t launches) {
  KernelDescription& description = spec_->description;
  if (!code) throw Error(format("{}: repeat_while() needs a function", description.name));
  const auto kernels = static_cast<std::size_t>(std::ranges::count_if(
      description.launches, [](const LaunchDescription& one) { return !one.entry.empty(); }));
  if (kernels == 0 || launches > kernels)
    throw Error(
        format("{}: host code comes after a launch and can repeat {} so far", description.name, kernels));
  described::HostDescription host;
  std::size_t repeated = 0;  // launches; the code between them is repeated, too
  while (repeated < launches)
    if (!description.launches[description.launches.size() - ++host.back].entry.empty()) ++repeated;
  host.name = std::to_string(description.launches.size() - kernels + 1);
  host.function = [code = std::move(code), place = part(*spec_, "code of the host")](
                      const Instance& instance, const search::Configuration& c, HostAccess& memory) {
    const Sizes sizes = sizes_of(instance);
    const Configuration configuration = to_values(c);
    HostArrays::Contents contents{sizes, configuration, memory};
    HostArrays arrays(contents);
    return place.guarded([&] { return code(arrays); });
  };
  description.launches.emplace_back().host = std::move(host);
  spec_->describes_reference = false;
  return changed();
}

Problem& Problem::reference(std::function<void(HostData&)> function) {
  described::ReferenceDescription& reference = spec_->description.reference;
  reference.kernel.reset();
  reference.launches.clear();
  reference.function = {};
  if (function)
    reference.function = [function = std::move(function), place = part(*spec_, "the reference")](
                             const Instance& instance, const TensorSet& inputs, TensorSet& results) {
      const Sizes sizes = sizes_of(instance);
      HostData::Contents contents{sizes, inputs, results};
      HostData data(contents);
      place.guarded([&] { function(data); });
      throw_if_stopped();  // it may have returned early
    };
  spec_->describes_reference = false;
  return changed();
}

Problem& Problem::reference(Configuration configuration) {
  spec_->description.reference.configuration = from_values(configuration);
  return changed();
}

Problem& Problem::reference(Kernel kernel, std::string entry) {
  if (entry.empty()) throw Error(format("{}: the reference needs a kernel's name", spec_->description.name));
  described::ReferenceDescription& reference = spec_->description.reference;
  reference.kernel = read_kernel(*spec_, std::move(kernel));
  reference.launches = {{std::move(entry)}};
  reference.function = {};
  spec_->describes_reference = true;
  return changed();
}

Problem& Problem::tolerance(double absolute, double relative) {
  if (!(absolute >= 0) || !(relative >= 0))
    throw Error(format("{}: a tolerance is not negative", spec_->description.name));
  spec_->description.absolute_tolerance = absolute;
  spec_->description.relative_tolerance = relative;
  return changed();
}

Problem& Problem::tolerance(std::string output,
                            std::function<double(std::size_t index, const Sizes&)> limit) {
  described::Argument& argument = output_named(*spec_, output);
  described::Contents& limits = argument.comparison.absolute.emplace();
  limits.kind = described::Contents::Kind::function;
  limits.limit = [limit = std::move(limit), place = part(*spec_, format("the tolerance of '{}'", output))](
                     std::size_t index, const Instance& instance) {
    return place.guarded([&] { return limit(index, sizes_of(instance)); });
  };
  argument.bounds.emplace();
  return changed();
}

Problem& Problem::compare(std::string output, SizeNumber first, SizeNumber end) {
  described::ElementComparison& comparison = output_named(*spec_, output).comparison;
  comparison.from = expression(*spec_, std::move(first), format("the compared part of '{}'", output));
  comparison.to = expression(*spec_, std::move(end), format("the compared part of '{}'", output));
  return changed();
}

Problem& Problem::judge(std::vector<std::string> outputs,
                        std::function<std::string(const Results&)> function) {
  for (const std::string& output : outputs) output_named(*spec_, output);
  if (outputs.empty() || !function)
    throw Error(format("{}: judge() needs outputs and a function", spec_->description.name));
  described::JudgeDescription& judge = spec_->description.judge;
  judge.place = part(*spec_, "the function that judges");
  judge.outputs = std::move(outputs);
  judge.function = [function = std::move(function)](const Instance& instance, const search::Configuration& c,
                                                    const JudgedResults& results) -> tune::Result<void> {
    const Sizes sizes = sizes_of(instance);
    const Configuration configuration = to_values(c);
    const Results::Contents contents{sizes, configuration, results};
    const std::string wrong = function(Results(contents));
    if (wrong.empty()) return {};
    return tune::fail(Phase::verify, "wrong result", wrong);
  };
  return changed();
}

Problem& Problem::check_at(Sizes sizes) {
  spec_->checks.push_back(std::move(sizes));
  return changed();
}

Problem& Problem::flops(SizeNumber count) {
  spec_->description.flops = expression(*spec_, std::move(count), "flops");
  return changed();
}

Problem& Problem::work_per_execution(Number count) {
  spec_->description.per_execution = expression(*spec_, std::move(count), "work_per_execution");
  return changed();
}

Problem& Problem::bytes(SizeNumber count) {
  spec_->description.bytes = expression(*spec_, std::move(count), "bytes");
  return changed();
}

Problem& Problem::items(SizeNumber count, std::string name) {
  spec_->description.items = expression(*spec_, std::move(count), "items");
  spec_->description.item = std::move(name);
  return changed();
}

Problem& Problem::revision(int number) {
  spec_->description.revision = number;
  return changed();
}

}  // namespace tune::api
