// SPDX-License-Identifier: Apache-2.0
// Methods of texts, lists and dicts that are followed.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "kernels/described/imports/python_follower.hpp"
#include "kernels/described/imports/python_operators.hpp"
#include "kernels/described/imports/python_paths.hpp"

namespace tune::described::python {
namespace {

using Kind = Value::Kind;

/// A method of a text; `all`: the script's own words, for what is not known.
struct TextCall {
  const std::string& of;
  const std::string& method;
  const Arguments& arguments;
  std::string_view all;

  Value unknown() const { return Value::unknown(all); }
};

/// `.parent`, `.name`, `.stem`.
Value named_part(const TextCall& call) {
  if (call.method == ".parent") return Value::of(folder_of(call.of));
  const std::string name = call.of.substr(call.of.rfind('/') + 1);
  return Value::of(call.method == ".stem" ? name.substr(0, name.rfind('.')) : name);
}

Value replaced(const TextCall& call) {
  const Value wanted = call.arguments.at(0), with = call.arguments.at(1);
  const std::string by = text_of(with);
  if (!wanted.is(Kind::text) || wanted.text.empty() || (by.empty() && !with.is(Kind::text)))
    return call.unknown();
  std::string all;
  std::size_t from = 0;
  for (std::size_t at = call.of.find(wanted.text); at != std::string::npos;
       at = call.of.find(wanted.text, from)) {
    all += call.of.substr(from, at - from) + by;
    from = at + wanted.text.size();
    if (all.size() > longest_value) return call.unknown();
  }
  return Value::of(all + call.of.substr(from));
}

Value stripped(const TextCall& call) {
  if (!call.arguments.positional.empty()) return call.unknown();
  constexpr const char* spaces = " \t\n\r";
  const std::size_t begin = call.method == "rstrip" ? 0 : call.of.find_first_not_of(spaces);
  const std::size_t end = call.method == "lstrip" ? call.of.size() : call.of.find_last_not_of(spaces) + 1;
  return Value::of(begin == std::string::npos || begin >= end ? std::string()
                                                              : call.of.substr(begin, end - begin));
}

/// `lower`, `upper`.
Value with_case(const TextCall& call) {
  std::string all = call.of;
  for (char& c : all)
    if (call.method == "lower" ? c >= 'A' && c <= 'Z' : c >= 'a' && c <= 'z') c = static_cast<char>(c ^ 0x20);
  return Value::of(all);
}

/// `startswith`, `endswith`.
Value compared_ends(const TextCall& call) {
  const Value part = call.arguments.at(0);
  if (!part.is(Kind::text)) return call.unknown();
  return Value::of(call.method == "startswith" ? call.of.starts_with(part.text)
                                               : call.of.ends_with(part.text));
}

/// The value of a field in braces: by its place, or by its name; null where there is none.
const Value* value_of_field(const std::string& field, const Arguments& arguments, std::size_t& next) {
  if (field.find_first_not_of("0123456789") != std::string::npos || field.size() >= 4)
    return arguments.find(arguments.positional.size(), field);
  const std::size_t place = field.empty() ? next++ : static_cast<std::size_t>(std::stoi(field));
  return place < arguments.positional.size() ? &arguments.positional[place] : nullptr;
}

/// `format`, of fields without formats.
Value with_fields(const TextCall& call) {
  const std::string& of = call.of;
  std::string all;
  std::size_t next = 0;
  for (std::size_t i = 0; i < of.size(); ++i) {
    const char c = of[i];
    const bool is_twice = i + 1 < of.size() && of[i + 1] == c;
    if (c == '}' && !is_twice) return call.unknown();
    if (c != '{' || is_twice) {
      all += c;
      if (c == '{' || c == '}') ++i;
      continue;
    }
    const std::size_t end = of.find('}', i);
    if (end == std::string::npos) return call.unknown();
    const Value* const value = value_of_field(of.substr(i + 1, end - i - 1), call.arguments, next);
    const std::string shown = value == nullptr ? std::string() : text_of(*value);
    if ((shown.empty() && (value == nullptr || !value->is(Kind::text))) || all.size() > longest_value)
      return call.unknown();
    all += shown;
    i = end;
  }
  return Value::of(all);
}

}  // namespace

/// `join`: the texts of a list with this one between them.
Value Follower::joined_text(const std::string& between, const Value& list, int node) {
  const auto items = items_of(list);
  if (!items) return Value::unknown(text(node));
  std::string all;
  for (std::size_t i = 0; i < items->size(); ++i) {
    const std::string shown = text_of((*items)[i]);
    if (!(*items)[i].is(Kind::text) && shown.empty()) return Value::unknown(text(node));
    all += (i == 0 ? "" : between) + shown;
    if (all.size() > longest_value) return Value::unknown(text(node));
  }
  return Value::of(all);
}

Value Follower::split_text(const std::string& of, const Value& separator) {
  const bool is_given = separator.is(Kind::text);
  const std::string by = is_given && !separator.text.empty() ? separator.text : " ";
  Value::Items all;
  for (std::size_t from = 0; from <= of.size() && spend();) {
    const std::size_t at = std::min(of.find(by, from), of.size());
    if (at > from || is_given) all.push_back(Value::of(of.substr(from, at - from)));
    from = at + by.size();
  }
  return Value::sequence(Kind::list, std::move(all));
}

Value Follower::call_of_text(const Value& of, const std::string& method, const Arguments& arguments,
                             int node) {
  struct Entry {
    std::vector<std::string_view> names;
    Value (*follow)(const TextCall&);
  };
  static const std::array known = {
      Entry{{".parent", ".name", ".stem"}, named_part}, Entry{{"replace"}, replaced},
      Entry{{"strip", "lstrip", "rstrip"}, stripped},   Entry{{"lower", "upper"}, with_case},
      Entry{{"startswith", "endswith"}, compared_ends}, Entry{{"format"}, with_fields}};
  for (const Entry& entry : known)
    if (std::ranges::find(entry.names, method) != entry.names.end())
      return entry.follow({of.text, method, arguments, text(node)});
  if (is_one_of(method, {"read", "decode", "encode", "resolve", "absolute", "as_posix", "expanduser"}))
    return of;
  if (method == "read_text" || method == "open") return open(of, node);
  if (method == "joinpath") return binary("/", of, arguments.at(0), text(node));
  if (method == "join") return joined_text(of.text, arguments.at(0), node);
  if (method == "render") return rendered(of, arguments, node);
  if (method == "split") return split_text(of.text, arguments.at(0));
  return Value::unknown(text(node));
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
    if (const auto more = items_of(first))
      items.insert(items.end(), more->begin(), more->end());
    else
      items.push_back(unknown_at(node));
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
    } else if (!arguments.positional.empty() || arguments.has_unknown) {
      dict.set(unknown_at(node), first);
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
