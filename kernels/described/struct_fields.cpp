// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/struct_fields.hpp"

#include <algorithm>
#include <string_view>

#include "kernels/described/parameter_type.hpp"
#include "kernels/described/struct_layout.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::described {

namespace {

std::size_t aligned(std::size_t offset, std::size_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

/// Returns the number of elements of `float x[2][3]`; nothing where it is not understood.
std::optional<std::size_t> count_of_elements(const std::string& declared) {
  std::size_t count = 1;
  std::string_view extents = std::string_view(declared).substr(std::min(declared.find('['), declared.size()));
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
  return count;
}

/// Returns the alignment that attributes ask for [bytes], 1 where they ask for none; nothing where they are
/// not understood.
std::optional<std::size_t> alignment_in(const std::string& attributes, const DeclaredTypes& types) {
  const std::string text = types.expanded(attributes);
  std::size_t largest = 1;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view word = leading_word(std::string_view(text).substr(at));
    at += std::max<std::size_t>(1, word.size());
    if (word.find("packed") != std::string_view::npos) return std::nullopt;
    const bool aligns = word == "alignas" || word == "__align__" || word == "__builtin_align__" ||
                        word == "aligned" || word == "__aligned__";
    if (!aligns) continue;
    const std::size_t open = text.find('(', at), close = text.find(')', at);
    if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
    const std::string value(trimmed(std::string_view(text).substr(open + 1, close - open - 1)));
    std::size_t bytes = 0;
    if (const auto type = type_named(types.resolved(value)))
      bytes = alignment_of(*type);
    else if (!value.empty() && value.size() < 5 && value.find_first_not_of("0123456789") == std::string::npos)
      bytes = static_cast<std::size_t>(std::stoi(value));
    if (bytes == 0 || (bytes & (bytes - 1)) != 0) return std::nullopt;
    largest = std::max(largest, bytes);
  }
  return largest;
}

/// Returns the shape of one element of a field, without its extents.
std::optional<StructShape> shape_of_element(const std::string& field, const std::string& element,
                                            const DeclaredTypes& types, int depth) {
  const ParameterType type = type_of(element, types);
  if (!type.pointer && !type.numbers)
    return declared_shape(types.resolved(type_of_parameter(element)), types, depth + 1);
  StructShape shape;
  const TypeName numbers = type.pointer ? TypeName{ElementType::u64} : *type.numbers;
  shape.alignment = alignment_of(numbers);
  for (int i = 0; i < numbers.components; ++i) {
    shape.parts.push_back({field, type.pointer ? std::nullopt : std::optional(numbers.element), shape.size});
    shape.size += element_size(numbers.element);
  }
  shape.groups.push_back({0, shape.parts.size(), shape.alignment});
  return shape;
}

/// Adds a field's element behind the others.
void append(const StructShape& element, std::size_t alignment, StructShape& to) {
  to.size = aligned(to.size, alignment);
  to.alignment = std::max(to.alignment, alignment);
  to.has_layout = to.has_layout && element.has_layout;
  const std::size_t first = to.parts.size();
  for (StructPart part : element.parts) {
    part.offset += to.size;
    to.parts.push_back(std::move(part));
  }
  for (StructGroup group : element.groups) {
    group.first += first;
    to.groups.push_back(group);
  }
  to.groups.push_back({first, element.parts.size(), alignment});
  to.size += element.size;
}

}  // namespace

std::optional<StructShape> declared_shape(const std::string& name, const DeclaredTypes& types, int depth) {
  constexpr int deepest = 16;
  const auto known = types.structs.find(name);
  if (known == types.structs.end() || !known->second.fields || depth == deepest) return std::nullopt;
  StructShape shape{.parts = {}, .groups = {}, .has_layout = !types.packs};
  for (const DeclaredField& field : *known->second.fields) {
    const std::string declared = types.expanded(field.declared);
    const std::optional<std::size_t> count = count_of_elements(declared);
    if (!count) return std::nullopt;
    const auto element =
        shape_of_element(field.declared, declared.substr(0, declared.find('[')), types, depth);
    if (!element) return std::nullopt;
    const std::optional<std::size_t> own = alignment_in(field.attributes, types);
    shape.has_layout = shape.has_layout && own;
    for (std::size_t i = 0; i < *count; ++i)
      append(*element, std::max(element->alignment, i == 0 ? own.value_or(1) : 1), shape);
  }
  const std::optional<std::size_t> own = alignment_in(known->second.attributes, types);
  shape.has_layout = shape.has_layout && own;
  shape.alignment = std::max(shape.alignment, own.value_or(1));
  shape.size = aligned(shape.size, shape.alignment);
  shape.groups.push_back({0, shape.parts.size(), shape.alignment});
  return shape;
}

namespace {

/// Reads a struct of the definition. Gives its fields the alignments of the kernel's, if there is one.
class GivenShape {
 public:
  explicit GivenShape(const StructShape* declared = nullptr) : declared_(declared) {}

  /// Returns false where the number of numbers is not known.
  bool read(StructField& object) { return add(object) && is_counted_; }
  const StructShape& shape() const { return shape_; }

 private:
  bool add(StructField& field) {
    const std::size_t first = shape_.parts.size();
    // The alignment of a struct in it comes before the place of its first number.
    if (declared_ != nullptr && field.alignment == 1) field.alignment = alignment_at(first, count_of(field));
    const std::size_t alignment = std::max(field.alignment, natural(field));
    shape_.alignment = std::max(shape_.alignment, alignment);
    shape_.size = aligned(shape_.size, alignment);
    for (std::size_t i = 0; i < field.fields.size(); ++i) {
      StructField& one = field.fields[i];
      text_ = one.name.empty() ? format("field {}", i + 1) : format("'{}'", one.name);
      if (!add(one)) return false;
    }
    if (!field.fields.empty()) {
      shape_.size = aligned(shape_.size, std::max(field.alignment, natural(field)));
    } else if (!field.buffer.empty()) {
      add_part(std::nullopt, sizeof(void*));
    } else {
      for (const Expression& value : field.values) {
        is_counted_ = is_counted_ && is_one(value);
        add_part(field.type.element, element_size(field.type.element));
      }
    }
    return is_counted_;
  }

  void add_part(std::optional<ElementType> type, std::size_t bytes) {
    shape_.parts.push_back({text_, type, shape_.size});
    shape_.size += bytes;
  }

  /// It may be a list.
  static bool is_one(const Expression& value) {
    return !value.is_function() && value.text().find('[') == std::string::npos &&
           !words_in(value.text()).contains("ProblemSize");
  }

  static std::size_t natural(const StructField& field) {
    if (!field.buffer.empty()) return sizeof(void*);
    if (field.fields.empty()) return alignment_of(field.type);
    std::size_t largest = 1;
    for (const StructField& one : field.fields) largest = std::max({largest, one.alignment, natural(one)});
    return largest;
  }

  static std::size_t count_of(const StructField& field) {
    std::size_t count = field.buffer.empty() ? field.values.size() : 1;
    for (const StructField& one : field.fields) count += count_of(one);
    return count;
  }

  std::size_t alignment_at(std::size_t first, std::size_t count) const {
    std::size_t largest = 1;
    for (const StructGroup& group : declared_->groups)
      if (group.first == first && group.count <= count) largest = std::max(largest, group.alignment);
    return largest;
  }

  const StructShape* declared_;
  StructShape shape_ = {};
  std::string text_ = {};
  bool is_counted_ = true;
};

}  // namespace

std::string other_fields(const std::string& name, const StructField& given, const DeclaredTypes& types) {
  const std::optional<StructShape> shape = declared_shape(name, types);
  GivenShape read;
  StructField copy = given;
  if (!shape || !read.read(copy) || read.shape().parts.empty()) return {};
  const std::vector<StructPart>&wanted = shape->parts, &parts = read.shape().parts;
  for (std::size_t i = 0; i < std::min(wanted.size(), parts.size()); ++i) {
    const StructPart &is = wanted[i], &with = parts[i];
    Argument number{.name = with.text};
    if (with.type) number.type = TypeName{*with.type};
    ParameterType type;
    if (is.type) type.numbers = TypeName{*is.type};
    if (is.type.has_value() == with.type.has_value() && !is_other_type(type, number)) continue;
    return format("whose struct {} has '{}' where {} is {}: give it the kernel's type", name, is.text,
                  with.text,
                  with.type ? format("of the type {}", to_string(*with.type)) : "the address of an array");
  }
  if (wanted.size() == parts.size()) return {};
  return format("whose struct {} has {} numbers and addresses ({}), {} are given", name, wanted.size(),
                joined(*types.structs.find(name)->second.fields, &DeclaredField::declared), parts.size());
}

void take_alignments(const std::string& name, StructField& given, const DeclaredTypes& types) {
  const std::optional<StructShape> shape = declared_shape(name, types);
  if (shape && shape->has_layout) GivenShape(&*shape).read(given);
}

std::string other_layout(const std::string& name, StructField given, const DeclaredTypes& types) {
  const std::optional<StructShape> shape = declared_shape(name, types);
  GivenShape read;
  if (!shape || !shape->has_layout || !read.read(given)) return {};
  const DeclaredStruct& declared = types.structs.find(name)->second;
  const std::string what = format("whose struct {} ({}:{})", name, declared.file, declared.line);
  const StructShape& is = read.shape();
  for (std::size_t i = 0; i < std::min(is.parts.size(), shape->parts.size()); ++i)
    if (is.parts[i].offset != shape->parts[i].offset)
      return format(
          "{} has '{}' at byte {}, where {} would lie at byte {}: give its fields one by one, a 'struct' for a "
          "struct, or its 'bytes'",
          what, shape->parts[i].text, shape->parts[i].offset, is.parts[i].text, is.parts[i].offset);
  if (given.alignment != 1 && is.alignment != shape->alignment)
    return format("{} is aligned to {} bytes, 'align' says {}: leave it out", what, shape->alignment,
                  is.alignment);
  if (is.size == shape->size) return {};
  return format("{} has {} bytes, {} are given: give a 'struct' for each struct in it, or its 'bytes'", what,
                shape->size, is.size);
}

std::string other_elements(std::string name, const Argument& argument, const DeclaredTypes& types) {
  name = name.substr(0, name.find('*'));
  const std::optional<StructShape> shape = declared_shape(name, types);
  if (!shape || shape->parts.empty() || element_size(argument.type->element) == 1) return {};
  const auto is_same = [&](const StructPart& part) {
    ParameterType type;
    if (part.type) type.numbers = TypeName{*part.type};
    Argument number{.name = {}};
    number.type = TypeName{argument.type->element};
    return part.type && !is_other_type(type, number);
  };
  const auto other = std::ranges::find_if_not(shape->parts, is_same);
  if (other == shape->parts.end()) return {};
  return format(
      "whose struct {} has '{}', but '{}' has the type {}: an array of such structs has the type uint8, "
      "and its bytes as 'size'",
      name, other->text, argument.name, type_name_of(argument));
}

}  // namespace tune::described
