// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune::search {

/// Returns the known name with the fewest letters inserted, left out, changed or swapped with their
/// neighbour, upper and lower case being the same; the first of equals. What three or more letters begin
/// counts as one letter away. Returns nothing where even that one differs in more than about a third of its
/// letters.
std::optional<std::string> nearest_name(std::string_view wanted, const std::vector<std::string>& known);

/// Returns ` (did you mean 'block_x'?)` to append to a message, or an empty text where no name is near.
std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& known);

}  // namespace tune::search
