// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/guards.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "tuner/base/format.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune {
namespace {

constexpr std::uint64_t step = std::uint64_t{64} << 10;
constexpr std::uint64_t max = std::uint64_t{16} << 20;

constexpr const char* changed = "changed input";

std::byte guard_byte(std::size_t place) {
  return static_cast<std::byte>(guard_word >> (8 * (place % 4)));
}

/// Returns the coordinates of an element of the allocation; nothing for padding.
std::optional<Extents> coordinates_of(const Layout& layout, std::uint64_t element) {
  if (element < layout.offset) return std::nullopt;
  std::uint64_t rest = element - layout.offset;
  std::vector<std::size_t> slowest_first(layout.extents.size());
  std::iota(slowest_first.begin(), slowest_first.end(), std::size_t{0});
  std::ranges::stable_sort(slowest_first, [&](std::size_t a, std::size_t b) {
    return layout.strides[a] > layout.strides[b] || (layout.strides[a] == layout.strides[b] && a > b);
  });
  Extents coordinates(layout.extents.size());
  for (const auto d : slowest_first) {
    if (layout.strides[d] == 0 || layout.extents[d] <= 1) continue;
    coordinates[d] = std::min(rest / layout.strides[d], layout.extents[d] - 1);
    rest -= coordinates[d] * layout.strides[d];
  }
  if (rest != 0) return std::nullopt;
  return coordinates;
}

std::string value_text(ElementType type, const std::byte* data) {
  return with_element(type, [data]<class T>(T value) {
    std::memcpy(&value, data, sizeof(value));
    return format("{:.9g}", static_cast<double>(value));
  });
}

}  // namespace

std::uint64_t guard_bytes(const BufferSpec& buffer) {
  std::uint64_t slowest = 1;
  for (std::size_t i = 0; i < buffer.layout.extents.size() && i < buffer.layout.strides.size(); ++i)
    if (buffer.layout.extents[i] > 1) slowest = std::max(slowest, buffer.layout.strides[i]);
  const auto wanted = std::min(slowest, max) * element_size(buffer.type);
  return std::clamp((wanted + step - 1) / step * step, step, max);
}

void fill_guard(std::span<std::byte> zone) {
  const std::size_t first = misalignment_of(zone.data());
  for (std::size_t i = 0; i < zone.size(); ++i) zone[i] = guard_byte(i + first);
}

bool is_damaged(std::span<const std::byte> zone) {
  const std::size_t first = misalignment_of(zone.data());
  for (std::size_t i = 0; i < zone.size(); ++i)
    if (zone[i] != guard_byte(i + first)) return true;
  return false;
}

Failure out_of_bounds(const std::string& buffer, Side side, std::span<const std::byte> red_zone,
                      std::size_t misalignment) {
  const auto differs = [&](std::size_t i) { return red_zone[i] != guard_byte(i + misalignment); };
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < red_zone.size(); ++i) bytes += differs(i) ? 1 : 0;
  if (bytes == 0) throw std::logic_error("this guard is not damaged");
  std::size_t run = 0;  // bytes of the damaged run that is nearest to the buffer
  std::size_t distance = 0;
  if (side == Side::after) {
    while (!differs(distance)) ++distance;
    while (distance + run < red_zone.size() && differs(distance + run)) ++run;
  } else {
    std::size_t end = red_zone.size();
    while (!differs(end - 1)) --end;
    while (run < end && differs(end - run - 1)) ++run;
    distance = red_zone.size() - end + run;
  }
  const std::string place =
      side == Side::before
          ? format("{} bytes before its start", distance)
          : (distance == 0 ? "right after its end" : format("{} bytes after its end", distance));
  const std::string amount =
      run == bytes ? format("{} bytes written", bytes) : format("{} bytes written, the nearest", bytes);
  return {Phase::verify, "out of bounds", format("buffer `{}`: {} {}", buffer, amount, place)};
}

Failure far_out_of_bounds() {
  return {Phase::verify, "out of bounds", "a kernel wrote to memory far from all of its buffers"};
}

Failure changed_input(const BufferSpec& buffer, std::uint64_t byte, std::uint64_t begin,
                      std::span<const std::byte> was, std::span<const std::byte> is) {
  const auto size = element_size(buffer.type);
  const auto element = byte / size;
  const auto coordinates = coordinates_of(buffer.layout, element);
  if (!coordinates)
    return {Phase::verify, changed,
            format("input `{}`: the padding was written to, first at "
                   "element {} of its allocation (the tensor begins at {})",
                   buffer.name, element, buffer.layout.offset)};
  const auto place = element * size - begin;
  return {Phase::verify, changed,
          format("input `{}`: a kernel changed element ({}) from {} to {}, and none before it", buffer.name,
                 joined(*coordinates), value_text(buffer.type, was.data() + place),
                 value_text(buffer.type, is.data() + place))};
}

Failure changed_input(const BufferSpec& buffer, std::uint64_t begin, std::uint64_t bytes) {
  return {Phase::verify, changed,
          format("input `{}`: a kernel changed bytes {} to {} of the allocation", buffer.name, begin,
                 begin + bytes - 1)};
}

}  // namespace tune
