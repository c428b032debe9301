// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tune::reports {

/// The text for an element or a quoted attribute, in ASCII, which browsers read faster. Bytes that are not
/// UTF-8 become U+FFFD, control characters blanks.
std::string html_text(std::string_view text);

/// A script in ASCII. No character may be beyond U+FFFF.
std::string ascii_script(std::string_view script);

/// JSON for a `<script>` element: it has no `<`, so nothing in it can end the element.
std::string script_text(std::string json);

/// Writes the unit `us` with a micro sign.
std::string typeset(std::string text);

}  // namespace tune::reports
