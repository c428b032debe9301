// SPDX-License-Identifier: Apache-2.0
// The interface of libtune: define a problem in code, tune it in this program, or while the program works.
// See docs/reference/library.md.
#pragma once

#include <tune/description.hpp>
#include <tune/dispatcher.hpp>
#include <tune/problem.hpp>
#include <tune/search.hpp>
#include <tune/tuner.hpp>
#include <tune/values.hpp>

namespace tune {

using namespace api;

}  // namespace tune
