// SPDX-License-Identifier: Apache-2.0
// The inside of the C interface of dispatchers.
#pragma once

#include <tune/dispatcher.h>

#include <memory>

#include "library/dispatcher/dispatcher_pool.hpp"

struct tune_dispatcher {
  std::unique_ptr<tune::api::Dispatchers::Pool> pool;
};
