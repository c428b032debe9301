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

std::string in_line(int line) {
  return line > 0 ? format(" (line {})", line) : std::string();
}

std::string told(const Unfollowed& statement) {
  const std::string names = joined(statement.names), what = quoted(statement.text);
  switch (statement.kind) {
    case Unfollowed::Kind::condition:
      return format("whether {} holds is not known: each way counts, the last one of several for {}", what,
                    names.empty() ? "what it changes" : names);
    case Unfollowed::Kind::loop:
      return format("the loop over {} cannot be followed: add what it gives {}", what,
                    names.empty() ? "the call in it" : names);
    case Unfollowed::Kind::values:
      return format("{} cannot be followed: add what it changes", what);
    case Unfollowed::Kind::end:
      break;
  }
  return "the script takes too many steps: what it does from here on is not followed";
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

int KernelTunerDraft::line_of(std::size_t place, std::string_view name) const {
  const FoundCall::Text* const words = words_of(place, name);
  return words == nullptr ? call_.line : words->line;
}

std::string KernelTunerDraft::said(std::size_t place, std::string_view name) const {
  return format("the script has '{}'{}", text_of(place, name), in_line(line_of(place, name)));
}

std::string KernelTunerDraft::said(const Value& value) {
  const std::string known = python::text_of(value);
  if (!known.empty() || !value.is_sequence())
    return format("the script has {}{}", quoted(known.empty() ? value.text : known), in_line(value.line));
  const auto unknown = std::ranges::find(*value.items, Kind::unknown, &Value::kind);
  return unknown == value.items->end() ? "the script has other values than numbers and texts"
                                       : said(*unknown);
}

void KernelTunerDraft::note(int line, const std::string& text) {
  result_.notes.push_back(format("{}:{}: {}", request_.path.string(), line, text));
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
          "not used; times, registers, occupancy, and energy where the device tells it, are recorded anyway"},
      Option{35, "objectives", "a run has one: give \"objective\" in the definition"},
      Option{36, "seed", "an option of a run: --seed N"}};
  for (const auto& [place, name, cure] : options)
    if (const Value* const value = given(place, name);
        value != nullptr && python::truth(*value) != python::Truth::no)
      note(line_of(place, name), format("{}: {}", name, cure));
  if (const Value* const name = given(26, "strategy"); name != nullptr) {
    const std::string own = name->is(Kind::text) ? t1::strategy_named(name->text) : "";
    note(line_of(26, "strategy"),
         own.empty()
             ? format("strategy: there is no '{}' here; a run takes the default one, or that of --strategy",
                      text_of(26, "strategy"))
             : format("strategy: a run takes it from its options: --strategy {}", own));
  }
  if (given(11, "verify") != nullptr)
    note(line_of(11, "verify"),
         format(
             "verify: the script judges results with '{}', which is not followed: write it as a program or a "
             "kernel for \"verify\" of the definition",
             text_of(11, "verify")));
}

void KernelTunerDraft::add_notes_of_unfollowed() {
  for (std::size_t i = 0; i < std::min(call_.unfollowed, script_.unfollowed().size()); ++i)
    note(script_.unfollowed()[i].line, told(script_.unfollowed()[i]));
  for (const FoundCall::Text& one : call_.texts)
    if (one.name.empty())
      note(one.line, format("{} cannot be followed: add what it gives tune_kernel", quoted(one.text)));
  if (call_.times > 1)
    note(call_.line,
         format("the script comes here {} times: the definition is that of the first; write one for "
                "each of the others",
                call_.times));
  for (const auto& [module, line] : script_.modules()) {
    std::string file = module;
    file.erase(0, std::min(file.find_first_not_of('.'), file.size()));
    std::ranges::replace(file, '.', '/');
    if (!file.empty() && request_.read && request_.read(file + ".py"))
      note(line, format("{}.py: the script takes names from it, but no other file is followed: copy what the "
                        "kernel's arguments and parameters need into the script, and import it again",
                        file));
  }
}

void KernelTunerDraft::add_notes() {
  for (const python::Assumption& one : script_.assumptions()) note(one.line, one.text);
  add_notes_of_options();
  add_notes_of_unfollowed();
}

}  // namespace tune::described
