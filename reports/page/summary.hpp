// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reports/page/effects.hpp"

/// The part of the page that needs no script: HTML with all text escaped.
namespace tune::reports {

/// Adds words to a name of lower-case letters, digits and single hyphens.
void add_to_id(std::string& id, std::string_view words);
/// For each section a name that addresses it in the page: `gemm-4096-tf32x3`. No two are equal.
std::vector<std::string> section_ids(const ReportData& data);
/// The headline.
std::string tiles_html(const ReportData& data);
/// A table for each device, with a row for each section, grouped by problem.
std::string summary_html(const ReportData& data);
/// The properties of the section, why its winner wins, its fastest configurations, runs and failures.
std::string section_html(const Section& section, const std::string& id, const ValueTable& table,
                         const std::vector<ParameterEffect>& effects);

}  // namespace tune::reports
