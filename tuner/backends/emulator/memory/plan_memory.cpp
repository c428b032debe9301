// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/memory/plan_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <variant>

#include "tuner/backends/emulator/memory/unpoison.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/tensor_part.hpp"

namespace tune::emulator {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t guard = std::size_t{1} << 20;  ///< on either side: farther than most wrong indices go
constexpr std::size_t alignment = 256;               ///< of cudaMalloc
constexpr int poison = 0xff;                         ///< NaN in floating point: around all buffers

std::size_t rounded(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

std::size_t machine_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// Calls `use(host byte, device byte, bytes)` for every row of a tensor with this layout in the buffer.
void each_row(const BufferSpec& spec, const Layout& layout,
              const std::function<void(std::size_t, std::size_t, std::size_t)>& use) {
  const std::size_t element = element_size(spec.type);
  const std::uint64_t count = element_count(layout.extents);
  if (count == 0) return;
  const std::uint64_t row = layout.extents.empty() ? 1 : layout.extents.front();
  for (std::uint64_t first = 0; first < count; first += row) {
    std::uint64_t rest = first / row, place = layout.offset;
    for (std::size_t axis = 1; axis < layout.extents.size(); ++axis) {
      place += rest % layout.extents[axis] * layout.strides[axis];
      rest /= layout.extents[axis];
    }
    if (place + row > layout.allocation)
      throw Error(format("the layout of buffer '{}' reaches beyond its allocation", spec.name));
    use(first * element, place * element, row * element);
  }
}

std::span<const std::byte> bytes_for(const BufferSpec& spec, const TensorSet& inputs) {
  const auto found = inputs.find(tensor_name(spec));
  if (found == inputs.end()) throw Error(format("there is no tensor for input '{}'", spec.name));
  return filling(spec, view_of(found->second)).bytes;
}

/// Objects are numbers from here on: neither addresses nor small integers, so that a wrong argument is not a
/// texture.
constexpr std::uint64_t first_texture_object = std::uint64_t{0x7e97} << 48;

constexpr std::uint64_t first_map_object = std::uint64_t{0x7a9e} << 48;

}  // namespace

void Unmap::operator()(char* memory) const {
  munmap(memory, bytes);
}

Result<PlanMemory> PlanMemory::take(const std::vector<BufferSpec>& specs) {
  PlanMemory memory;
  for (const BufferSpec& spec : specs) {
    const auto bytes = static_cast<std::size_t>(spec.allocation_bytes());
    if (bytes > machine_memory())
      return fail(
          Phase::resources, "memory",
          format("buffer '{}' needs {} bytes, this machine has {}", spec.name, bytes, machine_memory()));
    const std::size_t inside = rounded(rounded(bytes, alignment) + 1, page);
    const std::size_t total = inside + 2 * guard;
    void* const region = mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED ||
        mprotect(static_cast<char*>(region) + guard, inside, PROT_READ | PROT_WRITE) != 0)
      return fail(Phase::resources, "memory", format("buffer '{}' needs {} bytes", spec.name, bytes));
    Buffer buffer;
    buffer.spec = spec;
    buffer.region = std::unique_ptr<char, Unmap>(static_cast<char*>(region), Unmap{total});
    buffer.first = static_cast<char*>(region) + guard;
    buffer.accessible = inside;
    unpoison(buffer.first, inside);
    buffer.begin = buffer.first + (inside - rounded(bytes, alignment)) / alignment * alignment;
    memory.buffers_.push_back(std::move(buffer));
  }
  return memory;
}

void PlanMemory::fill(const TensorSet& inputs) {
  for (const Buffer& buffer : buffers_) {
    std::memset(buffer.first, poison, buffer.accessible);
    if (buffer.spec.role != BufferRole::input) {
      if (const int byte = initial_byte(buffer.spec); byte != poison)
        std::memset(buffer.begin, byte, buffer.spec.allocation_bytes());
      if (buffer.spec.fill != BufferFill::contents) continue;
    }
    const auto from = bytes_for(buffer.spec, inputs);
    each_row(buffer.spec, buffer.spec.layout, [&](std::size_t host, std::size_t device, std::size_t bytes) {
      std::memcpy(buffer.begin + device, from.data() + host, bytes);
    });
  }
}

std::vector<std::byte> PlanMemory::fetch(const BufferSpec& spec) const {
  const Buffer& buffer = find(spec.name);
  const Layout layout = results_layout(spec);
  std::vector<std::byte> dense(element_count(layout.extents) * element_size(spec.type));
  each_row(spec, layout, [&](std::size_t host, std::size_t device, std::size_t bytes) {
    std::memcpy(dense.data() + host, buffer.begin + device, bytes);
  });
  return dense;
}

char* PlanMemory::address(std::string_view name, std::uint64_t offset) const {
  const Buffer& buffer = find(name);
  return buffer.begin + (buffer.spec.layout.offset + offset) * element_size(buffer.spec.type);
}

std::vector<Array> PlanMemory::arrays() const {
  std::vector<Array> arrays;
  for (const Buffer& buffer : buffers_) {
    Array array;
    array.name = buffer.spec.name;
    array.begin = buffer.begin;
    array.bytes = static_cast<std::size_t>(buffer.spec.allocation_bytes());
    array.element_bytes = element_size(buffer.spec.type);
    array.space = buffer.spec.role == BufferRole::input ? Array::Space::input : Array::Space::global;
    // Ghost planes of a part are padding, too.
    if (buffer.spec.readable_padding) array.layout = results_layout(buffer.spec);
    array.initialised = buffer.spec.fill != BufferFill::poison;
    arrays.push_back(std::move(array));
  }
  return arrays;
}

std::vector<Finding> PlanMemory::spoiled(const TensorSet& inputs) const {
  std::vector<Finding> findings;
  const auto add = [&](FindingKind kind, const Buffer& buffer, const char* at, const std::string& what) {
    Finding finding;
    finding.kind = kind;
    finding.array = buffer.spec.name;
    finding.offset = at - buffer.begin;
    const auto element = static_cast<std::int64_t>(element_size(buffer.spec.type));
    finding.detail = format("element {} of '{}' {}", finding.offset / element, buffer.spec.name, what);
    findings.push_back(std::move(finding));
  };
  const auto touched = [](const char* from, const char* to) {
    return std::find_if(from, to, [](char byte) { return byte != static_cast<char>(poison); });
  };
  for (const Buffer& buffer : buffers_) {
    const char* const end = buffer.begin + buffer.spec.allocation_bytes();
    const char* const last = buffer.first + buffer.accessible;
    if (const char* at = touched(buffer.first, buffer.begin); at != buffer.begin)
      add(FindingKind::out_of_bounds, buffer, at, "was written, which lies before the buffer");
    if (const char* at = touched(end, last); at != last)
      add(FindingKind::out_of_bounds, buffer, at, "was written, which lies behind the buffer");
    if (buffer.spec.role != BufferRole::input) continue;
    const auto from = bytes_for(buffer.spec, inputs);
    const char* gap = buffer.begin;
    const char* wrong = nullptr;
    each_row(buffer.spec, buffer.spec.layout, [&](std::size_t host, std::size_t device, std::size_t bytes) {
      const char* const row = buffer.begin + device;
      const char* at = touched(gap, std::max(gap, row));
      if (at < row && wrong == nullptr) wrong = at;
      if (wrong == nullptr && std::memcmp(row, from.data() + host, bytes) != 0) wrong = row;
      gap = row + bytes;
    });
    if (wrong != nullptr)
      add(FindingKind::write_to_input, buffer, wrong, "(or one behind it in its row) was changed");
  }
  return findings;
}

const PlanMemory::Buffer& PlanMemory::find(std::string_view name) const {
  for (const Buffer& buffer : buffers_)
    if (buffer.spec.name == name) return buffer;
  throw Error(format("the plan has no buffer '{}'", name));
}

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

std::size_t PlacedMap::box_bytes() const {
  std::size_t bytes = element;
  for (const std::uint32_t extent : spec.box) bytes *= extent;
  return bytes;
}

void PlacedMap::each_row(const std::array<int, 5>& at, const Row& row) const {
  const std::size_t row_bytes = spec.box[0] * element;
  const auto width = static_cast<std::int64_t>(spec.extents[0]);
  const std::int64_t begin = std::clamp<std::int64_t>(at[0], 0, width);
  const std::int64_t end = std::clamp<std::int64_t>(std::int64_t{at[0]} + spec.box[0], 0, width);
  std::array<std::uint32_t, 5> index{};
  for (std::size_t to = 0; to < box_bytes(); to += row_bytes) {
    bool inside = begin < end;
    const char* from = first + begin * static_cast<std::int64_t>(element);
    for (std::size_t i = 1; i < spec.box.size(); ++i) {
      const std::int64_t place = std::int64_t{at[i]} + index[i];
      inside = inside && place >= 0 && place < static_cast<std::int64_t>(spec.extents[i]);
      if (inside) from += place * static_cast<std::int64_t>(spec.strides[i - 1]);
    }
    row(to, from, inside ? static_cast<std::size_t>(end - begin) * element : 0,
        static_cast<std::size_t>(begin - at[0]) * element);
    for (std::size_t i = 1; i < spec.box.size(); ++i) {
      if (++index[i] < spec.box[i]) break;
      index[i] = 0;
    }
  }
}

Result<PlanMaps> PlanMaps::make(const LaunchPlan& plan, const PlanMemory& memory) {
  PlanMaps made;
  for (const Launch* launch : kernel_launches(plan))
    for (const KernelArgument& argument : launch->arguments) {
      const auto* const map = std::get_if<TensorMapArgument>(&argument);
      if (map == nullptr || std::ranges::find(made.arguments_, *map) != made.arguments_.end()) continue;
      const BufferSpec& buffer = plan.buffer(map->buffer);
      if (const auto right = check_tensor_map(buffer, map->map); !right) return tl::unexpected(right.error());
      made.arguments_.push_back(*map);
      made.maps_.push_back({map->buffer, map->map, map_element_size(buffer.type, map->map),
                            memory.address(map->buffer, map->map.offset)});
    }
  return made;
}

MapValue PlanMaps::value(const TensorMapArgument& argument) const {
  const auto found = std::ranges::find(arguments_, argument);
  if (found == arguments_.end()) throw Error("a launch has a tensor map that its plan lacks");
  MapValue value;
  value.object = first_map_object + static_cast<std::uint64_t>(found - arguments_.begin());
  return value;
}

const PlacedMap* PlanMaps::find(const std::vector<PlacedMap>& maps, const void* value) {
  std::uint64_t object = 0;
  std::memcpy(&object, value, sizeof object);
  const std::uint64_t number = object - first_map_object;
  return number < maps.size() ? &maps[number] : nullptr;
}

}  // namespace tune::emulator
