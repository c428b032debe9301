// SPDX-License-Identifier: Apache-2.0
// What the functions of the C interface share.
#include "library/tuner/convert.hpp"
#include "library/tuner/tuner_c.hpp"
#include "tuner/base/format.hpp"

namespace tune::api::in_c {

static_assert(TUNE_TRUTH == Value(true).index() && TUNE_INTEGER == Value(std::int64_t{1}).index() &&
              TUNE_REAL == Value(1.0).index() && TUNE_TEXT == 3);

std::string& last_message() {
  thread_local std::string message;
  return message;
}

void require(const void* pointer, const char* function) {
  if (pointer == nullptr) throw Error(format("{}: a null pointer was given", function));
}

Values values_of(const tune_assignment* assignments, std::size_t count, const char* function) {
  if (count > 0) require(assignments, function);
  Values values;
  for (std::size_t i = 0; i < count; ++i) {
    require(assignments[i].name, function);
    require(assignments[i].value, function);
    values.set(assignments[i].name, from_search(search::Value::parse(assignments[i].value)));
  }
  return values;
}

const char* ValueTexts::add(const Value& value) {
  values_.push_back(texts_.emplace_back(to_search(value).to_string()).c_str());
  kinds_.push_back(static_cast<tune_kind>(value.index()));
  return values_.back();
}

HeldConfiguration::HeldConfiguration(Configuration given) : value(std::move(given)), text(value.to_string()) {
  for (const auto& [name, one] : value.entries()) assignments.push_back({name.c_str(), texts.add(one)});
  view = {text.c_str(), assignments.size(), assignments.data(), texts.kinds()};
}

}  // namespace tune::api::in_c
