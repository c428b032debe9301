// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <map>

#include "lookup/src/settings.hpp"
#include "lookup/src/winners.hpp"

namespace tune::lookup {
namespace {

constexpr const char* select_workloads = R"(
SELECT w.id, i.size, i.settings_key, w.model_key, w.driver, t.compiler, t.source_hash
FROM instances i JOIN works w ON w.instance = i.id JOIN toolchains t ON t.id = w.toolchain
WHERE i.problem = ?1 AND w.origin = ?2 AND w.cache = ?3 ORDER BY w.id)";

// The model key says all but the rates, which are of the model too.
constexpr const char* select_device = R"(
SELECT name, json_extract(facts, '$.compute_major'), json_extract(facts, '$.compute_minor'),
       json_extract(facts, '$.multiprocessors'), json_extract(facts, '$.memory_clock'),
       json_extract(facts, '$.memory_bus_bits')
FROM devices WHERE model_key = ?1 ORDER BY id DESC LIMIT 1)";

RecordedDevice recorded_device(Connection& connection, const std::string& model_key) {
  RecordedDevice device;
  device.model_key = model_key;
  Statement row = connection.prepare(select_device);
  if (!row.bind(1, model_key).step()) return device;
  device.name = row.text(0);
  device.compute_major = static_cast<int>(row.integer(1));
  device.compute_minor = static_cast<int>(row.integer(2));
  device.multiprocessors = static_cast<int>(row.integer(3));
  device.bandwidth = 2 * row.real(4) * row.real(5) / 8;
  return device;
}

std::vector<std::int64_t> extents_of(const std::string& size) {
  std::vector<std::int64_t> extents;
  for (const char* at = size.c_str(); *at != '\0';) {
    char* end = nullptr;
    extents.push_back(std::strtoll(at, &end, 10));
    if (end == at) return {};
    at = *end == 'x' ? end + 1 : end;
  }
  return extents;
}

}  // namespace

std::vector<RecordedWorkload> recorded_workloads(Connection& connection, std::size_t source,
                                                 const Want& want) {
  const std::string cache = want.query.warm_caches ? "warm" : "cold";
  std::map<std::string, RecordedDevice> devices;
  std::vector<RecordedWorkload> workloads;
  Statement row = connection.prepare(select_workloads);
  row.bind(1, want.query.problem).bind(2, want.origin).bind(3, cache);
  while (row.step()) {
    RecordedWorkload workload;
    workload.source = source;
    workload.id = row.integer(0);
    workload.size = row.text(1);
    workload.extents = extents_of(workload.size);
    workload.settings = canonical_settings(want.query.problem, row.text(2));
    const std::string model = row.text(3);
    auto device = devices.find(model);
    if (device == devices.end()) device = devices.emplace(model, recorded_device(connection, model)).first;
    workload.device = device->second;
    workload.driver = row.text(4);
    workload.compiler = row.text(5);
    workload.source_hash = row.text(6);
    workloads.push_back(std::move(workload));
  }
  return workloads;
}

}  // namespace tune::lookup
