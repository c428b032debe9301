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

/// The recorded evaluations of one workload, as a space that strategies can search.
struct RecordedSpace {
  std::string name;                     ///< seeds follow from it; does not depend on the file's place
  std::string problem;                  ///< or the kernel's name; empty where unknown
  std::string workload;                 ///< size and settings: `512x512x512 radius=1`; may be empty
  std::string device;                   ///< name; empty where unknown
  search::SearchSpace space;            ///< the recorded configurations
  std::vector<Evaluation> evaluations;  ///< one for each configuration, in the file's order; times in seconds
  std::vector<std::string> notes;       ///< remarks on the file for the user, each one line
  bool imported = false;                ///< from a database, as another program's result
};

/// Returns `gemm 4096x4096 on A100`, or as much of that as is known.
std::string title_of(const RecordedSpace& recorded);

/// The contents of another tuner's file, for `space_of` and for the import into a database.
struct ThirdPartyRecord {
  std::string name = {}, problem = {}, workload = {}, device = {};
  std::vector<std::string> parameters = {};  ///< names in the file's order
  /// The values of parameters in the file's declared order, if it has one; used for texts only.
  std::vector<std::vector<Value>> declared = {};
  std::vector<Evaluation> evaluations = {};
  /// When each evaluation was made (UTC, ISO 8601); empty texts, or no entries, where unknown.
  std::vector<std::string> recorded = {};
  std::vector<std::string> notes = {};
  std::string objective = {};  ///< what the other tuner minimised or maximised, as it calls it; empty: unknown
  std::string format = {};  ///< `Kernel Tuner`, `T4`, `KTT`
};

/// Makes a space of a third-party record: parameters in its order with the values that occur, numbers in
/// increasing order. A parameter's default is its middle value, because such files have none, and its role is
/// guessed from its name. The last evaluation of a configuration counts. A parameter that a configuration
/// lacks has the text `none` there. Throws Error that names `file` where this is not possible: nothing
/// recorded, no parameters, an invalid name or value.
RecordedSpace space_of(ThirdPartyRecord record, const std::string& file);

/// Guesses the role of a parameter in another tuner's file from common names; upper and lower case are the
/// same.
search::Role guess_role(std::string_view name);

/// Evaluates from a recording instead of a device: the search is real, times and failures are the recorded
/// ones.
class ReplayEvaluator : public Evaluator {
 public:
  explicit ReplayEvaluator(const std::vector<Evaluation>& recorded);

  /// A configuration that the recording lacks is neither stored nor counted.
  void submit(Configuration configuration) override { queue_.push_back(std::move(configuration)); }
  std::optional<Evaluation> next() override;
  void drop() override { queue_.clear(); }

  /// As a device with few cores: a strategy that learns gets its results early.
  std::size_t window() const override { return 8; }

 private:
  std::unordered_map<std::string, Evaluation> by_key_;
  std::deque<Configuration> queue_;
};

}  // namespace tune::replay
