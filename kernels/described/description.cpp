// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/description.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "kernels/described/command.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {
namespace {

/// Names from C, CUDA, numpy and the exchange format; those of whole numbers with a size may end in _t.
constexpr std::pair<ElementType, std::string_view> type_names[] = {
    {ElementType::f32, "float|float32"},
    {ElementType::f64, "double|float64"},
    {ElementType::f16, "half|__half|float16"},
    {ElementType::bf16, "bfloat16|__nv_bfloat16|nv_bfloat16"},
    {ElementType::i8, "char|signed char|int8"},
    {ElementType::u8, "bool|uchar|unsigned char|uint8"},
    {ElementType::i16, "short|int16"},
    {ElementType::u16, "ushort|unsigned short|uint16"},
    {ElementType::i32, "int|int32"},
    {ElementType::u32, "uint|unsigned|unsigned int|uint32"},
    {ElementType::i64, "long|long long|longlong|int64"},
    {ElementType::u64, "ulong|unsigned long|unsigned long long|ulonglong|size_t|uint64"}};

std::optional<ElementType> listed(std::string_view name) {
  for (const auto& [type, names] : type_names)
    for (std::size_t begin = 0, end = 0; end < names.size(); begin = end + 1) {
      end = std::min(names.find('|', begin), names.size());
      if (names.substr(begin, end - begin) == name) return type;
    }
  return std::nullopt;
}

std::optional<ElementType> plain(std::string_view name) {
  const auto found = listed(name);
  // int32_t, but not size_t: only after a number.
  return found || !name.ends_with("_t") ? found : listed(name.substr(0, name.size() - 2));
}

}  // namespace

std::optional<TypeName> type_named(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (const auto type = plain(lower)) return TypeName{*type, 1, lower == "bool"};
  if (lower == "cucomplex" || lower == "cufloatcomplex") return TypeName{ElementType::f32, 2};
  if (lower == "cudoublecomplex") return TypeName{ElementType::f64, 2};
  // float2 and the like; of half and bfloat16 too.
  if (lower.size() < 2) return std::nullopt;
  const char last = lower.back();
  const auto of = plain(std::string_view(lower).substr(0, lower.size() - 1));
  if (!of || last < '2' || last > '4' || lower.find(' ') != std::string::npos) return std::nullopt;
  return TypeName{*of, last - '0', false};
}

bool Argument::is_written() const {
  return is_vector() && (access == BufferAccess::write || access == BufferAccess::both);
}

JudgedName::JudgedName(const std::string& name) : array(name.substr(0, name.find('.'))) {
  if (name.ends_with(".reference")) which = Which::reference;
  if (name.ends_with(".before")) which = Which::before;
}

std::string JudgeDescription::name() const {
  if (!launches.empty()) return format("the checking kernel {}", launches.back().entry);
  if (function) return "the function that judges";
  return format("the program {}", shortened(joined(command, {}, " ")));
}

bool JudgeDescription::judges(std::string_view output) const {
  return std::ranges::count(outputs, output) > 0;
}

bool JudgeDescription::needs_reference(std::string_view output) const {
  return std::ranges::count(references, output) > 0;
}

bool Argument::is_computed() const {
  const auto computed = [](const Expression& number) { return !number.is_constant(); };
  if (!object) return value && computed(*value);
  const auto all_computed = [&](const auto& self, const StructField& field) -> bool {
    return field.buffer.empty() && std::ranges::all_of(field.values, computed) &&
           std::ranges::all_of(field.fields, [&](const StructField& one) { return self(self, one); });
  };
  return object->bytes.empty() && all_computed(all_computed, object->all);
}

void KernelSource::find_names() {
  names = names_in_code(*text);
  types = declared_types(*text);
  const auto pastes = [](const SourceFile& file) { return file.text.find("##") != std::string::npos; };
  const auto names_files = [](const std::string& option) {
    return option.starts_with("-I") || option.starts_with("-include") || option.starts_with("--include") ||
           option.starts_with("--pre-include");
  };
  hides_names = pastes(text->source) || std::ranges::any_of(text->headers, pastes) ||
                std::ranges::any_of(options, names_files);
}

std::string KernelSource::variable(const std::string& symbol) const {
  auto found = types.variables_named(symbol);
  const std::size_t colons = symbol.rfind("::");
  if (found.empty() && colons != std::string::npos) found = types.variables_named(symbol.substr(colons + 2));
  return found.empty() ? symbol : found.front()->name;
}

bool KernelSource::takes_macro(std::string_view macro, const Value& value) const {
  const auto found = names.find(macro);
  if (found == names.end()) return hides_names;
  // Words that declare a value may also be a macro for a type before it: `API TYPE sum`.
  return value.is_text() || !found->second.is_declared_only();
}

const Argument* KernelDescription::argument(std::string_view wanted) const {
  const auto found = std::ranges::find(arguments, wanted, &Argument::name);
  return found == arguments.end() ? nullptr : &*found;
}

bool KernelDescription::is_in_struct(std::string_view array) const {
  const auto holds = [&](const auto& self, const StructField& field) -> bool {
    return field.buffer == array ||
           std::ranges::any_of(field.fields, [&](const StructField& one) { return self(self, one); });
  };
  return std::ranges::any_of(arguments, [&](const Argument& argument) {
    return argument.object && holds(holds, argument.object->all);
  });
}

std::vector<std::string> KernelDescription::arguments_of(const LaunchDescription& launch) const {
  if (launch.arguments) return *launch.arguments;
  std::vector<std::string> names;
  for (const Argument& one : arguments)
    if (one.symbol.empty() && !is_in_struct(one.name) && !one.is_for_judge) names.push_back(one.name);
  return names;
}

std::vector<std::string> KernelDescription::metric_names() const {
  std::vector<std::string> names;
  for (const auto& [name, formula] : metrics) names.push_back(name);
  if (command != nullptr)
    for (const auto& [name, source] : command->plan.results)
      if (name != "time") names.push_back(name);
  return names;
}

ProblemInfo KernelDescription::info() const {
  ProblemInfo info{name, summary, extents, settings, item, {}, revision};
  if (command != nullptr || kernel.language == KernelLanguage::cpp) info.target = Target::cpu;
  // Characters that need no quotes in a database's keys and on a command line.
  for (char& c : info.name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-' && c != '.') c = '_';
  if (info.name.empty()) place.fail("the problem has no name");
  // If all sizes are fixed, a setting without meaning keeps the description from having none.
  if (info.extents.empty()) info.extents.push_back({"size", format("fixed by the {}", noun()), 1});
  return info;
}

}  // namespace tune::described
