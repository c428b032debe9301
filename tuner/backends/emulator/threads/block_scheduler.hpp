// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tuner/backends/emulator/threads/context.hpp"
#include "tuner/backends/emulator/threads/warp_operations.hpp"

namespace tune::emulator {

/// The order in which the threads of a block, and the blocks of a grid, get their turns.
enum class Order { forward, reverse };

/// The scheduler's events while a block runs, on the stack of the thread that caused them.
class SchedulerEvents {
 public:
  virtual ~SchedulerEvents() = default;
  /// That thread runs from now on.
  virtual void on_switch(unsigned thread) = 0;
  /// All threads that have not ended have met at a barrier.
  virtual void on_barrier() = 0;
  /// These lanes of a warp have met at __syncwarp.
  virtual void on_warp_sync(unsigned warp, unsigned lanes) = 0;
  /// All lanes of a warp have come to its part of a warpgroup's operation.
  virtual void on_warpgroup_operation(unsigned warp, const WarpExchange& lanes) = 0;
  /// The thread's function has returned.
  virtual void on_end(unsigned thread) = 0;
  /// Threads do not meet where they should. The block goes on where possible, else it is abandoned.
  virtual void on_divergence(FindingKind kind, unsigned thread, const Place& place,
                             const std::string& detail) = 0;
};

/// The reason why a block has stopped running.
enum class Pause {
  ended,            ///< all its threads have ended
  abandoned,        ///< with the whole launch
  at_grid_barrier,  ///< all its threads wait at the barrier of the grid or, if they live, of the cluster
  in_loops,         ///< its threads wait in loops for what another block may bring
};

/// Runs the threads of one block in turns on one processor, each with a stack of its own. A thread keeps its
/// turn until it waits: at a barrier, for the other lanes of its warp, or by yield. Then the next runnable
/// thread gets its turn; when all that have not ended have come to the barrier, all of these are runnable.
class BlockScheduler {
 public:
  /// `stacks` must have one for each thread of every block that has begun and not ended.
  BlockScheduler(SchedulerEvents& events, Stacks& stacks) : events_(events), stacks_(stacks) {}

  /// Runs `kernel` once for each thread. With `among_others` it pauses where only another block can help.
  /// `kernel` must outlive the block.
  Pause run(unsigned threads, Order order, bool among_others, const std::function<void()>& kernel);
  /// Goes on after a pause, behind the grid's barrier if it waited there.
  Pause resume();
  /// Returns where a block that pauses at the grid's barrier waits.
  const Place& barrier_place() const { return barrier_place_; }

  // Called by the running thread.
  unsigned current() const { return current_; }
  int barrier(tune_emulator::Barrier kind, int predicate, const Place& place);
  /// A barrier of all blocks, and so of all threads of this one.
  void grid_barrier(const Place& place) { arrive(0, place, Scope::grid); }
  /// A barrier of all threads of a cluster's blocks that have not ended.
  void cluster_barrier(const Place& place) { arrive(0, place, Scope::cluster); }
  unsigned long long warp(const tune_emulator::WarpRequest& request);
  /// `place`: where the thread waits, if known.
  void yield(const Place& place = {nullptr, 0, nullptr});
  /// Reports an event for which threads may wait in loops.
  void progress() { idle_yields_ = 0; }
  /// True where all other threads have ended.
  bool is_last() const { return live_ == 1; }
  /// Ends the whole block at once without unwinding stacks.
  [[noreturn]] void abandon();

  static constexpr unsigned max_threads = 1024;

 private:
  enum class Scope : unsigned char { block, cluster, grid };
  enum class State : unsigned char { fresh, ready, at_barrier, in_warp, gathering, ended };
  struct Thread {
    Context context;
    int stack = -1;
    State state = State::fresh;
    tune_emulator::WarpRequest request{};
    unsigned long long answer = 0;
  };

  static void start(void* scheduler);
  void thread_body();
  void end_current();
  /// Returns the next thread in order that can go on, or -1.
  int next_runnable(bool from_first) const;
  /// Gives the turn to `next`; returns when the caller gets it back.
  void give_turn(unsigned next);
  void wait_for_turn(bool from_first);
  void arrive(int predicate, const Place& place, Scope scope);
  void release_barrier();
  unsigned long long gather(const tune_emulator::WarpRequest& request);
  /// Lets the lanes go on that wait for others at __activemask. False where there are none.
  bool release_gathered();
  void pause(Pause reason);
  void nobody_runs();
  std::string waiting() const;

  SchedulerEvents& events_;
  Stacks& stacks_;
  Context main_;
  std::vector<Thread> threads_;
  Order order_ = Order::forward;
  const std::function<void()>* kernel_ = nullptr;
  unsigned current_ = 0;
  unsigned live_ = 0;
  unsigned arrived_ = 0;
  bool among_others_ = false;
  Pause pause_ = Pause::ended;
  // The barrier at which threads are arriving.
  Place barrier_place_{};
  Scope barrier_scope_ = Scope::block;
  bool barrier_differs_ = false;
  int predicate_count_ = 0;
  int released_count_ = 0;  ///< of true predicates at the last barrier
  unsigned released_live_ = 0;
  unsigned long long idle_yields_ = 0;
  bool any_gathers_ = false;
};

}  // namespace tune::emulator
