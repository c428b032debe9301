// SPDX-License-Identifier: Apache-2.0
// What numpy, and cupy like it, does with values that are followed.
#include <algorithm>
#include <cmath>

#include "kernels/described/imports/python_array.hpp"
#include "kernels/described/imports/python_follower.hpp"
#include "kernels/described/imports/python_operators.hpp"

namespace tune::described::python {
namespace {

using Kind = Value::Kind;
using Contents = ArrayContents;

Contents constant(double value) {
  return {Contents::Kind::constant, value, value, {}, {}, nullptr};
}

Contents unknown_contents(std::string_view text) {
  Contents contents;
  contents.why = text;
  return contents;
}

Contents random(double low, double high) {
  return {Contents::Kind::random, low, high, {}, {}, nullptr, std::make_shared<int>()};
}

Value made(std::vector<Value> shape, std::string type, Contents contents) {
  Array array;
  array.shape = std::move(shape);
  array.type = std::move(type);
  array.contents = std::move(contents);
  return Value::of(std::move(array));
}

/// The type of `dtype=`, or of the argument in this place.
std::string type_in(const Arguments& arguments, std::size_t place, std::string otherwise) {
  const Value* const given = arguments.find(place, "dtype");
  const std::string type = given == nullptr ? std::string() : type_named_by(*given);
  return type.empty() ? std::move(otherwise) : type;
}

double number_in(const Arguments& arguments, std::size_t place, std::string_view name, double otherwise) {
  const Value* const given = arguments.find(place, name);
  return given != nullptr && given->is_number() ? given->number() : otherwise;
}

/// Random numbers without an array around them are one number.
Value random_of(const Value* shape, const std::string& type, Contents contents, std::string_view text) {
  if (shape == nullptr || shape->is(Kind::none)) return Value::unknown(text);
  return made(shape_from(*shape), type, std::move(contents));
}

/// Functions of `numpy.random`, and methods of its generators.
Value call_random(std::string_view name, const Arguments& arguments, std::string_view text) {
  if (is_one_of(name, {"randn", "rand"})) {
    if (arguments.positional.empty()) return Value::unknown(text);
    return made(arguments.positional, "float64", name == "rand" ? random(0, 1) : random(-1, 1));
  }
  if (is_one_of(name, {"random", "random_sample", "ranf", "sample"}))
    return random_of(arguments.find(0, "size"), type_in(arguments, 1, "float64"), random(0, 1), text);
  if (name == "standard_normal")
    return random_of(arguments.find(0, "size"), type_in(arguments, 1, "float64"), random(-1, 1), text);
  if (name == "normal") {
    const double mean = number_in(arguments, 0, "loc", 0), spread = number_in(arguments, 1, "scale", 1);
    return random_of(arguments.find(2, "size"), "float64", random(mean - spread, mean + spread), text);
  }
  if (name == "uniform")
    return random_of(arguments.find(2, "size"), "float64",
                     random(number_in(arguments, 0, "low", 0), number_in(arguments, 1, "high", 1)), text);
  if (is_one_of(name, {"randint", "integers", "random_integers"})) {
    const Value* const high = arguments.find(1, "high");
    const bool has_high = high != nullptr && high->is_number();
    const double first = number_in(arguments, 0, "low", 0);
    const double low = has_high ? first : 0, last = (has_high ? high->number() : first) - 1;
    Contents contents = random(low, std::max(low, last));
    const Value* const end = has_high ? high : arguments.find(0, "low");
    if (end != nullptr && end->follows())
      contents.bound = std::make_shared<const Value>(binary("-", *end, Value::of(std::int64_t{1}), text));
    return random_of(arguments.find(2, "size"), type_in(arguments, 3, "int64"), std::move(contents), text);
  }
  if (is_one_of(name, {"default_rng", "RandomState", "Generator"})) return Value::object("numpy.random");
  return Value::unknown(text);
}

/// A list for what is short: values of parameters.
Value stepped(const Value& size, double begin, double step, std::string type) {
  constexpr std::int64_t longest = 4096;
  Contents contents{Contents::Kind::sequence, begin, step, {}, {}, nullptr};
  if (size.is(Kind::whole) && !size.follows() && size.whole <= longest) {
    contents.kind = Contents::Kind::listed;
    for (std::int64_t i = 0; i < size.whole; ++i)
      contents.listed.push_back(begin + static_cast<double>(i) * step);
  }
  return made({size}, std::move(type), std::move(contents));
}

Value sequence(const Arguments& arguments, std::string_view text) {
  const std::size_t count = arguments.positional.size();
  Value begin = Value::of(std::int64_t{0}), end = arguments.at(0), step = Value::of(std::int64_t{1});
  if (count > 1) begin = arguments.at(0), end = arguments.at(1);
  if (count > 2) step = arguments.at(2);
  const Value difference = binary("-", end, begin, text);
  Value size = step.is_number() && step.number() == 1 ? difference : binary("/", difference, step, text);
  if (size.is(Kind::real)) size = Value::of(static_cast<std::int64_t>(std::ceil(size.real)));
  const bool is_whole = begin.is_whole() && step.is_whole();
  if (size.is(Kind::unknown) || end.is(Kind::unknown)) return Value::unknown(text);
  const std::string type = type_in(arguments, 99, is_whole ? "int64" : "float64");
  if (!begin.is_number() || !step.is_number()) return made({size}, type, unknown_contents(text));
  return stepped(size, begin.number(), step.number(), type);
}

/// `linspace`, and its like with exponents.
Value spaced(std::string_view name, const Arguments& arguments, std::string_view text) {
  constexpr std::size_t by_name = 99;
  const Value* const given = arguments.find(2, "num");
  const Value* const base = arguments.find(4, "base");
  const Value* const has_end = arguments.find(3, "endpoint");
  const Value size = given == nullptr ? Value::of(std::int64_t{50}) : *given;
  const Value *const first = arguments.find(0, "start"), *const last = arguments.find(1, "stop");
  const std::string type = type_in(arguments, by_name, "float64");
  if (size.is(Kind::unknown)) return Value::unknown(text);
  if (!size.is_whole() || first == nullptr || last == nullptr || !first->is_number() || !last->is_number())
    return made({size}, type, unknown_contents(text));
  const bool is_open = has_end != nullptr && truth(*has_end) == Truth::no;
  const std::int64_t parts = std::max<std::int64_t>(1, is_open ? size.integer() : size.integer() - 1);
  const bool is_ratio = name == "geomspace";
  if (is_ratio && !(first->number() > 0 && last->number() > 0))
    return made({size}, type, unknown_contents(text));
  const double begin = is_ratio ? std::log2(first->number()) : first->number(),
               end = is_ratio ? std::log2(last->number()) : last->number();
  const Value steps = stepped(size, begin, (end - begin) / static_cast<double>(parts), type);
  if (name == "linspace") return steps;
  Array all = *steps.array;
  if (all.contents.kind != Contents::Kind::listed) return made({size}, type, unknown_contents(text));
  const double of = is_ratio ? 2 : base != nullptr && base->is_number() ? base->number() : 10;
  for (double& one : all.contents.listed) {
    one = std::pow(of, one);
    if (std::abs(one - std::nearbyint(one)) < 1e-9 * std::abs(one)) one = std::nearbyint(one);
  }
  return Value::of(std::move(all));
}

/// Functions of arrays whose result has another shape; nothing for others.
std::optional<Value> reshaped(const std::string& name, const Arguments& arguments, std::string_view text) {
  const Value first = arguments.at(0);
  if (is_one_of(name, {"concatenate", "hstack", "append"})) {
    const bool is_along = arguments.find(1, "axis") == nullptr;
    if (name == "append") return array_of_parts({first, arguments.at(1)}, text);
    const bool is_flat = first.is_sequence() && std::ranges::all_of(*first.items, [](const Value& one) {
                           return one.is(Kind::array) && one.array->shape.size() == 1;
                         });
    if (first.is_sequence() && (is_flat || (name == "concatenate" && is_along)))
      return array_of_parts(*first.items, text);
    return Value::unknown(text);
  }
  if (!first.is(Kind::array)) return std::nullopt;
  if (is_one_of(name, {"tile", "repeat"})) {
    const bool is_plain = first.array->shape.size() == 1 && arguments.at(1).is(Kind::whole);
    if (!is_plain) return Value::unknown(text);
    return made({binary("*", first.array->shape.front(), arguments.at(1), text)}, first.array->type,
                first.array->contents.kind == Contents::Kind::listed ? unknown_contents(text)
                                                                     : first.array->contents);
  }
  if (name == "size") return elements_of(*first.array, text);
  if (name == "shape") return Value::sequence(Kind::tuple, first.array->shape);
  return std::nullopt;
}

/// True for functions that compute each element, or put them in another order.
bool keeps_shape(std::string_view name) {
  return is_one_of(
      name, {"abs",     "absolute", "fabs",    "sin",        "cos",        "tan",    "arcsin", "arccos",
             "arctan",  "sinh",     "cosh",    "tanh",       "exp",        "exp2",   "expm1",  "log",
             "log2",    "log10",    "log1p",   "sqrt",       "cbrt",       "square", "floor",  "ceil",
             "round",   "rint",     "trunc",   "sign",       "negative",   "real",   "imag",   "conj",
             "angle",   "isnan",    "deg2rad", "radians",    "sort",       "cumsum", "flip",   "cumprod",
             "argsort", "flipud",   "fliplr",  "reciprocal", "nan_to_num", "around", "invert", "conjugate"});
}

}  // namespace

Value Follower::call_numpy(const std::string& path, const Arguments& arguments, int node) {
  const std::string_view all = text(node);
  const std::string name = path.substr(path.rfind('.') + 1);
  const Value first = arguments.at(0);
  if (path.starts_with("random.")) return call_random(name, arguments, all);
  if (const std::string type = type_named_by(Value::object(name)); !type.empty()) {
    if (first.is(Kind::array)) return with_type(first, type);
    Value number = call_builtin(type.find("int") != std::string::npos ? "int"
                                : type == "bool"                      ? "bool"
                                                                      : "float",
                                arguments, node);
    number.type = type;
    return number;
  }
  const Value* const shape = arguments.find(0, "shape");
  if (is_one_of(name, {"zeros", "empty", "ones"}) && shape != nullptr)
    return made(shape_from(*shape), type_in(arguments, 1, "float64"), constant(name == "ones" ? 1 : 0));
  if (name == "full" && shape != nullptr)
    return made(shape_from(*shape), type_in(arguments, 2, "float64"),
                constant(number_in(arguments, 1, "fill_value", 0)));
  if (is_one_of(name, {"zeros_like", "empty_like", "ones_like", "full_like"}) && first.is(Kind::array)) {
    const bool is_full = name == "full_like";
    return made(first.array->shape, type_in(arguments, is_full ? 2 : 1, first.array->type),
                constant(name == "ones_like" ? 1
                         : is_full           ? number_in(arguments, 1, "fill_value", 0)
                                             : 0));
  }
  if (name == "arange") return sequence(arguments, all);
  if (is_one_of(name, {"linspace", "logspace", "geomspace"})) return spaced(name, arguments, all);
  if (auto value = reshaped(name, arguments, all)) return std::move(*value);
  if (is_one_of(name, {"eye", "identity"}))
    return made({first, arguments.positional.size() > 1 ? arguments.at(1) : first},
                type_in(arguments, 99, "float64"), {});
  if (is_one_of(name, {"array", "asarray", "ascontiguousarray", "copy", "asfortranarray"})) {
    Value array = first.is_sequence() ? array_of_list(first, all) : first;
    if (!array.is(Kind::array)) return Value::unknown(all);
    return with_type(array, type_in(arguments, 1, array.array->type));
  }
  if (is_one_of(name, {"prod", "product", "sum", "amax", "amin", "max", "min", "all", "any"}))
    return call_builtin(name == "product" ? "prod"
                        : name == "amax"  ? "max"
                        : name == "amin"  ? "min"
                                          : name,
                        arguments, node);
  if (is_one_of(name,
                {"ceil", "floor", "sqrt", "log2", "abs", "absolute", "fabs", "rint", "trunc", "round"}) &&
      !first.is(Kind::array))
    return call_builtin(name == "absolute" || name == "fabs" ? "abs"
                        : name == "rint"                     ? "round"
                                                             : name,
                        arguments, node);
  if (is_one_of(name, {"add", "subtract", "multiply", "divide", "power"})) {
    const std::string_view op = name == "add"        ? "+"
                                : name == "subtract" ? "-"
                                : name == "multiply" ? "*"
                                : name == "divide"   ? "/"
                                                     : "**";
    return binary(op, first, arguments.at(1), all);
  }
  if (first.is(Kind::array) && arguments.positional.size() == 1 && keeps_shape(name))
    return array_of_function(name, first, all);
  return Value::unknown(all);
}

Value Follower::call_of_array(const Value& array, const std::string& method, const Arguments& arguments,
                              int node) {
  const std::string_view all = text(node);
  if (array.array->call >= 0) return Value::unknown(all);
  if (method == "astype" || method == "view") {
    const Value* const given = arguments.find(0, "dtype");
    const std::string type = given == nullptr ? std::string() : type_named_by(*given);
    return type.empty() ? Value::unknown(all) : with_type(array, type);
  }
  if (is_one_of(method, {"copy", "get", "clip", "tolist", "squeeze"})) return array;
  if (method == "ravel" || method == "flatten") {
    Array flat = *array.array;
    flat.shape = {elements_of(flat, all)};
    return Value::of(std::move(flat));
  }
  if (method == "reshape") {
    Array other = *array.array;
    std::vector<Value> shape =
        arguments.positional.size() == 1 ? shape_from(arguments.at(0)) : arguments.positional;
    for (Value& extent : shape)
      if (extent.is(Kind::whole) && extent.whole == -1) {
        Value rest = elements_of(other, all);
        for (const Value& one : shape)
          if (!(one.is(Kind::whole) && one.whole == -1)) rest = binary("//", rest, one, all);
        extent = rest;
        break;
      }
    other.shape = std::move(shape);
    return Value::of(std::move(other));
  }
  return Value::unknown(all);
}

}  // namespace tune::described::python
