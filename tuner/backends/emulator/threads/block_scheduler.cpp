// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/threads/block_scheduler.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

using tune_emulator::Barrier;
using tune_emulator::WarpRequest;

std::string at(const Place& place) {
  return format("{}:{}", place.file, place.line);
}

/// A block has a deadlock after so many yields without progress.
constexpr unsigned long long max_idle_yields = 1U << 24;
/// In a cooperative launch: rounds of the threads in loops before another block gets its turn, and the limit
/// of such turns.
constexpr unsigned long long rounds_of_turn = 2, max_idle_turns = 1U << 10;

}  // namespace

Pause BlockScheduler::run(unsigned threads, Order order, bool among_others,
                          const std::function<void()>& kernel) {
  threads_.resize(threads);
  for (Thread& thread : threads_) {
    thread.state = State::fresh;
    thread.stack = -1;
  }
  order_ = order;
  kernel_ = &kernel;
  live_ = threads;
  arrived_ = 0;
  barrier_differs_ = false;
  predicate_count_ = 0;
  idle_yields_ = 0;
  any_gathers_ = false;
  among_others_ = among_others;
  pause_ = Pause::ended;
  const auto first = static_cast<unsigned>(next_runnable(true));
  Thread& thread = threads_[first];
  thread.stack = stacks_.take();
  thread.context.prepare(stacks_.stack(thread.stack), Stacks::usable(thread.stack), start, this);
  current_ = first;
  events_.on_switch(first);
  main_.switch_to(thread.context);
  return pause_;
}

Pause BlockScheduler::resume() {
  pause_ = Pause::ended;
  events_.on_switch(current_);
  main_.switch_to(threads_[current_].context);
  return pause_;
}

void BlockScheduler::pause(Pause reason) {
  pause_ = reason;
  threads_[current_].context.switch_to(main_);
}

void BlockScheduler::start(void* scheduler) {
  static_cast<BlockScheduler*>(scheduler)->thread_body();
}

void BlockScheduler::thread_body() {
  // A thread that ends leaves its stack to the next new one: a kernel without barriers is a plain loop over
  // its threads.
  while (true) {
    threads_[current_].state = State::ready;
    (*kernel_)();
    end_current();
  }
}

void BlockScheduler::end_current() {
  events_.on_end(current_);
  Thread& ended = threads_[current_];
  ended.state = State::ended;
  --live_;
  idle_yields_ = 0;
  int next = next_runnable(false);
  if (next < 0 && live_ > 0) {
    nobody_runs();
    next = next_runnable(true);
  }
  const int stack = std::exchange(ended.stack, -1);
  // A stack that is given back is still in use here, but no thread takes it before the switch.
  if (next < 0) {
    stacks_.give_back(stack);
    ended.context.switch_to(main_);
  } else if (threads_[static_cast<unsigned>(next)].state == State::fresh) {
    current_ = static_cast<unsigned>(next);
    threads_[current_].stack = stack;
    events_.on_switch(current_);
  } else {
    stacks_.give_back(stack);
    current_ = static_cast<unsigned>(next);
    events_.on_switch(current_);
    ended.context.switch_to(threads_[current_].context);
  }
}

int BlockScheduler::next_runnable(bool from_first) const {
  const auto count = static_cast<unsigned>(threads_.size());
  const bool forward = order_ == Order::forward;
  unsigned at = from_first ? (forward ? count - 1 : 0) : current_;
  for (unsigned i = 0; i < count; ++i) {
    at = forward ? (at + 1 == count ? 0 : at + 1) : (at == 0 ? count - 1 : at - 1);
    if (threads_[at].state <= State::ready) return static_cast<int>(at);
  }
  return -1;
}

void BlockScheduler::give_turn(unsigned next) {
  if (next == current_) return;
  Thread& from = threads_[current_];
  Thread& to = threads_[next];
  if (to.state == State::fresh) {
    to.stack = stacks_.take();
    to.context.prepare(stacks_.stack(to.stack), Stacks::usable(to.stack), start, this);
  }
  current_ = next;
  events_.on_switch(next);
  from.context.switch_to(to.context);
}

void BlockScheduler::wait_for_turn(bool from_first) {
  int next = next_runnable(from_first);
  if (next < 0) {
    nobody_runs();
    next = next_runnable(true);
  }
  give_turn(static_cast<unsigned>(next));
}

int BlockScheduler::barrier(Barrier kind, int predicate, const Place& place) {
  arrive(predicate, place, Scope::block);
  switch (kind) {
    case Barrier::count:
      return released_count_;
    case Barrier::all_of:
      return static_cast<unsigned>(released_count_) == released_live_ ? 1 : 0;
    case Barrier::any_of:
      return released_count_ > 0 ? 1 : 0;
    default:
      return 0;
  }
}

void BlockScheduler::arrive(int predicate, const Place& place, Scope scope) {
  if (arrived_ == 0) {
    barrier_place_ = place;
    barrier_scope_ = scope;
    barrier_differs_ = false;
  } else if (!barrier_differs_ && (scope != barrier_scope_ || !same_place(place, barrier_place_))) {
    barrier_differs_ = true;
    events_.on_divergence(
        FindingKind::divergent_barrier, current_, place,
        format("threads of one block wait at different barriers: this one at {}, others at {}", at(place),
               at(barrier_place_)) +
            (place.line == barrier_place_.line
                 ? format(" (columns {} and {})", place.column, barrier_place_.column)
                 : std::string()));
  }
  if (scope != barrier_scope_) abandon();  // cannot go on: the barriers differ in scope
  predicate_count_ += predicate != 0 ? 1 : 0;
  ++arrived_;
  threads_[current_].state = State::at_barrier;
  const bool complete = arrived_ == (scope == Scope::grid ? static_cast<unsigned>(threads_.size()) : live_);
  if (complete) release_barrier();
  wait_for_turn(complete);
}

void BlockScheduler::release_barrier() {
  for (Thread& thread : threads_)
    if (thread.state == State::at_barrier) thread.state = State::ready;
  released_count_ = predicate_count_;
  released_live_ = arrived_;
  arrived_ = 0;
  predicate_count_ = 0;
  idle_yields_ = 0;
  if (barrier_scope_ != Scope::block)
    pause(Pause::at_grid_barrier);
  else
    events_.on_barrier();
}

unsigned long long BlockScheduler::warp(const WarpRequest& request) {
  const unsigned warp = current_ / 32, lane = current_ % 32, first = warp * 32;
  const unsigned exist = static_cast<unsigned>(threads_.size()) - first;
  const unsigned wanted = request.mask & (exist >= 32 ? ~0U : (1U << exist) - 1);
  using tune_emulator::WarpOperation;
  if (request.operation == WarpOperation::active_lanes) return gather(request);
  const std::string name = to_string(request.operation);
  if ((wanted >> lane & 1U) == 0) {
    events_.on_divergence(
        FindingKind::divergent_warp, current_, request.place,
        format("{} with a mask ({:#010x}) that lacks the calling lane {}", name, request.mask, lane));
    abandon();
  }
  const bool of_warpgroup = request.operation >= WarpOperation::warpgroup_start;
  if (of_warpgroup && threads_.size() < (warp / 4 + 1) * 128) {
    events_.on_divergence(FindingKind::divergent_warp, current_, request.place,
                          format("{} needs 128 threads of which the first one's "
                                 "number is a multiple of 128; the block has {}",
                                 name, threads_.size()));
    abandon();
  }
  const bool needs_all =
      request.operation == WarpOperation::matrix_product || request.operation == WarpOperation::wmma;
  if (needs_all && wanted != ~0U) {
    events_.on_divergence(FindingKind::divergent_warp, current_, request.place,
                          format("{} needs all lanes of the warp, which has {}", name, exist));
    abandon();
  }
  Thread& self = threads_[current_];
  self.request = request;
  self.state = State::in_warp;
  bool complete = true;
  for (unsigned other = 0; other < 32; ++other) {
    if ((wanted >> other & 1U) == 0 || other == lane) continue;
    const Thread& thread = threads_[first + other];
    if (thread.state == State::ended) {
      events_.on_divergence(
          FindingKind::divergent_warp, current_, request.place,
          format("{} names lane {} in its mask ({:#010x}), which has ended", name, other, request.mask));
      abandon();
    }
    const bool same = thread.state == State::in_warp && same_operation(thread.request, request);
    complete = complete && same;
    if (thread.state == State::in_warp && !same && (thread.request.mask >> lane & 1U) != 0) {
      events_.on_divergence(
          FindingKind::divergent_warp, current_, request.place,
          format("lanes of one mask are at different operations: lane {} at {} ({}), lane {} at {} ({})",
                 lane, name, at(request.place), other, to_string(thread.request.operation),
                 at(thread.request.place)));
      abandon();
    }
  }
  if (!complete) {
    wait_for_turn(false);
    return threads_[current_].answer;
  }
  WarpExchange exchange;
  exchange.lanes = wanted;
  for (unsigned other = 0; other < 32; ++other)
    if (wanted >> other & 1U) exchange.requests[other] = threads_[first + other].request;
  exchange.carry_out();
  if (of_warpgroup) events_.on_warpgroup_operation(warp, exchange);
  for (unsigned other = 0; other < 32; ++other) {
    if ((wanted >> other & 1U) == 0) continue;
    threads_[first + other].answer = exchange.answers[other];
    threads_[first + other].state = State::ready;
  }
  idle_yields_ = 0;
  if (request.operation == WarpOperation::sync) events_.on_warp_sync(warp, wanted);
  return exchange.answers[lane];
}

unsigned long long BlockScheduler::gather(const WarpRequest& request) {
  Thread& self = threads_[current_];
  self.request = request;
  self.state = State::gathering;
  any_gathers_ = true;
  wait_for_turn(false);
  return threads_[current_].answer;
}

/// Those of a warp at one place get each other. No other lane can come there before these go on.
bool BlockScheduler::release_gathered() {
  if (!std::exchange(any_gathers_, false)) return false;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].state != State::gathering) continue;
    const std::size_t first = i / 32 * 32, end = std::min(threads_.size(), first + 32);
    std::vector<std::size_t> together;
    for (std::size_t other = i; other < end; ++other)
      if (threads_[other].state == State::gathering &&
          same_place(threads_[other].request.place, threads_[i].request.place))
        together.push_back(other);
    unsigned long long lanes = 0;
    for (const std::size_t other : together) lanes |= 1ULL << (other - first);
    for (const std::size_t other : together) {
      threads_[other].answer = lanes;
      threads_[other].state = State::ready;
    }
  }
  idle_yields_ = 0;
  return true;
}

void BlockScheduler::yield(const Place& place) {
  const unsigned long long turn = rounds_of_turn * (live_ - arrived_);
  if (any_gathers_ && idle_yields_ >= turn) release_gathered();
  if (++idle_yields_ > (among_others_ ? turn * max_idle_turns : max_idle_yields)) {
    events_.on_divergence(
        FindingKind::deadlock, current_, place,
        among_others_
            ? "threads wait in loops for a value that no thread of the grid writes"
            : "threads wait in loops for a value that no thread of the block writes (blocks run one after "
              "another, except in cooperative launches: waiting for a later block is not emulated)");
    abandon();
  }
  if (among_others_ && idle_yields_ % turn == 0) pause(Pause::in_loops);
  wait_for_turn(false);
}

void BlockScheduler::nobody_runs() {
  if (release_gathered()) return;
  if (arrived_ == live_) {
    // Since Volta, a barrier of a block waits for the threads that have not ended. One of the grid waits for
    // all.
    if (barrier_scope_ == Scope::grid)
      events_.on_divergence(
          FindingKind::divergent_barrier, current_, barrier_place_,
          format("{} of {} threads of the block wait at {}, the others ended without reaching it", arrived_,
                 threads_.size(), at(barrier_place_)));
    release_barrier();
    return;
  }
  // Reports the place of a lane that waits for others.
  const auto waits = std::ranges::find(threads_, State::in_warp, &Thread::state);
  if (waits == threads_.end()) {
    events_.on_divergence(FindingKind::deadlock, current_, {nullptr, 0, nullptr},
                          "no thread can go on: " + waiting());
    abandon();
  }
  const auto number = static_cast<unsigned>(waits - threads_.begin());
  for (unsigned other = number / 32 * 32; other < threads_.size() && other < number / 32 * 32 + 32; ++other) {
    if (threads_[other].state != State::ended || (waits->request.mask >> other % 32 & 1U) == 0) continue;
    events_.on_divergence(FindingKind::divergent_warp, number, waits->request.place,
                          format("{} names lane {} in its mask ({:#010x}), which has ended",
                                 to_string(waits->request.operation), other % 32, waits->request.mask));
    abandon();
  }
  events_.on_divergence(FindingKind::deadlock, number, waits->request.place,
                        "no thread can go on: " + waiting());
  abandon();
}

std::string BlockScheduler::waiting() const {
  std::map<std::string, int> places;
  for (const Thread& thread : threads_) {
    if (thread.state == State::at_barrier)
      ++places[arrived_ > 0 && !barrier_differs_ ? "a barrier at " + at(barrier_place_) : "barriers"];
    if (thread.state == State::in_warp)
      ++places[format("{} at {}", to_string(thread.request.operation), at(thread.request.place))];
    if (thread.state == State::ended) ++places["(ended)"];
  }
  return joined(places,
                [](const auto& entry) { return format("{} threads: {}", entry.second, entry.first); });
}

void BlockScheduler::abandon() {
  pause(Pause::abandoned);
  __builtin_unreachable();
}

}  // namespace tune::emulator
