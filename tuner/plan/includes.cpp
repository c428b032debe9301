// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/includes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tuner/plan/directives.hpp"

namespace tune {
namespace {

constexpr auto npos = std::string_view::npos;

/// Finds the next place of a mark, mostly from increasing places, without a second look at what it passed.
class Next {
 public:
  Next(std::string_view text, std::string_view mark) : text_(text), mark_(mark) {}

  std::size_t from(std::size_t place) {
    if (place < begin_ || place > found_) {
      begin_ = place;
      found_ = text_.find(mark_, place);
    }
    return found_;
  }

 private:
  std::string_view text_, mark_;
  std::size_t begin_ = 1, found_ = 0;
};

/// Takes linear time: what comments lead to from many places is looked at once.
class Finder {
 public:
  explicit Finder(std::string_view text) : text_(text) {}

  Includes find() {
    find_directives();
    find_conditions();
    return std::move(found_);
  }

 private:
  /// No system opens a file of a longer name.
  static constexpr std::size_t longest_name = 4096;

  void find_directives() {
    constexpr std::array<std::string_view, 4> directives = {"include", "include_next", "import", "embed"};
    std::unordered_set<std::size_t> seen;
    for (std::size_t hash = text_.find('#'); hash != npos; hash = text_.find('#', hash + 1)) {
      const std::size_t at = behind_spaces(hash + 1);
      if (!seen.insert(at).second) continue;
      const std::string_view word = leading_word(text_.substr(at));
      if (std::ranges::find(directives, word) != directives.end()) add_name(at + word.size());
    }
  }

  void find_conditions() {
    constexpr std::string_view has_include = "__has_include";
    for (std::size_t at = text_.find(has_include); at != npos; at = text_.find(has_include, at)) {
      at += leading_word(text_.substr(at)).size();
      const std::size_t bracket = behind_spaces(at);
      if (bracket < text_.size() && text_[bracket] == '(') add_name(bracket + 1);
    }
  }

  /// Skips spaces, continued lines and comments within a line.
  std::size_t behind_spaces(std::size_t at) {
    std::vector<std::size_t> passed;
    while (at < text_.size()) {
      if (text_[at] == ' ' || text_[at] == '\t') {
        ++at;
      } else if (text_.substr(at).starts_with("\\\n")) {
        at += 2;
      } else if (text_.substr(at).starts_with("\\\r\n")) {
        at += 3;
      } else if (text_.substr(at).starts_with("/*")) {
        at = std::min(comment_end_.from(at + 2), text_.size() - 2) + 2;
        const auto known = behind_comment_.find(at);
        if (known == behind_comment_.end()) passed.push_back(at);
        if (known == behind_comment_.end()) continue;
        at = known->second;
        break;
      } else {
        break;
      }
    }
    for (const std::size_t comment : passed) behind_comment_.emplace(comment, at);
    return at;
  }

  /// Adds the file that is named at `at`: `<name>`, `"name"`, or a macro.
  void add_name(std::size_t at) {
    at = behind_spaces(at);
    if (at >= text_.size() || !names_.insert(at).second) return;
    const bool quoted = text_[at] == '"';
    if (!quoted && text_[at] != '<') {
      // Prose behind a `#` has several words or ends with the line.
      found_.computed |= is_word(text_[at]);
      return;
    }
    const std::size_t end = (quoted ? quote_ : bracket_).from(at + 1);
    if (end == npos || end - at > longest_name || line_end_.from(at + 1) < end) return;
    found_.files.push_back({std::string(text_.substr(at + 1, end - at - 1)), quoted});
  }

  std::string_view text_;
  Next comment_end_{text_, "*/"}, quote_{text_, "\""}, bracket_{text_, ">"}, line_end_{text_, "\n"};
  std::unordered_map<std::size_t, std::size_t> behind_comment_;  ///< the ends of spaces behind its end
  std::unordered_set<std::size_t> names_;                        ///< that were looked at
  Includes found_;
};

}  // namespace

Includes includes_of(std::string_view text) {
  return Finder(text).find();
}

}  // namespace tune
