// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/report.hpp"

namespace tune::reports {

/// Comma-separated values (RFC 4180, lines end in LF): a header, then one row for each evaluation of every
/// section. Seconds, bytes and rates without prefixes; a cell is empty where there is no value. Parameters
/// are columns `param_NAME`, those of all sections, in the order in which they appear first.
class CsvReport : public Report {
 public:
  std::string render(const ReportData& data) const override;
};

}  // namespace tune::reports
