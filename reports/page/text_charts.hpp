// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/data/report_data.hpp"
#include "tuner/base/text_style.hpp"

namespace tune::reports {

/// How the measured configurations are distributed, and which parameters matter, as bars of text. Empty where
/// fewer than three were measured. Reads all evaluations of the section.
std::string text_charts(const Section& section, const TextStyle& style);

}  // namespace tune::reports
