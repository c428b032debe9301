// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "db/formats/file_format.hpp"
#include "tuner/replay/recorded_space.hpp"

namespace tune::replay {

/// Returns what importing the file loses or makes up, one line each: `record.losses`, and the fields that the
/// format never has. `record`: that of the file, with what the user adds.
std::vector<std::string> import_losses(const RecordedFile& file, const ThirdPartyRecord& record);

/// Stands for a parameter that a configuration does not have, where a format requires all of them.
constexpr std::string_view absent = "none";

/// A format's word for a phase of failure, and the phase that reading it gives.
struct FailureWord {
  std::string_view word;
  Phase read_as;
};
/// In the order of `Phase`.
using FailureNames = std::array<FailureWord, 7>;

/// Returns the word for this failure.
std::string_view name_of(const Failure& failure, const FailureNames& names);

/// Adds lines for phases that are read back as another one, and for reasons and details, which no format has.
void tell_failures(ThirdPartyRecord& record, const FailureNames& names);

/// Returns the size without the settings behind it; adds a line where there are settings.
std::string size_without_settings(ThirdPartyRecord& record, std::string_view format);

/// Adds a line where configurations lack parameters that others have; `written` states what is written
/// instead.
void tell_absent(ThirdPartyRecord& record, std::string_view written);

}  // namespace tune::replay
