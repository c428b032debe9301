// SPDX-License-Identifier: Apache-2.0
// Spaces and strategies of the program, for C.
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "library/tuner/convert.hpp"
#include "library/tuner/own_strategy.hpp"
#include "library/tuner/tuner_c.hpp"
#include "search/space/space_definition.hpp"
#include "tuner/base/format.hpp"

using namespace tune::api;
using namespace tune::api::in_c;

tune_space::tune_space(const tune::search::SearchSpace& given) : space(given) {
  for (const tune::search::Parameter& parameter : space.definition().parameters) {
    tune_parameter& view = parameters.add();
    ValueTexts& list = lists_.emplace_back();
    for (const tune::search::Value& value : parameter.values) list.add(from_search(value));
    view.name = names_.emplace_back(parameter.name).c_str();
    view.help = view.condition = view.default_value = "";
    view.count = list.count();
    view.values = list.values();
    view.kinds = list.kinds();
  }
}

uint64_t tune_space_count(const tune_space* space) {
  return space == nullptr ? 0 : space->space.size();
}

const tune_parameter* const* tune_space_parameters(const tune_space* space, size_t* count) {
  const tune_parameter* const* array = nullptr;
  std::size_t number = 0;
  if (space != nullptr) space->parameters.show(number, array);
  if (count != nullptr) *count = number;
  return array;
}

tune_status tune_space_rows(const tune_space* space, uint64_t first, uint64_t count, uint32_t* rows) {
  return status_of([&] {
    constexpr const char* here = "tune_space_rows";
    require(space, here);
    if (count == 0) return;
    require(rows, here);
    if (first >= space->space.size() || count > space->space.size() - first)
      throw Error(tune::format("{}: configurations {} to {} of {}", here, first, first + count - 1,
                               space->space.size()));
    for (uint64_t number = first; number < first + count; ++number)
      for (const int index : space->space.value_indices(number))
        *rows++ = index < 0 ? std::numeric_limits<uint32_t>::max() : static_cast<uint32_t>(index);
  });
}

tune_status tune_space_find(const tune_space* space, const uint32_t* row, uint64_t* number) {
  return status_of([&] {
    constexpr const char* here = "tune_space_find";
    require(space, here);
    require(row, here);
    require(number, here);
    const auto& parameters = space->space.definition().parameters;
    std::vector<int> indices;
    *number = std::numeric_limits<uint64_t>::max();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const bool absent = row[i] == std::numeric_limits<uint32_t>::max();
      if (!absent && row[i] >= parameters[i].values.size()) return;
      indices.push_back(absent ? -1 : static_cast<int>(row[i]));
    }
    if (const auto found = space->space.find_indices(indices)) *number = *found;
  });
}

namespace tune::api::in_c {
namespace {

/// A search by the functions of a program in C.
class SearchInC : public OwnSearch {
 public:
  SearchInC(const tune_strategy& functions, std::string name, const Space& given, std::uint64_t seed)
      : functions_(functions),
        name_(std::move(name)),
        space_(inside_of(given)),
        state_(functions_.open(functions_.context, &space_, seed)) {
    if (state_ == nullptr) failed();
  }
  ~SearchInC() override {
    if (state_ != nullptr) functions_.close(state_);
  }
  SearchInC(const SearchInC&) = delete;
  SearchInC& operator=(const SearchInC&) = delete;

  std::optional<std::uint64_t> ask() override {
    std::uint64_t number = 0;
    const int answer = functions_.ask(state_, &number);
    if (answer < 0) failed();
    return answer == 0 ? std::nullopt : std::optional(number);
  }
  void tell(std::uint64_t number, std::optional<double> cost) override {
    if (functions_.tell(state_, number, cost.value_or(std::numeric_limits<double>::quiet_NaN())) < 0)
      failed();
  }

 private:
  [[noreturn]] void failed() const { throw Error(format("the strategy {} failed", name_)); }

  tune_strategy functions_;
  std::string name_;
  tune_space space_;
  void* state_;
};

}  // namespace

OwnStrategy own_strategy_of(const tune_strategy& strategy) {
  constexpr const char* here = "tune_strategy";
  require(strategy.name, here);
  if (strategy.open == nullptr || strategy.ask == nullptr || strategy.tell == nullptr ||
      strategy.close == nullptr)
    throw Error(format("{}: '{}' lacks one of its functions", here, strategy.name));
  OwnStrategy own;
  own.name = strategy.name;
  own.in_flight = static_cast<std::size_t>(strategy.in_flight);
  own.open = [strategy, name = own.name](const Space& space,
                                         std::uint64_t seed) -> std::unique_ptr<OwnSearch> {
    return std::make_unique<SearchInC>(strategy, name, space, seed);
  };
  return own;
}

}  // namespace tune::api::in_c
