// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "db/formats/json_fields.hpp"
#include "tuner/replay/recorded_space.hpp"

namespace tune::replay {

/// One entry of KTT's `Results`, the n-th. Its times stay in the unit of the file, which stands before or
/// behind the results: `finish_ktt` comes last. Throws Error that names the entry.
void read_ktt_entry(const Json& entry, ThirdPartyRecord& record, const std::string& file);

/// Device, unit of time and time of day from the file's `Metadata`. Throws Error for a unit that is unknown.
void finish_ktt(const Json& head, ThirdPartyRecord& record, const std::string& file);

}  // namespace tune::replay
