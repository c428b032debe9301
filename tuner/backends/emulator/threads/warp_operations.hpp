// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tuner/backends/emulator/memory/finding.hpp"

namespace tune::emulator {

/// What lanes of a warp bring to an operation, and what each takes away; entries of lanes outside `lanes` do
/// not count.
struct WarpExchange {
  std::array<tune_emulator::WarpRequest, 32> requests{};
  unsigned lanes = 0;
  std::array<unsigned long long, 32> answers{};

  /// Does what all of `lanes` asked for. A lane that takes a value from one that brings none gets all ones:
  /// undefined on a device.
  void carry_out();
};

/// `__shfl_down_sync`: what a kernel writes.
std::string to_string(tune_emulator::WarpOperation operation);

/// True where two lanes stand at the same operation: same function, mask and place, of matrices
/// type and extents too.
bool same_operation(const tune_emulator::WarpRequest& one, const tune_emulator::WarpRequest& other);
bool same_place(const Place& one, const Place& other);

/// C += A B of a whole warp (mma.sync): all lanes' fragments have one type and inner extent.
///
/// tf32: operands are cut to the 10 explicit bits of the mantissa that the format has (a device ignores the
/// other 13); the products are exact, their sum with C is exact but for double precision, and then cut to a
/// float: a device adds in an order and with a precision of its own, and has been seen to cut, not to round.
/// f64: fused multiply-adds, one after another.
void add_matrix_product(const std::array<tune_emulator::MatrixFragments, 32>& lanes);

/// Towards zero; infinity and NaN stay what they are.
float cut_to_float(double value);

/// A warp's part (16 rows) of a product of its warpgroup (wgmma.mma_async of tf32, A from registers). What is
/// read of shared memory follows from the descriptor as PTX defines it: address, distance between groups of
/// eight rows, swizzle.
class WarpgroupProduct {
 public:
  static constexpr std::size_t piece_bytes = 16;  ///< swizzles move such pieces

  /// What all lanes bring to warpgroup_start; A is copied.
  explicit WarpgroupProduct(const WarpExchange& lanes);

  /// What is wrong with it in itself: lanes that disagree, a descriptor that no device takes; empty: nothing.
  std::string error() const;
  /// The offsets of all pieces of B in shared memory, two for each of its columns; ends where `use` returns
  /// false.
  bool each_piece(const std::function<bool(std::size_t offset)>& use) const;
  /// C = A B or C += A B: operands are cut to the bits of tf32, the sum of 8 products and C is exact but for
  /// double precision and then cut to a float.
  void carry_out(const char* shared) const;
  const Place& place() const { return place_; }

 private:
  std::size_t piece_offset(int column, int piece) const;

  Place place_{};
  int columns_ = 0;
  bool add_ = false, agree_ = true;
  unsigned long long descriptor_ = 0;
  std::array<std::array<float, 4>, 32> a_{};
  std::array<float*, 32> c_{};
};

/// Products of the warps of a block. They happen when their warp waits for them, as late as a device may do
/// them, so that a kernel that waits too little, or overwrites operands too early, computes something else.
class WarpgroupProducts {
 public:
  void begin_block(std::size_t threads);
  void start(std::size_t warp, const WarpgroupProduct& product);
  /// Closes the warp's group.
  void commit(std::size_t warp);
  /// All but the warp's `pending` newest groups, in their order; `carry_out` is called for each product.
  void wait(std::size_t warp, std::size_t pending,
            const std::function<void(const WarpgroupProduct&)>& carry_out);

 private:
  struct Queue {
    std::vector<WarpgroupProduct> open;
    std::vector<std::vector<WarpgroupProduct>> groups;  ///< the oldest first
  };
  std::vector<Queue> queues_;  ///< none before the first product
  std::size_t warps_ = 0;
};

}  // namespace tune::emulator
