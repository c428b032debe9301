// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tuner/replay/recorded_space.hpp"

namespace tune::replay {

/// Whether an evaluation has the one time that the file ranks it by, or all of its samples.
enum class Samples { skip, keep };

/// Reads what other tuners recorded, told apart by their content: Kernel Tuner's cache (`tune_params_keys`,
/// `cache`; times in milliseconds), T4 (`results`; times in the unit of the measurement, else in
/// `metadata.timeunit`, else milliseconds) and KTT's results (`Metadata`, `Results`; times in its
/// `TimeUnit`). A configuration without a number for a time is a failure. A cache of Kernel Tuner that was
/// cut off counts up to the cut, with a note. Entries are turned into evaluations as they are read and single
/// samples are skipped, unless asked for: memory stays near that of the text. Samples are those of the file
/// where its time lies among them; else its time is the only one.
///
/// `name` is what the record is called, `file` what errors name. Throws Error with line or field, and cure.
ThirdPartyRecord read_recorded_json(std::string_view text, const std::string& name, const std::string& file,
                                    Samples samples = Samples::skip);

}  // namespace tune::replay
