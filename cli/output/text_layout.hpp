// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "search/space/configuration.hpp"
#include "tuner/measurement/median_interval.hpp"

namespace tune::cli {

/// Columns of a terminal that nobody has made wider.
constexpr std::size_t text_width = 80;

/// `text` broken at its spaces so that no line is longer than text_width, where its words allow it; every
/// line but the first behind `indent` spaces, the first one starting there already. Spaces between single
/// quotes stay.
std::string wrapped(std::string_view text, std::size_t indent);

/// `2026-01-31 12:00:00 UTC` for the database's `2026-01-31T12:00:00.000Z`; another text as it is.
std::string time_of_day(const std::string& stored);

/// A word of a command, between quotes where a shell would take it apart.
std::string shell_quoted(const std::string& word);

/// A line with a label in a column of its own; nothing where there is no text.
std::string labelled(std::string_view label, const std::string& text);

/// A configuration that is as good as the winner, and its value to the winner's.
struct Tie {
  const MedianInterval& ratio;
  const search::Configuration& configuration;
};

/// The ties of a winner, of which there are some: a heading, and two lines each for `max` of them.
std::string ties_text(const std::vector<Tie>& ties,
                      std::size_t max = std::numeric_limits<std::size_t>::max());

}  // namespace tune::cli
