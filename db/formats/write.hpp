// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

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
