// SPDX-License-Identifier: Apache-2.0
// Barriers and pipelines of libcu++ in shared memory, and the copies that arrive at them.
#pragma once

#include "async_barriers.cuh"
#include "collectives.cuh"
#include "standard_library.cuh"

namespace cuda {

template<size_t alignment>
struct aligned_size_t {
  static constexpr size_t align = alignment;
  size_t value;
  explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
  constexpr operator size_t() const { return value; }
};

struct tune_no_completion {};
// An mbarrier. A token is the parity of its phase.
template<thread_scope scope, class Completion = tune_no_completion>
class barrier {
  static_assert(
      scope == thread_scope_block && __is_same(Completion, tune_no_completion),
      "tune_cannot_emulate: the emulator has no cuda::barrier of a scope above the block, or with a completion");
  unsigned long long bits_;

 public:
  using arrival_token = unsigned;

  barrier() = default;
  TUNE_COLLECTIVE explicit barrier(ptrdiff_t expected, Completion = {}) { init(this, expected); }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;
  friend TUNE_COLLECTIVE void init(barrier* one, ptrdiff_t expected, Completion = {}) {
    tune_barrier_init(one, static_cast<unsigned>(expected));
    tune_barrier_fence();
  }

  [[nodiscard]] TUNE_COLLECTIVE arrival_token arrive(ptrdiff_t count = 1) {
    arrival_token token = 0;
    for (; count > 0; --count) token = tune_async(tune_emulator::AsyncCall::arrive, this, 0);
    return token;
  }
  TUNE_COLLECTIVE void wait(arrival_token&& token) const { wait_parity(token); }
  TUNE_COLLECTIVE void wait_parity(bool parity) const {
    tune_barrier_wait(const_cast<barrier*>(this), parity);
  }
  TUNE_COLLECTIVE void arrive_and_wait() { wait(arrive()); }
  TUNE_COLLECTIVE void arrive_and_drop() { tune_async(tune_emulator::AsyncCall::drop, this, 0); }
};

// In pieces as a thread copies them; they arrive with the phase that the thread has not arrived at.
TUNE_COLLECTIVE void tune_copy_pieces(void* barrier, void* to, const void* from, size_t bytes, size_t first,
                                      size_t step) {
  const size_t piece =
      (reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from) | bytes) % 4 == 0 ? 4 : 1;
  for (size_t at = first * piece; at < bytes; at += step * piece)
    tune_async(tune_emulator::AsyncCall::copy_bytes, barrier, static_cast<unsigned>(piece),
               static_cast<char*>(to) + at, static_cast<const char*>(from) + at);
}
template<class Size, thread_scope scope>
TUNE_COLLECTIVE void memcpy_async(void* to, const void* from, Size bytes, barrier<scope>& arrives) {
  tune_copy_pieces(&arrives, to, from, bytes, 0, 1);
}
template<class Group, class Size, thread_scope scope>
TUNE_COLLECTIVE void memcpy_async(const Group& group, void* to, const void* from, Size bytes,
                                  barrier<scope>& arrives) {
  tune_copy_pieces(&arrives, to, from, bytes, group.thread_rank(), group.size());
}

// ---- pipelines: of one thread's own copies, or of all threads of a block ----

template<thread_scope scope, unsigned char stages>
struct pipeline_shared_state {
  static_assert(scope == thread_scope_block,
                "tune_cannot_emulate: the emulator has no cuda::pipeline of a scope above the block");
  barrier<scope> filled[stages], emptied[stages];
};

template<thread_scope scope>
class pipeline {
  barrier<thread_scope_block>*filled_, *emptied_;
  unsigned stages_, head_ = 0, tail_ = 0;  // steps that were committed, and released

 public:
  TUNE_COLLECTIVE pipeline(barrier<thread_scope_block>* filled, barrier<thread_scope_block>* emptied,
                           unsigned stages)
      : filled_(filled), emptied_(emptied), stages_(stages) {}

  TUNE_COLLECTIVE void producer_acquire() {
    if (head_ >= stages_) emptied_[head_ % stages_].wait_parity((head_ / stages_ + 1) % 2);
  }
  TUNE_COLLECTIVE void producer_commit() { (void)filled_[head_++ % stages_].arrive(); }
  TUNE_COLLECTIVE void consumer_wait() { filled_[tail_ % stages_].wait_parity(tail_ / stages_ % 2); }
  TUNE_COLLECTIVE void consumer_release() { (void)emptied_[tail_++ % stages_].arrive(); }
  TUNE_COLLECTIVE bool quit() { return true; }
  TUNE_COLLECTIVE barrier<thread_scope_block>& tune_stage() { return filled_[head_ % stages_]; }
};
template<>
class pipeline<thread_scope_thread> {
  int committed_ = 0, consumed_ = 0;

 public:
  void producer_acquire() {}
  void producer_commit() {
    ++committed_;
    tune_commit_async();
  }
  void consumer_wait() { tune_wait_async(committed_ - consumed_ - 1); }
  void consumer_release() { ++consumed_; }
};
inline pipeline<thread_scope_thread> make_pipeline() {
  return {};
}
template<class Group, thread_scope scope, unsigned char stages>
TUNE_COLLECTIVE pipeline<scope> tune_pipeline(const Group& group, pipeline_shared_state<scope, stages>* state,
                                              size_t producers, size_t consumers, const char* file,
                                              int line) {
  if (group.thread_rank() == 0)
    for (int i = 0; i < stages; ++i) {
      init(&state->filled[i], producers);
      init(&state->emptied[i], consumers);
    }
  group.sync(file, line);
  return pipeline<scope>(state->filled, state->emptied, stages);
}
// Every thread of the block produces and consumes.
template<class Group, thread_scope scope, unsigned char stages>
TUNE_COLLECTIVE pipeline<scope> make_pipeline(const Group& group, pipeline_shared_state<scope, stages>* state,
                                              TUNE_PLACE) {
  return tune_pipeline(group, state, group.size(), group.size(), tune_file, tune_line);
}
// The first threads of the block produce, the others consume.
template<class Group, thread_scope scope, unsigned char stages>
TUNE_COLLECTIVE pipeline<scope> make_pipeline(const Group& group, pipeline_shared_state<scope, stages>* state,
                                              size_t producers, TUNE_PLACE) {
  return tune_pipeline(group, state, producers, group.size() - producers, tune_file, tune_line);
}
enum class pipeline_role { producer, consumer };
template<class Group, thread_scope scope, unsigned char stages>
TUNE_COLLECTIVE pipeline<scope> make_pipeline(const Group& group, pipeline_shared_state<scope, stages>* state,
                                              pipeline_role role, TUNE_PLACE) {
  const auto producers = static_cast<size_t>(
      tune_barrier(tune_emulator::Barrier::count, role == pipeline_role::producer, tune_file, tune_line));
  return tune_pipeline(group, state, producers, group.size() - producers, tune_file, tune_line);
}
template<int pending>
inline void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>&) {
  tune_wait_async(pending);
}
template<class Size>
inline void memcpy_async(void* to, const void* from, Size bytes, pipeline<thread_scope_thread>&, TUNE_PLACE) {
  tune_copy_async(to, from, static_cast<unsigned>(bytes), 0, tune_file, tune_line);
}
template<class Size, thread_scope scope>
TUNE_COLLECTIVE void memcpy_async(void* to, const void* from, Size bytes, pipeline<scope>& pipe) {
  memcpy_async(to, from, bytes, pipe.tune_stage());
}
template<class Group, class Size>
inline void memcpy_async(const Group& group, void* to, const void* from, Size bytes,
                         pipeline<thread_scope_thread>&, TUNE_PLACE) {
  for (size_t at = group.thread_rank() * 4; at < bytes; at += group.size() * 4)
    tune_copy_async(static_cast<char*>(to) + at, static_cast<const char*>(from) + at,
                    bytes - at < 4 ? bytes - at : 4, 0, tune_file, tune_line);
}
template<class Group, class Size, thread_scope scope>
TUNE_COLLECTIVE void memcpy_async(const Group& group, void* to, const void* from, Size bytes,
                                  pipeline<scope>& pipe) {
  memcpy_async(group, to, from, bytes, pipe.tune_stage());
}

}  // namespace cuda
