// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

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

}  // namespace tune::reports
