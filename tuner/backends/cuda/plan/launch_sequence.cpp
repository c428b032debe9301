// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/plan/launch_sequence.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "tuner/backends/cuda/runtime/driver_functions.hpp"
#include "tuner/backends/cuda/runtime/handles.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {
namespace {

static_assert(sizeof(CUtensorMap) == tensor_map_bytes && alignof(CUtensorMap) <= alignof(EncodedMap));

using Encode = decltype(cuTensorMapEncodeTiled);

Encode* encoder() {
  auto* const encode = driver_function<Encode>("cuTensorMapEncodeTiled");
  if (encode == nullptr)
    throw Error("the driver has no tensor maps (cuTensorMapEncodeTiled): install one for CUDA 12.0 or newer");
  return encode;
}

/// Copies move bits: maps have no smaller signed integers.
CUtensorMapDataType to_cuda(ElementType type, std::uint32_t group) {
  if (group > 1)
    return element_size(type) * group == 8   ? CU_TENSOR_MAP_DATA_TYPE_UINT64
           : element_size(type) * group == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32
                                             : CU_TENSOR_MAP_DATA_TYPE_UINT16;
  constexpr CUtensorMapDataType all[] = {
      CU_TENSOR_MAP_DATA_TYPE_FLOAT32,  CU_TENSOR_MAP_DATA_TYPE_FLOAT64, CU_TENSOR_MAP_DATA_TYPE_INT32,
      CU_TENSOR_MAP_DATA_TYPE_UINT32,   CU_TENSOR_MAP_DATA_TYPE_UINT8,   CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
      CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, CU_TENSOR_MAP_DATA_TYPE_UINT8,   CU_TENSOR_MAP_DATA_TYPE_UINT16,
      CU_TENSOR_MAP_DATA_TYPE_UINT16,   CU_TENSOR_MAP_DATA_TYPE_INT64,   CU_TENSOR_MAP_DATA_TYPE_UINT64};
  return all[static_cast<int>(type)];
}

CUtensorMapSwizzle to_cuda(MapSwizzle swizzle) {
  constexpr CUtensorMapSwizzle all[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B,
                                        CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B};
  return all[static_cast<int>(swizzle)];
}

CUtensorMapL2promotion to_cuda(MapPromotion promotion) {
  constexpr CUtensorMapL2promotion all[] = {
      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_64B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
      CU_TENSOR_MAP_L2_PROMOTION_L2_256B};
  return all[static_cast<int>(promotion)];
}

const StepOrder& order_of(const PreparedStep& step) {
  if (const auto* launch = std::get_if<PreparedLaunch>(&step)) return launch->launch.order;
  if (const auto* copy = std::get_if<PreparedCopy>(&step)) return copy->copy.order;
  if (const auto* zero = std::get_if<PreparedZero>(&step)) return zero->zero.order;
  if (const auto* host = std::get_if<PreparedHost>(&step)) return host->step.order;
  return std::get<PreparedTransform>(step).transform.order;
}

/// The memory of a plan on a device. A failed call throws its status.
class DeviceMemoryOfPlan final : public HostAccess {
 public:
  DeviceMemoryOfPlan(const PreparedHost& host, const std::vector<std::uint64_t>& addresses,
                     cudaStream_t stream)
      : host_(host), addresses_(addresses), stream_(stream) {}

  const BufferSpec& buffer(std::string_view name) const override { return host_.buffers[index_of(name)]; }
  void read(std::string_view buffer, std::uint64_t place, std::span<std::byte> to) override {
    copy(to.data(), address(buffer, place), to.size());
  }
  void write(std::string_view buffer, std::uint64_t place, std::span<const std::byte> from) override {
    copy(address(buffer, place), from.data(), from.size());
  }

 private:
  std::size_t index_of(std::string_view name) const {
    const auto found = std::ranges::find(host_.buffers, name, &BufferSpec::name);
    if (found == host_.buffers.end()) throw Error(format("the plan has no buffer `{}`", name));
    return static_cast<std::size_t>(found - host_.buffers.begin());
  }
  std::byte* address(std::string_view buffer, std::uint64_t place) const {
    return reinterpret_cast<std::byte*>(addresses_[index_of(buffer)]) + place;
  }
  void copy(std::byte* to, const std::byte* from, std::size_t bytes) const {
    auto status = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_);
    if (status == cudaSuccess) status = cudaStreamSynchronize(stream_);
    if (status != cudaSuccess) throw status;
  }

  const PreparedHost& host_;
  const std::vector<std::uint64_t>& addresses_;
  cudaStream_t stream_;
};

dim3 to_cuda(const Dim3& extent) {
  return {extent.x, extent.y, extent.z};
}

/// Returns the addresses of the argument values, which lie in `launch`, `handles` and `maps`.
std::vector<void*> argument_pointers(Launch& launch, std::vector<std::uint64_t>& handles,
                                     std::vector<EncodedMap>& maps) {
  std::vector<void*> pointers;
  auto handle = handles.begin();
  auto map = maps.begin();
  for (auto& argument : launch.arguments) {
    if (auto* scalar = std::get_if<ScalarArgument>(&argument))
      pointers.push_back(std::visit([](auto& value) { return static_cast<void*>(&value); }, *scalar));
    else if (auto* object = std::get_if<StructArgument>(&argument))
      pointers.push_back(object->bytes.data());
    else if (std::holds_alternative<TensorMapArgument>(argument))
      pointers.push_back(&*map++);
    else
      pointers.push_back(&*handle++);
  }
  return pointers;
}

/// Copies rows one by one where their pitch is beyond the runtime's limit.
cudaError_t start(const PreparedCopy& prepared, const std::vector<std::uint64_t>& places,
                  cudaStream_t stream) {
  constexpr std::uint64_t largest_pitch = std::numeric_limits<std::int32_t>::max();
  const auto& copy = prepared.copy;
  const std::uint64_t from_pitch = copy.from.pitch * prepared.element;
  const std::uint64_t to_pitch = copy.to.pitch * prepared.element;
  const std::size_t width = copy.width * prepared.element;
  auto* const from = reinterpret_cast<const std::byte*>(places[0]);
  auto* const to = reinterpret_cast<std::byte*>(places[1]);
  if (copy.rows == 1) return cudaMemcpyAsync(to, from, width, prepared.kind, stream);
  if (from_pitch <= largest_pitch && to_pitch <= largest_pitch)
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, copy.rows, prepared.kind, stream);
  auto status = cudaSuccess;
  for (std::uint64_t row = 0; row < copy.rows && status == cudaSuccess; ++row)
    status = cudaMemcpyAsync(to + row * to_pitch, from + row * from_pitch, width, prepared.kind, stream);
  return status;
}

/// Puts addresses into the launch's structs, too.
std::vector<std::uint64_t> handles_of(Launch& launch, const std::vector<std::uint64_t>& offsets,
                                      const PlanTextures::AddressOf& address_of,
                                      const PlanTextures& textures) {
  std::vector<std::uint64_t> handles;
  auto offset = offsets.begin();
  const auto address = [&](const BufferArgument& argument) {
    return address_of(argument.buffer) + *offset++;
  };
  for (auto& argument : launch.arguments)
    if (const auto* buffer = std::get_if<BufferArgument>(&argument))
      handles.push_back(reinterpret_cast<std::uint64_t>(address(*buffer)));
    else if (auto* object = std::get_if<StructArgument>(&argument))
      place_pointers(*object, address);
    else if (const auto* texture = std::get_if<TextureArgument>(&argument))
      handles.push_back(textures.object(*texture));
  return handles;
}

std::vector<EncodedMap> maps_of(const PreparedLaunch& prepared, const PlanTextures::AddressOf& address_of) {
  std::vector<EncodedMap> maps;
  auto type = prepared.map_types.begin();
  for (const auto& argument : prepared.launch.arguments)
    if (const auto* map = std::get_if<TensorMapArgument>(&argument))
      maps.push_back(encode(map->map, *type++, address_of(map->buffer)));
  return maps;
}

}  // namespace

EncodedMap encode(const TensorMapSpec& map, ElementType type, std::byte* first) {
  static Encode* const call = encoder();
  const std::vector<cuuint64_t> extents(map.extents.begin(), map.extents.end());
  const std::vector<cuuint64_t> strides(map.strides.begin(), map.strides.end());
  const std::vector<cuuint32_t> box(map.box.begin(), map.box.end()), steps(map.box.size(), 1);
  EncodedMap encoded{};
  const auto status = call(reinterpret_cast<CUtensorMap*>(&encoded), to_cuda(type, map.group),
                           static_cast<cuuint32_t>(extents.size()), first + map.offset * element_size(type),
                           extents.data(), strides.data(), box.data(), steps.data(),
                           CU_TENSOR_MAP_INTERLEAVE_NONE, to_cuda(map.swizzle), to_cuda(map.promotion),
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);  // zeros
  if (status != CUDA_SUCCESS)
    throw Error(format("the driver refuses a tensor map of {} dimensions (CUresult {})", extents.size(),
                       static_cast<int>(status)));
  return encoded;
}

LaunchSettings::LaunchSettings(const Launch& launch, cudaStream_t stream) {
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  config.gridDim = to_cuda(launch.grid);
  config.blockDim = to_cuda(launch.block);
  config.dynamicSmemBytes = launch.dynamic_shared_memory;
  config.stream = stream;
  config.attrs = &cooperative;
  config.numAttrs = launch.cooperative ? 1 : 0;
}

cudaError_t start(const PreparedLaunch& prepared, void* const* arguments, cudaStream_t stream) {
  const LaunchSettings settings(prepared.launch, stream);
  return cudaLaunchKernelExC(&settings.config, as_function(prepared.kernel), const_cast<void**>(arguments));
}

PreparedCopy prepared_copy(const LaunchPlan& plan, const Copy& copy) {
  const auto& from = plan.buffer(copy.from.buffer);
  const bool to_host = plan.buffer(copy.to.buffer).on_host();
  const auto kind = from.device != plan.buffer(copy.to.buffer).device ? cudaMemcpyDefault
                    : from.on_host()                                  ? cudaMemcpyHostToDevice
                    : to_host                                         ? cudaMemcpyDeviceToHost
                                                                      : cudaMemcpyDeviceToDevice;
  return {copy, element_size(from.type), kind};
}

LaunchSequence::LaunchSequence(std::vector<PreparedStep> steps, const PlanTextures::AddressOf& address_of,
                               const PlanTextures& textures, std::vector<PlanStream> more_streams)
    : steps_(std::move(steps)),
      handles_(steps_.size()),
      maps_(steps_.size()),
      arguments_(steps_.size()),
      more_streams_(std::move(more_streams)) {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (auto* prepared = std::get_if<PreparedLaunch>(&steps_[i])) {
      handles_[i] = handles_of(prepared->launch, prepared->offsets, address_of, textures);
      maps_[i] = maps_of(*prepared, address_of);
      arguments_[i] = argument_pointers(prepared->launch, handles_[i], maps_[i]);
    } else if (const auto* moved = std::get_if<PreparedCopy>(&steps_[i])) {
      for (const auto* side : {&moved->copy.from, &moved->copy.to})
        handles_[i].push_back(reinterpret_cast<std::uint64_t>(address_of(side->buffer)) +
                              side->offset * moved->element);
    } else if (const auto* zero = std::get_if<PreparedZero>(&steps_[i])) {
      handles_[i].push_back(reinterpret_cast<std::uint64_t>(address_of(zero->zero.buffer)) - zero->before);
    } else if (const auto* host = std::get_if<PreparedHost>(&steps_[i])) {
      for (const auto& buffer : host->buffers)
        handles_[i].push_back(reinterpret_cast<std::uint64_t>(address_of(buffer.name)));
    } else {
      const auto& transform = std::get<PreparedTransform>(steps_[i]).transform;
      for (const auto& buffer : {transform.input, transform.output})
        handles_[i].push_back(reinterpret_cast<std::uint64_t>(address_of(buffer)));
    }
  }
  prepare_order();
}

/// Steps of one stream are ordered by the stream itself. Events belong to the device that records them.
void LaunchSequence::prepare_order() {
  check(cudaGetDevice(&device_));
  awaits_.resize(steps_.size());
  ended_.resize(steps_.size());
  std::set<std::uint32_t> used;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto& order = order_of(steps_[i]);
    if (order.stream > 0) used.insert(order.stream);
    for (const std::size_t earlier : order.after) {
      if (order_of(steps_[earlier]).stream == order.stream) continue;
      awaits_[i].push_back(earlier);
      if (ended_[earlier].get() != nullptr) continue;
      const CurrentDevice current(stream_of(earlier, nullptr).device);
      ended_[earlier] = make_ordering_event();
    }
  }
  for (const auto stream : used) {
    used_.push_back(more_streams_.at(stream - 1));
    several_devices_ = several_devices_ || used_.back().device != device_;
    const CurrentDevice current(used_.back().device);
    joined_.push_back(make_ordering_event());
  }
  if (!used_.empty()) begun_ = make_ordering_event();
}

PlanStream LaunchSequence::stream_of(std::size_t step, cudaStream_t first) const {
  const auto stream = order_of(steps_[step]).stream;
  return stream == 0 ? PlanStream{first, device_} : more_streams_[stream - 1];
}

cudaError_t LaunchSequence::fork(cudaStream_t stream) {
  if (used_.empty()) return cudaSuccess;
  auto status = cudaEventRecord(begun_.get(), stream);
  for (std::size_t i = 0; i < used_.size() && status == cudaSuccess; ++i)
    status = cudaStreamWaitEvent(used_[i].stream, begun_.get(), 0);
  return status;
}

cudaError_t LaunchSequence::join(cudaStream_t stream) {
  auto status = cudaSuccess;
  for (std::size_t i = 0; i < used_.size() && status == cudaSuccess; ++i) {
    status = cudaEventRecord(joined_[i].get(), used_[i].stream);
    if (status == cudaSuccess) status = cudaStreamWaitEvent(stream, joined_[i].get(), 0);
  }
  return status;
}

std::vector<TextureArgument> LaunchSequence::textures() const {
  std::vector<TextureArgument> all;
  for (const auto& step : steps_)
    if (const auto* prepared = std::get_if<PreparedLaunch>(&step)) add_textures(prepared->launch, all);
  return all;
}

cudaError_t LaunchSequence::enqueue(cudaStream_t stream) {
  refusal_.clear();
  rounds_ = 0;
  auto status = fork(stream);
  for (std::size_t i = 0, next = 0; i < steps_.size() && status == cudaSuccess; i = next) {
    next = i + 1;
    if (std::holds_alternative<PreparedHost>(steps_[i])) {
      status = run_host(i, next, stream);
      continue;
    }
    status = enqueue_step(i, stream);
  }
  if (several_devices_) {
    const auto back = cudaSetDevice(device_);
    if (status == cudaSuccess) status = back;
  }
  return status == cudaSuccess ? join(stream) : status;
}

cudaError_t LaunchSequence::enqueue_step(std::size_t step, cudaStream_t first) {
  const auto [on, device] = stream_of(step, first);
  auto status = several_devices_ ? cudaSetDevice(device) : cudaSuccess;
  for (const std::size_t earlier : awaits_[step])
    if (status == cudaSuccess) status = cudaStreamWaitEvent(on, ended_[earlier].get(), 0);
  if (status == cudaSuccess) status = carry_out(step, on);
  if (status == cudaSuccess && ended_[step].get() != nullptr)
    status = cudaEventRecord(ended_[step].get(), on);
  return status;
}

cudaError_t LaunchSequence::carry_out(std::size_t step, cudaStream_t stream) {
  if (const auto* launch = std::get_if<PreparedLaunch>(&steps_[step]))
    return start(*launch, arguments_[step].data(), stream);
  if (const auto* copy = std::get_if<PreparedCopy>(&steps_[step]))
    return start(*copy, handles_[step], stream);
  if (const auto* zero = std::get_if<PreparedZero>(&steps_[step]))
    return cudaMemsetAsync(reinterpret_cast<void*>(handles_[step][0]), 0, zero->bytes, stream);
  return transform(std::get<PreparedTransform>(steps_[step]), handles_[step], stream);
}

cudaError_t LaunchSequence::run_host(std::size_t step, std::size_t& next, cudaStream_t stream) {
  const auto& host = std::get<PreparedHost>(steps_[step]);
  DeviceMemoryOfPlan memory(host, handles_[step], stream);
  try {
    if (!host.step.code.run(memory)) return cudaSuccess;
  } catch (const cudaError_t& status) {
    return status;
  }
  next = host.step.again;
  if (++rounds_ < max_rounds) return cudaSuccess;
  refusal_ = format("{} goes back {} times: it does not end", step_name(host.step), max_rounds);
  return cudaErrorUnknown;
}

cudaError_t LaunchSequence::transform(const PreparedTransform& prepared,
                                      const std::vector<std::uint64_t>& handles, cudaStream_t stream) {
  const int status = prepared.plan->enqueue(reinterpret_cast<std::byte*>(handles[0]),
                                            reinterpret_cast<std::byte*>(handles[1]), stream);
  if (status == cufft_success) return cudaSuccess;
  refusal_ = format("{}: {}", step_name(prepared.transform), cufft_status_text(status));
  return cudaErrorUnknown;
}

}  // namespace tune::cuda
