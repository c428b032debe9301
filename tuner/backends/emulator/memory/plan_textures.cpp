// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/memory/plan_textures.hpp"

#include <algorithm>

#include "tuner/base/error.hpp"

namespace tune::emulator {
namespace {

/// Objects are numbers from here on: neither addresses nor small integers, so that a wrong argument is no
/// texture.
constexpr std::uint64_t first_texture_object = std::uint64_t{0x7e97} << 48;

}  // namespace

Result<PlanTextures> PlanTextures::make(const LaunchPlan& plan, const PlanMemory& memory) {
  PlanTextures made;
  made.arguments_ = plan.textures();
  for (const TextureArgument& argument : made.arguments_) {
    const BufferSpec& buffer = plan.buffer(argument.buffer);
    const auto shape = texture_shape(buffer, argument.texture);
    if (!shape) return tl::unexpected(shape.error());
    made.textures_.push_back(
        {argument.buffer, argument.texture, buffer.type, *shape, memory.address(argument.buffer)});
  }
  return made;
}

std::uint64_t PlanTextures::object(const TextureArgument& argument) const {
  const auto found = std::ranges::find(arguments_, argument);
  if (found == arguments_.end()) throw Error("a launch has a texture that its plan lacks");
  return first_texture_object + static_cast<std::uint64_t>(found - arguments_.begin());
}

const Texture* PlanTextures::find(const std::vector<Texture>& textures, std::uint64_t object) {
  const std::uint64_t number = object - first_texture_object;
  return number < textures.size() ? &textures[number] : nullptr;
}

}  // namespace tune::emulator
