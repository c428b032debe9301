// SPDX-License-Identifier: Apache-2.0
#include "cli/input/problem_selection.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <sstream>
#include <stdexcept>

#include "cli/output/output_file.hpp"
#include "cli/output/printable_output.hpp"
#include "cli/output/progress.hpp"
#include "cli/output/text_layout.hpp"
#include "kernels/described/problem.hpp"
#include "kernels/described/readers/definition.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "search/expressions/nearest.hpp"
#include "search/space/space_definition.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/evaluation/reference_data.hpp"
#include "tuner/evaluation/verification.hpp"
#include "tuner/problem/problem.hpp"
#include "tuner/problem/problem_reference.hpp"

namespace tune::cli {
namespace {

/// Names all settings of all problems.
std::string settings_help() {
  std::set<std::string> names;
  for (const kernels::ProblemEntry& entry : kernels::problems()) {
    const auto problem = entry.make();
    for (const SettingInfo& setting : problem->info().settings) names.insert(setting.name);
  }
  return "settings of the problem: " + joined(names);
}

/// True when --problem names the file of a definition.
bool is_file(const std::string& name) {
  return name.ends_with(".json") || name.ends_with(".jsonc") || name.find('/') != std::string::npos;
}

/// The problem of --stencil.
ProblemSelection problem_of_stencil(const ProblemOptions& options) {
  kernels::ProblemOfFile made = kernels::make_problem_of_stencil(options.stencil, options.problem);
  ProblemSelection selection{std::move(made.problem), {}, std::move(made.fixed)};
  selection.instance = make_instance(selection.problem->info(), options.size, options.settings);
  const auto& [name, value] = made.setting;
  const auto other = std::ranges::find(options.settings, name, &Assignments::value_type::first);
  if (other != options.settings.end() && selection.instance.setting(name) != value)
    throw UsageError(format("--set: {}={} contradicts --stencil, which fixes the {}: leave one of them out",
                            name, other->second.to_string(), name));
  return selection;
}

/// Replaces what the definition says. Results that were compared with something else are other results.
void take_reference(const std::string& text, described::KernelDescription& description) {
  described::ReferenceDescription& reference = description.reference;
  description.sources.push_back({"--reference", text});
  if (text == "none") {
    reference.is_none = true;
    description.notes.push_back("results are not compared: a wrong kernel can win");
    return;
  }
  constexpr std::string_view same = "same:";
  if (!text.starts_with(same))
    throw UsageError(format("--reference: expected none or same:NAME, found '{}'", text));
  std::vector<std::string> known;
  for (const search::Parameter& parameter : description.parameters) known.push_back(parameter.name);
  std::istringstream names(text.substr(same.size()));
  for (std::string name; std::getline(names, name, ',');) {
    if (std::ranges::find(known, name) == known.end())
      throw UsageError(
          format("--reference: there is no parameter '{}'{}", name, search::did_you_mean(name, known)));
    reference.same.push_back(name);
  }
}

}  // namespace

void ProblemOptions::add_to(OptionTable& table, bool lists) {
  table.text("problem", "P",
             "the problem: a name ('tune list problems' lists them), or the file of your own definition",
             problem);
  table.text("size", "NXxNYxNZ",
             std::string("extents of the problem") +
                 (lists ? ", or several with commas: a run for each" : "") + "; default: the problem's own",
             size);
  table.text(
      "stencil", "FILE",
      "for stencil2d and stencil3d: a file with your own stencil, an equation or coefficients (docs/reference/stencils.md)",
      stencil);
  table.assignments(
      "set",
      (lists ? "settings, such as type=float; radius=1,2,4 makes a run for each; " : "") + settings_help(),
      settings, lists);
}

void ProblemOptions::add_reference_to(OptionTable& table) {
  table.text(
      "reference", "R",
      "for your own kernel: 'none' compares nothing, 'same:NAME,...' compares with a reference that has the "
      "same values of these parameters; default: as in the definition",
      reference);
}

std::string work_options(const ProblemOptions& options, CacheState cache, const Objective& objective) {
  std::vector<std::string> words;
  const auto add = [&words](const char* name, const std::string& value) {
    if (!value.empty()) words.push_back(format("--{} {}", name, shell_quoted(value)));
  };
  add("problem", options.problem);
  add("stencil", options.stencil);
  add("size", options.size);
  add("set",
      joined(
          options.settings, [](const auto& one) { return one.first + "=" + one.second.to_string(); }, ","));
  if (cache == CacheState::warm) add("cache", "warm");
  if (objective != Objective::time) add("objective", to_string(objective));
  return joined(words, {}, " ");
}

ProblemSelection selected_problem(const ProblemOptions& options) {
  const std::string& name = options.problem;
  if (!options.reference.empty() && !is_file(name))
    throw UsageError(
        "--reference is for your own definitions; built-in problems have their own reference: leave it out");
  if (!options.stencil.empty()) return problem_of_stencil(options);
  if (name.empty()) throw UsageError("name a problem with --problem; 'tune list problems' lists them");
  ProblemSelection selection;
  if (name.ends_with(".cu"))
    throw UsageError(
        format("{0} is the file of a kernel: 'tune new {0}' writes its definition; name that file", name));
  if (name.ends_with(".stencil"))
    throw UsageError(format("{0} is a stencil: name it with --stencil {0}", shell_quoted(name)));
  if (is_file(name)) {
    described::KernelDescription description = described::read_definition(name);
    if (!options.reference.empty()) take_reference(options.reference, description);
    auto defined = std::make_unique<described::DescribedProblem>(std::move(description));
    if (defined->description().extents.empty() && !options.size.empty() && options.size != "1")
      throw UsageError(format("--size: {} has no \"sizes\": leave it out", name));
    for (const std::string& note : defined->description().notes) say(format("{}: {}", name, note));
    selection.problem = std::move(defined);
  } else {
    try {
      selection.problem = kernels::make_problem(name);
    } catch (const UsageError& error) {
      throw UsageError(format("{} (for your own kernel, name the file of its definition)", error.what()));
    }
  }
  selection.instance = make_instance(selection.problem->info(), options.size, options.settings);
  return selection;
}

void SpaceChoice::add_to(OptionTable& table) {
  table.assignments("fix", "give parameters a fixed value in the variants that have them", pinned);
  table.text(
      "where", "EXPR",
      "keep only configurations that satisfy this expression, such as 'block_x * block_y <= 256 and variant == direct'; "
      "a comparison with a parameter that a variant lacks does not hold",
      where);
}

search::SpaceDefinition SpaceChoice::applied_to(search::SpaceDefinition definition) const {
  try {
    for (const auto& [name, value] : pinned) definition = search::pin(std::move(definition), name, value);
  } catch (const std::invalid_argument& error) {
    throw UsageError(format("--fix: {}", error.what()));
  }
  try {
    if (where.empty()) return definition;
    return search::restrict_to(std::move(definition), search::Expr::parse(where));
  } catch (const search::ExprError& error) {
    throw UsageError(format("--where: {}", error.what()));
  }
}

namespace {

/// Throws UsageError for an expression that cannot be computed: one of the problem, or that of --where.
[[noreturn]] void fail_for(const ProblemSelection& selection, const search::ExprError& error) {
  const auto* const own = dynamic_cast<const described::DescribedProblem*>(selection.problem.get());
  const auto* const constraint = dynamic_cast<const search::ConstraintError*>(&error);
  if (constraint == nullptr && own != nullptr) own->description().place.fail(error.what());
  if (constraint != nullptr && own != nullptr) {
    const described::KernelDescription& description = own->description();
    if (constraint->constraint() < description.constraint_places.size())
      description.constraint_places[constraint->constraint()].fail(error.what());
  }
  throw UsageError(format("--where: {}", error.what()));
}

}  // namespace

search::SearchSpace build_space(const ProblemSelection& selection, const DeviceProperties& device,
                                const SpaceChoice& choice) {
  try {
    const InterruptGuard guard;
    CountDisplay display;
    search::SearchSpace space = search::SearchSpace::counted_or_sampled(
        choice.applied_to(selection.problem->space(selection.instance, device)),
        [&](std::uint64_t steps) { return display.show(steps, search::default_max_steps); });
    if (!space.counted())
      say(format("the space of {} {}; {} configurations were drawn from it", selection.problem->info().name,
                 space.large_count().empty()
                     ? std::string("cannot be counted: its constraints tie too many parameters together")
                     : format("has {} valid configurations, more than can be numbered", space.large_count()),
                 space.size()));
    if (!space.empty()) return space;
  } catch (const search::Stopped&) {
    throw Error("interrupted while the configurations were counted", Exit::interrupted);
  } catch (const search::ExprError& error) {
    fail_for(selection, error);
  } catch (const std::length_error& error) {
    throw UsageError(
        format("the space of {}: {} (--fix NAME=VALUE)", selection.problem->info().name, error.what()));
  }
  if (choice.where.empty() && choice.pinned.empty())
    throw Error(
        format("{} {} has no valid configuration on {}: no values of the parameters satisfy all "
               "constraints there",
               selection.problem->info().name, selection.instance.key(), device.name));
  throw UsageError(
      format("--where and --fix leave no valid configuration of {} {}; 'tune space --problem {}' shows "
             "the parameters and constraints",
             selection.problem->info().name, selection.instance.key(), selection.problem->info().name));
}

void add_kernel_dir_option(OptionTable& table, std::string& folder) {
  table.text("kernel-dir", "DIR",
             "take kernel files from this folder (laid out like kernels/) instead of the embedded ones",
             folder);
}

std::string compared_with(const Problem& problem) {
  const auto* const own = dynamic_cast<const HasReference*>(&problem);
  return own != nullptr ? own->compared_with() : "a reference in double precision";
}

std::unique_ptr<KernelSources> chosen_sources(const Problem& problem, const std::string& kernel_folder) {
  const HasDescription* const described = find_description(&problem);
  if (described != nullptr && !kernel_folder.empty())
    throw UsageError("--kernel-dir: a definition names its own kernel files; leave the option out");
  std::unique_ptr<KernelSources> sources = std::make_unique<kernels::EmbeddedSources>();
  if (!kernel_folder.empty()) sources = std::make_unique<kernels::FolderSources>(kernel_folder);
  return described == nullptr ? std::move(sources) : described->sources(std::move(sources));
}

namespace {

/// Refuses early what could not be written after minutes of tuning.
void require_writable(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (std::filesystem::is_directory(file, error))
    throw UsageError(format("--out: {} is a folder: name a file", file.string()));
  if (!std::filesystem::is_directory(folder, error))
    throw UsageError(format("--out: there is no folder {}: make it first", folder.string()));
  if (::access(folder.c_str(), W_OK) != 0)
    throw UsageError(format("--out: the folder {} cannot be written to: choose another", folder.string()));
}

}  // namespace

void FileChoice::add_to(OptionTable& table) {
  table.text(
      "input", "FILE",
      "read inputs and size from this file, for problems that have files ('tune data generate' writes one)",
      input);
  table
      .text("out", "FILE",
            "with --input: write the winner's result to this file ('tune data check' checks it)", output)
      .also("output");
}

const ProblemFiles& files_of(const Problem& problem) {
  const ProblemFiles* const files = find_files(problem);
  if (files != nullptr) return *files;
  std::vector<std::string> others;
  for (const kernels::ProblemEntry& entry : kernels::problems())
    if (find_files(*entry.make()) != nullptr) others.emplace_back(entry.name);
  throw UsageError(format("{} takes no files; these problems do: {}", problem.info().name, joined(others)));
}

void tell_remark(const ProblemFiles& files, const std::filesystem::path& input) {
  if (const std::string remark = files.remark(input); !remark.empty()) say(remark);
}

void take_extents(const FileChoice& files, const ProblemOptions& options, ProblemSelection& selection) {
  if (files.input.empty() && !files.output.empty()) throw UsageError("--out needs --input FILE: give both");
  if (files.input.empty()) return;
  if (!selection.problem)
    throw UsageError("--input needs a problem and a GPU, not another tuner's recording");
  if (!options.size.empty())
    throw UsageError(format("--size: {} has its own size; leave the option out", files.input.string()));
  selection.instance.extents = files_of(*selection.problem).extents(files.input, selection.instance);
  if (files.output.empty()) return;
  require_writable(files.output);
  const NamedFile output{"output", files.output.string()};
  check_outputs({&output, 1}, {files.input.string()});
}

void take_inputs(const FileChoice& files, ProblemSelection& selection) {
  tell_remark(files_of(*selection.problem), files.input);
  TensorSet inputs = files_of(*selection.problem).read_inputs(files.input, selection.instance);
  selection.problem = with_inputs(std::move(selection.problem), selection.instance, std::move(inputs));
}

void write_result(const FileChoice& files, const ProblemSelection& selection,
                  const Configuration& configuration, Backend& backend, const KernelSources& sources) {
  Verification verification(*selection.problem, backend, sources);
  const Result<TensorSet> outputs = verification.outputs(selection.instance, configuration);
  if (!outputs)
    throw Error(format("{} is not written: the winner failed when it ran again: {}: {}",
                       files.output.string(), outputs.error().reason, outputs.error().detail));
  files_of(*selection.problem).write_outputs(files.output, selection.instance, *outputs);
}

}  // namespace tune::cli
