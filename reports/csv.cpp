// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/data/csv_lines.hpp"
#include "reports/report.hpp"

namespace tune::reports {
namespace {

using Names = std::vector<std::string>;

/// The names of a section's parameters in the order in which they appear first.
Names parameters(const Section& section) {
  struct First {
    std::string name;
    std::pair<std::size_t, std::size_t> place;  ///< the evaluation, and its index there
  };
  std::vector<First> known;
  each_configuration(section, [&](std::size_t place, const Configuration& configuration) {
    const auto& entries = configuration.entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      auto found = known.begin() + std::min(std::ssize(known), static_cast<std::ptrdiff_t>(i));
      if (found == known.end() || found->name != entries[i].first)
        found = std::ranges::find(known, entries[i].first, &First::name);
      if (found == known.end())
        known.push_back({entries[i].first, {place, i}});
      else
        found->place = std::min(found->place, std::pair(place, i));
    }
  });
  std::ranges::sort(known, {}, &First::place);
  Names names;
  for (First& one : known) names.push_back(std::move(one.name));
  return names;
}

/// Those of all sections.
Names parameters(const ReportData& data) {
  Names names;
  for (const Section& section : data.sections)
    for (std::string& name : parameters(section))
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  return names;
}

/// The columns before and after those of the parameters.
constexpr std::string_view first_columns =
    "problem,size,settings,device,model_key,architecture,driver,compiler,source_hash,origin,cache,run,evaluation,recorded";
constexpr std::string_view last_columns =
    "seconds,min_seconds,samples,share_of_limit,items_per_second,flops_per_second,bytes_per_second,error,"
    "tolerance,phase,reason,registers,spill_store_bytes,spill_load_bytes,local_bytes,static_shared_memory,"
    "dynamic_shared_memory,threads,max_threads,blocks_per_multiprocessor,occupancy,limiter,binary_hash,"
    "compile_seconds,load_seconds,verify_seconds,measure_seconds,measured_seconds,final_place,final_tied,"
    "final_rounds,final_low_seconds,final_high_seconds,final_ratio,stop,executions,throttled_samples,joules,"
    "core_clock,memory_clock,temperature,power,throttle,objective,value";

void add_workload(CsvLines& line, const db::Workload& workload) {
  for (const std::string* const text :
       {&workload.problem, &workload.size, &workload.settings, &workload.device, &workload.model_key,
        &workload.architecture, &workload.driver, &workload.toolchain.compiler,
        &workload.toolchain.source_hash})
    line.text(*text);
  line.text(to_string(workload.origin));
  line.text(to_string(workload.cache));
}

void add_outcome(CsvLines& line, const db::ResultRow& row) {
  if (!row.time) {
    line.empty(9);
    line.text(to_string(row.failure->phase));
    line.text(row.failure->reason);
    return;
  }
  const double time = *row.time;
  const db::WorkloadCost& amount = row.amount;
  const auto share = share_of_limit(amount, time);
  line.number(time);
  line.number(row.minimum);
  line.number(row.samples);
  share ? line.number(*share) : line.empty(1);
  for (const double value :
       {amount.items / time, amount.flops / time, amount.bytes / time, row.error, row.tolerance})
    line.number(value);
  line.empty(2);
}

void add_resources(CsvLines& line, const std::optional<KernelResources>& needs) {
  if (!needs) return line.empty(11);
  for (const int value : {needs->registers, needs->spill_store_bytes, needs->spill_load_bytes,
                          needs->local_bytes, needs->static_shared_memory, needs->dynamic_shared_memory,
                          needs->threads, needs->max_threads, needs->blocks_per_multiprocessor})
    line.number(value);
  line.number(needs->occupancy);
  line.text(needs->limiter);
}

void add_rerank(CsvLines& line, const db::ResultRow& row) {
  row.measured_time ? line.number(*row.measured_time) : line.empty(1);
  if (!row.rerank) return line.empty(6);
  const db::RerankStanding& rerank = *row.rerank;
  line.number(rerank.place);
  line.text(rerank.tied ? "1" : "0");
  line.number(rerank.rounds);
  for (const double value : {rerank.time.low, rerank.time.high, rerank.ratio.median}) line.number(value);
}

void add_measuring(CsvLines& line, const std::optional<Timing>& timing) {
  if (!timing) return line.empty(9);
  const MachineState& machine = timing->machine;
  line.text(to_string(timing->stop));
  line.number(timing->executions);
  line.number(timing->throttled);
  for (const double value :
       {timing->energy, machine.core_clock, machine.memory_clock, machine.temperature, machine.power})
    line.known_or_empty(value);
  line.text(machine.throttle);
}

void add_row(CsvLines& line, const Section& section, const db::ResultRow& row, const Names& parameter_names) {
  add_workload(line, row.workload);
  line.number(row.run);
  line.number(row.evaluation);
  line.text(row.recorded);
  for (const std::string& name : parameter_names) {
    const search::Value* value = row.configuration.find(name);
    line.text(value == nullptr ? "" : value->to_string());
  }
  add_outcome(line, row);
  add_resources(line, row.resources);
  line.text(row.binary_hash);
  for (const double value : {row.phases.compile, row.phases.load, row.phases.verify, row.phases.measure})
    line.number(value);
  add_rerank(line, row);
  add_measuring(line, row.timing);
  line.text(to_string(section.objective));
  const double value = value_of(row);
  line.known_or_empty(value > 0 ? section.objective.shown(value) : 0);
}

}  // namespace

void write_csv(const ReportData& data, std::ostream& out) {
  const Names names = parameters(data);
  CsvLines line(out);
  line.as_is(first_columns);
  for (const std::string& name : names) line.text("param_" + name);
  line.as_is(last_columns);
  line.end_line();
  for (const Section& section : data.sections)
    each_evaluation(section, [&](const db::ResultRow& row) {
      add_row(line, section, row, names);
      line.end_line();
    });
}

}  // namespace tune::reports
