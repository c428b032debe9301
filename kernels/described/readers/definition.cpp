// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/readers/definition.hpp"

#include <algorithm>

#include "search/expressions/nearest.hpp"
#include "tuner/base/format.hpp"
#include "tuner/evaluation/objective.hpp"

namespace tune::described {

namespace {

KernelDescription description_of(const std::shared_ptr<const JsonText>& source) {
  const std::filesystem::path& path = source->path;
  const JsonField root(source);
  if (!root.is_object()) root.fail("expected an object with the fields of a definition");
  const bool t1 = root.find("ConfigurationSpace") || root.find("KernelSpecification");
  if (!t1 && !root.find("parameters") && !root.find("kernel") && !root.find("command"))
    root.fail(
        "this is not a definition: expected 'kernel' or 'command' and 'parameters', or, in T1, "
        "'ConfigurationSpace' and 'KernelSpecification'");
  KernelDescription description = t1 ? read_t1(root) : read_native(root);
  description.place = SourceLocation::in_file([path] { return path.string(); });
  description.reference.place =
      SourceLocation::in_file([path] { return format("{}: reference.configuration", path.string()); });
  description.kernel.place = root.place();
  if (description.reference.kernel) description.reference.kernel->place = root.place();
  description.sources = {{path.filename().string(), source->text}};
  return description;
}

}  // namespace

KernelDescription read_definition(const std::filesystem::path& path) {
  return description_of(read_json(path));
}

KernelDescription parse_definition(const std::filesystem::path& path, std::string text) {
  return description_of(parse_json(path, std::move(text)));
}

bool DistinctValues::add(Value value) {
  // Equality is typed: 1 is neither true nor 1.0.
  const char kind = value.is_bool() ? 'b' : value.is_int() ? 'i' : value.is_real() ? 'r' : 't';
  if (!seen_.insert(kind + value.to_string()).second) return false;
  values_.push_back(std::move(value));
  return true;
}

void add_parameter(search::Parameter parameter, const JsonField& place, KernelDescription& definition) {
  if (std::ranges::count(definition.parameters, parameter.name, &search::Parameter::name) > 0)
    place.fail(format("a second parameter '{}'", shortened(parameter.name)));
  place.place().guarded([&] { search::check_parameter(parameter); });
  definition.parameters.push_back(std::move(parameter));
}

void add_constraint(const JsonField& rule, std::string reason, KernelDescription& definition) {
  definition.constraints.push_back({rule.rule(), std::move(reason)});
  definition.constraint_places.push_back(rule.place());
}

CompilerName read_compiler(const JsonField& field) {
  if (field.text() == "nvrtc") return CompilerName::nvrtc;
  if (field.text() == "nvcc") return CompilerName::nvcc;
  if (field.text() == "automatic") return CompilerName::automatic;
  field.fail(format("expected nvrtc, nvcc or automatic, found '{}'", field.text()));
}

Contents read_contents(const JsonField& field) {
  Contents contents;
  if (field.is_number()) {
    contents.kind = Contents::Kind::constant;
    contents.value = field.scalar();
    return contents;
  }
  if (field.is_text()) {
    if (field.text() == "random") return contents;
    contents.kind = Contents::Kind::formula;
    contents.formula = field.expression();
    return contents;
  }
  field.allow({"random", "seed", "constant", "from", "step", "file", "formula"});
  if (const auto random = field.find("random")) {
    const std::vector<JsonField> bounds = random->elements();
    if (bounds.size() != 2) random->fail("expected the smallest and the largest value");
    contents.low = bounds[0].scalar();
    contents.high = bounds[1].scalar();
    if (bounds[0].is_number() && bounds[1].is_number() && !(bounds[0].number() <= bounds[1].number()))
      random->fail("expected the smallest value first");
    if (const auto seed = field.find("seed")) contents.seed = static_cast<std::uint64_t>(seed->integer());
  } else if (const auto constant = field.find("constant")) {
    contents.kind = Contents::Kind::constant;
    contents.value = constant->scalar();
  } else if (const auto from = field.find("from")) {
    contents.kind = Contents::Kind::sequence;
    contents.value = from->scalar();
    if (const auto step = field.find("step")) contents.step = step->scalar();
  } else if (const auto file = field.find("file")) {
    contents.kind = Contents::Kind::file;
    contents.file = field.file().parent_path() / file->text();
  } else if (const auto formula = field.find("formula")) {
    contents.kind = Contents::Kind::formula;
    contents.formula = formula->expression();
  } else {
    field.fail("expected 'random', 'constant', 'from', 'formula' or 'file'");
  }
  return contents;
}

void share_contents(KernelDescription& definition) {
  for (Argument& argument : definition.arguments) {
    const std::string as = argument.contents.as;
    if (as.empty()) continue;
    const Argument* const other = definition.argument(as);
    if (other == nullptr || !other->is_vector())
      argument.place.fail(format("its fill is that of '{}', which is not an array", as));
    if (!other->contents.as.empty())
      argument.place.fail(
          format("its fill is that of '{}', which has another's: name an array with a fill of its own", as));
    if (!other->is_filled()) argument.place.fail(format("its fill is that of '{}', which has none", as));
    const bool is_same = argument.type && other->type ? argument.type->element == other->type->element &&
                                                            argument.type->is_bool == other->type->is_bool
                                                      : argument.type_name == other->type_name;
    if (!is_same)
      argument.place.fail(format("its fill is that of '{}', which has the type {}: both need one type", as,
                                 other->type_name));
    argument.contents = other->contents;
    argument.contents.as = as;
  }
}

Contents read_fill(const JsonField& field) {
  const auto as = field.is_object() ? field.find("as") : std::nullopt;
  if (!as) return read_contents(field);
  field.allow({"as"});
  if (as->text().empty()) as->fail("expected the name of an array");
  Contents contents;
  contents.as = as->text();
  return contents;
}

void read_objective(const JsonField& field, KernelDescription& definition) {
  definition.objective = field.text();
  try {
    const std::vector<std::string> known = definition.metric_names();
    static_cast<void>(objective_from_string(definition.objective).with([&](const MetricObjective& metric) {
      const bool is_known = std::ranges::count(known, metric.name) > 0;
      if (const std::string mistake = is_known ? "" : formula_mistake(metric.name, known); !mistake.empty())
        field.fail(format("'metrics' has no '{}', and it is no formula: {}", metric.name, mistake));
      return metric;
    }));
  } catch (const std::invalid_argument& error) {
    field.fail(error.what());
  }
}

void read_files(const JsonField& field, KernelSource& kernel) {
  std::vector<std::filesystem::path> files;
  for (const JsonField& one : field.one_or_more()) files.push_back(field.file().parent_path() / one.text());
  if (files.empty()) field.fail("expected a file");
  kernel.path = files.front();
  kernel.others.assign(files.begin() + 1, files.end());
}

void read_type(const JsonField& field, Argument& argument) {
  argument.type_name = field.text();
  argument.type = type_named(field.text());
  if (!argument.type)
    field.fail(format(
        "no array has elements of type '{}'; there are half, bfloat16, float, double, bool, int8, int16, "
        "int32, int64, uint8, uint16, uint32, uint64, and vectors of them such as float4",
        field.text()));
}

void read_extents(const JsonField& field, Argument& argument) {
  for (const JsonField& extent : field.one_or_more()) argument.extents.push_back(extent.expression());
  if (argument.extents.empty() || argument.extents.size() > 3) field.fail("expected one to three extents");
}

TextureSpec texture_over(const Argument& argument) {
  TextureSpec texture;
  texture.dimensions = static_cast<int>(argument.extents.size());
  texture.channels = argument.type ? argument.type->components : 1;
  texture.memory = texture.dimensions == 1 ? TextureMemory::linear : TextureMemory::array;
  return texture;
}

}  // namespace tune::described
