// SPDX-License-Identifier: Apache-2.0
#include "reports/page/why.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "reports/data/wording.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/evaluation/evaluation.hpp"

namespace tune::reports {
namespace {

using Sentences = std::vector<std::string>;

std::string percent_longer(double time, double than) {
  const double change = time / than - 1;
  if (std::abs(change) < 0.0005) return "as long";
  if (change < 0) return percent_text(-change) + " less";
  return change >= 2 ? format("{:.1f} times as long", time / than) : percent_text(change) + " longer";
}

/// `3.1 % longer` where times are compared, else `3.1 % worse`.
std::string compared(const Section& section, double value) {
  const double best = value_of(*section.winner);
  if (section.objective == Objective::time) return percent_longer(value, best);
  const double change = std::abs(section.objective.shown(value) / section.objective.shown(best) - 1);
  if (change < 0.0005) return "as good";
  return percent_text(change) + (value < best ? " better" : " worse");
}

void add_objective(const Section& section, Sentences& sentences) {
  if (section.objective == Objective::time) return;
  if (const auto* const both = section.objective.of_front()) {
    sentences.push_back(format(
        "The Pareto front of {} and {} has {}: no other is better in both. The best has the smallest product.",
        name_of(both->front()), name_of(both->back()), counted(section.front.size(), "configuration")));
    return;
  }
  const MetricObjective* const metric = section.objective.of_metric();
  sentences.push_back(format("Configurations are ranked by {}; the {} is best: {}.", objective_name(section),
                             metric != nullptr && metric->maximised ? "largest" : "smallest",
                             value_text(section, value_of(*section.winner))));
}

void add_limit(const Section& section, Sentences& sentences) {
  const double time = *section.winner->time;
  const db::WorkloadCost& amount = section.amount;
  const Ceilings top = ceilings(section);
  std::string text = format("It takes {}", si(time, "s"));
  if (const Rate rate = main_rate(section); rate.amount > 0) text += ", " + rate_text(rate, time);
  if (amount.limit > 0)
    text += format(": {} of what the device allows (at least {}, by the roofline of {})",
                   percent_text(amount.limit / time), si(amount.limit, "s"),
                   top.host_bound     ? "copies between host and device"
                   : top.memory_bound ? "memory"
                                      : "arithmetic");
  sentences.push_back(text + ".");
  if (top.host_bound) {
    sentences.push_back(format(
        "{} move between host and device, {} in both directions together. Measured copies reach {} to the "
        "device and {} back; both can overlap with the computation.",
        si(amount.bytes, "B"), si(amount.bytes / time, "B/s"),
        si(section.device.host_to_device_bandwidth, "B/s"),
        si(section.device.device_to_host_bandwidth, "B/s")));
    return;
  }
  if (!(top.intensity > 0 && top.bandwidth > 0 && top.flops > 0)) return;
  sentences.push_back(format(
      "One solution moves at least {} and computes {}: {:.3g} FLOP/byte. Memory is the limit up to {:.3g} "
      "FLOP/byte, so this problem is bound by {}. The winner reaches {} ({} of {} bandwidth) and {} ({} of "
      "peak).",
      si(amount.bytes, "B"), si(amount.flops, "FLOP"), top.intensity, top.flops / top.bandwidth,
      top.memory_bound ? "memory" : "arithmetic", si(amount.bytes / time, "B/s"),
      percent_text(amount.bytes / time / top.bandwidth),
      top.measured ? "the measured copy" : "the datasheet's", si(amount.flops / time, "FLOP/s"),
      percent_text(amount.flops / time / top.flops)));
}

void add_resources(const Section& section, const ValueTable& table, Sentences& sentences) {
  const auto& needs = section.winner->resources;
  if (!needs) return;
  const int shared = needs->static_shared_memory + needs->dynamic_shared_memory;
  std::string text = format(
      "Its kernel needs {} registers per thread, {}, and {} in blocks of {} threads", needs->registers,
      needs->spill_store_bytes + needs->spill_load_bytes > 0
          ? format("spills {} B (and reads {} B back)", needs->spill_store_bytes, needs->spill_load_bytes)
          : "spills nothing",
      shared > 0 ? bytes_text(shared) + " of shared memory" : "no shared memory", needs->threads);
  text += format(": {} block{} per SM, occupancy {}", needs->blocks_per_multiprocessor,
                 needs->blocks_per_multiprocessor == 1 ? "" : "s", percent_text(needs->occupancy));
  if (!needs->limiter.empty()) text += format(", limited by {}", needs->limiter);
  std::vector<double> others;
  for (std::size_t row = 1; row < table.rows; ++row)
    if (const auto& resources = table.resources[row]) others.push_back(resources->occupancy);
  if (!others.empty())
    text += format(" (the median configuration has {})", percent_text(median(std::move(others))));
  sentences.push_back(text + ".");
}

void add_variants(const Section& section, const ValueTable& table,
                  const std::vector<ParameterEffect>& effects, Sentences& sentences) {
  const auto group = table.group;
  if (!group || table.level(*group, 0) < 0) return;
  const MeasuredParameter& parameter = table.parameters[*group];
  std::vector<std::pair<std::size_t, std::size_t>> others;  // best row, value
  for (std::size_t value = 0; value < parameter.values.size(); ++value)
    if (static_cast<int>(value) != table.level(*group, 0))
      others.emplace_back(effects[*group].values[value].best, value);
  if (others.empty()) return;
  std::ranges::sort(others);
  const double nearest = table.values[others.front().first];
  std::string text = format("The nearest with another {} is {}: {}, {}", parameter.name,
                            parameter.values[others.front().second].to_string(), value_text(section, nearest),
                            compared(section, nearest));
  for (std::size_t i = 1; i < std::min<std::size_t>(others.size(), 4); ++i) {
    const double other = table.values[others[i].first];
    text += format("{} {} {}, {}", i == 1 ? "; then" : ";", parameter.values[others[i].second].to_string(),
                   value_text(section, other), compared(section, other));
  }
  sentences.push_back(text + ".");
}

/// `stages 2 to 3 +4.1 %` of the neighbours that lose most and least.
void add_steps(const Section& section, const ValueTable& table, Sentences& sentences) {
  std::vector<std::size_t> rows = neighbours_of_winner(table);
  if (rows.empty()) return;
  std::ranges::sort(rows, {}, [&](std::size_t row) { return table.values[row]; });
  const auto describe = [&](std::size_t row) {
    std::size_t p = 0;
    while (table.level(p, row) == table.level(p, 0)) ++p;
    const MeasuredParameter& parameter = table.parameters[p];
    return format("{} = {} instead of {} {} {}", parameter.name,
                  parameter.values[static_cast<std::size_t>(table.level(p, row))].to_string(),
                  parameter.values[static_cast<std::size_t>(table.level(p, 0))].to_string(),
                  section.objective == Objective::time ? "takes" : "is",
                  compared(section, table.values[row]));
  };
  std::string text = format("{} measured configuration{} differ{} from it in one parameter: ", rows.size(),
                            rows.size() == 1 ? "" : "s", rows.size() == 1 ? "s" : "");
  text += describe(rows.front());
  if (rows.size() > 1) text += "; the worst: " + describe(rows.back());
  sentences.push_back(text + ".");
}

void add_importance(const Section& section, const ValueTable& table,
                    const std::vector<ParameterEffect>& effects, Sentences& sentences) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < effects.size(); ++i)
    if (effects[i].importance && *effects[i].importance >= 0.01 && 2 * effects[i].count >= table.rows)
      order.emplace_back(-*effects[i].importance, i);
  if (order.empty()) return;
  std::ranges::sort(order);
  if (order.size() > 3) order.resize(3);
  const auto text_of = [&](const auto& parameter) {
    return format("{} ({})", table.parameters[parameter.second].name, percent_text(-parameter.first));
  };
  sentences.push_back(
      format("These parameters explain most of the differences in {} between measured configurations: {}.",
             objective_name(section), joined(order, text_of)));
}

void add_standing(const Section& section, Sentences& sentences) {
  const db::ResultRow& winner = *section.winner;
  std::string text = format("{} of {} {} configurations are within 5 % of it", section.close,
                            section.measured, to_string(section.workload.origin));
  if (winner.rerank)
    text +=
        format("; ties with it after re-ranking ({} rounds): {}", winner.rerank->rounds, tied_text(section));
  if (winner.tolerance > 0)
    text += format(". Its largest error is {:.3g}, {} of what is allowed", winner.error,
                   percent_text(winner.error / winner.tolerance));
  sentences.push_back(text + ".");
}

/// The peak rate of the units that may compute. Which units may is not stored, but the limit is, and it tells
/// where operations bind: the vector units, unless they are too slow for it.
std::pair<double, const char*> peak_flops(const Section& section) {
  const DeviceProperties& device = section.device;
  const bool doubles = in_double_precision(section.workload);
  const double tf32 = device.peak_flops_tensor_tf32();
  std::pair<double, const char*> peak{
      doubles ? device.peak_flops_f64() : device.peak_flops_f32(),
      doubles ? "vector units, double precision" : "vector units, single precision"};
  const std::pair<double, const char*> tensors[] = {
      doubles ? std::pair(device.peak_flops_tensor_f64(), "tensor cores, double precision")
              : std::pair(tf32 / 3, "tensor cores, 3 x TF32"),
      {doubles ? 0 : tf32, "tensor cores, TF32"}};
  for (const auto& tensor : tensors) {
    constexpr double rounding = 1.001;
    if (!(section.amount.limit > 0) || section.amount.flops <= peak.first * section.amount.limit * rounding)
      break;
    peak = std::max(peak, tensor);
  }
  return peak;
}

}  // namespace

Ceilings ceilings(const Section& section) {
  const DeviceProperties& device = section.device;
  Ceilings top;
  top.measured = device.copy_bandwidth > 0;
  top.datasheet = device.peak_bandwidth();
  top.bandwidth = top.measured ? device.copy_bandwidth : top.datasheet;
  std::tie(top.flops, top.units) = peak_flops(section);
  const db::WorkloadCost& amount = section.amount;
  if (amount.flops > 0 && amount.bytes > 0) top.intensity = amount.flops / amount.bytes;
  top.memory_bound =
      !(top.flops > 0) || (top.bandwidth > 0 && amount.bytes / top.bandwidth >= amount.flops / top.flops);
  // Copies between host and device are not stored, but the limit is: nothing else makes it so long.
  const double other = std::max(top.bandwidth > 0 ? amount.bytes / top.bandwidth : 0,
                                top.flops > 0 ? amount.flops / top.flops : 0);
  top.host_bound = device.host_to_device_bandwidth > 0 && amount.limit > 1.1 * other;
  return top;
}

std::vector<std::string> why_it_wins(const Section& section, const ValueTable& table,
                                     const std::vector<ParameterEffect>& effects) {
  Sentences sentences;
  if (!section.winner) return sentences;
  add_objective(section, sentences);
  add_limit(section, sentences);
  add_resources(section, table, sentences);
  add_variants(section, table, effects, sentences);
  add_steps(section, table, sentences);
  add_importance(section, table, effects, sentences);
  add_standing(section, sentences);
  return sentences;
}

}  // namespace tune::reports
