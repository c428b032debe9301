// SPDX-License-Identifier: Apache-2.0
#include "tuner/definition/definition.hpp"

#include <algorithm>

#include "tuner/core/format.hpp"

namespace tune::definition {

FormulaValue Formula::evaluate(const Names& names) const {
  try {
    return definition::evaluate(text, names);
  } catch (const search::ExprError& error) {
    place.fail(format("'{}', column {}: {}", text, error.column(), error.what()));
  }
}

const Argument* Definition::argument(std::string_view wanted) const {
  const auto found = std::ranges::find(arguments, wanted, &Argument::name);
  return found == arguments.end() ? nullptr : &*found;
}

std::optional<ElementType> element_type(const std::string& name) {
  static const std::map<std::string, ElementType> types = {
      {"float", ElementType::f32},   {"float32", ElementType::f32},  {"double", ElementType::f64},
      {"float64", ElementType::f64}, {"int", ElementType::i32},      {"int32", ElementType::i32},
      {"int32_t", ElementType::i32}, {"uint", ElementType::u32},     {"unsigned", ElementType::u32},
      {"uint32", ElementType::u32},  {"uint32_t", ElementType::u32}, {"unsigned int", ElementType::u32},
      {"uint8", ElementType::u8},    {"uint8_t", ElementType::u8},   {"unsigned char", ElementType::u8},
  };
  const auto found = types.find(name);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

ElementType read_type(const JsonField& field) {
  const auto type = element_type(field.text());
  if (!type)
    field.fail(format("no buffer has elements of type '{}'; there are float, double, int32, uint32, uint8",
                      field.text()));
  return *type;
}

Definition read_definition(const std::filesystem::path& path) {
  const auto source = read_json(path);
  const JsonField root(source);
  if (!root.is_object()) root.fail("expected an object with the fields of a definition");
  const bool t1 = root.find("ConfigurationSpace") || root.find("KernelSpecification");
  if (t1 || root.find("parameters") || root.find("kernel")) {
    Definition definition = t1 ? read_t1(root) : read_native(root);
    definition.source = source;
    return definition;
  }
  root.fail(
      "this is no definition: expected 'kernel' and 'parameters', or, in T1, 'ConfigurationSpace' and "
      "'KernelSpecification'");
}

}  // namespace tune::definition
