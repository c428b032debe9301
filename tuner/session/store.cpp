// SPDX-License-Identifier: Apache-2.0
#include "tuner/session/store.hpp"

#include <array>

#include "tuner/base/enum_names.hpp"

namespace tune {
namespace {

constexpr std::array<std::string_view, 3> origin_names = {"measured", "replayed", "imported"};
constexpr std::array<std::string_view, 5> end_names = {"exhausted", "budget", "interrupted", "stopped",
                                                       "failed"};

}  // namespace

std::string_view to_string(Origin origin) {
  return origin_names.at(static_cast<std::size_t>(origin));
}

Origin origin_from_string(std::string_view name) {
  return enum_from_name<Origin>(origin_names, name, "origin");
}

std::string origin_mark(Origin origin) {
  return origin == Origin::measured ? std::string() : " (" + std::string(to_string(origin)) + ")";
}

std::string_view to_string(RunEnd end) {
  return end_names.at(static_cast<std::size_t>(end));
}

std::vector<Evaluation> known_answers(Store& store, const WorkloadKey& key, const Objective& objective,
                                      double timeout, bool energy) {
  std::vector<Evaluation> known = store.known(key);
  std::erase_if(known, [&](const Evaluation& evaluation) {
    if (evaluation.outcome)
      return !objective_value(evaluation, objective) || (energy && !(evaluation.outcome->energy > 0));
    // A recording always gives the same answer.
    return key.origin == Origin::measured &&
           !is_answer(evaluation.outcome.error(), evaluation.attempts, timeout);
  });
  for (Evaluation& evaluation : known) evaluation.reused = true;
  return known;
}

}  // namespace tune
