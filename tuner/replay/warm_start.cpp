// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay/warm_start.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/base/format.hpp"

namespace tune::replay {
namespace {

bool in_common(const RecordedSpace& source, const RecordedSpace& space) {
  return std::ranges::any_of(source.evaluations, [&](const Evaluation& evaluation) {
    return space.space.find(evaluation.configuration).has_value();
  });
}

}  // namespace

bool is_same_record(const RecordedSpace& source, const RecordedSpace& space) {
  const bool known = !source.problem.empty() && !source.device.empty();
  if (known && source.problem == space.problem && source.workload == space.workload &&
      source.device == space.device)
    return true;
  const OutcomeTable table(space.space, space.evaluations);
  std::size_t compared = 0;
  for (const Evaluation& evaluation : source.evaluations) {
    const auto id = space.space.find(evaluation.configuration);
    if (!id || !evaluation.outcome || !table.at(*id).cost) continue;
    const double time = evaluation.outcome->time();
    constexpr double rounding = 1e-9;  // of another unit
    if (std::abs(time - *table.at(*id).cost) > rounding * time) return false;
    ++compared;
  }
  return compared > 0;
}

WarmStart::WarmStart(std::span<const RecordedSpace> spaces, std::span<const RecordedSpace> sources,
                     WarmOptions options)
    : spaces_(spaces), sources_(sources), options_(std::move(options)), usable_(spaces.size()) {
  for (const RecordedSpace& source : sources_) tables_.emplace_back(source.space, source.evaluations);
  for (std::size_t s = 0; s < spaces_.size(); ++s) {
    std::size_t same = 0;
    for (std::size_t w = 0; w < sources_.size(); ++w) {
      if (is_same_record(sources_[w], spaces_[s])) {
        ++same;
        notes_.push_back(format("{}: {} is not used for it: it is the same workload on the same device",
                                spaces_[s].name, sources_[w].name));
      } else if (in_common(sources_[w], spaces_[s])) {
        usable_[s].push_back(w);
      }
    }
    if (usable_[s].empty() && same < sources_.size())
      notes_.push_back(format("{}: searched without --warm: no {}recording has a configuration of it",
                              spaces_[s].name, same > 0 ? "other " : ""));
  }
}

std::vector<search::RelatedRecord> WarmStart::related(std::size_t space, std::uint64_t repeat) const {
  const search::SearchSpace& target = spaces_[space].space;
  std::vector<search::RelatedRecord> records;
  for (const std::size_t w : usable_[space]) {
    const RecordedSpace& source = sources_[w];
    search::RelatedRecord record;
    const auto add = [&](const search::Observation& seen) {
      if (const auto id = target.find(source.space.at(seen.id)))
        record.observations.push_back({*id, seen.cost});
    };
    if (options_.evaluations) {
      const search::SearchTask task{source.space, seed_of(options_.seed, source.name, repeat)};
      const SimulationOptions limits{.evaluations = *options_.evaluations};
      for (const search::Observation& seen :
           simulate(task, tables_[w], options_.searched_by.make, limits).evaluations)
        add(seen);
    } else {
      for (search::ConfigurationId id = 0; id < tables_[w].size(); ++id)
        if (tables_[w].at(id).recorded) add({id, tables_[w].at(id).cost});
    }
    if (!record.observations.empty()) records.push_back(std::move(record));
  }
  return records;
}

}  // namespace tune::replay
