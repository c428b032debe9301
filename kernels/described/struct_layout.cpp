// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/struct_layout.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/described/fitting.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::described {

std::size_t alignment_of(const TypeName& type) {
  const std::size_t element = element_size(type.element);
  return type.components == 3
             ? element
             : std::min<std::size_t>(16, element * static_cast<std::size_t>(type.components));
}

namespace {

class Layouter {
 public:
  explicit Layouter(const ExpressionScope& scope) : scope_(scope) {}

  void add(const StructField& field) {
    const std::size_t alignment = alignment_of(field);
    align(alignment);
    if (!field.fields.empty()) {
      for (const StructField& one : field.fields) add(one);
      align(alignment);
    } else if (field.buffer.empty()) {
      add_numbers(field);
    } else {
      made_.pointers.push_back({made_.bytes.size(), {field.buffer}});
      made_.bytes.resize(made_.bytes.size() + sizeof(void*));
    }
  }
  StructArgument take() { return std::move(made_); }

 private:
  static std::size_t alignment_of(const StructField& field) {
    std::size_t largest = field.alignment;
    if (!field.buffer.empty()) return std::max(largest, sizeof(void*));
    if (field.fields.empty()) return std::max(largest, described::alignment_of(field.type));
    for (const StructField& one : field.fields) largest = std::max(largest, alignment_of(one));
    return largest;
  }

  void align(std::size_t to) { made_.bytes.resize((made_.bytes.size() + to - 1) / to * to); }

  void add_numbers(const StructField& field) {
    std::size_t count = 0;
    for (const Expression& expression : field.values) {
      const FormulaValue value = expression.value(scope_);
      const FormulaValue::List one = {value};
      for (const FormulaValue& number : value.is_list() ? value.list() : one) {
        add_number(field.type, number, expression);
        ++count;
      }
    }
    const auto components = static_cast<std::size_t>(field.type.components);
    if (count == 0 || count % components != 0)
      field.place.fail(format("has {} numbers, expected {}{}", count, components > 1 ? "a multiple of " : "",
                              components > 1 ? format("{}", components) : "at least one"));
  }

  void add_number(const TypeName& type, const FormulaValue& value, const Expression& expression) {
    try {
      const auto number = scalar_of(type, value);
      if (!number) expression.fail(misfit_of(type, value));
      std::visit(
          [this](const auto& plain) {
            const auto* const first = reinterpret_cast<const std::byte*>(&plain);
            made_.bytes.insert(made_.bytes.end(), first, first + sizeof plain);
          },
          *number);
    } catch (const search::ExprError& error) {
      expression.fail(error.what());
    }
  }

  const ExpressionScope& scope_;
  StructArgument made_;
};

}  // namespace

std::optional<ScalarArgument> scalar_of(const TypeName& type, const FormulaValue& value) {
  if (type.is_bool) return ScalarArgument(static_cast<std::uint8_t>(value.to_bool() ? 1 : 0));
  return with_element(type.element, [&]<class T>(T) -> std::optional<ScalarArgument> {
    const std::optional<T> number = fitting<T>(value);
    if (!number) return std::nullopt;
    if constexpr (is_floating<T> && !std::is_floating_point_v<T>)
      return ScalarArgument(number->bits);
    else
      return ScalarArgument(*number);
  });
}

StructArgument laid_out(const StructDescription& object, const ExpressionScope& scope) {
  if (!object.bytes.empty()) return {object.bytes};
  Layouter layouter(scope);
  layouter.add(object.all);
  return layouter.take();
}

Expression size_of(StructDescription object, SourceLocation place) {
  const auto bytes = [object = std::move(object)](const Instance& instance, const search::Configuration&) {
    const ExpressionScope scope({}, instance);
    return FormulaValue::of_number(static_cast<double>(laid_out(object, scope).bytes.size()));
  };
  return {Expression::Function(bytes), std::move(place)};
}

}  // namespace tune::described
