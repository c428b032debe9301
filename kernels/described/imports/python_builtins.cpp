// SPDX-License-Identifier: Apache-2.0
// What Python's own functions do with values that are followed.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "kernels/described/imports/python_array.hpp"
#include "kernels/described/imports/python_follower.hpp"
#include "kernels/described/imports/python_operators.hpp"
#include "tuner/base/format.hpp"

namespace tune::described::python {
namespace {

using Kind = Value::Kind;

/// A whole number of a real one, or of a text.
Value whole_of(const Value& value, std::string_view text) {
  if (value.is(Kind::symbol)) return Value::symbol(value.formula, value.binding);
  if (value.is_whole()) {
    Value same = Value::of(value.integer());
    same.formula = value.formula;
    same.binding = value.binding;
    return same;
  }
  if (value.is(Kind::real) && std::abs(value.real) < 9e18) {
    Value whole = Value::of(static_cast<std::int64_t>(value.real));
    return value.follows() ? with_call(whole, "int", value.formula) : whole;
  }
  if (value.is(Kind::text)) {
    const auto number = Follower::expression(value.text, [](std::string_view) { return Value(); });
    return number.is(Kind::whole) ? number : Value::unknown(text);
  }
  // A number that the caller of the script gives: only the name that it gets is known.
  if (value.is(Kind::unknown) || value.is(Kind::object)) return Value::symbol("");
  return Value::unknown(text);
}

Value real_of(const Value& value, std::string_view text) {
  if (!value.is_number()) return value.is(Kind::symbol) ? value : Value::unknown(text);
  Value real = Value::of(value.number());
  real.formula = value.formula;
  real.binding = value.binding;
  return real;
}

/// A function of one number: of `math`, of numpy, or the language's own.
std::optional<double> rounded(std::string_view name, double value) {
  if (name == "ceil") return std::ceil(value);
  if (name == "floor" || name == "trunc") return std::floor(value);
  if (name == "sqrt" && value >= 0) return std::sqrt(value);
  if (name == "log2" && value > 0) return std::log2(value);
  if (is_one_of(name, {"abs", "absolute", "fabs"})) return std::abs(value);
  if (is_one_of(name, {"round", "rint"})) return std::nearbyint(value);
  return std::nullopt;
}

/// Its name in formulas.
std::string_view in_formulas(std::string_view name) {
  return name == "trunc"                         ? "int"
         : name == "rint"                        ? "round"
         : is_one_of(name, {"absolute", "fabs"}) ? "abs"
                                                 : name;
}

Value of_number(const std::string& name, const Value& value, std::string_view text) {
  if (value.is(Kind::symbol)) return with_call(value, in_formulas(name), value.formula);
  if (!value.is_number()) return Value::unknown(text);
  const auto result = rounded(name, value.number());
  if (!result) return Value::unknown(text);
  Value known = name != "sqrt" && name != "log2" && std::abs(*result) < 9e15 &&
                        (value.is_whole() || !is_one_of(name, {"abs", "absolute", "fabs"}))
                    ? Value::of(static_cast<std::int64_t>(*result))
                    : Value::of(*result);
  return value.follows() ? with_call(known, in_formulas(name), value.formula) : known;
}

}  // namespace

/// `int`, `float`, `bool`, `str`.
Value Follower::conversion(const Call& call) {
  const Value first = call.arguments.at(0);
  const std::string_view all = text(call.node);
  if (call.name == "int") return whole_of(first, all);
  if (call.name == "float") return real_of(first, all);
  if (call.name == "bool") {
    const Truth is = truth(first);
    if (is != Truth::unknown) return Value::of(is == Truth::yes);
    return first.is(Kind::symbol) ? first : Value::unknown(all);
  }
  const std::string shown = text_of(first);
  return shown.empty() && !first.is(Kind::text) ? Value::unknown(all) : Value::of(shown);
}

Value Follower::extreme(const Call& call) {
  const int node = call.node;
  Value::Items all = call.arguments.positional;
  std::string whole_list;
  if (all.size() == 1) {
    const Value list = all.front();
    if (list.is(Kind::array)) return Value::unknown(text(node));
    const auto items = items_of(list);
    if (!items) return Value::unknown(text(node));
    all = *items;
    whole_list = list.origin;
  }
  if (all.empty()) return Value::unknown(text(node));
  const bool is_known = std::ranges::all_of(all, [](const Value& one) { return one.is_number(); });
  const auto less = [](const Value& a, const Value& b) { return a.number() < b.number(); };
  Value result = is_known ? (call.name == "max" ? *std::ranges::max_element(all, less)
                                                : *std::ranges::min_element(all, less))
                          : Value::symbol("");
  if (!whole_list.empty()) return with_call(result, call.name, whole_list);
  if (is_known && std::ranges::none_of(all, &Value::follows)) return result;
  std::vector<std::string> formulas;
  for (const Value& one : all) {
    formulas.push_back(formula_of(one));
    if (formulas.back().empty()) return is_known ? result : Value::unknown(text(node));
  }
  return with_call(result, call.name, joined(formulas));
}

Value Follower::range(const Call& call) {
  const auto& [name, arguments, node] = call;
  std::int64_t begin = 0, end = 0, step = 1;
  for (const Value& one : arguments.positional)
    if (!one.is_whole()) return Value::unknown(text(node));
  if (arguments.positional.empty() || arguments.positional.size() > 3) return Value::unknown(text(node));
  (arguments.positional.size() == 1 ? end : begin) = arguments.positional[0].integer();
  if (arguments.positional.size() > 1) end = arguments.positional[1].integer();
  if (arguments.positional.size() > 2) step = arguments.positional[2].integer();
  if (step == 0) return Value::unknown(text(node));
  Value::Items all;
  for (std::int64_t i = begin; step > 0 ? i < end : i > end;) {
    all.push_back(Value::of(i));
    if (all.size() > longest_value / 10 || !spend() || __builtin_add_overflow(i, step, &i))
      return Value::unknown(text(node));
  }
  return Value::sequence(Kind::list, std::move(all));
}

/// `abs`, `ceil`, `sqrt` and the like.
Value Follower::function_of_number(const Call& call) {
  const Value first = call.arguments.at(0);
  if (first.is(Kind::array)) return array_of_function(call.name, first, text(call.node));
  if (call.name == "round" && call.arguments.positional.size() > 1) return Value::unknown(text(call.node));
  return of_number(call.name, first, text(call.node));
}

Value Follower::power(const Call& call) {
  if (call.arguments.positional.size() != 2) return Value::unknown(text(call.node));
  return binary("**", call.arguments.at(0), call.arguments.at(1), text(call.node));
}

Value Follower::length(const Call& call) {
  const Value first = call.arguments.at(0);
  if (first.is(Kind::text)) return Value::of(static_cast<std::int64_t>(first.text.size()));
  if (first.is(Kind::array) && !first.array->shape.empty()) return first.array->shape.front();
  const auto items = items_of(first);
  return items ? Value::of(static_cast<std::int64_t>(items->size())) : Value::unknown(text(call.node));
}

/// `list`, `tuple`, `set`, `sorted`, `reversed`.
Value Follower::made_list(const Call& call) {
  const auto& [name, arguments, node] = call;
  const Value first = arguments.at(0);
  if (first.is(Kind::array) && !items_of(first)) return first;
  auto items = arguments.positional.empty() ? std::optional(Value::Items()) : items_of(first);
  if (!items) return Value::unknown(text(node));
  if (name == "reversed") std::ranges::reverse(*items);
  if (name == "set") {
    Value::Items once;
    for (const Value& one : *items) {
      if (!spend(once.size() / 8 + 1)) return Value::unknown(text(node));
      if (std::ranges::none_of(once, [&](const Value& known) { return equal(known, one); }))
        once.push_back(one);
    }
    items = std::move(once);
  }
  if (name == "sorted") {
    const bool is_numbers = std::ranges::all_of(*items, [](const Value& one) { return one.is_number(); });
    if (!is_numbers || !arguments.named.empty()) return Value::sequence(Kind::list, std::move(*items));
    std::ranges::stable_sort(*items, [](const Value& a, const Value& b) { return a.number() < b.number(); });
  }
  const Kind kind = name == "tuple" ? Kind::tuple : name == "set" ? Kind::set : Kind::list;
  return Value::sequence(kind, std::move(*items));
}

Value Follower::made_dict(const Call& call) {
  const Value first = call.arguments.at(0);
  Value all = Value::dict();
  if (first.is(Kind::dict)) {
    for (const auto& [key, value] : *first.pairs) all.set(key, value);
  } else if (const auto items = items_of(first)) {
    for (const Value& one : *items)
      if (one.is_sequence() && one.items->size() == 2)
        all.set((*one.items)[0], (*one.items)[1]);
      else
        all.set(unknown_at(call.node), one);
  } else if (!call.arguments.positional.empty() || call.arguments.has_unknown) {
    all.set(unknown_at(call.node), first);
  }
  for (const auto& [key, value] : call.arguments.named) all.set(Value::of(key), value);
  return all;
}

/// `sum`, `prod`, `all`, `any`.
Value Follower::folded(const Call& call) {
  const auto& [name, arguments, node] = call;
  const auto items = items_of(arguments.at(0));
  if (!items) return Value::unknown(text(node));
  Value all = name == "sum"    ? Value::of(std::int64_t{0})
              : name == "prod" ? Value::of(std::int64_t{1})
                               : Value::of(name == "all");
  for (const Value& one : *items) {
    if (!spend()) return Value::unknown(text(node));
    if (name == "sum" || name == "prod") {
      all = binary(name == "sum" ? "+" : "*", all, one, text(node));
    } else if (const Truth is = truth(one); is != Truth::unknown) {
      if ((is == Truth::yes) == (name == "any")) return Value::of(name == "any");
    } else if (truth(all) != Truth::unknown) {
      all = one;
    } else {
      all = name == "all" ? chosen(all, one, Value::of(false)) : chosen(all, Value::of(true), one);
    }
  }
  return all;
}

/// The elements of several lists; nothing where one is none.
std::optional<std::vector<Value::Items>> Follower::lists_of(const Value::Items& values) {
  std::vector<Value::Items> lists;
  for (const Value& one : values) {
    auto items = items_of(one);
    if (!items) return std::nullopt;
    lists.push_back(std::move(*items));
  }
  return lists;
}

/// `enumerate`, `zip`.
Value Follower::rows(const Call& call) {
  const auto lists = lists_of(call.arguments.positional);
  if (!lists || lists->empty()) return Value::unknown(text(call.node));
  std::size_t size = lists->front().size();
  for (const Value::Items& list : *lists) size = std::min(size, list.size());
  Value::Items all;
  for (std::size_t i = 0; i < size && spend(); ++i) {
    Value::Items row;
    if (call.name == "enumerate") row.push_back(Value::of(static_cast<std::int64_t>(i)));
    for (const Value::Items& list : *lists) row.push_back(list[i]);
    all.push_back(Value::sequence(Kind::tuple, std::move(row)));
  }
  return Value::sequence(Kind::list, std::move(all));
}

/// `map`, `filter`.
Value Follower::mapped(const Call& call) {
  const Value first = call.arguments.at(0);
  const auto items = items_of(call.arguments.at(1));
  const bool is_of_library = first.is(Kind::object);
  if ((!first.is(Kind::function) && !is_of_library) || !items) return Value::unknown(text(call.node));
  Value::Items all;
  for (const Value& one : *items) {
    const Arguments arguments{{one}, {}, false};
    const Value made =
        is_of_library ? call_object(first.text, arguments, call.node) : this->call(first, arguments);
    if (call.name == "map")
      all.push_back(made);
    else if (truth(made) != Truth::no)
      all.push_back(one);
  }
  return Value::sequence(Kind::list, std::move(all));
}

Value Follower::call_builtin(const std::string& name, const Arguments& arguments, int node) {
  struct Entry {
    std::vector<std::string_view> names;
    Value (Follower::*follow)(const Call&);
  };
  static const std::array known = {
      Entry{{"int", "float", "bool", "str", "repr"}, &Follower::conversion},
      Entry{{"max", "min"}, &Follower::extreme},
      Entry{{"range"}, &Follower::range},
      Entry{{"abs", "round", "ceil", "floor", "sqrt", "log2", "trunc", "fabs"},
            &Follower::function_of_number},
      Entry{{"pow"}, &Follower::power},
      Entry{{"len"}, &Follower::length},
      Entry{{"list", "tuple", "set", "sorted", "reversed"}, &Follower::made_list},
      Entry{{"dict"}, &Follower::made_dict},
      Entry{{"sum", "all", "any", "prod"}, &Follower::folded},
      Entry{{"enumerate", "zip"}, &Follower::rows},
      Entry{{"map", "filter"}, &Follower::mapped}};
  for (const Entry& entry : known)
    if (std::ranges::find(entry.names, name) != entry.names.end())
      return (this->*entry.follow)({name, arguments, node});
  if (name == "open") return open(arguments.at(0), node);
  return name == "print" ? Value::none() : Value::unknown(text(node));
}

}  // namespace tune::described::python
