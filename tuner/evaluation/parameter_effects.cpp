// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/parameter_effects.hpp"

#include <algorithm>
#include <optional>

#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune {
namespace {

bool has_word(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(line[at - 1])) && (end == line.size() || !is_word(line[end]))) return true;
  }
  return false;
}

/// `k.cu:12`, the first line that has the word.
std::optional<std::string> place_in(const SourceFile& file, std::string_view word) {
  std::string_view rest = file.text;
  for (int line = 1; !rest.empty(); ++line)
    if (has_word(next_line(rest), word)) return format("{}:{}", file.name, line);
  return std::nullopt;
}

std::string place_of(const CompileRequest& request, std::string_view word) {
  if (const auto place = place_in(request.source, word)) return *place;
  for (const SourceFile& header : request.headers)
    if (const auto place = place_in(header, word)) return *place;
  return {};
}

}  // namespace

void ParameterEffects::add(const search::Configuration& configuration, const std::string& code) {
  for (const auto& [name, value] : configuration.entries()) {
    search::Configuration others;
    for (const auto& [other, its_value] : configuration.entries())
      if (other != name) others.set(other, its_value);
    Pairs& pairs = by_parameter_[name];
    if (pairs.differ) continue;
    const auto [known, is_new] = pairs.code_of.emplace(others.key(), code);
    if (is_new) continue;
    pairs.differ = known->second != code;
    ++pairs.equal;
    if (pairs.differ) pairs.code_of.clear();
  }
}

std::vector<ParameterEffects::WithoutEffect> ParameterEffects::without_effect(std::uint64_t min_pairs) const {
  std::vector<WithoutEffect> all;
  for (const auto& [name, pairs] : by_parameter_)
    if (!pairs.differ && pairs.equal >= min_pairs && std::ranges::find(told_, name) == told_.end())
      all.push_back({name, pairs.equal});
  return all;
}

std::string to_text(const std::vector<ParameterEffects::WithoutEffect>& all, const CompileRequest& request) {
  std::string text;
  for (const auto& [parameter, pairs] : all) {
    const std::string place = place_of(request, parameter);
    text += format("{}parameter '{}' changed nothing in {} pairs of configurations that differ in it alone{}",
                   text.empty() ? "" : "; ", parameter, pairs,
                   place.empty() ? "" : format(" (named first in {})", place));
  }
  return text;
}

}  // namespace tune
