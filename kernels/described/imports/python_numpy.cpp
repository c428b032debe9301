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

Value sequence(const Arguments& arguments, std::string_view text) {
  const std::size_t count = arguments.positional.size();
  Value begin = Value::of(std::int64_t{0}), end = arguments.at(0), step = Value::of(std::int64_t{1});
  if (count > 1) begin = arguments.at(0), end = arguments.at(1);
  if (count > 2) step = arguments.at(2);
  const Value difference = binary("-", end, begin, text);
  Value size = step.is_number() && step.number() == 1 ? difference : binary("/", difference, step, text);
  if (size.is(Kind::real)) size = Value::of(static_cast<std::int64_t>(std::ceil(size.real)));
  const bool is_whole = begin.is_whole() && step.is_whole();
  if (!begin.is_number() || !step.is_number() || size.is(Kind::unknown)) return Value::unknown(text);
  // A list for what is short: values of parameters.
  constexpr std::int64_t longest = 4096;
  Contents contents{Contents::Kind::sequence, begin.number(), step.number(), {}, {}, nullptr};
  if (size.is(Kind::whole) && !size.follows() && size.whole <= longest) {
    contents.kind = Contents::Kind::listed;
    for (std::int64_t i = 0; i < size.whole; ++i)
      contents.listed.push_back(begin.number() + static_cast<double>(i) * step.number());
  }
  return made({size}, type_in(arguments, 99, is_whole ? "int64" : "float64"), contents);
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
  if (first.is(Kind::array) && arguments.positional.size() == 1 &&
      !is_one_of(name, {"mean", "std", "var", "median"}))
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
