// SPDX-License-Identifier: Apache-2.0
// CUB's sorts, histograms and operations on neighbours in the emulator.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "tests/tuner/backends/emulator/kernel_check.hpp"

namespace tune::emulator {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::KernelCheck;

constexpr int count = 256;  // items: four of each thread

/// Keys of which many are equal, some negative.
int key(int item) {
  return (item * 37 + item / 7) % 50 - 20;
}

/// The numbers of the items in the order of their keys.
std::vector<double> sorted(const std::function<bool(int a, int b)>& before) {
  std::vector<int> places(count);
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), before);
  return {places.begin(), places.end()};
}

/// A kernel of 64 threads with the item `n` number `i` of thread `t`, and parts of `out` of 256 numbers.
KernelCheck check_of(const std::string& types, const std::string& body, int parts) {
  return KernelCheck(
      "#include <cub/cub.cuh>\n__device__ int key(int n) { return (n * 37 + n / 7) % 50 - 20; }\n"
      "struct Less { template<class T> __device__ bool operator()(const T& a, const T& b) const {\n"
      "  return a < b; } };\n"
      "#define ITEMS for (int i = 0, n = 4 * t; i < 4; ++i, ++n)\n#define STRIPED for (int i = 0, n = t; i < 4; ++i, n += 64)\n"
      "extern \"C\" __global__ void k(const float* in, float* out, int) {\n  const int t = threadIdx.x;\n" +
          types + "\n" + body + "}\n",
      64, 1, static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(parts));
}

std::vector<double> joined(const std::vector<std::vector<double>>& parts) {
  std::vector<double> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

const std::string sorts =
    "using Pairs = cub::BlockRadixSort<float, 64, 4, int>; using Keys = cub::BlockRadixSort<signed char, 64, 4>;\n"
    "using Merge = cub::BlockMergeSort<int, 64, 4, short>;\n"
    "__shared__ union { Pairs::TempStorage pairs; Keys::TempStorage keys; Merge::TempStorage merge; } s;\n"
    "float keys[4]; int values[4], whole[4]; signed char small[4]; short numbers[4];\n";

TEST(Cub, SortsOfABlock) {
  KernelCheck check = check_of(
      sorts,
      "ITEMS { keys[i] = key(n); values[i] = n; } Pairs(s.pairs).Sort(keys, values);\n"
      "ITEMS out[n] = values[i] + (keys[i] == key(values[i]) ? 0 : 1000); __syncthreads();\n"
      // The zeros are equal.
      "ITEMS { keys[i] = key(n) == 0 && n % 2 ? -0.f : key(n); values[i] = n; }\n"
      "Pairs(s.pairs).SortDescendingBlockedToStriped(keys, values); STRIPED out[256 + n] = values[i];\n"
      "__syncthreads(); ITEMS small[i] = key(n); Keys(s.keys).SortDescending(small); ITEMS out[512 + n] = small[i];\n"
      "__syncthreads(); ITEMS small[i] = key(n); Keys(s.keys).Sort(small, 1, 3);\n"
      "ITEMS out[768 + n] = small[i]; __syncthreads();\n"
      "ITEMS { whole[i] = key(n); numbers[i] = n; } Merge(s.merge).Sort(whole, numbers, Less(), 250, 1000);\n"
      "ITEMS out[1024 + n] = n < 250 ? numbers[i] : whole[i];\n",
      5);
  const auto ascending = [](int a, int b) { return key(a) < key(b); };
  std::vector<double> keys, by_bits,
      merged = sorted([&](int a, int b) { return a < 250 && (b >= 250 || ascending(a, b)); });
  for (const double item : sorted([](int a, int b) { return key(b) < key(a); }))
    keys.push_back(key(static_cast<int>(item)));
  for (const double item : sorted([](int a, int b) { return (key(a) >> 1 & 3) < (key(b) >> 1 & 3); }))
    by_bits.push_back(key(static_cast<int>(item)));
  std::fill(merged.begin() + 250, merged.end(), 1000);
  check.expecting(joined(
      {sorted(ascending), sorted([](int a, int b) { return key(b) < key(a); }), keys, by_bits, merged}));
  EXPECT_EQ(check.report(), "");
}

TEST(Cub, AStorageThatIsUsedAgainNeedsABarrier) {
  const std::string twice =
      "ITEMS { keys[i] = in[n]; } Pairs(s.pairs).Sort(keys);\nPairs(s.pairs).Sort(keys);\nITEMS out[n] = keys[i];\n";
  EXPECT_THAT(check_of(sorts, twice, 1).report(),
              AllOf(HasSubstr("race within a block"), HasSubstr("'s'"), HasSubstr("k.cu")));
}

TEST(Cub, SortsAndExchangesOfAWarp) {
  KernelCheck check = check_of(
      "using Sort = cub::WarpMergeSort<int, 4, 16>; using Exchange = cub::WarpExchange<int, 4, 16>;\n"
      "using Load = cub::WarpLoad<float, 4, cub::WARP_LOAD_TRANSPOSE>; using Store = cub::WarpStore<float, 4, cub::WARP_STORE_STRIPED>;\n"
      "__shared__ Sort::TempStorage sort[4]; __shared__ Exchange::TempStorage exchange[4]; __shared__ Load::TempStorage load[2];\n"
      "__shared__ Store::TempStorage store[2]; int keys[4]; float loaded[4];\n",
      "ITEMS keys[i] = key(n); Sort(sort[t / 16]).Sort(keys, Less()); ITEMS out[n] = keys[i];\n"
      "ITEMS keys[i] = n; Exchange(exchange[t / 16]).BlockedToStriped(keys, keys); ITEMS out[256 + n] = keys[i];\n"
      "Load(load[t / 32]).Load(in + t / 32 * 128, loaded, 128, 0.f); Store(store[t / 32]).Store(out + 512 + t / 32 * 128, loaded);\n",
      3);
  std::vector<double> keys(count), striped(count), stored(count);
  for (int item = 0; item < count; ++item) {
    const int thread = item / 4, i = item % 4;
    keys[item] = key(item);
    striped[item] = thread / 16 * 64 + i * 16 + thread % 16;
    stored[thread / 32 * 128 + i * 32 + thread % 32] = item + 1;
  }
  for (int first = 0; first < count; first += 64) std::sort(keys.begin() + first, keys.begin() + first + 64);
  EXPECT_EQ(check.expecting(joined({keys, striped, stored})).report(), "");
}

TEST(Cub, HistogramsAndNeighbours) {
  KernelCheck check = check_of(
      "using Counts = cub::BlockHistogram<unsigned char, 64, 4, 64>; using Atomic = cub::BlockHistogram<int, 64, 4, 64, cub::BLOCK_HISTO_ATOMIC>;\n"
      "using Flags = cub::BlockDiscontinuity<int, 64>; using Difference = cub::BlockAdjacentDifference<int, 64>;\n"
      "using Shuffle = cub::BlockShuffle<int, 64>; using Exchange = cub::BlockExchange<int, 64, 4>;\n"
      "__shared__ union { Counts::TempStorage counts; Atomic::TempStorage atomic; Flags::TempStorage flags;\n"
      "  Difference::TempStorage difference; Shuffle::TempStorage shuffle; Exchange::TempStorage exchange; } s; __shared__ int bins[64];\n"
      "int items[4], more[4], ranks[4], one = -1, last; unsigned char bytes[4];\n",
      "ITEMS { items[i] = n / 3 % 64; bytes[i] = n / 5; } Counts(s.counts).Histogram(bytes, bins); __syncthreads(); Atomic(s.atomic).Composite(items, bins);\n"
      "__syncthreads(); ITEMS out[n] = bins[t]; __syncthreads();\n"
      "Flags(s.flags).FlagHeadsAndTails(more, ranks, 85, items, cub::Inequality()); ITEMS out[256 + n] = more[i] + 2 * ranks[i]; __syncthreads();\n"
      "ITEMS items[i] = n * n; Difference(s.difference).SubtractLeft(items, more, cub::Difference()); __syncthreads();\n"
      "Difference(s.difference).SubtractRightPartialTile(items, ranks, cub::Difference(), 250); ITEMS out[512 + n] = n % 2 ? ranks[i] : more[i];\n"
      "__syncthreads(); Shuffle(s.shuffle).Up(items, more, last); if (t == 0) more[0] = 7; __syncthreads(); Shuffle(s.shuffle).Offset(t, one, -2);\n"
      "ITEMS out[768 + n] = more[i] + one + (last == 255 * 255); __syncthreads();\n"
      "ITEMS { items[i] = n; ranks[i] = n % 3 ? 255 - n : -1; more[i] = -5; } Exchange(s.exchange).ScatterToStripedGuarded(items, more, ranks);\n"
      "STRIPED out[1024 + n] = (255 - n) % 3 ? more[i] : 0;\n",
      5);
  std::vector<double> bins(count), flags(count), differences(count), shuffled(count), scattered(count);
  for (int n = 0; n < count; ++n) {
    const int bin = n / 4, thread = n / 4;
    bins[n] = std::clamp(256 - 5 * bin, 0, 5) + (bin < 21 ? 6 : bin == 21 ? 4 : 3);
    flags[n] = (n % 3 == 0 ? 1 : 0) + (n % 3 == 2 || (n == 255 && 85 % 64 != 85) ? 2 : 0);
    const int neighbour = n % 2 == 1 ? (n < 249 ? n + 1 : -1) : n - 1;
    differences[n] = n * n - (n == 0 || neighbour < 0 ? 0 : neighbour * neighbour);
    shuffled[n] = (n == 0 ? 7 : (n - 1) * (n - 1)) + (thread < 2 ? -1 : thread - 2) + 1;
    scattered[n] = (255 - n) % 3 ? 255 - n : 0;
  }
  EXPECT_EQ(check.expecting(joined({bins, flags, differences, shuffled, scattered})).report(), "");
}

}  // namespace
}  // namespace tune::emulator
