// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/described/description.hpp"
#include "kernels/described/imports/script_names.hpp"

namespace tune::described {

/// Names for the numbers of a definition in T1. Large numbers of the grid and of scalars are sizes; arrays
/// follow them: a size, a product of up to three, or a square with a margin (`(n + 16) * (n + 16)`). The same
/// number is the same size, and has the name of a scalar with that value. All of it is guessed, but at the
/// sizes' values the meaning is the one of T1.
class T1Sizes {
 public:
  explicit T1Sizes(const KernelDescription& definition);

  /// With values for checks.
  const std::vector<ScriptSize>& sizes() const { return sizes_; }
  /// The text of a formula with sizes in place of its numbers.
  std::string with_names(const std::string& formula) const;
  /// The number of elements of an array, as far as sizes tell; else the number.
  std::string of_array(std::string_view name, std::int64_t elements);

 private:
  const std::string& add(std::int64_t value, const std::string& name = {});
  const ScriptSize* find(std::int64_t value) const;
  std::optional<std::string> as_product(std::int64_t elements) const;

  std::set<std::string> taken_;                  ///< names that sizes cannot have
  std::map<std::int64_t, std::string> scalars_;  ///< whose names their sizes have
  std::vector<ScriptSize> sizes_;
};

}  // namespace tune::described
