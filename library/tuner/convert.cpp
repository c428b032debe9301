// SPDX-License-Identifier: Apache-2.0
#include "library/tuner/convert.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <tune/values.hpp>

#include "search/expressions/nearest.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::api {
namespace {

std::int64_t signed_of(unsigned long long value) {
  if (value > static_cast<unsigned long long>(std::numeric_limits<std::int64_t>::max()))
    throw Error("the value " + std::to_string(value) + " is beyond 63 bits");
  return static_cast<std::int64_t>(value);
}

/// Calls `read`; its error names the value that cannot be read so.
template<class Read>
auto read_as(const Values& values, const std::string& name, const char* what, Read read) {
  const search::Value value = to_search(values.at(name));
  try {
    return read(value);
  } catch (const std::invalid_argument&) {
    throw Error("'" + name + "' is " + value.to_string() + ", which is not a " + what);
  }
}

}  // namespace

AnyValue::AnyValue(unsigned long number) : value(signed_of(number)) {}
AnyValue::AnyValue(unsigned long long number) : value(signed_of(number)) {}

Values::Values(std::initializer_list<std::pair<std::string, AnyValue>> values) {
  for (const auto& [name, value] : values) set(name, value);
}

std::int64_t Values::operator[](const std::string& name) const {
  return read_as(*this, name, "whole number", [](const search::Value& value) { return value.as_int(); });
}

double Values::real(const std::string& name) const {
  return read_as(*this, name, "number", [](const search::Value& value) { return value.as_real(); });
}

const std::string& Values::text(const std::string& name) const {
  const auto* text = std::get_if<std::string>(&at(name));
  if (text == nullptr)
    throw Error("'" + name + "' is " + to_search(at(name)).to_string() + ", which is not a text");
  return *text;
}

bool Values::flag(const std::string& name) const {
  return to_search(at(name)).as_bool();
}

bool Values::has(const std::string& name) const {
  return std::ranges::any_of(entries_, [&](const auto& entry) { return entry.first == name; });
}

const Value& Values::at(const std::string& name) const {
  std::vector<std::string> known;
  for (const auto& [other, value] : entries_) {
    if (other == name) return value;
    known.push_back(other);
  }
  const std::string nearest = search::did_you_mean(name, known);
  throw Error("there is no '" + name + "' here" +
              (!nearest.empty() ? nearest
               : known.empty()  ? ""
                                : "; there is: " + tune::joined(known)));
}

Values& Values::set(const std::string& name, AnyValue value) {
  const auto found = std::ranges::find(entries_, name, &std::pair<std::string, Value>::first);
  if (found != entries_.end())
    found->second = std::move(value.value);
  else
    entries_.emplace_back(name, std::move(value.value));
  return *this;
}

std::string Values::to_string() const {
  return from_values(*this).to_string();
}

bool operator==(const Values& a, const Values& b) {
  return from_values(a) == from_values(b);
}

namespace {

/// Messages name the command's options; here these are fields and arguments.
std::string without_option(std::string text) {
  for (const std::string_view option : {"--size: ", "--set: ", "--where: ", "--until-gain: "})
    if (text.starts_with(option)) text.erase(0, option.size());
  for (const std::string_view option : {" with --db PATH", " with --db"})
    if (text.ends_with(option))
      text.replace(text.size() - option.size(), option.size(), " as the option 'database'");
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

search::Value to_search(const Value& value) {
  return std::visit([](const auto& one) { return search::Value(one); }, value);
}

Value from_search(const search::Value& value) {
  if (value.is_bool()) return value.as_bool();
  if (value.is_int()) return value.as_int();
  if (value.is_real()) return value.as_real();
  return value.as_text();
}

search::Configuration from_values(const Values& values) {
  search::Configuration configuration;
  for (const auto& [name, value] : values.entries()) configuration.set(name, to_search(value));
  return configuration;
}

Values to_values(const search::Configuration& configuration) {
  Values values;
  for (const auto& [name, value] : configuration.entries()) values.set(name, from_search(value));
  return values;
}

Sizes sizes_of(const Instance& instance) {
  Sizes sizes;
  for (const auto& [name, extent] : instance.extents) sizes.set(name, Value(extent));
  for (const auto& [name, value] : instance.settings) sizes.set(name, from_search(value));
  return sizes;
}

Evaluation to_api(const tune::Evaluation& evaluation) {
  Evaluation result;
  result.configuration = to_values(evaluation.configuration);
  result.reused = evaluation.reused;
  result.compile_seconds = evaluation.phases.compile;
  result.check_seconds = evaluation.phases.verify;
  result.measure_seconds = evaluation.phases.measure;
  if (evaluation.resources) {
    result.registers = evaluation.resources->registers;
    result.occupancy = evaluation.resources->occupancy;
  }
  if (!evaluation.outcome) {
    const tune::Failure& failure = evaluation.outcome.error();
    result.failure = Failure{std::string(to_string(failure.phase)), failure.reason, failure.detail};
    return result;
  }
  if (evaluation.estimate) {
    result.estimated = true;
    result.seconds = *evaluation.estimate;
    return result;
  }
  result.samples = evaluation.outcome->samples;
  if (!result.samples.empty()) result.seconds = evaluation.outcome->time();
  result.joules = evaluation.outcome->energy;
  result.error = evaluation.outcome->error;
  result.tolerance = evaluation.outcome->tolerance;
  return result;
}

void rethrow_as_error() {
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const UsageError& error) {
    throw Error(without_option(error.what()));
  } catch (const std::exception& error) {
    throw Error(without_option(error.what()), Error::Cause::environment);
  }
}

}  // namespace tune::api
