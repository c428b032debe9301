// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/data/report_data.hpp"

namespace tune::reports {

/// The first chart as HTML and SVG, which a browser shows before it has read any script: the share of the
/// limit that the best and the default of each section reach. `ids`: section_ids. Empty if no limit is known.
std::string overview_html(const ReportData& data, const std::vector<std::string>& ids);

}  // namespace tune::reports
