// SPDX-License-Identifier: Apache-2.0
#include "tests/tuner/replay/spaces.hpp"

#include <algorithm>

namespace tune::testing {

replay::RecordedSpace recorded_line(const Costs& costs, const std::string& name) {
  replay::ThirdPartyRecord record{name, "kernel", "64x64", "device of " + name};
  record.parameters = {"n"};
  for (std::size_t i = 0; i < costs.size(); ++i) {
    Evaluation evaluation;
    evaluation.configuration.set("n", static_cast<std::int64_t>(i));
    if (costs[i]) {
      Measurement measurement;
      measurement.samples = {*costs[i]};
      evaluation.outcome = measurement;
    } else {
      evaluation.outcome = fail(Phase::launch, "failed");
    }
    record.evaluations.push_back(std::move(evaluation));
  }
  return replay::space_of(std::move(record), name);
}

std::vector<search::ConfigurationId> Scripted::ask(std::size_t count) {
  asked.push_back(count);
  std::vector<search::ConfigurationId> batch;
  while (batch.size() < count && next_ < order_.size()) batch.push_back(order_[next_++]);
  return batch;
}

void Scripted::tell(std::span<const search::Observation> observations) {
  told.insert(told.end(), observations.begin(), observations.end());
}

std::function<std::unique_ptr<search::Strategy>(const search::SearchTask&)> scripted(
    std::vector<search::ConfigurationId> order) {
  return [order](const search::SearchTask&) { return std::make_unique<Scripted>(order); };
}

}  // namespace tune::testing
