// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/launch_plan.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/includes.hpp"

namespace tune {
namespace {

template<class T>
std::string list_of(const std::vector<T>& values) {
  std::string text;
  for (const T value : values) text += format("{},", value);
  return text;
}

std::string to_text(const TextureArgument& argument) {
  const auto& [memory, dimensions, channels, address, filter, read, normalized, gather] = argument.texture;
  std::string text =
      format("texture:{}:{}:{}:{}:", argument.buffer, static_cast<int>(memory), dimensions, channels);
  for (const AddressMode mode : address) text += format("{},", static_cast<int>(mode));
  return text + format(":{}:{}:{}:{}", static_cast<int>(filter), static_cast<int>(read), normalized, gather);
}

std::string to_text(const TensorMapArgument& argument) {
  const auto& [offset, extents, strides, box, swizzle, promotion, group] = argument.map;
  return format("map:{}+{}:{}:{}:{}:{}:{}", argument.buffer, offset, list_of(extents), list_of(strides),
                list_of(box), static_cast<int>(swizzle), static_cast<int>(promotion)) +
         (group == 1 ? "" : format(" in groups of {}", group));
}

std::string to_text(const BufferArgument& argument) {
  return format("&{}", argument.buffer) + (argument.offset > 0 ? format("+{}", argument.offset) : "") +
         (argument.count > 0 ? format(" for {}", argument.count) : "") +
         (argument.read_only ? " read only" : "");
}

std::string to_text(const StructArgument& argument) {
  std::string text = "struct:";
  for (const std::byte byte : argument.bytes) text += format("{:02x}", std::to_integer<int>(byte));
  for (const StructPointer& pointer : argument.pointers)
    text += format(":{}={}", pointer.place, to_text(pointer.target));
  return text;
}

std::string to_text(const KernelArgument& argument) {
  if (const auto* texture = std::get_if<TextureArgument>(&argument)) return to_text(*texture);
  if (const auto* map = std::get_if<TensorMapArgument>(&argument)) return to_text(*map);
  if (const auto* buffer = std::get_if<BufferArgument>(&argument)) return to_text(*buffer);
  if (const auto* object = std::get_if<StructArgument>(&argument)) return to_text(*object);
  const auto& scalar = std::get<ScalarArgument>(argument);
  // Floating point in hexadecimal: two values that differ in the last bit are two values.
  return format("{}:{}", scalar.index(),
                std::visit(
                    [](auto value) {
                      if constexpr (std::is_floating_point_v<decltype(value)>)
                        return format("{:a}", value);
                      else
                        return format("{}", value);
                    },
                    scalar));
}

/// Empty for the default, so that older texts stay equal.
std::string to_text(const StepOrder& order) {
  std::string text = order.stream > 0 ? format(" stream {}", order.stream) : "";
  if (!order.after.empty()) text += " after ";
  for (const std::size_t step : order.after) text += format("{},", step);
  return text + (order.device > 0 ? format(" device {}", order.device) : "");
}

/// Empty for a whole tensor on the first device, so that older texts stay equal.
std::string marks_of_part(const BufferSpec& buffer) {
  const auto& [tensor, first, begin, end] = buffer.part;
  return (tensor.empty() ? "" : format(" of {} from {}: {} to {}", tensor, first, begin, end)) +
         (buffer.device > 0 ? format(" device {}", buffer.device) : "");
}

std::string to_text(const Launch& launch) {
  std::string text = format("{} grid {} {} {} block {} {} {} shared {}{}", launch.entry, launch.grid.x,
                            launch.grid.y, launch.grid.z, launch.block.x, launch.block.y, launch.block.z,
                            launch.dynamic_shared_memory, launch.cooperative ? " cooperative" : "");
  for (const KernelArgument& argument : launch.arguments) text += " " + to_text(argument);
  return text + to_text(launch.order);
}

std::string to_text(const FourierTransform& transform) {
  return format("{} of [{}]{}", step_name(transform), list_of(transform.extents),
                transform.axes < transform.extents.size() ? format(" along {}", transform.axes) : "") +
         to_text(transform.order);
}

std::string to_text(const Copy& copy) {
  return format("{} from {} pitch {} to {} pitch {}, {} x {}", step_name(copy), copy.from.offset,
                copy.from.pitch, copy.to.offset, copy.to.pitch, copy.width, copy.rows) +
         to_text(copy.order);
}

std::string to_text(const Zero& zero) {
  return step_name(zero) + to_text(zero.order);
}

/// What the code does is not known: no two plans are equal by it but those of one configuration.
std::string to_text(const HostStep& step) {
  return format("{}, again {}", step_name(step), step.again);
}

std::string_view marks_of(MemoryPlace place) {
  return place == MemoryPlace::pinned ? " pinned" : place == MemoryPlace::pageable ? " pageable" : "";
}

}  // namespace

std::string_view to_string(MemoryPlace place) {
  constexpr std::array<std::string_view, 3> names = {"device", "pinned", "pageable"};
  return names.at(static_cast<std::size_t>(place));
}

std::string unfit_variable(const BufferSpec& buffer, std::uint64_t bytes) {
  const std::uint64_t given = buffer.allocation_bytes();
  if (given <= bytes) return {};
  return format("variable `{}` of the kernel has {} bytes, {} are copied to it", buffer.symbol, bytes, given);
}

std::string missing_variable(const std::vector<BufferSpec>& buffers,
                             const std::vector<std::string>& variables) {
  for (const BufferSpec& buffer : buffers) {
    if (!buffer.symbol_is_hidden || std::ranges::count(variables, buffer.symbol) > 0) continue;
    return format(
        "symbol '{}' of '{}': the compiled kernel has no such __constant__ or __device__ variable, {}",
        buffer.symbol, buffer.name,
        variables.empty() ? std::string("and no other") : format("but {}", joined(variables)));
  }
  return {};
}

int initial_byte(const BufferSpec& buffer) {
  if (buffer.fill == BufferFill::contents && buffer.role == BufferRole::input)
    throw Error(format("only an output may have initial contents, and `{}` is an input", buffer.name));
  if (buffer.fill != BufferFill::zero) return 0xff;
  // Zeros in an output would hide elements that were never written.
  if (buffer.role != BufferRole::scratch)
    throw Error(
        format("only scratch buffers may begin as zeros, and `{}` is not a scratch buffer", buffer.name));
  return 0;
}

void add_textures(const Launch& launch, std::vector<TextureArgument>& all) {
  for (const KernelArgument& argument : launch.arguments)
    if (const auto* texture = std::get_if<TextureArgument>(&argument);
        texture != nullptr && std::ranges::find(all, *texture) == all.end())
      all.push_back(*texture);
}

const BufferSpec& LaunchPlan::buffer(std::string_view name) const {
  const auto found = std::ranges::find(buffers, name, &BufferSpec::name);
  if (found == buffers.end()) throw Error(format("the plan has no buffer `{}`", name));
  return *found;
}

std::vector<TextureArgument> LaunchPlan::textures() const {
  std::vector<TextureArgument> all;
  for (const Launch* launch : kernel_launches(*this)) add_textures(*launch, all);
  return all;
}

std::uint32_t LaunchPlan::devices() const {
  std::uint32_t last = 0;
  for (const BufferSpec& buffer : buffers) last = std::max(last, buffer.device);
  for (const PlanStep& step : launches) last = std::max(last, order_of(step).device);
  return last + 1;
}

std::uint64_t LaunchPlan::memory() const {
  std::uint64_t bytes = 0;
  for (const BufferSpec& buffer : buffers)
    if (!buffer.on_host()) bytes += buffer.allocation_bytes();
  for (const TextureArgument& texture : textures()) {
    if (texture.texture.memory != TextureMemory::array) continue;
    const BufferSpec& copied = buffer(texture.buffer);
    bytes += element_count(copied.layout.extents) * element_size(copied.type);
  }
  return bytes;
}

std::uint64_t LaunchPlan::host_memory() const {
  std::uint64_t bytes = 0;
  for (const BufferSpec& buffer : buffers)
    if (buffer.on_host()) bytes += buffer.allocation_bytes();
  return bytes;
}

std::vector<const PlanStep*> all_steps(const LaunchPlan& plan) {
  std::vector<const PlanStep*> steps;
  for (const std::vector<PlanStep>* part : {&plan.setup, &plan.launches, &plan.checks})
    for (const PlanStep& step : *part) steps.push_back(&step);
  return steps;
}

std::vector<const Launch*> kernel_launches(const LaunchPlan& plan) {
  std::vector<const Launch*> launches;
  for (const PlanStep* step : all_steps(plan))
    if (const auto* launch = std::get_if<Launch>(step)) launches.push_back(launch);
  return launches;
}

const StepOrder& order_of(const PlanStep& step) {
  return std::visit([](const auto& known) -> const StepOrder& { return known.order; }, step);
}

std::string step_name(const FourierTransform& transform) {
  const bool forward = transform.direction == FourierDirection::forward;
  return format("{} Fourier transform of '{}' to '{}'", forward ? "forward" : "inverse", transform.input,
                transform.output);
}

std::string step_name(const Copy& copy) {
  return format("copy of '{}' to '{}'", copy.from.buffer, copy.to.buffer);
}

std::string step_name(const Zero& zero) {
  return format("zeros in '{}'", zero.buffer);
}

std::string step_name(const HostStep& step) {
  return format("host code '{}'", step.name);
}

std::string step_name(const PlanStep& step) {
  return std::visit(
      [](const auto& known) -> std::string {
        if constexpr (std::is_same_v<decltype(known), const Launch&>)
          return known.entry;
        else
          return step_name(known);
      },
      step);
}

std::string content_of(const CompileRequest& request) {
  // Every part is preceded by its length and every list by its count, so that no two requests read the same.
  std::string text;
  const auto add = [&](const std::string& part) {
    text += std::to_string(part.size()) + ':';
    text += part;
  };
  const auto count = [&](std::size_t parts) { text += std::to_string(parts) + ';'; };
  add(request.source.name);
  add(request.source.text);
  count(request.headers.size());
  for (const SourceFile& header : request.headers) {
    add(header.name);
    add(header.text);
  }
  count(request.defines.size());
  for (const auto& [name, value] : request.defines) {
    add(name);
    add(value);
  }
  count(request.options.size());
  for (const std::string& option : request.options) add(option);
  count(request.entries.size());
  for (const std::string& entry : request.entries) add(entry);
  if (request.architecture_specific) text += "architecture specific";
  if (request.compiler != CompilerName::automatic)
    text += request.compiler == CompilerName::nvcc ? "nvcc" : "nvrtc";
  return text;
}

std::string launches_of(const LaunchPlan& plan) {
  std::string text;
  for (const BufferSpec& buffer : plan.buffers)
    text += format("{} {} {} [{}] [{}] {} {}{}{}{}{}\n", buffer.name, static_cast<int>(buffer.role),
                   to_string(buffer.type), list_of(buffer.layout.extents), list_of(buffer.layout.strides),
                   buffer.layout.offset, buffer.layout.allocation,
                   buffer.fill == BufferFill::zero       ? " zero"
                   : buffer.fill == BufferFill::contents ? " contents"
                                                         : "",
                   buffer.symbol.empty() ? "" : " symbol " + buffer.symbol, marks_of(buffer.place),
                   marks_of_part(buffer));
  const auto add = [&](const std::vector<PlanStep>& steps, const char* before) {
    for (const PlanStep& step : steps)
      text += before + std::visit([](const auto& known) { return to_text(known); }, step) + "\n";
  };
  add(plan.setup, "setup ");
  add(plan.launches, "");
  add(plan.checks, "check ");
  for (const auto& [name, value] : plan.environment) text += format("environment {}={}\n", name, value);
  if (plan.work_per_execution != 1) text += format("work per execution {:a}\n", plan.work_per_execution);
  if (plan.graph != GraphUse::automatic)
    text += plan.graph == GraphUse::always ? "always as a graph\n" : "never as a graph\n";
  return text;
}

bool uses_files(const CompileRequest& request) {
  constexpr std::array<std::string_view, 9> starts = {"-I",    "--include-path", "-include",  "--pre-include",
                                                      "-pch",  "--pch",          "--use-pch", "--create-pch",
                                                      "--time"};
  return std::ranges::any_of(request.options, [&](const std::string& option) {
    return std::ranges::any_of(starts, [&](std::string_view start) { return option.starts_with(start); });
  });
}

bool is_self_contained(const CompileRequest& request) {
  const auto is_own = [&](const Include& include) {
    return std::ranges::find(request.headers, include.name, &SourceFile::name) != request.headers.end();
  };
  const auto is_alone = [&](const SourceFile& file) {
    const Includes includes = includes_of(file.text);
    return !includes.computed && std::ranges::all_of(includes.files, is_own);
  };
  return !uses_files(request) && is_alone(request.source) && std::ranges::all_of(request.headers, is_alone);
}

}  // namespace tune
