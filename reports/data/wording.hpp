// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/data/grid.hpp"
#include "reports/data/report_data.hpp"

/// The words and tables that the reports for people share.
namespace tune::reports {

/// `stencil3d 512x512x512 radius=1,type=float on NVIDIA H200`.
std::string title(const Section& section);
/// What is known of a section in a line each: a short name and its text.
std::vector<std::pair<std::string, std::string>> properties(const Section& section);

/// The fastest configurations.
Grid top_table(const Section& section);
Grid failure_table(const Section& section);
Grid run_table(const Section& section);
/// One line a section; worth showing where there are several.
Grid overview_table(const ReportData& data);

}  // namespace tune::reports
