// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tune::definition {

/// A step into a JSON value: a member's name, or the number of an element.
struct JsonStep {
  std::string name;  ///< of a member; empty for an element
  std::size_t index = 0;
  bool is_member = false;

  static JsonStep member(std::string name) { return {std::move(name), 0, true}; }
  static JsonStep element(std::size_t index) { return {"", index, false}; }
};
using JsonPath = std::vector<JsonStep>;

/// `KernelSpecification.Arguments[2].Size`.
std::string to_string(const JsonPath& path);

/// The line, from 1, on which the value at `path` begins; that of the last step that is there, where the rest
/// is not. `text` must be valid JSON, `//` and `/* */` comments allowed.
int line_of(std::string_view text, const JsonPath& path);

}  // namespace tune::definition
