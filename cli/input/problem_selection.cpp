// SPDX-License-Identifier: Apache-2.0
#include "cli/input/problem_selection.hpp"

#include <algorithm>
#include <cctype>
#include <iostream>
#include <set>
#include <stdexcept>

#include "cli/input/options.hpp"
#include "kernels/described/problem.hpp"
#include "kernels/described/readers/definition.hpp"
#include "kernels/registry.hpp"
#include "kernels/sources.hpp"
#include "kernels/stencil/language/definition.hpp"
#include "kernels/stencil/model/shapes.hpp"
#include "kernels/stencil/problem.hpp"
#include "search/space/space_definition.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

/// Names every setting of every problem.
std::string settings_help() {
  std::set<std::string> names;
  for (const kernels::ProblemEntry& entry : kernels::problems()) {
    const auto problem = entry.make();
    for (const SettingInfo& setting : problem->info().settings) names.insert(setting.name);
  }
  std::string text = "what else fixes the work:";
  for (const std::string& name : names) text += (name == *names.begin() ? " " : ", ") + name;
  return text;
}

/// Whether --problem names a definition's file.
bool is_file(const std::string& name) {
  return name.ends_with(".json") || name.ends_with(".jsonc") || name.find('/') != std::string::npos;
}

/// As the value of a setting: letters, digits, `_`, `.` and `-` only.
std::string setting_text(std::string text) {
  for (char& c : text) {
    const auto plain = static_cast<unsigned char>(c);
    if (std::isalnum(plain) == 0 && c != '_' && c != '.') c = '-';
  }
  return text;
}

/// The work of --stencil FILE; `name` is --problem's, or empty.
ProblemSelection problem_of_stencil(const po::variables_map& values, const std::string& name) {
  const std::string file = option_text(values, "stencil");
  const kernels::StencilDefinition definition = kernels::read_stencil_file(file);
  const std::string problem = format("stencil{}d", definition.stencil.dimensions);
  if (!name.empty() && name != problem)
    throw UsageError(format("--stencil: {} has {} dimensions: it is work for --problem {}", file,
                            definition.stencil.dimensions, problem));
  if (definition.stencil.radius() > kernels::max_radius)
    throw UsageError(format("--stencil: {} reaches {} cells; the kernels reach {} at most", file,
                            definition.stencil.radius(), kernels::max_radius));
  ProblemSelection selection;
  const std::string own = setting_text(definition.name) + "-" + kernels::definition_hash(definition.stencil);
  selection.problem = kernels::make_stencil_problem({own, definition.stencil});
  const auto settings = assignments(values, "set");
  const auto shape = std::ranges::find(settings, "shape", &std::pair<std::string, Value>::first);
  selection.instance = make_instance(selection.problem->info(), option_text(values, "size"), settings);
  if (shape != settings.end() && selection.instance.setting("shape") != own)
    throw UsageError(format("--set: shape={} beside --stencil, which is the shape: leave one of them out",
                            shape->second.to_string()));
  return selection;
}

}  // namespace

void add_problem_options(po::options_description& options) {
  options.add_options()  //
      ("problem", po::value<std::string>()->value_name("P"),
       "what to compute: a name ('tune list problems' shows them) or the file of a definition of your own")  //
      ("size", po::value<std::string>()->value_name("NXxNYxNZ"),
       "its extents; default: those of the problem")  //
      ("stencil", po::value<std::string>()->value_name("FILE"),
       "stencil2d, stencil3d: a stencil of your own, an equation or coefficients (docs/stencils.md)")  //
      ("set", po::value<std::vector<std::string>>()->value_name("NAME=VALUE,..."), settings_help().c_str());
}

ProblemSelection selected_problem(const po::variables_map& values) {
  const std::string name = option_text(values, "problem");
  if (values.count("stencil") > 0) return problem_of_stencil(values, name);
  if (name.empty())
    throw UsageError("name a problem with --problem; 'tune list problems' shows the known ones");
  ProblemSelection selection;
  if (is_file(name)) {
    auto defined = std::make_unique<definition::DescribedProblem>(definition::read_definition(name));
    for (const std::string& note : defined->description().notes) std::cerr << format("{}: {}\n", name, note);
    selection.problem = std::move(defined);
  } else {
    try {
      selection.problem = kernels::make_problem(name);
    } catch (const UsageError& error) {
      throw UsageError(format("{} (a kernel of your own: name the file of its definition)", error.what()));
    }
  }
  selection.instance =
      make_instance(selection.problem->info(), option_text(values, "size"), assignments(values, "set"));
  return selection;
}

void add_space_options(po::options_description& options) {
  options.add_options()  //
      ("fix", po::value<std::vector<std::string>>()->value_name("NAME=VALUE,..."),
       "pin parameters to a value")  //
      ("where", po::value<std::string>()->value_name("EXPR"),
       "restrict the space, such as 'block_x * block_y <= 256 and variant == direct'");
}

SpaceChoice chosen_space(const po::variables_map& values) {
  return {assignments(values, "fix"), option_text(values, "where")};
}

search::SearchSpace build_space(const ProblemSelection& selection, const DeviceProperties& device,
                                const SpaceChoice& choice) {
  search::SpaceDefinition definition = selection.problem->space(selection.instance, device);
  try {
    for (const auto& [name, value] : choice.pinned)
      definition = search::pin(std::move(definition), name, value);
  } catch (const std::invalid_argument& error) {
    throw UsageError(format("--fix: {}", error.what()));
  }
  try {
    if (!choice.where.empty())
      definition = search::restrict_to(std::move(definition), search::Expr::parse(choice.where));
    search::SearchSpace space(std::move(definition));
    if (!space.empty()) return space;
  } catch (const search::ExprError& error) {
    throw UsageError(format("--where: {}", error.what()));
  } catch (const std::length_error& error) {
    throw UsageError(
        format("the space of {}: {} (--fix NAME=VALUE)", selection.problem->info().name, error.what()));
  }
  if (choice.where.empty() && choice.pinned.empty())
    throw Error(format("{} {} has no valid configuration on {}", selection.problem->info().name,
                       selection.instance.key(), device.name));
  throw UsageError(
      format("--where and --fix leave no valid configuration of {} {}; 'tune space --problem {}' shows "
             "the parameters and constraints",
             selection.problem->info().name, selection.instance.key(), selection.problem->info().name));
}

void add_kernel_dir_option(po::options_description& options) {
  options.add_options()("kernel-dir", po::value<std::string>()->value_name("DIR"),
                        "kernel files from there (laid out as in kernels/) instead of the embedded ones");
}

std::unique_ptr<KernelSources> chosen_sources(const po::variables_map& values) {
  const std::string folder = option_text(values, "kernel-dir");
  if (folder.empty()) return std::make_unique<kernels::EmbeddedSources>();
  return std::make_unique<kernels::FolderSources>(folder);
}

std::unique_ptr<KernelSources> chosen_sources(const po::variables_map& values, const Problem& problem) {
  const auto* const defined = dynamic_cast<const definition::DescribedProblem*>(&problem);
  if (defined == nullptr) return chosen_sources(values);
  if (values.count("kernel-dir") > 0) throw UsageError("--kernel-dir: a definition names its own files");
  return std::make_unique<definition::DescribedSources>(*defined, chosen_sources(values));
}

}  // namespace tune::cli
