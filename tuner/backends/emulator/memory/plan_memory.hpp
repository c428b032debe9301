// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/backends/emulator/memory/memory_checker.hpp"
#include "tuner/backends/emulator/memory/texture_fetch.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/plan/tensor_map_shape.hpp"

namespace tune::emulator {

/// Gives mapped memory back.
struct Unmap {
  std::size_t bytes = 0;
  void operator()(char* memory) const;
};

/// The buffers of a plan in host memory, with protected memory between them. A buffer ends where protected
/// memory begins, except for its alignment.
class PlanMemory {
 public:
  /// Failure{resources} where there is too little memory. Throws Error for an invalid layout.
  static Result<PlanMemory> take(const std::vector<BufferSpec>& specs);
  PlanMemory(PlanMemory&&) = default;
  PlanMemory& operator=(PlanMemory&&) = delete;

  /// Fills inputs with their tensors, all other buffers with their initial byte and everything around them
  /// with 0xff. Throws Error where a tensor is missing or is not what the plan describes.
  void fill(const TensorSet& inputs);
  /// Returns the results in a buffer, dense.
  std::vector<std::byte> fetch(const BufferSpec& spec) const;
  /// Returns the address of logical element (0, 0, ...), or of an element `offset` behind it.
  char* address(std::string_view name, std::uint64_t offset = 0) const;
  /// Returns the start of the allocation.
  const char* begin(std::string_view name) const { return find(name).begin; }
  std::vector<Array> arrays() const;
  /// Returns findings for writes to an input, or right beside a buffer, where memory is not protected.
  std::vector<Finding> spoiled(const TensorSet& inputs) const;

 private:
  struct Buffer {
    BufferSpec spec;
    std::unique_ptr<char, Unmap> region;  ///< with the protected memory around it
    char* begin = nullptr;
    std::size_t accessible = 0;  ///< bytes of the region that can be accessed
    char* first = nullptr;       ///< the first accessible byte
  };
  PlanMemory() = default;
  const Buffer& find(std::string_view name) const;

  std::vector<Buffer> buffers_;
};

/// The texture objects of a plan over its buffers in host memory.
class PlanTextures {
 public:
  /// Failure{resources} for a texture that no device has. The memory must outlive this.
  static Result<PlanTextures> make(const LaunchPlan& plan, const PlanMemory& memory);

  /// Returns the value of this argument of the plan.
  std::uint64_t object(const TextureArgument& argument) const;
  const std::vector<Texture>& all() const { return textures_; }

  /// Null where `object` is not an object of `textures`.
  static const Texture* find(const std::vector<Texture>& textures, std::uint64_t object);

 private:
  std::vector<TextureArgument> arguments_;
  std::vector<Texture> textures_;
};

/// A tensor map over a buffer in host memory.
struct PlacedMap {
  std::string buffer;
  TensorMapSpec spec;
  std::size_t element = 0;  ///< bytes
  const char* first = nullptr;

  std::size_t box_bytes() const;
  /// Calls `row(to, from, bytes, skipped)` for each row of the box at `at`, dimension 0 first: `bytes` of the
  /// tensor from `from` on go `to` + `skipped` bytes into shared memory, to a row of box[0] elements that
  /// begins at `to`; the rest is zero. `bytes` is 0 where the row lies outside.
  using Row = std::function<void(std::size_t to, const char* from, std::size_t bytes, std::size_t skipped)>;
  void each_row(const std::array<int, 5>& at, const Row& row) const;
};

/// The value of a kernel's parameter: a number that is unlikely in other memory.
struct alignas(tensor_map_alignment) MapValue {
  std::uint64_t object = 0;
  char rest[tensor_map_bytes - sizeof(std::uint64_t)] = {};
};

/// The tensor maps of a plan over its buffers in host memory.
class PlanMaps {
 public:
  /// Failure{resources} for a map that no device takes. The memory must outlive this.
  static Result<PlanMaps> make(const LaunchPlan& plan, const PlanMemory& memory);

  /// Returns the value of this argument of the plan.
  MapValue value(const TensorMapArgument& argument) const;
  const std::vector<PlacedMap>& all() const { return maps_; }

  /// Null where `value` is not a value of `maps`.
  static const PlacedMap* find(const std::vector<PlacedMap>& maps, const void* value);

 private:
  std::vector<TensorMapArgument> arguments_;
  std::vector<PlacedMap> maps_;
};

}  // namespace tune::emulator
