// SPDX-License-Identifier: Apache-2.0
// Searches whose loop is the program's own, and their C interface.
#include <cmath>
#include <tune/search.hpp>

#include "library/tuner/convert.hpp"
#include "library/tuner/own_strategy.hpp"
#include "library/tuner/problem.hpp"
#include "library/tuner/tuner_c.hpp"
#include "search/strategies/registry.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::api {
namespace {

search::StrategyChoice chosen(const std::string& strategy) {
  try {
    return search::choose_strategy(strategy);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

struct Search::State {
  std::string name;
  search::SearchSpace space;
  std::unique_ptr<search::Strategy> strategy;

  State(const Problem& given, const Sizes& sizes, const SearchOptions& options)
      : name(given.name()), space(space_of(given, sizes, options.where)) {
    strategy = chosen(options.strategy).make({space, options.seed});
  }

  static search::SearchSpace space_of(const Problem& given, const Sizes& sizes, const std::string& where) {
    const auto problem = made(given.spec());
    return valid_space(*problem, instance_at(problem->info(), sizes), architecture_properties("sm_90"),
                       where);
  }
};

Search::Search(const Problem& problem, const Sizes& sizes, const SearchOptions& options)
    : state_(guarded([&] { return std::make_unique<State>(problem, sizes, options); })) {}
Search::Search(Search&&) noexcept = default;
Search& Search::operator=(Search&&) noexcept = default;
Search::~Search() = default;

std::optional<Configuration> Search::ask() {
  return guarded([&]() -> std::optional<Configuration> {
    const std::vector<search::ConfigurationId> ids = state_->strategy->ask(1);
    if (ids.empty()) return std::nullopt;
    return to_values(state_->space.at(ids.front()));
  });
}

void Search::tell(const Configuration& configuration, std::optional<double> cost) {
  guarded([&] {
    const search::Configuration given = from_values(configuration);
    const auto id = state_->space.find(given);
    if (!id)
      throw UsageError(format("{}: {}: {}", state_->name, given.to_string(), state_->space.explain(given)));
    if (cost && !(*cost > 0 && std::isfinite(*cost)))
      throw UsageError(format("{}: a cost of {} is not above 0 and finite: tell a failure if there is none",
                              state_->name, *cost));
    state_->strategy->tell(std::vector{search::Observation{*id, cost}});
  });
}

std::uint64_t Search::space_size() const {
  return state_->space.size();
}

Space Search::space() const {
  return view_of(state_->space);
}

}  // namespace tune::api

struct tune_search {
  tune::api::Search search;
  tune_space space{tune::api::inside_of(search.space())};
  std::optional<tune::api::in_c::HeldConfiguration> asked = std::nullopt;
};

namespace {
using namespace tune::api;
using namespace tune::api::in_c;
}  // namespace

tune_status tune_search_open(const tune_problem* problem, const tune_assignment* sizes, size_t size_count,
                             const char* strategy, uint64_t seed, const char* where, tune_search** search) {
  return status_of([&] {
    constexpr const char* here = "tune_search_open";
    require(search, here);
    *search = nullptr;
    require(problem, here);
    tune::api::SearchOptions options;
    options.seed = seed;
    if (strategy != nullptr && *strategy != '\0') options.strategy = strategy;
    if (where != nullptr) options.where = where;
    *search =
        new tune_search{.search = Search(problem->problem, values_of(sizes, size_count, here), options)};
  });
}

tune_status tune_search_ask(tune_search* search, const tune_configuration** configuration) {
  return status_of([&] {
    require(configuration, "tune_search_ask");
    *configuration = nullptr;
    require(search, "tune_search_ask");
    search->asked.reset();
    std::optional<Configuration> next = search->search.ask();
    if (next) *configuration = &search->asked.emplace(std::move(*next)).view;
  });
}

tune_status tune_search_tell(tune_search* search, const tune_assignment* parameters, size_t parameter_count,
                             double cost) {
  return status_of([&] {
    require(search, "tune_search_tell");
    search->search.tell(values_of(parameters, parameter_count, "tune_search_tell"),
                        std::isnan(cost) ? std::nullopt : std::optional(cost));
  });
}

uint64_t tune_search_space_size(const tune_search* search) {
  return search == nullptr ? 0 : search->search.space_size();
}

const tune_space* tune_search_space(const tune_search* search) {
  return search == nullptr ? nullptr : &search->space;
}

void tune_search_free(tune_search* search) {
  delete search;
}
