// SPDX-License-Identifier: Apache-2.0
// Copies through tensor maps and mbarriers in the emulator: what arrives, and what is found.
#include <gtest/gtest.h>

#include <memory>

#include "kernels/framework/kernel_files.hpp"
#include "tests/support/tensor_map_sample.hpp"
#include "tests/tuner/backends/emulator/kernel_check.hpp"
#include "tuner/plan/tensor_map_shape.hpp"

namespace tune::emulator {
namespace {

using testing::KernelCheck;
using tune::testing::all_tensor_map_samples;
using tune::testing::TensorMapSample;

std::string header() {
  return kernels::EmbeddedSources().text("common/tensor_copy.cuh");
}

/// With its outputs compared as bits, but for what the type reads out of them.
CheckJob job_of(const TensorMapSample& sample) {
  ReferenceData expected;
  expected.inputs = sample.inputs;
  const BufferSpec& out = sample.plan.buffer("out");
  const std::vector<std::byte> bytes = sample.expected();
  expected.reference.emplace("out", in_double({out.type, out.layout.extents, bytes}));
  CheckJob job;
  job.cases.push_back(
      {sample.text(), sample.plan, std::make_shared<const ReferenceData>(std::move(expected))});
  return job;
}

TEST(TensorMaps, BoxesArriveWithZerosOutside) {
  const std::vector<TensorMapSample> samples = all_tensor_map_samples(header());
  for (const Flavour flavour : {Flavour::sanitize, Flavour::plain}) {
    CheckOptions options;
    options.flavour = flavour;
    std::size_t seen = 0;
    check(
        samples.size(), [&](std::size_t i) { return job_of(samples[i]); }, options,
        [&](std::size_t i, const CheckVerdict& verdict) {
          ++seen;
          EXPECT_EQ(verdict.not_emulated, "") << samples[i].text();
          for (const Finding& finding : verdict.findings) ADD_FAILURE() << finding.text();
          return true;
        });
    EXPECT_EQ(seen, samples.size());
  }
}

/// Planes of 64 elements of `in` go through `stages` places in shared memory, one at a time; every thread
/// adds up what it and its neighbour see.
const std::string march = R"(
#include "tensor_copy.cuh"
constexpr int stages = 2, planes = 6;
extern "C" __global__ void k(const __grid_constant__ TensorMap map, float* out, int n) {
  __shared__ __align__(128) float box[stages][64];
  __shared__ AsyncBarrier full[stages], empty[stages];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int s = 0; s < stages; ++s) {
      init_barrier(full[s], 1);
      init_barrier(empty[s], 2);
    }
    fence_barriers();
  }
  __syncthreads();
  if (t == 0) {
    for (int s = 0; s < stages; ++s) {
      arrive_expecting(full[s], 256);
      copy_box(box[s], map, full[s], 0, s);
    }
  }
  float sum = 0;
  for (int p = 0; p < planes; ++p) {
    const int s = p % stages;
    const unsigned parity = p / stages % 2;
    wait_barrier(full[s], parity);
    sum += box[s][t] + box[s][(t + 33) % 64];
    __syncwarp();
    if (t % 32 == 0) arrive(empty[s]);
    if (t == 0 && p + stages < planes) {
      wait_barrier(empty[s], parity);
      arrive_expecting(full[s], 256);
      copy_box(box[s], map, full[s], 0, p + stages);
    }
  }
  out[t] = sum;
}
)";

/// With `from` replaced by `to`.
KernelCheck march_without(const std::string& from = "", const std::string& to = "") {
  std::string source = march;
  if (!from.empty()) {
    const std::size_t at = source.find(from);
    if (at == std::string::npos) throw std::logic_error("the kernel has no " + from);
    source.replace(at, from.size(), to);
  }
  KernelCheck check(source, 64, 1, 64);
  check.plan.compile.headers = {{"tensor_copy.cuh", header()}};
  check.plan.buffers[0].layout = Layout::dense({64, 6});
  HostTensor in(ElementType::f32, {64, 6});
  std::vector<double> sums(64, 0.0);
  for (std::size_t i = 0; i < 384; ++i) in.as<float>()[i] = static_cast<float>(i * i % 101);
  for (std::size_t t = 0; t < 64; ++t)
    for (std::size_t p = 0; p < 6; ++p)
      sums[t] += static_cast<double>(in.as<float>()[64 * p + t] + in.as<float>()[64 * p + (t + 33) % 64]);
  check.expected.inputs.insert_or_assign("in", std::move(in));
  check.expecting(sums);
  check.launch().arguments[0] = TensorMapArgument{"in", map_of(check.plan.buffers[0], {64, 1})};
  return check;
}

TEST(TensorMaps, AMarchIsClean) {
  EXPECT_EQ(march_without().report(), "");
  EXPECT_EQ(march_without().flavour(Flavour::plain).report(), "");
}

/// The kinds of the findings of a check, as shown, each once.
std::string kinds_text(const KernelCheck& check) {
  const CheckVerdict verdict = check.verdict();
  std::string kinds = verdict.not_emulated;
  for (const Finding& finding : verdict.findings) {
    const std::string kind(to_string(finding.kind));
    if (kinds.find(kind) == std::string::npos) kinds += kind + "; ";
  }
  return kinds;
}

TEST(TensorMaps, WhatIsMissingIsFound) {
  const struct {
    const char *from, *to, *kind;
  } faults[] = {
      {"wait_barrier(full[s], parity);", "", "unfinished copy"},
      {"wait_barrier(empty[s], parity);", "", "race within a block"},
      {"if (t % 32 == 0) arrive(empty[s]);", "", "deadlock"},
      {"if (t % 32 == 0) arrive(empty[s]);", "if (t == 0) arrive(empty[s]);", "deadlock"},
      {"__syncwarp();", "", "race within a block"},
      {"fence_barriers();", "", "misused mbarrier"},
      {"__syncthreads();", "", "race within a"},
      {"init_barrier(empty[s], 2);", "", "uninitialised read"},
      {"init_barrier(empty[s], 2);", "init_barrier(empty[s], 1);", "race within a block"},
      {"init_barrier(empty[s], 2);", "init_barrier(empty[s], 3);", "deadlock"},
      {"if (t % 32 == 0) arrive(empty[s]);", "arrive(empty[s]);", "deadlock"},
      {"arrive_expecting(full[s], 256);", "arrive_expecting(full[s], 252);", "deadlock"},
      {"arrive_expecting(full[s], 256);", "arrive(full[s]);", "deadlock"},
      {"copy_box(box[s], map, full[s], 0, s);", "copy_box(box[s], map, full[s], 4, s);", "wrong result"},
      {"copy_box(box[s], map, full[s], 0, s);", "copy_box(box[s], map, full[s], 1, s);", "misaligned"},
      {"copy_box(box[s], map, full[s], 0, s);", "copy_box(box[s], map, full[s], 0, s + 1);", "wrong result"},
      {"copy_box(box[s], map, full[s], 0, s);", "copy_box(box[s] + 4, map, full[s], 0, s);", "misaligned"},
      {"copy_box(box[s], map, full[s], 0, s);", "copy_box(box[s], map, full[s], 0, s, 0);", "failed"},
      {"p + stages < planes", "p + stages <= planes", "unfinished copy"},
      {"parity = p / stages % 2", "parity = 0", "unfinished copy"},
      {"box[stages][64]", "box[1][64]", "out of bounds"},
  };
  for (const auto& fault : faults) {
    const std::string kinds = kinds_text(march_without(fault.from, fault.to));
    EXPECT_NE(kinds.find(fault.kind), std::string::npos) << fault.from << " -> " << fault.to << ": " << kinds;
  }
}

// Copies arrive as late as allowed: who waits too late computes with what was there.
TEST(TensorMaps, WithoutCheckingAMissingWaitIsAWrongResult) {
  const std::string read = "sum += box[s][t] + box[s][(t + 33) % 64];",
                    wait = "wait_barrier(full[s], parity);";
  const std::string kinds =
      kinds_text(march_without(wait + "\n    " + read, read + wait).flavour(Flavour::plain));
  EXPECT_NE(kinds.find("wrong result"), std::string::npos) << kinds;
}

TEST(TensorMaps, ADeadlockSaysWhere) {
  const std::string text = march_without("if (t % 32 == 0) arrive(empty[s]);", "").report();
  EXPECT_NE(text.find("k.cu:"), std::string::npos) << text;
}

TEST(TensorMaps, WhatNoDeviceTakesIsNotEmulated) {
  KernelCheck check = march_without();
  std::get<TensorMapArgument>(check.launch().arguments[0]).map.box[0] = 63;
  EXPECT_NE(check.report().find("make them a multiple of 16"), std::string::npos) << check.report();
}

}  // namespace
}  // namespace tune::emulator
