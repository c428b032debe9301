// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/declared_types.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

struct Token {
  std::string text;  ///< a word, or a single other character
  int line = 0;
};

bool is_struct_word(std::string_view token) {
  return token == "struct" || token == "class" || token == "union";
}

/// True for what may have brackets before the name of a type or variable.
bool is_attribute(std::string_view token) {
  static constexpr std::array<std::string_view, 5> words = {"__align__", "__builtin_align__", "alignas",
                                                            "__attribute__", "__launch_bounds__"};
  return std::ranges::find(words, token) != words.end();
}

bool is_variable_word(std::string_view token) {
  return token == "__constant__" || token == "__device__" || token == "__managed__";
}

/// Joins words as source code does: `const float* p`, `float x[3]`, `q::real`.
std::string joined_tokens(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    const std::string& token = tokens[i].text;
    const bool apart = !text.empty() && is_word(token.front()) && text.back() != '[' && text.back() != ':';
    text += (apart ? " " : "") + token;
  }
  return text;
}

/// Reads the declarations of one file.
class Reader {
 public:
  Reader(const SourceFile& file, DeclaredTypes& types) : file_(file), types_(types) {
    const std::string plain = joined_lines(without_comments(file.text));
    int number = 0;
    for (std::string_view lines = plain; !lines.empty();) {
      const std::string_view line = next_line(lines);
      ++number;
      if (const auto directive = directive_of(line)) {
        if (directive->name == "define") add_macro(*directive);
        types_.packs = types_.packs || (directive->name == "pragma" && directive->word == "pack");
      } else {
        add_tokens(line, number);
      }
    }
  }

  void read() {
    for (place_ = 0; place_ < tokens_.size(); ++place_) {
      const std::string& token = tokens_[place_].text;
      if (token == "namespace") {
        read_namespace();
      } else if (token == "{") {
        scopes_.push_back({});
        scopes_.back().is_block = !std::exchange(is_transparent_, false);
      } else if (token == "}") {
        if (!scopes_.empty()) scopes_.pop_back();
      } else if (token == "enum") {
        read_enum();
      } else if (is_struct_word(token) && (place_ == 0 || at(place_ - 1) != "enum")) {
        read_struct();
      } else if (token == "typedef" || token == "using") {
        read_alias();
      } else if (token == "extern" && at(place_ + 1) == "\"") {
        is_transparent_ = at(place_ + 2) == "{";
      } else if (expand_variables()) {
        --place_;
      } else if (declares_variable(token)) {
        read_variables();
      }
    }
  }

 private:
  struct Scope {
    bool is_block = false;  ///< no namespace: its variables are none of the device's
    std::string name = {};
  };

  std::string_view at(std::size_t place) const {
    return place < tokens_.size() ? std::string_view(tokens_[place].text) : std::string_view();
  }

  void add_macro(const Directive& directive) {
    const std::string name(directive.word);
    if (name.empty()) return;
    const std::string_view rest = directive.rest.substr(name.size());
    const std::string text(trimmed(rest));
    const auto [known, is_new] = types_.macros.emplace(name, DeclaredMacro{text});
    DeclaredMacro& macro = known->second;
    macro.has_commas = macro.has_commas || text.find(',') != std::string::npos;
    if ((is_new || macro.text == text) && !rest.starts_with('(')) return;
    const std::size_t close = text.find(')');
    std::string plain = text;  // without what pastes
    for (std::size_t at = plain.find("##"); at != std::string::npos; at = plain.find("##"))
      plain.erase(at, 2);
    if (is_new && rest.starts_with('(') && close != std::string::npos &&
        plain.find('#') == std::string::npos) {
      macro.parameters = split_arguments(text, 1);
      macro.function = trimmed(std::string_view(text).substr(close + 1));
    } else {
      macro.parameters.reset();
    }
    macro.text.clear();
    macro.is_plain = false;
  }

  /// Texts in quotation marks become one sign.
  void add_tokens(std::string_view line, int number) {
    char last = ' ';
    while (!line.empty()) {
      const char c = line.front();
      const std::string_view word = leading_word(line);
      std::size_t length = std::max<std::size_t>(1, word.size());
      const bool is_separator = c == '\'' && is_word(last);  // 1'000
      last = line[length - 1];
      if ((c == '"' || c == '\'') && !is_separator) {
        while (length < line.size() && line[length] != c) length += line[length] == '\\' ? 2 : 1;
        ++length;
        tokens_.push_back({std::string(1, c), number});
      } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
        tokens_.push_back({std::string(line.substr(0, length)), number});
      }
      line.remove_prefix(std::min(length, line.size()));
    }
  }

  void read_namespace() {
    std::string name;
    std::size_t end = place_ + 1;
    for (; end < tokens_.size() && at(end) != "{" && at(end) != ";" && at(end) != "="; ++end)
      if (at(end) != "inline") name += at(end);
    if (at(end) != "{") return;
    scopes_.push_back({false, name});
    place_ = end;
  }

  /// Returns the place behind the bracket that closes the one here.
  std::size_t behind(std::size_t place) const {
    int depth = 0;
    for (; place < tokens_.size(); ++place) {
      const std::string_view token = at(place);
      depth += token == "{" || token == "(" || token == "["   ? 1
               : token == "}" || token == ")" || token == "]" ? -1
                                                              : 0;
      if (depth <= 0) return place + 1;
    }
    return place;
  }

  /// True for a macro that stands for an attribute.
  bool is_attribute_macro(std::string_view token) const {
    const auto macro = types_.macros.find(token);
    if (macro == types_.macros.end()) return false;
    return std::ranges::any_of(words_in(macro->second.is_plain ? macro->second.text : macro->second.function),
                               is_attribute);
  }

  std::size_t behind_attributes(std::size_t place) const {
    while (place < tokens_.size()) {
      const bool has_word = is_attribute(at(place)) || is_attribute_macro(at(place));
      if (!has_word && at(place) != "[") break;
      if (has_word) ++place;
      if (at(place) == "(" || at(place) == "[") place = behind(place);
    }
    return place;
  }

  void read_struct() {
    const std::size_t name = behind_attributes(place_ + 1);
    if (name + 1 >= tokens_.size() || !is_word(at(name).front())) return;
    if (at(name + 1) != "{" && at(name + 1) != ":") return;
    const bool is_plain =
        at(name + 1) == "{" && at(place_) != "union" && (place_ == 0 || at(place_ - 1) != ">");
    std::string attributes = joined_tokens(tokens_, place_ + 1, name);
    std::size_t open = name + 1;
    while (open < tokens_.size() && at(open) != "{" && at(open) != ";") ++open;
    if (const std::size_t end = behind(open); is_attribute(at(end)) || is_attribute_macro(at(end)))
      attributes += " " + joined_tokens(tokens_, end, behind_attributes(end));
    add_struct(tokens_[name].text,
               {is_plain ? fields_at(name + 1) : std::nullopt, attributes, file_.name, tokens_[place_].line});
  }

  void read_enum() {
    const std::size_t name = place_ + (is_struct_word(at(place_ + 1)) ? 2 : 1);
    if (at(name + 1) == "{" || at(name + 1) == ":") types_.enums.insert(tokens_[name].text);
  }

  void add_struct(const std::string& name, DeclaredStruct made) {
    made.attributes = std::string(trimmed(made.attributes));
    const auto [known, is_new] = types_.structs.emplace(name, made);
    if (!is_new && (known->second.fields != made.fields || known->second.attributes != made.attributes))
      known->second.fields.reset();
  }

  /// Returns the fields of the struct whose bracket opens here.
  std::optional<std::vector<DeclaredField>> fields_at(std::size_t open) const {
    static const std::set<std::string, std::less<>> others = {"static", "using", "typedef", "friend",
                                                              "template"};
    std::vector<DeclaredField> fields;
    const std::size_t end = behind(open) - 1;
    for (std::size_t begin = open + 1; begin < end;) {
      if (at(begin + 1) == ":" &&
          (at(begin) == "public" || at(begin) == "private" || at(begin) == "protected"))
        begin += 2;
      const std::size_t from = begin;
      begin = behind_attributes(begin);
      std::size_t stop = begin;
      bool has_brackets = false;
      for (; stop < end && at(stop) != ";" && at(stop) != "{"; ++stop) {
        if (at(stop) == "<" || at(stop) == "virtual" || is_attribute(at(stop))) return std::nullopt;
        if (at(stop) == "(" && at(stop + 1) == "*") return std::nullopt;
        if (at(stop) == ":" && at(stop + 1) != ":" && at(stop - 1) != ":" && !has_brackets)
          return std::nullopt;
        has_brackets = has_brackets || at(stop) == "(";
      }
      const bool is_other = others.contains(at(begin)) || (is_struct_word(at(begin)) && stop == begin + 2);
      if (at(stop) == "{") {  // of a function, else of a struct or value that is not understood
        if (!has_brackets) return std::nullopt;
        begin = behind(stop) + (at(behind(stop)) == ";" ? 1 : 0);
        continue;
      }
      std::vector<std::string> declared;
      if (!is_other && !has_brackets) add_declarators(begin, stop, declared);
      for (std::string& one : declared)
        fields.push_back({std::move(one), joined_tokens(tokens_, from, begin)});
      begin = stop + 1;
    }
    return fields;
  }

  /// Splits `float x[3], y = 0` into `float x[3]` and `float y`.
  void add_declarators(std::size_t begin, std::size_t end, std::vector<std::string>& to) const {
    std::string type;
    while (begin < end) {
      std::size_t stop = begin, value = end;
      for (int depth = 0; stop < end && (depth > 0 || at(stop) != ","); ++stop) {
        const std::string_view token = at(stop);
        depth += token == "[" || token == "(" || token == "{" || token == "<"   ? 1
                 : token == "]" || token == ")" || token == "}" || token == ">" ? -1
                                                                                : 0;
        if (depth == 0 && (token == "=" || token == "{")) value = std::min(value, stop);
      }
      value = std::min(value, stop);
      to.push_back((type.empty() ? "" : type + " ") + joined_tokens(tokens_, begin, value));
      if (type.empty()) type = type_of_parameter(to.back());
      begin = stop + 1;
    }
  }

  void read_alias() {
    std::size_t end = place_ + 1;
    int depth = 0;
    for (; end < tokens_.size() && (depth > 0 || at(end) != ";"); ++end)
      depth += at(end) == "{" ? 1 : at(end) == "}" ? -1 : 0;
    if (end >= tokens_.size()) return;
    if (at(place_) == "using") {
      if (place_ + 3 >= end || at(place_ + 2) != "=") return;
      if (place_ == 0 || at(place_ - 1) != ">")
        add_alias(tokens_[place_ + 1].text, place_ + 3, end);
      else
        add_alias_template(tokens_[place_ + 1].text, place_ + 3, end);
    } else if (is_word(at(end - 1).front()) && end > place_ + 2) {
      std::size_t open = place_ + 2;
      while (open < end && at(open) != "{") ++open;
      if (open == end || behind_attributes(behind(open)) != end - 1) {
        add_alias(tokens_[end - 1].text, place_ + 1, end - 1);
      } else if (at(place_ + 1) == "enum") {
        types_.enums.insert(tokens_[end - 1].text);
      } else if (is_struct_word(at(place_ + 1))) {
        add_struct(tokens_[end - 1].text, {at(place_ + 1) == "union" ? std::nullopt : fields_at(open),
                                           joined_tokens(tokens_, place_ + 2, behind_attributes(place_ + 2)) +
                                               " " + joined_tokens(tokens_, behind(open), end - 1),
                                           file_.name, tokens_[place_].line});
      }
    }
  }

  void add_alias(const std::string& name, std::size_t begin, std::size_t end) {
    const std::string type = joined_tokens(tokens_, begin, end);
    const auto [known, is_new] = types_.aliases.emplace(name, type);
    if (!is_new && known->second != type) known->second.clear();
  }

  /// The template's parameters stand before the place.
  void add_alias_template(const std::string& name, std::size_t begin, std::size_t end) {
    std::size_t open = place_ - 1;
    for (int depth = 0; open > 0; --open) {
      depth += at(open) == ">" ? 1 : at(open) == "<" ? -1 : 0;
      if (depth == 0) break;
    }
    if (open == 0 || at(open - 1) != "template") return;
    AliasTemplate made{{}, joined_tokens(tokens_, begin, end)};
    for (const std::string& one : split_arguments(joined_tokens(tokens_, open + 1, place_ - 1), 0))
      made.parameters.push_back(name_of_parameter(one));
    const auto [known, is_new] = types_.alias_templates.emplace(name, made);
    if (!is_new && (known->second.type != made.type || known->second.parameters != made.parameters))
      known->second.type.clear();
  }

  /// Also for macros that stand for `__constant__`.
  bool declares_variable(std::string_view token) const {
    if (std::ranges::any_of(scopes_, &Scope::is_block)) return false;
    if (is_variable_word(token)) return true;
    const auto macro = types_.macros.find(token);
    return macro != types_.macros.end() && macro->second.is_plain &&
           words_in(macro->second.text).contains("__constant__");
  }

  /// Puts the text of a macro that declares variables, `TABLE(weights, 64)`, in place of its call here.
  bool expand_variables() {
    const auto macro = types_.macros.find(at(place_));
    if (macro == types_.macros.end() || !macro->second.parameters || at(place_ + 1) != "(" ||
        std::ranges::any_of(scopes_, &Scope::is_block) ||
        std::ranges::none_of(words_in(macro->second.function), is_variable_word) ||
        macro->second.function.find('(') != std::string::npos || expansions_ == most_expansions)
      return false;
    ++expansions_;
    const std::size_t end = behind(place_ + 1);
    const int line = tokens_[place_].line;
    const std::string text = types_.expanded(joined_tokens(tokens_, place_, end));
    std::vector<Token> rest(tokens_.begin() + static_cast<std::ptrdiff_t>(end), tokens_.end());
    tokens_.resize(place_);
    add_tokens(text + (rest.empty() || rest.front().text != ";" ? ";" : ""), line);
    tokens_.insert(tokens_.end(), rest.begin(), rest.end());
    return true;
  }

  /// Up to a semicolon; functions have brackets before it.
  void read_variables() {
    std::size_t begin = place_ + 1;
    for (bool more = true; more;) {
      const std::size_t from = begin;
      begin = behind_attributes(begin);
      while (is_variable_word(at(begin)) || at(begin) == "static" || at(begin) == "extern" ||
             at(begin) == "constexpr" || at(begin) == "inline")
        ++begin;
      more = begin != from;
    }
    std::size_t end = begin;
    for (; end < tokens_.size() && at(end) != ";"; ++end) {
      if (at(end) == "(") return;
      if (at(end) == "[") end = behind(end) - 1;
      if (at(end) != "=" && at(end) != "{") continue;
      while (end < tokens_.size() && at(end) != ";") end = at(end) == "{" ? behind(end) : end + 1;
      break;
    }
    std::string scope;
    for (const Scope& one : scopes_)
      if (!one.name.empty()) scope += one.name + "::";
    std::vector<std::string> declared;
    add_declarators(begin, end, declared);
    for (std::string& one : declared)
      types_.variables.push_back({scope + name_of_parameter(one), one, file_.name, tokens_[place_].line});
    place_ = end;
  }

  const SourceFile& file_;
  DeclaredTypes& types_;
  std::vector<Token> tokens_ = {};
  std::vector<Scope> scopes_ = {};
  std::size_t place_ = 0;
  bool is_transparent_ = false;                         ///< `extern "C"` stood last
  static constexpr std::size_t most_expansions = 1000;  ///< nested calls may double each time
  std::size_t expansions_ = 0;
};

/// Puts arguments in place of the parameters that stand for them.
std::string with_arguments(const std::string& text, const std::vector<std::string>& parameters,
                           const std::vector<std::string>& arguments) {
  std::map<std::string, std::string> values;
  for (std::size_t i = 0; i < parameters.size(); ++i) values.emplace(parameters[i], arguments[i]);
  return replaced(text, values);
}

/// Replaces the first call of a function-like macro; returns false where there is none.
bool expand_call(std::string& text, const std::map<std::string, DeclaredMacro, std::less<>>& macros) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::string_view word = leading_word(std::string_view(text).substr(begin));
    if (word.empty()) {
      ++begin;
      continue;
    }
    const std::size_t open = text.find_first_not_of(' ', begin + word.size());
    const auto macro = macros.find(word);
    if (macro == macros.end() || !macro->second.parameters || open == std::string::npos ||
        text[open] != '(') {
      begin += word.size();
      continue;
    }
    int depth = 0;
    std::size_t close = open;
    for (; close < text.size(); ++close) {
      depth += text[close] == '(' ? 1 : text[close] == ')' ? -1 : 0;
      if (depth == 0) break;
    }
    const std::vector<std::string> arguments = split_arguments(text, open + 1);
    if (close == text.size() || arguments.size() != macro->second.parameters->size()) return false;
    std::string made = with_arguments(macro->second.function, *macro->second.parameters, arguments);
    for (std::size_t at = made.find("##"); at != std::string::npos; at = made.find("##"))
      made = std::string(trimmed(std::string_view(made).substr(0, at))) +
             std::string(trimmed(std::string_view(made).substr(at + 2)));
    text.replace(begin, close + 1 - begin, made);
    return true;
  }
  return false;
}

}  // namespace

std::string DeclaredTypes::resolved(std::string type) const {
  std::string pointers;
  for (int steps = 0; steps < 16; ++steps) {
    if (type.starts_with("struct ")) type.erase(0, 7);
    if (const std::size_t colons = type.rfind("::"); colons != std::string::npos && !type.ends_with('>'))
      type = std::string(trimmed(std::string_view(type).substr(colons + 2)));
    const std::size_t open = type.find('<');
    const auto made = open == std::string::npos || !type.ends_with('>')
                          ? alias_templates.end()
                          : alias_templates.find(trimmed(std::string_view(type).substr(0, open)));
    if (made != alias_templates.end()) {
      const std::vector<std::string> arguments = template_arguments(type);
      if (arguments.size() != made->second.parameters.size()) break;
      type = expanded(with_arguments(made->second.type, made->second.parameters, arguments));
    } else {
      const auto alias = aliases.find(type);
      // `using int32_t = std::int32_t;` in a namespace
      if (alias == aliases.end() || alias->second.ends_with("::" + type)) break;
      type = expanded(alias->second);
    }
    if (type.starts_with("const ")) type.erase(0, 6);
    for (; type.ends_with('*'); type = std::string(trimmed(type.substr(0, type.size() - 1)))) pointers += '*';
  }
  return type + pointers;
}

std::string DeclaredTypes::expanded(std::string text) const {
  for (int steps = 0; steps < 16; ++steps) {
    std::map<std::string, std::string> values;
    for (const std::string& word : words_in(text)) {
      const auto macro = macros.find(word);
      if (macro != macros.end() && macro->second.is_plain) values.emplace(word, macro->second.text);
    }
    if (!values.empty())
      text = replaced(text, values);
    else if (!expand_call(text, macros))
      break;
    if (text.size() > 10'000) break;
  }
  return text;
}

bool DeclaredTypes::hides_arguments(std::string_view text) const {
  if (text.find('#') != std::string_view::npos) return true;
  return std::ranges::any_of(words_in(text), [&](const std::string& word) {
    const auto macro = macros.find(word);
    return macro != macros.end() && macro->second.has_commas && !macro->second.is_plain;
  });
}

std::vector<const DeclaredVariable*> DeclaredTypes::variables_named(std::string_view name) const {
  std::vector<const DeclaredVariable*> exact, others;
  if (name.starts_with("::")) name.remove_prefix(2);
  for (const DeclaredVariable& variable : variables) {
    if (variable.name == name) exact.push_back(&variable);
    if (variable.name.ends_with("::" + std::string(name))) others.push_back(&variable);
  }
  return exact.empty() ? others : exact;
}

DeclaredTypes declared_types(const KernelText& text) {
  DeclaredTypes types;
  // Macros of all files first: headers declare those that the source uses.
  std::vector<Reader> readers;
  readers.reserve(text.headers.size() + 1);
  readers.emplace_back(text.source, types);
  for (const SourceFile& header : text.headers) readers.emplace_back(header, types);
  for (Reader& reader : readers) reader.read();
  return types;
}

}  // namespace tune::described
