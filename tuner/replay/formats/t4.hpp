// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/replay/formats/json_fields.hpp"
#include "tuner/replay/recorded_space.hpp"

namespace tune::replay {

/// One entry of `results`, the n-th. A time whose measurement names no unit is left in the unit of the file,
/// which may stand behind the results: `finish_t4` comes last. Throws Error that names the entry.
void read_t4_entry(const Json& entry, ForeignRecord& record, std::vector<bool>& unit_of_file,
                   const std::string& file);

/// Times in the file's unit become seconds. Throws Error for a unit that is unknown.
void finish_t4(const Json& head, ForeignRecord& record, const std::vector<bool>& unit_of_file,
               const std::string& file);

}  // namespace tune::replay
