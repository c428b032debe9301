// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tuner/backends/emulator/memory/plan_memory.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/plan/tensor_map_shape.hpp"

namespace tune::emulator {

/// A tensor map over a buffer in host memory.
struct PlacedMap {
  std::string buffer;
  TensorMapSpec spec;
  std::size_t element = 0;  ///< bytes
  const char* first = nullptr;

  std::size_t box_bytes() const;
  /// Calls `row(to, from, bytes, skipped)` for each row of the box at `at`, dimension 0 first: `bytes` of the
  /// tensor that begin at `from` belong `to` + `skipped` bytes into shared memory, in a row of box[0]
  /// elements that begins at `to`; all else is zero. `bytes` is 0 where the row lies outside.
  using Row = std::function<void(std::size_t to, const char* from, std::size_t bytes, std::size_t skipped)>;
  void each_row(const std::array<int, 5>& at, const Row& row) const;
};

/// What a kernel's parameter holds: a number that no other memory is likely to hold.
struct alignas(tensor_map_alignment) MapValue {
  std::uint64_t object = 0;
  char rest[tensor_map_bytes - sizeof(std::uint64_t)] = {};
};

/// The tensor maps of a plan over its buffers in host memory.
class PlanMaps {
 public:
  /// Failure{resources} for what no device takes. The memory must outlive this.
  static Result<PlanMaps> make(const LaunchPlan& plan, const PlanMemory& memory);

  /// What a kernel gets for this argument of the plan.
  MapValue value(const TensorMapArgument& argument) const;
  const std::vector<PlacedMap>& all() const { return maps_; }

  /// Null for what is no value of `maps`.
  static const PlacedMap* find(const std::vector<PlacedMap>& maps, const void* value);

 private:
  std::vector<TensorMapArgument> arguments_;
  std::vector<PlacedMap> maps_;
};

}  // namespace tune::emulator
