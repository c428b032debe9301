// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>

#include "reports/figures/drawing.hpp"

namespace tune::reports {
namespace {

/// Thousandths of the font's size, from the blank to `~`: facts of Helvetica, which Arial and Liberation Sans
/// share.
constexpr std::array<int, 95> widths = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

constexpr char ellipsis = '\x85';

int width_of(unsigned char letter) {
  if (letter >= 32 && letter < 127) return widths.at(letter - 32U);
  switch (letter) {
    case 0x85:
      return 1000;  // ...
    case 0xb2:
    case 0xb3:
      return 333;  // superscripts
    case 0xd7:
      return 584;  // multiplication
    default:
      return 556;
  }
}

}  // namespace

std::string win_ansi(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      result += byte < 32 || byte == 127 ? ' ' : text[i];
      continue;
    }
    const std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    const std::string_view letter = text.substr(i, length);
    i += letter.size() - 1;
    if (letter == "\u2026")
      result += ellipsis;
    else if (letter == "\u2013")
      result += '\x96';
    else if (length == 2 && byte >= 0xc2 && byte <= 0xc3 && letter.size() == 2 &&
             (byte == 0xc3 || (letter[1] & 0x20) != 0))
      result += static_cast<char>(((byte & 3U) << 6U) | (static_cast<unsigned char>(letter[1]) & 0x3fU));
    else
      result += '?';
  }
  return result;
}

double text_width(std::string_view text) {
  int sum = 0;
  for (const char letter : win_ansi(text)) sum += width_of(static_cast<unsigned char>(letter));
  return sum * font_size / 1000;
}

std::string fitted_text(std::string_view text, double width) {
  if (text_width(text) <= width) return std::string(text);
  std::string result(text);
  while (!result.empty() && text_width(result + "\u2026") > width) {
    while (!result.empty() && (static_cast<unsigned char>(result.back()) & 0xc0U) == 0x80) result.pop_back();
    if (!result.empty()) result.pop_back();
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result + "\u2026";
}

}  // namespace tune::reports
