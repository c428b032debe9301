// SPDX-License-Identifier: Apache-2.0
// The inside of the C interface.
#pragma once

#include <tune/tune.h>

#include <tune/tuner.hpp>

struct tune_tuner {
  tune::api::Options options;
  tune::api::Tuner tuner;
  tune_progress_function on_progress = nullptr;
  void* progress_context = nullptr;
};

struct tune_problem {
  tune::api::Problem problem;
};
