// SPDX-License-Identifier: Apache-2.0
// Wrong results, writes where nothing may be written, and kernels that never end or fall over.
#include <gtest/gtest.h>

#include <map>

#include "tests/tuner/backends/emulator/bugs/planted.hpp"

namespace tune::emulator::testing::result_bugs {
namespace {

const std::string head =
    "#include \"bug.cuh\"\n"
    "extern \"C\" __global__ void k(const Item* in, Item* out, int n) {\n"
    "  const int i = index(), t = rank(), last = size() - 1;\n";

double same(const Scene&, int element) {
  return element + 1.0;
}

/// A row of 5 elements in 8, two elements behind the start; what lies around belongs to nobody, and may be
/// read.
void padded(LaunchPlan& plan, ReferenceData& expected) {
  const std::uint64_t rows = plan.buffers[0].layout.extents[0] / 8;
  Layout layout;
  layout.extents = {5, rows};
  layout.strides = {1, 8};
  layout.offset = 2;
  layout.allocation = 8 * rows + 8;
  for (BufferSpec& buffer : plan.buffers) {
    buffer.layout = layout;
    buffer.readable_padding = true;
  }
  HostTensor in(ElementType::f32, {5, rows}), reference(ElementType::f64, {5, rows});
  for (std::size_t i = 0; i < 5 * rows; ++i) {
    in.as<float>()[i] = static_cast<float>(i);
    reference.as<double>()[i] = static_cast<double>(i);
  }
  expected.inputs.insert_or_assign("in", std::move(in));
  expected.reference.insert_or_assign("out", std::move(reference));
  expected.tolerance.absolute = 1e-3;
}

TEST(PlantedResult, WrongAndMissingElements) {
  const auto wrong = always(FindingKind::wrong_result);
  const auto element = [](int number) { return [=](const Scene&) { return Where{"out", number * 4}; }; };
  const auto last = [](const Scene& scene) { return Where{"out", (scene.all() - 1) * 4LL}; };
  expect_reported({
      {"one wrong element", wrong, element(5), head + "  out[i] = BUG && i == 5 ? 7 : in[i];\n}\n",
       all_scenes(), same},
      {"an element that nobody writes", wrong, last, head + "  if (!BUG || i < n - 1) out[i] = in[i];\n}\n",
       all_scenes(), same},
      {"the last block is missing", wrong,
       [](const Scene& scene) {
         return Where{"out", scene.threads() * 4LL};
       },
       head + "  if (!BUG || blockIdx.x == 0) out[i] = in[i];\n}\n", all_scenes(), same},
      {"not a number", wrong, element(9), head + "  out[i] = BUG && i == 9 ? sqrtf(-in[i]) : in[i];\n}\n",
       all_scenes(), same},
      {"padding that comes into a result",
       wrong,
       in_array("out"),
       head + "  if (i % 8 < 5) out[i] = in[i] + (BUG ? in[i + 3] - in[i + 3] : 0);\n}\n",
       all_scenes(),
       nullptr,
       "float",
       {},
       nullptr,
       padded},
      // Without the bug it is read too, and dropped: that is no finding.
      {"padding of an output that comes into a result",
       wrong,
       in_array("out"),
       head +
           "  if (i % 8 < 2) out[i] = in[i];\n"
           "  if (i % 8 >= 2 && i % 8 < 5) out[i] = in[i] + (BUG || out[i + 3] == 1 ? out[i + 3] : 0);\n}\n",
       all_scenes(),
       nullptr,
       "float",
       {},
       nullptr,
       padded},
  });
}

TEST(PlantedResult, ReadsOfPaddingThatNobodyMayRead) {
  expect_reported({
      {"padding of an output is read",
       always(FindingKind::uninitialised_read),
       in_array("out"),
       head + "  if (i % 8 < 2) out[i] = in[i];\n"
              "  if (i % 8 >= 2 && i % 8 < 5) out[i] = in[i] + (BUG ? out[i + 3] : 0);  //!\n}\n",
       all_scenes(),
       nullptr,
       "float",
       {},
       nullptr,
       [](LaunchPlan& plan, ReferenceData& expected) {
         padded(plan, expected);
         for (BufferSpec& buffer : plan.buffers) buffer.readable_padding = false;
       }},
  });
}

TEST(PlantedResult, WritesToInputs) {
  const auto writes = always(FindingKind::write_to_input);
  expect_reported({
      {"an input is written", writes,
       [](const Scene&) {
         return Where{"in", 16, 0, 4};
       },
       head + "  if (BUG && i == 4) const_cast<float*>(in)[i] = 1;  //!\n  out[i] = in[i];\n}\n",
       all_scenes(), same},
      {"an input is written with what it holds", writes,
       [](const Scene&) {
         return Where{"in", 0, 0, 0};
       },
       head + "  if (BUG) *const_cast<volatile float*>(in + i) = in[i];  //!\n  out[i] = in[i];\n}\n",
       all_scenes(), same},
      {"an input's padding is written",
       writes,
       [](const Scene&) {
         return Where{"in", (2 + 5) * 4, 0, 5};
       },
       head + "  if (BUG && i % 8 == 5) const_cast<float*>(in)[i] = 0;  //!\n"
              "  if (i % 8 < 5) out[i] = in[i];\n  else out[i] = 0;  // an output's may be\n}\n",
       all_scenes(),
       nullptr,
       "float",
       {},
       nullptr,
       padded},
      {"an input is counted in", writes,
       [](const Scene&) {
         return Where{"in", 0, 0, 0};
       },
       head + "  out[i] = in[i];\n  if (BUG) atomicAdd(const_cast<float*>(in), 1.0f);  //!\n}\n",
       all_scenes(), same},
  });
}

TEST(PlantedResult, FailuresThatAreAsked) {
  const auto failed = always(FindingKind::failed);
  const auto fifth = [](const Scene&) { return Where{"", any, 0, 5}; };
  expect_reported({
      {"a failed assertion", failed, fifth,
       "#include <cassert>\n" + head + "  assert(!BUG || t < 5);  //!\n  out[i] = in[i];\n}\n", all_scenes(),
       same},
      {"__trap", failed, fifth, head + "  if (BUG && t == 5) __trap();  //!\n  out[i] = in[i];\n}\n",
       all_scenes(), same},
  });
}

TEST(PlantedResult, BadPointersAndStacks) {
  const auto outside = always(FindingKind::out_of_bounds);
  const auto nowhere = [](const Scene&) { return Where{"", any, 0, 3}; };
  expect_reported({
      {"null pointer read", outside, nowhere,
       head + "  const float* from = BUG && t == 3 ? nullptr : in + i;\n  out[i] = *from;  //!\n}\n",
       all_scenes(), same},
      {"null pointer written", outside, nowhere,
       head + "  float* to = BUG && t == 3 ? nullptr : out + i;\n  *to = in[i];  //!\n}\n", all_scenes(),
       same},
      {"a pointer from a number", outside, nowhere,
       head + "  volatile float* to = out + i;\n"
              "  if (BUG && t == 3) to = reinterpret_cast<volatile float*>(0xdeadbeef0ull);\n"
              "  *to = in[i];  //!\n}\n",
       all_scenes(), same},
      {"an index that was never set", outside, nowhere,
       head + "  __shared__ int where[1024];\n  where[t] = t == 3 && BUG ? 0x7f7f7f7f : i;\n"
              "  out[where[t]] = in[i];  //!\n}\n",
       all_scenes(), same},
      {"endless recursion", always(FindingKind::crash), nowhere,
       "__device__ __noinline__ float deeper(const float* in, int depth) {\n"
       "  volatile float here[64];\n  here[depth % 64] = in[0];\n"
       "  return depth == 0 ? here[0] : deeper(in, depth - 1) + here[depth % 64];\n}\n" +
           head + "  out[i] = BUG && t == 3 ? deeper(in, 1 << 20) : in[i] + 0 * deeper(in, 3);\n}\n",
       scenes_of_whole_warps(), same},
  });
}

/// A plan of 64 threads that does `body` and else what is right.
CheckJob job_of(const std::string& body) {
  const Planted planted{
      "", always(FindingKind::crash), in_array(""), head + body + "  out[i] = in[i];\n}\n", {}, same};
  return {{case_of(planted, {{64}, {1}}, true)}, {}};
}

// What harms a worker costs the configuration that does it, and no other one.
TEST(PlantedResult, AFaultCostsOneConfigurationOnly) {
  const std::map<std::size_t, std::pair<std::string, FindingKind>> bad = {
      {1, {"  if (t == 9) *reinterpret_cast<volatile int*>(16ull) = 1;\n", FindingKind::out_of_bounds}},
      {3, {"  volatile int zero = 0;\n  if (t == 9) out[t] = 5 / zero;\n", FindingKind::crash}},
      {5,
       {"  for (unsigned step = t; step % 64 == 9; step += 64) __asm__ volatile(\"\");\n",
        FindingKind::hang}},
      {6, {"  if (t == 9) __builtin_trap();\n", FindingKind::crash}},
      {8, {"  if (t == 9) out[0] = nonsense;\n", FindingKind::compile}},
      {9, {"  if (t == 9) __syncthreads();\n  __syncthreads();\n", FindingKind::divergent_barrier}},
  };
  for (const Flavour flavour : {Flavour::plain, Flavour::sanitize}) {
    std::vector<CheckVerdict> verdicts(11);
    CheckOptions options;
    options.flavour = flavour;
    options.seconds = 2;
    options.batch = 6;
    std::size_t seen = 0;
    check(
        verdicts.size(),
        [&](std::size_t number) { return job_of(bad.contains(number) ? bad.at(number).first : ""); }, options,
        [&](std::size_t number, CheckVerdict verdict) {
          verdicts[number] = std::move(verdict);
          ++seen;
          return true;
        });
    EXPECT_EQ(seen, verdicts.size());
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      const std::vector<Finding>& findings = verdicts[i].findings;
      if (!bad.contains(i)) {
        EXPECT_TRUE(verdicts[i].clean()) << i << ": " << (findings.empty() ? "" : findings[0].text());
      } else if (findings.empty()) {
        ADD_FAILURE() << i << " is missed " << verdicts[i].not_emulated;
      } else {
        EXPECT_EQ(findings[0].kind, bad.at(i).second) << i << ": " << findings[0].text();
      }
    }
  }
}

}  // namespace
}  // namespace tune::emulator::testing::result_bugs
