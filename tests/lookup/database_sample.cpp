// SPDX-License-Identifier: Apache-2.0
#include "tests/lookup/database_sample.hpp"

#include <gtest/gtest.h>

#include "db/read/best.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {

std::string DatabaseSample::tick() {
  ++ticks_;
  return format("2026-01-31T{:02}:{:02}:{:02}.000Z", ticks_ / 3600 % 24, ticks_ / 60 % 60, ticks_ % 60);
}

RunId DatabaseSample::record(const WorkloadKey& key, const Times& times, const Times& rerank,
                             Objective objective) {
  RunRecord record = run_of(key);
  record.options.objective = objective;
  const RunId run = store_.begin_run(record);
  for (const auto& [number, seconds] : times) {
    const Configuration configuration = example_configuration(number);
    store_.record(run, seconds > 0 ? measured(configuration, {seconds})
                                   : failed(configuration, Phase::verify, "wrong"));
  }
  std::vector<RerankPlace> places;
  for (const auto& [number, seconds] : rerank) {
    RerankPlace place;
    place.configuration = example_configuration(number);
    place.rounds.assign(8, {seconds, 1 / seconds});
    places.push_back(std::move(place));
  }
  if (!places.empty()) {
    RerankResult ranked;
    ranked.places = rank_top_k(std::move(places), objective);
    store_.record_rerank(run, ranked);
  }
  store_.end_run(run, RunEnd::budget);
  return run;
}

lookup::Options DatabaseSample::options() const {
  lookup::Options options;
  options.database = path().string();
  options.recordings.emplace();
  return options;
}

lookup::Lookup DatabaseSample::open() const {
  const auto opened = lookup::Lookup::open(options());
  if (!opened) throw std::runtime_error(opened.error().message);
  return *opened;
}

lookup::Candidate DatabaseSample::best(const lookup::Query& query) const {
  const auto found = open().best(query);
  if (!found) throw std::runtime_error(found.error().message);
  return *found;
}

WorkloadKey sized(std::vector<std::int64_t> extents, WorkloadKey key) {
  const char* names[] = {"nx", "ny", "nz"};
  key.instance.extents.clear();
  for (std::size_t i = 0; i < extents.size(); ++i) key.instance.extents.emplace_back(names[i], extents[i]);
  return key;
}

WorkloadKey on(const std::string& device, WorkloadKey key) {
  key.device.name = device;
  return key;
}

lookup::Query query_of(const WorkloadKey& key) {
  lookup::Query query;
  query.problem = key.instance.problem;
  query.device = db::lookup_device(key.device);
  for (const auto& [name, extent] : key.instance.extents) query.size.push_back(extent);
  for (const auto& [name, value] : key.instance.settings)
    query.settings.emplace_back(name, value.to_string());
  query.compiler = key.toolchain.compiler;
  query.source_hash = key.toolchain.source_hash;
  return query;
}

long long number_of(const lookup::Candidate& candidate) {
  return candidate.integer("block_x", -1);
}

}  // namespace tune::testing
