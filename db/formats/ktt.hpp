// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "db/formats/json_fields.hpp"
#include "tuner/replay/recorded_space.hpp"

namespace tune::replay {

/// Reads the next entry of KTT's `Results`. Its times stay in the unit of the file, which stands before or
/// behind the results: `finish_ktt` comes last. Throws Error that names the entry.
void read_ktt_entry(const Json& entry, ThirdPartyRecord& record, const std::string& file);

/// Reads device, unit of time and time of day from the file's `Metadata`. Throws Error for an unknown unit.
void finish_ktt(const Json& head, ThirdPartyRecord& record, const std::string& file);

}  // namespace tune::replay
