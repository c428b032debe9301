// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/module/global_names.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "tuner/backends/emulator/module/variant_text.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::emulator {
namespace {

constexpr std::string_view scope = "::";

bool begins_name(std::string_view text) {
  return !text.empty() && is_word(text.front()) &&
         std::isdigit(static_cast<unsigned char>(text.front())) == 0;
}

std::string_view without_end_spaces(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

std::string_view last_word(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return text.substr(begin);
}

/// Words that a name of the global namespace may follow: behind others, `::` belongs to the word.
bool is_keyword(std::string_view word, bool touches) {
  constexpr std::string_view keywords =
      " return case else do const constexpr volatile static inline extern typename typedef using new delete "
      "namespace sizeof throw friend goto operator and or not public private protected virtual ";
  return (!touches && word.starts_with("__")) ||
         keywords.find(" " + std::string(word) + " ") != std::string_view::npos;
}

/// True where `::` behind this text names the global namespace.
bool is_global_behind(std::string_view before) {
  if (before.empty()) return true;
  const std::string_view code = without_end_spaces(before);
  if (code.empty()) return true;
  const bool touches = code.size() == before.size();
  if (is_word(code.back())) return is_keyword(last_word(code), touches);
  return code.back() != ':' && !(touches && code.back() == '>');
}

/// True where a word between these is what a declaration declares.
bool is_declared_between(std::string_view before, std::string_view behind) {
  const std::string_view code = without_end_spaces(before);
  if (code.empty() ||
      !(is_word(code.back()) || std::string_view("*&>,{").find(code.back()) != std::string::npos))
    return false;
  const std::size_t next = behind.find_first_not_of(" \t\r\n");
  return next != std::string_view::npos &&
         std::string_view("(=;[{},:").find(behind[next]) != std::string::npos &&
         !behind.substr(next).starts_with(scope);
}

}  // namespace

GlobalNames::GlobalNames(const CompileRequest& request) {
  const auto has_scopes = [](const SourceFile& file) { return file.text.find(scope) != std::string::npos; };
  if (!has_scopes(request.source) && std::ranges::none_of(request.headers, has_scopes)) return;
  read(request.source.text);
  for (const SourceFile& header : request.headers) read(header.text);
}

void GlobalNames::read(std::string_view text) {
  int depth = 0, brackets = 0;
  std::size_t transparent = 0;  // open braces of `extern "C"` and of enumerations, outside of others
  bool opens = false;           // such a brace may follow
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at), word = leading_word(rest);
    const char letter = rest.front();
    if (word.empty()) {
      if (letter == '{') opens&& depth == 0 ? void(++transparent) : void(++depth);
      if (letter == '}') depth > 0 ? void(--depth) : void(transparent -= transparent > 0 ? 1 : 0);
      if (letter == '(') ++brackets;
      if (letter == ')') brackets = std::max(0, brackets - 1);
      if (letter == '{' || letter == ';' || letter == '(') opens = false;
    } else if (depth == 0 && word == "enum") {
      opens = true;
    } else if (depth == 0 && word == "C" && at > 0 && text[at - 1] == '"') {
      opens = true;
    } else if (depth == 0 && brackets == 0 && begins_name(word) &&
               is_declared_between(text.substr(0, at), text.substr(at + word.size()))) {
      declared_.insert(word);
    }
    at += std::max<std::size_t>(1, word.size());
  }
}

std::string GlobalNames::qualified(std::string text, const std::string& space) const {
  if (declared_.empty()) return text;
  std::string result;
  std::size_t copied = 0;
  const std::string_view all = text;
  for (std::size_t at = all.find(scope); at != std::string::npos; at = all.find(scope, at + scope.size())) {
    const std::size_t name = std::min(all.find_first_not_of(" \t", at + scope.size()), all.size());
    if (!begins_name(all.substr(name)) || !is_global_behind(all.substr(0, at)) ||
        !declared_.contains(leading_word(all.substr(name))))
      continue;
    result += text.substr(copied, at - copied) + "::" + space;
    copied = at;
  }
  return copied == 0 && result.empty() ? text : result + text.substr(copied);
}

}  // namespace tune::emulator
