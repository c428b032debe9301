// SPDX-License-Identifier: Apache-2.0
#include "tests/tuner/backends/emulator/bugs/planted.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>

#include "tests/support/sampled.hpp"
#include "tuner/base/format.hpp"

namespace tune::emulator::testing {
namespace {

/// What all planted kernels use.
constexpr const char* bug_header = R"(#pragma once
__device__ __forceinline__ int rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ __forceinline__ int size() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ __forceinline__ int index() { return blockIdx.x * size() + rank(); }
)";

struct TypeInfo {
  ElementType element;
  std::uint64_t per_item;  ///< elements
};

TypeInfo type_info(const std::string& type) {
  static const std::map<std::string, TypeInfo> known = {
      {"unsigned char", {ElementType::u8, 1}}, {"short", {ElementType::u8, 2}},
      {"__half", {ElementType::u8, 2}},        {"float", {ElementType::f32, 1}},
      {"int", {ElementType::i32, 1}},          {"double", {ElementType::f64, 1}},
      {"float2", {ElementType::f32, 2}},       {"float4", {ElementType::f32, 4}}};
  return known.at(type);
}

HostTensor counting(ElementType type, std::uint64_t elements) {
  HostTensor tensor(type, {elements});
  const auto count = [](auto values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<typename decltype(values)::value_type>(i + 1);
  };
  if (type == ElementType::f32) count(tensor.as<float>());
  if (type == ElementType::f64) count(tensor.as<double>());
  if (type == ElementType::u8) count(tensor.as<std::uint8_t>());
  if (type == ElementType::i32) count(tensor.as<std::int32_t>());
  return tensor;
}

std::set<std::string> marked_lines(const std::string& source) {
  std::set<std::string> lines;
  std::istringstream text(source);
  std::string line;
  for (int number = 1; std::getline(text, line); ++number)
    if (line.ends_with("//!")) lines.insert(format("k.cu:{}", number));
  return lines;
}

int number_of(const Index3& index, const Dim3& extent) {
  return static_cast<int>(index.x + extent.x * (index.y + extent.y * index.z));
}

/// What does not fit; empty where all does.
std::string mismatch(const Planted& planted, const Scene& scene, const Finding& finding) {
  std::string text;
  const Where where = planted.where(scene);
  if (finding.kind != planted.kind(scene)) text += format(" kind not '{}'", to_string(planted.kind(scene)));
  if (!where.array.empty() && finding.array != where.array) text += format(" array not '{}'", where.array);
  if (where.offset != any && finding.offset != where.offset)
    text += format(" offset {}, not {}", finding.offset, where.offset);
  const int block = number_of(finding.block, scene.grid), thread = number_of(finding.thread, scene.block);
  if (where.block != any && (!finding.has_thread || block != where.block))
    text += format(" block not {}", where.block);
  if (where.thread != any && (!finding.has_thread || thread != where.thread))
    text += format(" thread not {}", where.thread);
  if (where.threads && (!finding.has_thread || !where.threads(thread))) text += " another thread";
  const std::set<std::string> lines = marked_lines(planted.source);
  const std::string line = finding.source.substr(0, finding.source.find(' '));
  if (!lines.empty() && !lines.contains(line)) text += format(" line not {}", *lines.begin());
  if (finding.kind != FindingKind::compile && finding.kernel != "k") text += " kernel not k";
  return text;
}

std::string all_text(const CheckVerdict& verdict) {
  std::string text = verdict.not_emulated;
  for (const Finding& finding : verdict.findings) text += "\n    " + finding.text();
  return text;
}

/// A job of the suite: a planted bug in one scene, or a corrected twin in all.
struct Planned {
  const Planted* planted;
  const Scene* scene;  ///< null: the twin
};

CheckJob job_of(const Planned& planned) {
  CheckJob job;
  if (planned.scene != nullptr) {
    job.cases.push_back(case_of(*planned.planted, *planned.scene, true));
  } else {
    for (const Scene& scene : planned.planted->scenes)
      job.cases.push_back(case_of(*planned.planted, scene, false));
  }
  return job;
}

void judge(const Planned& planned, const CheckVerdict& verdict) {
  const std::string& name = planned.planted->name;
  if (planned.scene == nullptr) {
    EXPECT_TRUE(verdict.clean()) << name << ": a false alarm:" << all_text(verdict);
    return;
  }
  const Scene& scene = *planned.scene;
  if (verdict.findings.empty()) {
    ADD_FAILURE() << name << " (" << scene.text() << ") is missed " << verdict.not_emulated;
    return;
  }
  const std::string wrong = mismatch(*planned.planted, scene, verdict.findings.front());
  EXPECT_EQ(wrong, "") << name << " (" << scene.text() << "):" << all_text(verdict);
  if (planned.scene == &planned.planted->scenes.front())
    std::printf("%-36s -> %s\n", name.c_str(), verdict.findings.front().text().c_str());
}

void run(const std::vector<Planned>& planned) {
  CheckOptions options;
  options.batch = 48;
  options.workers = 1;  // other tests use the other cores, and each worker compiles a batch
  std::size_t seen = 0;
  check(
      planned.size(), [&](std::size_t number) { return job_of(planned[number]); }, options,
      [&](std::size_t number, const CheckVerdict& verdict) {
        judge(planned[number], verdict);
        ++seen;
        return true;
      });
  EXPECT_EQ(seen, planned.size());
}

}  // namespace

std::string Scene::text() const {
  return format("{} blocks of {} x {}", blocks(), block.x, block.y);
}

std::vector<Scene> all_scenes() {
  std::vector<Scene> scenes;
  for (const Dim3 block : {Dim3{32}, Dim3{33}, Dim3{64}, Dim3{96}, Dim3{256}, Dim3{1024}, Dim3{8, 4},
                           Dim3{11, 3}, Dim3{16, 16}, Dim3{32, 3}})
    scenes.push_back({block, {2, 1, 1}});
  return scenes;
}

std::vector<Scene> scenes_where(const std::function<bool(const Scene&)>& fits) {
  std::vector<Scene> scenes = all_scenes();
  std::erase_if(scenes, [&](const Scene& scene) { return !fits(scene); });
  return scenes;
}

std::vector<Scene> scenes_of_several_warps() {
  return scenes_where([](const Scene& scene) { return scene.threads() > 32; });
}

std::vector<Scene> scenes_of_whole_warps() {
  return scenes_where([](const Scene& scene) { return scene.threads() % 32 == 0 && scene.block.y == 1; });
}

std::function<FindingKind(const Scene&)> always(FindingKind kind) {
  return [kind](const Scene&) { return kind; };
}

FindingKind race_here(const Scene& scene) {
  return scene.threads() > 32 ? FindingKind::race_in_block : FindingKind::race_in_warp;
}

std::function<Where(const Scene&)> in_array(std::string name) {
  return [name = std::move(name)](const Scene&) {
    Where where;
    where.array = name;
    return where;
  };
}

Case case_of(const Planted& planted, const Scene& scene, bool bug) {
  Case made;
  made.size = scene.text();
  LaunchPlan& plan = made.plan;
  plan.compile.source = {"k.cu", planted.source};
  plan.compile.headers = {{"bug.cuh", bug_header}};
  plan.compile.defines = {{"Item", planted.type}, {"BUG", bug ? "1" : "0"}};
  if (planted.source.find("BLOCK") != std::string::npos)
    plan.compile.defines.emplace_back("BLOCK", std::to_string(scene.threads()));
  plan.compile.entries = {"k"};
  ReferenceData expected;
  Launch launch;
  launch.entry = "k";
  launch.grid = scene.grid;
  launch.block = scene.block;
  if (planted.shared) launch.dynamic_shared_memory = planted.shared(scene);
  const auto add = [&](const std::string& name, ElementType type, std::uint64_t count, BufferRole role) {
    plan.buffers.push_back({name, type, Layout::dense({count}), role});
    launch.arguments.emplace_back(BufferArgument{name});
    if (role == BufferRole::input) expected.inputs.emplace(name, counting(type, count));
  };
  const TypeInfo type = type_info(planted.type);
  const std::uint64_t count = static_cast<std::uint64_t>(scene.all()) * type.per_item;
  add("in", type.element, count, BufferRole::input);
  add("out", type.element, count, BufferRole::output);
  for (const Extra& extra : planted.extra)
    add(extra.name, extra.type, static_cast<std::uint64_t>(extra.elements(scene)), extra.role);
  launch.arguments.emplace_back(ScalarArgument{static_cast<std::int32_t>(scene.all())});
  plan.launches = {launch};
  if (planted.result) {
    HostTensor reference(ElementType::f64, {count});
    for (std::size_t i = 0; i < count; ++i)
      reference.as<double>()[i] = planted.result(scene, static_cast<int>(i));
    expected.reference.emplace("out", std::move(reference));
    expected.tolerance.absolute = 1e-3;
  }
  if (planted.change) planted.change(plan, expected);
  made.expected = std::make_shared<ReferenceData>(std::move(expected));
  return made;
}

void expect_reported(const std::vector<Planted>& all) {
  constexpr std::size_t share = 3;  // of the kernels, and of the scenes of each, in turns
  const std::vector<Planted> some = tune::testing::sampled(
      all, [](const Planted&) { return 0; }, share);
  std::vector<Planned> planned;
  for (std::size_t i = 0; i < some.size(); ++i) {
    const std::vector<Scene>& scenes = some[i].scenes;
    planned.push_back({&some[i], nullptr});
    for (std::size_t k = 0; k < scenes.size(); ++k)
      if (tune::testing::runs_all_cases() || k % share == i % std::min(share, scenes.size()))
        planned.push_back({&some[i], &scenes[k]});
  }
  run(planned);
}

void expect_clean(const std::vector<Planted>& all) {
  std::vector<Planned> planned;
  for (const Planted& planted : all) planned.push_back({&planted, nullptr});
  run(planned);
}

}  // namespace tune::emulator::testing
