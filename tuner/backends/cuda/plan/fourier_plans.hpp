// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "tuner/backends/cuda/plan/input_snapshots.hpp"
#include "tuner/backends/cuda/runtime/memory_pool.hpp"
#include "tuner/backends/cuda/toolkit/cufft_library.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/plan/fourier_shape.hpp"

namespace tune::cuda {

/// Owns a plan of cuFFT: a kind of transform, on any memory. Move-only.
class FourierPlan {
 public:
  /// Failure{resources}: `device memory` where cuFFT has too little, else `cuFFT`.
  static Result<FourierPlan> make(std::shared_ptr<const CufftLibrary> library, const FourierShape& shape);
  FourierPlan(FourierPlan&& other) noexcept;
  FourierPlan& operator=(FourierPlan&&) = delete;
  ~FourierPlan();

  /// True where the plan can carry that transform out, also on other buffers.
  bool serves(const FourierShape& shape) const;
  std::size_t work_bytes() const { return work_bytes_; }
  /// Sets a work area of `work_bytes` before the first transform. Returns a status of cuFFT.
  int set_work_area(std::byte* memory) const;
  /// Enqueues the transform. Returns a status of cuFFT.
  int enqueue(std::byte* input, std::byte* output, cudaStream_t stream) const;

 private:
  FourierPlan(std::shared_ptr<const CufftLibrary> library, FourierShape shape, int plan)
      : library_(std::move(library)), shape_(std::move(shape)), plan_(plan) {}

  std::shared_ptr<const CufftLibrary> library_;  ///< null after a move
  FourierShape shape_;
  int plan_ = 0;
  std::size_t work_bytes_ = 0;
};

/// The plans of cuFFT that a launch plan needs, equal ones once, and the work area that they share, because
/// they run one after another.
class FourierPlans {
 public:
  FourierPlans() = default;
  /// Needs take_work_area before use. Failures as of FourierPlan; throws Error as fourier_shape, and for a
  /// transform that goes beyond a buffer.
  static Result<FourierPlans> make(const LaunchPlan& plan,
                                   const std::shared_ptr<const CufftLibrary>& library);
  FourierPlans(FourierPlans&&) noexcept = default;
  FourierPlans& operator=(FourierPlans&& other) noexcept;
  ~FourierPlans();

  std::size_t work_bytes() const;
  /// Takes the work area from the pool. Failure{resources, "device memory"} where there is too little even
  /// without idle memory and snapshots.
  Result<void> take_work_area(MemoryPool& pool, InputSnapshots& snapshots);
  /// Returns the plan of a transform; the reference stays valid when this object moves.
  const FourierPlan& find(const FourierShape& shape) const;
  std::size_t count() const { return plans_.size(); }

 private:
  std::vector<FourierPlan> plans_;
  MemoryPool* pool_ = nullptr;
  DeviceMemory work_;
};

}  // namespace tune::cuda
