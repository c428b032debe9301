// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/threads/warp_exchange.hpp"

#include <algorithm>
#include <cstring>

#include "tuner/backends/emulator/threads/warpgroup_products.hpp"

namespace tune::emulator {
namespace {

using tune_emulator::MatrixFragments;
using tune_emulator::WarpOperation;
using tune_emulator::WarpRequest;

constexpr unsigned long long undefined = ~0ULL;

/// The lane that a shuffle takes its value from, as PTX defines shfl: beyond the ends of its part of the warp
/// a lane keeps its own.
int source_lane(const WarpRequest& request, int lane) {
  const int width = request.width > 0 ? request.width : 32;
  const int first = lane / width * width;
  switch (request.operation) {
    case WarpOperation::shuffle_from:
      return first + ((request.operand % width) + width) % width;
    case WarpOperation::shuffle_up:
      return lane - request.operand < first ? lane : lane - request.operand;
    case WarpOperation::shuffle_down:
      return lane + request.operand >= first + width ? lane : lane + request.operand;
    default:
      // A butterfly may reach into earlier parts of the warp, not into later ones.
      return (lane ^ request.operand) >= first + width ? lane : lane ^ request.operand;
  }
}

unsigned long long combined(WarpOperation operation, unsigned long long one, unsigned long long other) {
  const auto a = static_cast<unsigned>(one), b = static_cast<unsigned>(other);
  const auto signed_a = static_cast<int>(a), signed_b = static_cast<int>(b);
  switch (operation) {
    case WarpOperation::reduce_add:
      return a + b;
    case WarpOperation::reduce_min_signed:
      return signed_a < signed_b ? a : b;
    case WarpOperation::reduce_max_signed:
      return signed_a > signed_b ? a : b;
    case WarpOperation::reduce_min_unsigned:
      return std::min(a, b);
    case WarpOperation::reduce_max_unsigned:
      return std::max(a, b);
    case WarpOperation::reduce_and:
      return a & b;
    case WarpOperation::reduce_or:
      return a | b;
    default:
      return a ^ b;
  }
}

}  // namespace

void WarpExchange::carry_out() {
  const auto each = [&](auto&& use) {
    for (int lane = 0; lane < 32; ++lane)
      if (lanes >> lane & 1U) use(static_cast<std::size_t>(lane));
  };
  std::size_t first = 32;
  unsigned set = 0;  // lanes with a value that is not zero
  each([&](std::size_t lane) {
    first = std::min(first, lane);
    if (requests[lane].value != 0) set |= 1U << lane;
  });
  if (first == 32) return;
  const WarpOperation operation = requests[first].operation;
  if (operation == WarpOperation::matrix_product) {
    std::array<MatrixFragments, 32> fragments{};
    each([&](std::size_t lane) {
      fragments[lane] = *reinterpret_cast<const MatrixFragments*>(requests[lane].value);
    });
    add_matrix_product(fragments);
  }
  unsigned long long reduced = requests[first].value;
  bool equal = true;
  each([&](std::size_t lane) {
    if (lane != first && operation >= WarpOperation::reduce_add && operation <= WarpOperation::reduce_xor)
      reduced = combined(operation, reduced, requests[lane].value);
    equal = equal && requests[lane].value == requests[first].value;
  });
  each([&](std::size_t lane) {
    auto& answer = answers[lane];
    switch (operation) {
      case WarpOperation::sync:
        answer = 0;
        break;
      case WarpOperation::shuffle_from:
      case WarpOperation::shuffle_up:
      case WarpOperation::shuffle_down:
      case WarpOperation::shuffle_butterfly: {
        const int source = source_lane(requests[lane], static_cast<int>(lane));
        const bool brings = source >= 0 && source < 32 && (lanes >> source & 1U) != 0;
        answer = brings ? requests[static_cast<std::size_t>(source)].value : undefined;
        break;
      }
      case WarpOperation::ballot:
        answer = set;
        break;
      case WarpOperation::all_of:
        answer = set == lanes;
        break;
      case WarpOperation::any_of:
        answer = set != 0;
        break;
      case WarpOperation::match_any:
        answer = 0;
        each([&](std::size_t other) {
          if (requests[other].value == requests[lane].value) answer |= 1ULL << other;
        });
        break;
      case WarpOperation::match_all:
        answer = equal ? lanes : 0;
        break;
      case WarpOperation::matrix_product:
      case WarpOperation::warpgroup_start:
      case WarpOperation::warpgroup_commit:
      case WarpOperation::warpgroup_wait:
        answer = 0;
        break;
      default:
        answer = reduced;
    }
  });
}

std::string to_string(WarpOperation operation) {
  constexpr const char* names[] = {"__syncwarp",
                                   "__shfl_sync",
                                   "__shfl_up_sync",
                                   "__shfl_down_sync",
                                   "__shfl_xor_sync",
                                   "__ballot_sync",
                                   "__all_sync",
                                   "__any_sync",
                                   "__match_any_sync",
                                   "__match_all_sync",
                                   "__reduce_add_sync",
                                   "__reduce_min_sync",
                                   "__reduce_max_sync",
                                   "__reduce_min_sync",
                                   "__reduce_max_sync",
                                   "__reduce_and_sync",
                                   "__reduce_or_sync",
                                   "__reduce_xor_sync",
                                   "a product of matrices (mma.sync)",
                                   "a product of a warpgroup (wgmma.mma_async)",
                                   "the end of a group of products (wgmma.commit_group)",
                                   "waiting for products (wgmma.wait_group)"};
  return names[static_cast<int>(operation)];
}

bool same_place(const Place& one, const Place& other) {
  return one.line == other.line && one.column == other.column &&
         (one.file == other.file || std::strcmp(one.file, other.file) == 0);
}

bool same_operation(const WarpRequest& one, const WarpRequest& other) {
  if (one.operation != other.operation || one.mask != other.mask || !same_place(one.place, other.place))
    return false;
  return one.operation < WarpOperation::matrix_product ||
         (one.operand == other.operand && one.width == other.width);
}

}  // namespace tune::emulator
