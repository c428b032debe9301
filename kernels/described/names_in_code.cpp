// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/names_in_code.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

#include "search/expressions/nearest.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

using FoundNames = std::map<std::string, NameInCode, std::less<>>;

bool is_name(std::string_view token) {
  return is_word(token.front()) && std::isdigit(static_cast<unsigned char>(token.front())) == 0;
}

/// True for a word beside which a declaration needs a type.
bool is_qualifier(std::string_view token) {
  static constexpr std::array<std::string_view, 12> words = {
      "const",   "volatile", "static",   "inline", "extern",  "constexpr",
      "mutable", "register", "template", "friend", "virtual", "__restrict"};
  return std::ranges::find(words, token) != words.end() || (token.starts_with("__") && token.ends_with("__"));
}

/// True for a word that stands before a value that is used, not declared.
bool begins_expression(std::string_view token) {
  static constexpr std::array<std::string_view, 15> words = {
      "return", "case",      "else", "do", "goto", "new", "delete", "sizeof",
      "throw",  "co_return", "and",  "or", "xor",  "not", "alignof"};
  return std::ranges::find(words, token) != words.end();
}

/// True for the name of a type that every compiler knows: what follows `float *` is declared.
bool is_basic_type(std::string_view token) {
  static constexpr std::array<std::string_view, 12> words = {"int",   "unsigned", "signed", "long",
                                                             "short", "char",     "float",  "double",
                                                             "half",  "bool",     "void",   "auto"};
  return std::ranges::find(words, token) != words.end() || token.ends_with("_t");
}

/// Finds the declarations in the words of a file, which come one after another.
class Declarations {
 public:
  Declarations(const std::string& file, FoundNames& names) : file_(file), names_(names) {}

  void take(std::string_view token, int line) {
    if (is_name(token)) {
      NameInCode& name = names_[std::string(token)];
      if (name.declared_in.empty() && is_declared()) {
        name.declared_in = file_;
        name.line = line;
        for (const std::string& word : declaration_) name.declaration += word + ' ';
        name.declaration += token;
      }
      if (begins_statement_ && is_declared() && !is_basic_type(token)) {
        type_ = declaration_;
        while (!type_.empty() && !is_name(type_.back())) type_.pop_back();
        depth_ = 0;
      }
    }
    if (is_name(token) || token == "*" || token == "&" || token == ":") {
      declaration_.emplace_back(token);
      last_ = token.front();
    } else {
      end_declaration(token);
    }
  }

 private:
  /// In `float *a, *b;` what follows the comma has the type of what stands before it.
  void end_declaration(std::string_view sign) {
    declaration_.clear();
    const char c = sign.front();
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth_;
    if (c == ')' || c == ']' || c == '}' || (c == '>' && last_ != '-')) --depth_;
    begins_statement_ = c == ';' || c == '{' || c == '}';
    if (c == ';' || depth_ < 0) type_.clear();
    if (c == ',' && depth_ == 0 && !type_.empty()) {
      declaration_ = type_;
      begins_statement_ = true;
    }
    last_ = c;
  }

  /// True where the words before are those of a type.
  bool is_declared() const {
    if (declaration_.empty()) return false;
    const bool is_address = declaration_.back() == "*" || declaration_.back() == "&";
    if (!is_address)
      return is_name(declaration_.back()) && std::ranges::none_of(declaration_, begins_expression) &&
             std::ranges::any_of(
                 declaration_, [](const std::string& word) { return is_name(word) && !is_qualifier(word); });
    const auto type = std::find_if(declaration_.rbegin(), declaration_.rend(),
                                   [](const std::string& word) { return is_name(word); });
    return type != declaration_.rend() && is_basic_type(*type);
  }

  const std::string& file_;
  FoundNames& names_;
  std::vector<std::string> declaration_ = {};  ///< words since the last bracket or sign
  bool begins_statement_ = true;               ///< where these words began
  std::vector<std::string> type_ = {};         ///< of the statement's names
  int depth_ = 0;                              ///< of brackets since the first of them
  char last_ = ';';
};

/// Returns the length of the sign, or of the text in quotation marks, at the beginning of the line.
std::size_t length_of_sign(std::string_view line) {
  if (line.front() != '"') return 1;
  std::size_t end = 1;
  while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
  return std::min(end + 1, line.size());
}

void find_names(const SourceFile& file, FoundNames& names) {
  Declarations declarations(file.name, names);
  const std::string plain = without_comments(file.text);
  int number = 0;
  bool continues = false;  // a directive goes on
  for (std::string_view lines = plain; !lines.empty();) {
    std::string_view line = next_line(lines);
    ++number;
    const bool is_directive = continues || directive_of(line).has_value();
    continues = is_directive && line.ends_with('\\');
    while (!line.empty()) {
      const std::string_view word = leading_word(line);
      const std::size_t length = word.empty() ? length_of_sign(line) : word.size();
      const std::string_view token = line.substr(0, length);
      line.remove_prefix(length);
      if (std::isspace(static_cast<unsigned char>(token.front())) != 0) continue;
      if (!is_directive)
        declarations.take(token, number);
      else if (is_name(token))
        names[std::string(token)].in_directive = true;
    }
  }
}

int line_at(const std::string& text, std::size_t place) {
  return 1 +
         static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
}

}  // namespace

std::map<std::string, NameInCode, std::less<>> names_in_code(const KernelText& text) {
  FoundNames names;
  find_names(text.source, names);
  for (const SourceFile& header : text.headers) find_names(header, names);
  return names;
}

std::vector<KernelPlace> kernels_in(const KernelText& text) {
  std::vector<KernelPlace> places;
  const auto add = [&](const SourceFile& file) {
    const std::string plain = without_comments(file.text);
    for (std::size_t at = plain.find(text.mark); at != std::string::npos;
         at = plain.find(text.mark, at + 1)) {
      std::string_view rest = std::string_view(plain).substr(at);
      rest = rest.substr(0, rest.find_first_of("{;"));
      while (!rest.empty()) {
        const std::string_view word = leading_word(rest);
        const auto place = static_cast<std::size_t>(rest.data() - plain.data());
        rest.remove_prefix(std::max<std::size_t>(1, word.size()));
        // Attributes and macros of them stand before the name.
        if (word.empty() || word.starts_with("__") || !trimmed(rest).starts_with('(')) continue;
        if (std::ranges::find(places, word, &KernelPlace::name) == places.end())
          places.push_back({std::string(word), file.name, line_at(plain, place)});
        break;
      }
    }
  };
  add(text.source);
  for (const SourceFile& header : text.headers) add(header);
  return places;
}

std::string no_kernel(const std::string& wanted, const std::vector<KernelPlace>& known) {
  std::vector<std::string> names;
  for (const KernelPlace& one : known) names.push_back(one.name);
  return format("there is no kernel '{}'{}; there are: {}", wanted, search::did_you_mean(wanted, names),
                joined(known, [](const KernelPlace& one) {
                  return format("{} ({}:{})", one.name, one.file, one.line);
                }));
}

}  // namespace tune::described
