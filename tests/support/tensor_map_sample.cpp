// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tensor_map_sample.hpp"

#include <algorithm>
#include <cstring>

#include "search/random.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/tensor_map_shape.hpp"

namespace tune::testing {
namespace {

constexpr std::uint64_t box_count = 24;

std::string kernel(const char* type, std::size_t rank, std::uint64_t elements) {
  const char* const place =
      rank == 2 ? "at[3 * b], at[3 * b + 1]" : "at[3 * b], at[3 * b + 1], at[3 * b + 2]";
  return format(
      "#include \"tensor_copy.cuh\"\n"
      "typedef {} Item;\n"
      "extern \"C\" __global__ void k(const __grid_constant__ TensorMap map, const int* at, Item* out) {{\n"
      "  __shared__ __align__(1024) Item box[{}];\n"
      "  __shared__ AsyncBarrier full;\n"
      "  const int b = blockIdx.x;\n"
      "  if (threadIdx.x == 0) {{\n"
      "    init_barrier(full, 1);\n"
      "    fence_barriers();\n"
      "  }}\n"
      "  __syncthreads();\n"
      "  if (threadIdx.x == 0) {{\n"
      "    arrive_expecting(full, sizeof(box));\n"
      "    copy_box(box, map, full, {});\n"
      "  }}\n"
      "  wait_barrier(full, 0);\n"
      "  for (int i = threadIdx.x; i < {}; i += blockDim.x) out[b * {} + i] = box[i];\n"
      "}}\n",
      type, elements, place, elements, elements);
}

/// The element of the box that a swizzle puts in the place of element e.
std::uint64_t logical(std::uint64_t e, std::size_t size, MapSwizzle swizzle) {
  const std::uint64_t exchanged = (std::uint64_t{1} << static_cast<int>(swizzle)) - 1;
  const std::uint64_t byte = e * size;
  return (byte ^ (((byte >> 7) & exchanged) << 4)) / size;
}

const char* device_type(ElementType type) {
  switch (element_size(type)) {
    case 1:
      return "unsigned char";
    case 2:
      return "unsigned short";
    case 4:
      return type == ElementType::f32 ? "float" : "int";
    default:
      return type == ElementType::f64 ? "double" : "long long";
  }
}

}  // namespace

std::vector<std::byte> TensorMapSample::expected() const {
  const auto& map = std::get<TensorMapArgument>(std::get<Launch>(plan.launches[0]).arguments[0]).map;
  const BufferSpec& buffer = plan.buffer("in");
  const std::size_t size = element_size(buffer.type);
  const auto at = inputs.at("at").as<std::int32_t>();
  std::vector<std::byte> all(boxes * elements * size);
  for (std::uint64_t b = 0; b < boxes; ++b)
    for (std::uint64_t e = 0; e < elements; ++e) {
      std::uint64_t rest = logical(e, size, map.swizzle), from = map.offset;
      bool inside = true;
      for (std::size_t axis = 0; axis < map.box.size(); ++axis) {
        const std::int64_t place = at[3 * b + axis] + static_cast<std::int64_t>(rest % map.box[axis]);
        rest /= map.box[axis];
        inside = inside && place >= 0 && place < static_cast<std::int64_t>(map.extents[axis]);
        if (inside) from += static_cast<std::uint64_t>(place) * buffer.layout.strides[axis];
      }
      if (!inside) continue;
      // From the element of the allocation back to that of the dense tensor.
      std::uint64_t dense = 0, step = 1;
      for (std::size_t axis = 0; axis < map.box.size(); ++axis) {
        const std::uint64_t next =
            axis + 1 < map.box.size() ? buffer.layout.strides[axis + 1] : ~std::uint64_t{0};
        dense += from % next / buffer.layout.strides[axis] * step;
        step *= buffer.layout.extents[axis];
      }
      std::memcpy(&all[(b * elements + e) * size], inputs.at("in").bytes().data() + dense * size, size);
    }
  return all;
}

std::string TensorMapSample::text() const {
  const auto& map = std::get<TensorMapArgument>(std::get<Launch>(plan.launches[0]).arguments[0]).map;
  std::string text = std::string(to_string(plan.buffer("in").type));
  for (std::size_t i = 0; i < map.box.size(); ++i) text += format(" {}/{}", map.extents[i], map.box[i]);
  return text;
}

TensorMapSample tensor_map_sample(const std::string& header, ElementType type,
                                  std::vector<std::uint64_t> extents, std::vector<std::uint32_t> box,
                                  std::uint64_t begin, MapSwizzle swizzle) {
  search::Random random(11);
  TensorMapSample sample;
  const std::uint64_t piece = 16 / element_size(type), rank = extents.size();
  Layout layout;
  layout.extents = extents;
  for (std::uint64_t& extent : layout.extents) extent += begin;
  layout.strides = {1, ((extents[0] + begin + piece - 1) / piece + 1) * piece};
  if (rank == 3) layout.strides.push_back(layout.strides[1] * (layout.extents[1] + 1));
  layout.allocation = layout.strides.back() * layout.extents.back();
  sample.boxes = box_count;
  sample.elements = 1;
  for (const std::uint32_t extent : box) sample.elements *= extent;

  HostTensor in(type, layout.extents), at(ElementType::i32, {3, box_count});
  for (std::byte& byte : in.bytes()) byte = static_cast<std::byte>(1 + random.below(100));  // no NaN
  for (std::size_t i = 0; i < 3 * box_count; ++i) {
    const std::size_t axis = i % 3;
    if (axis >= rank) continue;
    // Whole pieces of 16 bytes along the first dimension, as the engine asks for; outside too.
    const auto step = axis == 0 ? static_cast<std::int32_t>(piece) : 1;
    const std::int32_t reach = (static_cast<std::int32_t>(box[axis]) + 2 * step) / step;
    const auto places =
        static_cast<std::uint64_t>(2 * reach) + extents[axis] / static_cast<std::uint64_t>(step) + 1;
    at.as<std::int32_t>()[i] = (static_cast<std::int32_t>(random.below(places)) - reach) * step;
  }
  sample.plan.compile.source = {"k.cu", kernel(device_type(type), rank, sample.elements)};
  sample.plan.compile.headers = {{"tensor_copy.cuh", header}};
  sample.plan.compile.entries = {"k"};
  sample.plan.buffers = {{"in", type, layout, BufferRole::input},
                         {"at", ElementType::i32, Layout::dense({3, box_count}), BufferRole::input},
                         {"out", type, Layout::dense({sample.elements, box_count}), BufferRole::output}};
  TensorMapSpec map = map_of(sample.plan.buffers[0], std::move(box));
  map.extents = std::move(extents);
  for (const std::uint64_t stride : layout.strides) map.offset += begin * stride;
  map.swizzle = swizzle;
  Launch launch;
  launch.entry = "k";
  launch.grid = {box_count, 1, 1};
  launch.block = {64, 1, 1};
  launch.arguments = {TensorMapArgument{"in", map}, BufferArgument{"at"}, BufferArgument{"out"}};
  sample.plan.launches = {launch};
  sample.inputs.emplace("in", std::move(in));
  sample.inputs.emplace("at", std::move(at));
  return sample;
}

std::vector<TensorMapSample> all_tensor_map_samples(const std::string& header) {
  std::vector<TensorMapSample> all;
  for (const ElementType type : {ElementType::f32, ElementType::f64, ElementType::u8, ElementType::i32,
                                 ElementType::f16, ElementType::i64, ElementType::i16}) {
    const auto piece = static_cast<std::uint32_t>(16 / element_size(type));
    all.push_back(tensor_map_sample(header, type, {37, 19}, {2 * piece, 5}));
    all.push_back(tensor_map_sample(header, type, {13, 9, 7}, {piece, 3, 2}));
    all.push_back(tensor_map_sample(header, type, {3, 2, 1}, {4 * piece, 4, 2}));
    all.push_back(tensor_map_sample(header, type, {40, 11, 5}, {2 * piece, 4, 3}, piece));
  }
  // Eight rows as long as the swizzle goes.
  for (const MapSwizzle swizzle : {MapSwizzle::bytes_32, MapSwizzle::bytes_64, MapSwizzle::bytes_128}) {
    const auto row = std::uint32_t{16} << static_cast<int>(swizzle);
    for (const ElementType type : {ElementType::f32, ElementType::f16})
      all.push_back(tensor_map_sample(
          header, type, {70, 23}, {row / static_cast<std::uint32_t>(element_size(type)), 16}, 0, swizzle));
  }
  return all;
}

}  // namespace tune::testing
