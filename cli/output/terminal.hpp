// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "tuner/base/text_style.hpp"

namespace tune::cli {

/// What an open file is, and what the environment says: the facts that decide how text looks there.
struct TerminalFacts {
  bool is_terminal = false;
  std::size_t columns = 0, lines = 0;  ///< of the window; 0: unknown
  /// The value of an environment variable; empty where it is not set.
  std::function<std::string(const std::string& name)> variable = [](const std::string&) { return ""; };
};

struct Terminal {
  TextStyle style;  ///< of a pipe or file: plain, without a width
  /// Lines can be written anew: a terminal that is not dumb.
  bool can_rewrite = false;
};

/// COLUMNS and LINES go before the window's size, NO_COLOR before CLICOLOR_FORCE, and both before TERM=dumb
/// and CLICOLOR=0. Characters beyond ASCII need a locale with UTF-8.
Terminal terminal_of(const TerminalFacts& facts);

/// Asks the system anew each time: a window may have another size by now.
Terminal terminal_at(int descriptor);
/// The style of standard output.
TextStyle output_style();

}  // namespace tune::cli
