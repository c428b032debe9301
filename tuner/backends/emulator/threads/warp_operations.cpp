// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/threads/warp_operations.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

using tune_emulator::MatrixFragments;
using tune_emulator::WarpOperation;
using tune_emulator::WarpRequest;

constexpr unsigned long long undefined = ~0ULL;

/// Returns the lane that a shuffle takes its value from, as PTX defines shfl: beyond the ends of its part of
/// the warp a lane keeps its own value.
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

using tune_emulator::MatrixType;

constexpr int rows = 16, columns = 8, max_inner = 16;

double operand(const MatrixFragments& lane, const void* fragment, int index) {
  if (lane.type == MatrixType::f64) return static_cast<const double*>(fragment)[index];
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<const float*>(fragment)[index]);
  return static_cast<double>(std::bit_cast<float>(bits & 0xffffe000U));
}

using tune_emulator::WarpgroupFragments;

constexpr int product_terms = 8, pieces = 2;      // pieces of 4 terms each
constexpr std::size_t shared_window = 227 << 10;  // bytes that a block may have

/// Bits `first` to `first + count - 1` of a descriptor.
constexpr std::size_t bits(unsigned long long descriptor, int first, int count) {
  return static_cast<std::size_t>(descriptor >> first & ((1ULL << count) - 1));
}

double operand(float value) {
  return static_cast<double>(std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xffffe000U));
}

}  // namespace

void WarpExchange::carry_out() {
  const auto each = [&](auto&& use) {
    for (int lane = 0; lane < 32; ++lane)
      if (lanes >> lane & 1U) use(static_cast<std::size_t>(lane));
  };
  std::size_t first = 32;
  unsigned set = 0;  // lanes with a nonzero value
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
      case WarpOperation::wmma:
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
                                   "__activemask",
                                   "a product of matrices (mma.sync)",
                                   "an operation of nvcuda::wmma",
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

float cut_to_float(double value) {
  const auto nearest = static_cast<float>(value);
  if (!std::isfinite(value) || std::fabs(static_cast<double>(nearest)) <= std::fabs(value)) return nearest;
  return std::nextafter(nearest, 0.0F);
}

void add_matrix_product(const std::array<MatrixFragments, 32>& lanes) {
  const int inner = lanes[0].inner;
  std::array<double, rows * max_inner> a{};
  std::array<double, max_inner * columns> b{};
  const auto at_a = [&](int row, int k) -> double& { return a[static_cast<std::size_t>(row * inner + k)]; };
  const auto at_b = [&](int k, int column) -> double& {
    return b[static_cast<std::size_t>(k * columns + column)];
  };
  for (int number = 0; number < 32; ++number) {
    const MatrixFragments& lane = lanes[static_cast<std::size_t>(number)];
    const int group = number / 4, member = number % 4;
    for (int quarter = 0; quarter < inner / 4; ++quarter) {
      const int k = member + 4 * quarter;
      for (int half = 0; half < 2; ++half)
        at_a(group + 8 * half, k) = operand(lane, lane.a, 2 * quarter + half);
      at_b(k, group) = operand(lane, lane.b, quarter);
    }
  }
  for (int number = 0; number < 32; ++number) {
    const MatrixFragments& lane = lanes[static_cast<std::size_t>(number)];
    for (int i = 0; i < 4; ++i) {
      const int row = number / 4 + 8 * (i / 2), column = 2 * (number % 4) + i % 2;
      const bool wide = lane.type == MatrixType::f64;
      double sum =
          wide ? static_cast<double*>(lane.c)[i] : static_cast<double>(static_cast<float*>(lane.c)[i]);
      for (int k = 0; k < inner; ++k) sum = std::fma(at_a(row, k), at_b(k, column), sum);
      if (wide)
        static_cast<double*>(lane.c)[i] = sum;
      else
        static_cast<float*>(lane.c)[i] = cut_to_float(sum);
    }
  }
}

WarpgroupProduct::WarpgroupProduct(const WarpExchange& lanes) : place_(lanes.requests[0].place) {
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const auto& of_lane = *reinterpret_cast<const WarpgroupFragments*>(lanes.requests[lane].value);
    if (lane == 0) {
      columns_ = of_lane.columns;
      add_ = of_lane.add != 0;
      descriptor_ = of_lane.descriptor;
    }
    agree_ = agree_ && of_lane.descriptor == descriptor_;
    std::memcpy(a_[lane].data(), of_lane.a, sizeof a_[lane]);
    c_[lane] = of_lane.c;
  }
}

std::string WarpgroupProduct::error() const {
  if (!agree_) return "lanes of a warpgroup's product have different descriptors";
  if (columns_ % 8 != 0 || columns_ < 8 || columns_ > 256)
    return format("a warpgroup's product of {} columns", columns_);
  if (bits(descriptor_, 62, 2) == 0)
    return format("the descriptor {:#018x} of a warpgroup's product has no swizzle, which is not emulated",
                  descriptor_);
  if (bits(descriptor_, 49, 3) != 0)
    return format("the descriptor {:#018x} has a base offset, which is not emulated", descriptor_);
  for (int column = 0; column < columns_; ++column)
    for (int piece = 0; piece < pieces; ++piece)
      if (piece_offset(column, piece) > shared_window - piece_bytes)  // below it, too: unsigned
        return format("the descriptor {:#018x} of a warpgroup's product leads out of shared memory",
                      descriptor_);
  return {};
}

// Rows of a swizzled tile are 128, 64 or 32 bytes long; groups of eight rows are a stride apart. The address
// bits from 4 on that number a row's pieces are combined with as many bits from 7 on: bits of the address
// itself, so that a tile must be aligned to its pattern.
std::size_t WarpgroupProduct::piece_offset(int column, int piece) const {
  const std::size_t mode = bits(descriptor_, 62, 2), row_bytes = std::size_t{256} >> mode;
  const std::size_t first = bits(descriptor_, 0, 14) * 16, stride = bits(descriptor_, 32, 14) * 16;
  const auto row = static_cast<std::size_t>(column);
  const std::size_t at =
      first + row / 8 * stride + row % 8 * row_bytes + static_cast<std::size_t>(piece) * piece_bytes;
  const std::size_t mask = row_bytes / piece_bytes - 1;
  return (at ^ (at >> 7 & mask) << 4) - tune_emulator::shared_address;
}

bool WarpgroupProduct::each_piece(const std::function<bool(std::size_t offset)>& use) const {
  for (int column = 0; column < columns_; ++column)
    for (int piece = 0; piece < pieces; ++piece)
      if (!use(piece_offset(column, piece))) return false;
  return true;
}

void WarpgroupProduct::carry_out(const char* shared) const {
  std::array<std::array<double, product_terms>, 16> a{};
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::size_t q = 0; q < 2; ++q)
      for (std::size_t h = 0; h < 2; ++h)
        a[lane / 4 + 8 * h][lane % 4 + 4 * q] = operand(a_[lane][2 * q + h]);
  for (int column = 0; column < columns_; ++column) {
    std::array<double, product_terms> b{};
    for (int piece = 0; piece < pieces; ++piece) {
      std::array<float, 4> terms{};
      std::memcpy(terms.data(), shared + piece_offset(column, piece), piece_bytes);
      for (std::size_t e = 0; e < 4; ++e) b[static_cast<std::size_t>(piece) * 4 + e] = operand(terms[e]);
    }
    for (std::size_t row = 0; row < 16; ++row) {
      float& sum =
          c_[row % 8 * 4 + static_cast<std::size_t>(column) % 8 / 2]
            [static_cast<std::size_t>(column) / 8 * 4 + row / 8 * 2 + static_cast<std::size_t>(column) % 2];
      double exact = add_ ? static_cast<double>(sum) : 0;
      for (std::size_t k = 0; k < product_terms; ++k)
        exact += a[row][k] * b[k];  // products of 11 bits are exact
      sum = cut_to_float(exact);
    }
  }
}

void WarpgroupProducts::begin_block(std::size_t threads) {
  queues_.clear();
  warps_ = (threads + 31) / 32;
}

void WarpgroupProducts::start(std::size_t warp, const WarpgroupProduct& product) {
  queues_.resize(warps_);
  queues_[warp].open.push_back(product);
}

void WarpgroupProducts::commit(std::size_t warp) {
  queues_.resize(warps_);
  queues_[warp].groups.push_back(std::exchange(queues_[warp].open, {}));
}

void WarpgroupProducts::wait(std::size_t warp, std::size_t pending,
                             const std::function<void(const WarpgroupProduct&)>& carry_out) {
  queues_.resize(warps_);
  auto& groups = queues_[warp].groups;
  if (groups.size() <= pending) return;
  const auto complete = groups.begin() + static_cast<std::ptrdiff_t>(groups.size() - pending);
  for (auto group = groups.begin(); group != complete; ++group)
    for (const WarpgroupProduct& product : *group) carry_out(product);
  groups.erase(groups.begin(), complete);
}

}  // namespace tune::emulator
