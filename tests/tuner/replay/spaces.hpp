// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "search/ask_tell/strategy.hpp"
#include "tuner/replay/recorded_space.hpp"

namespace tune::testing {

/// Seconds of configurations 0, 1, ..., in the order of their ids; nothing: it failed.
using Costs = std::vector<std::optional<double>>;

/// A space of one parameter `n` = 0, 1, ... with these outcomes, all recorded.
replay::RecordedSpace recorded_line(const Costs& costs, const std::string& name = "line");

/// Asks for the ids in this order, as many at a time as it is asked for, and keeps what it is told.
class Scripted : public search::Strategy {
 public:
  explicit Scripted(std::vector<search::ConfigurationId> order) : order_(std::move(order)) {}
  std::vector<search::ConfigurationId> ask(std::size_t count) override;
  void tell(std::span<const search::Observation> observations) override;
  std::size_t max_in_flight() const override { return max; }

  std::size_t max = 1000;
  std::vector<std::size_t> asked;  ///< counts
  std::vector<search::Observation> told;

 private:
  std::vector<search::ConfigurationId> order_;
  std::size_t next_ = 0;
};

/// Makes a Scripted that asks in this order.
std::function<std::unique_ptr<search::Strategy>(const search::SearchTask&)> scripted(
    std::vector<search::ConfigurationId> order);

}  // namespace tune::testing
