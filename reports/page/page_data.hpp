// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "reports/data/report_data.hpp"

namespace tune::reports {

/// The most configurations that a page shows one by one, over all its sections.
inline constexpr std::size_t page_rows = 20'000;

/// The data for the page's script, as one line of JSON: for each section, columns of numbers of five
/// significant digits in plain units (seconds, bytes). Sections with more measurements than their share of
/// `max_rows` state how many are shown.
std::string page_data(const ReportData& data, std::size_t max_rows = page_rows);

}  // namespace tune::reports
