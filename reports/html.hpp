// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/report.hpp"

namespace tune::reports {

/// One file for a browser: tables and sentences that need no script, and charts. It needs nothing from
/// elsewhere where the program was built with the chart library; else the library comes over the network, and
/// is refused unless it is exactly the one that this program was written for.
class HtmlReport : public Report {
 public:
  std::string render(const ReportData& data) const override;
};

/// How a page differs from the file.
struct PageOptions {
  bool library = true;  ///< false: without the inlined chart library, for tests
  std::string
      live;  ///< it asks the server that it comes from for what is newer than this; empty: it does not
};
std::string html_page(const ReportData& data, const PageOptions& options = {});

/// What a live page asks for: the data and the parts of the page that need no script, as JSON.
std::string page_update(const ReportData& data);

}  // namespace tune::reports
