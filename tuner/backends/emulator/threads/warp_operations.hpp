// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tuner/backends/emulator/memory/finding.hpp"

namespace tune::emulator {

/// The requests of the lanes of a warp for one operation, and the answers; entries of lanes outside `lanes`
/// do not count.
struct WarpExchange {
  std::array<tune_emulator::WarpRequest, 32> requests{};
  unsigned lanes = 0;
  std::array<unsigned long long, 32> answers{};

  /// Computes the answers. A lane that takes a value from a lane without one gets all ones; on a device the
  /// value is undefined.
  void carry_out();
};

/// Returns the operation's name in kernels: `__shfl_down_sync`.
std::string to_string(tune_emulator::WarpOperation operation);

/// True for the same operation of two lanes: the same function, mask and place, for matrices also type and
/// extents.
bool same_operation(const tune_emulator::WarpRequest& one, const tune_emulator::WarpRequest& other);
bool same_place(const Place& one, const Place& other);

/// Computes C += A B of a whole warp (mma.sync): all lanes' fragments have one type and inner extent.
///
/// tf32: operands are cut to the format's 10 explicit bits of the mantissa (a device ignores the other 13);
/// products are exact, their sum with C is in double precision and then cut to a float: a device adds in an
/// order and with a precision of its own, and was seen to cut, not to round. f64: fused multiply-adds, one
/// after another.
void add_matrix_product(const std::array<tune_emulator::MatrixFragments, 32>& lanes);

/// Rounds towards zero; infinity and NaN stay as they are.
float cut_to_float(double value);

/// A warp's part (16 rows) of a product of its warpgroup (wgmma.mma_async of tf32, A from registers). The
/// descriptor determines what is read of shared memory, as PTX defines it: address, distance between groups
/// of eight rows, swizzle.
class WarpgroupProduct {
 public:
  static constexpr std::size_t piece_bytes = 16;  ///< the unit of swizzles

  /// Takes the requests of all lanes at warpgroup_start; copies A.
  explicit WarpgroupProduct(const WarpExchange& lanes);

  /// Returns an error of the product itself (lanes that disagree, a descriptor that no device takes), or
  /// nothing.
  std::string error() const;
  /// Calls `use` with the offsets of all pieces of B in shared memory, two for each column, until it returns
  /// false.
  bool each_piece(const std::function<bool(std::size_t offset)>& use) const;
  /// Computes C = A B or C += A B: operands are cut to the bits of tf32; the sum of 8 products and C is in
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

/// Products of the warps of a block. They happen when their warp waits for them, as late as on a device, so
/// that a kernel that waits too little, or overwrites operands too early, computes something else.
class WarpgroupProducts {
 public:
  void begin_block(std::size_t threads);
  void start(std::size_t warp, const WarpgroupProduct& product);
  /// Closes the warp's group.
  void commit(std::size_t warp);
  /// Calls `carry_out` for each product of all but the warp's `pending` newest groups, in their order.
  void wait(std::size_t warp, std::size_t pending,
            const std::function<void(const WarpgroupProduct&)>& carry_out);

 private:
  struct Queue {
    std::vector<WarpgroupProduct> open;
    std::vector<std::vector<WarpgroupProduct>> groups;  ///< the oldest first
  };
  std::vector<Queue> queues_;  ///< empty before the first product
  std::size_t warps_ = 0;
};

}  // namespace tune::emulator
