// SPDX-License-Identifier: Apache-2.0
// A script of Kernel Tuner: what results are compared with.
#include <algorithm>
#include <string>
#include <utility>

#include "kernels/described/imports/kernel_tuner_draft.hpp"
#include "kernels/described/source/first_definition.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {

namespace {

using python::FoundCall;
using python::Value;
using Kind = Value::Kind;

}  // namespace

std::vector<std::string> KernelTunerDraft::names_of_arguments(const FoundCall& call) const {
  const Value* const all = call.arguments.find(3, "arguments");
  std::vector<std::string> names;
  if (all == nullptr || !all->is_sequence()) return names;
  for (std::size_t i = 0; i < all->items->size(); ++i) {
    const Value& value = (*all->items)[i];
    const auto is_it = [&](const auto& known) {
      return value.is(Kind::array) ? known.first.array == value.array : python::equal(known.first, value);
    };
    // The same place first: two arguments may have one value.
    const bool is_here = i < values_.size() && is_it(values_[i]);
    const auto found =
        is_here ? values_.begin() + static_cast<std::ptrdiff_t>(i) : std::ranges::find_if(values_, is_it);
    if (found == values_.end()) return {};
    names.push_back(found->second);
  }
  return names;
}

/// An answer that run_kernel computes: that kernel is the reference. Returns false where it is none.
bool KernelTunerDraft::add_reference(const Value& answer) {
  if (!answer.is_sequence()) return false;
  for (const Value& one : *answer.items) {
    if (!one.is(Kind::array) || one.array->call < 0) continue;
    const auto call = std::ranges::find(script_.calls(), one.array->call, &FoundCall::node);
    if (call == script_.calls().end() || call->function != "run_kernel") continue;
    const Value* const name = call->arguments.find(0, "kernel_name");
    const Value* const source = call->arguments.find(1, "kernel_source");
    const Value* const params = call->arguments.find(4, "params");
    const std::vector<std::string> arguments = names_of_arguments(*call);
    const bool is_same = source != nullptr && given(1, "kernel_source") != nullptr &&
                         (python::equal(*source, *given(1, "kernel_source")) ||
                          source->origin == given(1, "kernel_source")->text);
    std::string file = is_same ? file_ : "";
    if (!is_same && source != nullptr && !source->origin.empty() && request_.name_of)
      file = request_.name_of(request_.path.parent_path() / source->origin);
    if (name == nullptr || !name->is(Kind::text) || file.empty() || arguments.empty() || params == nullptr ||
        !params->is(Kind::dict))
      return false;
    const Geometry geometry = geometry_of(*call, false);
    std::vector<std::string> defines, configuration, quoted;
    for (const auto& [key, value] : *params->pairs) {
      const auto own =
          std::ranges::find(parameters_, key.text, &std::pair<std::string, std::vector<Value>>::first);
      const bool is_value =
          own != parameters_.end() && std::ranges::any_of(own->second, [&given = value](const Value& known) {
            return python::equal(known, given);
          });
      (is_value ? configuration : defines)
          .push_back(format("{}: {}", as_json(key.text), python::literal_of(value)));
    }
    const auto texts = [](const std::vector<std::string>& formulas) {
      std::vector<std::string> all;
      for (const std::string& formula : formulas) all.push_back(as_json(formula));
      return json_extents(all);
    };
    for (const std::string& argument : arguments) quoted.push_back(as_json(argument));
    std::string kernel = as_json(file);
    std::string more;
    for (const DraftField& field : draft_.kernel)
      if (field.name == "redefine" || field.name == "include" || field.name == "options")
        more += format(", {}: {}", as_json(field.name), field.json);
    if (!defines.empty()) more += format(", \"defines\": {{{}}}", joined(defines));
    if (!more.empty()) kernel = format("{{\"file\": {}{}}}", kernel, more);
    std::string text = format(
        "{{\"kernel\": {},\n    \"launches\": {{\"entry\": {}, \"grid\": {}, \"block\": {}, \"arguments\": {}}}",
        kernel, as_json(name->text), texts(geometry.grid), texts(geometry.block), json_list(quoted));
    if (!configuration.empty()) text += format(",\n    \"configuration\": {{{}}}", joined(configuration));
    draft_.results.push_back({"reference", text + "}"});
    return true;
  }
  return false;
}

bool KernelTunerDraft::add_expected(const Value& answer) {
  if (!answer.is_sequence()) return false;
  bool is_all = true;
  for (std::size_t i = 0; i < answer.items->size(); ++i) {
    const Value& one = (*answer.items)[i];
    if (one.is(Kind::none)) continue;
    using Fill = python::ArrayContents::Kind;
    const bool is_fill = one.is(Kind::array) && (one.array->contents.kind == Fill::constant ||
                                                 one.array->contents.kind == Fill::sequence ||
                                                 one.array->contents.kind == Fill::listed);
    DraftObject* const argument = i < values_.size() ? draft_.argument(values_[i].second) : nullptr;
    std::string guess;
    const std::string fill = is_fill && argument != nullptr ? fill_of(*one.array, guess) : std::string();
    if (fill.empty() || !guess.empty()) {
      is_all = false;
      continue;
    }
    argument->set("expect", fill);
  }
  return is_all;
}

/// Kernel Tuner compares no argument whose answer is None.
void KernelTunerDraft::add_note_of_uncompared(const Value& answer) {
  if (!answer.is_sequence()) return;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(answer.items->size(), values_.size()); ++i) {
    const DraftObject* const argument = draft_.argument(values_[i].second);
    const bool is_output = argument != nullptr && (argument->find("access") == "\"write\"" ||
                                                   argument->find("access") == "\"both\"");
    if (is_output && (*answer.items)[i].is(Kind::none)) names.push_back(values_[i].second);
  }
  if (!names.empty())
    note(place_of(9, "answer"), format("answer: the script does not compare {}, the definition does; "
                                       "\"access\": \"scratch\" leaves an array out",
                                       joined(names)));
}

void KernelTunerDraft::add_results() {
  const Value* const answer = given(9, "answer");
  if (answer != nullptr) add_note_of_uncompared(*answer);
  const bool has_reference = answer != nullptr && (add_reference(*answer) || add_expected(*answer));
  if (!has_reference) {
    std::vector<std::string> same;
    for (const std::string& name : base_.draft.same)
      if (names_.is_parameter(name)) same.push_back(name);
    DraftField reference = guessed_reference(same, base_.facts);
    if (answer != nullptr) {
      Value compared = Value::unknown(text_of(9, "answer"));
      compared.place = place_of(9, "answer");
      if (answer->is_sequence())
        for (const Value& one : *answer->items) {
          if (one.is(Kind::unknown)) compared = one;
          if (one.is(Kind::array) && !one.array->contents.why.empty())
            compared.text = one.array->contents.why;
        }
      reference.guess = "the default configuration counts as right; to compare, " + said(compared);
    }
    draft_.results.push_back(std::move(reference));
  }
  if (const Value* const bound = given(10, "atol"); bound != nullptr && bound->is_number())
    draft_.results.push_back(
        {"tolerance", format("{{\"absolute\": {}, \"relative\": 1e-05}}", python::literal_of(*bound))});
  std::vector<std::string> items;
  for (const std::string& one : geometry_.size)
    if (names_.is_size(one)) items.push_back(one);
  if (items.empty()) items = {names_.sizes().front().name};
  draft_.results.push_back(
      {"work",
       format("{{\"items\": {}, \"item\": \"element\", \"flops\": 0}}", as_json(joined(items, {}, " * "))),
       "for rates: the operations, as a formula (\"flops\")"});
}

}  // namespace tune::described
