// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tl/expected.hpp>
#include <vector>

#include "tuner/backends/binary.hpp"
#include "tuner/backends/cuda/checks/types.cuh"
#include "tuner/backends/cuda/runtime/handles.hpp"
#include "tuner/backends/cuda/runtime/module.hpp"
#include "tuner/backends/cuda/runtime/strided_copy.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/tensor/verifier.hpp"

namespace tune::cuda {

/// Returns where the elements of a tensor lie, for the comparing kernel. Nothing for a layout of more
/// dimensions with gaps than the kernel supports.
std::optional<checks::Placement> placement_of(const CopyShape& shape, std::size_t element_size);

/// Limits along axes for the comparing kernel, and the table that goes to the device.
struct LimitTable {
  checks::Limits limits;  ///< its `table` is not set
  std::vector<double> table;
};

/// Returns the limits along the axes of such an output; a table without axes where there are none. Nothing
/// for more axes than the kernel supports. Throws std::logic_error as check_limits.
std::optional<LimitTable> limits_of(const Bounds& bounds, const Extents& extents);

/// Combines the findings of all blocks and all parts, in any order: takes an element beyond its bounds before
/// one within, then the highest rank, the first of equal ones.
Comparison combine(std::span<const checks::Finding> findings);

/// A value, or the status of a call that a fault of a kernel may have spoiled.
template<class T>
using OrStatus = tl::expected<T, cudaError_t>;

/// Compares `count` elements, of whose reference `at_once` are on the device at a time: `send(begin, count)`
/// brings them there and returns a status, and `compare(begin, count)` returns the findings.
template<class Send, class Compare>
OrStatus<Comparison> compare_in_parts(std::uint64_t count, std::uint64_t at_once, const Send& send,
                                      const Compare& compare) {
  std::vector<checks::Finding> findings;
  for (std::uint64_t begin = 0; begin < count; begin += std::min(at_once, count - begin)) {
    const auto size = std::min(at_once, count - begin);
    if (const cudaError_t status = send(begin, size); status != cudaSuccess) return tl::unexpected(status);
    const auto some = compare(begin, size);
    if (!some) return tl::unexpected(some.error());
    findings.insert(findings.end(), some->begin(), some->end());
  }
  return combine(findings);
}

/// Elements of an output that one launch compares.
struct ComparedPart {
  ElementType type = ElementType::f32;
  const void* first = nullptr;  ///< element 0 of the tensor
  checks::Placement placement;
  const double* reference = nullptr;  ///< of these elements alone, on the device
  std::uint64_t begin = 0;
  std::uint64_t count = 0;  ///< above 0
};

/// The program's own checking kernels on the current device, each compiled at its first use in a tenth of a
/// second. Calls with a result wait for it.
class DeviceChecks {
 public:
  /// Throws Error where there is no NVRTC for the device.
  explicit DeviceChecks(const DeviceProperties& properties);

  /// Compiles and loads the kernels for a plan with such buffers, before the plan takes all the memory.
  void load_for(std::span<const BufferSpec> buffers);

  cudaError_t fill_guards(std::span<const checks::Zone> red_zones, cudaStream_t stream);
  /// Returns, for each zone, true where it is no longer as it was filled.
  OrStatus<std::vector<bool>> damaged(std::span<const checks::Zone> red_zones, cudaStream_t stream);
  /// Returns the place of the first byte that differs, rounded down to a multiple of 8. Both addresses must
  /// be multiples of 8.
  OrStatus<std::optional<std::uint64_t>> difference(const std::byte* a, const std::byte* b,
                                                    std::uint64_t bytes, cudaStream_t stream);
  /// Returns a sum for every `checks::tile_bytes`: memory with equal sums differs with probability 2^-64.
  OrStatus<std::vector<checks::Count>> sums(const std::byte* data, std::uint64_t bytes, cudaStream_t stream);
  /// Sends the limits for comparisons on this stream; they stay until the next call.
  OrStatus<checks::Limits> send(const LimitTable& limits, cudaStream_t stream);
  /// Returns the finding of each block. `limits` are those of the bounds.
  OrStatus<std::vector<checks::Finding>> compare(const ComparedPart& part, const Bounds& bounds,
                                                 const checks::Limits& limits, cudaStream_t stream);

 private:
  struct Kernels {
    Module module;
    std::vector<cudaKernel_t> kernels;  ///< in the order of the request's entries
  };
  Kernels load(const CompileRequest& request) const;
  const Kernels& guards();
  const Kernels& differences();
  const Kernels& comparing(ElementType type);
  unsigned blocks_for(std::uint64_t items) const;

  int multiprocessors_;
  std::unique_ptr<Compiler> compiler_;
  Kernels guards_;
  Kernels differences_;
  std::map<ElementType, Kernels> comparing_;  ///< for the types of elements used so far
  DeviceMemory results_;
  DeviceMemory limits_;  ///< as large as the largest table so far
};

}  // namespace tune::cuda
