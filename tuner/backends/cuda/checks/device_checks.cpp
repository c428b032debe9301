// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/checks/device_checks.hpp"

#include <algorithm>

#include "tuner/backends/cuda/checks/check_sources.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/backends/guards.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {

static_assert(checks::guard_word == guard_word, "the host names what the device found");

std::optional<checks::Placement> placement_of(const CopyShape& shape, std::size_t element_size) {
  checks::Placement placement;
  std::uint64_t stride = 1;
  std::uint64_t count = shape.width / element_size;
  for (const auto& outer : shape.loops) {
    if (placement.loops == checks::most_loops) return std::nullopt;
    placement.loop[placement.loops++] = {count, stride, 1.0 / static_cast<double>(count)};
    stride = outer.device_stride / element_size;
    count = outer.count;
  }
  placement.outer_stride = stride;
  return placement;
}

std::optional<LimitTable> limits_of(const Bounds& bounds, const Extents& extents) {
  check_limits(bounds, extents);
  LimitTable made;
  if (!bounds.limited()) return made;
  if (bounds.limits_along.size() > checks::most_loops) return std::nullopt;
  for (std::size_t axis = 0; axis < bounds.limits_along.size(); ++axis) {
    const auto& limits = bounds.limits_along[axis];
    made.limits.axis[made.limits.axes++] = {
        {extents[axis], 1, 1.0 / static_cast<double>(extents[axis])}, made.table.size(), !limits.empty()};
    made.table.insert(made.table.end(), limits.begin(), limits.end());
  }
  return made;
}

Comparison combine(std::span<const checks::Finding> findings) {
  Comparison combined;
  const checks::Finding* worst = nullptr;
  const auto is_worse = [&worst](const checks::Finding& one) {
    if (worst == nullptr) return true;
    if ((one.wrong != 0) != (worst->wrong != 0)) return one.wrong != 0;
    return one.rank > worst->rank || (one.rank == worst->rank && one.index < worst->index);
  };
  for (const auto& one : findings) {
    combined.wrong += one.wrong;
    combined.total_error += one.total;
    if (one.error >= 0 && is_worse(one)) worst = &one;  // below 0: a block without elements
  }
  if (worst == nullptr) return combined;
  combined.worst_error = worst->error;
  combined.worst_index = worst->index;
  combined.worst_value = worst->value;
  combined.worst_reference = worst->reference;
  combined.unwritten = worst->unwritten != 0;
  combined.no_reference = is_poison(worst->reference);
  return combined;
}

namespace {

/// About as many as are resident at once on an SM.
constexpr unsigned blocks_a_multiprocessor = 8;
constexpr std::size_t result_bytes = std::size_t{1} << 17;
/// For the limits of 16384 places, taken before a plan takes all the memory.
constexpr std::size_t usual_limit_bytes = std::size_t{1} << 17;

template<class... Arguments>
cudaError_t launch(cudaKernel_t kernel, dim3 grid, cudaStream_t stream, Arguments... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = dim3(checks::block_threads);
  config.stream = stream;
  void* pointers[] = {&arguments...};
  return cudaLaunchKernelExC(&config, as_function(kernel), pointers);
}

/// Waits.
template<class T>
cudaError_t copy_back(std::vector<T>& to, const std::byte* from, cudaStream_t stream) {
  const auto status = cudaMemcpyAsync(to.data(), from, to.size() * sizeof(T), cudaMemcpyDeviceToHost, stream);
  return status == cudaSuccess ? cudaStreamSynchronize(stream) : status;
}

/// Calls `use` for all zones, with as many as one launch takes.
template<class Use>
cudaError_t for_some_red_zones(std::span<const checks::Zone> red_zones, const Use& use) {
  for (std::size_t begin = 0; begin < red_zones.size(); begin += checks::most_zones) {
    const auto some =
        red_zones.subspan(begin, std::min<std::size_t>(checks::most_zones, red_zones.size() - begin));
    checks::Zones argument;
    argument.count = static_cast<int>(some.size());
    std::ranges::copy(some, argument.zone);
    std::uint64_t longest = 0;
    for (const auto& zone : some) longest = std::max<std::uint64_t>(longest, zone.bytes);
    if (const auto status = use(argument, begin, longest / 4); status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

}  // namespace

DeviceChecks::DeviceChecks(const DeviceProperties& properties)
    : multiprocessors_(std::max(properties.multiprocessors, 1)) {
  std::string failure_reason;
  compiler_ = make_nvrtc_compiler(properties.architecture(), &failure_reason);
  if (compiler_ == nullptr) throw Error(failure_reason);
  results_ = allocate_device(result_bytes);
  limits_ = allocate_device(usual_limit_bytes);
}

DeviceChecks::Kernels DeviceChecks::load(const CompileRequest& request) const {
  const auto binary = compiler_->compile(request);
  if (!binary)
    throw Error(format("the program's own kernel {} does not compile with {}: {}", request.source.name,
                       compiler_->version(), binary.error().detail));
  Kernels loaded;
  check(load_module(loaded.module, binary->image));
  for (const auto& entry : request.entries) {
    cudaKernel_t kernel = nullptr;
    check(find_kernel(kernel, loaded.module, binary->symbols.at(entry)));
    // Asking for the attributes loads the code now; at the first launch there may be no memory left.
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, as_function(kernel)));
    loaded.kernels.push_back(kernel);
  }
  return loaded;
}

const DeviceChecks::Kernels& DeviceChecks::guards() {
  if (guards_.kernels.empty()) guards_ = load(guard_kernels());
  return guards_;
}

const DeviceChecks::Kernels& DeviceChecks::differences() {
  if (differences_.kernels.empty()) differences_ = load(difference_kernels());
  return differences_;
}

const DeviceChecks::Kernels& DeviceChecks::comparing(ElementType type) {
  auto& kernels = comparing_[type];
  if (kernels.kernels.empty()) kernels = load(comparing_kernel(type));
  return kernels;
}

void DeviceChecks::load_for(std::span<const BufferSpec> buffers) {
  guards();
  differences();
  for (const auto& buffer : buffers)
    if (buffer.role == BufferRole::output) comparing(buffer.type);
}

/// Gives each thread at least one item, as far as there are any.
unsigned DeviceChecks::blocks_for(std::uint64_t items) const {
  const auto max = blocks_a_multiprocessor * static_cast<std::uint64_t>(multiprocessors_);
  const auto needed = (items + checks::block_threads - 1) / checks::block_threads;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(needed, 1, max));
}

cudaError_t DeviceChecks::fill_guards(std::span<const checks::Zone> red_zones, cudaStream_t stream) {
  return for_some_red_zones(red_zones, [&](const checks::Zones& some, std::size_t, std::uint64_t words) {
    const dim3 grid(blocks_for(words), static_cast<unsigned>(some.count));
    return launch(guards().kernels[0], grid, stream, some);
  });
}

OrStatus<std::vector<bool>> DeviceChecks::damaged(std::span<const checks::Zone> red_zones,
                                                  cudaStream_t stream) {
  const std::size_t max = results_.size() / sizeof(unsigned);
  if (red_zones.size() > max) throw Error(format("a plan can have at most {} buffers", max / 2));
  std::vector<unsigned> flags(red_zones.size());
  auto* const on_device = reinterpret_cast<unsigned*>(results_.data());
  auto status = cudaMemsetAsync(on_device, 0, flags.size() * sizeof(unsigned), stream);
  if (status == cudaSuccess)
    status =
        for_some_red_zones(red_zones, [&](const checks::Zones& some, std::size_t begin, std::uint64_t words) {
          const dim3 grid(blocks_for(words), static_cast<unsigned>(some.count));
          return launch(guards().kernels[1], grid, stream, some, on_device + begin);
        });
  if (status == cudaSuccess) status = copy_back(flags, results_.data(), stream);
  if (status != cudaSuccess) return tl::unexpected(status);
  std::vector<bool> answer;
  for (const auto flag : flags) answer.push_back(flag != 0);
  return answer;
}

OrStatus<std::optional<std::uint64_t>> DeviceChecks::difference(const std::byte* a, const std::byte* b,
                                                                std::uint64_t bytes, cudaStream_t stream) {
  constexpr checks::Count none = ~checks::Count{0};
  auto status = cudaMemsetAsync(results_.data(), 0xff, sizeof(checks::Count), stream);
  if (status == cudaSuccess)
    status = launch(differences().kernels[0], dim3(blocks_for(bytes / 8)), stream, a, b,
                    static_cast<checks::Count>(bytes), reinterpret_cast<checks::Count*>(results_.data()));
  std::vector<checks::Count> first(1, none);
  if (status == cudaSuccess) status = copy_back(first, results_.data(), stream);
  if (status != cudaSuccess) return tl::unexpected(status);
  if (first[0] == none) return std::nullopt;
  return first[0];
}

OrStatus<std::vector<checks::Count>> DeviceChecks::sums(const std::byte* data, std::uint64_t bytes,
                                                        cudaStream_t stream) {
  const std::uint64_t at_once = results_.size() / sizeof(checks::Count) * checks::tile_bytes;
  std::vector<checks::Count> all;
  for (std::uint64_t begin = 0; begin < bytes; begin += at_once) {
    const auto size = std::min(at_once, bytes - begin);
    std::vector<checks::Count> some((size + checks::tile_bytes - 1) / checks::tile_bytes);
    auto status =
        launch(differences().kernels[1], dim3(static_cast<unsigned>(some.size())), stream, data + begin,
               static_cast<checks::Count>(size), reinterpret_cast<checks::Count*>(results_.data()));
    if (status == cudaSuccess) status = copy_back(some, results_.data(), stream);
    if (status != cudaSuccess) return tl::unexpected(status);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

OrStatus<checks::Limits> DeviceChecks::send(const LimitTable& limits, cudaStream_t stream) {
  if (limits.table.empty()) return limits.limits;
  const auto bytes = limits.table.size() * sizeof(double);
  if (limits_.size() < bytes) {
    limits_ = DeviceMemory{};  // frees it first
    limits_ = try_allocate_device(bytes);
    if (limits_.data() == nullptr) return tl::unexpected(cudaErrorMemoryAllocation);
  }
  const auto status =
      cudaMemcpyAsync(limits_.data(), limits.table.data(), bytes, cudaMemcpyHostToDevice, stream);
  if (status != cudaSuccess) return tl::unexpected(status);
  auto sent = limits.limits;
  sent.table = reinterpret_cast<const double*>(limits_.data());
  return sent;
}

OrStatus<std::vector<checks::Finding>> DeviceChecks::compare(const ComparedPart& part, const Bounds& bounds,
                                                             const checks::Limits& limits,
                                                             cudaStream_t stream) {
  const auto max = static_cast<unsigned>(results_.size() / sizeof(checks::Finding));
  const auto blocks = std::min(blocks_for(part.count), max);
  auto status =
      launch(comparing(part.type).kernels[0], dim3(blocks), stream, part.first, part.placement,
             part.reference, static_cast<checks::Count>(part.begin), static_cast<checks::Count>(part.count),
             bounds.absolute, bounds.each, limits, reinterpret_cast<checks::Finding*>(results_.data()));
  std::vector<checks::Finding> findings(blocks);
  if (status == cudaSuccess) status = copy_back(findings, results_.data(), stream);
  if (status != cudaSuccess) return tl::unexpected(status);
  return findings;
}

}  // namespace tune::cuda
