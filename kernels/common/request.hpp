// SPDX-License-Identifier: Apache-2.0
// What the compile requests of all problems have in common.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "search/expressions/value.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// A kernel file (`common/vectors.cuh`) as a header of a request: `#include "vectors.cuh"`.
SourceFile header(const KernelSources& sources, std::string_view file);

/// The macro that a parameter becomes: BLOCK_X=64, LOADER=Loader::async, UNROLL=1 for true.
std::pair<std::string, std::string> macro(const std::string& name, const search::Value& value);

}  // namespace tune::kernels
