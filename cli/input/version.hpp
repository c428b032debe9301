// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "library/run/version.hpp"

namespace tune::cli {

using run::version;

}  // namespace tune::cli
