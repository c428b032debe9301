// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <map>

#include "kernels/described/definition.hpp"
#include "tuner/base/format.hpp"

namespace tune::definition {
namespace {

/// As C, CUDA, numpy and the exchange format call them.
const std::map<std::string, ElementType, std::less<>>& names() {
  static const std::map<std::string, ElementType, std::less<>> all = {
      {"float", ElementType::f32},
      {"float32", ElementType::f32},
      {"double", ElementType::f64},
      {"float64", ElementType::f64},
      {"half", ElementType::f16},
      {"__half", ElementType::f16},
      {"float16", ElementType::f16},
      {"bfloat16", ElementType::bf16},
      {"__nv_bfloat16", ElementType::bf16},
      {"nv_bfloat16", ElementType::bf16},
      {"bool", ElementType::u8},
      {"char", ElementType::i8},
      {"signed char", ElementType::i8},
      {"int8", ElementType::i8},
      {"uchar", ElementType::u8},
      {"unsigned char", ElementType::u8},
      {"uint8", ElementType::u8},
      {"short", ElementType::i16},
      {"int16", ElementType::i16},
      {"ushort", ElementType::u16},
      {"unsigned short", ElementType::u16},
      {"uint16", ElementType::u16},
      {"int", ElementType::i32},
      {"int32", ElementType::i32},
      {"uint", ElementType::u32},
      {"unsigned", ElementType::u32},
      {"unsigned int", ElementType::u32},
      {"uint32", ElementType::u32},
      {"long", ElementType::i64},
      {"long long", ElementType::i64},
      {"longlong", ElementType::i64},
      {"int64", ElementType::i64},
      {"ulong", ElementType::u64},
      {"unsigned long", ElementType::u64},
      {"unsigned long long", ElementType::u64},
      {"ulonglong", ElementType::u64},
      {"size_t", ElementType::u64},
      {"uint64", ElementType::u64},
  };
  return all;
}

std::optional<ElementType> plain(std::string_view name) {
  auto found = names().find(name);
  // int32_t, but not size: what ends with _t has a number before.
  if (found == names().end() && name.ends_with("_t")) found = names().find(name.substr(0, name.size() - 2));
  return found == names().end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::optional<TypeName> type_named(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (const auto type = plain(lower)) return TypeName{*type, 1, lower == "bool"};
  // float2 and the like; of half and bfloat16 too.
  if (lower.size() < 2) return std::nullopt;
  const char last = lower.back();
  const auto of = plain(std::string_view(lower).substr(0, lower.size() - 1));
  if (!of || last < '2' || last > '4' || lower.find(' ') != std::string::npos) return std::nullopt;
  return TypeName{*of, last - '0', false};
}

void read_type(const JsonField& field, Argument& argument) {
  const auto type = type_named(field.text());
  if (!type)
    field.fail(format(
        "no array has elements of type '{}'; there are half, bfloat16, float, double, bool, int8, int16, "
        "int32, int64, uint8, uint16, uint32, uint64, and vectors of them such as float4",
        field.text()));
  argument.type = type->element;
  argument.components = type->components;
  argument.is_bool = type->is_bool;
}

}  // namespace tune::definition
