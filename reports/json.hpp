// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/report.hpp"

namespace tune::reports {

/// Everything in the data as one object; docs/report-json.md describes it.
class JsonReport : public Report {
 public:
  std::string render(const ReportData& data) const override;
};

}  // namespace tune::reports
