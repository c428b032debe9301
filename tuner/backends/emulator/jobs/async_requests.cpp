// SPDX-License-Identifier: Apache-2.0
// What threads do with mbarriers, and the copies that arrive there.
#include <cstdint>

#include "tuner/backends/emulator/jobs/emulation.hpp"
#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

using tune_emulator::access_bulk;
using tune_emulator::access_read;
using tune_emulator::access_volatile;
using tune_emulator::access_write;
using tune_emulator::AsyncCall;
using tune_emulator::AsyncRequest;

constexpr unsigned barrier_bytes = 8;
constexpr std::uintptr_t box_alignment = 128;
constexpr std::int64_t box_start = 16;  // bytes: a box begins at a multiple of these along dimension 0

}  // namespace

void Emulation::async(const AsyncRequest& request) {
  const unsigned thread = running_thread();
  switch (request.call) {
    case AsyncCall::init:
      if (flavour_ == Flavour::sanitize &&
          !memory_.access(thread, request.barrier, barrier_bytes, access_write, request.place))
        scheduler().abandon();
      if (const AsyncBarrier* const before = barriers().find(request.barrier);
          before != nullptr && !before->copies.empty())
        give_up(FindingKind::misused_barrier, request.place,
                "an mbarrier is initialised while copies that arrive there are under way");
      if (request.value == 0 || barriers().make(request.barrier, thread, request.value) == nullptr)
        give_up(FindingKind::misused_barrier, request.place,
                request.value == 0 ? "an mbarrier of no arrivals"
                                   : format("more than {} mbarriers are not emulated", AsyncBarriers::max));
      break;
    case AsyncCall::fence:
      barriers().fence(thread);
      break;
    case AsyncCall::arrive:
      arrive(barrier_of(request), request);
      break;
    case AsyncCall::wait:
      wait(barrier_of(request), request);
      break;
    case AsyncCall::copy:
      copy_box(request);
      break;
  }
  if (log_.full()) scheduler().abandon();
}

/// Who uses a barrier has to be ordered after its initialisation: its bytes are looked at like a variable
/// that others change meanwhile.
AsyncBarrier& Emulation::barrier_of(const AsyncRequest& request) {
  if (flavour_ == Flavour::sanitize && !memory_.access(running_thread(), request.barrier, barrier_bytes,
                                                       access_read | access_volatile, request.place))
    scheduler().abandon();
  AsyncBarrier* const barrier = barriers().find(request.barrier);
  if (barrier == nullptr)
    give_up(FindingKind::misused_barrier, request.place, "an mbarrier that nobody has initialised");
  return *barrier;
}

void Emulation::arrive(AsyncBarrier& barrier, const AsyncRequest& request) {
  if (barrier.can_end()) end_phase(barrier);
  if (barrier.pending == 0)
    give_up(FindingKind::misused_barrier, request.place,
            format("one more arrival than the {} of a phase, which has not ended: {} bytes are announced and "
                   "not on their way",
                   barrier.count, barrier.bytes));
  if (flavour_ == Flavour::sanitize) memory_.order().release(running_thread(), barrier.arriving);
  barrier.bytes += request.value;
  --barrier.pending;
  // Without copies nothing is late.
  if (barrier.copies.empty() && barrier.can_end()) end_phase(barrier);
}

void Emulation::end_phase(AsyncBarrier& barrier) {
  for (const BoxCopy& copy : barrier.copies) {
    copy.carry_out();
    if (flavour_ == Flavour::sanitize)
      memory_.end_copy(memory_.order().copied(barrier.number, barrier.arriving), copy.to,
                       copy.map->box_bytes());
  }
  barrier.end();
  scheduler().progress();
}

void Emulation::wait(AsyncBarrier& barrier, const AsyncRequest& request) {
  if (request.value > 1)
    give_up(FindingKind::misused_barrier, request.place, "the parity of a phase is 0 or 1");
  while (!barrier.has_ended(request.value))
    if (barrier.can_end())
      end_phase(barrier);
    else
      scheduler().yield(request.place);
  if (flavour_ == Flavour::sanitize) memory_.order().acquire(running_thread(), barrier.complete);
}

void Emulation::copy_box(const AsyncRequest& request) {
  const unsigned thread = running_thread();
  AsyncBarrier& barrier = barrier_of(request);
  const PlacedMap* const map = PlanMaps::find(maps_, request.map);
  if (map == nullptr) give_up(FindingKind::failed, request.place, "the argument of a copy is no tensor map");
  if (static_cast<std::size_t>(request.rank) != map->spec.box.size())
    give_up(FindingKind::failed, request.place,
            format("a copy of {} dimensions by a tensor map over `{}` of {}", request.rank, map->buffer,
                   map->spec.box.size()));
  if (request.at[0] * static_cast<std::int64_t>(map->element) % box_start != 0)
    give_up(
        FindingKind::misaligned, request.place,
        format("a box of `{}` begins at element {} along its first dimension, no multiple of {} bytes: an "
               "illegal instruction on a device",
               map->buffer, request.at[0], box_start));
  if (!barrier.fenced)
    give_up(FindingKind::misused_barrier, request.place,
            "a copy arrives at an mbarrier whose initialisation no fence has shown to the copy engine");
  if (flavour_ == Flavour::sanitize && reinterpret_cast<std::uintptr_t>(request.to) % box_alignment != 0) {
    memory_.misaligned(request.to, box_alignment, request.place);
    scheduler().abandon();
  }
  BoxCopy copy{static_cast<char*>(request.to), map, {}};
  for (int i = 0; i < request.rank; ++i) copy.at[static_cast<std::size_t>(i)] = request.at[i];
  if (flavour_ == Flavour::sanitize) {
    bool fine = true;
    map->each_row(copy.at, [&](std::size_t, const char* from, std::size_t bytes, std::size_t) {
      fine = fine &&
             (bytes == 0 || memory_.access(thread, from, bytes, access_read | access_bulk, request.place));
    });
    if (!fine || !memory_.begin_copy(thread, copy.to, map->box_bytes(), request.place, access_bulk))
      scheduler().abandon();
  }
  barrier.copies.push_back(copy);
}

/// A copy that arrives later would write to the shared memory of another block.
void Emulation::check_block_end(unsigned thread) {
  if (!scheduler().is_last()) return;
  const AsyncBarrier* const barrier = barriers().unfinished();
  if (barrier == nullptr) return;
  on_divergence(FindingKind::unfinished_copy, thread, {nullptr, 0, nullptr},
                format("the block ends while a copy of a box of `{}` to its shared memory is under way",
                       barrier->copies.front().map->buffer));
  scheduler().abandon();
}

void Emulation::give_up(FindingKind kind, const Place& place, const std::string& detail) {
  on_divergence(kind, running_thread(), place, detail);
  scheduler().abandon();
}

}  // namespace tune::emulator
