// SPDX-License-Identifier: Apache-2.0
// mbarriers in shared memory and copies of boxes that arrive at them: the host twins of
// kernels/common/tensor_copy.cuh.
#pragma once

#include "language.cuh"

// Not inlined: who calls it is the place that a finding names.
TUNE_UNCHECKED inline unsigned tune_async(tune_emulator::AsyncCall call, void* barrier, unsigned value,
                                          void* to = nullptr, const void* from = nullptr) {
  tune_emulator::AsyncRequest request{};
  request.call = call;
  request.barrier = barrier;
  request.value = value;
  request.to = to;
  request.map = from;
  request.place = {nullptr, 0, __builtin_return_address(0)};
  return tune_host->async(tune_host->context, &request);
}
inline void tune_barrier_init(void* barrier, unsigned arrivals) {
  tune_async(tune_emulator::AsyncCall::init, barrier, arrivals);
}
// Barriers that the thread has initialised are known to the copy engine from here on.
inline void tune_barrier_fence() {
  tune_async(tune_emulator::AsyncCall::fence, nullptr, 0);
}
// An arrival that announces so many bytes.
inline void tune_barrier_arrive(void* barrier, unsigned bytes = 0) {
  tune_async(tune_emulator::AsyncCall::arrive, barrier, bytes);
}
inline void tune_barrier_wait(void* barrier, unsigned parity) {
  tune_async(tune_emulator::AsyncCall::wait, barrier, parity);
}

// `map` is the kernel's parameter.
template<int rank>
TUNE_UNCHECKED inline void tune_tensor_copy(void* to, const void* map, void* barrier, const int (&at)[rank]) {
  tune_emulator::AsyncRequest request{};
  request.call = tune_emulator::AsyncCall::copy;
  request.barrier = barrier;
  request.to = to;
  request.map = map;
  request.rank = rank;
  for (int i = 0; i < rank; ++i) request.at[i] = at[i];
  request.place = {nullptr, 0, __builtin_return_address(0)};
  tune_host->async(tune_host->context, &request);
}
