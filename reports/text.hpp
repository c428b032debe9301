// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/report.hpp"

namespace tune::reports {

/// Plain text for a terminal: one block a section.
class TextReport : public Report {
 public:
  std::string render(const ReportData& data) const override;
};

}  // namespace tune::reports
