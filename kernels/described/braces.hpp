// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>
#include <cstddef>
#include <string>

namespace tune::described {

/// Calls `use(begin, end, name)` for each name in braces: `{out}`, `{out.reference}`. Other braces are text,
/// as are those of `${NAME}`, which a shell reads.
template<class Use>
void for_each_brace(const std::string& text, const Use& use) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  for (std::size_t begin = text.find('{'); begin != std::string::npos; begin = text.find('{', begin + 1)) {
    std::size_t end = begin + 1;
    while (end < text.size() && is_part(text[end])) ++end;
    const bool is_name = (begin == 0 || text[begin - 1] != '$') && end > begin + 1 && end < text.size() &&
                         text[end] == '}' && std::isdigit(static_cast<unsigned char>(text[begin + 1])) == 0;
    if (is_name) use(begin, end + 1, text.substr(begin + 1, end - begin - 1));
  }
}

/// Replaces each name in braces by what `value_of` returns for it.
template<class ValueOf>
std::string with_values(const std::string& text, const ValueOf& value_of) {
  std::string replaced;
  std::size_t from = 0;
  for_each_brace(text, [&](std::size_t begin, std::size_t end, const std::string& name) {
    replaced += text.substr(from, begin - from) + value_of(name);
    from = end;
  });
  return replaced + text.substr(from);
}

}  // namespace tune::described
