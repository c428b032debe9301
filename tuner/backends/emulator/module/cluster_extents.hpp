// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tuner/plan/launch_plan.hpp"

namespace tune::emulator {

/// A place where a kernel gets the attribute `__cluster_dims__`, by its name or through a macro.
struct ClusterMark {
  std::string file;        ///< of the request
  std::size_t line = 0;    ///< from 1
  std::string kernel;      ///< without namespaces
  std::string attribute;   ///< as it stands there: `__cluster_dims__(2, 1, 1)`, `CLUSTER`, `CLUSTER(2)`
  std::string parameters;  ///< of the kernel's template: `int size, class T`; empty where it is none
};

/// Returns all such places, also those that the preprocessor leaves out.
std::vector<ClusterMark> cluster_marks(const CompileRequest& request);

}  // namespace tune::emulator
