// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "reports/data/report_data.hpp"

namespace tune::reports {

/// Writes the figures of a paper, `width` points wide: NAME.svg, NAME.pdf and NAME.csv (what it shows) of
/// each, then `captions.md` and `captions.tex`. `write` takes a file's name and its whole text. Returns how
/// many figures there are: 0 where nothing was measured, and then nothing was written. Reads all evaluations,
/// one section after another.
std::size_t write_figures(const ReportData& data, double width,
                          const std::function<void(const std::string& name, const std::string& text)>& write);

}  // namespace tune::reports
