// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tune {

/// A facet of problems whose right results do not come from a reference of the program.
class HasReference {
 public:
  virtual ~HasReference() = default;
  /// What results are compared with, for users: `the default configuration (no reference given)`.
  virtual std::string compared_with() const = 0;
};

}  // namespace tune
