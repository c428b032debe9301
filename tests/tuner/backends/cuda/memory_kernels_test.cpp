// SPDX-License-Identifier: Apache-2.0
// The kernels that look after guards and inputs, run on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "tests/tuner/backends/cuda/kernels_on_cpu.hpp"
#include "tuner/backends/cuda/checks/differences.cu"
#include "tuner/backends/cuda/checks/guards.cu"

namespace tune::cuda {
namespace {

using Bytes = std::vector<unsigned char>;

/// Two zones in one block of memory with room between them; the first begins `skew` bytes into a word.
struct Guarded {
  explicit Guarded(std::size_t skew) : words(3000), skew_(skew) {
    zones.count = 2;
    zones.zone[0] = {bytes() + 400 + skew, 4000 - skew};
    zones.zone[1] = {bytes() + 8000, 2000};
  }
  unsigned char* bytes() { return reinterpret_cast<unsigned char*>(words.data()); }
  void fill() {
    run_on_cpu(3, 2, checks::block_threads, [this] { checks::fill_guards(zones); });
  }
  std::vector<unsigned> damaged() {
    std::vector<unsigned> flags(2, 0);
    run_on_cpu(3, 2, checks::block_threads, [&] { checks::check_guards(zones, flags.data()); });
    return flags;
  }
  std::vector<unsigned> words;
  checks::Zones zones;
  std::size_t skew_;
};

TEST(GuardKernels, FillTheZonesAndNothingElse) {
  for (std::size_t skew = 0; skew < 4; ++skew) {
    Guarded memory(skew);
    memory.fill();
    for (std::size_t i = 0; i < 4 * memory.words.size(); ++i) {
      const bool inside = (i >= 400 + skew && i < 4400) || (i >= 8000 && i < 10000);
      const auto guard = static_cast<unsigned char>(checks::guard_word >> (8 * (i % 4)));
      ASSERT_EQ(memory.bytes()[i], inside ? guard : 0) << i;
    }
  }
}

TEST(GuardKernels, NoticeEveryByte) {
  for (std::size_t skew = 0; skew < 4; ++skew) {
    Guarded memory(skew);
    memory.fill();
    EXPECT_EQ(memory.damaged(), (std::vector<unsigned>{0, 0}));
    for (const std::size_t place :
         {400 + skew, 401 + skew, std::size_t{404}, std::size_t{1500}, std::size_t{4399}}) {
      memory.bytes()[place] ^= 0x10;
      EXPECT_EQ(memory.damaged(), (std::vector<unsigned>{1, 0})) << place;
      memory.bytes()[place] ^= 0x10;
    }
    memory.bytes()[9999] = 0xff;  // what outputs are poisoned with is no guard
    EXPECT_EQ(memory.damaged(), (std::vector<unsigned>{0, 1}));
  }
}

TEST(GuardKernels, FillWithNan) {
  const std::uint64_t word = checks::guard_word;
  const std::uint64_t both = word << 32 | word;
  float single = 0;
  double twice = 0;
  std::memcpy(&single, &checks::guard_word, 4);
  std::memcpy(&twice, &both, 8);
  EXPECT_TRUE(std::isnan(single));
  EXPECT_TRUE(std::isnan(twice));
}

std::uint64_t difference(const Bytes& a, const Bytes& b) {
  checks::Count first = ~checks::Count{0};
  run_on_cpu(2, 1, checks::block_threads,
             [&] { checks::find_difference(a.data(), b.data(), a.size(), &first); });
  return first;
}

TEST(FindDifference, FindsTheFirst) {
  Bytes a(20'005);
  std::iota(a.begin(), a.end(), static_cast<unsigned char>(0));
  auto b = a;
  EXPECT_EQ(difference(a, b), ~std::uint64_t{0});
  for (const std::size_t place :
       {20'004u, 20'000u, 19'999u, 8'192u, 4'097u, 8u, 0u}) {  // earlier and earlier
    b[place] ^= 0x80;
    EXPECT_EQ(difference(a, b), place / 8 * 8) << place;
  }
}

std::vector<checks::Count> sums(const Bytes& data) {
  const auto tiles = (data.size() + checks::tile_bytes - 1) / checks::tile_bytes;
  std::vector<checks::Count> result(tiles);
  run_on_cpu(static_cast<unsigned>(tiles), 1, checks::block_threads,
             [&] { checks::sum_tiles(data.data(), data.size(), result.data()); });
  return result;
}

TEST(SumTiles, ChangeWithTheirTile) {
  Bytes data(2 * checks::tile_bytes + 1003);
  std::iota(data.begin(), data.end(), static_cast<unsigned char>(0));
  const auto before = sums(data);
  ASSERT_EQ(before.size(), 3u);
  EXPECT_EQ(sums(data), before);
  for (const std::size_t place : {std::size_t{0}, std::size_t{checks::tile_bytes - 1},
                                  std::size_t{checks::tile_bytes}, data.size() - 4, data.size() - 1}) {
    data[place] ^= 1;
    const auto after = sums(data);
    for (std::size_t tile = 0; tile < 3; ++tile)
      EXPECT_EQ(after[tile] != before[tile], tile == place / checks::tile_bytes) << place << " " << tile;
    data[place] ^= 1;
  }
  std::swap_ranges(data.begin(), data.begin() + 8, data.begin() + 16);  // the same words elsewhere
  EXPECT_NE(sums(data)[0], before[0]);
}

}  // namespace
}  // namespace tune::cuda
