// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/backends/backend.hpp"
#include "tuner/backends/cuda/plan/buffers.hpp"
#include "tuner/backends/cuda/plan/device_context.hpp"
#include "tuner/backends/cuda/plan/fourier_plans.hpp"
#include "tuner/backends/cuda/plan/launch_sequence.hpp"
#include "tuner/backends/cuda/plan/plan_textures.hpp"
#include "tuner/backends/cuda/runtime/module.hpp"

namespace tune::cuda {

/// A plan on its devices, with memory from their contexts.
class CudaPreparedPlan : public PreparedPlan {
 public:
  /// `parts`: at least one; that of the plan's first device comes first.
  CudaPreparedPlan(std::vector<DevicePart> parts, std::shared_ptr<const Module> module,
                   std::map<std::string, std::string> variables, PlanTextures textures,
                   FourierPlans transforms, LaunchSequence setup, LaunchSequence launches,
                   LaunchSequence checks, std::vector<KernelResources> resources, GraphUse graph);
  ~CudaPreparedPlan() override;

  const std::vector<KernelResources>& resources() const override { return resources_; }
  Result<double> run_checked(const TensorViews& inputs) override;
  Result<void> run_again() override;
  Result<void> check_memory() override;
  Result<Comparison> compare(std::string_view buffer, const TensorView& reference,
                             const Bounds& bounds) override;
  Result<TensorView> fetch(std::string_view buffer) override;
  /// Throws Error where `run_checked` has not filled the inputs.
  Result<Timing> measure(const MeasureOptions& options) override;

 private:
  /// Makes the first device current. Throws Error after a fault of any.
  void enter() const;
  cudaError_t wait() const;
  void fill_variables();
  Failure failure(cudaError_t status) const;

  std::vector<DevicePart> parts_;
  DeviceContext& context_;  ///< of the first device
  std::shared_ptr<const Module> module_;
  std::map<std::string, std::string> variables_;  ///< LoadedLaunches::variables
  PlanTextures textures_;
  FourierPlans transforms_;
  LaunchSequence setup_;
  LaunchSequence launches_;
  LaunchSequence checks_;
  std::vector<KernelResources> resources_;
  GraphUse graph_;
  bool filled_ = false;
};

}  // namespace tune::cuda
