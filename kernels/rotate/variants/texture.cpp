// SPDX-License-Identifier: Apache-2.0
// The variants `texture` and `texture_exact`: the image is a texture.
#include <cmath>

#include "kernels/framework/request.hpp"
#include "kernels/rotate/model/variant.hpp"
#include "tuner/plan/texture_shape.hpp"

namespace tune::kernels {
namespace {

using search::var;

TextureSpec texture_of(const RotateJob& job, bool filter, bool gather) {
  TextureSpec texture;
  texture.memory = job.source == RotateJob::Source::array ? TextureMemory::array : TextureMemory::pitched;
  texture.channels = static_cast<int>(job.channels);
  const AddressMode mode = job.border == RotateJob::Border::clamp            ? AddressMode::clamp
                           : job.border == RotateJob::Border::wrap && filter ? AddressMode::wrap
                                                                             : AddressMode::border;
  texture.address = {mode, mode, mode};
  texture.filter = filter ? FilterMode::linear : FilterMode::point;
  texture.read = job.type == ElementType::f32 ? ReadMode::element : ReadMode::normalized;
  texture.normalized_coordinates = mode == AddressMode::wrap;
  texture.gather = gather;
  return texture;
}

Result<LaunchPlan> plan_with(const RotateJob& job, const Configuration& configuration,
                             const KernelSources& sources, const char* fetch) {
  const bool filter = fetch == std::string_view("filter");
  LaunchPlan plan = rotate_plan(job, "texture.cu", configuration, sources);
  std::erase_if(plan.compile.defines, [](const auto& define) { return define.first == "FETCH"; });
  plan.compile.defines.emplace_back("FETCH", std::string("Fetch::") + fetch);
  const TextureSpec texture = texture_of(job, filter, fetch == std::string_view("gather"));
  if (const Result<TextureShape> shape = texture_shape(plan.buffers.front(), texture); !shape)
    return fail(Phase::constraint, "texture", shape.error().detail);
  std::vector<KernelArgument> last;
  for (const std::int64_t extent : {job.nx, job.ny})
    last.emplace_back(ScalarArgument(texture.normalized_coordinates ? 1 / static_cast<float>(extent) : 1.0F));
  add_rotate_launch(plan, job, configuration, "rotate_texture", {TextureArgument{"in", texture}}, last);
  if (filter) {
    // The coordinate is rounded up to five times on its way to the texture unit; the image may be left by
    // 0.3 of an extent.
    const double coordinate = 5 * std::ldexp(1.3 * static_cast<double>(std::max(job.nx, job.ny)), -24);
    plan.tolerance = rotate_tolerance(
        job, 0x1p-9 + coordinate + 0x1p-16, 0x1p-8 + 0x1p-10,
        "the texture unit rounds weights along an axis to 1/256 and their products again, and coordinates "
        "have 24 bits");
  }
  return plan;
}

Result<LaunchPlan> plan_filter(const RotateJob& job, const Configuration& configuration,
                               const KernelSources& sources) {
  return plan_with(job, configuration, sources, "filter");
}

void add_written(FamilySpace& space) {
  space.rules().add_shared_memory(written_bytes(), "the pixels to write");
}

void add_exact(FamilySpace& space, const RotateJob& job) {
  // A gather does not repeat the image, and reads arrays alone.
  const bool gathers = job.source == RotateJob::Source::array && job.border != RotateJob::Border::wrap;
  std::vector<search::Value> fetches = {"point"};
  if (gathers) fetches.emplace_back("gather");
  space.add("fetch", "how the four pixels are read: one by one, or by tex2Dgather", fetches, "point");
  add_written(space);
}

Result<LaunchPlan> plan_exact(const RotateJob& job, const Configuration& configuration,
                              const KernelSources& sources) {
  return plan_with(job, configuration, sources, configuration["fetch"].as_text().c_str());
}

}  // namespace

RotateVariant texture_rotate() {
  return {"texture",   "interpolated by the texture unit, with weights of 8 bits",
          always,      [](FamilySpace& space, const RotateJob&) { add_written(space); },
          plan_filter, rotate_tile};
}

RotateVariant texture_exact_rotate() {
  return {"texture_exact", "read through the texture unit and interpolated with weights of 23 bits",
          always,          add_exact,
          plan_exact,      rotate_tile};
}

}  // namespace tune::kernels
