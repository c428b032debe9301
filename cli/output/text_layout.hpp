// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

/// Columns of running text: those of the terminal up to 100; 80 elsewhere.
std::size_t text_width();
/// The column at which texts behind labels begin.
constexpr std::size_t label_column = 12;

/// Breaks `text` at its spaces so that no line is longer than text_width(), as far as its words allow. The
/// first line starts at column `indent`; the others are indented by as many spaces. Spaces between single
/// quotes stay.
std::string wrapped(std::string_view text, std::size_t indent);

/// The end of a message about an unknown name: `did you mean 'direct'?`, or `otherwise` where no known name
/// is like it.
std::string suggestion(std::string_view name, const std::vector<std::string>& known,
                       const std::string& otherwise);

/// `2026-01-31 12:00:00 UTC` for the database's `2026-01-31T12:00:00.000Z`; returns other texts unchanged.
std::string time_of_day(const std::string& stored);

/// A line with a label in a column of its own, its text as it is; nothing where there is no text.
std::string labelled(std::string_view label, const std::string& text);
/// The first text behind the label, the others below it, all wrapped; nothing where there are none.
std::string labelled(std::string_view label, const std::vector<std::string>& texts);

}  // namespace tune::cli
