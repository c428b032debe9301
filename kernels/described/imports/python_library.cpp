// SPDX-License-Identifier: Apache-2.0
// What Python's own functions do with values that are followed, and their methods.
#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/described/imports/python_array.hpp"
#include "kernels/described/imports/python_follower.hpp"
#include "kernels/described/imports/python_operators.hpp"
#include "tuner/base/format.hpp"

namespace tune::described::python {
namespace {

using Kind = Value::Kind;

/// As pathlib and os.path do.
std::string joined_path(const std::string& a, const std::string& b) {
  if (b.starts_with('/') || a.empty() || a == ".") return b;
  return a.ends_with('/') ? a + b : a + "/" + b;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, std::max<std::size_t>(slash, 1));
}

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

Value Follower::open(const Value& path, int node) {
  if (!path.is(Kind::text) || !read_) return Value::unknown(text(node));
  const auto content = read_(path.text);
  if (!content) return Value::unknown(text(node));
  Value value = Value::of(*content);
  value.origin = path.text;
  return value;
}

Value Follower::call_object(const std::string& path, const Arguments& arguments, int node) {
  const std::size_t dot = path.rfind('.');
  const std::string last = path.substr(dot + 1), module = dot == std::string::npos ? "" : path.substr(0, dot);
  const std::string_view library = std::string_view(path).substr(0, path.find('.'));
  if (last == "OrderedDict" || last == "defaultdict") return call_builtin("dict", arguments, node);
  if (module == "math" || module == "builtins") return call_builtin(last, arguments, node);
  if (library == "numpy" || library == "cupy")
    return call_numpy(path.substr(path.find('.') + 1), arguments, node);
  if (last == "parse_args" || last == "parse_known_args") return Value::object("argparse.arguments");
  if (last == "add_argument") {
    const Value* const given = arguments.find(99, "default");
    std::string option = arguments.positional.empty() ? "" : arguments.positional.back().text;
    if (const Value* const named = arguments.find(99, "dest")) option = named->text;
    option.erase(0, std::min(option.find_first_not_of('-'), option.size()));
    std::ranges::replace(option, '-', '_');
    const Value* const action = arguments.find(99, "action");
    options_[option] = given != nullptr                                    ? *given
                       : action != nullptr && action->text == "store_true" ? Value::of(false)
                                                                           : Value::none();
    return {};
  }
  if (last == "TunablePrecision" && arguments.at(0).is(Kind::text) && arguments.at(1).is(Kind::array))
    return with_type(arguments.at(1), arguments.at(0).text);  // of Kernel Tuner: a parameter names the type
  if (is_one_of(last, {"pagelocked_empty", "pagelocked_zeros", "empty_pinned", "zeros_pinned"}))
    return call_numpy("zeros", arguments, node);
  if (library == "torch" && is_one_of(last, {"rand", "randn", "zeros", "ones", "empty"})) {
    const Value array =
        call_numpy(last == "rand" || last == "randn" ? "random." + last : last, arguments, node);
    return array.is(Kind::array) ? with_type(array, "float32") : array;
  }
  if (last == "Template" && arguments.at(0).is(Kind::text)) return arguments.at(0);  // of jinja2
  if (is_one_of(path, {"os.path.join", "posixpath.join"})) {
    std::string all;
    for (const Value& part : arguments.positional) {
      if (!part.is(Kind::text)) return Value::unknown(text(node));
      all = all.empty() ? part.text : joined_path(all, part.text);
    }
    return Value::of(all);
  }
  if (is_one_of(last, {"Path", "PurePath", "abspath", "realpath", "normpath", "expanduser", "fspath",
                       "deepcopy"}) &&
      !arguments.positional.empty()) {
    Value all = arguments.positional.front();
    for (std::size_t i = 1; i < arguments.positional.size(); ++i)
      all = binary("/", all, arguments.positional[i], text(node));
    return all;
  }
  if (is_one_of(path, {"os.getcwd", "pathlib.Path.cwd"})) return Value::of(std::string("."));
  if (last == "dirname" && arguments.at(0).is(Kind::text)) return Value::of(folder_of(arguments.at(0).text));
  if (last == "basename" && arguments.at(0).is(Kind::text))
    return Value::of(arguments.at(0).text.substr(arguments.at(0).text.rfind('/') + 1));
  if (path == "itertools.product") {
    std::vector<Value::Items> lists;
    for (const Value& one : arguments.positional) {
      auto items = items_of(one);
      if (!items) return Value::unknown(text(node));
      lists.push_back(std::move(*items));
    }
    Value::Items all = {Value::sequence(Kind::tuple, {})};
    for (const Value::Items& list : lists) {
      if (all.size() * list.size() > longest_value / 10) return Value::unknown(text(node));
      Value::Items next;
      for (const Value& begun : all)
        for (const Value& one : list) {
          Value::Items more = *begun.items;
          more.push_back(one);
          next.push_back(Value::sequence(Kind::tuple, std::move(more)));
        }
      all = std::move(next);
    }
    return Value::sequence(Kind::list, std::move(all));
  }
  if (dot == std::string::npos) return call_builtin(path, arguments, node);
  return Value::unknown(text(node));
}

Value Follower::extreme(bool is_max, const Arguments& arguments, int node) {
  Value::Items all = arguments.positional;
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
  Value result = is_known
                     ? (is_max ? *std::ranges::max_element(all, less) : *std::ranges::min_element(all, less))
                     : Value::symbol("");
  const std::string_view name = is_max ? "max" : "min";
  if (!whole_list.empty()) return with_call(result, name, whole_list);
  if (is_known && std::ranges::none_of(all, &Value::follows)) return result;
  std::vector<std::string> formulas;
  for (const Value& one : all) {
    formulas.push_back(formula_of(one));
    if (formulas.back().empty()) return is_known ? result : Value::unknown(text(node));
  }
  return with_call(result, name, joined(formulas));
}

Value Follower::range(const Arguments& arguments, int node) {
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

Value Follower::call_builtin(const std::string& name, const Arguments& arguments, int node) {
  const Value first = arguments.at(0);
  const auto unknown = [&] { return Value::unknown(text(node)); };
  if (name == "int") return whole_of(first, text(node));
  if (name == "float") return real_of(first, text(node));
  if (name == "bool") {
    const Truth is = truth(first);
    return is == Truth::unknown ? (first.is(Kind::symbol) ? first : unknown()) : Value::of(is == Truth::yes);
  }
  if (name == "str" || name == "repr") {
    const std::string shown = text_of(first);
    return shown.empty() && !first.is(Kind::text) ? unknown() : Value::of(shown);
  }
  if (name == "max" || name == "min") return extreme(name == "max", arguments, node);
  if (name == "range") return range(arguments, node);
  if (name == "open") return open(first, node);
  if (is_one_of(name, {"abs", "round", "ceil", "floor", "sqrt", "log2", "trunc", "fabs"})) {
    if (first.is(Kind::array)) return array_of_function(name, first, text(node));
    if (name == "round" && arguments.positional.size() > 1) return unknown();
    return of_number(name, first, text(node));
  }
  if (name == "pow" && arguments.positional.size() == 2)
    return binary("**", first, arguments.at(1), text(node));
  if (name == "len") {
    if (first.is(Kind::text)) return Value::of(static_cast<std::int64_t>(first.text.size()));
    if (first.is(Kind::array) && !first.array->shape.empty()) return first.array->shape.front();
    const auto items = items_of(first);
    return items ? Value::of(static_cast<std::int64_t>(items->size())) : unknown();
  }
  if (is_one_of(name, {"list", "tuple", "set", "sorted", "reversed"})) {
    if (first.is(Kind::array) && !items_of(first)) return first;
    auto items = arguments.positional.empty() ? std::optional(Value::Items()) : items_of(first);
    if (!items) return unknown();
    if (name == "reversed") std::ranges::reverse(*items);
    if (name == "set") {
      Value::Items once;
      for (const Value& one : *items) {
        if (!spend(once.size() / 8 + 1)) return unknown();
        if (std::ranges::none_of(once, [&](const Value& known) { return equal(known, one); }))
          once.push_back(one);
      }
      items = std::move(once);
    }
    if (name == "sorted") {
      const bool is_numbers = std::ranges::all_of(*items, [](const Value& one) { return one.is_number(); });
      if (!is_numbers || !arguments.named.empty()) return Value::sequence(Kind::list, std::move(*items));
      std::ranges::stable_sort(*items,
                               [](const Value& a, const Value& b) { return a.number() < b.number(); });
    }
    return Value::sequence(name == "tuple" ? Kind::tuple
                           : name == "set" ? Kind::set
                                           : Kind::list,
                           std::move(*items));
  }
  if (name == "dict") {
    Value all = Value::dict();
    if (first.is(Kind::dict))
      for (const auto& [key, value] : *first.pairs) all.set(key, value);
    else if (const auto items = items_of(first))
      for (const Value& one : *items)
        if (one.is_sequence() && one.items->size() == 2) all.set((*one.items)[0], (*one.items)[1]);
    for (const auto& [key, value] : arguments.named) all.set(Value::of(key), value);
    return all;
  }
  if (name == "sum" || name == "all" || name == "any" || name == "prod") {
    if (first.is(Kind::array) && !items_of(first)) return unknown();
    const auto items = items_of(first);
    if (!items) return unknown();
    Value all = name == "sum"    ? Value::of(std::int64_t{0})
                : name == "prod" ? Value::of(std::int64_t{1})
                                 : Value::of(name == "all");
    for (const Value& one : *items) {
      if (!spend()) return unknown();
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
  if (name == "enumerate" || name == "zip") {
    std::vector<Value::Items> lists;
    for (const Value& one : arguments.positional) {
      auto items = items_of(one);
      if (!items) return unknown();
      lists.push_back(std::move(*items));
    }
    if (lists.empty()) return unknown();
    std::size_t size = lists.front().size();
    for (const Value::Items& list : lists) size = std::min(size, list.size());
    Value::Items all;
    for (std::size_t i = 0; i < size && spend(); ++i) {
      Value::Items row;
      if (name == "enumerate") row.push_back(Value::of(static_cast<std::int64_t>(i)));
      for (const Value::Items& list : lists) row.push_back(list[i]);
      all.push_back(Value::sequence(Kind::tuple, std::move(row)));
    }
    return Value::sequence(Kind::list, std::move(all));
  }
  if ((name == "map" || name == "filter") && first.is(Kind::function)) {
    const auto items = items_of(arguments.at(1));
    if (!items) return unknown();
    Value::Items all;
    for (const Value& one : *items) {
      const Value made = call(first, {{one}, {}, false});
      if (name == "map")
        all.push_back(made);
      else if (truth(made) != Truth::no)
        all.push_back(one);
    }
    return Value::sequence(Kind::list, std::move(all));
  }
  if (name == "print") return Value::none();
  return unknown();
}

Value Follower::call_method(Value object, const std::string& method, const Arguments& arguments, int node) {
  switch (object.kind) {
    case Kind::array:
      return call_of_array(object, method, arguments, node);
    case Kind::text:
      return call_of_text(object, method, arguments, node);
    case Kind::list:
    case Kind::set:
      return call_of_list(object, method, arguments, node);
    case Kind::dict:
      return call_of_dict(object, method, arguments, node);
    default:
      break;
  }
  if (object.is_number() && (method == "item" || method == "astype")) {
    if (method == "astype") object.type = type_named_by(arguments.at(0));
    return object;
  }
  if (method == "add_argument" || method == "parse_args")
    return call_object("argparse." + method, arguments, node);
  return Value::unknown(text(node));
}

Value Follower::call_of_text(const Value& of, const std::string& method, const Arguments& arguments,
                             int node) {
  const auto unknown = [&] { return Value::unknown(text(node)); };
  const Value first = arguments.at(0);
  if (method == ".parent") return Value::of(folder_of(of.text));
  if (method == ".name" || method == ".stem") {
    const std::string name = of.text.substr(of.text.rfind('/') + 1);
    return Value::of(method == ".stem" ? name.substr(0, name.rfind('.')) : name);
  }
  if (is_one_of(method, {"read", "decode", "encode", "resolve", "absolute", "as_posix", "expanduser"}))
    return of;
  if (method == "read_text" || method == "open") return open(of, node);
  if (method == "joinpath") return binary("/", of, first, text(node));
  if (method == "replace" && first.is(Kind::text)) {
    const std::string by = text_of(arguments.at(1));
    if (first.text.empty() || (by.empty() && !arguments.at(1).is(Kind::text))) return unknown();
    std::string all;
    std::size_t from = 0;
    for (std::size_t at = of.text.find(first.text); at != std::string::npos;
         at = of.text.find(first.text, from)) {
      all += of.text.substr(from, at - from) + by;
      from = at + first.text.size();
      if (all.size() > longest_value) return unknown();
    }
    return Value::of(all + of.text.substr(from));
  }
  if (method == "join") {
    const auto items = items_of(first);
    if (!items) return unknown();
    std::string all;
    for (std::size_t i = 0; i < items->size(); ++i) {
      const std::string shown = text_of((*items)[i]);
      if (!(*items)[i].is(Kind::text) && shown.empty()) return unknown();
      all += (i == 0 ? "" : of.text) + shown;
      if (all.size() > longest_value) return unknown();
    }
    return Value::of(all);
  }
  if (method == "strip" || method == "rstrip" || method == "lstrip") {
    if (!arguments.positional.empty()) return unknown();
    const std::size_t begin = method == "rstrip" ? 0 : of.text.find_first_not_of(" \t\n\r");
    const std::size_t end = method == "lstrip" ? of.text.size() : of.text.find_last_not_of(" \t\n\r") + 1;
    return Value::of(begin == std::string::npos || begin >= end ? std::string()
                                                                : of.text.substr(begin, end - begin));
  }
  if (method == "lower" || method == "upper") {
    std::string all = of.text;
    for (char& c : all)
      if (method == "lower" ? c >= 'A' && c <= 'Z' : c >= 'a' && c <= 'z') c = static_cast<char>(c ^ 0x20);
    return Value::of(all);
  }
  if (method == "startswith" && first.is(Kind::text)) return Value::of(of.text.starts_with(first.text));
  if (method == "endswith" && first.is(Kind::text)) return Value::of(of.text.ends_with(first.text));
  if (method == "split") {
    const std::string by = first.is(Kind::text) && !first.text.empty() ? first.text : " ";
    Value::Items all;
    for (std::size_t from = 0; from <= of.text.size() && spend();) {
      const std::size_t at = std::min(of.text.find(by, from), of.text.size());
      if (at > from || first.is(Kind::text)) all.push_back(Value::of(of.text.substr(from, at - from)));
      from = at + by.size();
    }
    return Value::sequence(Kind::list, std::move(all));
  }
  if (method == "format") {
    std::string all;
    std::size_t next = 0;
    for (std::size_t i = 0; i < of.text.size(); ++i) {
      const char c = of.text[i];
      const bool twice = i + 1 < of.text.size() && of.text[i + 1] == c;
      if (c == '}' || (c == '{' && twice)) {
        if (!twice) return unknown();
        all += c;
        ++i;
        continue;
      }
      if (c != '{') {
        all += c;
        continue;
      }
      const std::size_t end = of.text.find('}', i);
      if (end == std::string::npos) return unknown();
      const std::string field = of.text.substr(i + 1, end - i - 1);
      const Value* value = nullptr;
      if (field.find_first_not_of("0123456789") == std::string::npos && field.size() < 4) {
        const std::size_t place = field.empty() ? next++ : static_cast<std::size_t>(std::stoi(field));
        if (place < arguments.positional.size()) value = &arguments.positional[place];
      } else {
        value = arguments.find(arguments.positional.size(), field);
      }
      const std::string shown = value == nullptr ? std::string() : text_of(*value);
      if ((shown.empty() && (value == nullptr || !value->is(Kind::text))) || all.size() > longest_value)
        return unknown();
      all += shown;
      i = end;
    }
    return Value::of(all);
  }
  return unknown();
}

Value Follower::call_of_list(const Value& list, const std::string& method, const Arguments& arguments,
                             int node) {
  Value::Items& items = *list.items;
  const Value first = arguments.at(0);
  if (items.size() > longest_value) return Value::unknown(text(node));
  if ((method == "append" || method == "add") && !arguments.positional.empty()) {
    items.push_back(first);
    return Value::none();
  }
  if (method == "extend" || method == "update") {
    if (const auto more = items_of(first)) items.insert(items.end(), more->begin(), more->end());
    return Value::none();
  }
  if (method == "insert" && first.is_whole()) {
    const auto size = static_cast<std::int64_t>(items.size());
    items.insert(items.begin() + std::clamp<std::int64_t>(first.integer(), 0, size), arguments.at(1));
    return Value::none();
  }
  if (method == "copy") return Value::sequence(list.kind, items);
  if (method == "remove") {
    const auto found = std::ranges::find_if(items, [&](const Value& one) { return equal(one, first); });
    if (found != items.end()) items.erase(found);
    return Value::none();
  }
  if (method == "pop" && !items.empty()) {
    Value last = items.back();
    items.pop_back();
    return last;
  }
  if (method == "reverse") {
    std::ranges::reverse(items);
    return Value::none();
  }
  if (method == "count" || method == "index") {
    const auto is_it = [&](const Value& one) { return equal(one, first); };
    if (method == "count") return Value::of(static_cast<std::int64_t>(std::ranges::count_if(items, is_it)));
    const auto found = std::ranges::find_if(items, is_it);
    if (found != items.end()) return Value::of(static_cast<std::int64_t>(found - items.begin()));
  }
  return Value::unknown(text(node));
}

Value Follower::call_of_dict(const Value& dict, const std::string& method, const Arguments& arguments,
                             int node) {
  const Value first = arguments.at(0);
  Value::Items all;
  if (method == "keys" || method == "values" || method == "items") {
    for (const auto& [key, value] : *dict.pairs)
      all.push_back(method == "keys"     ? key
                    : method == "values" ? value
                                         : Value::sequence(Kind::tuple, {key, value}));
    return Value::sequence(Kind::list, std::move(all));
  }
  if (method == "get" || method == "setdefault" || method == "pop") {
    for (std::size_t i = 0; i < dict.pairs->size(); ++i)
      if (equal((*dict.pairs)[i].first, first)) {
        const Value found = (*dict.pairs)[i].second;
        if (method == "pop") dict.pairs->erase(dict.pairs->begin() + static_cast<std::ptrdiff_t>(i));
        return found;
      }
    const Value otherwise = arguments.positional.size() > 1 ? arguments.positional[1] : Value::none();
    if (method == "setdefault") dict.set(first, otherwise);
    return otherwise;
  }
  if (method == "update") {
    if (first.is(Kind::dict)) {
      const Value::Pairs pairs = *first.pairs;
      for (const auto& [key, value] : pairs) dict.set(key, value);
    }
    for (const auto& [key, value] : arguments.named) dict.set(Value::of(key), value);
    return Value::none();
  }
  if (method == "copy") {
    Value copy = Value::dict();
    *copy.pairs = *dict.pairs;
    return copy;
  }
  return Value::unknown(text(node));
}

}  // namespace tune::described::python
