// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/threads/warpgroup_products.hpp"

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
using tune_emulator::MatrixType;

constexpr int rows = 16, columns = 8, max_inner = 16;

double operand(const MatrixFragments& lane, const void* fragment, int index) {
  if (lane.type == MatrixType::f64) return static_cast<const double*>(fragment)[index];
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<const float*>(fragment)[index]);
  return static_cast<double>(std::bit_cast<float>(bits & 0xffffe000U));
}

}  // namespace

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

namespace {

using tune_emulator::WarpgroupFragments;

constexpr int inner = 8, pieces = 2;              // of 4 terms each
constexpr std::size_t shared_window = 227 << 10;  // bytes that a block may have

/// Bits `first` to `first + count - 1` of a descriptor.
constexpr std::size_t bits(unsigned long long descriptor, int first, int count) {
  return static_cast<std::size_t>(descriptor >> first & ((1ULL << count) - 1));
}

double operand(float value) {
  return static_cast<double>(std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xffffe000U));
}

}  // namespace

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

// Rows of a swizzled tile are 128, 64 or 32 bytes long; groups of eight of them are a stride apart. Of the
// address that follows, as many bits from bit 4 on as a row has for its pieces are exchanged by the same
// number of bits from bit 7 on: of the address itself, so that a tile has to be aligned to its pattern.
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
  std::array<std::array<double, inner>, 16> a{};
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::size_t q = 0; q < 2; ++q)
      for (std::size_t h = 0; h < 2; ++h)
        a[lane / 4 + 8 * h][lane % 4 + 4 * q] = operand(a_[lane][2 * q + h]);
  for (int column = 0; column < columns_; ++column) {
    std::array<double, inner> b{};
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
      for (std::size_t k = 0; k < inner; ++k) exact += a[row][k] * b[k];  // products of 11 bits are exact
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
