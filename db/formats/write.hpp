// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/formats/json_fields.hpp"
#include "tuner/replay/recorded_space.hpp"

namespace tune::replay {

/// These return the text of a file in one of the field's formats, which read_recorded_json reads back. Fields
/// that the format lacks or changes become lines of `record.losses`. docs/formats.md has every field.
///
/// `record.workload` is a size as `512x512x512`, with settings behind a space.
std::string to_t4(ThirdPartyRecord& record);
std::string to_kernel_tuner(ThirdPartyRecord& record);
std::string to_ktt(ThirdPartyRecord& record);

/// One line of the table of formats.
struct WriterEntry {
  std::string_view name;    ///< as typed: `t4`
  std::string_view ending;  ///< of files of this format: `.t4.json`
  std::string (*write)(ThirdPartyRecord& record);
};
std::span<const WriterEntry> writers();

/// Returns what importing the record loses or makes up, one line each: `record.losses` of the file, and the
/// fields that the format never has.
std::vector<std::string> import_losses(const ThirdPartyRecord& record);

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
