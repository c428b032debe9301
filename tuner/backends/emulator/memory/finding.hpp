// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "tuner/backends/emulator/prelude/host_table.cuh"

namespace tune::emulator {

using tune_emulator::Index3;
using tune_emulator::Place;

/// What can be wrong with a kernel.
enum class FindingKind {
  out_of_bounds,       ///< an access outside of every array that the thread may use
  misaligned,          ///< an address that is no multiple of the access's size: a fault on a device
  write_to_input,      ///< inputs are read-only: a repeated launch must find them as they were
  uninitialised_read,  ///< of an output, scratch or shared array
  race_in_warp,        ///< between lanes of a warp, without __syncwarp
  race_in_block,       ///< between warps of a block, without __syncthreads
  race_between_blocks,
  race_between_steps,  ///< of a plan, on different streams without an order between them
  stale_texture,       ///< a texture read of what the same launch has written
  unfinished_copy,     ///< an asynchronous copy's target is used before the copy was waited for
  misused_barrier,     ///< an mbarrier that is not ready for what a thread does with it
  divergent_barrier,   ///< the threads of a block do not meet at one barrier
  divergent_warp,      ///< the lanes of a mask do not meet at one operation
  deadlock,
  wrong_result,
  crash,    ///< a signal: what no check foresaw
  hang,     ///< the time limit
  failed,   ///< __trap or a failed assertion
  compile,  ///< g++ refuses the source
};

/// `out of bounds`, `race within a block`: as shown.
std::string_view to_string(FindingKind kind);

/// One error of a kernel, with everything that is known of its place. What does not apply is empty or -1.
struct Finding {
  FindingKind kind = FindingKind::crash;
  std::string kernel;  ///< the entry, or the name of a Fourier transform or copy
  std::string size;    ///< of the case that showed it, as the case names it
  std::string array;
  std::int64_t offset = -1;  ///< bytes from the array's start
  bool has_thread = false;
  Index3 block{}, thread{};
  std::string source;  ///< `streaming_planes.cuh:44`, then the callers' lines
  std::string detail;  ///< one sentence that says it all but kernel, size and source

  /// One line.
  std::string text() const;
};

/// A finding whose place may still be an address in the module.
struct NotedFinding {
  Finding finding;
  const void* code = nullptr;  ///< the return address of the access; null where `source` is known
};

/// Collects what is found while blocks run. The same error shows in thousands of threads: the first is kept.
class FindingLog {
 public:
  /// More than that is no help, and a launch that goes wrong everywhere ends sooner.
  static constexpr std::size_t max = 16;

  /// False where it is a repetition.
  bool add(Finding finding, const Place& place);
  bool full() const { return noted_.size() >= max; }
  std::size_t size() const { return noted_.size(); }
  bool empty() const { return noted_.empty(); }
  std::vector<NotedFinding> take();

 private:
  std::vector<NotedFinding> noted_;
  std::set<std::tuple<FindingKind, std::string, std::string, const void*>> seen_;
};

}  // namespace tune::emulator
