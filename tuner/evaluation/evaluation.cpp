// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/evaluation.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "tuner/base/enum_names.hpp"

namespace tune {
namespace {

constexpr std::array<std::string_view, 3> objective_names = {"time", "energy", "edp"};
constexpr std::array<std::string_view, 3> units = {"s", "J", "Js"};

}  // namespace

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

std::string_view to_string(Objective objective) {
  return objective_names.at(static_cast<std::size_t>(objective));
}

Objective objective_from_string(std::string_view name) {
  return enum_from_name<Objective>(objective_names, name, "objective");
}

std::string_view unit_of(Objective objective) {
  return units.at(static_cast<std::size_t>(objective));
}

std::optional<double> objective_value(double seconds, double joules, Objective objective) {
  if (objective == Objective::time) return seconds;
  if (!(joules > 0)) return std::nullopt;
  return objective == Objective::energy ? joules : joules * seconds;
}

std::optional<double> objective_value(const Measurement& measurement, Objective objective) {
  if (measurement.samples.empty()) return std::nullopt;
  return objective_value(measurement.time(), measurement.energy, objective);
}

std::optional<double> objective_value(const Evaluation& evaluation, Objective objective) {
  if (evaluation.estimate) return objective == Objective::time ? evaluation.estimate : std::nullopt;
  if (!evaluation.outcome) return std::nullopt;
  return objective_value(*evaluation.outcome, objective);
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
