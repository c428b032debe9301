// SPDX-License-Identifier: Apache-2.0
#include "tuner/problem/problem.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "search/expressions/nearest.hpp"
#include "tuner/base/content_hash.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune {
namespace {

constexpr std::int64_t largest_extent = std::numeric_limits<std::int32_t>::max();
// Sizes and strides in bytes stay below 2^62 for 8-byte elements, whatever padding a variant adds.
constexpr double max_elements = 0x1.0p58;

std::int64_t read_extent(std::string_view text, const ExtentInfo& extent) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range || (error == std::errc{} && number > largest_extent))
    throw UsageError(format("--size: {} = {} is too large: at most {}", extent.name, text, largest_extent));
  if (error != std::errc{} || end != text.data() + text.size() || number < 1)
    throw UsageError(format("--size: {} = '{}' is not a positive whole number", extent.name, text));
  return number;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::pair<std::string, std::int64_t>> read_extents(const ProblemInfo& info,
                                                               std::string_view size) {
  std::vector<std::pair<std::string, std::int64_t>> extents;
  if (size.empty()) {
    for (const ExtentInfo& extent : info.extents) extents.emplace_back(extent.name, extent.default_value);
    return extents;
  }
  const std::vector<std::string_view> parts = split(size, 'x');
  if (parts.size() != info.extents.size()) {
    const std::size_t count = info.extents.size();
    throw UsageError(format("--size: {} needs {} extent{} ({}), such as {}", info.name, count,
                            count == 1 ? "" : "s", joined(info.extents, &ExtentInfo::name),
                            joined(info.extents, &ExtentInfo::default_value, "x")));
  }
  double elements = 1;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    extents.emplace_back(info.extents[i].name, read_extent(parts[i], info.extents[i]));
    elements *= static_cast<double>(extents.back().second);
  }
  if (elements > max_elements) throw UsageError("--size: more elements than 64-bit addresses reach");
  return extents;
}

bool is_valid(const SettingInfo& setting, const Value& value) {
  if (!setting.range) return std::ranges::find(setting.values, value) != setting.values.end();
  if (!value.is_int() && !(setting.real && value.is_real())) return false;
  return value.as_real() >= static_cast<double>(setting.range->first) &&
         value.as_real() <= static_cast<double>(setting.range->second);
}

/// 30.0 and 30 are the same setting.
Value canonical(const Value& value) {
  const bool whole = value.is_real() && value.as_real() == std::floor(value.as_real());
  return whole ? Value(static_cast<std::int64_t>(value.as_real())) : value;
}

std::string valid_values(const SettingInfo& setting) {
  if (!setting.range) return joined(setting.values, &Value::to_string);
  return format("{} from {} to {}", setting.real ? "numbers" : "whole numbers", setting.range->first,
                setting.range->second);
}

void apply_setting(const ProblemInfo& info, Instance& instance, const std::string& name, const Value& value) {
  const auto setting = std::ranges::find(info.settings, name, &SettingInfo::name);
  if (setting == info.settings.end()) {
    std::vector<std::string> names;
    for (const SettingInfo& known : info.settings) names.push_back(known.name);
    const auto nearest = search::nearest_name(name, names);
    const std::string all = names.empty() ? "none" : joined(names);
    throw UsageError(format("--set: {} has no setting '{}'; {}", info.name, name,
                            nearest ? format("did you mean '{}'?", *nearest) : format("it has: {}", all)));
  }
  if (!is_valid(*setting, value))
    throw UsageError(
        format("--set: {}={} is not valid; valid are: {}", name, value.to_string(), valid_values(*setting)));
  for (auto& [known, old] : instance.settings)
    if (known == name) old = canonical(value);
}

/// Seconds; 0 where the device's rate is unknown.
struct MinTimes {
  double memory = 0, arithmetic = 0, in = 0, out = 0;
};

MinTimes min_times(const ProblemCost& cost, const DeviceProperties& device) {
  const auto over = [](double amount, double rate) { return rate > 0 ? amount / rate : 0; };
  const double bandwidth = device.copy_bandwidth > 0 ? device.copy_bandwidth : device.peak_bandwidth();
  return {over(cost.bytes, bandwidth), over(cost.flops, peak_flops(cost, device)),
          over(cost.bytes_in, device.host_to_device_bandwidth),
          over(cost.bytes_out, device.device_to_host_bandwidth)};
}

}  // namespace

Instance make_instance(const ProblemInfo& info, std::string_view size,
                       std::span<const std::pair<std::string, Value>> settings) {
  Instance instance;
  instance.problem = info.name;
  instance.extents = read_extents(info, size);
  for (const SettingInfo& setting : info.settings)
    instance.settings.emplace_back(setting.name, setting.default_value);
  for (const auto& [name, value] : settings) apply_setting(info, instance, name, value);
  std::erase_if(instance.settings, [&](const auto& entry) {
    const auto setting = std::ranges::find(info.settings, entry.first, &SettingInfo::name);
    return setting->implied && setting->default_value == entry.second;
  });
  return instance;
}

double peak_flops(const ProblemCost& cost, const DeviceProperties& device) {
  const double vector =
      cost.arithmetic == ElementType::f64 ? device.peak_flops_f64() : device.peak_flops_f32();
  switch (cost.tensor) {
    case TensorUse::none:
      break;
    case TensorUse::f64:
      return std::max(vector, device.peak_flops_tensor_f64());
    case TensorUse::tf32:
      return std::max(vector, device.peak_flops_tensor_tf32());
    case TensorUse::tf32x3:
      return std::max(vector, device.peak_flops_tensor_tf32() / 3);
  }
  return vector;
}

double roofline_limit(const ProblemCost& cost, const DeviceProperties& device) {
  const MinTimes times = min_times(cost, device);
  return std::max({times.memory, times.arithmetic, times.in, times.out});
}

std::string_view host_bound(const ProblemCost& cost, const DeviceProperties& device) {
  const MinTimes times = min_times(cost, device);
  if (std::max(times.in, times.out) <= std::max(times.memory, times.arithmetic)) return "";
  return times.in >= times.out ? "copies to the device" : "copies to the host";
}

std::string source_hash(const Problem& problem, const KernelSources& sources) {
  std::string all = format("{} revision {}\n", problem.info().name, problem.info().revision);
  for (const std::string& name : problem.info().sources) {
    const std::string text = sources.text(name);
    all += format("{} {}\n", name, text.size());
    all += text;
  }
  return content_hash(all);
}

}  // namespace tune
