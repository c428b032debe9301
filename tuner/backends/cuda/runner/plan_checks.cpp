// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runner/plan_checks.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

#include "tuner/backends/cuda/checks/check_layout.hpp"
#include "tuner/backends/cuda/checks/guards.hpp"

namespace tune::cuda {
namespace {

/// Brings memory to the host and waits. A failure where that fails.
Result<std::vector<std::byte>> bring(const std::byte* from, std::size_t size, DeviceContext& context) {
  std::vector<std::byte> host(size);
  auto status = cudaMemcpyAsync(host.data(), from, size, cudaMemcpyDeviceToHost, context.stream.get());
  if (status == cudaSuccess) status = cudaStreamSynchronize(context.stream.get());
  if (status != cudaSuccess) return tl::unexpected(context.failure(status));
  return host;
}

Result<void> check_guards(std::span<const PlanBuffer* const> buffers, DeviceContext& context) {
  std::vector<checks::Zone> red_zones;
  for (const auto* buffer : buffers) {
    red_zones.push_back(buffer->red_zone_before());
    red_zones.push_back(buffer->red_zone_after());
  }
  const auto damaged = context.checks().damaged(red_zones, context.stream.get());
  if (!damaged) return tl::unexpected(context.failure(damaged.error()));
  // Beyond the end first: that is where most stray writes go.
  for (const auto side : {Side::after, Side::before})
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const auto which = 2 * i + (side == Side::after ? 1 : 0);
      if (!(*damaged)[which]) continue;
      const auto* const begin = reinterpret_cast<const std::byte*>(red_zones[which].begin);
      const auto found = bring(begin, red_zones[which].bytes, context);
      if (!found) return tl::unexpected(found.error());
      return tl::unexpected(
          out_of_bounds(buffers[i]->spec.name, side, *found, reinterpret_cast<std::uintptr_t>(begin) % 4));
    }
  return {};
}

/// Names the element that `place`, rounded down to a multiple of 8, belongs to.
Result<void> describe_change(const PlanBuffer& buffer, const std::byte* snapshot, std::uint64_t place,
                             DeviceContext& context) {
  const auto bytes = buffer.spec.allocation_bytes();
  const auto sums = context.checks().sums(snapshot, bytes, context.stream.get());
  if (!sums) return tl::unexpected(context.failure(sums.error()));
  if (*sums != buffer.sums) return tl::unexpected(far_out_of_bounds());
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(8, bytes - place));
  const auto was = bring(snapshot + place, size, context);
  const auto is = was ? bring(buffer.data() + place, size, context) : was;
  if (!is) return tl::unexpected(is.error());
  const auto differing = std::ranges::mismatch(*was, *is).in1 - was->begin();
  return tl::unexpected(
      changed_input(buffer.spec, place + static_cast<std::uint64_t>(differing), place, *was, *is));
}

Result<void> check_input(const PlanBuffer& buffer, DeviceContext& context) {
  const auto bytes = buffer.spec.allocation_bytes();
  const auto* const snapshot = context.snapshots.find(*buffer.snapshot);
  if (snapshot != nullptr) {
    const auto* const was = snapshot->memory.data();
    const auto place = context.checks().difference(buffer.data(), was, bytes, context.stream.get());
    if (!place) return tl::unexpected(context.failure(place.error()));
    if (*place) return describe_change(buffer, was, **place, context);
    return {};
  }
  const auto sums = context.checks().sums(buffer.data(), bytes, context.stream.get());
  if (!sums) return tl::unexpected(context.failure(sums.error()));
  const auto tile = static_cast<std::uint64_t>(std::ranges::mismatch(*sums, buffer.sums).in1 - sums->begin());
  if (tile == sums->size()) return {};
  const auto begin = tile * checks::tile_bytes;
  return tl::unexpected(
      changed_input(buffer.spec, begin, std::min<std::uint64_t>(checks::tile_bytes, bytes - begin)));
}

void check_reference(const PlanBuffer& output, const TensorView& reference) {
  if (output.spec.layout.extents != reference.extents)
    throw std::logic_error("output and reference differ in extents");
  if (reference.type != ElementType::f64 || reference.bytes.size() != reference.size() * sizeof(double))
    throw std::logic_error("a reference must have f64 elements, as many as its extents say");
}

}  // namespace

Result<void> check_memory(const PlanBuffers& buffers, DeviceContext& context) {
  std::vector<const PlanBuffer*> on_device;
  for (const auto& buffer : buffers.all())
    if (!buffer.spec.on_host()) on_device.push_back(&buffer);
  if (auto fine = check_guards(on_device, context); !fine) return fine;
  for (const auto* buffer : on_device)
    if (buffer->snapshot)
      if (auto fine = check_input(*buffer, context); !fine) return fine;
  for (const auto& buffer : buffers.all()) {
    if (!buffer.spec.on_host()) continue;
    if (const auto status = buffers.stage(buffer, context.stream.get()); status != cudaSuccess)
      return tl::unexpected(context.failure(status));
    const PlanBuffer* const one = &buffer;
    if (auto fine = check_guards(std::span(&one, 1), context); !fine) return fine;
    if (!buffer.snapshot) continue;
    if (auto fine = check_input(buffer, context); !fine) return fine;
  }
  return {};
}

Result<std::optional<Comparison>> compare_on_device(const PlanBuffer& output, const TensorView& reference,
                                                    const Bounds& bounds, DeviceContext& context) {
  check_reference(output, reference);
  const auto placement = placement_of(output.shape, element_size(output.spec.type));
  if (!placement) return std::nullopt;
  const auto count = reference.size();
  const auto stream = context.stream.get();
  const auto key =
      snapshot_key(output.spec.name + " (reference)", Layout::dense(reference.extents), reference);
  const auto* const snapshot = context.snapshots.get(key, reference, context.checks(), stream);
  // Without room for the reference, the memory that flushes the cache holds a part of it at a time.
  const std::uint64_t at_once = snapshot != nullptr ? count : context.spare().size() / sizeof(double);
  const auto* const on_device =
      reinterpret_cast<const double*>(snapshot != nullptr ? snapshot->memory.data() : context.spare().data());
  std::vector<checks::Finding> findings;
  for (std::uint64_t begin = 0; begin < count; begin += at_once) {
    const auto part = std::min(at_once, count - begin);
    auto status = cudaSuccess;
    if (snapshot == nullptr)
      status = cudaMemcpyAsync(context.spare().data(), reference.bytes.data() + begin * sizeof(double),
                               part * sizeof(double), cudaMemcpyHostToDevice, stream);
    if (status != cudaSuccess) return tl::unexpected(context.failure(status));
    const auto some = context.checks().compare(
        {output.spec.type, output.first(), *placement, on_device, begin, part}, bounds, stream);
    if (!some) return tl::unexpected(context.failure(some.error()));
    findings.insert(findings.end(), some->begin(), some->end());
  }
  return std::optional(combine(findings));
}

}  // namespace tune::cuda
