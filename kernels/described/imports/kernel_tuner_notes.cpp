// SPDX-License-Identifier: Apache-2.0
// A script of Kernel Tuner: what it has and the definition lacks, each in a line with its place and the cure.
#include <algorithm>
#include <array>
#include <string>

#include "kernels/described/imports/kernel_tuner_draft.hpp"
#include "kernels/described/readers/definition.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {
namespace {

using python::FoundCall;
using python::Unfollowed;
using python::Value;
using Kind = Value::Kind;

constexpr std::size_t longest_text = 80;

std::string quoted(const std::string& text) {
  return "'" + shortened(one_line(text), longest_text) + "'";
}

std::string told(const Unfollowed& statement) {
  const std::string names = joined(statement.names), what = quoted(statement.text);
  switch (statement.kind) {
    case Unfollowed::Kind::condition:
      return format("cannot tell whether {} holds: both branches are read; for {} the last value counts",
                    what, names.empty() ? "what it changes" : names);
    case Unfollowed::Kind::loop:
      return format("the loop over {} cannot be followed: add what it gives {}", what,
                    names.empty() ? "the call in it" : names);
    case Unfollowed::Kind::values:
      return format("{} cannot be followed: add what it changes", what);
    case Unfollowed::Kind::module:
      return format("{} cannot be read: write what the script takes from it into the script", statement.text);
    case Unfollowed::Kind::jinja:
      return format("{} of the template has no counterpart in a kernel's file: write it in CUDA ({})", what,
                    statement.text.find("for ") != std::string::npos   ? "a loop with #pragma unroll"
                    : statement.text.find("set ") != std::string::npos ? "a #define or a constant"
                                                                       : "#if over numbers, or a macro");
    case Unfollowed::Kind::end:
      break;
  }
  return "the script takes too many steps: the rest is not followed";
}

}  // namespace

const FoundCall::Text* KernelTunerDraft::words_of(std::size_t place, std::string_view name) const {
  for (const FoundCall::Text& one : call_.texts)
    if (one.name == name || one.name == std::to_string(place)) return &one;
  return nullptr;
}

std::string KernelTunerDraft::text_of(std::size_t place, std::string_view name) const {
  const FoundCall::Text* const words = words_of(place, name);
  return words == nullptr ? std::string() : shortened(one_line(words->text), longest_text);
}

python::Place KernelTunerDraft::place_of(std::size_t place, std::string_view name) const {
  const FoundCall::Text* const words = words_of(place, name);
  return words == nullptr ? call_.place : words->place;
}

std::string KernelTunerDraft::said(std::size_t place, std::string_view name) const {
  return format("the script has '{}'{}", text_of(place, name), shown(place_of(place, name)));
}

std::string KernelTunerDraft::said(const Value& value) const {
  const std::string known = python::text_of(value);
  if (!known.empty() || !value.is_sequence())
    return format("the script has {}{}", quoted(known.empty() ? value.text : known), shown(value.place));
  const auto unknown = std::ranges::find(*value.items, Kind::unknown, &Value::kind);
  return unknown == value.items->end() ? "the script has other values than numbers and texts"
                                       : said(*unknown);
}

/// ` (line 3)`, or ` (common.py:3)` for a module; nothing where it is not known.
std::string KernelTunerDraft::shown(python::Place place) const {
  if (place.line == 0) return {};
  return place.file == 0
             ? format(" (line {})", place.line)
             : format(" ({}:{})", script_.files().at(static_cast<std::size_t>(place.file)), place.line);
}

void KernelTunerDraft::note(python::Place place, const std::string& text) {
  const std::filesystem::path file =
      place.file == 0
          ? request_.path
          : request_.path.parent_path() / script_.files().at(static_cast<std::size_t>(place.file));
  const std::string all = format("{}:{}: {}", file.string(), place.line, text);
  if (std::ranges::find(result_.notes, all) == result_.notes.end()) result_.notes.push_back(all);
}

/// Arguments of tune_kernel that are no part of a definition.
void KernelTunerDraft::add_notes_of_options() {
  struct Option {
    std::size_t place;
    const char *name, *cure;
  };
  static constexpr std::array options = {
      Option{14, "device", "an option of a run: --device N"},
      Option{23, "iterations", "an option of a run: --samples MIN:MAX"},
      Option{28, "cache", "'tune db import FILE' takes the results in it"},
      Option{30, "simulation_mode", "'tune replay --space FILE' searches in stored results"},
      Option{31, "parallel", "a run takes one device; runs on several may share a database"},
      Option{
          32, "observers",
          "not used; times, registers, occupancy, and energy if the device reports it, are recorded anyway"},
      Option{35, "objectives", "a run has one objective: give \"objective\" in the definition"},
      Option{36, "seed", "an option of a run: --seed N"}};
  for (const auto& [place, name, cure] : options)
    if (const Value* const value = given(place, name);
        value != nullptr && python::truth(*value) != python::Truth::no)
      note(place_of(place, name), format("{}: {}", name, cure));
  if (const Value* const name = given(26, "strategy"); name != nullptr) {
    const std::string own = name->is(Kind::text) ? t1::strategy_named(name->text) : "";
    note(place_of(26, "strategy"),
         own.empty()
             ? format("strategy: there is no '{}' here; a run takes the default one, or that of --strategy",
                      text_of(26, "strategy"))
             : format("strategy: a run takes it from its options: --strategy {}", own));
  }
  if (given(11, "verify") != nullptr)
    note(place_of(11, "verify"),
         format("verify: the script judges results with '{}', which cannot be followed: each element is "
                "compared instead; \"verify\" of the definition may name a program or a kernel",
                text_of(11, "verify")));
}

void KernelTunerDraft::add_notes_of_unfollowed() {
  // Before the call, and in functions that it gets.
  const std::vector<Unfollowed>& all = script_.unfollowed();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i < call_.unfollowed || i >= unfollowed_before_) note(all[i].place, told(all[i]));
  for (const FoundCall::Text& one : call_.texts)
    if (one.name.empty())
      note(one.place, format("{} cannot be followed: add what it gives tune_kernel", quoted(one.text)));
  if (call_.times > 1)
    note(call_.place,
         format("the script calls this {} times: this definition is the first call; write one for each other "
                "call",
                call_.times));
}

void KernelTunerDraft::add_notes() {
  for (const python::Assumption& one : script_.assumptions()) note(one.place, one.text);
  add_notes_of_options();
  add_notes_of_unfollowed();
}

}  // namespace tune::described
