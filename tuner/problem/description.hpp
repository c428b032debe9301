// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tuner/problem/problem.hpp"

namespace tune {

/// How a description wants its problem to be tuned where nobody asks for anything else.
struct RunDefaults {
  std::optional<std::uint64_t> evaluations = std::nullopt;
  std::optional<double> seconds = std::nullopt;
  std::optional<double> share = std::nullopt;  ///< of all valid configurations, as evaluations
  std::string strategy = {};                   ///< empty: the program's default
  std::optional<std::uint64_t> seed = std::nullopt;
};

/// What a Problem also is that somebody described (in a file): it says how it is tuned, and has kernel files
/// of its own.
class HasDescription {
 public:
  virtual ~HasDescription() = default;
  virtual RunDefaults run_defaults() const = 0;
  /// Serves the texts of the description, and asks `others` for all that it has not. The problem must outlive
  /// it.
  virtual std::unique_ptr<KernelSources> sources(std::unique_ptr<const KernelSources> others) const = 0;
};

/// Null where the problem is none of a description, or null itself.
inline const HasDescription* find_description(const Problem* problem) {
  return dynamic_cast<const HasDescription*>(problem);
}

}  // namespace tune
