// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tune {

/// The resources of one kernel of a binary, known before any launch.
struct KernelResources {
  int registers = 0;          ///< a thread
  int spill_store_bytes = 0;  ///< a thread, from the compiler's log
  int spill_load_bytes = 0;
  int local_bytes = 0;                ///< a thread: stack frame and spills
  int static_shared_memory = 0;       ///< bytes a block
  int dynamic_shared_memory = 0;      ///< bytes a block, from the plan
  int threads = 0;                    ///< a block, from the plan
  int max_threads = 0;                ///< a block that this kernel can be launched with
  int blocks_per_multiprocessor = 0;  ///< CUDA's occupancy query
  double occupancy = 0;               ///< resident over possible threads of an SM, 0 to 1
  /// The limit of the occupancy: `registers`, `shared memory`, `threads`, `blocks`; empty if unknown.
  std::string limiter;
};

}  // namespace tune
