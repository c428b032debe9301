// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/readers/first_definition.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "kernels/described/description.hpp"
#include "kernels/described/kernel_text.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

struct Macro {
  std::string name;
  std::int64_t value = 0;
};

/// Returns macros with a whole number as default.
std::vector<Macro> tunable_macros(std::string_view text) {
  std::vector<Macro> macros;
  std::string_view guarded;  // the name of `#ifndef` in the line before
  while (!text.empty()) {
    const auto directive = directive_of(next_line(text));
    const bool follows =
        directive && directive->name == "define" && !guarded.empty() && directive->word == guarded;
    guarded = directive && directive->name == "ifndef" ? directive->word : std::string_view();
    if (!follows) continue;
    const std::string_view number = trimmed(directive->rest.substr(directive->word.size()));
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error == std::errc() && (end == number.data() + number.size() || !is_word(*end)))
      macros.push_back({std::string(directive->word), value});
  }
  return macros;
}

/// Returns the name of the function that is declared behind `__global__`; empty where it is not understood.
std::string_view declared_name(std::string_view text) {
  while (true) {
    text = text.substr(std::min(text.size(), text.find_first_not_of(" \t\r\n\v\f")));
    const std::string_view word = leading_word(text);
    const std::size_t behind = text.find_first_not_of(" \t\r\n\v\f", word.size());
    const bool bracket = behind != std::string_view::npos && text[behind] == '(';
    if (word.empty() || behind == std::string_view::npos) return {};
    if (word == "__launch_bounds__" && bracket) {
      const std::size_t end = text.find(')', behind);
      if (end == std::string_view::npos) return {};
      text.remove_prefix(end + 1);
    } else if (bracket) {
      return word;
    } else if (word == "void" || word == "static" || word == "inline") {
      text.remove_prefix(word.size());
    } else {
      return {};
    }
  }
}

std::vector<std::string> kernels_in(std::string_view text) {
  constexpr std::string_view global = "__global__";
  std::vector<std::string> names;
  for (std::size_t at = text.find(global); at != std::string_view::npos; at = text.find(global, at + 1))
    if (const std::string_view name = declared_name(text.substr(at + global.size())); !name.empty())
      names.emplace_back(name);
  return names;
}

/// Returns values around the default: powers of two if it is one, else its neighbours.
std::string values_around(std::int64_t value) {
  if (value == 0 || value == 1) return "[0, 1]";
  std::vector<std::int64_t> values = {value};
  if (value > 0 && (value & (value - 1)) == 0) {
    values = {value / 2, value, value * 2};
    if (value >= 64) values = {value / 4, value / 2, value, value * 2};
  }
  return "[" + joined(values) + "]";
}

/// Returns the type of a declaration in the definition's words, if it is known.
std::string type_of(const std::string& declaration) {
  std::string_view rest = declaration;
  rest.remove_suffix(name_of_parameter(declaration).size());
  std::string type;
  while (!rest.empty()) {
    const std::string_view word = leading_word(rest);
    rest.remove_prefix(std::max<std::size_t>(1, word.size()));
    if (word.empty() || word == "const" || word == "volatile" || word.starts_with("__restrict")) continue;
    type += (type.empty() ? "" : " ") + std::string(word);
  }
  return type_named(type) ? type : "";
}

std::string argument_line(const std::string& declaration) {
  const std::string name = name_of_parameter(declaration), type = type_of(declaration);
  const std::string typed = type.empty() ? R"("type": "float")" : format(R"("type": "{}")", type);
  const std::string unknown = type.empty() ? format("  // TODO: the type of '{}'", declaration) : "";
  if (declaration.find('*') == std::string::npos)
    return format(R"(    "{}": {{{}, "value": "n"}},{})", name, typed, unknown);
  if (declaration.find("const") != std::string::npos)
    return format(R"(    "{}": {{{}, "size": "n", "fill": {{"random": [-1, 1]}}}},{})", name, typed, unknown);
  return format(R"(    "{}": {{{}, "size": "n", "access": "write"}},{})", name, typed, unknown);
}

void add_parameters(const std::vector<Macro>& macros, std::string& json) {
  json +=
      "  // Each becomes a macro of the kernel (-D NAME=value). TODO: the values that make sense.\n"
      "  \"parameters\": {\n";
  for (std::size_t i = 0; i < macros.size(); ++i)
    json += format("    \"{}\": {{\"values\": {}, \"default\": {}}}{}\n", macros[i].name,
                   values_around(macros[i].value), macros[i].value, i + 1 < macros.size() ? "," : "");
  if (macros.empty())
    json +=
        "    // The file has no macro with a default (#ifndef BLOCK, #define BLOCK 256): this one the kernel "
        "does\n"
        "    // not know yet, but the launch below uses it.\n"
        "    \"BLOCK\": {\"values\": [64, 128, 256, 512], \"default\": 256}\n";
  json +=
      "  },\n"
      "  // Rules over parameters and sizes that every configuration must keep, in Python's notation.\n"
      "  \"constraints\": [],\n";
}

}  // namespace

std::string first_definition(const std::string& file_name, const std::string& text,
                             const std::string& entry) {
  const std::vector<std::string> kernels = kernels_in(text);
  if (kernels.empty()) throw UsageError(format("{}: there is no __global__ function in it", file_name));
  if (!entry.empty() && std::ranges::find(kernels, entry) == kernels.end())
    throw UsageError(
        format("{}: there is no kernel '{}' in it; there are: {}", file_name, entry, joined(kernels)));
  const std::string kernel = entry.empty() ? kernels.front() : entry;
  const std::vector<Macro> macros = tunable_macros(text);
  const auto threads = std::ranges::find_if(macros, [](const Macro& macro) { return macro.value >= 32; });
  const std::string block = macros.empty() ? "BLOCK" : threads == macros.end() ? "256" : threads->name;
  std::string json = format(
      "{{\n  // What is called --problem's name in the database.\n  \"problem\": \"{}\",\n  \"kernel\": "
      "\"{}\",\n\n"
      "  // TODO: the sizes of the work by name, with what is tuned by default; --size sets others.\n"
      "  \"sizes\": {{\"n\": 1048576}},\n"
      "  // Small and odd ones: a configuration must be right at all of these before it is measured.\n"
      "  \"check\": [{{\"n\": 1}}, {{\"n\": 1003}}],\n\n",
      kernel, file_name);
  add_parameters(macros, json);
  json +=
      "\n  // In the kernel's order. TODO: sizes (formulas over the names above), and what is read "
      "(\"access\": \"read\",\n  // the default, with its \"fill\"), written, or both.\n  \"arguments\": {\n";
  std::string arguments;
  if (const auto declarations = declarations_of(text, kernel); !declarations.empty())
    for (const std::string& declaration : declarations.front())
      arguments += argument_line(declaration) + "\n";
  // JSON has no comma behind the last one.
  if (const std::size_t comma = arguments.rfind("},"); comma != std::string::npos)
    arguments.erase(comma + 1, 1);
  json += arguments + "  },\n\n";
  json += format(
      "  // TODO: the grid in blocks, the block in threads, up to three axes each: [\"ceil_div(nx, BX)\", "
      "\"ny\"].\n"
      "  \"launches\": {{\"entry\": \"{}\", \"grid\": \"ceil_div(n, {})\", \"block\": \"{}\"}},\n\n",
      kernel, block, block);
  json +=
      "  // Without a \"reference\" results are held against those of the default configuration.\n"
      "  // TODO: what the work takes, for rates and the share of the device's limit.\n"
      "  \"work\": {\"items\": \"n\", \"item\": \"element\", \"flops\": 0}\n}\n";
  return json;
}

}  // namespace tune::described
