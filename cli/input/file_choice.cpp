// SPDX-License-Identifier: Apache-2.0
#include "cli/input/file_choice.hpp"

#include <unistd.h>

#include "cli/input/options.hpp"
#include "cli/output/output_file.hpp"
#include "kernels/registry.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/evaluation/verification.hpp"

namespace tune::cli {
namespace {

/// Before minutes are spent on what could not be written.
void require_writable(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (std::filesystem::is_directory(file, error))
    throw UsageError(format("--output: {} is a folder", file.string()));
  if (!std::filesystem::is_directory(folder, error))
    throw UsageError(format("--output: there is no folder {}", folder.string()));
  if (::access(folder.c_str(), W_OK) != 0)
    throw UsageError(format("--output: the folder {} cannot be written to", folder.string()));
}

}  // namespace

void add_file_options(po::options_description& options) {
  options.add_options()  //
      ("input", po::value<std::string>()->value_name("FILE"),
       "inputs and size come from this file, of a problem that has files ('tune data generate' makes one)")  //
      ("output", po::value<std::string>()->value_name("FILE"),
       "with --input: the winner's result is written to it ('tune data check' looks at it)");
}

const ProblemFiles& files_of(const Problem& problem) {
  const ProblemFiles* const files = find_files(problem);
  if (files != nullptr) return *files;
  std::string others;
  for (const kernels::ProblemEntry& entry : kernels::problems()) {
    const std::unique_ptr<Problem> other = entry.make();
    if (find_files(*other) != nullptr) others += (others.empty() ? "" : ", ") + other->info().name;
  }
  throw UsageError(format("{} takes no files; these problems do: {}", problem.info().name, others));
}

FileChoice chosen_files(const po::variables_map& values, ProblemSelection& selection) {
  FileChoice files{option_text(values, "input"), option_text(values, "output")};
  if (files.input.empty() && !files.output.empty())
    throw UsageError("--output is the result of --input FILE: give both");
  if (files.input.empty()) return files;
  if (!selection.problem)
    throw UsageError("--input needs a problem and a GPU, not another tuner's recording");
  if (values.count("size") > 0)
    throw UsageError(format("--size: {} has its own; leave it out", files.input.string()));
  selection.instance.extents = files_of(*selection.problem).extents(files.input, selection.instance);
  if (files.output.empty()) return files;
  require_writable(files.output);
  const NamedFile output{"output", files.output.string()};
  check_outputs({&output, 1}, {files.input.string()});
  return files;
}

void take_inputs(const FileChoice& files, ProblemSelection& selection) {
  TensorSet inputs = files_of(*selection.problem).read_inputs(files.input, selection.instance);
  selection.problem = with_inputs(std::move(selection.problem), selection.instance, std::move(inputs));
}

void write_result(const FileChoice& files, const ProblemSelection& selection,
                  const Configuration& configuration, Backend& backend, const KernelSources& sources) {
  ReferenceCache reference_cache(*selection.problem);
  const auto reference_data = reference_cache.at(selection.instance, check_seeds[0]);
  const Result<LaunchPlan> plan = selection.problem->plan(selection.instance, configuration, sources);
  const auto need = [&](const auto& result) {
    if (!result)
      throw Error(format("{} is not written: the winner, run once more: {}: {}", files.output.string(),
                         result.error().reason, result.error().detail));
  };
  need(plan);
  need(run_outputs(*plan, *reference_data, backend).and_then([&](const TensorSet& outputs) -> Result<void> {
    files_of(*selection.problem).write_outputs(files.output, selection.instance, outputs);
    return {};
  }));
}

}  // namespace tune::cli
