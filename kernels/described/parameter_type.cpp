// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/parameter_type.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>

#include "kernels/described/struct_fields.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::described {

ParameterType type_of(const std::string& declared, const DeclaredTypes& types) {
  const std::string name = types.resolved(type_of_parameter(declared));
  ParameterType type{.pointer = is_pointer(declared) || is_pointer(name)};
  const auto stars = std::ranges::count(declared, '*') + std::ranges::count(name, '*');
  type.of_pointers = stars + (declared.find('[') == std::string::npos ? 0 : 1) > 1;
  type.texture = !type.pointer && (name == "cudaTextureObject_t" || name == "cudaSurfaceObject_t");
  type.structure = types.structs.contains(name);
  type.enumeration = types.enums.contains(name);
  if (!type.structure) type.numbers = type_named(name.substr(0, name.find('*')));
  return type;
}

namespace {

/// True for an array in which a launch may leave addresses for others.
bool is_filled_by_kernels(const Argument& argument) {
  return argument.type && argument.type->element == ElementType::u64 && argument.access != BufferAccess::read;
}

/// Returns the type of a number as written, or of `float()`; empty for others.
std::string type_of_value(std::string_view text) {
  if (text == "true" || text == "false") return "bool";
  for (const char* const end : {"()", "{}"})
    if (text.ends_with(end) && type_named(text.substr(0, text.size() - 2)))
      return std::string(text.substr(0, text.size() - 2));
  if (text.empty() || (std::isdigit(static_cast<unsigned char>(text.front())) == 0 && text.front() != '.'))
    return {};
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string suffix(text.substr(digits));
  for (char& c : suffix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (text.substr(0, digits).find('.') != std::string_view::npos)
    return suffix.empty() ? "double" : suffix == "f" ? "float" : "";
  static const std::map<std::string, std::string> types = {
      {"", "int"},         {"u", "unsigned"},
      {"l", "long"},       {"ul", "unsigned long"},
      {"ll", "long long"}, {"ull", "unsigned long long"}};
  const auto found = types.find(suffix);
  return found == types.end() ? std::string() : found->second;
}

}  // namespace

std::string without_decltype(std::string declared, const std::vector<std::string>& parameters) {
  constexpr std::string_view word = "decltype(";
  for (std::size_t at = declared.find(word); at != std::string::npos; at = declared.find(word)) {
    const std::size_t begin = at + word.size(), close = declared.find(')', begin);
    if (close == std::string::npos) break;
    const std::size_t end = declared.compare(close - 1, 3, "())") == 0 ? close + 1 : close;
    const std::string value(trimmed(std::string_view(declared).substr(begin, end - begin)));
    std::string type = type_of_value(value);
    const auto other = std::ranges::find(parameters, value, name_of_parameter);
    if (type.empty() && other != parameters.end() && other->find('(') == std::string::npos)
      type = type_of_parameter(*other) + (is_pointer(*other) ? "*" : "");
    if (type.empty()) break;
    declared.replace(at, end + 1 - at, type);
  }
  return declared;
}

std::string type_name_of(const Argument& argument) {
  if (argument.object) return "struct";
  return argument.type_name.empty() ? std::string(to_string(argument.type->element)) : argument.type_name;
}

bool is_other_type(const ParameterType& declared, const Argument& argument) {
  if (!argument.type || argument.texture || argument.map) return false;
  if (declared.enumeration) return is_floating_point(argument.type->element);
  if (!declared.numbers) return false;
  const TypeName &wanted = *declared.numbers, &given = *argument.type;
  if (declared.pointer && given.components > 4) return false;  // bytes of a custom type
  if (!declared.pointer && given.components != wanted.components) return true;
  return element_size(given.element) != element_size(wanted.element) ||
         is_floating_point(given.element) != is_floating_point(wanted.element) ||
         (is_floating_point(given.element) && given.element != wanted.element);
}

bool has_other_sign(const ParameterType& declared, const Argument& argument) {
  constexpr std::array with_sign = {ElementType::i8, ElementType::i16, ElementType::i32, ElementType::i64};
  if (!argument.type || argument.texture || argument.map || declared.enumeration || !declared.numbers)
    return false;
  const TypeName &wanted = *declared.numbers, &given = *argument.type;
  const auto has_sign = [&](const TypeName& type) {
    return std::ranges::find(with_sign, type.element) != with_sign.end();
  };
  return !wanted.is_bool && !given.is_bool && !is_floating_point(wanted.element) &&
         !is_floating_point(given.element) && element_size(wanted.element) == element_size(given.element) &&
         has_sign(wanted) != has_sign(given);
}

bool is_not_compared(const std::string& declared, const DeclaredTypes& types, const Argument& argument) {
  if (argument.object) {
    const auto known = types.structs.find(types.resolved(type_of_parameter(declared)));
    const bool is_named = known != types.structs.end() && !argument.object->all.fields.empty();
    if (!is_named) return false;
    const auto shape = declared_shape(known->first, types);
    return !shape || !shape->has_layout;
  }
  if (!argument.type || argument.texture || argument.map || !argument.symbol.empty()) return false;
  if (declared.find('(') != std::string::npos) return true;
  const std::string name = types.resolved(type_of_parameter(declared));
  if (name.starts_with("void") || declared.find("unknown_") != std::string::npos) return false;
  if (const auto known = types.structs.find(name.substr(0, name.find('*'))); known != types.structs.end())
    return element_size(argument.type->element) != 1 && !declared_shape(known->first, types);
  return !type_of(declared, types).known();
}

std::string misfit(const std::string& declared, const DeclaredTypes& types, const Argument& argument) {
  if (declared.find('(') != std::string::npos) return {};  // a macro, or a reference to an array
  const ParameterType type = type_of(declared, types);
  const bool in_file = argument.place.is_file();
  const auto set = [&](const char* what, const char* cure) {
    return in_file ? format("{}: {}", what, cure)
                   : format("the problem declares the {} '{}'",
                            argument.is_vector() ? "array"
                            : argument.object    ? "struct"
                                                 : "scalar",
                            argument.name);
  };
  if (argument.texture) return type.texture || !type.known() ? "" : "no cudaTextureObject_t";
  if (argument.map) return type.pointer ? "no CUtensorMap" : "";
  if (type.texture)
    return in_file ? "a texture: set 'size' and 'texture'" : "a texture, which only a file can define";
  if (argument.is_vector() && !type.pointer)
    return !type.known() ? "" : set("not a pointer", "set a single value");
  if (!argument.is_vector() && type.pointer) return set("a pointer", "set 'size' for a vector");
  if (argument.is_vector() && type.of_pointers)
    return is_filled_by_kernels(argument)
               ? ""
               : "an array of addresses, which nothing can fill: pass one array for all, or a struct by value "
                 "of the addresses";
  if (argument.object) {
    if (type.numbers && type.numbers->components == 1) return set("a number", "set 'type' and 'value'");
    const auto known = types.structs.find(types.resolved(type_of_parameter(declared)));
    if (known == types.structs.end()) return "";
    StructField given = argument.object->all;
    if (given.fields.empty()) return "";
    take_alignments(known->first, given, types);
    const std::string other = other_fields(known->first, given, types);
    return other.empty() ? other_layout(known->first, given, types) : other;
  }
  if (!argument.is_vector() && type.structure) return set("a struct", "set 'struct' or 'bytes'");
  if (type.pointer && type.structure && argument.type) {
    const std::string other = other_elements(types.resolved(type_of_parameter(declared)), argument, types);
    if (!other.empty()) return other;
  }
  if (!is_other_type(type, argument)) return {};
  return format("but '{}' has the type {}: give it the kernel's type", argument.name, type_name_of(argument));
}

}  // namespace tune::described
