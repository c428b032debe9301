// SPDX-License-Identifier: Apache-2.0
#include "cli/output/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

namespace tune::cli {
namespace {

constexpr std::size_t usual_columns = 80, usual_lines = 24;
constexpr std::size_t min_columns = 20;  ///< less is no size that anybody reads at

/// The number that the variable names, the window's, or the usual one: the first that can be.
std::size_t size_of(const TerminalFacts& facts, const char* variable, std::size_t window, std::size_t usual,
                    std::size_t min) {
  const std::string text = facts.variable(variable);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size() && number >= min) return number;
  return window >= min ? window : usual;
}

bool is_utf8(const TerminalFacts& facts) {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale = facts.variable(name);
    if (locale.empty()) continue;  // the next one decides
    std::ranges::transform(locale, locale.begin(), [](unsigned char c) { return std::tolower(c); });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

bool has_colours(const TerminalFacts& facts) {
  if (!facts.variable("NO_COLOR").empty()) return false;
  if (const std::string force = facts.variable("CLICOLOR_FORCE"); !force.empty() && force != "0") return true;
  return facts.is_terminal && facts.variable("TERM") != "dumb" && facts.variable("CLICOLOR") != "0";
}

}  // namespace

Terminal terminal_of(const TerminalFacts& facts) {
  Terminal terminal;
  terminal.style.colours = has_colours(facts);
  if (!facts.is_terminal) return terminal;
  terminal.style.width = size_of(facts, "COLUMNS", facts.columns, usual_columns, min_columns);
  terminal.style.height = size_of(facts, "LINES", facts.lines, usual_lines, 2);
  terminal.style.unicode = is_utf8(facts);
  terminal.can_rewrite = facts.variable("TERM") != "dumb";
  return terminal;
}

Terminal terminal_at(int descriptor) {
  TerminalFacts facts;
  facts.is_terminal = isatty(descriptor) == 1;
  winsize size = {};
  if (facts.is_terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0)
    facts.columns = size.ws_col, facts.lines = size.ws_row;
  facts.variable = [](const std::string& name) {
    const char* const value = std::getenv(name.c_str());
    return std::string(value != nullptr ? value : "");
  };
  return terminal_of(facts);
}

TextStyle output_style() {
  return terminal_at(STDOUT_FILENO).style;
}

}  // namespace tune::cli
