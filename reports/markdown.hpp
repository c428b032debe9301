// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/report.hpp"

namespace tune::reports {

/// The same as the text report, with tables that web pages show.
class MarkdownReport : public Report {
 public:
  std::string render(const ReportData& data) const override;
};

}  // namespace tune::reports
