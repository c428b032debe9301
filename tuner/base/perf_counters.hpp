// SPDX-License-Identifier: Apache-2.0
// Counters of the processor, by the system's perf events.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tune {

/// What is counted, as metrics are called. `ipc` is instructions over cycles.
inline constexpr std::array<std::string_view, 6> counted_events = {
    "cycles", "instructions", "cache_references", "cache_misses", "tlb_misses", "page_faults"};
inline constexpr std::string_view instructions_per_cycle = "ipc";

/// The calls of the system, which tests replace.
struct PerfCalls {
  /// Opens event `index` of counted_events for this thread and all that it starts later; `at_exec`: it counts
  /// from the next exec on. Returns a descriptor, or -1 with errno.
  int (*open)(std::size_t index, bool at_exec);
  /// Returns false where it cannot be read. `numbers`: the count, and the times for which it was enabled and
  /// for which it ran: the processor has fewer counters than there are events.
  bool (*read)(int descriptor, std::array<std::uint64_t, 3>& numbers);
  bool (*set)(int descriptor, bool counting);
};
/// Those of the system.
const PerfCalls& system_perf_calls();

/// Counts user code. Each event is counted that the system allows. No function allocates: it may be used
/// between fork and exec.
class PerfCounters {
 public:
  explicit PerfCounters(bool at_exec = false, const PerfCalls& calls = system_perf_calls());
  PerfCounters(const PerfCounters&) = delete;
  PerfCounters& operator=(const PerfCounters&) = delete;
  ~PerfCounters();

  /// Negative where an event is not counted.
  using Counts = std::array<double, counted_events.size()>;
  void start();
  void stop();
  /// Returns what was counted since the start, as if every counter had run all the time.
  Counts counts() const;
  bool any() const;
  /// Closes all descriptors of this process above standard error, but for its own.
  void close_others() const;
  /// Why the first event is not counted, as errno; 0 where it is.
  int refusal() const { return refusal_; }

 private:
  const PerfCalls& calls_;
  std::array<int, counted_events.size()> descriptors_{};
  std::array<std::array<std::uint64_t, 3>, counted_events.size()> before_{};  ///< at the start
  int refusal_ = 0;
};

/// Returns the known counts of an execution by name, and the instructions a cycle.
std::vector<std::pair<std::string, double>> named_counts(const PerfCounters::Counts& counts,
                                                         double executions = 1);

/// Returns one line with the cure: why the processor's events are not counted. `paranoid`: the number in
/// /proc/sys/kernel/perf_event_paranoid.
std::string refusal_text(int error, int paranoid);
/// The same of this machine right now; empty where they are counted.
std::string refused_counters();

}  // namespace tune
