// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/backends/emulator/memory/memory_checker.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::emulator {

/// Gives mapped memory back.
struct Unmap {
  std::size_t bytes = 0;
  void operator()(char* memory) const;
};

/// The buffers of a plan in host memory, far apart: between them lies memory that no access survives. A
/// buffer ends where such memory begins, but for its alignment.
class PlanMemory {
 public:
  /// Failure{resources} where there is too little memory. Throws Error for a layout that is none.
  static Result<PlanMemory> take(const std::vector<BufferSpec>& specs);
  PlanMemory(PlanMemory&&) = default;
  PlanMemory& operator=(PlanMemory&&) = delete;

  /// Inputs hold their tensors; every byte of all other buffers is their initial one, every byte around and
  /// beside them 0xff. Throws Error where a tensor is missing or is not what the plan describes.
  void fill(const TensorSet& inputs);
  /// The logical tensor of a buffer, dense.
  std::vector<std::byte> fetch(const BufferSpec& spec) const;
  /// The address of logical element (0, 0, ...), or of one so many elements of the allocation behind it.
  char* address(std::string_view name, std::uint64_t offset = 0) const;
  /// Of the allocation.
  const char* begin(std::string_view name) const { return find(name).begin; }
  std::vector<Array> arrays() const;
  /// What was written beside a buffer, where nothing but the alignment separates it from it, or to an input.
  std::vector<Finding> spoiled(const TensorSet& inputs) const;

 private:
  struct Buffer {
    BufferSpec spec;
    std::unique_ptr<char, Unmap> region;  ///< with what lies around
    char* begin = nullptr;
    std::size_t accessible = 0;  ///< bytes from the region's first page that can be touched
    char* first = nullptr;       ///< of these
  };
  PlanMemory() = default;
  const Buffer& find(std::string_view name) const;

  std::vector<Buffer> buffers_;
};

}  // namespace tune::emulator
