// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/formula_words.hpp"

#include <algorithm>
#include <set>

#include "kernels/described/formula.hpp"

namespace tune::definition {

using search::ExprToken;

bool is_word(const ExprToken& token) {
  static const std::set<std::string> all = {"and", "or", "not", "if", "else", "for", "in"};
  return token.kind == ExprToken::Kind::name && all.contains(token.text);
}

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> found;
  const std::vector<ExprToken> tokens = search::split_expression(text);
  std::set<std::string> loops;
  for (std::size_t i = 1; i < tokens.size(); ++i)
    if (tokens[i - 1].is("for")) loops.insert(tokens[i].text);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const ExprToken& token = tokens[i];
    if (token.kind != ExprToken::Kind::name || is_word(token) || token.text == "True" ||
        token.text == "False")
      continue;
    if (tokens[i + 1].is("(") || loops.contains(token.text)) continue;
    if (std::ranges::find(found, token.text) == found.end()) found.push_back(token.text);
  }
  return found;
}

}  // namespace tune::definition
