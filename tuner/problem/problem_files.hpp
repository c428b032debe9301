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

/// Reads a problem's inputs from a file and writes its outputs to one (`tune run --input --output`, `tune
/// data`). Stateless. All functions throw UsageError that names the file for a file of another kind and for
/// settings that files do not have, and Error where a file is missing or cannot be written.
class ProblemFiles {
 public:
  virtual ~ProblemFiles() = default;
  /// Returns the extents of a file of inputs, whose length must fit them; only the settings of the instance
  /// count.
  virtual std::vector<std::pair<std::string, std::int64_t>> extents(const std::filesystem::path& file,
                                                                    const Instance& instance) const = 0;
  /// Returns a line about what of a file of inputs does not count, such as repeated elements; usually none.
  virtual std::string remark(const std::filesystem::path& /*file*/) const { return {}; }
  virtual TensorSet read_inputs(const std::filesystem::path& file, const Instance& instance) const = 0;
  virtual void write_inputs(const std::filesystem::path& file, const Instance& instance,
                            const TensorSet& inputs) const = 0;
  virtual TensorSet read_outputs(const std::filesystem::path& file, const Instance& instance) const = 0;
  virtual void write_outputs(const std::filesystem::path& file, const Instance& instance,
                             const TensorSet& outputs) const = 0;
  /// Returns the tolerance for any inputs; Problem::tolerance is for the inputs that the problem makes
  /// itself.
  virtual Tolerance tolerance(const Instance& instance, const TensorSet& inputs) const = 0;
};

/// Implemented by a Problem that has files.
class HasFiles {
 public:
  virtual ~HasFiles() = default;
  virtual const ProblemFiles& files() const = 0;
};

/// Null where the problem has none.
const ProblemFiles* find_files(const Problem& problem);

/// Returns the problem with these inputs, whatever the seed, and a tolerance for them at `instance`; at other
/// instances, such as those of checks, it is unchanged. The problem must have files.
std::unique_ptr<Problem> with_inputs(std::unique_ptr<Problem> problem, Instance instance, TensorSet inputs);

}  // namespace tune
