// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/module/compiler_errors.hpp"

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>
#include <vector>

#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

/// Drops what is of this program and not of the kernel: names of temporary files and namespaces, and the
/// keywords of the errors that the emulator puts into sources.
std::string without_inner_names(const std::string& line) {
  static const std::regex inner(
      R"(/[^\s:']*tune-emulator-[^\s:'/]*/[\w.]+:(\d+:)*\s*|(/[^\s:]*/)?(batch\d[\w]*|cc\w{6})\.\w+:(\d+:)*\s*|tune_variant_\d+_::|\{anonymous\}::|\(anonymous namespace\)::|#error tune: )");
  return std::regex_replace(line, inner, "");
}

/// True where a name is not known, which a header may declare.
bool is_of_unknown_name(const std::string& log) {
  constexpr std::string_view errors[] = {"not declared",      "not been declared",  "does not name a type",
                                         "is not a member",   "is not a namespace", "not a class",
                                         "no template named", "is not a template",  "not a type"};
  return std::ranges::any_of(errors,
                             [&](std::string_view one) { return log.find(one) != std::string::npos; });
}

/// The headers in a module's text that the emulator lacks.
std::vector<std::string> missing_headers(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find(header_is_missing); at != std::string::npos;
       at = text.find(header_is_missing, at)) {
    at += header_is_missing.size();
    std::string name = text.substr(at, text.find('\n', at) - at);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

/// Returns the name with its aliases of namespaces in the text resolved: `cg::x` is `cooperative_groups::x`.
std::string without_aliases(std::string name, const std::string& text) {
  static const std::regex alias(R"(\bnamespace\s+(\w+)\s*=\s*(?:::)?\s*([\w:]+)\s*;)");
  std::map<std::string, std::string> aliases;
  for (std::sregex_iterator one(text.begin(), text.end(), alias), end; one != end; ++one)
    aliases.emplace((*one)[1], (*one)[2]);
  for (std::size_t steps = 0; steps <= aliases.size(); ++steps) {
    const std::size_t size = std::min(name.find("::"), name.size());
    const auto found = aliases.find(name.substr(0, size));
    if (found == aliases.end()) break;
    name.replace(0, size, found->second);
  }
  return name;
}

/// Returns the member of a namespace of CUDA that the errors miss, by its full name, or nothing.
std::string missing_member(const std::string& log, const std::string& text) {
  static const std::regex member(
      R"('(\w+)' (?:is not a member of|in namespace|is not a class template in|is not a template in) '([\w:{}]+)')");
  static const std::regex of_cuda(R"((cooperative_groups|cuda|nvcuda|cub|hipcub|thrust)\b[\w:]*)");
  for (std::sregex_iterator one(log.begin(), log.end(), member), end; one != end; ++one) {
    const std::string scope = without_aliases(without_inner_names((*one)[2]), text);
    if (std::regex_match(scope, of_cuda)) return scope + "::" + (*one)[1].str();
  }
  return {};
}

}  // namespace

std::string first_errors(const std::string& log) {
  std::istringstream lines(log);
  std::vector<std::string> errors;
  for (std::string line; std::getline(lines, line) && errors.size() < 3;)
    if (line.find("error:") != std::string::npos || line.find("Error:") != std::string::npos)
      errors.push_back(without_inner_names(line));
  return errors.empty() ? without_inner_names(log.substr(0, 500)) : joined(errors, {}, "; ");
}

std::string without_notes(const std::string& log) {
  constexpr std::size_t longest = 2000;  // of a line: regular expressions read them
  std::istringstream lines(log);
  std::string text;
  for (std::string line; std::getline(lines, line);)
    if (line.find("note: disable pass") == std::string::npos) text += line.substr(0, longest) + "\n";
  return text;
}

std::string lacking(const std::string& log, const std::string& text) {
  if (log.find("tune_inline_ptx_without_host_twin") != std::string::npos)
    return "inline PTX without a host twin: give the helper one under #ifdef TUNE_EMULATOR";
  std::smatch match;
  static const std::regex header(R"(tune_cannot_emulate: ([^\n]*))");
  if (std::regex_search(log, match, header)) return match[1];
  static const std::regex intrinsic(
      R"('(__\w+|malloc|free|alloca|this_multi_grid|multi_grid_group|Block(?:RunLengthDecode|RadixRank)|cooperative_groups|nvcuda|cuda|(?:cuda|hip)[A-Z]\w*|(?:surf|tex|nv)\w+)'[^\n]*(?:not declared|not been declared|not a namespace))");
  const std::vector<std::string> without = missing_headers(text);
  static const std::regex space(
      R"('(cooperative_groups|nvcuda|cuda|cub|thrust)' (?:has not|was not|is not))");
  if (std::regex_search(log, match, space) && !without.empty())
    return format("the emulator has no header {}", joined(without));
  if (std::regex_search(log, match, intrinsic)) return format("the emulator has no {}", match[1].str());
  static const std::regex library(
      R"('(\w+)' (?:is not a member of|in namespace) 'std'|'((?:cuda::)?std::\w+)' has not been declared)");
  if (std::regex_search(log, match, library))
    return format("the emulator has no {}", match[1].matched ? "std::" + match[1].str() : match[2].str());
  if (const std::string name = missing_member(log, text); !name.empty())
    return format("the emulator has no {}", name);
  static const std::regex halves(
      R"(no match for '(operator[^']*)' \(operand types? (?:is|are) '(?:const )?(half2?|__half2?|__nv_bfloat162?)\b)");
  if (std::regex_search(log, match, halves))
    return format("the emulator has no {} of {}", match[1].str(), match[2].str());
  if (log.find("relocation truncated to fit") != std::string::npos)
    return "the emulator has no variables of more than 2 GB";
  if (text.find("<<<") != std::string::npos && log.find("before '<' token") != std::string::npos)
    return "the emulator has no kernels that launch kernels";
  if (!without.empty() && is_of_unknown_name(log))
    return format("the emulator has no header {}: {}", joined(without), first_errors(log));
  return {};
}

}  // namespace tune::emulator
