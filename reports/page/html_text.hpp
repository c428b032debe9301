// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tune::reports {

/// As text of an element or between the quotes of an attribute. Bytes that are no UTF-8 become U+FFFD,
/// control characters blanks.
std::string html_text(std::string_view text);

/// JSON as the text of a `<script>` element: no `<` is left, so nothing in it can end the element.
std::string script_text(std::string json);

/// With what C++ writes in ASCII as people write it: `us` becomes a micro sign.
std::string typeset(std::string text);

}  // namespace tune::reports
