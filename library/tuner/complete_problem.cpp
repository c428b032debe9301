// SPDX-License-Identifier: Apache-2.0
// Problems that are complete as they come: of a definition's file or text, and those that the program has.
#include <atomic>

#include "kernels/described/readers/definition.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "library/tuner/convert.hpp"
#include "library/tuner/problem.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::api {
namespace {

Problem complete(std::shared_ptr<const tune::Problem> made) {
  Problem problem(made->info().name);
  static std::atomic<std::uint64_t> last{0};
  problem.spec().stamp = ~++last;  // those of problems in code count from below
  problem.spec().complete = std::move(made);
  return problem;
}

std::shared_ptr<const tune::Problem> problem_of(described::KernelDescription description) {
  return std::make_shared<described::DescribedProblem>(std::move(description));
}

}  // namespace

Problem Problem::from_definition(const std::string& file) {
  return guarded([&] { return api::complete(problem_of(described::read_definition(file))); });
}

Problem Problem::from_text(std::string definition, const std::string& folder,
                           const std::vector<std::pair<std::string, std::string>>& files) {
  return guarded([&] {
    const std::filesystem::path where(folder);
    described::KernelDescription description =
        described::parse_definition(where / "definition.json", std::move(definition));
    described::FilesInMemory memory;
    for (const auto& [name, text] : files) {
      if (name.empty() || text.empty()) throw UsageError(format("the file '{}' has no text", name));
      memory.insert_or_assign((where / name).lexically_normal(), text);
    }
    if (description.reference.kernel) description.reference.kernel->memory = memory;
    description.kernel.memory = std::move(memory);
    return api::complete(problem_of(std::move(description)));
  });
}

Problem Problem::built_in(const std::string& name) {
  return guarded([&] { return api::complete(kernels::make_problem(name)); });
}

void check_open(const Problem::Spec& spec) {
  if (spec.complete != nullptr)
    throw Error(format("{}: the problem is complete as it was read: change its definition instead",
                       spec.description.name));
}

std::shared_ptr<const described::DescribedProblem> made_described(const Problem::Spec& spec) {
  if (spec.complete == nullptr) return std::make_shared<described::DescribedProblem>(described(spec));
  auto problem = std::dynamic_pointer_cast<const described::DescribedProblem>(spec.complete);
  if (problem == nullptr)
    throw UsageError(
        format("{}: a dispatcher needs the arguments of a call, which a problem in code or a definition has",
               spec.description.name));
  return problem;
}

std::shared_ptr<const tune::Problem> made(const Problem::Spec& spec) {
  return spec.complete != nullptr ? spec.complete : made_described(spec);
}

std::unique_ptr<KernelSources> sources_of(const tune::Problem& problem) {
  std::unique_ptr<KernelSources> sources = std::make_unique<kernels::EmbeddedSources>();
  const HasDescription* const described = find_description(&problem);
  return described != nullptr ? described->sources(std::move(sources)) : std::move(sources);
}

search::SearchSpace valid_space(const tune::Problem& problem, const Instance& instance,
                                const DeviceProperties& device, const std::string& where) {
  if (const auto* described = dynamic_cast<const described::DescribedProblem*>(&problem))
    return described->valid_space(instance, device, where);
  try {
    search::SpaceDefinition definition = problem.space(instance, device);
    if (!where.empty()) definition = search::restrict_to(std::move(definition), search::Expr::parse(where));
    search::SearchSpace all = search::SearchSpace::counted_or_sampled(std::move(definition));
    if (!all.empty()) return all;
  } catch (const std::invalid_argument& error) {
    throw UsageError(format("{}: {}", problem.info().name, error.what()));
  }
  throw UsageError(format("{} {}: no configuration is valid on {}{}", problem.info().name, instance.key(),
                          device.name, where.empty() ? "" : format(" where {}", where)));
}

}  // namespace tune::api
