// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tuner/plan/launch_plan.hpp"

namespace tune {

/// Returns how the launch's arguments differ in number or bytes from the parameters of its kernel, which have
/// these sizes; empty where they fit. With a wrong list of arguments the kernel would read garbage.
std::string unfit_arguments(const Launch& launch, std::span<const std::size_t> sizes);

}  // namespace tune
