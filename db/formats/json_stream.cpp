// SPDX-License-Identifier: Apache-2.0
#include "db/formats/json_stream.hpp"

#include <algorithm>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::replay {
namespace {

constexpr std::size_t most_text = std::size_t{4} << 20;
constexpr std::size_t most_values = 1'000'000;
/// Members of one object: looking for a name takes as long as there are names.
constexpr std::size_t most_members = 1'000;

std::size_t lines_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

std::size_t Characters::line() const {
  return lines_ + lines_in(part_.substr(0, at_));
}

std::string Characters::mistake() const {
  return json_mistake(part_, at_);  // the parser has taken the character that it refuses
}

void Characters::advance() {
  before_ += part_.size();
  lines_ += lines_in(part_);
  at_ = 0;
  if (before_ - released_ > most_text)
    throw UsageError(format(
        "{}: line {}: more than 4 MiB without a name, text or number: is it the right file?", file_, lines_));
  part_ = source_.next();
  if (first_ != 0) return;
  const std::size_t found = part_.find_first_not_of(" \t\r\n");
  if (found != std::string_view::npos) first_ = part_[found];
}

void ValueBuilder::begin() {
  value_ = nullptr;
  open_.clear();
  begun_ = false;
}

void ValueBuilder::reset() {
  values_ = text_ = 0;
}

void ValueBuilder::count(std::size_t text) {
  text_ += text;
  if (++values_ > most_values || text_ > most_text)
    throw UsageError(format("{}: more than {} values or 4 MiB of text in one entry: is it the right file?",
                            file_, most_values));
}

void ValueBuilder::key(std::string& name) {
  count(name.size());
  if (open_.back()->size() >= most_members)
    throw UsageError(
        format("{}: more than {} members in one object: is it the right file?", file_, most_members));
  key_ = std::move(name);
}

void ValueBuilder::add(Json value) {
  count(value.is_string() ? value.get_ref<const std::string&>().size() : 0);
  const bool opens = value.is_structured();
  Json* place = &value_;
  if (!open_.empty() && open_.back()->is_array()) {
    open_.back()->push_back(std::move(value));
    place = &open_.back()->back();
  } else {
    if (!open_.empty()) place = &(*open_.back())[key_];
    *place = std::move(value);
  }
  begun_ = true;
  if (opens) open_.push_back(place);
}

}  // namespace tune::replay
