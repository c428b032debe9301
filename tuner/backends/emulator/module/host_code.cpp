// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/module/host_code.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "tuner/plan/directives.hpp"

namespace tune::emulator {
namespace {

constexpr auto npos = std::string_view::npos;

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

/// Finds the functions of the namespaces of a text, without a parser: by brackets.
class HostFunctions {
 public:
  explicit HostFunctions(std::string_view text) : text_(text), result_(text) {}

  std::string leave_out() {
    while (at_ < text_.size()) step();
    return std::move(result_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (skip_inert(true)) {
      if (c == '/' && !has_words_) begin_ = at_;
      return;
    }
    if (c == '{' && opens_namespace()) {
      ++at_;
      begin();
    } else if (c == '{') {
      const std::size_t body = at_;
      skip_block();
      end_block(body);
    } else {
      ++at_;
      has_words_ = has_words_ || std::isspace(static_cast<unsigned char>(c)) == 0;
      if (c == ';' || c == '}') begin();
    }
  }

  void begin() {
    begin_ = at_;
    has_words_ = false;
  }

  /// Skips a comment, a literal or, between functions, a directive; false where there is none.
  bool skip_inert(bool outside) {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("//")) {
      skip_to(text_.find('\n', at_), 0);
    } else if (rest.starts_with("/*")) {
      skip_to(text_.find("*/", at_ + 2), 2);
    } else if (rest.front() == '"' || (rest.front() == '\'' && (at_ == 0 || !is_word(text_[at_ - 1])))) {
      for (++at_; at_ < text_.size() && text_[at_] != rest.front() && text_[at_] != '\n'; ++at_)
        at_ += text_[at_] == '\\' ? 1 : 0;
      at_ = std::min(at_ + 1, text_.size());
    } else if (rest.front() == '#') {
      std::size_t end = text_.find('\n', at_);
      while (end != npos && end > 0 && text_[end - 1] == '\\') end = text_.find('\n', end + 1);
      skip_to(end, 0);
      if (outside) begin();
    } else {
      return false;
    }
    return true;
  }

  void skip_to(std::size_t place, std::size_t more) {
    at_ = place == npos ? text_.size() : std::min(text_.size(), place + more);
  }

  /// Skips from an opening bracket beyond its closing one.
  void skip_block() {
    int depth = 0;
    while (at_ < text_.size()) {
      if (skip_inert(false)) continue;
      const char c = text_[at_++];
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (depth == 0) return;
    }
  }

  std::string_view head(std::size_t end) const { return trimmed(text_.substr(begin_, end - begin_)); }

  bool opens_namespace() const {
    const std::string_view words = head(at_);
    return leading_word(words) == "namespace" || words == "extern \"C\"" || words == "extern \"C++\"";
  }

  void end_block(std::size_t body) {
    const std::string_view words = head(body);
    if (words.find('(') == npos) return;  // a class, an initialiser: its end is a semicolon
    if (is_of_host(words, text_.substr(body, at_ - body)))
      for (std::size_t i = begin_; i < at_; ++i)
        if (result_[i] != '\n') result_[i] = ' ';
    begin();
  }

  static bool is_of_host(std::string_view words, std::string_view body) {
    for (const std::string_view word : {"__global__", "__device__", "constexpr"})
      if (has_word(words, word)) return false;
    return has_word(words.substr(0, words.find('(')), "main") || body.find("<<<") != npos ||
           calls_runtime(body) || uses_library(words) || uses_library(body);
  }

  /// True for a call such as cudaMalloc(...).
  static bool calls_runtime(std::string_view body) {
    constexpr std::string_view begin = "cuda";
    for (std::size_t at = body.find(begin); at != npos; at = body.find(begin, at + 1)) {
      const std::string_view name = leading_word(body.substr(at));
      const bool is_function =
          name.size() > begin.size() && std::isupper(static_cast<unsigned char>(name[begin.size()]));
      if (is_function && (at == 0 || !is_word(body[at - 1])) &&
          trimmed(body.substr(at + name.size(), 8)).starts_with('('))
        return true;
    }
    return false;
  }

  static bool uses_library(std::string_view text) {
    constexpr std::array<std::string_view, 14> names = {
        "vector", "string", "cout",    "cerr",    "ofstream",   "ifstream", "stringstream",
        "map",    "chrono", "ostream", "mt19937", "unique_ptr", "function", "endl"};
    constexpr std::string_view begin = "std::";
    for (std::size_t at = text.find(begin); at != npos; at = text.find(begin, at + 1))
      if (std::ranges::find(names, leading_word(text.substr(at + begin.size()))) != names.end()) return true;
    return false;
  }

  std::string_view text_;
  std::string result_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;   ///< of the declaration at hand
  bool has_words_ = false;  ///< behind that place, beside comments
};

}  // namespace

std::string without_host_functions(std::string_view text) {
  return HostFunctions(text).leave_out();
}

}  // namespace tune::emulator
