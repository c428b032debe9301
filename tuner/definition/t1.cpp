// SPDX-License-Identifier: Apache-2.0
// The field's exchange format for definitions (T1 of the FAIR benchmark suite of the autotuning community),
// with the fields that published definitions have besides: Default, GridDivX, ProblemSize, MemType, Output.
#include <algorithm>

#include "tuner/core/error.hpp"
#include "tuner/core/format.hpp"
#include "tuner/definition/definition.hpp"

namespace tune::definition {
namespace {

const FormulaValue* nothing(std::string_view) {
  return nullptr;
}

/// `"16"` of a parameter of type int is 16.
Value typed(const JsonField& field, const FormulaValue& value, const std::string& type) {
  if (value.is_list()) field.fail("expected values, found a list in the list");
  if (type == "string") return value.is_text() ? value.text() : value.scalar().to_string();
  if (value.is_text()) field.fail(format("expected values of type {}, found '{}'", type, value.text()));
  if (type == "bool") return value.truth();
  if (type == "float") return value.real();
  if (type == "int" || type == "uint") {
    if (type == "uint" && value.real() < 0) field.fail("expected values that are not negative");
    try {
      return value.whole();
    } catch (const search::ExprError& error) {
      field.fail(error.what());
    }
  }
  field.fail(format("no parameter has the type '{}'; there are int, uint, float, bool, string", type));
}

search::Parameter read_parameter(const JsonField& field) {
  search::Parameter parameter;
  parameter.name = field.at("Name").text();
  const auto type_field = field.find("Type");
  const std::string type = type_field ? type_field->text() : "int";
  const JsonField values = field.at("Values");
  const FormulaValue all = values.evaluated(nothing);
  if (!all.is_list() || all.list().empty()) values.fail("expected a list of at least one value");
  for (const FormulaValue& value : all.list()) {
    Value one = typed(values, value, type);
    if (std::ranges::find(parameter.values, one) == parameter.values.end())
      parameter.values.push_back(std::move(one));
  }
  parameter.default_value = parameter.values.front();
  if (const auto chosen = field.find("Default")) {
    FormulaValue value = chosen->is_text() && type != "string" ? chosen->evaluated(nothing) : chosen->value();
    if (value.is_list() && value.list().size() == 1) value = FormulaValue(value.list().front());
    const Value wanted = typed(*chosen, value, type);
    // Published definitions have defaults that are no value of their parameter: the first value serves then.
    if (std::ranges::find(parameter.values, wanted) != parameter.values.end())
      parameter.default_value = wanted;
  }
  return parameter;
}

void read_space(const JsonField& root, Definition& definition) {
  const JsonField space = root.at("ConfigurationSpace");
  for (const JsonField& field : space.at("TuningParameters").elements()) {
    search::Parameter parameter = read_parameter(field);
    for (const search::Parameter& other : definition.parameters)
      if (other.name == parameter.name)
        field.at("Name").fail(format("a second parameter '{}'", parameter.name));
    definition.parameters.push_back(std::move(parameter));
  }
  if (definition.parameters.empty()) space.at("TuningParameters").fail("expected a parameter");
  const auto conditions = space.find("Conditions");
  if (!conditions) return;
  for (const JsonField& field : conditions->elements()) {
    const JsonField rule = field.at("Expression");
    search::Expr expression = rule.expression();
    for (const std::string& name : expression.variables())
      if (std::ranges::find(definition.parameters, name, &search::Parameter::name) ==
          definition.parameters.end())
        rule.fail(format("'{}' is no parameter", name));
    definition.constraints.push_back({std::move(expression), rule.formula()});
  }
}

/// Quotients of the grid: ceil(ProblemSize[axis] / (a * b)).
std::string divided(const JsonField& divisors, std::size_t axis) {
  std::string product;
  for (const JsonField& one : divisors.one_or_more())
    product += (product.empty() ? "(" : " * (") + one.formula() + ")";
  return product.empty() ? format("ProblemSize[{}]", axis)
                         : format("ceil_div(ProblemSize[{}], {})", axis, product);
}

constexpr const char* axes[] = {"X", "Y", "Z"};

LaunchDefinition read_launch(const JsonField& kernel, const Definition& definition) {
  LaunchDefinition launch;
  launch.entry = kernel.at("KernelName").text();
  const JsonField local = kernel.at("LocalSize");
  const auto global = kernel.find("GlobalSize");
  const auto type = kernel.find("GlobalSizeType");
  const bool in_threads = type && type->text() == "OpenCL";
  const bool divisors = kernel.find("GridDivX") || kernel.find("GridDivY") || kernel.find("GridDivZ");
  if (!global && !divisors) kernel.fail("expected a field 'GlobalSize', or 'ProblemSize' with 'GridDivX'");
  if (divisors && definition.extents.empty()) kernel.fail("GridDivX needs a field 'ProblemSize'");
  for (std::size_t i = 0; i < 3; ++i) {
    const auto block = local.find(axes[i]);
    if (block) launch.block[i] = Formula{block->formula(), *block};
    if (divisors) {
      const auto by = kernel.find(std::string("GridDiv") + axes[i]);
      if (by) launch.grid[i] = Formula{divided(*by, i), *by};
      // An axis of the problem without divisors is divided by nothing, as in the tuner these fields come
      // from.
      else if (i < definition.extents.size())
        launch.grid[i] = Formula{format("ProblemSize[{}]", i), kernel.at("ProblemSize")};
    } else if (const auto blocks = global->find(axes[i])) {
      const std::string threads = block ? block->formula() : "1";
      launch.grid[i] = Formula{
          in_threads ? format("ceil_div({}, {})", blocks->formula(), threads) : blocks->formula(), *blocks};
    }
  }
  if (const auto shared = kernel.find("SharedMemory")) launch.shared = Formula{shared->formula(), *shared};
  for (const Argument& argument : definition.arguments) launch.arguments.push_back(argument.name);
  return launch;
}

Contents read_contents(const JsonField& field, const std::filesystem::path& folder) {
  Contents contents;
  const auto fill = field.find("FillType");
  const std::string kind = fill ? fill->text() : "Random";
  const auto value = field.find("FillValue");
  const double number = value && value->is_number() ? value->number() : 0;
  if (const auto seed = field.find("RandomSeed")) contents.seed = static_cast<std::uint64_t>(seed->whole());
  if (kind == "Constant") {
    contents.kind = Contents::Kind::constant;
    contents.value = number;
  } else if (kind == "Random") {
    contents.high = number > 0 ? number : 1;
  } else if (kind == "Generator") {
    contents.kind = Contents::Kind::sequence;
    contents.value = number;
  } else if (kind == "BinaryRaw") {
    contents.kind = Contents::Kind::file;
    contents.file = folder / field.at("DataSource").text();
  } else {
    fill->fail(
        format("'{}' cannot be filled in here; there are Constant, Random, Generator, BinaryRaw", kind));
  }
  return contents;
}

Access read_access(const JsonField& field) {
  if (const auto access = field.find("AccessType")) {
    if (access->text() == "ReadOnly") return Access::read;
    if (access->text() == "WriteOnly") return Access::write;
    if (access->text() == "ReadWrite") return Access::both;
    access->fail(format("expected ReadOnly, WriteOnly or ReadWrite, found '{}'", access->text()));
  }
  const auto output = field.find("Output");
  return output && output->truth() ? Access::both : Access::read;
}

Argument read_argument(const JsonField& field, const std::filesystem::path& folder) {
  Argument argument{field.at("Name").text(), field};
  read_type(field.at("Type"), argument);
  const auto memory = field.find("MemoryType");
  const std::string kind = memory ? memory->text() : "Vector";
  if (kind == "Scalar") {
    const JsonField value = field.find("FillValue") ? field.at("FillValue") : field.at("Value");
    argument.value = Formula{value.formula(), value};
    return argument;
  }
  if (kind != "Vector" && kind != "Symbol")
    memory->fail(format("'{}' is no kind of argument here; there are Scalar, Vector, Symbol", kind));
  const JsonField size = field.at("Size");
  argument.extents = {Formula{size.formula(), size}};
  argument.access = read_access(field);
  argument.contents = read_contents(field, folder);
  const auto constant = field.find("MemType");
  if (kind == "Symbol" || (constant && constant->text() == "Constant")) argument.symbol = argument.name;
  return argument;
}

void read_references(const JsonField& kernel, Definition& definition, const std::filesystem::path& folder) {
  const auto references = kernel.find("ReferenceArguments");
  if (!references) return;
  for (const JsonField& field : references->elements()) {
    const JsonField target = field.at("TargetName");
    const auto argument = std::ranges::find(definition.arguments, target.text(), &Argument::name);
    if (argument == definition.arguments.end())
      target.fail(format("there is no argument '{}'", target.text()));
    argument->expected = read_contents(field, folder);
    const auto threshold = field.find("ValidationThreshold");
    const auto method = field.find("ValidationMethod");
    if (!threshold) continue;
    if (method && method->text() == "SideBySideRelativeComparison")
      definition.relative_tolerance = threshold->number();
    else
      definition.absolute_tolerance = threshold->number();
    if (method && method->text() == "AbsoluteDifference")
      definition.notes.push_back("AbsoluteDifference is checked element by element, not as a sum");
  }
}

void read_budget(const JsonField& root, Definition& definition) {
  const auto budgets = root.find("Budget");
  if (!budgets) return;
  for (const JsonField& field : budgets->one_or_more()) {
    const std::string& type = field.at("Type").text();
    const JsonField value = field.at("BudgetValue");
    if (!(value.number() > 0)) value.fail("expected a positive number");
    if (type == "ConfigurationCount")
      definition.budget_evaluations = value.whole();
    else if (type == "TuningDuration")
      definition.budget_seconds = value.number();
    else if (type == "ConfigurationFraction")
      definition.notes.push_back("Budget: a share of the configurations is not read; give --budget-evals");
    else
      field.at("Type").fail(
          format("expected ConfigurationCount, TuningDuration or ConfigurationFraction, found '{}'", type));
  }
}

}  // namespace

Definition read_t1(const JsonField& root) {
  Definition definition;
  definition.file = root.file();
  const std::filesystem::path folder = root.file().parent_path();
  read_space(root, definition);
  const JsonField kernel = root.at("KernelSpecification");
  const auto general = root.find("General");
  const auto name = general ? general->find("BenchmarkName") : std::nullopt;
  definition.name = name ? name->text() : kernel.at("KernelName").text();
  definition.summary = format("{} of {}", kernel.at("KernelName").text(), root.file().filename().string());
  if (const auto language = kernel.find("Language"); language && language->text() != "CUDA")
    definition.language = language->text();
  if (const auto size = kernel.find("ProblemSize")) {
    const std::vector<JsonField> extents = size->one_or_more();
    if (extents.empty() || extents.size() > 3) size->fail("expected one to three extents");
    for (std::size_t i = 0; i < extents.size(); ++i)
      definition.extents.push_back({std::string(1, static_cast<char>('x' + i)), format("ProblemSize[{}]", i),
                                    extents[i].evaluated(nothing).whole()});
  }
  definition.kernel.path = folder / kernel.at("KernelFile").text();
  if (const auto options = kernel.find("CompilerOptions"))
    for (const JsonField& option : options->elements()) definition.kernel.options.push_back(option.text());
  if (const auto arguments = kernel.find("Arguments"))
    for (const JsonField& field : arguments->elements())
      definition.arguments.push_back(read_argument(field, folder));
  definition.launches.push_back(read_launch(kernel, definition));
  read_references(kernel, definition, folder);
  read_budget(root, definition);
  return definition;
}

}  // namespace tune::definition
