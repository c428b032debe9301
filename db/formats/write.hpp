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

/// The text of a file in one of the field's formats, which read_recorded_json reads back. What the format
/// cannot hold, or holds as something else, becomes lines of `record.losses`. docs/formats.md has every
/// field.
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

/// What importing the record loses or has to make up, one line each: for people. `record.losses` of what was
/// read, and what the format never says.
std::vector<std::string> import_losses(const ThirdPartyRecord& record);

}  // namespace tune::replay

/// What the writers of this folder share.
namespace tune::replay {

/// What stands for a parameter that a configuration does not have, where a format asks for all of them.
constexpr std::string_view absent = "none";

/// A format's word for a phase of failure, and the phase that reading it gives.
struct FailureWord {
  std::string_view word;
  Phase read_as;
};
/// In the order of `Phase`.
using FailureNames = std::array<FailureWord, 7>;

/// The word for this failure.
std::string_view name_of(const Failure& failure, const FailureNames& names);

/// Lines for phases that come back as another one, and for reasons and details, which no format has.
void tell_failures(ThirdPartyRecord& record, const FailureNames& names);

/// A line where the record has settings, which stand behind its size; gives the size alone.
std::string size_without_settings(ThirdPartyRecord& record, std::string_view format);

/// A line where configurations lack parameters that others have: `written` says what is written there.
void tell_absent(ThirdPartyRecord& record, std::string_view written);

}  // namespace tune::replay
