// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tuner/replay/recorded_space.hpp"

namespace tune::replay {

/// Skips or keeps the samples behind the time that a file ranks an evaluation by.
enum class Samples { skip, keep };

/// Reads the files of other tuners, identified by their content: Kernel Tuner's cache (`tune_params_keys`,
/// `cache`; times in milliseconds), T4 (`results`; times in the unit of the measurement, else in
/// `metadata.timeunit`, else milliseconds) and KTT's results (`Metadata`, `Results`; times in its
/// `TimeUnit`). A configuration without a number for a time is a failure. A cache of Kernel Tuner that was
/// cut off is read up to the cut, with a note. Entries are turned into evaluations as they are read and
/// single samples are skipped, unless asked for: memory stays near that of the text. Samples are those of the
/// file where its time lies among them; else its time is the only one.
///
/// `name` is the record's name, `file` the one in errors. Throws Error with line or field, and cure.
ThirdPartyRecord read_recorded_json(std::string_view text, const std::string& name, const std::string& file,
                                    Samples samples = Samples::skip);

}  // namespace tune::replay
