// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/evaluation.hpp"

#include <algorithm>
#include <stdexcept>

namespace tune {
PhaseTimes& PhaseTimes::operator+=(const PhaseTimes& other) {
  compile += other.compile;
  load += other.load;
  verify += other.verify;
  measure += other.measure;
  reference += other.reference;
  return *this;
}

double median(std::vector<double> values) {
  if (values.empty()) throw std::logic_error("no values have no median");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double Measurement::time() const {
  return median(samples);
}

std::optional<double> objective_value(const Evaluation& evaluation, const Objective& objective) {
  if (evaluation.estimate) return objective == Objective::time ? evaluation.estimate : std::nullopt;
  if (!evaluation.outcome || evaluation.outcome->samples.empty()) return std::nullopt;
  const Measurement& measurement = *evaluation.outcome;
  return objective_value({evaluation.configuration, evaluation.resources, measurement.time(),
                          measurement.energy, &measurement.metrics},
                         objective);
}

std::optional<FrontValues> front_values(const Evaluation& evaluation, const Objective& objective) {
  if (evaluation.estimate || !evaluation.outcome || evaluation.outcome->samples.empty()) return std::nullopt;
  const Measurement& measurement = *evaluation.outcome;
  return front_values({evaluation.configuration, evaluation.resources, measurement.time(), measurement.energy,
                       &measurement.metrics},
                      objective);
}

void evaluate_all(Evaluator& evaluator, std::span<const Configuration> configurations,
                  const std::function<bool(const Evaluation&)>& done) {
  const std::size_t window = std::max<std::size_t>(1, evaluator.window());
  std::size_t submitted = 0;
  for (std::size_t taken = 0; taken < configurations.size(); ++taken) {
    for (; submitted < configurations.size() && submitted < taken + window; ++submitted)
      evaluator.submit(configurations[submitted]);
    const std::optional<Evaluation> evaluation = evaluator.next();
    if (evaluation && !done(*evaluation)) return evaluator.drop();
  }
}

}  // namespace tune
