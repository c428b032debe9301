// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tuner/core/evaluation.hpp"

namespace tune::replay {

using Json = nlohmann::ordered_json;

/// The member, or null.
const Json* member(const Json& object, const char* name);
/// The member's text; empty where it is none.
std::string text_member(const Json& object, const char* name);
/// The member's number times `unit`; 0 where it is none: for what may be left out.
double seconds_member(const Json& object, const char* name, double unit);

/// A time that something can have taken: finite, positive, and below what old files write for a failure
/// (1e20).
std::optional<double> time_of(const Json& value);

/// A parameter's value; nothing for what is none (null, a list, an object). A real number without a fraction
/// becomes an integer, and characters that a configuration's text cannot hold become `_`: within such a file
/// both are of one meaning.
std::optional<search::Value> parameter_value(const Json& value);
/// The parameter's name with `_` for what a variable's name cannot hold.
std::string parameter_name(std::string name);

}  // namespace tune::replay
