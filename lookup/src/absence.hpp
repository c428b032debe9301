// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "lookup/src/winners.hpp"

/// What to say where no record answers.
namespace tune::lookup {

/// Returns why no record fits: what of the query is in none of them (its problem, the number of its extents,
/// its settings), and what there is instead.
std::string reason_of_absence(const std::vector<Connection*>& connections, const Want& want);

/// Returns the devices of records, in the order of their names: `recorded devices: NVIDIA H100, NVIDIA H200`.
std::string recorded_devices(const std::vector<RecordedWorkload>& workloads);

}  // namespace tune::lookup
