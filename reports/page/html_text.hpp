// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tune::reports {

/// The text for an element or a quoted attribute. Bytes that are not UTF-8 become U+FFFD, control characters
/// blanks.
std::string html_text(std::string_view text);

/// JSON for a `<script>` element: it has no `<`, so nothing in it can end the element.
std::string script_text(std::string json);

/// Writes the unit `us` with a micro sign.
std::string typeset(std::string text);

}  // namespace tune::reports
