// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tuner/problem/instance.hpp"
#include "tuner/problem/problem.hpp"
#include "tuner/tensor/tensor.hpp"
#include "tuner/tensor/verifier.hpp"

namespace tune {

/// What a problem adds so that its inputs can come from a file and its outputs go to one (`tune run --input
/// --output`, `tune data`). Stateless. All throw UsageError, one line that names the file, for a file that
/// is none of theirs, and for settings that files do not have; Error where there is none, or one cannot be
/// written.
class ProblemFiles {
 public:
  virtual ~ProblemFiles() = default;
  /// The extents of a file of inputs, which is as long as they say; of the instance, the settings count.
  virtual std::vector<std::pair<std::string, std::int64_t>> extents(const std::filesystem::path& file,
                                                                    const Instance& instance) const = 0;
  virtual TensorSet read_inputs(const std::filesystem::path& file, const Instance& instance) const = 0;
  virtual void write_inputs(const std::filesystem::path& file, const Instance& instance,
                            const TensorSet& inputs) const = 0;
  virtual TensorSet read_outputs(const std::filesystem::path& file, const Instance& instance) const = 0;
  virtual void write_outputs(const std::filesystem::path& file, const Instance& instance,
                             const TensorSet& outputs) const = 0;
  /// For these inputs, which may be anything: Problem::tolerance is for those that it makes itself.
  virtual Tolerance tolerance(const Instance& instance, const TensorSet& inputs) const = 0;
};

/// What a Problem also is that has files.
class HasFiles {
 public:
  virtual ~HasFiles() = default;
  virtual const ProblemFiles& files() const = 0;
};

/// Null where the problem has none.
const ProblemFiles* find_files(const Problem& problem);

/// The problem with these inputs, and a tolerance for them, at one instance, whatever the seed; at others,
/// such as those of checks, it is as it was. The problem must have files.
std::unique_ptr<Problem> with_inputs(std::unique_ptr<Problem> problem, Instance instance, TensorSet inputs);

}  // namespace tune
