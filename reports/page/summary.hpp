// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/page/effects.hpp"

/// The part of the page that needs no script: HTML with all text escaped.
namespace tune::reports {

/// For each section a name that addresses it in the page: `gemm-4096-tf32x3`. No two are equal.
std::vector<std::string> section_ids(const ReportData& data);
/// The headline, then a table for each device, with a row for each section, grouped by problem.
std::string summary_html(const ReportData& data);
/// The properties of the section, why its winner wins, its fastest configurations, runs and failures; hidden
/// where another section is chosen. `number`: from 0, in the page.
std::string section_html(const Section& section, const std::string& id, std::size_t number,
                         const ValueTable& table, const std::vector<ParameterEffect>& effects);

}  // namespace tune::reports
