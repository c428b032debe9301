// SPDX-License-Identifier: Apache-2.0
#include "cli/input/dumped_sources.hpp"

#include <algorithm>

#include "cli/output/output_file.hpp"
#include "cli/output/text_layout.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/base/content_hash.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

namespace fs = std::filesystem;

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder))
    throw Error(format("cannot make the folder {} for --keep-sources ({}): name another one", folder.string(),
                       error ? error.message() : "another file has this name"));
}

std::string with_macros(const CompileRequest& request) {
  std::string text;
  for (const auto& [name, value] : request.defines) text += format("#define {} {}\n", name, value);
  return text + (text.empty() ? "" : "\n") + request.source.text;
}

std::string extents_of(const Dim3& extents) {
  return format("{} x {} x {}", extents.x, extents.y, extents.z);
}

std::string line_of(const Launch& launch) {
  return format("{}: grid {}, block {}, {} bytes of dynamic shared memory{}\n", launch.entry,
                extents_of(launch.grid), extents_of(launch.block), launch.dynamic_shared_memory,
                launch.cooperative ? ", cooperative" : "");
}

std::string line_of(const FourierTransform& transform) {
  return step_name(transform) + "\n";
}

std::string line_of(const Copy& copy) {
  return format("{}: {} x {} elements\n", step_name(copy), copy.width, copy.rows);
}

std::string line_of(const Zero& zero) {
  return step_name(zero) + "\n";
}

std::string line_of(const HostStep& step) {
  return step_name(step) + "\n";
}

/// Empty for a step that runs in order.
std::string order_text(const StepOrder& order) {
  std::string text = order.stream > 0 ? format(", stream {}", order.stream) : "";
  for (const std::size_t earlier : order.after)
    text += format("{} {}", earlier == order.after.front() ? ", after step" : ",", earlier);
  return text + (order.device > 0 ? format(", device {}", order.device) : "");
}

/// The first steps only: plans of many time steps repeat themselves.
std::string lines_of(const std::vector<PlanStep>& steps) {
  constexpr std::size_t max = 16;
  std::string text;
  for (std::size_t i = 0; i < std::min(steps.size(), max); ++i) {
    text += "  " + std::visit([](const auto& step) { return line_of(step); }, steps[i]);
    text.insert(text.size() - 1, order_text(order_of(steps[i])));
  }
  if (steps.size() > max) text += format("  ... {} more\n", steps.size() - max);
  return text;
}

std::string about(const Instance& instance, const Configuration& configuration, const LaunchPlan& plan,
                  const std::string& file) {
  std::string text = format("{}\n{}\n\n", instance.key(), configuration.key());
  std::string command = "nvcc -cubin -I.";
  if (const std::string standard = cuda::default_standard(plan.compile.options); !standard.empty())
    command += " " + standard;
  for (const std::string& option : plan.compile.options) command += " " + shell_quoted(option);
  text += format("Compiled (add -arch=sm_NN{}):\n  {} {}\n", plan.compile.architecture_specific ? "a" : "",
                 command, shell_quoted(file));
  if (!plan.setup.empty()) text += "\nOnce, not timed:\n" + lines_of(plan.setup);
  return text + "\nTimed:\n" + lines_of(plan.launches);
}

}  // namespace

DumpedSources::DumpedSources(fs::path folder, const Problem& problem, const Instance& instance,
                             const KernelSources& sources)
    : folder_(std::move(folder)), problem_(problem), instance_(instance), sources_(sources) {
  make_folder(folder_);
}

std::string DumpedSources::folder_of(const Configuration& configuration) {
  const search::Value* variant = configuration.find("variant");
  const std::string hash = content_hash(configuration.key()).substr(0, 12);
  return variant != nullptr && variant->is_text() ? variant->as_text() + "-" + hash : hash;
}

fs::path DumpedSources::keep(const Configuration& configuration) const {
  const Result<LaunchPlan> plan = problem_.plan(instance_, configuration, sources_);
  if (!plan) return {};
  const fs::path folder = folder_ / folder_of(configuration);
  const std::string file = fs::path(plan->compile.source.name).filename().string();
  make_folder(folder);
  write_whole_file(folder / file, with_macros(plan->compile));
  for (const SourceFile& header : plan->compile.headers) {
    const fs::path name = fs::path(header.name).relative_path().lexically_normal();
    // Nothing is written outside: the kernel's own headers may lie there.
    if (!name.empty() && *name.begin() == "..")
      throw Error(
          format("--keep-sources: '{}' lies outside of the kernel's folder: name its folder in 'include' "
                 "and include it by its name",
                 header.name));
    const fs::path target = folder / name;
    make_folder(target.parent_path());
    write_whole_file(target, header.text);
  }
  write_whole_file(folder / "README.txt", about(instance_, configuration, *plan, file));
  return folder / file;
}

void add_keep_sources_option(OptionTable& table, std::string_view whose, std::string& folder) {
  table.text(
      "keep-sources", "DIR",
      format("write the sources of {} to a folder below DIR: kernel, headers, compiler command, launches",
             whose),
      folder);
}

std::unique_ptr<DumpedSources> chosen_dumped_sources(const std::string& folder, const Problem& problem,
                                                     const Instance& instance, const KernelSources& sources) {
  if (folder.empty()) return nullptr;
  return std::make_unique<DumpedSources>(folder, problem, instance, sources);
}

}  // namespace tune::cli
