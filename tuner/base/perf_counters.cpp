// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/perf_counters.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"

namespace tune {
namespace {

constexpr std::size_t cycles = 0, instructions = 1;

struct Event {
  std::uint32_t type;
  std::uint64_t number;
};
constexpr std::uint64_t data_tlb_misses =
    PERF_COUNT_HW_CACHE_DTLB | (PERF_COUNT_HW_CACHE_OP_READ << 8) | (PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
constexpr std::array<Event, counted_events.size()> events = {{
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {PERF_TYPE_HW_CACHE, data_tlb_misses},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
}};

int open_event(std::size_t index, bool at_exec) {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = events[index].type;
  attributes.config = events[index].number;
  attributes.disabled = 1;
  attributes.inherit = 1;
  attributes.enable_on_exec = at_exec ? 1 : 0;
  attributes.exclude_kernel = attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

bool read_event(int descriptor, std::array<std::uint64_t, 3>& numbers) {
  return read(descriptor, numbers.data(), sizeof numbers) == static_cast<ssize_t>(sizeof numbers);
}

bool set_event(int descriptor, bool counting) {
  return ioctl(descriptor, counting ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) == 0;
}

}  // namespace

const PerfCalls& system_perf_calls() {
  static constexpr PerfCalls calls = {open_event, read_event, set_event};
  return calls;
}

PerfCounters::PerfCounters(bool at_exec, const PerfCalls& calls) : calls_(calls) {
  for (std::size_t i = 0; i < descriptors_.size(); ++i) {
    descriptors_[i] = calls_.open(i, at_exec);
    if (i == cycles && descriptors_[i] < 0) refusal_ = errno;
  }
}

PerfCounters::~PerfCounters() {
  for (const int descriptor : descriptors_)
    if (descriptor >= 0) close(descriptor);
}

void PerfCounters::start() {
  // Nothing sets the times, and the counts of threads that have ended, to zero.
  for (std::size_t i = 0; i < descriptors_.size(); ++i)
    if (descriptors_[i] >= 0 && !calls_.read(descriptors_[i], before_[i])) before_[i] = {};
  for (const int descriptor : descriptors_)
    if (descriptor >= 0) calls_.set(descriptor, true);
}

void PerfCounters::stop() {
  for (const int descriptor : descriptors_)
    if (descriptor >= 0) calls_.set(descriptor, false);
}

PerfCounters::Counts PerfCounters::counts() const {
  Counts counts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::array<std::uint64_t, 3> numbers{};
    counts[i] = -1;
    if (descriptors_[i] < 0 || !calls_.read(descriptors_[i], numbers)) continue;
    for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] -= before_[i][n];
    const auto [count, enabled, running] = numbers;
    if (running == 0) continue;  // it had no counter, or nothing ran
    counts[i] = static_cast<double>(count) * static_cast<double>(enabled) / static_cast<double>(running);
  }
  return counts;
}

bool PerfCounters::any() const {
  return std::ranges::any_of(descriptors_, [](int one) { return one >= 0; });
}

void PerfCounters::close_others() const {
  std::array<int, counted_events.size()> own = descriptors_;
  std::ranges::sort(own);
  unsigned next = STDERR_FILENO + 1;
  for (const int descriptor : own) {
    if (descriptor <= STDERR_FILENO) continue;
    const auto number = static_cast<unsigned>(descriptor);
    if (number > next) close_range(next, number - 1, 0);
    next = number + 1;
  }
  close_range(next, ~0U, 0);
}

std::vector<std::pair<std::string, double>> named_counts(const PerfCounters::Counts& counts,
                                                         double executions) {
  std::vector<std::pair<std::string, double>> named;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] >= 0) named.emplace_back(counted_events[i], counts[i] / executions);
  if (counts[cycles] > 0 && counts[instructions] >= 0)
    named.emplace_back(instructions_per_cycle, counts[instructions] / counts[cycles]);
  return named;
}

std::string refusal_text(int error, int paranoid) {
  if (error == 0) return {};
  if (error == EACCES || error == EPERM)
    return format(
        "the system does not let this process count the processor's events: set "
        "kernel.perf_event_paranoid to 2 or less (it is {}; sudo sysctl kernel.perf_event_paranoid=2), in a "
        "container allow perf_event_open too",
        paranoid);
  if (error == ENOSYS)
    return "this system has no perf events: use a kernel that has them, in a container allow perf_event_open";
  return "this machine does not count the processor's events: a virtual machine needs a virtual PMU; give it "
         "one, or measure on the machine itself";
}

std::string refused_counters() {
  const PerfCounters counters;
  if (counters.refusal() == 0) return {};
  const auto text = read_text("/proc/sys/kernel/perf_event_paranoid");
  return refusal_text(counters.refusal(), text ? std::atoi(text->c_str()) : 0);
}

}  // namespace tune
