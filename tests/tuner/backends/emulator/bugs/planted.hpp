// SPDX-License-Identifier: Apache-2.0
// Kernels with one planted bug each, and what the emulator must say about them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tuner/backends/emulator/jobs/checker.hpp"

namespace tune::emulator::testing {

/// A launch.
struct Scene {
  Dim3 block, grid;

  int threads() const { return static_cast<int>(block.count()); }  ///< of a block
  int blocks() const { return static_cast<int>(grid.count()); }
  int all() const { return threads() * blocks(); }
  std::string text() const;
};

constexpr int any = -1000000000;

/// Where a finding must lie; what is `any` is not compared.
struct Where {
  std::string array;  ///< empty: not compared
  std::int64_t offset = any;
  int block = any;   ///< number in the grid
  int thread = any;  ///< number in the block
  std::function<bool(int thread)> threads = nullptr;
};

/// A buffer beside `in` and `out`, between `out` and `n` in the kernel's arguments.
struct Extra {
  std::string name;
  BufferRole role = BufferRole::scratch;
  std::function<int(const Scene&)> elements;
  ElementType type = ElementType::f32;
};

/// A kernel `k(const Item* in, Item* out, <extra buffers>, int n)` over n = all threads elements. Its source
/// follows `bug.cuh`; BUG is 1 with the bug and 0 in the corrected twin, BLOCK the number of threads of a
/// block. With the bug, the first finding must be of this kind, at this place, at a line that ends in `//!`
/// (if there is one); the twin must be clean and, where `result` says what `out` holds, right.
struct Planted {
  std::string name;
  std::function<FindingKind(const Scene&)> kind;
  std::function<Where(const Scene&)> where;
  std::string source;
  std::vector<Scene> scenes;
  std::function<double(const Scene&, int element)> result = nullptr;
  std::string type = "float";  ///< Item
  std::vector<Extra> extra = {};
  std::function<std::uint64_t(const Scene&)> shared = nullptr;        ///< dynamic shared memory [bytes]
  std::function<void(LaunchPlan&, ReferenceData&)> change = nullptr;  ///< of what was made of the rest
};

/// Blocks of 32, 33, 64, 96, 256 and 1024 threads, of one and two dimensions; two blocks.
std::vector<Scene> all_scenes();
/// Those with more than a warp.
std::vector<Scene> scenes_of_several_warps();
/// One-dimensional ones with whole warps.
std::vector<Scene> scenes_of_whole_warps();
std::vector<Scene> scenes_where(const std::function<bool(const Scene&)>& fits);

std::function<FindingKind(const Scene&)> always(FindingKind kind);
/// A race within a block, which in a block of one warp is one within a warp.
FindingKind race_here(const Scene& scene);
std::function<Where(const Scene&)> in_array(std::string name);

/// The kernel's plan, with or without its bug.
Case case_of(const Planted& planted, const Scene& scene, bool bug);

/// Checks every third one, in all its scenes, with and without the bug; all of them with ./run-tests --long.
void expect_reported(const std::vector<Planted>& all);
/// Checks the corrected kernels alone.
void expect_clean(const std::vector<Planted>& all);

}  // namespace tune::emulator::testing
