// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "reports/page/page_parts.hpp"

/// The report as a page for a browser. Style, script and library are embedded in the program from
/// reports/web/.
namespace tune::reports {

std::string_view page_style();
/// All of our own script, as one function that runs at once.
std::string page_script();

/// The text of the chart library; empty where the program was built without it.
std::string_view page_library();
/// The web address of the same version, and the hash that a browser checks it against.
std::string library_address();
std::string library_integrity();

/// How a page differs from the file.
struct PageOptions {
  bool library = true;  ///< false: without the inlined chart library, for tests
  /// The ETag of the data; the page asks its server for newer data. Empty: it does not.
  std::string live = {};
};
/// One file for a browser: tables and sentences, which need no script, and charts. It loads nothing where the
/// program was built with the chart library; else the browser loads the library from the network, and refuses
/// any other version.
std::string html_page(const PageParts& parts, const PageOptions& options = {});

/// The answer to a live page, as JSON: headline and summary, the ids of all sections in their order, and of
/// those that are new to the page or changed the head, the part that needs no script, and the body that
/// `body_of` returns for the section of this number: empty where it did not change.
std::string page_update(const PageParts& parts, const std::function<std::string(std::size_t)>& body_of);

}  // namespace tune::reports
