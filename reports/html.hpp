// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "reports/report.hpp"

/// What every page has, embedded in the program from reports/web/.
namespace tune::reports {

std::string_view page_style();
/// All of our own script, as one function that runs at once.
std::string page_script();

/// The text of the chart library; empty where the program was built without it.
std::string_view page_library();
/// Where the same version of it is on the web, and the hash that a browser holds it against.
std::string library_address();
std::string library_integrity();

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
  /// It asks the server that it comes from for what is newer than this. Empty: it does not.
  std::string live = {};
};
std::string html_page(const ReportData& data, const PageOptions& options = {});

/// What a live page asks for: the data and the parts of the page that need no script, as JSON.
std::string page_update(const ReportData& data);

}  // namespace tune::reports
