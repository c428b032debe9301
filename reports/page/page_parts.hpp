// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/data/report_data.hpp"

namespace tune::reports {

/// How much of the data a page holds, so that a browser stays usable. What is left out is stated in the page;
/// tables, sentences, effects and the best with each value follow from all of it.
struct PageLimits {
  std::size_t rows = 20'000;         ///< about as many configurations one by one, over all sections
  std::size_t values = 1'000;        ///< of a parameter, where the shown configurations have no more
  std::size_t improvements = 1'000;  ///< of a run
};

/// One section in a page.
struct PageSection {
  std::string id;    ///< section_ids
  std::string html;  ///< its article
  std::string head;  ///< JSON: what the summary and charts of all works need
  std::string body;  ///< JSON: parameters, rows and what else the charts of this work alone need
};

/// What follows from the data in a page.
struct PageParts {
  std::string source;      ///< a sentence that names the database
  std::string tiles;       ///< HTML: the headline
  std::string overview;    ///< HTML: overview_html
  std::string summary;     ///< HTML
  std::string crossovers;  ///< JSON: where the best variant changes along a number
  /// Numbers have five significant digits and plain units (seconds, bytes); rows are columns.
  std::vector<PageSection> each;
};

/// Reads all evaluations, one section after another, of which only numbers are held: about 100 bytes for each
/// evaluation of the largest section.
PageParts page_parts(const ReportData& data, const PageLimits& limits = {});

}  // namespace tune::reports
