// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tuner/backends/emulator/memory/plan_memory.hpp"
#include "tuner/backends/emulator/memory/texture_fetch.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::emulator {

/// The texture objects of a plan over its buffers in host memory.
class PlanTextures {
 public:
  /// Failure{resources} for what no device makes a texture of. The memory must outlive this.
  static Result<PlanTextures> make(const LaunchPlan& plan, const PlanMemory& memory);

  /// What a kernel gets for this argument of the plan.
  std::uint64_t object(const TextureArgument& argument) const;
  const std::vector<Texture>& all() const { return textures_; }

  /// Null for what is no object of `textures`.
  static const Texture* find(const std::vector<Texture>& textures, std::uint64_t object);

 private:
  std::vector<TextureArgument> arguments_;
  std::vector<Texture> textures_;
};

}  // namespace tune::emulator
