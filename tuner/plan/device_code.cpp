// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/device_code.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tuner/plan/directives.hpp"

namespace tune {
namespace {

using Words = std::unordered_set<std::string_view>;

template<std::size_t count>
bool is_one_of(std::string_view word, const std::array<std::string_view, count>& words) {
  return std::ranges::find(words, word) != words.end();
}

bool is_of_device(std::string_view word) {
  constexpr std::array<std::string_view, 6> words = {"__global__", "__device__",  "__constant__",
                                                     "__shared__", "__managed__", "__grid_constant__"};
  return word.starts_with("__") && is_one_of(word, words);
}

/// Words that declare nothing.
bool is_of_language(std::string_view word) {
  constexpr std::array<std::string_view, 30> words = {
      "const",     "static",   "inline", "extern",   "void",     "int",      "float",    "double",
      "char",      "short",    "long",   "bool",     "unsigned", "signed",   "struct",   "class",
      "union",     "enum",     "auto",   "typedef",  "using",    "std",      "template", "typename",
      "namespace", "volatile", "return", "noexcept", "final",    "constexpr"};
  return is_one_of(word, words);
}

bool takes_brackets(std::string_view word) {
  constexpr std::array<std::string_view, 9> words = {"alignas",           "__align__",  "__attribute__",
                                                     "__builtin_align__", "decltype",   "noexcept",
                                                     "__launch_bounds__", "__declspec", "template"};
  return is_one_of(word, words);
}

bool is_space(char letter) {
  return std::isspace(static_cast<unsigned char>(letter)) != 0;
}

/// True for `__device__` in `[=] __host__ __device__ (int i) { ... }`: a function of the host may have it.
bool qualifies_lambda(std::string_view text, std::size_t place) {
  constexpr std::string_view host = "__host__";
  std::string_view before = trimmed(text.substr(0, place));
  if (before.ends_with(host)) before = trimmed(before.substr(0, before.size() - host.size()));
  return before.ends_with(']') && !before.ends_with("]]");
}

/// A declaration of a namespace: from its first word to its semicolon or the end of its body.
struct Item {
  std::size_t text = 0, begin = 0, end = 0;
  std::vector<std::string_view> words = {}, declared = {};
  bool stays = false;
  bool is_function = false;  ///< that is not constexpr
  bool is_of_host = false;   ///< code of the device cannot use it, whatever it mentions
};

struct Macro {
  std::string_view parameters_and_body;
  bool has_parameters = false;
};

class Items {
  static constexpr auto npos = std::string_view::npos;

 public:
  explicit Items(CompileRequest& request) : request_(request) {
    texts_.push_back(&request.source.text);
    for (SourceFile& header : request.headers) texts_.push_back(&header.text);
    for (const std::string* text : texts_) find_macros(*text);
    for (const auto& [name, value] : request.defines) macros_[name] = {value, false};
    find_device_macros();
    for (std::size_t text = 0; text < texts_.size(); ++text) find_items(text);
  }

  void leave_out() {
    mark();
    for (const Item& item : items_) {
      if (item.stays) continue;
      std::string& text = *texts_[item.text];
      bool begins_line = item.begin == 0 || text[item.begin - 1] == '\n';
      for (std::size_t at = item.begin; at < item.end; ++at) {
        if (begins_line &&
            trimmed(std::string_view(text).substr(at, text.find('\n', at) - at)).starts_with('#')) {
          at = std::min(end_of_directive(text, at), item.end) - 1;
          continue;
        }
        begins_line = text[at] == '\n' || (begins_line && is_space(text[at]));
        if (text[at] != '\n') text[at] = ' ';
      }
    }
  }

 private:
  // ---- the preprocessor

  static std::size_t end_of_directive(std::string_view text, std::size_t at) {
    std::size_t end = text.find('\n', at);
    while (end != npos && end > 0 && text[end - 1] == '\\') end = text.find('\n', end + 1);
    return end == npos ? text.size() : end + 1;
  }

  void find_macros(std::string_view text) {
    for (std::size_t hash = text.find('#'); hash != npos; hash = text.find('#', hash + 1)) {
      std::string_view rest = text.substr(hash + 1, end_of_directive(text, hash) - hash - 1);
      rest = trimmed(rest);
      if (leading_word(rest) != "define") continue;
      rest = trimmed(rest.substr(6));
      const std::string_view name = leading_word(rest);
      if (name.empty()) continue;
      const std::string_view behind = rest.substr(name.size());
      macros_[name] = {behind, behind.starts_with('(')};
    }
  }

  static void add_words(std::string_view text, std::vector<std::string_view>& words) {
    while (!text.empty()) {
      const std::string_view word = leading_word(text);
      if (!word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) == 0) words.push_back(word);
      text.remove_prefix(std::max<std::size_t>(1, word.size()));
    }
  }

  /// Macros that a word of CUDA is in, directly or through others.
  void find_device_macros() {
    std::unordered_map<std::string_view, std::vector<std::string_view>> users;
    std::vector<std::string_view> open;
    for (const auto& [name, macro] : macros_) {
      std::vector<std::string_view> words;
      add_words(macro.parameters_and_body, words);
      for (const std::string_view word : words) {
        if (is_of_device(word)) open.push_back(name);
        users[word].push_back(name);
      }
    }
    while (!open.empty()) {
      const std::string_view name = open.back();
      open.pop_back();
      if (!device_macros_.insert(name).second) continue;
      for (const std::string_view user : users[name]) open.push_back(user);
    }
  }

  // ---- items

  void find_items(std::size_t text) {
    text_ = *texts_[text];
    number_ = text;
    at_ = 0;
    begin();
    while (at_ < text_.size()) step();
    if (begin_ != npos) end_item();
  }

  void begin() {
    begin_ = npos;
    words_.clear();
    head_end_ = npos;
    depth_ = 0;
  }

  void step() {
    if (skip_inert()) return;
    const char c = text_[at_];
    if (is_space(c)) {
      ++at_;
      return;
    }
    if (begin_ == npos && c != '}' && c != ';') begin_ = at_;
    if (is_word(c)) {
      const std::string_view word = leading_word(text_.substr(at_));
      const bool is_first = words_.empty();
      words_.push_back(word);
      at_ += word.size();
      if (is_first) end_macro(word);
      return;
    }
    if (c == '{' && depth_ == 0 && opens_namespace()) {
      ++at_;
      begin();
      return;
    }
    ++at_;
    if (c == '(' || c == '[') ++depth_;
    if (c == ')' || c == ']') depth_ = std::max(0, depth_ - 1);
    if (c == '{') {
      const bool is_function = depth_ == 0 && head_end_ == npos && begins_body(at_ - 1);
      if (head_end_ == npos) head_end_ = at_ - 1;
      skip_block();
      if (is_function) end_item();
    } else if (c == ';' && depth_ == 0) {
      end_item();
    } else if (c == '}') {  // of a namespace
      begin();
    }
  }

  /// `KERNEL_OF(float)` at the beginning of an item, without a semicolon, where the macro makes code of the
  /// device.
  void end_macro(std::string_view word) {
    const auto macro = macros_.find(word);
    if (macro == macros_.end() || !macro->second.has_parameters || !device_macros_.contains(word)) return;
    std::size_t at = at_;
    while (at < text_.size() && is_space(text_[at])) ++at;
    if (at == text_.size() || text_[at] != '(') return;
    int depth = 0;
    for (; at < text_.size(); ++at) {
      depth += text_[at] == '(' ? 1 : text_[at] == ')' ? -1 : 0;
      if (depth == 0) break;
    }
    if (at == text_.size()) return;
    std::vector<std::string_view> inner;
    add_words(text_.substr(at_, at - at_), inner);
    words_.insert(words_.end(), inner.begin(), inner.end());
    at_ = at + 1;
    std::size_t behind = at_;
    while (behind < text_.size() && is_space(text_[behind])) ++behind;
    // A body or qualifiers behind it belong to the same declaration.
    if (behind < text_.size() && text_.substr(at_, behind - at_).find('\n') != npos && text_[behind] != '{')
      end_item();
  }

  /// Skips a comment, a literal or a directive; false where there is none.
  bool skip_inert() {
    const std::string_view rest = text_.substr(at_);
    const char c = rest.front();
    if (rest.starts_with("//")) {
      skip_to(text_.find('\n', at_), 0);
    } else if (rest.starts_with("/*")) {
      skip_to(text_.find("*/", at_ + 2), 2);
    } else if (c == '"') {
      skip_string();
    } else if (c == '\'' && (at_ == 0 || !is_word(text_[at_ - 1]))) {
      skip_quoted();
    } else if (c == '#') {
      skip_directive();
    } else {
      return false;
    }
    return true;
  }

  void skip_to(std::size_t place, std::size_t more) {
    at_ = place == npos ? text_.size() : std::min(text_.size(), place + more);
  }
  void skip_quoted() {
    const char quote = text_[at_];
    for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_)
      at_ += text_[at_] == '\\' ? 1 : 0;
    at_ = std::min(at_ + 1, text_.size());
  }
  void skip_string() {
    if (begin_ == npos) begin_ = at_;
    if (at_ == 0 || text_[at_ - 1] != 'R') return skip_quoted();
    const std::size_t open = text_.find('(', at_);
    if (open == npos || open - at_ > 17) return skip_quoted();
    const std::string end = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    skip_to(text_.find(end, open), end.size());
  }
  /// The words of a directive within a declaration are its own: `#pragma unroll COUNT`.
  void skip_directive() {
    const std::size_t end = end_of_directive(text_, at_);
    if (begin_ != npos) add_words(text_.substr(at_, end - at_), words_);
    at_ = end;
  }

  /// Skips from behind an opening bracket beyond its closing one, and notes the words.
  void skip_block() {
    for (int depth = 1; at_ < text_.size() && depth > 0;) {
      if (skip_inert()) continue;
      const char c = text_[at_];
      if (is_word(c)) {
        const std::string_view word = leading_word(text_.substr(at_));
        if (!is_of_device(word) || !qualifies_lambda(text_, at_)) words_.push_back(word);
        at_ += word.size();
        continue;
      }
      ++at_;
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    }
  }

  std::string_view head(std::size_t end) const { return trimmed(text_.substr(begin_, end - begin_)); }

  bool opens_namespace() const {
    const std::string_view words = head(at_);
    const std::string_view first = leading_word(words);
    return first == "namespace" || words.starts_with("inline namespace") || words == "extern \"C\"" ||
           words == "extern \"C++\"";
  }

  /// True where the bracket at `place` opens a function's body: what follows it is another declaration.
  bool begins_body(std::size_t place) const {
    const std::string_view words = without_prefixes(head(place));
    const std::string_view first = leading_word(words);
    if (first == "typedef" || first == "using" || first == "enum" || has_equals(words)) return false;
    const std::size_t name = name_of_function(words);
    if (name == npos) return false;
    const bool is_type = first == "struct" || first == "class" || first == "union";
    return !is_type || words.ends_with(')') || words.ends_with("const");
  }

  /// Without `template<...>` and `[[...]]` before it.
  static std::string_view without_prefixes(std::string_view words) {
    while (true) {
      if (leading_word(words) == "template") {
        words = without_template(words);
      } else if (words.starts_with("[[") && words.find("]]") != npos) {
        words = trimmed(words.substr(words.find("]]") + 2));
      } else {
        return words;
      }
    }
  }

  static bool is_instantiation(std::string_view words) {
    return leading_word(words) == "template" && !trimmed(words.substr(8)).starts_with('<');
  }

  static std::string_view without_template(std::string_view words) {
    std::size_t at = words.find('<');
    int depth = 0;
    for (; at < words.size(); ++at) {
      depth += words[at] == '<' || words[at] == '(' ? 1 : words[at] == '>' || words[at] == ')' ? -1 : 0;
      if (depth == 0) break;
    }
    return at >= words.size() ? std::string_view() : trimmed(words.substr(at + 1));
  }

  /// `types` of `using types = list<int32_t>;` and of `typedef list<int32_t> types;`: the other words are
  /// those of the type. Empty for other declarations.
  static std::string_view name_of_alias(std::string_view words) {
    if (leading_word(words) == "using" && words.find('=') != npos)
      return leading_word(trimmed(words.substr(5)));
    if (leading_word(words) != "typedef" || words.find_first_of("([") != npos) return {};
    words = trimmed(words.substr(0, words.find(';')));
    std::size_t begin = words.size();
    while (begin > 0 && is_word(words[begin - 1])) --begin;
    return words.substr(begin);
  }

  /// An initialiser; not a default of an argument or an operator.
  static bool has_equals(std::string_view words) {
    int depth = 0;
    for (std::size_t at = 0; at < words.size(); ++at) {
      depth += words[at] == '(' ? 1 : words[at] == ')' ? -1 : 0;
      if (words[at] == '=' && depth == 0) return words.find("operator") == npos;
    }
    return false;
  }

  /// The place of the name before a list of arguments; npos where there is none.
  static std::size_t name_of_function(std::string_view words) {
    for (std::size_t open = words.find('('); open != npos;) {
      std::size_t end = open;
      while (end > 0 && is_space(words[end - 1])) --end;
      std::size_t begin = end;
      while (begin > 0 && is_word(words[begin - 1])) --begin;
      if (begin < end && !takes_brackets(words.substr(begin, end - begin))) return begin;
      if (begin == end && words.find("operator") != npos) return begin;
      int depth = 0;
      std::size_t at = open;
      for (; at < words.size(); ++at) {
        depth += words[at] == '(' ? 1 : words[at] == ')' ? -1 : 0;
        if (depth == 0) break;
      }
      open = at < words.size() ? words.find('(', at) : npos;
    }
    return npos;
  }

  /// `float x = 1`, `static float* table[4]`.
  bool is_host_variable(std::string_view words) const {
    const std::string_view declared = words.substr(0, std::min(words.find('='), words.size()));
    if (declared.find('(') != npos) return false;
    std::vector<std::string_view> all;
    add_words(declared, all);
    return all.size() >= 2 && std::ranges::none_of(all, [&](std::string_view word) {
             return word == "const" || word == "constexpr" || word == "consteval" || word == "operator" ||
                    macros_.contains(word);
           });
  }

  /// True for a function that launches a kernel or calls the runtime, `cudaMalloc(...)`.
  static bool body_is_of_host(std::string_view function) {
    if (function.find("<<<") != npos) return true;
    constexpr std::string_view begin = "cuda";
    for (std::size_t at = function.find(begin); at != npos; at = function.find(begin, at + 1)) {
      const std::string_view name = leading_word(function.substr(at));
      if (name.size() > begin.size() && std::isupper(static_cast<unsigned char>(name[begin.size()])) != 0 &&
          (at == 0 || !is_word(function[at - 1])) &&
          trimmed(function.substr(at + name.size(), 8)).starts_with('('))
        return true;
    }
    return false;
  }

  void end_item() {
    if (begin_ == npos) return begin();
    Item item{number_, begin_, at_};
    const std::string_view all = text_.substr(begin_, at_ - begin_);
    const std::string_view words = without_prefixes(head(std::min(head_end_, at_)));
    const std::string_view first = leading_word(words);
    const bool is_type = first == "struct" || first == "class" || first == "union" || first == "enum" ||
                         first == "typedef" || first == "using" || first == "concept";
    std::sort(words_.begin(), words_.end());
    words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
    item.stays = first == "static_assert" || words.starts_with("using namespace") || first.empty() ||
                 std::ranges::any_of(words_, [&](std::string_view word) {
                   return is_of_device(word) || device_macros_.contains(word);
                 });
    if (is_instantiation(head(at_)) && std::ranges::none_of(words_, is_of_device)) {
      // `template void run<float>(int n);` asks for what the kernel's own name asks for, or for code of the
      // host.
      item.stays = false;
      item.is_of_host = true;
      items_.push_back(std::move(item));
      return begin();
    }
    const std::size_t name = is_type || has_equals(words) ? npos : name_of_function(words);
    std::vector<std::string_view> declared;
    if (first == "enum")
      declared = words_;
    else if (name != npos && words.find("operator") == npos &&
             !is_of_language(leading_word(words.substr(name))))
      declared = {leading_word(words.substr(name))};
    else if (const std::string_view alias = name_of_alias(words); head_end_ == npos && !alias.empty())
      declared = {alias};
    else
      add_words(words, declared);
    if (is_type && head_end_ != npos) add_words(all.substr(std::min(all.size(), all.rfind('}'))), declared);
    std::erase_if(declared, is_of_language);
    item.is_of_host =
        first != "namespace" && !is_type && (name == npos ? is_host_variable(words) : body_is_of_host(all));
    item.is_function = name != npos && !std::ranges::binary_search(words_, "constexpr");
    item.declared = std::move(declared);
    item.words = std::move(words_);
    items_.push_back(std::move(item));
    begin();
  }

  // ---- what stays

  void mark() {
    std::unordered_map<std::string_view, std::vector<std::size_t>> declaring;
    for (std::size_t i = 0; i < items_.size(); ++i)
      for (const std::string_view name : items_[i].declared) declaring[name].push_back(i);
    mark_callers(declaring);
    std::vector<std::string_view> open;
    const auto use = [&](const std::vector<std::string_view>& words) {
      open.insert(open.end(), words.begin(), words.end());
    };
    for (const Item& item : items_)
      if (item.stays) use(item.words);
    for (const auto* texts : {&request_.entries, &request_.options})
      for (const std::string& text : *texts) add_words(text, open);
    for (const auto& [name, value] : request_.defines) add_words(value, open);
    Words seen;
    bool is_pasted = false;
    const auto keep = [&](Item& item) {
      if (item.is_of_host || std::exchange(item.stays, true)) return;
      use(item.words);
    };
    while (!open.empty()) {
      const std::string_view word = open.back();
      open.pop_back();
      if (!seen.insert(word).second) continue;
      if (const auto macro = macros_.find(word); macro != macros_.end()) {
        const std::string_view body = macro->second.parameters_and_body;
        add_words(body, open);
        // Names that are pasted together stand nowhere.
        if (body.find("##") != npos && !std::exchange(is_pasted, true))
          for (Item& item : items_)
            if (!item.is_function) keep(item);
      }
      const auto found = declaring.find(word);
      if (found == declaring.end()) continue;
      for (const std::size_t i : found->second) keep(items_[i]);
    }
  }

  /// What calls a function of the host is one, even if a variable of a kernel has its name.
  void mark_callers(const std::unordered_map<std::string_view, std::vector<std::size_t>>& declaring) {
    std::unordered_map<std::string_view, std::vector<std::size_t>> users;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const Item& item = items_[i];
      if (item.is_of_host && item.is_function) open.push_back(i);
      if (item.stays || item.is_of_host || !item.is_function) continue;
      for (const std::string_view word : item.words) users[word].push_back(i);
    }
    while (!open.empty()) {
      const Item& host = items_[open.back()];
      open.pop_back();
      for (const std::string_view name : host.declared) {
        const auto calling = users.find(name);
        if (calling == users.end() ||
            !std::ranges::all_of(declaring.at(name), [&](std::size_t i) { return items_[i].is_of_host; }))
          continue;
        for (const std::size_t i : calling->second)
          if (!std::exchange(items_[i].is_of_host, true)) open.push_back(i);
      }
    }
  }

  CompileRequest& request_;
  std::vector<std::string*> texts_;
  std::unordered_map<std::string_view, Macro> macros_;
  Words device_macros_;
  std::vector<Item> items_;

  std::string_view text_;
  std::size_t number_ = 0, at_ = 0;
  std::size_t begin_ = npos;     ///< of the declaration at hand
  std::size_t head_end_ = npos;  ///< where its first body begins
  int depth_ = 0;                ///< of round and square brackets
  std::vector<std::string_view> words_ = {};
};

}  // namespace

bool has_extended_lambda(std::string_view text) {
  constexpr std::string_view word = "__device__";
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if (qualifies_lambda(text, at)) return true;
  return false;
}

void leave_out_host_code(CompileRequest& request) {
  // Then all may be code of the device.
  for (const std::string& option : request.options)
    if (option.find("default-device") != std::string::npos ||
        option.find("device-as-default-execution-space") != std::string::npos)
      return;
  Items(request).leave_out();
}

}  // namespace tune
