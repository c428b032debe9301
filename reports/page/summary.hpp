// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/data/report_data.hpp"

/// The part of the page that needs no script: HTML with all text escaped.
namespace tune::reports {

/// A table for each device, with a row for each section.
std::string summary_html(const ReportData& data);
/// For each section its properties, why its winner wins, its fastest configurations, runs and failures;
/// hidden where another section is chosen.
std::string sections_html(const ReportData& data);

}  // namespace tune::reports
