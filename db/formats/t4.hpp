// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "db/formats/json_fields.hpp"
#include "db/formats/recorded_json.hpp"
#include "tuner/replay/recorded_space.hpp"

namespace tune::replay {

/// One entry of `results`, the n-th. A time whose measurement names no unit is left in the unit of the file,
/// which may stand behind the results: `finish_t4` comes last. Throws Error that names the entry.
void read_t4_entry(const Json& entry, ThirdPartyRecord& record, std::vector<bool>& unit_of_file,
                   const std::string& file, Samples samples = Samples::skip);

/// Seconds in `ns`, `microseconds`, `Milliseconds`, ... Throws Error for another name.
double seconds_of_unit(std::string unit, const std::string& file);

/// Times in the file's unit become seconds; kernel, size and device are taken from the metadata where they
/// say them, which T4 itself does not ask for. Throws Error for a unit that is unknown.
void finish_t4(const Json& head, ThirdPartyRecord& record, const std::vector<bool>& unit_of_file,
               const std::string& file);

}  // namespace tune::replay
