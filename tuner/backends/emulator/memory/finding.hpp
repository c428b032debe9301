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

/// The errors that a kernel can have.
enum class FindingKind {
  out_of_bounds,       ///< an access outside of every array that the thread may use
  misaligned,          ///< an address that is not a multiple of the access's size: a fault on a device
  write_to_input,      ///< inputs are read-only: a repeated launch must find them as they were
  uninitialised_read,  ///< of an output, scratch or shared array
  race_in_warp,        ///< between lanes of a warp, without __syncwarp
  race_in_block,       ///< between warps of a block, without __syncthreads
  race_between_blocks,
  race_between_steps,  ///< of a plan, on different streams without an order between them
  stale_texture,       ///< a texture read of what the same launch has written
  unfinished_copy,     ///< an access to an asynchronous copy's target before waiting for the copy
  misused_barrier,     ///< an mbarrier is not in the state for a thread's operation
  divergent_barrier,   ///< the threads of a block do not meet at one barrier
  divergent_warp,      ///< the lanes of a mask do not meet at one operation
  deadlock,
  wrong_result,
  crash,      ///< a signal that no check foresaw
  hang,       ///< the time limit
  failed,     ///< __trap or a failed assertion
  compile,    ///< g++ refuses the source
  no_launch,  ///< there is no plan (an empty grid), or it has an argument that does not fit
};

/// Returns `out of bounds`, `race within a block`, ...: as shown.
std::string_view to_string(FindingKind kind);

/// What the size begins with where a plan that only gives the right results ran.
inline constexpr std::string_view reference_at = "the reference at ";

/// One error of a kernel with its place. Members that do not apply are empty or -1.
struct Finding {
  FindingKind kind = FindingKind::crash;
  std::string kernel;  ///< the entry, or the name of a Fourier transform or copy
  std::string size;    ///< Case::size of the case that showed it
  std::string array;
  std::int64_t offset = -1;  ///< bytes from the array's start
  bool has_thread = false;
  Index3 block{}, thread{};
  std::string source;         ///< `streaming_planes.cuh:44`, then the callers' lines
  std::string detail;         ///< one sentence without kernel, size and source
  bool no_reference = false;  ///< of a wrong result: nothing wrote the element, the reference neither

  /// Whether it does not tell of the checked configuration.
  bool is_of_reference() const { return size.starts_with(reference_at); }
  /// One line.
  std::string text() const;
};

/// A finding whose place may still be an address in the module.
struct NotedFinding {
  Finding finding;
  const void* code = nullptr;  ///< the return address of the access; null where `source` is known
};

/// Collects findings while blocks run. Keeps the first of the same error, which shows in thousands of
/// threads.
class FindingLog {
 public:
  /// More findings do not help, and a launch that is wrong everywhere ends sooner.
  static constexpr std::size_t max = 16;

  /// Findings of these kinds are not kept.
  void allow(const std::vector<FindingKind>& kinds) { allowed_.insert(kinds.begin(), kinds.end()); }
  /// False for a repetition, and for what is allowed.
  bool add(Finding finding, const Place& place);
  bool full() const { return noted_.size() >= max; }
  std::size_t size() const { return noted_.size(); }
  bool empty() const { return noted_.empty(); }
  std::vector<NotedFinding> take();

 private:
  std::set<FindingKind> allowed_;
  std::vector<NotedFinding> noted_;
  std::set<std::tuple<FindingKind, std::string, std::string, const void*>> seen_;
};

}  // namespace tune::emulator
