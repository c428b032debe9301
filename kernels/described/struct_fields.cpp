// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/struct_fields.hpp"

#include <algorithm>
#include <string_view>

#include "kernels/described/parameter_type.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::described {

StructParts declared_parts(const std::string& name, const DeclaredTypes& types, int depth) {
  constexpr int deepest = 16;
  const auto known = types.structs.find(name);
  if (known == types.structs.end() || !known->second || depth == deepest) return std::nullopt;
  std::vector<StructPart> parts;
  for (const std::string& field : *known->second) {
    const std::string declared = types.expanded(field);
    std::size_t count = 1;
    std::string_view extents =
        std::string_view(declared).substr(std::min(declared.find('['), declared.size()));
    for (; !extents.empty(); extents = trimmed(extents)) {
      extents.remove_prefix(1);
      const std::string_view number = leading_word(trimmed(extents));
      if (number.empty() || number.size() > 4 || number.find_first_not_of("0123456789") != std::string::npos)
        return std::nullopt;
      count *= static_cast<std::size_t>(std::stoi(std::string(number)));
      const std::size_t close = extents.find(']');
      if (close == std::string_view::npos || count > 10'000 ||
          trimmed(extents.substr(0, close)).size() != number.size())
        return std::nullopt;
      extents.remove_prefix(close + 1);
    }
    const std::string element = declared.substr(0, declared.find('['));
    const ParameterType type = type_of(element, types);
    StructParts one = std::vector<StructPart>();
    if (type.pointer)
      one->push_back({field});
    else if (type.numbers)
      one->assign(static_cast<std::size_t>(type.numbers->components), {field, type.numbers->element});
    else
      one = declared_parts(types.resolved(type_of_parameter(element)), types, depth + 1);
    if (!one) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i) parts.insert(parts.end(), one->begin(), one->end());
  }
  return parts;
}

namespace {

/// Returns the same of the definition's struct.
StructParts given_parts(const StructField& object) {
  std::vector<StructPart> parts;
  for (std::size_t i = 0; i < object.fields.size(); ++i) {
    const StructField& field = object.fields[i];
    const std::string name = field.name.empty() ? format("field {}", i + 1) : format("'{}'", field.name);
    if (!field.buffer.empty()) {
      parts.push_back({name});
    } else if (!field.fields.empty()) {
      const StructParts inner = given_parts(field);
      if (!inner) return std::nullopt;
      parts.insert(parts.end(), inner->begin(), inner->end());
    }
    for (const Expression& value : field.values) {
      // It may be a list.
      if (value.is_function() || value.text().find('[') != std::string::npos ||
          words_in(value.text()).contains("ProblemSize"))
        return std::nullopt;
      parts.push_back({name, field.type.element});
    }
  }
  return parts;
}

}  // namespace

std::string other_fields(const std::string& name, const StructField& given, const DeclaredTypes& types) {
  const StructParts wanted = declared_parts(name, types), parts = given_parts(given);
  if (!wanted || !parts || parts->empty()) return {};
  for (std::size_t i = 0; i < std::min(wanted->size(), parts->size()); ++i) {
    const StructPart &is = (*wanted)[i], &with = (*parts)[i];
    Argument number{.name = with.text};
    if (with.type) number.type = TypeName{*with.type};
    ParameterType type;
    if (is.type) type.numbers = TypeName{*is.type};
    if (is.type.has_value() == with.type.has_value() && !is_other_type(type, number)) continue;
    return format("whose struct {} has '{}' where {} is {}: give it the kernel's type", name, is.text,
                  with.text,
                  with.type ? format("of the type {}", to_string(*with.type)) : "the address of an array");
  }
  if (wanted->size() == parts->size()) return {};
  return format("whose struct {} has {} numbers and addresses ({}), {} are given", name, wanted->size(),
                joined(*types.structs.find(name)->second), parts->size());
}

std::string other_elements(std::string name, const Argument& argument, const DeclaredTypes& types) {
  name = name.substr(0, name.find('*'));
  const StructParts parts = declared_parts(name, types);
  if (!parts || parts->empty() || element_size(argument.type->element) == 1) return {};
  const auto is_same = [&](const StructPart& part) {
    ParameterType type;
    if (part.type) type.numbers = TypeName{*part.type};
    Argument number{.name = {}};
    number.type = TypeName{argument.type->element};
    return part.type && !is_other_type(type, number);
  };
  const auto other = std::ranges::find_if_not(*parts, is_same);
  if (other == parts->end()) return {};
  return format(
      "whose struct {} has '{}', but '{}' has the type {}: an array of such structs has the type uint8, "
      "and its bytes as 'size'",
      name, other->text, argument.name, type_name_of(argument));
}

}  // namespace tune::described
