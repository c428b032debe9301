// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/transfers.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

std::string on_device(const std::string& name) {
  return name + " on the device";
}

/// Returns copies, one for each plane. The host's tensor has no gaps.
std::vector<PlanStep> copies_of(const BufferSpec& device, const std::string& name, bool to_device) {
  const Extents& extents = device.layout.extents;
  const std::uint64_t width = extents[0];
  const std::uint64_t rows = extents.size() > 1 ? extents[1] : 1;
  const std::uint64_t planes = extents.size() > 2 ? extents[2] : 1;
  std::vector<PlanStep> steps;
  for (std::uint64_t plane = 0; plane < planes; ++plane) {
    const CopySide host{name, plane * width * rows, width};
    const CopySide there{device.name, extents.size() > 2 ? plane * device.layout.strides[2] : 0,
                         extents.size() > 1 ? device.layout.strides[1] : width};
    Copy copy{to_device ? host : there, to_device ? there : host, width, rows};
    steps.emplace_back(std::move(copy));
  }
  return steps;
}

/// Replaces the names of host buffers by those of their copies, and shifts step numbers by `before`.
class Renaming {
 public:
  Renaming(const std::vector<std::pair<std::string, std::string>>& names, std::size_t before)
      : names_(names), before_(before) {}

  void apply(PlanStep& step) const {
    std::visit([this](auto& one) { apply_to(one); }, step);
  }

 private:
  void rename(std::string& name) const {
    for (const auto& [host, device] : names_)
      if (name == host) {
        name = device;
        return;
      }
  }
  void move(StepOrder& order) const {
    for (std::size_t& step : order.after) step += before_;
  }
  void apply_to(Launch& launch) const {
    for (KernelArgument& argument : launch.arguments) {
      if (auto* buffer = std::get_if<BufferArgument>(&argument)) rename(buffer->buffer);
      if (auto* map = std::get_if<TensorMapArgument>(&argument)) rename(map->buffer);
      if (std::holds_alternative<TextureArgument>(argument))
        throw Error("a texture's buffer cannot come from the host with every execution");
    }
    move(launch.order);
  }
  void apply_to(FourierTransform& transform) const {
    rename(transform.input);
    rename(transform.output);
    move(transform.order);
  }
  void apply_to(Copy& copy) const {
    rename(copy.from.buffer);
    rename(copy.to.buffer);
    move(copy.order);
  }
  void apply_to(Zero& zero) const {
    rename(zero.buffer);
    move(zero.order);
  }
  void apply_to(HostStep& step) const {
    step.again += before_;
    move(step.order);
  }

  const std::vector<std::pair<std::string, std::string>>& names_;
  std::size_t before_;
};

bool mentions(const PlanStep& step, const std::string& buffer) {
  if (const auto* launch = std::get_if<Launch>(&step)) {
    for (const KernelArgument& argument : launch->arguments)
      if (const auto* given = std::get_if<BufferArgument>(&argument); given && given->buffer == buffer)
        return true;
      else if (const auto* map = std::get_if<TensorMapArgument>(&argument); map && map->buffer == buffer)
        return true;
    return false;
  }
  if (const auto* transform = std::get_if<FourierTransform>(&step))
    return transform->input == buffer || transform->output == buffer;
  if (const auto* zero = std::get_if<Zero>(&step)) return zero->buffer == buffer;
  if (std::holds_alternative<HostStep>(step)) return true;  // it may ask for any
  const auto& copy = std::get<Copy>(step);
  return copy.from.buffer == buffer || copy.to.buffer == buffer;
}

}  // namespace

SettingInfo transfers_setting() {
  SettingInfo setting;
  setting.name = "transfers";
  setting.documentation =
      "none: the data lies on the device; included: it comes from pinned host memory and returns there";
  setting.values = {"none", "included"};
  setting.default_value = "none";
  setting.implied = true;
  return setting;
}

bool with_transfers(const Instance& instance) {
  return instance.setting_or("transfers", "none").as_text() == "included";
}

LaunchPlan between_transfers(LaunchPlan plan) {
  std::vector<BufferSpec> hosts;
  std::vector<std::pair<std::string, std::string>> names;
  std::vector<PlanStep> before, after;
  const auto append = [](std::vector<PlanStep>& to, std::vector<PlanStep> steps) {
    std::ranges::move(steps, std::back_inserter(to));
  };
  for (BufferSpec& buffer : plan.buffers) {
    if (buffer.role == BufferRole::scratch || !buffer.symbol.empty()) continue;
    for (const PlanStep& step : plan.setup)
      if (mentions(step, buffer.name))
        throw Error(format("the setup needs '{}', which comes from the host later", buffer.name));
    BufferSpec host{buffer.name, buffer.type, Layout::dense(buffer.layout.extents), buffer.role};
    host.fill = buffer.fill;
    host.place = MemoryPlace::pinned;
    const bool read = buffer.role == BufferRole::input || buffer.fill == BufferFill::contents;
    const bool written = buffer.role == BufferRole::output;
    buffer.name = on_device(host.name);
    buffer.role = BufferRole::scratch;
    buffer.fill = BufferFill::poison;
    names.emplace_back(host.name, buffer.name);
    if (read) append(before, copies_of(buffer, host.name, true));
    if (written) append(after, copies_of(buffer, host.name, false));
    hosts.push_back(std::move(host));
  }
  const Renaming renaming(names, before.size());
  for (PlanStep& step : plan.launches) renaming.apply(step);
  append(before, std::move(plan.launches));
  append(before, std::move(after));
  plan.launches = std::move(before);
  std::ranges::move(hosts, std::back_inserter(plan.buffers));
  return plan;
}

}  // namespace tune::kernels
