// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "db/store/database.hpp"
#include "reports/data/report_data.hpp"

namespace tune::testing {

/// Fills an empty database with runs of two problems on two devices: measurements, failures of several
/// causes, reused and repeated evaluations, an unfinished run, a replayed one, versions that were tuned again
/// later, and texts that reports have to quote. Always the same, times of day included.
void invent(db::Database& database);

/// Fills an empty database with a run that maximises the metric `GFLOP/s` of its results: the best has 800
/// GFLOP/s, ties with the second, and is not the fastest; the fastest has no value.
void invent_metric(db::Database& database);

/// The same by the front of time and metric.
void invent_front(db::Database& database);

/// The same data with all evaluations in memory: they outlive the database, and tests can change them.
reports::ReportData in_memory(reports::ReportData data);

/// The one section of the data that has everything, with its winner, one failure and one run alone: every
/// member that a report for programs has, on few lines. Its evaluations must be in memory.
reports::ReportData smallest_part(reports::ReportData data);

}  // namespace tune::testing
