// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/redefinition.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

/// True, false or unknown.
using Truth = std::optional<bool>;

Truth negated(Truth truth) {
  return truth ? Truth(!*truth) : truth;
}

/// Follows the conditions around the lines of a text and of what it includes.
class MacroSearch {
 public:
  MacroSearch(const KernelText& text, const std::map<std::string, std::string>& macros)
      : text_(text), macros_(macros) {
    for (const auto& [name, value] : macros) defined_.insert(name);
  }

  std::optional<Redefinition> find() {
    search(text_.source);
    return found_ ? found_ : found_on_devices_;
  }

  /// Returns the text in which lines that are certainly left out are empty. `maybe`: macros that
  /// may be defined.
  KernelText without_inactive(std::set<std::string, std::less<>> maybe) {
    maybe_ = std::move(maybe);
    is_for_lines_ = true;
    search(text_.source);
    KernelText all = text_;
    blank(all.source);
    for (SourceFile& header : all.headers) blank(header);
    return all;
  }

 private:
  struct Level {
    Truth taken;   ///< whether a branch before this one was
    Truth active;  ///< whether this branch is
    std::string_view condition = {};
  };

  void search(const SourceFile& file) {
    const bool once = file.text.find("#pragma once") != std::string::npos;
    if (depth_ == max_depth || ++files_ > max_files || (once && !seen_.insert(file.name).second)) return;
    ++depth_;
    const std::size_t outside = levels_.size();
    const std::string plain = joined_lines(without_comments(file.text));
    int number = 0;
    std::vector<bool>& used = used_[file.name];
    for (std::string_view rest = plain; !rest.empty() && (!found_ || is_for_lines_);) {
      ++number;
      const auto directive = directive_of(next_line(rest));
      const bool was_open = is_open();
      if (directive) follow(file, *directive, number, rest);
      if (!is_for_lines_) continue;
      bool is_used = may_be_active();
      // Conditions that are decided go: arguments with others between them are not judged by their text.
      if (directive && is_condition(directive->name))
        is_used = is_used && (directive->name == "endif" ? was_open : is_open());
      used.resize(std::max(used.size(), static_cast<std::size_t>(number)));
      used[static_cast<std::size_t>(number) - 1] = used[static_cast<std::size_t>(number) - 1] || is_used;
    }
    levels_.resize(std::min(levels_.size(), outside));
    --depth_;
  }

  void blank(SourceFile& file) const {
    const auto used = used_.find(file.name);
    if (used == used_.end()) return;  // included under a condition that is not understood, or not at all
    const std::string plain = joined_lines(without_comments(file.text));
    std::string text;
    std::size_t number = 0;
    for (std::string_view rest = plain; !rest.empty(); ++number) {
      const std::string_view line = next_line(rest);
      if (number >= used->second.size() || used->second[number]) text += line;
      text += '\n';
    }
    file.text = std::move(text);
  }

  static bool is_condition(std::string_view directive) {
    return directive.starts_with("if") || directive.starts_with("el") || directive == "endif";
  }

  /// True in a branch of which nobody knows whether it is taken.
  bool is_open() const { return !levels_.empty() && !levels_.back().active; }

  /// `rest`: the text behind the line.
  void follow(const SourceFile& file, const Directive& directive, int number, std::string_view rest) {
    if (directive.name == "ifdef" || directive.name == "ifndef") {
      const Truth defined = is_defined(directive.word);
      const Truth holds = directive.name == "ifdef" ? defined : negated(defined);
      levels_.push_back({holds, holds, directive.word});
    } else if (directive.name == "if") {
      const Truth holds = value_of(directive.rest);
      levels_.push_back({holds, holds, directive.rest});
    } else if (levels_.empty() && (directive.name.starts_with("el") || directive.name == "endif")) {
      return;  // the compiler reports it
    } else if (directive.name == "else" || directive.name.starts_with("elif")) {
      Level& level = levels_.back();
      const Truth others = negated(level.taken);
      level.active = directive.name == "else" || others == Truth(false) ? others : Truth();
      if (level.taken != Truth(true)) level.taken = Truth();
    } else if (directive.name == "endif") {
      levels_.pop_back();
    } else if (is_certain() && directive.name == "undef") {
      undefine(file, directive, number, rest);
    } else if (directive.name == "define") {
      if (is_certain()) {
        define(file, directive, number);
      } else if (may_be_active()) {
        note_on_devices(file, directive, number);
        values_.erase(std::string(directive.word));
      }
    } else if (is_certain() && directive.name == "include") {
      const std::string name(included_name(directive.rest));
      const auto header = std::ranges::find(text_.headers, name, &SourceFile::name);
      if (header != text_.headers.end()) search(*header);
    }
  }

  void define(const SourceFile& file, const Directive& directive, int number) {
    const Redefinition defined = definition_of(file, directive, number);
    if (replaces(defined)) found_ = defined;
    defined_.insert(defined.macro);
    if (!macros_.contains(defined.macro)) values_.insert_or_assign(defined.macro, defined.value);
  }

  static Redefinition definition_of(const SourceFile& file, const Directive& directive, int number) {
    const std::string name(directive.word);
    return {file.name, number, name,
            std::string(trimmed(directive.rest.substr(std::min(name.size(), directive.rest.size()))))};
  }

  bool replaces(const Redefinition& defined) const {
    const auto macro = macros_.find(defined.macro);
    return macro != macros_.end() && (macro->second.empty() || macro->second != defined.value);
  }

  /// Notes a line that replaces a macro if all that is open is the kind of device.
  void note_on_devices(const SourceFile& file, const Directive& directive, int number) {
    Redefinition defined = definition_of(file, directive, number);
    if (found_on_devices_ || !replaces(defined)) return;
    for (const Level& level : levels_) {
      if (level.active) continue;
      if (level.condition.find("__CUDA_ARCH__") == std::string_view::npos) return;
      defined.condition = level.condition;
    }
    found_on_devices_ = std::move(defined);
  }

  /// At the end of a file it changes nothing, and before another `#define`, or the return of the old one,
  /// that counts.
  void undefine(const SourceFile& file, const Directive& directive, int number, std::string_view rest) {
    const std::string name(directive.word);
    bool is_defined_anew = rest.find("pop_macro") != std::string_view::npos;
    for (std::string_view lines = rest; !lines.empty();)
      if (const auto later = directive_of(next_line(lines)))
        is_defined_anew = is_defined_anew || (later->name == "define" && later->word == name);
    if (macros_.contains(name) && !is_defined_anew && words_in(rest).contains(name))
      found_ = Redefinition{file.name, number, name, "", true};
    defined_.erase(name);
    values_.erase(name);
  }

  bool is_certain() const {
    return std::ranges::all_of(levels_, [](const Level& level) { return level.active == Truth(true); });
  }

  bool may_be_active() const {
    return std::ranges::none_of(levels_, [](const Level& level) { return level.active == Truth(false); });
  }

  /// Compilers define names that begin with two underscores.
  Truth is_defined(std::string_view name) const {
    if (maybe_.contains(name)) return std::nullopt;
    if (defined_.contains(name)) return true;
    return name.starts_with("__") || (is_for_lines_ && name.starts_with("CUDA")) ? Truth() : Truth(false);
  }

  /// Knows whole numbers, macros for them, `defined X`, `!`, and rows of these with && or ||.
  Truth value_of(std::string_view condition, int steps = 0) const {
    if (condition.size() > longest_condition || steps > max_depth) return std::nullopt;
    for (const std::string_view sign : {"||", "&&"}) {
      const std::size_t at = condition.find(sign);
      if (at == std::string_view::npos) continue;
      const Truth left = value_of(condition.substr(0, at)), right = value_of(condition.substr(at + 2));
      const bool decides = sign == "||";
      if (left == Truth(decides) || right == Truth(decides)) return decides;
      return left && right ? Truth(!decides) : Truth();
    }
    condition = trimmed(condition);
    if (!condition.empty() && condition.find_first_not_of("0123456789") == std::string_view::npos)
      return condition.find_first_not_of('0') != std::string_view::npos;
    if (const auto known = values_.find(condition); known != values_.end())
      return value_of(known->second, steps + 1);
    if (condition.starts_with('!')) return negated(value_of(condition.substr(1)));
    if (leading_word(condition) != "defined") return std::nullopt;
    condition = trimmed(condition.substr(7));
    if (condition.starts_with('(') && condition.ends_with(')'))
      condition = trimmed(condition.substr(1, condition.size() - 2));
    return !condition.empty() && leading_word(condition) == condition ? is_defined(condition) : Truth();
  }

  static constexpr int max_depth = 64, max_files = 1000;
  static constexpr std::size_t longest_condition = 500;
  const KernelText& text_;
  const std::map<std::string, std::string>& macros_;
  std::set<std::string, std::less<>> defined_ = {};
  std::map<std::string, std::string, std::less<>> values_ = {};  ///< of macros that the files define
  std::vector<Level> levels_ = {};
  std::set<std::string> seen_ = {};  ///< of files with `#pragma once`
  std::optional<Redefinition> found_ = {}, found_on_devices_ = {};
  bool is_for_lines_ = false;
  std::set<std::string, std::less<>> maybe_ = {};
  std::map<std::string, std::vector<bool>, std::less<>> used_ = {};  ///< lines of files, only for_lines
  int depth_ = 0, files_ = 0;
};

}  // namespace

std::optional<Redefinition> find_redefinition(const KernelText& text,
                                              const std::map<std::string, std::string>& macros) {
  return MacroSearch(text, macros).find();
}

KernelText without_inactive(const KernelText& text, const std::map<std::string, std::string>& macros,
                            std::set<std::string, std::less<>> maybe) {
  return MacroSearch(text, macros).without_inactive(std::move(maybe));
}

}  // namespace tune::described
