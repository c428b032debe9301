// SPDX-License-Identifier: Apache-2.0
#include "search/space/parameter.hpp"

namespace tune::search {

std::string list_values(const Parameter& parameter) {
  std::string text;
  for (const Value& value : parameter.values) {
    if (!text.empty()) text += ", ";
    text += value.to_string();
  }
  return text;
}

}  // namespace tune::search
