// SPDX-License-Identifier: Apache-2.0
#include "lookup/src/matching.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <set>
#include <tuple>

namespace tune::lookup {
namespace {

bool is_default(const std::string& problem, const std::pair<std::string, std::string>& setting) {
  for (std::size_t i = 0; i < setting_defaults_count; ++i) {
    const SettingDefault& known = setting_defaults[i];
    if (problem == known.problem && setting.first == known.name && setting.second == known.value) return true;
  }
  return false;
}

}  // namespace

bool has_defaults(const std::string& problem) {
  for (std::size_t i = 0; i < setting_defaults_count; ++i)
    if (problem == setting_defaults[i].problem) return true;
  return false;
}

std::string canonical_settings(const std::string& problem,
                               std::vector<std::pair<std::string, std::string>> settings) {
  std::sort(settings.begin(), settings.end());
  std::string text;
  for (const auto& setting : settings) {
    if (is_default(problem, setting)) continue;
    if (!text.empty()) text += ',';
    text += setting.first + "=" + setting.second;
  }
  return text;
}

std::string canonical_settings(const std::string& problem, const std::string& key) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (std::size_t begin = 0; begin < key.size();) {
    const std::size_t end = std::min(key.find(',', begin), key.size());
    const std::size_t equals = std::min(key.find('=', begin), end);
    settings.emplace_back(key.substr(begin, equals - begin),
                          equals < end ? key.substr(equals + 1, end - equals - 1) : std::string());
    begin = end + 1;
  }
  return canonical_settings(problem, std::move(settings));
}

namespace {

double log_ratio(double a, double b) {
  return a > 0 && b > 0 ? std::log(a / b) : 0;
}

bool is_any(const Device& device) {
  return device.name.empty() && device.compute_major == 0;
}

bool differs(const std::string& wanted, const std::string& recorded) {
  return !wanted.empty() && wanted != recorded;
}

Match match_of(Kinship kin, double size_distance) {
  if (kin == Kinship::same) return size_distance == 0 ? Match::exact : Match::nearest_size;
  return kin == Kinship::architecture ? Match::same_architecture : Match::none;
}

auto order(const Ranked& one) {
  return std::tuple(one.match, one.kin, one.distance, one.other_sources, one.other_compiler,
                    one.workload->board, one.other_driver, one.workload->source);
}

}  // namespace

std::string watts(double limit) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g W", limit);
  return text;
}

BoardFit board_fit(const Device& wanted, const Board& recorded) {
  constexpr double least = 0.01;  // a share: limits are set in whole watts
  const bool this_board = !wanted.board.empty() && wanted.board == recorded.uuid;
  if (wanted.power_limit <= 0) return wanted.board.empty() || this_board ? BoardFit::same : BoardFit::other;
  if (recorded.power_limit <= 0) return BoardFit::unknown;
  if (std::abs(recorded.power_limit / wanted.power_limit - 1) > least) return BoardFit::other;
  return wanted.board.empty() || this_board ? BoardFit::same : BoardFit::alike;
}

std::string board_difference(const Device& wanted, const Board& recorded) {
  if (wanted.power_limit <= 0) return {};
  const BoardFit fit = board_fit(wanted, recorded);
  const std::string this_one = "this one has " + watts(wanted.power_limit);
  if (fit == BoardFit::unknown) return "the power limit of the recorded board is not known, " + this_one;
  if (fit != BoardFit::other) return {};
  return "recorded under a power limit of " + watts(recorded.power_limit) + ", " + this_one +
         ": times differ, and another configuration may be faster";
}

std::string model_key(const Device& device) {
  constexpr std::int64_t gib = std::int64_t{1} << 30;
  if (device.name.empty() || device.compute_major == 0 || device.multiprocessors == 0 ||
      device.global_memory == 0)
    return {};
  return device.name + " sm_" + std::to_string(device.compute_major) + std::to_string(device.compute_minor) +
         " " + std::to_string(device.multiprocessors) + " SMs " +
         std::to_string((device.global_memory + gib / 2) / gib) + " GiB";
}

Kinship kinship(const Device& wanted, const RecordedDevice& recorded) {
  if (is_any(wanted)) return Kinship::same;
  const std::string key = model_key(wanted);
  const bool known = !key.empty() && recorded.compute_major > 0;  // of an imported device only the name is
  if (known ? key == recorded.model_key : wanted.name == recorded.name || wanted.name == recorded.model_key)
    return Kinship::same;
  if (wanted.compute_major == 0 || wanted.compute_major != recorded.compute_major) return Kinship::other;
  return wanted.compute_minor == recorded.compute_minor ? Kinship::architecture : Kinship::major;
}

double device_distance(const Device& wanted, const RecordedDevice& recorded) {
  return std::abs(log_ratio(wanted.multiprocessors, recorded.multiprocessors)) +
         std::abs(log_ratio(wanted.bandwidth, recorded.bandwidth));
}

std::optional<double> size_distance(const std::vector<std::int64_t>& wanted,
                                    const std::vector<std::int64_t>& recorded) {
  if (wanted.empty()) return 0.0;
  if (wanted.size() != recorded.size()) return std::nullopt;
  std::vector<double> logs;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    logs.push_back(log_ratio(static_cast<double>(wanted[i]), static_cast<double>(recorded[i])));
  const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / static_cast<double>(logs.size());
  double distance = 0;
  for (const double log : logs) distance += std::abs(log) + std::abs(log - mean);
  return distance < 1e-12 ? 0 : distance;
}

std::string wanted_settings(const std::vector<RecordedWorkload>& workloads, const Query& query) {
  std::string asked = canonical_settings(query.problem, query.settings);
  if (has_defaults(query.problem)) return asked;
  std::set<std::string> fitting;
  for (const RecordedWorkload& workload : workloads) {
    if (workload.settings == asked) return asked;
    const std::string stored = "," + workload.settings + ",";
    const bool fits = std::all_of(query.settings.begin(), query.settings.end(), [&](const auto& setting) {
      return stored.find("," + setting.first + "=" + setting.second + ",") != std::string::npos;
    });
    if (fits) fitting.insert(workload.settings);
  }
  return fitting.size() == 1 ? *fitting.begin() : asked;
}

namespace {

/// True where the settings `part` are among the settings `all`: other programs record few.
bool is_part(const std::string& part, const std::string& all) {
  const std::string list = "," + all + ",";
  for (std::size_t begin = 0; begin < part.size();) {
    const std::size_t end = std::min(part.find(',', begin), part.size());
    if (list.find("," + part.substr(begin, end - begin) + ",") == std::string::npos) return false;
    begin = end + 1;
  }
  return true;
}

}  // namespace

std::vector<Ranked> rank(const std::vector<RecordedWorkload>& workloads, const Want& want) {
  const std::string settings = wanted_settings(workloads, want.query);
  std::vector<Ranked> ranked;
  for (const RecordedWorkload& workload : workloads) {
    if (!want.any_settings && workload.settings != settings &&
        !(want.origin == "imported" && !has_defaults(want.query.problem) &&
          is_part(workload.settings, settings)))
      continue;
    const auto size = size_distance(want.query.size, workload.extents);
    if (!size) continue;
    Ranked one;
    one.workload = &workload;
    one.kin = kinship(want.query.device, workload.device);
    one.match = match_of(one.kin, *size);
    one.distance =
        *size + (one.kin == Kinship::same ? 0 : device_distance(want.query.device, workload.device));
    if (want.origin != "imported") {  // whose versions are not known
      one.other_driver = differs(want.query.device.driver, workload.driver);
      one.other_compiler = differs(want.query.compiler, workload.compiler);
      one.other_sources = differs(want.query.source_hash, workload.source_hash);
    }
    ranked.push_back(one);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return order(a) < order(b); });
  return ranked;
}

bool equal_fit(const Ranked& a, const Ranked& b) {
  return order(a) == order(b);
}

std::string explanation(const Want& want, const Ranked& ranked) {
  const RecordedWorkload& workload = *ranked.workload;
  const bool this_size = size_distance(want.query.size, workload.extents) == 0.0;
  std::string why;
  if (ranked.match == Match::exact)
    why = want.query.size.empty() && is_any(want.query.device) ? "a record of this problem"
                                                               : "recorded for exactly this";
  else if (ranked.match == Match::nearest_size)
    why = "recorded on this device model at " + workload.size + ", the nearest size there is";
  else
    why = "recorded at " + (this_size ? std::string("this size") : "size " + workload.size) +
          " on another device" + (ranked.match == Match::none ? "" : " of the same architecture") + ", " +
          workload.device.model_key;
  if (ranked.other_sources) why += "; the kernel sources have changed since";
  if (ranked.other_compiler) why += "; compiled by " + workload.compiler;
  if (ranked.other_driver) why += "; under driver " + workload.driver;
  return why;
}

}  // namespace tune::lookup
