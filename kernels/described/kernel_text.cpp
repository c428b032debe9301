// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/kernel_text.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

std::vector<std::string> quoted_includes(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const auto directive = directive_of(next_line(text));
    if (!directive || directive->name != "include" || !directive->rest.starts_with('"')) continue;
    if (const std::string_view name = included_name(directive->rest); !name.empty()) names.emplace_back(name);
  }
  return names;
}

/// Replaces comments by spaces: a declaration may have some between its parameters.
std::string without_comments(const std::string& text) {
  std::string plain = text;
  for (std::size_t i = 0; i + 1 < plain.size(); ++i) {
    if (plain[i] != '/' || (plain[i + 1] != '/' && plain[i + 1] != '*')) continue;
    const bool line = plain[i + 1] == '/';
    const std::size_t found = plain.find(line ? "\n" : "*/", i + 2);
    const std::size_t end = found == std::string::npos ? plain.size() : found + (line ? 0 : 2);
    for (; i < end; ++i)
      if (plain[i] != '\n') plain[i] = ' ';
  }
  return plain;
}

/// Splits the text between an opening bracket and its closing one at the commas of this level.
std::vector<std::string> split_arguments(const std::string& text, std::size_t at) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ')' && depth == 0) break;
    depth += c == '(' || c == '<' || c == '[' ? 1 : c == ')' || c == '>' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back(trimmed(part));
      part.clear();
    } else {
      part += std::isspace(static_cast<unsigned char>(c)) != 0 ? ' ' : c;
    }
  }
  if (!trimmed(part).empty() && trimmed(part) != "void") parts.emplace_back(trimmed(part));
  return parts;
}

}  // namespace

KernelText read_kernel_text(const std::filesystem::path& file,
                            const std::vector<std::filesystem::path>& folders, const SourceLocation& place) {
  KernelText all;
  const auto source = read_text(file);
  if (!source) place.fail(format("cannot read the kernel's file {}: {}", file.string(), source.error()));
  all.source = {file.filename().string(), *source};
  std::set<std::string> seen;
  std::vector<std::pair<std::string, std::filesystem::path>> open;  // texts and the folders they lie in
  open.emplace_back(*source, file.parent_path());
  while (!open.empty()) {
    const auto [text, folder] = std::move(open.back());
    open.pop_back();
    for (const std::string& name : quoted_includes(text)) {
      if (!seen.insert(name).second) continue;
      std::vector<std::filesystem::path> places = {folder, file.parent_path()};
      places.insert(places.end(), folders.begin(), folders.end());
      for (const std::filesystem::path& where : places) {
        const auto header = read_text(where / name);
        if (!header) continue;
        all.headers.push_back({name, *header});
        open.emplace_back(*header, (where / name).parent_path());
        break;
      }
    }
  }
  return all;
}

std::string replaced(const std::string& text, const std::map<std::string, std::string>& values) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) {
      result += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word = text.substr(i, end - i);
    const auto found = values.find(word);
    result += found == values.end() ? word : found->second;
    i = end;
  }
  return result;
}

std::vector<std::string> kernel_parameters(const std::string& text, const std::string& entry) {
  const std::string plain = without_comments(text);
  const std::string name(trimmed(std::string_view(entry).substr(0, entry.find('<'))));
  if (name.empty()) return {};
  for (std::size_t at = plain.find("__global__"); at != std::string::npos;
       at = plain.find("__global__", at + 1)) {
    // Up to the body or the end of the declaration.
    const std::size_t end = std::min(plain.find('{', at), plain.find(';', at));
    for (std::size_t found = plain.find(name, at + 1); found < end; found = plain.find(name, found + 1)) {
      if (is_word(plain[found - 1]) || is_word(plain[found + name.size()])) continue;
      const std::size_t open = plain.find_first_not_of(" \t\r\n", found + name.size());
      if (open != std::string::npos && plain[open] == '(') return split_arguments(plain, open + 1);
    }
  }
  return {};
}

std::string name_of_parameter(const std::string& declaration) {
  std::string_view text = std::string_view(declaration).substr(0, declaration.find('='));
  text = trimmed(text.substr(0, text.find('[')));
  std::size_t begin = text.size();
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return std::string(text.substr(begin));
}

}  // namespace tune::described
