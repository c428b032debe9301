// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/gemm/model/job.hpp"
#include "search/space/parameter.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels {

/// The space of the family, put together variant by variant. A parameter that several variants declare, each
/// with its own values, exists under all of them, with the values of all and a rule for each that has fewer.
/// Variants that share several parameters declare them in the same order.
///
/// Rules may mention the constants m, n, k (in the kernels' axes), words (32-bit words of an element),
/// alignment (elements of 16 bytes), multiprocessors, max_threads, multiprocessor_threads, thread_registers,
/// multiprocessor_registers, block_shared, reserved_shared and multiprocessor_shared (bytes).
class GemmSpace {
 public:
  GemmSpace(const GemmJob& job, const DeviceProperties& device);

  /// What follows belongs to this variant.
  void begin(std::string_view variant, std::string_view summary);
  /// `parameter.exists_if` is the condition under this variant. The documentation and the default are those
  /// of the first variant that declares it.
  void add(search::Parameter parameter);
  void rule(const search::Expr& rule, const char* reason);

  /// Threads of a block, those of `min_blocks` blocks, their registers (32-bit, an estimate of what the
  /// compiler cannot do without) and their shared memory in bytes.
  void add_limits(const search::Expr& threads, const search::Expr& registers, const search::Expr& shared);
  /// `padded` and the rule that rows of unpadded matrices are whole vectors (`vector` exists already).
  void add_padded();

  /// Throws std::logic_error before the first variant.
  search::SpaceDefinition definition() const;

 private:
  struct Declared {
    std::string variant;
    std::vector<search::Value> values;
    search::Value default_value;
    std::optional<search::Expr> when;
  };
  struct Shared {
    search::Parameter parameter;
    std::vector<Declared> declared;
  };

  search::Parameter variant_;
  std::vector<Shared> parameters_;
  std::vector<search::Constraint> rules_;
  search::SpaceDefinition definition_;  ///< the constants
};

/// `variant == name`.
search::Expr is_gemm_variant(std::string_view name);

}  // namespace tune::kernels
