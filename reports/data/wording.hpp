// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reports/data/grid.hpp"
#include "reports/data/report_data.hpp"
#include "reports/data/result.hpp"

/// The words and tables that the reports for people share.
namespace tune::reports {

/// `stencil3d 512x512x512 radius=1,type=float on NVIDIA H200`.
std::string title(const Section& section);
/// A value of the section's objective: `1.04 ms`; of a metric with its name: `GFLOP/s 812.5`.
std::string value_text(const Section& section, double value);
/// What a section ranks by, in one word: `time`, `energy`, or the name of its metric.
std::string objective_name(const Section& section);
/// The winner of a section that has one.
ShownResult winner_of(const Section& section);
/// How many others tie with the winner.
std::uint64_t tied_count(const Section& section);
/// The same in words: `none`, `2 other configurations`.
std::string tied_text(const Section& section);
/// The rate that people quote of the section's problem.
Rate main_rate(const Section& section);
/// The options of commands that name the workload: `--problem gemm --size 512x512x512 --set type=float`.
std::string workload_options(const db::Workload& workload);
/// The properties of a section, a line each: a short name and its text.
std::vector<std::pair<std::string, std::string>> properties(const Section& section);

/// The fastest configurations.
Grid top_table(const Section& section);
/// The Pareto front, by its first quantity; empty where none was asked for.
Grid front_table(const Section& section);
Grid failure_table(const Section& section);
Grid run_table(const Section& section);
/// A line for each section, for reports with several.
Grid overview_table(const ReportData& data);
/// A line for each problem.
Grid problem_table(const ReportData& data);

}  // namespace tune::reports
