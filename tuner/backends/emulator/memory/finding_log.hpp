// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tuner/backends/emulator/memory/finding.hpp"

namespace tune::emulator {

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
