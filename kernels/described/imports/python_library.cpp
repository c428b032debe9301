// SPDX-License-Identifier: Apache-2.0
// What functions of Python's library and of others do with values that are followed.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "kernels/described/imports/python_array.hpp"
#include "kernels/described/imports/python_follower.hpp"
#include "kernels/described/imports/python_operators.hpp"
#include "kernels/described/imports/python_paths.hpp"
#include "tuner/base/format.hpp"

namespace tune::described::python {
namespace {

using Kind = Value::Kind;

}  // namespace

Value Follower::open(const Value& path, int node) {
  if (!path.is(Kind::text) || !state_.read) return Value::unknown(text(node));
  const auto content = state_.read(path.text);
  if (!content) return Value::unknown(text(node));
  Value value = Value::of(*content);
  value.origin = path.text;
  return value;
}

/// `add_argument` of argparse: what the option is without one.
std::optional<Value> Follower::option_of_script(const Call& call) {
  const Arguments& arguments = call.arguments;
  constexpr std::size_t by_name = 99;
  const Value* const given = arguments.find(by_name, "default");
  const Value *const action = arguments.find(by_name, "action"),
                     *const type = arguments.find(by_name, "type"),
                     *const required = arguments.find(by_name, "required"),
                     *const count = arguments.find(by_name, "nargs");
  const auto names = arguments.positional;
  const auto is_long = [](const Value& name) { return name.text.starts_with("--"); };
  const auto chosen_name = std::ranges::find_if(names, is_long);
  const std::string shown =
      names.empty() ? "" : (chosen_name == names.end() ? names.front() : *chosen_name).text;
  std::string option = shown;
  if (const Value* const named = arguments.find(by_name, "dest")) option = named->text;
  option.erase(0, std::min(option.find_first_not_of('-'), option.size()));
  std::ranges::replace(option, '-', '_');
  const bool is_whole = type != nullptr && type->is(Kind::object) && type->text == "int";
  const bool is_optional = count != nullptr && is_one_of(count->text, {"?", "*"});
  const bool is_needed =
      (required != nullptr && truth(*required) == Truth::yes) || (!shown.starts_with('-') && !is_optional);
  Value value = Value::none();
  if (given != nullptr)
    value =
        given->is(Kind::text) && is_whole ? call_builtin("int", {{*given}, {}, false}, call.node) : *given;
  else if (action != nullptr && is_one_of(action->text, {"store_true", "store_false"}))
    value = Value::of(action->text == "store_false");
  else if (is_needed)  // its caller gives it
    value = is_whole ? Value::symbol("") : unknown_at(call.node);
  const std::string literal = literal_of(value);
  give_name(option, value);
  state_.options[option] = {
      value, {place(call.node), format("{}: the definition has its default, {}", shown, literal)}};
  return Value();
}

Value Follower::value_of_option(const std::string& name, int node) {
  const auto found = state_.options.find(name);
  if (found == state_.options.end()) return Value::unknown(text(node));
  const Value& value = found->second.value;
  const bool is_flag = value.is(Kind::none) || value.is(Kind::boolean);
  if (!is_flag && !literal_of(value).empty()) assume(found->second.assumption);
  return value;
}

void Follower::assume(Assumption assumption) {
  if (std::ranges::find(state_.assumptions, assumption.text, &Assumption::text) == state_.assumptions.end())
    state_.assumptions.push_back(std::move(assumption));
}

/// `os.environ.get`, `os.getenv`: its default.
std::optional<Value> Follower::variable_of_environment(const Call& call) {
  if (call.name != "os.getenv" && call.name != "os.environ.get") return std::nullopt;
  const Value* const otherwise = call.arguments.find(1, "default");
  if (otherwise == nullptr) return Value::none();
  assume({place(call.node), format("{}: the definition has its default, {}", call.arguments.at(0).text,
                                   literal_of(*otherwise))});
  return *otherwise;
}

/// Of Kernel Tuner: a parameter names the type of an array.
std::optional<Value> Follower::tunable_precision(const Call& call) {
  const Value name = call.arguments.at(0), array = call.arguments.at(1);
  if (!name.is(Kind::text) || !array.is(Kind::array)) return std::nullopt;
  return with_type(array, name.text);
}

/// `os.path.join`.
std::optional<Value> Follower::path_of_parts(const Call& call) {
  if (call.name != "os.path.join" && call.name != "posixpath.join") return std::nullopt;
  std::string all;
  for (const Value& part : call.arguments.positional) {
    if (!part.is(Kind::text)) return Value::unknown(text(call.node));
    all = all.empty() ? part.text : joined_path(all, part.text);
  }
  return Value::of(all);
}

/// `Path(a, b)`, and what gives back its argument.
std::optional<Value> Follower::same_or_path(const Call& call) {
  const Value::Items& given = call.arguments.positional;
  if (given.empty()) return std::nullopt;
  Value all = given.front();
  for (std::size_t i = 1; i < given.size(); ++i) all = binary("/", all, given[i], text(call.node));
  return all;
}

/// `dirname`, `basename`.
std::optional<Value> Follower::part_of_path(const Call& call) {
  const Value path = call.arguments.at(0);
  if (!path.is(Kind::text)) return std::nullopt;
  return Value::of(call.name.ends_with("dirname") ? folder_of(path.text)
                                                  : path.text.substr(path.text.rfind('/') + 1));
}

/// `itertools.product`.
std::optional<Value> Follower::product_of_lists(const Call& call) {
  if (call.name != "itertools.product") return std::nullopt;
  const auto lists = lists_of(call.arguments.positional);
  if (!lists) return Value::unknown(text(call.node));
  Value::Items all = {Value::sequence(Kind::tuple, {})};
  for (const Value::Items& list : *lists) {
    if (all.size() * list.size() > longest_value / 10) return Value::unknown(text(call.node));
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

/// Arrays of torch are those of numpy, of another type.
std::optional<Value> Follower::array_of_torch(const Call& call) {
  const std::string name = call.name.substr(call.name.rfind('.') + 1);
  if (!call.name.starts_with("torch.") || !is_one_of(name, {"rand", "randn", "zeros", "ones", "empty"}))
    return std::nullopt;
  const Value array =
      call_numpy(name == "rand" || name == "randn" ? "random." + name : name, call.arguments, call.node);
  return array.is(Kind::array) ? with_type(array, "float32") : array;
}

/// What needs no more than its name.
std::optional<Value> Follower::known_object(const Call& call) {
  const std::string name = call.name.substr(call.name.rfind('.') + 1);
  if (name == "OrderedDict" || name == "defaultdict") return call_builtin("dict", call.arguments, call.node);
  if (name == "parse_args" || name == "parse_known_args") return Value::object("argparse.arguments");
  if (name == "append" || name == "insert") {
    if (!call.name.starts_with("sys.path.")) return std::nullopt;
    const Value folder = call.arguments.at(name == "insert" ? 1 : 0);
    if (folder.is(Kind::text)) state_.folders.push_back(folder.text);
    return Value::none();
  }
  if (name == "vars" && call.arguments.at(0).is(Kind::object)) return call.arguments.at(0);
  if (name == "getcwd" || name == "cwd") return Value::of(std::string("."));
  if (name == "Template" && call.arguments.at(0).is(Kind::text)) return call.arguments.at(0);  // of jinja2
  if (is_one_of(name, {"pagelocked_empty", "pagelocked_zeros", "empty_pinned", "zeros_pinned"}))
    return call_numpy("zeros", call.arguments, call.node);
  return std::nullopt;
}

/// A function by its path: `os.path.join`.
Value Follower::call_object(const std::string& path, const Arguments& arguments, int node) {
  const std::size_t dot = path.rfind('.');
  const std::string last = path.substr(dot + 1), module = dot == std::string::npos ? "" : path.substr(0, dot);
  const std::string_view library = std::string_view(path).substr(0, path.find('.'));
  if (module == "math" || module == "builtins") return call_builtin(last, arguments, node);
  if (library == "numpy" || library == "cupy")
    return call_numpy(path.substr(path.find('.') + 1), arguments, node);
  struct Entry {
    std::vector<std::string_view> names;  ///< the last of the path; none: any
    std::optional<Value> (Follower::*follow)(const Call&);
  };
  static const std::array known = {
      Entry{{"add_argument"}, &Follower::option_of_script},
      Entry{{"TunablePrecision"}, &Follower::tunable_precision},
      Entry{{"join"}, &Follower::path_of_parts},
      Entry{{"Path", "PurePath", "abspath", "realpath", "normpath", "expanduser", "fspath", "deepcopy"},
            &Follower::same_or_path},
      Entry{{"dirname", "basename"}, &Follower::part_of_path},
      Entry{{"product"}, &Follower::product_of_lists},
      Entry{{"get", "getenv"}, &Follower::variable_of_environment},
      Entry{{}, &Follower::array_of_torch},
      Entry{{}, &Follower::known_object}};
  for (const Entry& entry : known)
    if (entry.names.empty() || std::ranges::find(entry.names, last) != entry.names.end())
      if (auto value = (this->*entry.follow)({path, arguments, node})) return std::move(*value);
  return dot == std::string::npos ? call_builtin(path, arguments, node) : Value::unknown(text(node));
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
  if (method == "get_template") return open(arguments.at(0), node);  // of jinja2
  if (method == "from_string" && arguments.at(0).is(Kind::text)) return arguments.at(0);
  if (method == "add_argument" || method == "parse_args")
    return call_object("argparse." + method, arguments, node);
  return Value::unknown(text(node));
}

}  // namespace tune::described::python
