// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source/conditions.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

bool begins_word(char c) {
  return is_word(c) && (c < '0' || c > '9');
}

/// Removes and returns the next word, number or operator.
std::string_view next_token(std::string_view& text) {
  text = trimmed(text);
  if (text.empty()) return {};
  std::size_t length = std::max<std::size_t>(1, leading_word(text).size());
  if (text.front() == '"' || text.front() == '\'') {
    const std::size_t end = text.find(text.front(), 1);
    length = end == std::string_view::npos ? text.size() : end + 1;
  }
  for (const std::string_view sign : {"&&", "||", "==", "!=", "<=", ">=", "<<", ">>"})
    if (text.starts_with(sign)) length = sign.size();
  const std::string_view token = text.substr(0, length);
  text.remove_prefix(length);
  return token;
}

std::optional<std::int64_t> whole_number(std::string_view token) {
  while (!token.empty() && std::string_view("uUlL").find(token.back()) != std::string_view::npos)
    token.remove_suffix(1);
  int base = 10;
  if (token.starts_with("0x") || token.starts_with("0X")) {
    base = 16;
    token.remove_prefix(2);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value, base);
  if (error != std::errc() || end != token.data() + token.size()) return std::nullopt;
  return value;
}

/// Evaluates a condition by precedence; wraps around beyond 64 bits.
class ConditionReader {
 public:
  using Number = std::int64_t;

  ConditionReader(std::string_view text, const MacroValues& macros,
                  const std::function<void(std::string_view)>& undefined)
      : rest_(text), macros_(macros), undefined_(undefined) {
    advance();
  }

  std::optional<std::int64_t> read() {
    const Number value = choice();
    if (!token_.empty() || failed_) return std::nullopt;
    return value;
  }

 private:
  void advance() { token_ = next_token(rest_); }
  bool take(std::string_view sign) {
    if (token_ != sign) return false;
    advance();
    return true;
  }
  Number fail() {
    failed_ = true;
    token_ = {};
    rest_ = {};
    return 0;
  }

  Number choice() {
    if (++depth_ > max_depth) return fail();
    const Number condition = binary(1);
    Number value = condition;
    if (take("?")) {
      const Number yes = choice();
      if (!take(":")) fail();
      const Number no = choice();
      value = condition != 0 ? yes : no;
    }
    --depth_;
    return value;
  }

  static int precedence(std::string_view sign) {
    static const std::map<std::string_view, int> known = {
        {"||", 1}, {"or", 1}, {"&&", 2}, {"and", 2}, {"|", 3},  {"^", 4},  {"&", 5},
        {"==", 6}, {"!=", 6}, {"<", 7},  {">", 7},   {"<=", 7}, {">=", 7}, {"<<", 8},
        {">>", 8}, {"+", 9},  {"-", 9},  {"*", 10},  {"/", 10}, {"%", 10}};
    const auto found = known.find(sign);
    return found == known.end() ? 0 : found->second;
  }

  Number binary(int lowest) {
    if (++depth_ > max_depth) return fail();
    Number left = unary();
    for (int level = precedence(token_); level >= lowest && !failed_; level = precedence(token_)) {
      const std::string_view sign = token_;
      advance();
      left = applied(sign, left, binary(level + 1));
    }
    --depth_;
    return left;
  }

  Number applied(std::string_view sign, Number a, Number b) {
    const auto wrapped = [](std::uint64_t value) { return static_cast<Number>(value); };
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    if (sign == "||" || sign == "or") return a != 0 || b != 0;
    if (sign == "&&" || sign == "and") return a != 0 && b != 0;
    if (sign == "|") return a | b;
    if (sign == "^") return a ^ b;
    if (sign == "&") return a & b;
    if (sign == "==") return a == b;
    if (sign == "!=") return a != b;
    if (sign == "<") return a < b;
    if (sign == ">") return a > b;
    if (sign == "<=") return a <= b;
    if (sign == ">=") return a >= b;
    if (sign == "<<") return b < 0 || b > 63 ? 0 : wrapped(x << y);
    if (sign == ">>") return b < 0 || b > 63 ? 0 : a >> b;
    if (sign == "+") return wrapped(x + y);
    if (sign == "-") return wrapped(x - y);
    if (sign == "*") return wrapped(x * y);
    if (b == 0) return fail();
    if (b == -1) return sign == "/" ? wrapped(0 - x) : 0;
    return sign == "/" ? a / b : a % b;
  }

  Number unary() {
    if (++depth_ > max_depth) return fail();
    Number value = 0;
    if (take("!") || take("not"))
      value = unary() == 0;
    else if (take("-"))
      value = static_cast<Number>(0 - static_cast<std::uint64_t>(unary()));
    else if (take("+"))
      value = unary();
    else if (take("~"))
      value = ~unary();
    else
      value = primary();
    --depth_;
    return value;
  }

  Number primary() {
    if (take("(")) {
      const Number value = choice();
      return take(")") ? value : fail();
    }
    const std::string_view token = token_;
    if (token.empty() || !is_word(token.front())) return fail();
    advance();
    if (!begins_word(token.front())) {
      const auto number = whole_number(token);
      if (number) return *number;
      return fail();
    }
    if (token == "defined") {
      const bool bracket = take("(");
      const std::string_view name = token_;
      advance();
      if (bracket && !take(")")) return fail();
      return macros_.contains(name);
    }
    if (token_ == "(") return fail();  // a macro with parameters
    const auto macro = macros_.find(token);
    if (macro == macros_.end()) {
      if (undefined_ && token != "true" && token != "false") undefined_(token);
      return token == "true";
    }
    return value_of(*macro);
  }

  /// The value of a macro: its text is read as an expression of its own.
  Number value_of(const MacroValues::value_type& macro) {
    if (depth_ + 1 > max_depth || ++expansions_ > max_expansions) return fail();
    const std::string_view rest = rest_, token = token_;
    rest_ = macro.second;
    advance();
    const Number value = choice();
    if (!token_.empty()) fail();
    if (failed_) return 0;
    rest_ = rest;
    token_ = token;
    return value;
  }

  static constexpr int max_depth = 200, max_expansions = 2000;
  std::string_view rest_, token_ = {};
  const MacroValues& macros_;
  const std::function<void(std::string_view)>& undefined_;
  int depth_ = 0, expansions_ = 0;
  bool failed_ = false;
};

/// Lines of a text with continued ones joined, and where each begins and ends in it.
struct Line {
  std::string text;
  std::size_t begin = 0, end = 0;
  int number = 1;
};

std::vector<Line> logical_lines(const std::string& plain) {
  std::vector<Line> lines;
  int number = 0;
  for (std::size_t at = 0; at < plain.size();) {
    Line line{"", at, at, number + 1};
    bool continued = true;
    while (continued && at < plain.size()) {
      const std::size_t end = std::min(plain.find('\n', at), plain.size());
      std::size_t last = end;
      while (last > at && (plain[last - 1] == '\r' || plain[last - 1] == ' ')) --last;
      continued = last > at && plain[last - 1] == '\\';
      line.text.append(plain, at, (continued ? last - 1 : end) - at);
      line.text += ' ';
      at = end + 1;
      line.end = end;
      ++number;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

/// The text behind a macro's name; `is_function`: whether the name has parameters.
std::string_view body_of(const Directive& directive, bool& is_function) {
  const std::string_view behind =
      directive.rest.substr(std::min(directive.word.size(), directive.rest.size()));
  is_function = behind.starts_with('(');
  return trimmed(behind);
}

const std::map<std::string, std::string, std::less<>>& names_of_compilers() {
  static const std::map<std::string, std::string, std::less<>> known = {{"__CUDA_ARCH__", "800"},
                                                                        {"__CUDACC__", "1"},
                                                                        {"__NVCC__", "1"},
                                                                        {"__cplusplus", "202002"},
                                                                        {"__CUDACC_RTC__", "1"}};
  return known;
}

class BranchReader {
 public:
  BranchReader(const KernelText& text, const MacroValues& known) : headers_(text.headers) {
    result_.macros = known;
    result_.macros.insert(names_of_compilers().begin(), names_of_compilers().end());
    result_.text = read(text.source.text);
    for (const std::string& header : texts_) result_.text += "\n" + header;
  }

  Branches take() { return std::move(result_); }

 private:
  /// A condition, and whether a branch of it was taken and this one is.
  struct Level {
    bool taken = false, active = false;
  };

  std::string read(const std::string& text) {
    std::string plain = without_comments(text);
    const std::size_t outside = levels_.size();
    for (const Line& line : logical_lines(plain)) {
      const auto directive = directive_of(line.text);
      if (directive) follow(*directive);
      const bool kept = !directive && is_active();
      for (std::size_t i = line.begin; i < line.end; ++i)
        if (plain[i] != '\n' && (!kept || (plain[i] == '\\' && ends_line(plain, i)))) plain[i] = ' ';
    }
    levels_.resize(std::min(levels_.size(), outside));
    return plain;
  }

  static bool ends_line(const std::string& text, std::size_t backslash) {
    const std::size_t behind = text.find_first_not_of(" \r", backslash + 1);
    return behind != std::string::npos && text[behind] == '\n';
  }

  bool is_active() const {
    return std::ranges::all_of(levels_, [](const Level& level) { return level.active; });
  }

  bool holds(std::string_view condition) {
    const auto value = value_of_condition(condition, result_.macros, [this](std::string_view name) {
      if (std::ranges::find(result_.asked, name) == result_.asked.end()) result_.asked.emplace_back(name);
    });
    return value.value_or(0) != 0;
  }

  void follow(const Directive& directive) {
    if (directive.name == "if" || directive.name == "ifdef" || directive.name == "ifndef") {
      bool active = false;
      if (is_active())
        active = directive.name == "if"
                     ? holds(directive.rest)
                     : result_.macros.contains(directive.word) == (directive.name == "ifdef");
      levels_.push_back({active, active});
    } else if (directive.name.starts_with("el") && !levels_.empty()) {
      Level& level = levels_.back();
      level.active = false;
      if (!level.taken) {
        level.active = true;  // to ask whether those around it are
        level.active = is_active() && (directive.name == "else" || holds(directive.rest));
        level.taken = level.active;
      }
    } else if (directive.name == "endif" && !levels_.empty()) {
      levels_.pop_back();
    } else if (is_active()) {
      change(directive);
    }
  }

  void change(const Directive& directive) {
    const std::string name(directive.word);
    if (directive.name == "define") {
      bool is_function = false;
      const std::string body(body_of(directive, is_function));
      if (is_function)
        result_.functions[name] = body;
      else
        result_.macros[name] = body;
    } else if (directive.name == "undef") {
      result_.macros.erase(name);
      result_.functions.erase(name);
    } else if (directive.name == "pragma" && directive.word == "unroll") {
      std::string_view behind = trimmed(directive.rest.substr(directive.word.size()));
      while (!behind.empty())
        if (const std::string_view token = next_token(behind); begins_word(token.front()))
          result_.unrolls.emplace_back(token);
    } else if (directive.name == "include") {
      const std::string header(included_name(directive.rest));
      const auto found = std::ranges::find(headers_, header, &SourceFile::name);
      if (found == headers_.end() || depth_ == max_depth || !seen_.insert(header).second) return;
      ++depth_;
      texts_.push_back(read(found->text));
      --depth_;
    }
  }

  static constexpr int max_depth = 64;
  const std::vector<SourceFile>& headers_;
  Branches result_ = {};
  std::vector<Level> levels_ = {};
  std::vector<std::string> texts_ = {};
  std::set<std::string> seen_ = {};
  int depth_ = 0;
};

template<class Visit>
void each_directive(const KernelText& text, Visit visit) {
  const auto read = [&](const std::string& source) {
    const std::string plain = without_comments(source);
    for (const Line& line : logical_lines(plain))
      if (const auto directive = directive_of(line.text)) visit(*directive, line.number);
  };
  read(text.source.text);
  for (const SourceFile& header : text.headers) read(header.text);
}

void compare(std::string_view condition, std::map<std::string, Comparisons, std::less<>>& all) {
  std::vector<std::string_view> tokens;
  while (!trimmed(condition).empty()) tokens.push_back(next_token(condition));
  const auto is_sign = [](std::string_view token) {
    return token == "==" || token == "!=" || token == "<" || token == ">" || token == "<=" || token == ">=";
  };
  const auto is_logic = [](std::string_view token) {
    return token.empty() || token == "&&" || token == "||" || token == "!" || token == "and" || token == "or";
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!begins_word(tokens[i].front()) || tokens[i] == "defined" || is_logic(tokens[i])) continue;
    if (i > 0 &&
        (tokens[i - 1] == "defined" || (i > 1 && tokens[i - 1] == "(" && tokens[i - 2] == "defined")))
      continue;
    // Around it, without brackets that hold it alone.
    std::size_t first = i, last = i + 1;
    while (first > 0 && last < tokens.size() && tokens[first - 1] == "(" && tokens[last] == ")") {
      --first;
      ++last;
    }
    std::size_t opened = first;
    while (opened > 0 && tokens[opened - 1] == "(") --opened;
    const std::string_view before = opened == 0 ? std::string_view() : tokens[opened - 1],
                           after = last < tokens.size() ? tokens[last] : std::string_view();
    Comparisons& found = all[std::string(tokens[i])];
    if (is_sign(after) && last + 1 < tokens.size()) {
      const auto number = whole_number(tokens[last + 1]);
      const std::string_view behind = last + 2 < tokens.size() ? tokens[last + 2] : std::string_view();
      if (!number || !(is_logic(before) || before == "(") || !(is_logic(behind) || behind == ")")) continue;
      if (after == "==") found.equal.insert(*number);
      if (after == "!=") found.equal.insert({*number, *number == 0 ? 1 : *number});
      if ((after == ">" || after == "!=") && *number == 0) found.above_zero = true;
    } else if (is_logic(before) && (is_logic(after) || after == ")")) {
      found.is_flag = true;
    }
  }
}

}  // namespace

std::optional<std::int64_t> value_of_condition(std::string_view condition, const MacroValues& macros,
                                               const std::function<void(std::string_view)>& undefined) {
  return ConditionReader(condition, macros, undefined).read();
}

Branches follow_conditions(const KernelText& text, const MacroValues& known) {
  return BranchReader(text, known).take();
}

std::string every_branch(const KernelText& text) {
  std::string all;
  const auto add = [&](const std::string& source) {
    const std::string plain = without_comments(source);
    for (const Line& line : logical_lines(plain)) all += directive_of(line.text) ? "\n" : line.text + "\n";
  };
  add(text.source.text);
  for (const SourceFile& header : text.headers) add(header.text);
  return all;
}

std::vector<GuardedMacro> guarded_macros(const KernelText& text) {
  std::vector<GuardedMacro> macros;
  std::string guarded;  // the name of the `#ifndef` just before
  each_directive(text, [&](const Directive& directive, int line) {
    bool is_function = false;
    if (directive.name == "define" && !guarded.empty() && directive.word == guarded) {
      const std::string body(body_of(directive, is_function));
      if (!is_function && !body.empty() &&
          std::ranges::find(macros, guarded, &GuardedMacro::name) == macros.end())
        macros.push_back({guarded, body, line});
    }
    guarded = directive.name == "ifndef" ? std::string(directive.word) : std::string();
  });
  return macros;
}

std::map<std::string, Comparisons, std::less<>> comparisons_in(const KernelText& text) {
  std::map<std::string, Comparisons, std::less<>> all;
  each_directive(text, [&](const Directive& directive, int) {
    if (directive.name == "if" || directive.name == "elif") compare(directive.rest, all);
  });
  return all;
}

std::vector<ConditionalLines> conditional_lines(const KernelText& text) {
  std::vector<ConditionalLines> all;
  const auto add_words = [](std::string_view rest, auto add) {
    while (!rest.empty()) {
      const std::string_view word = leading_word(rest);
      if (!word.empty() && begins_word(word.front())) add(word);
      rest.remove_prefix(std::max<std::size_t>(1, word.size()));
    }
  };
  const auto read = [&](const SourceFile& file, bool is_header) {
    std::vector<ConditionalLines> open;
    const auto close = [&](int line) {
      ConditionalLines inner = std::move(open.back());
      open.pop_back();
      inner.last = is_header ? 0 : line;
      if (!open.empty()) {  // the lines around it are those of both
        open.back().defined.insert(inner.defined.begin(), inner.defined.end());
        open.back().words.insert(inner.words.begin(), inner.words.end());
      }
      all.push_back(std::move(inner));
    };
    const std::string plain = without_comments(file.text);
    constexpr std::size_t deepest = 200;
    std::size_t skipped = 0;
    for (const Line& line : logical_lines(plain)) {
      const auto directive = directive_of(line.text);
      if (!directive) {
        if (!open.empty())
          add_words(line.text, [&](std::string_view word) { open.back().words.emplace(word); });
        continue;
      }
      const bool begins = directive->name.starts_with("if");
      if (begins && open.size() == deepest) ++skipped;
      if (begins && open.size() < deepest) open.push_back({{}, is_header ? 0 : line.number, 0, {}, {}});
      if (open.empty()) continue;
      if (directive->name == "if" || directive->name == "elif")
        add_words(directive->rest, [&](std::string_view word) { open.back().names.emplace_back(word); });
      if (directive->name == "define" || directive->name == "undef")
        open.back().defined.emplace(directive->word);
      if (directive->name == "endif" && skipped > 0)
        --skipped;
      else if (directive->name == "endif")
        close(line.number);
    }
    while (!open.empty()) close(std::numeric_limits<int>::max());
  };
  read(text.source, false);
  for (const SourceFile& header : text.headers) read(header, true);
  return all;
}

std::string expanded(std::string_view text, const MacroValues& macros, const MacroValues& kept) {
  constexpr int max_rounds = 16;
  constexpr std::size_t longest = 10'000;
  std::string now(text);
  for (int round = 0; round < max_rounds && now.size() < longest; ++round) {
    std::string next;
    for (std::string_view rest = now; !rest.empty();) {
      const std::string_view word = leading_word(rest);
      const auto macro = macros.find(word);
      if (word.empty()) {
        next += rest.front();
      } else if (macro == macros.end() || kept.contains(word) || macro->second.empty()) {
        next += word;
      } else {
        const bool one_word = leading_word(macro->second) == macro->second;
        next += one_word ? macro->second : "(" + macro->second + ")";
      }
      rest.remove_prefix(std::max<std::size_t>(1, word.size()));
    }
    if (next == now) break;
    now = std::move(next);
  }
  return now;
}

}  // namespace tune::described
