// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tuner/evaluation/evaluation.hpp"

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

/// `value` on a line of a message: lists and objects by their kind, long texts cut.
std::string shown(const Json& value);

/// A text of the file as a name or a reason: without control characters, which a terminal may obey, and cut.
std::string printable(std::string text);

/// The samples of a time in seconds: those of the list where all are times and `time` lies among them, else
/// `time` alone. `unit` is that of the list.
std::vector<double> samples_or(double time, const Json* list, double unit);

/// `2023-12-22 09:54:05.502007+00:00` and the like in UTC as our database writes it; empty for another text.
std::string utc_time(const std::string& text);

/// A parameter's value; nothing for what is none (null, a list, an object). A real number without a fraction
/// becomes an integer, and characters that a configuration's text cannot hold become `_`: within such a file
/// both are of one meaning.
std::optional<search::Value> parameter_value(const Json& value);
/// The parameter's name with `_` for what a variable's name cannot hold.
std::string parameter_name(std::string name);

}  // namespace tune::replay
