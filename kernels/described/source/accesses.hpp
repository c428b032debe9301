// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/described/source/source_tree.hpp"

namespace tune::described {

/// What a kernel, and the functions that it calls, do with an array.
struct Accesses {
  bool read = false, written = false;
  bool unknown = false;  ///< it is passed to something that is not understood

  void add(const Accesses& other);
};

/// Returns what the function at `definition` does with the array that `name` points to: through pointers made
/// of it, casts, functions of the file and macros. `words`: those of the kernel (Reach). After some two
/// million nodes the rest is unknown.
Accesses accesses_of(const SourceTree& tree, const std::set<std::string, std::less<>>& words, int definition,
                     std::string_view name);

}  // namespace tune::described
