// SPDX-License-Identifier: Apache-2.0
// Accesses outside of arrays, and misaligned ones.
#include <gtest/gtest.h>

#include "tests/tuner/backends/emulator/bugs/planted.hpp"
#include "tuner/base/format.hpp"

namespace tune::emulator::testing::bounds_bugs {
namespace {

struct Type {
  std::string name;
  std::int64_t bytes;
};

const std::vector<Type> types = {{"unsigned char", 1}, {"short", 2},  {"__half", 2}, {"float", 4},
                                 {"double", 8},        {"float2", 8}, {"float4", 16}};

std::string kernel(const std::string& body) {
  return "#include \"bug.cuh\"\n#include <cuda_fp16.h>\n"
         "extern \"C\" __global__ void k(const Item* in, Item* out, int n) {\n"
         "  const int i = index(), t = rank();\n" +
         body + "}\n";
}

/// The last element and beyond by the last thread of all.
auto behind(std::int64_t bytes, const char* array) {
  return [=](const Scene& scene) {
    return Where{array, scene.all() * bytes, scene.blocks() - 1, scene.threads() - 1};
  };
}
auto before(std::int64_t bytes, const char* array) {
  return [=](const Scene&) { return Where{array, -bytes, 0, 0}; };
}

TEST(PlantedBounds, GlobalArraysOfEveryType) {
  std::vector<Planted> all;
  for (const auto& [type, bytes] : types) {
    const auto add = [&, name = type](const char* what, auto where, const char* line) {
      all.push_back({format("{} of {}", what, name), always(FindingKind::out_of_bounds), where, kernel(line),
                     all_scenes(), nullptr, name});
    };
    add("global write behind", behind(bytes, "out"), "  out[i + BUG] = in[i];  //!\n");
    add("global read behind", behind(bytes, "in"), "  out[i] = in[i + BUG];  //!\n");
    add("global write before", before(bytes, "out"), "  out[i - BUG] = in[i];  //!\n");
    add("global read before", before(bytes, "in"), "  out[i] = in[i - BUG];  //!\n");
  }
  expect_reported(all);
}

TEST(PlantedBounds, FarOverruns) {
  const auto far = [](const char* array, std::int64_t elements) {
    return [=](const Scene&) { return Where{array, elements == any ? any : elements * 4, 0, 0}; };
  };
  expect_reported({
      {"write 200000 elements behind", always(FindingKind::out_of_bounds), far("out", 200000),
       kernel("  out[i + 200000 * BUG] = in[i];  //!\n"), all_scenes()},
      {"read 200000 elements before", always(FindingKind::out_of_bounds), far("in", -200000),
       kernel("  out[i] = in[i - 200000 * BUG];  //!\n"), all_scenes()},
      {"write 1 GiB behind", always(FindingKind::out_of_bounds), far("", any),
       kernel("  out[i + (BUG << 28)] = in[i];  //!\n"), all_scenes()},
      {"32-bit index overflows", always(FindingKind::out_of_bounds), far("", any),
       kernel("  const unsigned step = 0x40000000u;\n"
              "  const unsigned long long at = BUG ? i + 3ull * step : i;\n"
              "  out[static_cast<int>(at)] = in[i];  //!\n"),
       all_scenes()},
  });
}

// No address is illegal there: what the other buffer is for, or the result, shows it.
TEST(PlantedBounds, OverrunsThatLandInAnotherBuffer) {
  const auto same = [](const Scene&, int element) { return element + 1.0; };
  const auto all_of_them = [](const Scene& scene) { return scene.all(); };
  const std::string head =
      "#include \"bug.cuh\"\n"
      "extern \"C\" __global__ void k(const Item* in, Item* out, Item* other, int n) {\n"
      "  const int i = index();\n"
      "  const long long away = other - out, back = other - in;\n";
  expect_reported({
      {"write lands in an input",
       always(FindingKind::write_to_input),
       [](const Scene&) {
         return Where{"other", 0, 0, 0};
       },
       head + "  out[i + BUG * away] = in[i];  //!\n}\n",
       all_scenes(),
       same,
       "float",
       {{"other", BufferRole::input, all_of_them}}},
      {"read lands in scratch",
       always(FindingKind::uninitialised_read),
       [](const Scene&) {
         return Where{"other", 0, 0, 0};
       },
       head + "  out[i] = in[i + BUG * back];  //!\n}\n",
       all_scenes(),
       same,
       "float",
       {{"other", BufferRole::scratch, all_of_them}}},
      {"write lands in another output",
       always(FindingKind::wrong_result),
       in_array("out"),
       head + "  if (i != 5 || !BUG) out[i] = in[i];\n  else out[i + away] = in[i];\n}\n",
       all_scenes(),
       same,
       "float",
       {{"other", BufferRole::output, all_of_them}}},
      {"read lands in another input",
       always(FindingKind::wrong_result),
       in_array("out"),
       head + "  out[i] = in[i + BUG * (back + 1)];\n}\n",
       all_scenes(),
       same,
       "float",
       {{"other", BufferRole::input, [](const Scene& scene) { return scene.all() + 1; }}}},
  });
}

TEST(PlantedBounds, SharedArrays) {
  const auto last = [](std::int64_t bytes, const char* array) {
    return [=](const Scene& scene) { return Where{array, scene.threads() * bytes, 0, scene.threads() - 1}; };
  };
  const auto first = [](std::int64_t bytes, const char* array) {
    return [=](const Scene&) { return Where{array, -bytes, 0, 0}; };
  };
  std::vector<Planted> all;
  for (const auto& [type, bytes] : types) {
    if (type == "short" || type == "float2") continue;
    const auto add = [&, name = type](const char* what, auto where, const std::string& lines) {
      all.push_back({format("{} of {}", what, name), always(FindingKind::out_of_bounds), where, kernel(lines),
                     all_scenes(), nullptr, name});
    };
    const std::string tile = "  __shared__ Item tile[BLOCK];\n";
    add("static write behind", last(bytes, "tile"),
        tile + "  tile[t + BUG] = in[i];  //!\n  __syncthreads();\n  out[i] = tile[t];\n");
    add("static read before", first(bytes, "tile"),
        tile + "  tile[t] = in[i];\n  __syncthreads();\n  out[i] = tile[t - BUG];  //!\n");
    const std::string dynamic = "  extern __shared__ __align__(16) Item tile[];\n";
    add("dynamic write behind", last(bytes, "dynamic shared memory"),
        dynamic + "  tile[t + BUG] = in[i];  //!\n  __syncthreads();\n  out[i] = tile[t];\n");
    all.back().shared = [size = bytes](const Scene& scene) {
      return static_cast<std::uint64_t>(scene.threads() * size);
    };
    add("dynamic read before", first(bytes, "dynamic shared memory"),
        dynamic + "  tile[t] = in[i];\n  __syncthreads();\n  out[i] = tile[t - BUG];  //!\n");
    all.back().shared = all[all.size() - 2].shared;
  }
  expect_reported(all);
}

// An index that leaves its row or its array and ends in another one: a wrong owner.
TEST(PlantedBounds, SharedOverrunsThatStayInSharedMemory) {
  const auto at = [](const char* array, int elements) {
    return [=](const Scene& scene) {
      return Where{array, elements == any ? scene.threads() * 4LL : elements * 4LL, 0};
    };
  };
  const std::string two = "  __shared__ float first[BLOCK];\n  __shared__ float second[BLOCK];\n";
  expect_reported({
      {"over the end into another shared array", always(FindingKind::out_of_bounds), at("first", any),
       kernel(two + "  second[t] = in[i];\n  __syncthreads();\n  first[t + BUG] = second[t];  //!\n"
                    "  __syncthreads();\n  out[i] = first[t];\n"),
       all_scenes()},
      {"before the start, where another shared array may lie", always(FindingKind::out_of_bounds),
       at("first", -1),
       kernel(two +
              "  first[t - BUG] = in[i];  //!\n  second[t] = in[i];\n  out[i] = first[t] + second[t];\n"),
       all_scenes()},
      {"over the end of the second one", always(FindingKind::out_of_bounds), at("second", any),
       kernel(two + "  first[t] = in[i];\n  second[t + BUG] = first[t];  //!\n  __syncthreads();\n  out[i] = "
                    "second[t];\n"),
       all_scenes()},
      {"row overflow", race_here, in_array("tile"),
       kernel("  __shared__ float tile[BLOCK / 8 + 1][9 - BUG];\n"
              "  tile[t / 8][t % 8] = in[i];  //!\n"
              "  if (t % 8 == 7) tile[t / 8][8] = 1;\n"
              "  __syncthreads();\n"
              "  out[i] = tile[t / 8][t % 8];\n"),
       scenes_where([](const Scene& scene) { return scene.threads() % 8 == 0; })},
  });
}

TEST(PlantedBounds, VectorsAtTheTail) {
  // The last vector holds two elements only.
  const auto shorter = [](LaunchPlan& plan, ReferenceData& expected) {
    const std::uint64_t n = plan.buffers[0].layout.extents[0] - 2;
    for (BufferSpec& buffer : plan.buffers) buffer.layout = Layout::dense({n});
    HostTensor in(ElementType::f32, {n});
    expected.inputs.insert_or_assign("in", std::move(in));
    std::get<Launch>(plan.launches[0]).arguments.back() = ScalarArgument{static_cast<std::int32_t>(n)};
  };
  const auto at_end = [](std::int64_t byte) {
    return [=](const Scene& scene) {
      return Where{"out", (scene.all() - 1) * 16LL + byte, scene.blocks() - 1, scene.threads() - 1};
    };
  };
  const std::string tail = "  if (4 * i + (BUG ? 0 : 3) < n) out[i] = in[i];  //!\n";
  expect_reported({{"float4 copied over the tail",
                    always(FindingKind::out_of_bounds),
                    at_end(0),
                    kernel(tail),
                    all_scenes(),
                    nullptr,
                    "float4",
                    {},
                    nullptr,
                    shorter},
                   {"float4 built over the tail",
                    always(FindingKind::out_of_bounds),
                    at_end(0),
                    kernel("  if (4 * i + (BUG ? 0 : 3) < n) out[i] = float4{1, 2, 3, 4};  //!\n"),
                    all_scenes(),
                    nullptr,
                    "float4",
                    {},
                    nullptr,
                    shorter}});
}

TEST(PlantedBounds, MisalignedVectors) {
  const auto first = [](const char* array, std::int64_t offset) {
    return [=](const Scene&) { return Where{array, offset, 0, 0}; };
  };
  const auto quarter = scenes_of_whole_warps();
  expect_reported({
      {"float4 read at float 1", always(FindingKind::misaligned), first("in", 4),
       kernel("  if (4 * i + 7 < n) {\n"
              "    const float4 v = *reinterpret_cast<const float4*>(in + 4 * i + BUG);  //!\n"
              "    out[i] = v.x + v.w;\n  }\n"),
       quarter},
      {"float4 write at float 2", always(FindingKind::misaligned), first("out", 8),
       kernel("  if (4 * i + 7 < n)\n"
              "    *reinterpret_cast<float4*>(out + 4 * i + 2 * BUG) = float4{1, 2, 3, in[i]};  //!\n"),
       quarter},
      {"float2 read at float 3", always(FindingKind::misaligned), first("in", 12),
       kernel("  if (4 * i + 7 < n) {\n"
              "    const float2 v = *reinterpret_cast<const float2*>(in + 4 * i + 2 + BUG);  //!\n"
              "    out[i] = v.x + v.y;\n  }\n"),
       quarter},
      {"double at float 1", always(FindingKind::misaligned), first("out", 4),
       kernel("  if (4 * i + 7 < n) *reinterpret_cast<double*>(out + 4 * i + BUG) = in[i];  //!\n"), quarter},
      {"float at byte 2", always(FindingKind::misaligned), first("in", 2),
       kernel("  if (i + 1 < n)\n"
              "    out[i] = *reinterpret_cast<const float*>(reinterpret_cast<const char*>(in + i) + 2 * "
              "BUG);  //!\n"),
       quarter},
      {"short at byte 1", always(FindingKind::misaligned), first("in", 1),
       kernel("  if (i + 1 < n)\n"
              "    out[i] = *reinterpret_cast<const short*>(reinterpret_cast<const char*>(in + i) + BUG);  "
              "//!\n"),
       quarter},
      {"float4 in shared memory", always(FindingKind::misaligned), first("tile", 4),
       kernel("  __shared__ __align__(16) float tile[BLOCK * 4 + 4];\n"
              "  *reinterpret_cast<float4*>(tile + 4 * t + BUG) = float4{1, 2, 3, 4};  //!\n"
              "  out[i] = in[i];\n"),
       quarter},
  });
}

}  // namespace
}  // namespace tune::emulator::testing::bounds_bugs
