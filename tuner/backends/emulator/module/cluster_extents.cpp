// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/module/cluster_extents.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "tuner/plan/directives.hpp"

namespace tune::emulator {
namespace {

constexpr std::string_view attribute_name = "__cluster_dims__";

using NameSet = std::set<std::string, std::less<>>;

/// Returns the length of what stands in brackets at the beginning, with the brackets; 0 where there are none.
std::size_t length_in_brackets(std::string_view text, char opening, char closing) {
  if (!text.starts_with(opening)) return 0;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == opening) ++depth;
    if (text[at] == closing && --depth == 0) return at + 1;
  }
  return text.size();
}

template<class Function>
void each_file(const CompileRequest& request, const Function& function) {
  function(request.source);
  for (const SourceFile& header : request.headers) function(header);
}

/// The macros of the sources, and which of them have the attribute.
struct Macros {
  NameSet all, with_attribute;
};

Macros macros_of(const CompileRequest& request) {
  Macros macros;
  macros.with_attribute.emplace(attribute_name);
  for (std::size_t known = 0; known != macros.with_attribute.size();) {
    known = macros.with_attribute.size();
    each_file(request, [&](const SourceFile& file) {
      std::string whole;
      for (std::string_view rest = file.text; !rest.empty();) {
        whole += next_line(rest);
        if (whole.ends_with('\\')) {
          whole.back() = ' ';
          continue;
        }
        if (const auto directive = directive_of(whole); directive && directive->name == "define") {
          macros.all.emplace(directive->word);
          if (has_word(directive->rest, macros.with_attribute))
            macros.with_attribute.emplace(directive->word);
        }
        whole.clear();
      }
    });
  }
  return macros;
}

/// The first word that brackets follow, but for attributes and macros; empty where there is none in the
/// declaration.
std::string_view kernel_behind(std::string_view text, const Macros& macros) {
  while (true) {
    text = trimmed(text);
    const std::string_view word = leading_word(text);
    if (word.empty()) return {};
    text = trimmed(text.substr(word.size()));
    if (!text.starts_with('(')) continue;
    if (!word.starts_with("__") && !macros.all.contains(word)) return word;
    text.remove_prefix(length_in_brackets(text, '(', ')'));
  }
}

/// The parameters of the template whose declaration this is the beginning of.
std::string_view template_parameters(std::string_view before) {
  before.remove_prefix(before.find_last_of(";}") + 1);
  const std::size_t begin = before.rfind("template");
  if (begin == std::string_view::npos) return {};
  const std::string_view list = trimmed(before.substr(begin + std::string_view("template").size()));
  const std::size_t length = length_in_brackets(list, '<', '>');
  return length < 2 ? std::string_view() : list.substr(1, length - 2);
}

void add_marks(std::vector<ClusterMark>& marks, const SourceFile& file, const Macros& macros) {
  const std::string_view text = file.text;
  bool continues = false;
  for (std::size_t begin = 0, number = 1; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const bool is_code = !continues && !directive_of(line);
    continues = (continues || !is_code) && line.ends_with('\\');
    for (std::size_t at = begin; is_code && at < end;) {
      const std::string_view word = leading_word(text.substr(at, end - at));
      if (macros.with_attribute.contains(word)) {
        const std::string_view behind = text.substr(at + word.size());
        const std::size_t arguments = length_in_brackets(behind, '(', ')');
        if (const std::string_view kernel = kernel_behind(behind.substr(arguments), macros); !kernel.empty())
          marks.push_back({file.name, number, std::string(kernel),
                           std::string(text.substr(at, word.size() + arguments)),
                           std::string(template_parameters(text.substr(0, at)))});
      }
      at += std::max<std::size_t>(1, word.size());
    }
    begin = end + 1;
  }
  for (ClusterMark& mark : marks) std::ranges::replace(mark.attribute, '\n', ' ');
}

}  // namespace

std::vector<ClusterMark> cluster_marks(const CompileRequest& request) {
  std::vector<ClusterMark> marks;
  bool any = false;
  each_file(request, [&](const SourceFile& file) {
    any = any || file.text.find(attribute_name) != std::string::npos;
  });
  if (!any) return marks;
  const Macros macros = macros_of(request);
  each_file(request, [&](const SourceFile& file) { add_marks(marks, file, macros); });
  return marks;
}

}  // namespace tune::emulator
