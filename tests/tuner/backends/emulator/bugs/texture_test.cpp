// SPDX-License-Identifier: Apache-2.0
// Mistakes with textures.
#include <gtest/gtest.h>

#include "tests/tuner/backends/emulator/bugs/planted.hpp"

namespace tune::emulator::testing::texture_bugs {
namespace {

double same(const Scene&, int element) {
  return element + 1.0;
}

/// Puts a texture over a buffer in the place of the argument that is the buffer.
auto texture_over(const std::string& buffer, const TextureSpec& spec) {
  return [=](LaunchPlan& plan, ReferenceData&) {
    for (KernelArgument& argument : std::get<Launch>(plan.launches.back()).arguments)
      if (const auto* const given = std::get_if<BufferArgument>(&argument);
          given != nullptr && given->buffer == buffer) {
        argument = TextureArgument{buffer, spec};
        return;
      }
    throw std::logic_error("the kernel has no argument for " + buffer);
  };
}

TextureSpec filtered(AddressMode mode = AddressMode::clamp) {
  TextureSpec spec;
  spec.dimensions = 1;
  spec.filter = FilterMode::linear;
  spec.address = {mode, mode, mode};
  return spec;
}

TextureSpec linear_memory() {
  TextureSpec spec;
  spec.memory = TextureMemory::linear;
  spec.dimensions = 1;
  return spec;
}

const std::string head =
    "#include \"bug.cuh\"\n"
    "extern \"C\" __global__ void k(cudaTextureObject_t in, Item* out, int n) {\n"
    "  const int i = index();\n";

Planted over_in(std::string name, FindingKind kind, const std::string& body, const TextureSpec& spec,
                std::function<double(const Scene&, int)> result, const char* array = "out") {
  Planted planted{std::move(name), always(kind), in_array(array), head + body + "}\n", all_scenes()};
  planted.result = std::move(result);
  planted.change = texture_over("in", spec);
  return planted;
}

TEST(PlantedTextures, Coordinates) {
  // in is 1, 2, 3, ...: the next element, but for the last one.
  const auto next = [](const Scene& scene, int element) {
    return std::min(element + 2.0, 1.0 * scene.all());
  };
  const auto around = [](const Scene& scene, int element) {
    return element + 1.0 == scene.all() ? 1.0 : element + 2.0;
  };
  TextureSpec periodic = filtered(AddressMode::wrap);
  periodic.normalized_coordinates = true;
  TextureSpec not_normalised = filtered(AddressMode::wrap);
  expect_reported({
      over_in("no half", FindingKind::wrong_result, "  out[i] = tex1D<float>(in, i + (BUG ? 0 : 0.5f));\n",
              filtered(), same),
      over_in("half of it twice", FindingKind::wrong_result,
              "  out[i] = tex1D<float>(in, i + 0.5f + 0.5f * BUG);\n", filtered(), same),
      over_in("normalised coordinates of a texture that has none", FindingKind::wrong_result,
              "  out[i] = tex1D<float>(in, (i + 0.5f) / (BUG ? n : 1));\n", filtered(), same),
      over_in("texels as coordinates of a normalised texture", FindingKind::wrong_result,
              "  out[i] = tex1D<float>(in, (i + 0.5f) / (BUG ? 1 : n) + 0 * n);\n", periodic, same),
      over_in("no half at the edge", FindingKind::wrong_result,
              "  out[i] = tex1D<float>(in, i + 1 + (BUG ? 0 : 0.5f));\n", filtered(), next),
      over_in("wrap around without normalised coordinates", FindingKind::wrong_result,
              "  out[i] = tex1D<float>(in, BUG ? i + 1.5f : (i + 1.5f) - (i + 1 == n ? n : 0));\n",
              not_normalised, around),
      over_in("beyond the end of linear memory", FindingKind::wrong_result,
              "  out[i] = tex1Dfetch<float>(in, BUG ? i + 1 : min(i + 1, n - 1));\n", linear_memory(), next),
  });
}

// The kernel is the same; its texture has another address mode.
TEST(PlantedTextures, AddressModes) {
  const auto modes = [](std::string name, AddressMode right, AddressMode wrong, double edge) {
    Planted planted =
        over_in(std::move(name), FindingKind::wrong_result, "  out[i] = tex1D<float>(in, (i - 0.5f) / n);\n",
                filtered(), [edge](const Scene& scene, int element) {
                  return element > 0 ? element : edge < 0 ? 1.0 * scene.all() : edge;
                });
    planted.change = [=](LaunchPlan& plan, ReferenceData& expected) {
      const bool bug = plan.compile.defines[1].second == "1";
      TextureSpec spec = filtered(bug ? wrong : right);
      spec.normalized_coordinates = true;
      texture_over("in", spec)(plan, expected);
    };
    return planted;
  };
  expect_reported({
      modes("clamp in the place of wrap", AddressMode::wrap, AddressMode::clamp, -1),
      modes("wrap in the place of clamp", AddressMode::clamp, AddressMode::wrap, 1),
      modes("clamp in the place of border", AddressMode::border, AddressMode::clamp, 0),
      modes("border in the place of mirror", AddressMode::mirror, AddressMode::border, 1),
  });
}

/// `scratch` is filled by the kernel `first`, then read through a texture by `k`.
Planted pipeline(std::string name, FindingKind kind, const std::string& first, const std::string& body,
                 std::function<Where(const Scene&)> where,
                 std::function<double(const Scene&, int)> result = same) {
  Planted planted{
      std::move(name), always(kind), std::move(where),
      "#include \"bug.cuh\"\n"
      "extern \"C\" __global__ void first(const Item* in, float* scratch) {\n"
      "  const int i = index();\n" +
          first +
          "}\n"
          "extern \"C\" __global__ void k(const Item* in, Item* out, cudaTextureObject_t texture, "
          "float* scratch, int n) {\n  const int i = index();\n" +
          body + "}\n",
      all_scenes()};
  planted.result = std::move(result);
  planted.extra = {{"scratch", BufferRole::scratch, [](const Scene& scene) { return scene.all(); }}};
  planted.change = [](LaunchPlan& plan, ReferenceData& expected) {
    texture_over("scratch", linear_memory())(plan, expected);
    auto& arguments = std::get<Launch>(plan.launches.back()).arguments;
    arguments.insert(arguments.end() - 1, BufferArgument{"scratch"});
    Launch fill = std::get<Launch>(plan.launches.back());
    fill.entry = "first";
    fill.arguments = {BufferArgument{"in"}, BufferArgument{"scratch"}};
    plan.launches.insert(plan.launches.begin(), fill);
    plan.compile.entries.push_back("first");
  };
  return planted;
}

auto scratch_at(std::int64_t element, int block, int thread) {
  return [=](const Scene&) { return Where{"scratch", element * 4, block, thread}; };
}

TEST(PlantedTextures, ReadOfWhatTheLaunchWrites) {
  const std::string fill = "  scratch[i] = in[i];\n";
  const auto plus_neighbour = [](const Scene&, int element) { return element > 0 ? 2.0 * element + 1 : 2.0; };
  expect_reported({
      pipeline("a thread's own write", FindingKind::stale_texture, fill,
               "  if (BUG) scratch[i] = in[i];\n  out[i] = tex1Dfetch<float>(texture, i);  //!\n",
               scratch_at(0, 0, 0)),
      pipeline(
          "a neighbour's write, after a barrier", FindingKind::stale_texture, fill,
          "  if (BUG) scratch[i] = in[i];\n  __syncthreads();\n"
          "  out[i] = in[i] - 1 + (i > 0 ? tex1Dfetch<float>(texture, i - 1) - in[i - 1] + 1 : 1);  //!\n",
          scratch_at(0, 0, 1)),
      pipeline("a write by another block", FindingKind::stale_texture, fill,
               "  if (BUG && blockIdx.x == 0) scratch[i] = in[i];\n"
               "  out[i] = blockIdx.x == 1 ? tex1Dfetch<float>(texture, i - size()) + size() : in[i];  //!\n",
               scratch_at(0, 1, 0)),
      // In place: the next thread reads what this one has already written.
      pipeline(
          "in place, without a second buffer", FindingKind::stale_texture, fill,
          "  const float sum = tex1Dfetch<float>(texture, i) + tex1Dfetch<float>(texture, max(i - 1, 0));  "
          "//!\n"
          "  if (BUG) scratch[i] = sum;\n  out[i] = sum;\n",
          scratch_at(0, 0, 1), plus_neighbour),
  });
}

// A barrier of the grid orders writes and reads, but textures do not look again.
TEST(PlantedTextures, ReadBehindABarrierOfTheGrid) {
  Planted planted = pipeline(
      "a write before the grid's barrier", FindingKind::stale_texture, "  scratch[i] = in[i];\n",
      "  if (BUG) scratch[i] = in[i];\n  cooperative_groups::this_grid().sync();\n"
      "  out[i] = tex1Dfetch<float>(texture, (i + size()) % n);  //!\n",
      [](const Scene& scene) {
        return Where{"scratch", scene.threads() * 4, 0, 0};
      },
      [](const Scene& scene, int element) { return (element + scene.threads()) % scene.all() + 1.0; });
  planted.source.insert(0, "#include <cooperative_groups.h>\n");
  planted.change = [in_turn = planted.change](LaunchPlan& plan, ReferenceData& expected) {
    in_turn(plan, expected);
    std::get<Launch>(plan.launches.back()).cooperative = true;
  };
  expect_reported({planted});
}

TEST(PlantedTextures, WritesThatRaceWithFetches) {
  // Thread 0 fetches the element that thread 1 writes afterwards.
  Planted planted = pipeline("the writer comes later", FindingKind::race_in_warp, "  scratch[i] = in[i];\n",
                             "  const float v = i == 0 ? tex1Dfetch<float>(texture, 1) - 1 : in[i];\n"
                             "  if (BUG && i == 1) scratch[i] = 5;  //!\n  out[i] = v;\n",
                             scratch_at(1, 0, 1));
  // What the thread itself has fetched, and nobody else, it may write.
  Planted own = pipeline(
      "in place, each its own", FindingKind::crash, "  scratch[i] = in[i];\n",
      "  const float v = tex1Dfetch<float>(texture, i);\n  scratch[i] = 0;\n  out[i] = v;\n", in_array(""));
  expect_reported({planted});
  expect_clean({own});
}

TEST(PlantedTextures, UninitialisedTexels) {
  const auto uninitialised = FindingKind::uninitialised_read;
  expect_reported({
      pipeline("a gap in what the first launch fills", uninitialised,
               "  if (!BUG || i != 3) scratch[i] = in[i];\n",
               "  out[i] = tex1Dfetch<float>(texture, i);  //!\n", scratch_at(3, 0, 3)),
      pipeline("nothing but a border", uninitialised, "  if (!BUG) scratch[i] = in[i];\n",
               "  out[i] = i > 0 ? in[i] + 0 * tex1Dfetch<float>(texture, -1)\n"
               "                 : tex1Dfetch<float>(texture, 0);  //!\n",
               scratch_at(0, 0, 0)),
  });
}

TEST(PlantedTextures, WrongArguments) {
  expect_reported({
      over_in("another type", FindingKind::failed,
              "  out[i] = BUG ? tex1D<int>(in, i + 0.5f) : tex1D<float>(in, i + 0.5f);  //!\n", filtered(),
              same, ""),
      over_in("another dimension", FindingKind::failed,
              "  out[i] = BUG ? tex2D<float>(in, i + 0.5f, 0) : tex1D<float>(in, i + 0.5f);  //!\n",
              filtered(), same, ""),
      over_in("no texture", FindingKind::failed, "  out[i] = tex1D<float>(in + BUG * 77, i + 0.5f);  //!\n",
              filtered(), same, ""),
  });
}

}  // namespace
}  // namespace tune::emulator::testing::texture_bugs
