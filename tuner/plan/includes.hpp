// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// A file that a text asks for.
struct Include {
  std::string name;
  bool quoted = false;  ///< `"name"`: the folder of the file that includes it is searched first
};

/// What a text may include, whatever its macros are: conditions and comments are not evaluated.
struct Includes {
  std::vector<Include> files;  ///< in order of appearance; the names of `__has_include` too
  bool computed = false;       ///< `#include MACRO`: any file may be meant
};

Includes includes_of(std::string_view text);

}  // namespace tune
