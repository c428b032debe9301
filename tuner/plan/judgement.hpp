// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/base/failure.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune {

/// The data of a checked execution.
struct JudgedResults {
  const TensorSet& inputs;
  const TensorSet& reference;  ///< as as_reference; outputs without one are missing
  const TensorSet& outputs;    ///< Judgement::looked_at, in the types that they have on the device
};

/// Judges outputs as a whole, where no bound of an element can, such as an order of keys that may differ.
/// They are not compared element by element. It runs in the process of the caller, not in that of the device.
struct Judgement {
  std::vector<std::string> outputs;
  std::vector<std::string> looked_at;  ///< the buffers that `judge` gets
  /// Failure{verify} where they are wrong.
  std::function<Result<void>(const JudgedResults& results)> judge;
};

/// Null: all outputs are compared with the reference.
using SharedJudgement = std::shared_ptr<const Judgement>;

inline bool is_judged(const SharedJudgement& judgement, std::string_view output) {
  return judgement != nullptr && std::ranges::find(judgement->outputs, output) != judgement->outputs.end();
}

}  // namespace tune
