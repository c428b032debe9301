// SPDX-License-Identifier: Apache-2.0
#include "tests/support/texture_sample.hpp"

#include "search/random.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/texture_shape.hpp"

namespace tune::testing {
namespace {

constexpr std::size_t fetch_count = 256;

std::string texel_type(const TextureSpec& spec, ElementType type, int channels) {
  const bool floats = type == ElementType::f32 || spec.read == ReadMode::normalized;
  const std::string names[] = {floats                     ? "float"
                               : type == ElementType::i32 ? "int"
                               : type == ElementType::u32 ? "unsigned int"
                                                          : "unsigned char",
                               floats                     ? "float"
                               : type == ElementType::i32 ? "int"
                               : type == ElementType::u32 ? "uint"
                                                          : "uchar"};
  return channels == 1 ? names[0] : names[1] + std::to_string(channels);
}

std::string kernel(const TextureSample& sample, const std::string& type, int channel) {
  const TextureSpec& spec = sample.texture.texture;
  const std::string calls[] = {"tex1D<T>(t, x)", "tex2D<T>(t, x, y)", "tex3D<T>(t, x, y, z)"};
  std::string call = calls[spec.dimensions - 1];
  if (sample.gather) call = format("tex2Dgather<T>(t, x, y, {})", channel);
  if (spec.memory == TextureMemory::linear) call = "tex1Dfetch<T>(t, (int)floorf(x))";
  std::string store = "out[i] = (float)v;";
  if (sample.channels > 1) {
    store.clear();
    for (int c = 0; c < sample.channels; ++c)
      store += format("out[{} * i + {}] = (float)v.{};", sample.channels, c, "xyzw"[c]);
  }
  return format(
      "typedef {} T;\nextern \"C\" __global__ void k(cudaTextureObject_t t, const float* at, float* out, int "
      "n) {{\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
      "  const float x = at[3 * i], y = at[3 * i + 1], z = at[3 * i + 2];\n  const T v = {};\n  {}\n}}\n",
      type, call, store);
}

/// Rows of pitched memory lie a multiple of 32 bytes apart; those of arrays with odd gaps and an offset.
Layout layout_of(const TextureSpec& spec, ElementType type, const std::vector<std::uint64_t>& texels) {
  Layout layout;
  const auto channels = static_cast<std::uint64_t>(spec.channels);
  if (channels > 1) layout.extents.push_back(channels);
  layout.extents.insert(layout.extents.end(), texels.begin(), texels.end());
  layout = Layout::dense(layout.extents);
  if (spec.memory == TextureMemory::linear) return layout;
  const std::size_t row = channels > 1 ? 2 : 1;
  const std::uint64_t aligned = 32 / element_size(type);
  std::uint64_t stride = channels * texels[0];
  for (std::size_t axis = row; axis < layout.extents.size(); ++axis) {
    stride = spec.memory == TextureMemory::pitched ? (stride + aligned - 1) / aligned * aligned
                                                   : stride + 3 * channels;
    layout.strides[axis] = stride;
    stride *= layout.extents[axis];
  }
  layout.offset = spec.memory == TextureMemory::array ? 5 : 0;
  layout.allocation = layout.offset + stride;
  return layout;
}

HostTensor random_image(ElementType type, const Extents& extents, search::Random& random) {
  HostTensor image(type, extents);
  const std::size_t count = image.size();
  for (std::size_t i = 0; i < count; ++i) {
    const double unit = random.uniform();
    if (type == ElementType::f32) image.as<float>()[i] = static_cast<float>(2 * unit - 1);
    if (type == ElementType::u8) image.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(256 * unit);
    if (type == ElementType::i32)
      image.as<std::int32_t>()[i] = static_cast<std::int32_t>(2e6 * unit) - 1'000'000;
    if (type == ElementType::u32) image.as<std::uint32_t>()[i] = static_cast<std::uint32_t>(1e6 * unit);
  }
  return image;
}

HostTensor random_coordinates(const TextureSpec& spec, const std::vector<std::uint64_t>& texels,
                              search::Random& random) {
  HostTensor at(ElementType::f32, {3, fetch_count});
  for (std::size_t i = 0; i < 3 * fetch_count; ++i) {
    const std::size_t axis = i % 3;
    if (axis >= texels.size()) continue;
    const double extent = static_cast<double>(texels[axis]);
    const double texel = static_cast<double>(random.below(5 * texels[axis])) - 2 * extent;
    // A multiple of 1/256, missed by less than half of that.
    const double fraction = static_cast<double>(2 + random.below(253)) + 0.8 * random.uniform() - 0.4;
    const double place = texel + fraction / 256;
    at.as<float>()[i] = static_cast<float>(spec.normalized_coordinates ? place / extent : place);
  }
  return at;
}

void add_array_samples(std::vector<TextureSample>& all, TextureSpec spec) {
  const std::vector<std::vector<std::uint64_t>> texels = {{37}, {19, 11}, {9, 7, 5}};
  const auto add = [&](ElementType type) {
    all.push_back(texture_sample(spec, type, texels[static_cast<std::size_t>(spec.dimensions) - 1]));
  };
  spec.read = ReadMode::element;
  add(ElementType::f32);
  if (spec.filter == FilterMode::point)
    for (const ElementType type : {ElementType::u8, ElementType::i32, ElementType::u32}) add(type);
  spec.read = ReadMode::normalized;
  add(ElementType::u8);
}

}  // namespace

double TextureSample::texel(std::size_t x, std::size_t y, std::size_t z, std::size_t channel) const {
  const HostTensor& image = inputs.at("image");
  const std::size_t nx = texels[0], ny = texels.size() > 1 ? texels[1] : 1;
  const std::size_t i =
      channel + static_cast<std::size_t>(texture.texture.channels) * (x + nx * (y + ny * z));
  switch (image.type()) {
    case ElementType::f32:
      return image.as<float>()[i];
    case ElementType::u8:
      return image.as<std::uint8_t>()[i];
    case ElementType::i32:
      return image.as<std::int32_t>()[i];
    default:
      return image.as<std::uint32_t>()[i];
  }
}

std::string TextureSample::text() const {
  const TextureSpec& spec = texture.texture;
  constexpr const char* memories[] = {"linear", "pitched", "array"};
  constexpr const char* modes[] = {"wrap", "clamp", "mirror", "border"};
  return format("{}{} {}d, {} x {}, {}, {}{}{}", memories[static_cast<int>(spec.memory)],
                gather ? " gathered" : "", spec.dimensions, spec.channels,
                to_string(inputs.at("image").type()), modes[static_cast<int>(spec.address[0])],
                spec.filter == FilterMode::linear ? "linear" : "point",
                spec.read == ReadMode::normalized ? ", read normalised" : "",
                spec.normalized_coordinates ? ", normalised coordinates" : "");
}

TextureSample texture_sample(const TextureSpec& spec, ElementType type, std::vector<std::uint64_t> texels,
                             bool gather, int channel) {
  search::Random random(7);
  TextureSample sample;
  sample.texture = {"image", spec};
  sample.texels = std::move(texels);
  sample.gather = gather;
  sample.channels = gather ? 4 : spec.channels;
  const Layout layout = layout_of(spec, type, sample.texels);
  sample.inputs.emplace("image", random_image(type, layout.extents, random));
  sample.inputs.emplace("at", random_coordinates(spec, sample.texels, random));
  const Layout out = Layout::dense({static_cast<std::uint64_t>(sample.channels), fetch_count});
  sample.plan.compile.source = {"k.cu", kernel(sample, texel_type(spec, type, sample.channels), channel)};
  sample.plan.compile.entries = {"k"};
  sample.plan.buffers = {{"image", type, layout, BufferRole::input},
                         {"at", ElementType::f32, Layout::dense({3, fetch_count}), BufferRole::input},
                         {"out", ElementType::f32, out, BufferRole::output}};
  Launch launch;
  launch.entry = "k";
  launch.grid = {fetch_count / 64, 1, 1};
  launch.block = {64, 1, 1};
  launch.arguments = {sample.texture, BufferArgument{"at"}, BufferArgument{"out"},
                      ScalarArgument{static_cast<std::int32_t>(fetch_count)}};
  sample.plan.launches = {launch};
  return sample;
}

std::vector<TextureSample> all_texture_samples() {
  std::vector<TextureSample> all;
  for (const int channels : {1, 2, 4}) {
    TextureSpec linear;
    linear.memory = TextureMemory::linear;
    linear.dimensions = 1;
    linear.channels = channels;
    for (const ElementType type : {ElementType::f32, ElementType::u8, ElementType::i32, ElementType::u32})
      all.push_back(texture_sample(linear, type, {131}));
    linear.read = ReadMode::normalized;
    all.push_back(texture_sample(linear, ElementType::u8, {131}));
    for (const bool normalized : {false, true})
      for (const FilterMode filter : {FilterMode::point, FilterMode::linear})
        for (const AddressMode mode :
             {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror, AddressMode::border}) {
          TextureSpec spec;
          spec.channels = channels;
          spec.filter = filter;
          spec.address = {mode, mode, mode};
          spec.normalized_coordinates = normalized;
          for (const int dimensions : {1, 2, 3}) {
            spec.dimensions = dimensions;
            add_array_samples(all, spec);
          }
          spec.dimensions = 2;
          spec.memory = TextureMemory::pitched;
          add_array_samples(all, spec);
        }
  }
  TextureSpec gather;
  gather.gather = true;
  gather.channels = 2;
  all.push_back(texture_sample(gather, ElementType::f32, {19, 11}, true, 1));
  gather.address = {AddressMode::border, AddressMode::clamp, AddressMode::clamp};
  all.push_back(texture_sample(gather, ElementType::u8, {19, 11}, true, 0));
  // One mode along each dimension.
  TextureSpec mixed;
  mixed.filter = FilterMode::linear;
  mixed.normalized_coordinates = true;
  mixed.dimensions = 3;
  mixed.address = {AddressMode::wrap, AddressMode::border, AddressMode::mirror};
  all.push_back(texture_sample(mixed, ElementType::f32, {9, 7, 5}));
  return all;
}

}  // namespace tune::testing
