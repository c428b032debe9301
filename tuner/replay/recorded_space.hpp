// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "search/space/search_space.hpp"
#include "search/space/space_definition.hpp"
#include "tuner/evaluation/evaluation.hpp"

namespace tune::replay {

using search::Value;

/// What was measured of one work, as a space that a search can be tried on.
struct RecordedSpace {
  std::string name;           ///< for people, and where seeds come from; the same wherever the file lies
  std::string problem;        ///< or the kernel's name; empty where the file does not say
  std::string workload;       ///< size and whatever else fixes the work: `512x512x512 radius=1`; may be empty
  std::string device;         ///< name; empty where the file does not say
  search::SearchSpace space;  ///< the recorded configurations
  std::vector<Evaluation> evaluations;  ///< one for each of them, in the file's order; times are seconds
  std::vector<std::string> notes;       ///< what a person should know of the file, each one line
  bool imported = false;                ///< out of a database, where another program's result stands as such
};

/// `gemm 4096x4096 on A100`: what is known of problem, work and device.
std::string title_of(const RecordedSpace& recorded);

/// What a file of another tuner says: plain data that `space_of` makes a space of, and that a database takes
/// in.
struct ThirdPartyRecord {
  std::string name = {}, problem = {}, workload = {}, device = {};
  std::vector<std::string> parameters = {};  ///< names in the file's order
  /// Values of parameters in an order that the file declares, if it does; used for texts only.
  std::vector<std::vector<Value>> declared = {};
  std::vector<Evaluation> evaluations = {};
  /// When each of them was made (UTC, ISO 8601); empty texts, or nothing at all, where the file does not say.
  std::vector<std::string> recorded = {};
  std::vector<std::string> notes = {};
  /// What of the file has no place in an evaluation, or another one, each one line: for who imports it.
  std::vector<std::string> losses = {};
  std::string format = {};  ///< whose file it is: `Kernel Tuner`, `T4`, `KTT`
};

/// The space of a foreign record: parameters in its order with the values that occur, numbers in increasing
/// order; those with a single value are kept. A parameter's default is its middle value, because such a file
/// has none, and its role is guessed from its name. Of a configuration that occurs twice the last counts. A
/// parameter that a configuration lacks is the text `none` there. Throws Error that names `file` where this
/// is no space (nothing recorded, no parameters, a name or value that cannot be written down).
RecordedSpace space_of(ThirdPartyRecord record, const std::string& file);

/// What a parameter of another tuner's file means for the launch, guessed from names that are common in the
/// field; upper and lower case are the same. Such a file does not say it.
search::Role guess_role(std::string_view name);

/// Answers from a recording instead of a device: the search is real, the times are the recorded device's.
/// Failures are answered as they were recorded.
class ReplayEvaluator : public Evaluator {
 public:
  explicit ReplayEvaluator(const std::vector<Evaluation>& recorded);

  /// A configuration that the recording lacks is unknown: it is left out, neither stored nor counted.
  void submit(Configuration configuration) override { queue_.push_back(std::move(configuration)); }
  std::optional<Evaluation> next() override;
  void drop() override { queue_.clear(); }

  /// What a device of few cores would ask for: a strategy that learns sees its results early.
  std::size_t window() const override { return 8; }

 private:
  std::unordered_map<std::string, Evaluation> by_key_;
  std::deque<Configuration> queue_;
};

}  // namespace tune::replay
