// SPDX-License-Identifier: Apache-2.0
// A script of Kernel Tuner: sizes, launch and arguments.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/described/description.hpp"
#include "kernels/described/imports/kernel_tuner_draft.hpp"
#include "kernels/described/imports/python_array.hpp"
#include "kernels/described/imports/python_operators.hpp"
#include "kernels/described/source/first_definition.hpp"
#include "tuner/base/format.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::described {
namespace {

using python::FoundCall;
using python::Value;
using Kind = Value::Kind;
using Use = ScriptNames::Use;
using search::Binding;

constexpr std::array<const char*, 3> axes = {"x", "y", "z"};

/// A definition's name for numpy's; empty for none.
std::string type_for(const std::string& numpy) {
  static const std::pair<std::string_view, std::string_view> other[] = {
      {"float16", "half"}, {"float32", "float"},    {"float64", "double"},
      {"int32", "int"},    {"complex64", "float2"}, {"complex128", "double2"}};
  for (const auto& [from, to] : other)
    if (numpy == from) return std::string(to);
  return type_named(numpy) ? numpy : std::string();
}

std::string number_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return std::to_string(static_cast<std::int64_t>(value));
  return python::literal_of(Value::of(value));
}

/// Returns what becomes of a number in an array of this type.
double as_converted(double number, const TypeName& type) {
  return with_element(type.element, [&]<class T>(T) {
    if constexpr (is_floating<T>)
      return number;
    else
      return std::clamp(std::trunc(number), static_cast<double>(std::numeric_limits<T>::lowest()),
                        static_cast<double>(std::numeric_limits<T>::max()));
  });
}

std::string product(const std::vector<std::string>& factors) {
  return joined(factors, {}, " * ");
}

bool is_one(const Value& value) {
  return value.is_number() && !value.follows() && value.number() == 1;
}

}  // namespace

// ---- launch

/// One to three extents, with names for numbers without one.
std::vector<Value> KernelTunerDraft::extents_of(const Value& problem_size) {
  Value size = problem_size;
  if (size.is(Kind::function)) size = symbolic(size);
  std::vector<Value> all;
  for (Value one : size.is_sequence() ? *size.items : std::vector<Value>{size}) {
    if (one.is(Kind::text)) one = parsed(one.text);
    if (one.is(Kind::real)) one.kind = Kind::whole, one.whole = static_cast<std::int64_t>(one.real);
    all.push_back(one);
  }
  if (all.size() > axes.size()) all.resize(axes.size());
  return all;
}

Value KernelTunerDraft::divisor_of(const Value* divisor, const Value& otherwise) {
  if (divisor == nullptr) return otherwise;
  if (divisor->is(Kind::function)) return symbolic(*divisor);
  if (divisor->is(Kind::text)) {
    const Value value = parsed(divisor->text);
    // Each is rounded down.
    return divisor->text.find('/') == std::string::npos
               ? value
               : python::with_call(value, "int", python::formula_of(value));
  }
  if (!divisor->is_sequence()) return *divisor;
  Value all = Value::of(std::int64_t{1});
  for (const Value& one : *divisor->items) all = python::binary("*", all, divisor_of(&one, otherwise), {});
  return all;
}

KernelTunerDraft::Geometry KernelTunerDraft::geometry_of(const FoundCall& call, bool is_tuned) {
  const auto argument = [&](std::size_t place, std::string_view name) -> const Value* {
    const Value* const value = call.arguments.find(place, name);
    return value == nullptr || value->is(Kind::none) ? nullptr : value;
  };
  Geometry made;
  // run_kernel has no restrictions, answers and so on before this.
  const Value* const named = argument(is_tuned ? 24 : 17, "block_size_names");
  const Value* const params = argument(4, is_tuned ? "tune_params" : "params");
  std::array<Value, 3> blocks;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::string name = format("block_size_{}", axes[i]);
    if (named != nullptr && named->is_sequence() && i < named->items->size()) name = (*named->items)[i].text;
    const bool is_given =
        names_.is_parameter(name) || (!is_tuned && params != nullptr && params->find(name) != nullptr);
    blocks[i] = !is_given                   ? Value::of(std::int64_t{1})
                : names_.is_parameter(name) ? Value::symbol(name)
                                            : *params->find(name);
    Value block = blocks[i];
    if (!is_given && i == 0) block = Value::of(std::int64_t{256});
    made.block.push_back(names_.formula(block, Use::number));
  }
  const Value* const size = argument(2, "problem_size");
  const std::vector<Value> extents = size == nullptr ? std::vector<Value>() : extents_of(*size);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Value one = Value::of(std::int64_t{1});
    Value extent = i < extents.size() ? extents[i] : one;
    const Value divisor = divisor_of(argument(5 + i, format("grid_div_{}", axes[i])),
                                     i == 0 && made.block[0] == "256" ? one : blocks[i]);
    std::string text;
    if (extent.is(Kind::whole) && !extent.follows() && extent.whole > 1)
      text = names_.size_for(extents.size() == 1 ? "n" : format("problem_size_{}", axes[i]), extent.whole);
    else
      text = names_.formula(extent, Use::grid);
    if (text.empty()) {
      made.guess = format("the grid in blocks: {} for the size of the work", said(extent));
      text = names_.size_for(format("problem_size_{}", axes[i]), 1024);
    }
    if (!is_one(extent)) made.size.push_back(text);
    std::string by = names_.formula(divisor, Use::number);
    if (by.empty()) {
      by = "1";
      made.guess = format("the grid in blocks: what divides along {} cannot be followed", axes[i]);
    }
    made.grid.push_back(by == "1" ? text : text == "1" ? "1" : format("ceil_div({}, {})", text, by));
  }
  while (made.grid.size() > 1 && made.grid.back() == "1" && made.block.back() == "1") {
    made.grid.pop_back();
    made.block.pop_back();
  }
  if (made.size.empty()) made.size = {names_.sizes().empty() ? "1" : names_.sizes().front().name};
  return made;
}

void KernelTunerDraft::add_launch() {
  const auto texts = [](const std::vector<std::string>& formulas) {
    std::vector<std::string> all;
    for (const std::string& one : formulas) all.push_back(as_json(one));
    return json_extents(all);
  };
  std::string entry = entry_;
  if (!base_.draft.launches.empty()) {  // with its namespaces
    const std::string own = base_.draft.launches.front().front().json;
    entry = own.substr(1, own.find_first_of("<\"", 1) - 1) +
            (entry_.find('<') == std::string::npos ? "" : entry_.substr(entry_.find('<')));
  }
  DraftLaunch launch = {{"entry", as_json(entry)},
                        {"grid", texts(geometry_.grid), geometry_.guess},
                        {"block", texts(geometry_.block)}};
  if (const Value* const shared = given(16, "smem_args"); shared != nullptr) {
    const Value* const size = shared->find("size");
    Value bytes = size == nullptr ? Value() : *size;
    if (bytes.is(Kind::function)) bytes = symbolic(bytes);
    if (bytes.is(Kind::text)) bytes = parsed(bytes.text);
    const std::string formula = names_.formula(bytes, Use::number);
    launch.push_back({"shared", as_json(formula.empty() ? "0" : formula),
                      formula.empty() ? "bytes of dynamic shared memory: " + said(16, "smem_args") : ""});
  }
  draft_.launches = {launch};
}

// ---- arguments

std::string KernelTunerDraft::fill_of(const python::Array& array, std::string& guess) {
  const python::ArrayContents& is = array.contents;
  using Fill = python::ArrayContents::Kind;
  const std::optional<TypeName> type = type_named(array.type);
  const auto element_text = [&](double number) {
    return number_text(type ? as_converted(number, *type) : number);
  };
  switch (is.kind) {
    case Fill::constant:
      return element_text(is.low);
    case Fill::random:
      if (is.bound != nullptr)
        if (const std::string high = names_.formula(*is.bound, Use::number); !high.empty())
          return format("{{\"random\": [{}, {}]}}", element_text(is.low), as_json(high));
      return format("{{\"random\": [{}, {}]}}", element_text(is.low), element_text(is.high));
    case Fill::sequence:
      return format("{{\"from\": {}, \"step\": {}}}", element_text(is.low), number_text(is.high));
    case Fill::listed: {
      constexpr std::size_t most = 256;
      std::vector<std::string> all;
      for (const double one : is.listed) all.push_back(element_text(one));
      if (all.size() <= most) return format("{{\"formula\": \"[{}][i]\"}}", joined(all));
      break;
    }
    case Fill::unknown:
      break;
  }
  guess = "its contents" +
          (is.why.empty() ? "" : format(": the script has '{}'", shortened(one_line(is.why), 80)));
  const bool is_whole = array.type.starts_with("int") || array.type.starts_with("uint");
  return is_whole ? R"({"random": [0, 1]})" : R"({"random": [-1, 1]})";
}

/// The argument that holds the same elements: the script passes an array twice, or a copy of it. Empty for
/// none, and where the elements are the same anyway.
std::string KernelTunerDraft::argument_with(const python::Array& array) const {
  using Fill = python::ArrayContents::Kind;
  const python::ArrayContents& is = array.contents;
  if (is.kind != Fill::random && is.kind != Fill::unknown) return {};
  for (const auto& [known, name] : filled_) {
    const bool is_copy = is.draw != nullptr && known->contents.draw == is.draw && known->type == array.type;
    if (known.get() == &array || is_copy) return name;
  }
  return {};
}

DraftObject KernelTunerDraft::array_argument(const std::string& name, const Value& value,
                                             const DraftObject* known) {
  const python::Array& array = *value.array;
  DraftObject argument{name};
  std::string type = type_for(array.type), guess;
  for (const auto& [setting, values] : types_)
    if (setting == array.type) type = setting;
  if (type.empty()) {
    argument.add_guess(format("what is '{}'?", array.type));
    type = "float";
  }
  if (known != nullptr && known->find("type").size() > 2) {  // as the kernel has it
    const auto own = type_named(known->find("type").substr(1, known->find("type").size() - 2)),
               here = type_named(type);
    if (own && here && own->element == here->element && own->components == here->components &&
        own->is_bool == here->is_bool)
      type = known->find("type").substr(1, known->find("type").size() - 2);
  }
  argument.set("type", as_json(type));
  std::vector<std::string> extents;
  for (auto extent = array.shape.rbegin(); extent != array.shape.rend(); ++extent)
    extents.push_back(names_.formula(*extent, Use::extent));
  const bool is_known = !extents.empty() && std::ranges::none_of(extents, &std::string::empty);
  if (!is_known) {
    extents = {product(geometry_.size)};
    argument.add_guess("its size" + (array.shape.empty() ? "" : ": " + said(array.shape.front())));
  } else if (extents.size() > axes.size()) {
    extents = {joined(
        array.shape, [&](const Value& one) { return names_.operand(one, Use::extent, Binding::product); },
        " * ")};
  }
  std::vector<std::string> texts;
  for (const std::string& one : extents) texts.push_back(as_json(one));
  argument.set("size", json_extents(texts));
  const std::string access = known == nullptr ? "" : std::string(known->find("access"));
  const Value* const answers = given(9, "answer");
  const std::size_t place = values_.size();
  const bool is_answer = answers != nullptr && answers->is_sequence() && place < answers->items->size() &&
                         !(*answers->items)[place].is(Kind::none);
  // Only written: all of it, if it is as large as the work.
  std::vector<std::string> flat = geometry_.size;
  const bool is_of_work = product(extents) == product(flat);
  const bool is_write = access == "\"write\"" && (is_of_work || extents == flat) &&
                        array.contents.kind == python::ArrayContents::Kind::constant;
  if (is_write) {
    argument.set("access", access);
  } else if (!access.empty() || is_answer) {
    argument.set("access", as_json("both"));
  } else if (known == nullptr && !base_.why_not.empty()) {
    argument.set("access", as_json("both"));
    argument.add_guess("is it read, written or both?");
  }
  if (known != nullptr && known->guess.find("read, written or both") != std::string::npos && !is_answer)
    argument.add_guess("is it read, written or both?");
  if (const std::string same = argument_with(array); !same.empty()) {
    argument.set("fill", format("{{\"as\": {}}}", as_json(same)));
  } else if (!is_write) {
    argument.set("fill", fill_of(array, guess));
    filled_.emplace_back(value.array, name);
  }
  argument.add_guess(guess);
  if (known != nullptr && !known->find("texture").empty())
    argument.set("texture", std::string(known->find("texture")));
  return argument;
}

DraftObject KernelTunerDraft::number_argument(const std::string& name, const Value& value,
                                              const DraftObject* known) {
  DraftObject argument{name};
  std::string type = type_for(value.type.empty() ? (value.is(Kind::real) ? "float64" : "int64") : value.type);
  if (known != nullptr && known->find("type").size() > 2) {
    const std::string own(known->find("type").substr(1, known->find("type").size() - 2));
    const auto is = type_named(own), here = type_named(type);
    if (value.type.empty() ||
        (is && here && is->element == here->element && is->components == here->components))
      type = own;
  }
  argument.set("type", as_json(type));
  const std::string formula = names_.formula(value, Use::number);
  const bool is_number = value.is_number() && formula == python::literal_of(value);
  if (formula.empty()) {
    argument.set("value", "1");
    argument.add_guess("its value: " + said(value));
  } else {
    argument.set("value", is_number && !value.is(Kind::boolean) ? formula
                          : value.is(Kind::boolean)             ? (value.flag ? "1" : "0")
                                                                : as_json(formula));
  }
  return argument;
}

void KernelTunerDraft::add_arguments() {
  const Value* const all = given(3, "arguments");
  const auto items = all == nullptr ? std::nullopt : script_.items_of(*all);
  const std::size_t count = base_.facts.parameters.size();
  const auto known_at = [&](std::size_t i) -> const DraftObject* {
    return i < count && i < base_.draft.arguments.size() ? &base_.draft.arguments[i] : nullptr;
  };
  // A parameter that is the type of an array is a setting: arrays are the same for all configurations.
  for (const Value& value : items ? *items : std::vector<Value>())
    if (value.is(Kind::array))
      if (const auto own = std::ranges::find(parameters_, value.array->type,
                                             &std::pair<std::string, std::vector<Value>>::first);
          own != parameters_.end()) {
        std::erase_if(draft_.parameters, [&](const DraftObject& one) { return one.name == own->first; });
        types_.push_back(*own);
        parameters_.erase(own);
      }
  // Arrays first: their extents become sizes, which numbers then are.
  if (items)
    for (const Value& value : *items)
      if (value.is(Kind::array))
        for (const Value& extent : value.array->shape) static_cast<void>(names_.formula(extent, Use::extent));
  const std::size_t number = items ? items->size() : count;
  if (items && count > 0 && number != count)
    note(place_of(3, "arguments"),
         format("the script passes {} arguments, the kernel has {}", number, count));
  for (std::size_t i = 0; i < number; ++i) {
    const Value value = items ? (*items)[i] : Value();
    const DraftObject* const known = known_at(i);
    const std::string name = known != nullptr ? known->name : format("argument_{}", i + 1);
    DraftObject argument;
    if (value.is(Kind::array) && value.array->call < 0) {
      argument = array_argument(name, value, known);
    } else if (value.is_number() || value.is(Kind::symbol)) {
      argument = number_argument(name, value, known);
    } else if (known != nullptr) {
      argument = *known;
      if (const std::string_view type = argument.find("type");
          type.size() > 2 && !type_named(type.substr(1, type.size() - 2)))
        argument.set("type", as_json("float"));

      std::vector<std::string> extents;
      for (const std::string& one : geometry_.size) extents.push_back(as_json(one));
      if (!argument.find("size").empty()) argument.set("size", json_extents(extents));
      if (argument.find("value").starts_with('"')) argument.set("value", "1");
      argument.guess = (argument.find("size").empty() ? "its value" : "its size and contents") +
                       (value.text.empty() ? "" : ": " + said(value));
    } else {
      argument = {name,
                  {{"type", as_json("float")},
                   {"size", as_json(product(geometry_.size))},
                   {"access", as_json("both")}},
                  "its type, size and contents: " + said(value)};
    }
    values_.emplace_back(value, name);
    draft_.arguments.push_back(std::move(argument));
  }
}

void KernelTunerDraft::add_constants() {
  const std::size_t count = base_.facts.parameters.size();
  const Value* const arrays = given(17, "cmem_args");
  std::vector<std::string> done;
  if (arrays != nullptr && arrays->is(Kind::dict))
    for (const auto& [key, value] : *arrays->pairs) {
      const DraftObject* known = nullptr;
      for (std::size_t i = count; i < base_.draft.arguments.size(); ++i)
        if (base_.draft.arguments[i].find("symbol") == as_json(key.text)) known = &base_.draft.arguments[i];
      std::string name = known != nullptr ? known->name : key.text;
      if (draft_.argument(name) != nullptr) name += "_constant";
      if (!value.is(Kind::array)) {
        DraftObject argument =
            known != nullptr ? *known : DraftObject{name, {{"type", as_json("float")}, {"size", "1"}}};
        argument.set("symbol", as_json(key.text));
        argument.guess = "its size and contents: " + said(value);
        draft_.arguments.push_back(std::move(argument));
      } else {
        DraftObject argument = array_argument(name, value, known);
        argument.remove("access");
        argument.set("symbol", as_json(key.text));
        draft_.arguments.push_back(std::move(argument));
      }
      done.push_back(as_json(key.text));
    }
  for (std::size_t i = count; i < base_.draft.arguments.size(); ++i) {
    DraftObject argument = base_.draft.arguments[i];
    if (std::ranges::find(done, argument.find("symbol")) != done.end()) continue;
    argument.add_guess("the script does not fill it");
    draft_.arguments.push_back(std::move(argument));
  }
  if (const Value* const textures = given(18, "texmem_args"); textures != nullptr && textures->is(Kind::dict))
    for (const auto& pair : *textures->pairs)
      draft_.missing.push_back(
          format("texture references ('{}') do not exist from CUDA 12 on: give the kernel an argument "
                 "cudaTextureObject_t, and 'texture' to its array",
                 pair.first.text));
}

// ---- sizes

/// What sizes of checks must be multiples of, for whole blocks.
std::int64_t KernelTunerDraft::whole_multiple() const {
  std::int64_t most = 1;
  for (const std::string& grid : geometry_.grid) {
    std::int64_t multiple = 1;
    for (const auto& [name, values] : parameters_) {
      const std::size_t comma = grid.find(", ");
      if (!grid.starts_with("ceil_div(") || comma == std::string::npos || !has_word(grid.substr(comma), name))
        continue;
      std::int64_t of_values = 1;
      for (const Value& value : values)
        if (value.is_whole() && value.integer() > 0 && of_values < (1 << 20))
          of_values = std::lcm(of_values, value.integer());
      multiple = std::min<std::int64_t>(multiple * of_values, 1 << 20);
    }
    most = std::max(most, multiple);
  }
  return most;
}

void KernelTunerDraft::add_sizes() {
  std::vector<ScriptSize>& sizes = names_.sizes();
  const bool has_fixed = !macros_of_sizes(base_, sizes).empty();
  if (sizes.empty()) sizes.push_back({"n", 1, 1, false});
  const bool is_whole = base_.is_whole;
  choose_check_sizes(sizes, is_whole ? whole_multiple() : 0, has_fixed);
  std::vector<std::string> all, small, open;
  for (const ScriptSize& size : sizes) {
    all.push_back(format("{}: {}", as_json(size.name), size.value));
    small.push_back(format("{}: {}", as_json(size.name), size.check));
    if (!size.is_given) open.push_back(size.name);
  }
  draft_.work.push_back(
      {"sizes", "{" + joined(all) + "}",
       open.empty() ? "" : format("the script does not have the value of {}", joined(open))});
  draft_.work.push_back({"check", "[{" + joined(small) + "}]",
                         is_whole ? "small sizes for checks; the kernel seems to need whole blocks"
                                  : "small sizes for checks; add odd ones if the kernel takes them"});
  if (types_.empty()) return;
  std::vector<std::string> settings;
  for (const auto& [name, values] : types_)
    settings.push_back(format("{}: {{\"values\": [{}]}}", as_json(name),
                              joined(values, [](const Value& one) { return as_json(one.text); })));
  draft_.work.push_back(
      {"settings", "{" + joined(settings) + "}", "a parameter of the script, but results depend on it"});
}

}  // namespace tune::described
