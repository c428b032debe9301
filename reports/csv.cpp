// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <ostream>
#include <string_view>
#include <vector>

#include "reports/report.hpp"
#include "tuner/base/format.hpp"

namespace tune::reports {
namespace {

using Cells = std::vector<std::string>;

/// True for a cell that a spreadsheet would compute; numbers are no formulas.
bool is_formula(const std::string& cell) {
  if (cell.empty() || std::string_view("=+-@\t\r").find(cell.front()) == std::string_view::npos) return false;
  double number = 0;
  const char* end = cell.data() + cell.size();
  const auto read = std::from_chars(cell.data(), end, number);
  return read.ec != std::errc() || read.ptr != end;
}

std::string quoted(const std::string& written) {
  const std::string cell = is_formula(written) ? "'" + written : written;
  if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

std::string line(const Cells& cells) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) text += (i == 0 ? "" : ",") + quoted(cells[i]);
  return text + '\n';
}

/// In the order in which they appear first.
Cells parameters(const ReportData& data) {
  Cells names;
  for (const Section& section : data.sections)
    each_configuration(section, [&](const Configuration& configuration) {
      for (const auto& [name, value] : configuration.entries())
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    });
  return names;
}

void add(Cells& cells, const Cells& more) {
  cells.insert(cells.end(), more.begin(), more.end());
}

/// The columns before and after those of the parameters.
constexpr std::string_view first_columns =
    "problem,size,settings,device,model_key,architecture,driver,compiler,source_hash,origin,cache,run,evaluation,recorded";
constexpr std::string_view last_columns =
    ",seconds,min_seconds,samples,share_of_limit,items_per_second,flops_per_second,bytes_per_second,error,"
    "tolerance,phase,reason,registers,spill_store_bytes,spill_load_bytes,local_bytes,static_shared_memory,"
    "dynamic_shared_memory,threads,max_threads,blocks_per_multiprocessor,occupancy,limiter,binary_hash,"
    "compile_seconds,load_seconds,verify_seconds,measure_seconds,measured_seconds,final_place,final_tied,"
    "final_rounds,final_low_seconds,final_high_seconds,final_ratio,stop,executions,throttled_samples,joules,"
    "core_clock,memory_clock,temperature,power,throttle\n";

/// The shortest form that reads back the same.
std::string number(double value) {
  return format("{}", value);
}

Cells outcome(const db::ResultRow& row) {
  if (!row.time) {
    Cells cells(9);
    add(cells, {std::string(to_string(row.failure->phase)), row.failure->reason});
    return cells;
  }
  const double time = *row.time;
  const db::WorkloadCost& amount = row.amount;
  const auto share = share_of_limit(amount, time);
  return {number(time),
          number(row.minimum),
          format("{}", row.samples),
          share ? number(*share) : "",
          number(amount.items / time),
          number(amount.flops / time),
          number(amount.bytes / time),
          number(row.error),
          number(row.tolerance),
          "",
          ""};
}

Cells resources(const std::optional<KernelResources>& needs) {
  if (!needs) return Cells(11);
  Cells cells;
  for (const int value : {needs->registers, needs->spill_store_bytes, needs->spill_load_bytes,
                          needs->local_bytes, needs->static_shared_memory, needs->dynamic_shared_memory,
                          needs->threads, needs->max_threads, needs->blocks_per_multiprocessor})
    cells.push_back(format("{}", value));
  add(cells, {number(needs->occupancy), needs->limiter});
  return cells;
}

/// Empty where it is not known.
std::string known_or_empty(double value) {
  return value > 0 ? number(value) : "";
}

Cells rerank_cells(const db::ResultRow& row) {
  Cells cells = {row.measured_time ? number(*row.measured_time) : ""};
  if (!row.rerank) {
    add(cells, Cells(6));
    return cells;
  }
  const db::RerankStanding& rerank = *row.rerank;
  add(cells, {format("{}", rerank.place), rerank.tied ? "1" : "0", format("{}", rerank.rounds),
              number(rerank.time.low), number(rerank.time.high), number(rerank.ratio.median)});
  return cells;
}

Cells measuring_cells(const std::optional<Timing>& timing) {
  if (!timing) return Cells(9);
  const MachineState& machine = timing->machine;
  return {std::string(to_string(timing->stop)),
          format("{}", timing->executions),
          format("{}", timing->throttled),
          known_or_empty(timing->energy),
          known_or_empty(machine.core_clock),
          known_or_empty(machine.memory_clock),
          known_or_empty(machine.temperature),
          known_or_empty(machine.power),
          machine.throttle};
}

Cells row_cells(const db::ResultRow& row, const Cells& parameter_names) {
  const db::Workload& workload = row.workload;
  Cells cells = {workload.problem,
                 workload.size,
                 workload.settings,
                 workload.device,
                 workload.model_key,
                 workload.architecture,
                 workload.driver,
                 workload.toolchain.compiler,
                 workload.toolchain.source_hash,
                 std::string(to_string(workload.origin)),
                 std::string(to_string(workload.cache)),
                 format("{}", row.run),
                 format("{}", row.evaluation),
                 row.recorded};
  for (const std::string& name : parameter_names) {
    const search::Value* value = row.configuration.find(name);
    cells.push_back(value == nullptr ? "" : value->to_string());
  }
  add(cells, outcome(row));
  add(cells, resources(row.resources));
  add(cells, {row.binary_hash, number(row.phases.compile), number(row.phases.load), number(row.phases.verify),
              number(row.phases.measure)});
  add(cells, rerank_cells(row));
  add(cells, measuring_cells(row.timing));
  return cells;
}

}  // namespace

void write_csv(const ReportData& data, std::ostream& out) {
  const Cells names = parameters(data);
  out << first_columns;
  for (const std::string& name : names) out << "," + quoted("param_" + name);
  out << last_columns;
  for (const Section& section : data.sections)
    each_evaluation(section, [&](const db::ResultRow& row) { out << line(row_cells(row, names)); });
}

}  // namespace tune::reports
