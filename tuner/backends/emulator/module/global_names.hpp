// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "tuner/plan/launch_plan.hpp"

namespace tune::emulator {

/// Names of the global namespace in a kernel (`::weight`, `::min(a, b)`), which the emulator compiles inside
/// of a namespace: those that the sources declare themselves have to be looked for there, those of CUDA not.
class GlobalNames {
 public:
  /// Reads the source and the headers of a request, which has to stay.
  explicit GlobalNames(const CompileRequest& request);

  /// Returns the text with `::weight` as `::space::weight`, for the names of the sources.
  std::string qualified(std::string text, const std::string& space) const;

 private:
  void read(std::string_view text);

  std::set<std::string_view> declared_;  ///< outside of namespaces, types and functions
};

}  // namespace tune::emulator
