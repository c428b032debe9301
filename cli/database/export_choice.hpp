// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/input/stored_databases.hpp"
#include "db/read/queries.hpp"
#include "tuner/problem/instance.hpp"

namespace tune::cli {

using Settings = std::vector<std::pair<std::string, Value>>;

/// Size and settings of stored results.
Instance instance_of(const db::Workload& workload);

/// `stencil3d 512x512x512 radius=1 on NVIDIA H200`, and what else is out of the ordinary.
std::string title_of(const db::Workload& workload);

/// The works that fit, in the order in which they came: those with these settings alone, whatever their
/// others; of these only those without others, where there are some.
std::vector<db::Workload> fitting_workloads(const db::Database& database, const StoredChoice& choice,
                                            const Settings& settings);

/// Of works that differ in versions alone (driver, compiler, kernel sources) those of this program's kernel
/// sources, where there are some; else all. What is left out is told in `notes`, one line each.
std::vector<db::Workload> current_workloads(std::vector<db::Workload> workloads,
                                            std::vector<std::string>& notes);

/// Of works that differ in versions alone one, as `tune best` chooses: of this program's kernel sources
/// before others, then the one with the fastest winner. Works without any measurement are left out.
std::vector<db::Workload> best_workloads(const db::Database& database,
                                         const std::vector<db::Workload>& workloads);

/// In what several works differ, and the options that choose among them: for the end of a message.
std::string differences(const std::vector<db::Workload>& workloads);

/// `; there is: radius: 1, 2; type: float`, or nothing.
std::string settings_there(const std::vector<db::Workload>& workloads);

/// Names of files without their endings, of equal order, each one once: problem, size, settings and device,
/// and of works that differ in something else alone, that.
std::vector<std::string> file_names(const std::vector<db::Workload>& workloads);

}  // namespace tune::cli
