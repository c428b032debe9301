// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "db/formats/json_fields.hpp"
#include "db/formats/recorded_json.hpp"
#include "tuner/replay/recorded_space.hpp"

namespace tune::replay {

/// Reads the next entry of `results`. A time whose measurement names no unit stays in the unit of the file,
/// which may stand behind the results: `finish_t4` comes last. Throws Error that names the entry.
void read_t4_entry(const Json& entry, ThirdPartyRecord& record, std::vector<bool>& unit_of_file,
                   const std::string& file, Samples samples = Samples::skip);

/// Returns the seconds of `ns`, `microseconds`, `Milliseconds`, ... Throws Error for another name.
double seconds_of_unit(std::string unit, const std::string& file);

/// Converts times in the file's unit to seconds. Kernel, size and device are taken from the metadata where
/// they have them, which T4 does not require. Throws Error for an unknown unit.
void finish_t4(const Json& head, ThirdPartyRecord& record, const std::vector<bool>& unit_of_file,
               const std::string& file);

}  // namespace tune::replay
