// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tune {

/// How text for people may look: what shows it decides. The default is plain text, as for a pipe or a file.
struct TextStyle {
  std::size_t width = 0;   ///< columns; 0: without a limit
  std::size_t height = 0;  ///< lines; 0: without a limit
  bool unicode = false;    ///< may have other characters than ASCII, such as bars
  bool colours = false;

  // The text in this style; unchanged without colours, and where it is empty.
  std::string bold(std::string_view text) const { return in("1", text); }  ///< the best
  std::string dim(std::string_view text) const { return in("2", text); }   ///< what is secondary
  std::string red(std::string_view text) const { return in("31", text); }
  std::string green(std::string_view text) const { return in("32", text); }
  std::string yellow(std::string_view text) const { return in("33", text); }

  /// The text, or its beginning with an ellipsis where it is wider than so many columns.
  std::string shortened(std::string_view text, std::size_t columns) const;
  /// A bar over a share of so many columns.
  std::string bar(double share, std::size_t columns) const;

 private:
  std::string in(std::string_view code, std::string_view text) const;
};

/// The columns that the text takes: its characters without colours.
std::size_t shown_width(std::string_view text);
/// As many characters as fit these columns; colours take none, and end where the text is cut.
std::string cut_to(std::string_view text, std::size_t columns);
/// The text with blanks up to this column.
std::string padded_to(std::string_view text, std::size_t columns);

/// As `printable` of the text, but for the colours of a TextStyle, which stay.
std::string printable_with_colours(const std::string& text);

/// Breaks `text` at its spaces so that no line is longer than `width`, as far as its words allow. The first
/// line starts at column `indent`; the others are indented by as many spaces. Spaces between single quotes
/// stay.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

}  // namespace tune
