// SPDX-License-Identifier: Apache-2.0
// Expressions of a script.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <utility>

#include "kernels/described/imports/python_array.hpp"
#include "kernels/described/imports/python_follower.hpp"
#include "kernels/described/imports/python_operators.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described::python {
namespace {

using Kind = Value::Kind;

/// Of expressions in each other; a function of the script adds its own.
constexpr int deepest_expression = 160;
constexpr std::size_t longest_text_of_letters = 256;

Value whole_number(std::string_view text) {
  std::string digits;
  for (const char c : text)
    if (c != '_') digits += c;
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0') {
    const char kind = digits[1];
    base = kind == 'x' || kind == 'X'   ? 16
           : kind == 'b' || kind == 'B' ? 2
           : kind == 'o' || kind == 'O' ? 8
                                        : 10;
    if (base != 10) digits.erase(0, 2);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error == std::errc() && end == digits.data() + digits.size()) return Value::of(value);
  return Value::unknown(text);
}

Value real_number(std::string_view text) {
  std::string digits;
  for (const char c : text)
    if (c != '_') digits += c;
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size() && std::isfinite(value)
             ? Value::of(value)
             : Value::unknown(text);
}

/// What stands behind a backslash.
std::string unescaped(std::string_view escape) {
  if (escape.size() < 2) return std::string(escape);
  switch (escape[1]) {
    case 'n':
      return "\n";
    case 't':
      return "\t";
    case 'r':
      return "\r";
    case '\n':
      return "";
    case '\\':
    case '\'':
    case '"':
      return std::string(1, escape[1]);
    default:
      return std::string(escape);
  }
}

}  // namespace

Value Follower::eval(int node) {
  if (state_.depth > deepest_expression || !spend()) return Value::unknown(text(node));
  ++state_.depth;
  Value value = eval_here(node);
  --state_.depth;
  if (value.is(Kind::unknown)) {
    if (value.text.empty()) value.text = text(node);
    if (value.place.line == 0) value.place = place(node);
  }
  return value;
}

Value Follower::eval_here(int node) {
  const std::string_view is = kind(node);
  const std::vector<int> parts = tree_.parts(node);
  const auto part = [&](std::string_view field) { return tree_.child_named(node, field); };
  if (is == "identifier") return name(text(node));
  if (is == "integer") return whole_number(text(node));
  if (is == "float") return real_number(text(node));
  if (is == "true" || is == "false") return Value::of(is == "true");
  if (is == "none") return Value::none();
  if (is == "string" || is == "concatenated_string") return eval_string(node);
  if (is == "list") return Value::sequence(Kind::list, eval_items(node));
  if (is == "tuple" || is == "expression_list") return Value::sequence(Kind::tuple, eval_items(node));
  if (is == "set") return Value::sequence(Kind::set, eval_items(node));
  if (is == "dictionary") return eval_dict(node);
  if (is == "parenthesized_expression" || is == "await") return parts.empty() ? Value() : eval(parts.front());
  if (is == "assignment") {
    if (part("right") < 0 || part("left") < 0) return {};
    const Value value = eval(part("right"));
    assign(part("left"), value);
    return value;  // for `a = b = 1`
  }
  if (is == "augmented_assignment") {
    assign_augmented(node);
    return {};
  }
  if (is == "named_expression" && part("name") >= 0 && part("value") >= 0) {
    const Value value = eval(part("value"));
    assign(part("name"), value);
    return value;
  }
  if (is == "binary_operator" && part("left") >= 0 && part("right") >= 0 && part("operator") >= 0) {
    const Value left = eval(part("left")), right = eval(part("right"));
    return binary(text(part("operator")), left, right, text(node));
  }
  if ((is == "unary_operator" || is == "not_operator") && part("argument") >= 0)
    return unary(is == "not_operator" ? "not" : text(node).substr(0, 1), eval(part("argument")), text(node));
  if (is == "boolean_operator") return eval_logical(node);
  if (is == "comparison_operator") return eval_comparison(node);
  if (is == "conditional_expression" && parts.size() == 3) {
    const Value condition = eval(parts[1]);
    if (const Truth known = truth(condition); known != Truth::unknown)
      return eval(parts[known == Truth::yes ? 0 : 2]);
    const Value first = eval(parts[0]), second = eval(parts[2]);
    if (condition.is(Kind::symbol)) return chosen(condition, first, second);
    return second.is(Kind::unknown) ? first : second;
  }
  if (is == "lambda") {
    Value value;
    value.kind = Kind::function;
    value.function = std::make_shared<const Function>(Function{node, scope_, this});
    return value;
  }
  if (is.ends_with("comprehension") || is == "generator_expression") return eval_comprehension(node);
  if (is == "subscript") return eval_subscript(node);
  if (is == "attribute") return eval_attribute(node);
  if (is == "call") return eval_call(node);
  return Value::unknown(text(node));
}

Value Follower::name(std::string_view wanted) const {
  for (const Scope* scope = scope_.get(); scope != nullptr; scope = scope->outer.get())
    for (const auto& [name, value] : scope->names)
      if (name == wanted) return value;
  if (outside_) return outside_(wanted);
  return Value::object(wanted == "np" ? "numpy" : wanted == "cp" ? "cupy" : std::string(wanted));
}

Value Follower::eval_string(int node) {
  if (kind(node) == "concatenated_string") {
    Value all = Value::of(std::string());
    for (const int part : tree_.parts(node)) all = binary("+", all, eval(part), text(node));
    return all;
  }
  std::string all;
  bool is_raw = false, is_format = false;
  for (const int part : tree_.parts(node)) {
    const std::string_view is = kind(part);
    if (is == "string_start") {
      is_raw = text(part).find_first_of("rR") != std::string_view::npos;
      is_format = text(part).find_first_of("fF") != std::string_view::npos;
    } else if (is == "interpolation") {
      const Value value = eval_interpolation(part);
      const std::string shown = text_of(value);
      if (shown.empty() && !value.is(Kind::text)) return Value::unknown(text(node));
      all += shown;
    } else if (is == "string_content") {
      // Escapes are nodes in the content; what lies between them is as it is.
      std::string_view rest = text(part);
      for (const int escape : tree_.parts(part)) {
        const auto at = static_cast<std::size_t>(text(escape).data() - rest.data());
        if (at > rest.size()) break;
        all += rest.substr(0, at);
        const bool is_brace = kind(escape) == "escape_interpolation";
        all += is_brace ? std::string(text(escape).substr(0, is_format ? 1 : 2))
               : is_raw ? std::string(text(escape))
                        : unescaped(text(escape));
        rest.remove_prefix(std::min(rest.size(), at + text(escape).size()));
      }
      all += rest;
    }
    if (all.size() > longest_value) return Value::unknown(text(node));
  }
  return Value::of(std::move(all));
}

Value Follower::eval_interpolation(int node) {
  const int expression = tree_.child_named(node, "expression");
  if (tree_.child_of_kind(node, "format_specifier") >= 0 || expression < 0) return Value::unknown(text(node));
  return eval(expression);
}

Value Follower::unknown_at(int node) const {
  Value value = Value::unknown(text(node));
  value.place = place(node);
  return value;
}

Value::Items Follower::eval_items(int node) {
  Value::Items all;
  for (const int part : tree_.parts(node)) {
    if (kind(part) == "comment") continue;
    if (kind(part) == "list_splat" && !tree_.parts(part).empty()) {
      if (const auto items = items_of(eval(tree_.parts(part).front()))) {
        all.insert(all.end(), items->begin(), items->end());
        continue;
      }
    }
    all.push_back(eval(part));
  }
  return all;
}

Value Follower::eval_dict(int node) {
  Value all = Value::dict();
  for (const int part : tree_.parts(node)) {
    if (kind(part) == "pair") {
      const int key = tree_.child_named(part, "key"), value = tree_.child_named(part, "value");
      if (key < 0 || value < 0) continue;
      const Value named = eval(key);
      all.set(named.is(Kind::unknown) ? unknown_at(part) : named, eval(value));
    } else if (kind(part) == "dictionary_splat" && !tree_.parts(part).empty()) {
      if (const Value other = eval(tree_.parts(part).front()); other.is(Kind::dict))
        for (const auto& [key, value] : *other.pairs) all.set(key, value);
      else
        all.set(unknown_at(part), other);
    }
  }
  return all;
}

Value Follower::eval_logical(int node) {
  const int left = tree_.child_named(node, "left"), right = tree_.child_named(node, "right"),
            op = tree_.child_named(node, "operator");
  if (left < 0 || right < 0 || op < 0) return {};
  const bool is_and = text(op) == "and";
  const Value first = eval(left);
  const Truth is = truth(first);
  if (is != Truth::unknown) return (is == Truth::yes) == is_and ? eval(right) : first;
  const Value second = eval(right);
  if (!first.is(Kind::symbol)) return Value::unknown(text(node));
  return is_and ? chosen(first, second, Value::of(false)) : chosen(first, Value::of(true), second);
}

/// `a < b < c` is `a < b and b < c`.
Value Follower::eval_comparison(int node) {
  std::vector<Value> operands;
  std::vector<std::string> operators;
  std::string op;
  for (const int part : tree_.children(node)) {
    if (tree_[part].field != "operators") {
      operands.push_back(eval(part));
      if (operands.size() > 1) operators.push_back(std::exchange(op, {}));
    } else {
      op += (op.empty() ? "" : " ") + std::string(text(part));
      if (op == "not in" || op == "is not") continue;
    }
  }
  Value all = Value::of(true);
  for (std::size_t i = 0; i + 1 < operands.size() && i < operators.size(); ++i) {
    const Value one = compared(operators[i], operands[i], operands[i + 1], text(node));
    if (i == 0)
      all = one;
    else if (truth(all) != Truth::unknown)
      all = truth(all) == Truth::yes ? one : all;
    else
      all = truth(one) == Truth::yes ? all : chosen(all, one, Value::of(false));
  }
  return all;
}

void Follower::comprehend(const std::vector<int>& clauses, std::size_t next,
                          const std::function<void()>& body) {
  if (next == clauses.size()) {
    body();
    return;
  }
  const int clause = clauses[next];
  if (kind(clause) == "if_clause") {
    const std::vector<int> parts = tree_.parts(clause);
    if (parts.empty() || truth(eval(parts.front())) != Truth::no) comprehend(clauses, next + 1, body);
    return;
  }
  const int left = tree_.child_named(clause, "left"), right = tree_.child_named(clause, "right");
  if (left < 0 || right < 0) return;
  const auto items = items_of(eval(right));
  if (!items) {
    steps_known_ = false;
    return;
  }
  for (const Value& one : *items) {
    if (!spend()) return;
    // Its variables are numbers of no name.
    Value plain = one;
    if (left >= 0 && kind(left) == "identifier")
      scope_->names.insert(scope_->names.begin(), {std::string(text(left)), std::move(plain)});
    else
      assign(left, plain);
    comprehend(clauses, next + 1, body);
    if (kind(left) == "identifier") scope_->names.erase(scope_->names.begin());
  }
}

Value Follower::eval_comprehension(int node) {
  const int body = tree_.child_named(node, "body");
  std::vector<int> clauses;
  for (const int part : tree_.parts(node))
    if (kind(part) == "for_in_clause" || kind(part) == "if_clause") clauses.push_back(part);
  if (body < 0) return {};
  const bool is_dict = kind(body) == "pair";
  const bool known = std::exchange(steps_known_, true);
  Value dict = Value::dict();
  Value::Items items;
  const std::shared_ptr<Scope> around = scope_;
  scope_ = inner_scope(around);
  comprehend(clauses, 0, [&] {
    if (items.size() >= longest_value) return;
    if (!is_dict) {
      items.push_back(eval(body));
      return;
    }
    const int key = tree_.child_named(body, "key"), value = tree_.child_named(body, "value");
    if (key < 0 || value < 0 || dict.pairs->size() >= 10'000) return;
    const Value named = eval(key);
    dict.set(named.is(Kind::unknown) ? unknown_at(node) : named, eval(value));
  });
  scope_ = around;
  const bool is_known = std::exchange(steps_known_, known) && spend(0);
  if (!is_known) return Value::unknown(text(node));
  if (is_dict) return dict;
  return Value::sequence(kind(node) == "set_comprehension" ? Kind::set : Kind::list, std::move(items));
}

std::optional<Value::Items> Follower::items_of(const Value& value) {
  if (value.is_sequence()) {
    if (!spend(value.items->size() / 8)) return std::nullopt;
    return *value.items;
  }
  if (value.is(Kind::text) && value.text.size() <= longest_text_of_letters) {
    Value::Items letters;
    for (const char letter : value.text) letters.push_back(Value::of(std::string(1, letter)));
    return letters;
  }
  if (value.is(Kind::dict)) {
    Value::Items keys;
    for (const auto& pair : *value.pairs) keys.push_back(pair.first);
    return keys;
  }
  if (value.is(Kind::array) && value.array->contents.kind == ArrayContents::Kind::listed &&
      value.array->shape.size() == 1) {
    Value::Items all;
    for (const double number : value.array->contents.listed)
      all.push_back(value.array->type.find("int") != std::string::npos
                        ? Value::of(static_cast<std::int64_t>(number))
                        : Value::of(number));
    return all;
  }
  return std::nullopt;
}

Value Follower::eval_slice(const Value& object, int slice, int node) {
  const auto items = object.is(Kind::text) ? std::nullopt : items_of(object);
  if (!items && !object.is(Kind::text)) {
    if (!object.is(Kind::array)) return Value::unknown(text(node));
    Array part = *object.array;
    const bool is_whole = text(slice) == ":" || text(slice) == "::-1";
    if (!is_whole && !part.shape.empty()) part.shape.front() = Value::unknown(text(node));
    if (part.contents.kind == ArrayContents::Kind::listed) part.contents = {};
    return Value::of(std::move(part));
  }
  const auto size = static_cast<std::int64_t>(items ? items->size() : object.text.size());
  std::array<std::optional<std::int64_t>, 3> ends;
  std::size_t place = 0;
  for (const int part : tree_.children(slice)) {
    if (text(part) == ":") {
      if (++place >= ends.size()) break;
      continue;
    }
    const Value end = eval(part);
    if (!end.is_whole() && !end.is(Kind::none)) return Value::unknown(text(node));
    if (end.is_whole()) ends[place] = end.integer();
  }
  const std::int64_t step = ends[2].value_or(1);
  if (step == 0) return Value::unknown(text(node));
  const auto clamped = [&](std::optional<std::int64_t> end, std::int64_t otherwise) {
    if (!end) return otherwise;
    const std::int64_t at = *end < 0 ? *end + size : *end;
    return std::clamp<std::int64_t>(at, step > 0 ? 0 : -1, step > 0 ? size : size - 1);
  };
  const std::int64_t begin = clamped(ends[0], step > 0 ? 0 : size - 1),
                     end = clamped(ends[1], step > 0 ? size : -1);
  Value::Items some;
  std::string letters;
  for (std::int64_t i = begin; step > 0 ? i < end : i > end;
       i += std::clamp<std::int64_t>(step, -size - 1, size + 1))
    if (items)
      some.push_back((*items)[static_cast<std::size_t>(i)]);
    else
      letters += object.text[static_cast<std::size_t>(i)];
  return items ? Value::sequence(object.is(Kind::tuple) ? Kind::tuple : Kind::list, std::move(some))
               : Value::of(std::move(letters));
}

Value Follower::eval_subscript(int node) {
  const int object = tree_.child_named(node, "value"), index = tree_.child_named(node, "subscript");
  if (object < 0 || index < 0) return {};
  const Value of = eval(object);
  if (kind(index) == "slice") return eval_slice(of, index, node);
  const Value at = eval(index);
  if (of.is(Kind::object) && of.text == "argparse.arguments" && at.is(Kind::text))
    return value_of_option(at.text, node);
  if (of.is(Kind::object) && at.is(Kind::text))
    return Value::object(of.text + "." + at.text);  // of os.environ
  if (of.is(Kind::array)) {
    if (of.array->call >= 0 && of.array->argument < 0 && at.is_whole()) {  // what run_kernel gives back
      Array one = *of.array;
      one.argument = static_cast<int>(at.integer());
      return Value::of(std::move(one));
    }
    if (const auto items = items_of(of)) return element(Value::sequence(Kind::list, *items), at, text(node));
    if (of.array->shape.size() > 1 && (at.is_whole() || at.is(Kind::symbol))) {
      Array row = *of.array;
      row.shape.erase(row.shape.begin());
      if (row.contents.kind == ArrayContents::Kind::listed) row.contents = {};
      return Value::of(std::move(row));
    }
    return Value::unknown(text(node));
  }
  if (of.is(Kind::symbol)) return Value::unknown(text(node));
  return element(of, at, text(node));
}

Value Follower::eval_attribute(int node) {
  const int object = tree_.child_named(node, "object"), attribute = tree_.child_named(node, "attribute");
  if (object < 0 || attribute < 0) return {};
  // `self.n` was given a value under its whole name.
  for (const Scope* scope = scope_.get(); scope != nullptr; scope = scope->outer.get())
    for (const auto& [name, value] : scope->names)
      if (name == text(node)) return value;
  const Value of = eval(object);
  const std::string named(text(attribute));
  if (of.is(Kind::object)) {
    if (of.text == "argparse.arguments") return value_of_option(named, node);
    const std::string path = of.text + "." + named;
    if (path == "sys.argv") {
      assume({place(node), "the script is read as if it was started without arguments"});
      return Value::sequence(Kind::list, {Value::of(path_)});
    }
    if (path == "numpy.pi" || path == "math.pi" || path == "cupy.pi") return Value::of(std::numbers::pi);
    if (path == "math.e" || path == "numpy.e") return Value::of(std::numbers::e);
    return Value::object(path);
  }
  if (of.is(Kind::array)) {
    if (named == "size") return elements_of(*of.array, text(node));
    if (named == "itemsize") return bytes_of_element(of.array->type, text(node));
    if (named == "nbytes")
      return binary("*", elements_of(*of.array, text(node)), bytes_of_element(of.array->type, text(node)),
                    text(node));
    if (named == "shape") return Value::sequence(Kind::tuple, of.array->shape);
    if (named == "ndim") return Value::of(static_cast<std::int64_t>(of.array->shape.size()));
    if (named == "dtype") return Value::object("numpy." + of.array->type);
    if (named == "T") {
      Array turned = *of.array;
      std::ranges::reverse(turned.shape);
      if (turned.contents.kind == ArrayContents::Kind::listed && turned.shape.size() > 1)
        turned.contents = {};
      return Value::of(std::move(turned));
    }
  }
  if (of.is(Kind::text) && (named == "parent" || named == "stem" || named == "name"))
    return call_of_text(of, "." + named, {}, node);
  if (of.is(Kind::text) && named == "render") return rendered(of, {}, node);
  if (of.is(Kind::function) && named == "__name__") {
    const Follower& owner = *of.function->owner;
    const int own = owner.tree_.child_named(of.function->node, "name");
    return own < 0 ? Value() : Value::of(std::string(owner.text(own)));
  }
  return Value::unknown(text(node));
}

Arguments Follower::eval_arguments(int node, FoundCall* found) {
  Arguments all;
  if (node >= 0 && kind(node) == "generator_expression") {
    all.positional.push_back(eval(node));
    return all;
  }
  if (node < 0) return all;
  for (const int part : tree_.parts(node)) {
    const std::string_view is = kind(part);
    if (is == "comment") continue;
    if (is == "keyword_argument") {
      const int named = tree_.child_named(part, "name"), value = tree_.child_named(part, "value");
      if (named < 0 || value < 0) continue;
      all.named.emplace_back(text(named), eval(value));
      if (found != nullptr)
        found->texts.push_back({std::string(text(named)), std::string(text(value)), place(value)});
    } else if (is == "list_splat" && !tree_.parts(part).empty()) {
      const auto items = items_of(eval(tree_.parts(part).front()));
      all.has_unknown = all.has_unknown || !items;
      if (found != nullptr && !items) found->texts.push_back({"", std::string(text(part)), place(part)});
      if (items) all.positional.insert(all.positional.end(), items->begin(), items->end());
    } else if (is == "dictionary_splat" && !tree_.parts(part).empty()) {
      const Value dict = eval(tree_.parts(part).front());
      all.has_unknown = all.has_unknown || !dict.is(Kind::dict);
      if (found != nullptr && !dict.is(Kind::dict))
        found->texts.push_back({"", std::string(text(part)), place(part)});
      if (dict.is(Kind::dict))
        for (const auto& [key, value] : *dict.pairs) all.named.emplace_back(key.text, value);
    } else {
      all.positional.push_back(eval(part));
      if (found != nullptr)
        found->texts.push_back(
            {std::to_string(all.positional.size() - 1), std::string(text(part)), place(part)});
    }
  }
  return all;
}

Value Follower::eval_call(int node) {
  const int function = tree_.child_named(node, "function"), arguments = tree_.child_named(node, "arguments");
  if (function < 0) return {};
  const bool is_attribute = kind(function) == "attribute";
  Value object;
  Value called = is_attribute ? Value() : eval(function);
  std::string method;
  if (is_attribute) {
    const int of = tree_.child_named(function, "object"), named = tree_.child_named(function, "attribute");
    if (of < 0 || named < 0) return {};
    method = text(named);
    object = eval(of);
    called = eval(function);
  }
  const std::string path = called.is(Kind::object) ? called.text : method;
  const std::string last = path.substr(path.rfind('.') + 1);
  if (state_.wanted.contains(last) && !called.is(Kind::function)) {
    // Nodes of modules are others than those of the script.
    constexpr int nodes_of_a_file = 100'000'000;
    FoundCall found{file_ * nodes_of_a_file + node, place(node), last};
    const int number = found.node;
    found.arguments = eval_arguments(arguments, &found);
    if (doubt_) keep(*doubt_);
    found.unfollowed = state_.unfollowed.size();
    const auto known = std::ranges::find(state_.calls, found.node, &FoundCall::node);
    if (known == state_.calls.end())
      state_.calls.push_back(std::move(found));
    else
      ++known->times;
    Array results;  // one of these behind a subscript
    results.call = number;
    return Value::of(std::move(results));
  }
  const Arguments given = eval_arguments(arguments, nullptr);
  if ((path == "numpy.copyto" || path == "cupy.copyto") && given.at(0).is(Kind::array) &&
      given.at(1).is(Kind::array)) {
    Array filled = *given.at(0).array;
    filled.contents = given.at(1).array->contents;
    assign(tree_.parts(arguments).front(), Value::of(std::move(filled)));
    return Value::none();
  }

  if (called.is(Kind::function)) return call(called, given);
  if (called.is(Kind::object)) return call_object(called.text, given, node);
  if (!is_attribute) return Value::unknown(text(node));
  if (is_one_of(method, {"append", "add", "extend", "insert", "remove", "pop", "update", "setdefault"}))
    note_change(text(tree_.child_named(function, "object")));
  return call_method(object, method, given, node);
}

Value Follower::expression(const std::string& text, const std::function<Value(std::string_view)>& names) {
  Follower follower(text, "", {}, {});
  follower.outside_ = names;
  const std::vector<int> statements = follower.tree_.parts(0);
  if (statements.size() != 1 || follower.kind(statements.front()) != "expression_statement") return {};
  const std::vector<int> parts = follower.tree_.parts(statements.front());
  return parts.size() == 1 ? follower.eval(parts.front()) : Value();
}

}  // namespace tune::described::python
