// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tuner/session/store.hpp"

namespace tune {

/// A run as it is stored. Where several devices share it, what each further device evaluates is a run of its
/// own there, which begins with the first evaluation: an evaluation belongs to the device of its run. The run
/// itself has all of them in its order.
class StoredRun {
 public:
  /// Both must outlive it.
  StoredRun(Store& store, const RunRecord& record);
  StoredRun(const StoredRun&) = delete;
  StoredRun& operator=(const StoredRun&) = delete;

  /// Begins the run at the first call.
  RunId id() { return run_of(0); }
  /// One that is a comparison belongs to its device alone.
  void record(const Evaluation& evaluation);
  void end(RunEnd end);

 private:
  RunId run_of(std::size_t device);

  Store& store_;
  const RunRecord& record_;
  std::vector<std::optional<RunId>> runs_;  ///< by device
};

}  // namespace tune
