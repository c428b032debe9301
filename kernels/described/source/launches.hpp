// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/described/source/source_tree.hpp"

namespace tune::described {

/// A launch of a kernel in its own file. Expressions are in C, in the kernel's names for what it is passed,
/// with `blockDim.x` for the extents of the block: variables of the host that are set once are replaced by
/// their values.
struct LaunchOfFile {
  int line = 0;
  std::vector<std::string> grid, block;  ///< by axis
  std::string shared;                    ///< bytes; empty for none
  bool cooperative = false;              ///< cudaLaunchCooperativeKernel
  std::vector<std::string> template_arguments;
  std::map<std::string, std::string, std::less<>> values;  ///< passed for numbers, by the kernel's arguments
  /// Arguments that count the turns of a loop around the launch: `values` has those of the first turn.
  std::set<std::string, std::less<>> counters;
  /// The elements that the file allocates for an array, by the kernel's arguments.
  std::map<std::string, std::string, std::less<>> elements;
};

/// Returns the launches of a kernel with these arguments, in their order. `templates`: the names of its
/// template's parameters.
std::vector<LaunchOfFile> launches_of(const SourceTree& tree, std::string_view kernel,
                                      const std::vector<std::string>& arguments,
                                      const std::vector<std::string>& templates);

}  // namespace tune::described
