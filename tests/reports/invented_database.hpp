// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "db/store/database.hpp"

namespace tune::testing {

/// Fills an empty database with runs of two problems on two devices: measurements, failures of several
/// causes, reused and repeated evaluations, an unfinished run, a replayed one, versions that were tuned again
/// later, and texts that reports have to quote. Always the same, times of day included.
void invent(db::Database& database);

}  // namespace tune::testing
