// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/evaluation/evaluation.hpp"

namespace tune::replay {

using Json = nlohmann::ordered_json;

/// Returns the member, or null.
const Json* member(const Json& object, const char* name);
/// Returns the member's text; empty where it is not a text.
std::string text_member(const Json& object, const char* name);
/// Returns the member's number times `unit`; 0 where it is missing or not a number. Throws Error, which
/// begins with `where`, for a time below 0.
double seconds_member(const Json& object, const char* name, double unit, const std::string& where);

/// Returns the seconds of `ns`, `microseconds`, `Milliseconds`, ... Throws Error, which begins with `where`,
/// for another name.
double seconds_of_unit(std::string unit, const std::string& where);

/// Returns the same, or nothing for another name.
std::optional<double> known_unit(std::string unit);

/// Returns a possible time: finite, positive, and below the number that old files write for a failure (1e20).
std::optional<double> time_of(const Json& value);

/// Returns `value` for a message: lists and objects by their kind, long texts cut.
std::string shown(const Json& value);

/// Returns a text of the file as a name or a reason: without control characters, which a terminal may obey,
/// and cut.
std::string printable(std::string text);

/// True for names of energies: those of T4, and of Kernel Tuner's observers (NVML, PowerSensor, PMT), in
/// joules.
bool is_energy(const std::string& name);
/// Adds another figure of a measurement: an energy above 0 as its energy, in joules; else a metric, whose
/// unit stands in parentheses behind its name. The first energy counts; figures that are not finite are left
/// out.
void add_figure(Measurement& measurement, const std::string& name, double value, const std::string& unit);
/// Returns name and unit of a metric as `add_figure` put them together.
std::pair<std::string, std::string> name_and_unit(const std::string& metric);

/// Returns the samples of a time in seconds: those of the list where all are times and `time` lies among
/// them, else `time` alone. `unit` is that of the list.
std::vector<double> samples_or(double time, const Json* list, double unit);

/// Converts `2023-12-22 09:54:05.502007+00:00` and the like to UTC as our database writes it; empty for
/// another text.
std::string utc_time(const std::string& text);

/// Returns a parameter's value, or nothing for null, a list or an object. A real number without a fraction
/// becomes an integer, and characters that a configuration's text cannot hold become `_`: within such a file
/// these mean the same.
std::optional<search::Value> parameter_value(const Json& value);
/// Returns the parameter's name with `_` for characters that a variable's name cannot have.
std::string parameter_name(std::string name);

}  // namespace tune::replay
