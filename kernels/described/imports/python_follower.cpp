// SPDX-License-Identifier: Apache-2.0
// Statements of a script.
#include "kernels/described/imports/python_follower.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/described/imports/python_operators.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::described::python {
namespace {

using Kind = Value::Kind;

/// Of expressions and statements: seconds.
constexpr std::size_t most_steps = 1'000'000;
constexpr int deepest = 120;

Value* find_in(Scope& scope, std::string_view name) {
  const auto found = std::ranges::find(scope.names, name, &std::pair<std::string, Value>::first);
  return found == scope.names.end() ? nullptr : &found->second;
}

bool is_name(std::string_view text) {
  return search::is_variable_name(text) && text.find('.') == std::string_view::npos;
}

}  // namespace

const Value* Arguments::find(std::size_t place, std::string_view name) const {
  const auto found = std::ranges::find(named, name, &std::pair<std::string, Value>::first);
  if (found != named.end()) return &found->second;
  return place < positional.size() ? &positional[place] : nullptr;
}

Value Arguments::at(std::size_t place) const {
  return place < positional.size() ? positional[place] : Value();
}

Follower::Follower(std::string script, std::string path, std::set<std::string, std::less<>> wanted,
                   ReadFile read)
    : script_(std::move(script)),
      path_(std::move(path)),
      own_state_(std::make_unique<State>(State{std::move(read), std::move(wanted)})),
      state_(*own_state_),
      file_(0),
      tree_(read_syntax(script_, Language::python)) {
  state_.files.push_back(path_);
}

Follower::Follower(std::string script, std::string path, State& state)
    : script_(std::move(script)),
      path_(std::move(path)),
      own_state_(nullptr),
      state_(state),
      file_(static_cast<int>(state.files.size())),
      tree_(read_syntax(script_, Language::python)) {
  state_.files.push_back(path_);
}

Follower::~Follower() {
  for (const auto& scope : scopes_)
    if (const auto left = scope.lock()) left->names.clear();
}

std::shared_ptr<Scope> Follower::inner_scope(std::shared_ptr<Scope> outer) {
  const auto scope = std::make_shared<Scope>(Scope{{}, std::move(outer)});
  scopes_.push_back(scope);
  return scope;
}

bool Follower::spend(std::size_t steps) {
  state_.steps += std::min(steps, most_steps);
  return state_.steps < most_steps;
}

void Follower::follow() {
  assign_name("__name__", Value::of(std::string("__main__")));
  assign_name("__file__", Value::of(path_));
  run(tree_.parts(0), 0);
  scope_ = module_;
  follow_the_rest();
  std::ranges::sort(state_.calls, {}, &FoundCall::node);
}

void Follower::follow_the_rest() {
  for (int node = 0; node < tree_.size(); ++node) {
    if (kind(node) != "call" || std::ranges::find(state_.calls, node, &FoundCall::node) != state_.calls.end())
      continue;
    const int function = tree_.child_named(node, "function");
    const std::string_view all = function < 0 ? std::string_view() : text(function);
    if (!state_.wanted.contains(all.substr(all.rfind('.') + 1))) continue;
    const int definition = tree_.above(node, "function_definition");
    if (definition < 0 || called_.contains(definition)) continue;
    state_.steps = 0;
    Value called;
    called.kind = Kind::function;
    called.function = std::make_shared<const Function>(Function{definition, module_, this});
    call(called, {});
  }
}

Follower::Flow Follower::run(const std::vector<int>& statements, std::size_t from) {
  if (++state_.depth > deepest) {
    --state_.depth;
    return Flow::next;
  }
  Flow flow = Flow::next;
  for (std::size_t i = from; i < statements.size() && flow == Flow::next; ++i) {
    if (!spend()) {
      keep({Unfollowed::Kind::end, place(statements[i])});
      break;
    }
    bool did_rest = false;
    flow = kind(statements[i]) == "if_statement"
               ? run_ways(ways_of(statements[i]), 0, statements, i + 1, did_rest)
               : run_one(statements[i]);
    if (did_rest) break;
  }
  --state_.depth;
  return flow;
}

Follower::Flow Follower::run_block(int node) {
  return node < 0 ? Flow::next : run(tree_.parts(node), 0);
}

Follower::Flow Follower::run_one(int node) {
  const std::string_view is = kind(node);
  if (is == "expression_statement") {
    for (const int part : tree_.parts(node)) eval(part);
  } else if (is == "function_definition") {
    define(node);
  } else if (is == "decorated_definition") {
    if (const int inner = tree_.child_named(node, "definition");
        inner >= 0 && kind(inner) == "function_definition")
      define(inner);
  } else if (is == "return_statement") {
    const std::vector<int> parts = tree_.parts(node);
    result_ = parts.empty() ? Value::none() : eval(parts.front());
    return Flow::returns;
  } else if (is == "raise_statement") {
    result_ = Value::unknown(text(node));
    return Flow::returns;
  } else if (is == "for_statement") {
    return run_for(node);
  } else if (is == "while_statement") {
    return run_while(node);
  } else if (is == "try_statement") {
    return run_try(node);
  } else if (is == "with_statement") {
    run_with(node);
    return run_block(tree_.child_named(node, "body"));
  } else if (is == "import_statement" || is == "import_from_statement") {
    import(node);
  } else if (is == "break_statement") {
    return Flow::breaks;
  } else if (is == "continue_statement") {
    return Flow::continues;
  } else if (is == "delete_statement") {
    for (const int part : tree_.parts(node)) remove(part);
  } else if (is == "match_statement") {
    keep({Unfollowed::Kind::values, place(node), std::string(text(node).substr(0, text(node).find(':')))});
  } else if (is == "class_definition") {
    if (const int named = tree_.child_named(node, "name"); named >= 0)
      assign_name(std::string(text(named)), Value::unknown(text(named)));
  }
  return Flow::next;
}

/// The ways of an `if`: those of its `elif` and `else` behind it.
std::vector<Follower::Way> Follower::ways_of(int node) const {
  std::vector<Way> ways = {{tree_.child_named(node, "condition"), tree_.child_named(node, "consequence")}};
  for (const int part : tree_.children(node)) {
    if (kind(part) == "elif_clause")
      ways.push_back({tree_.child_named(part, "condition"), tree_.child_named(part, "consequence")});
    if (kind(part) == "else_clause") ways.push_back({-1, tree_.child_named(part, "body")});
  }
  return ways;
}

/// Follows the first way whose condition holds. `did_rest`: also the statements behind the `if`.
Follower::Flow Follower::run_ways(const std::vector<Way>& ways, std::size_t from,
                                  const std::vector<int>& statements, std::size_t next, bool& did_rest) {
  const auto ends = [&](int block) {
    const std::vector<int> inner = block < 0 ? std::vector<int>() : tree_.parts(block);
    return !inner.empty() &&
           (kind(inner.back()) == "return_statement" || kind(inner.back()) == "raise_statement");
  };
  int unsure = 0;
  bool is_outermost = false;
  Flow flow = Flow::next;
  for (std::size_t i = from; i < ways.size(); ++i) {
    const Value condition = ways[i].condition < 0 ? Value::of(true) : eval(ways[i].condition);
    const Truth is = truth(condition);
    if (is == Truth::no) continue;
    if (is == Truth::unknown && condition.is(Kind::symbol) && unsure == 0)
      return run_both(condition, ways, i, statements, next, did_rest);
    if (is == Truth::unknown && unsure++ == 0) {  // both ways: what is known stays
      ++unsure_;
      is_outermost = enter_doubt(
          {Unfollowed::Kind::condition, place(ways[i].condition), std::string(text(ways[i].condition))});
    }
    if (unsure > 0 && ends(ways[i].block)) continue;
    const Flow inner = run_block(ways[i].block);
    if (unsure == 0) flow = inner;
    if (is == Truth::yes) break;
  }
  if (unsure > 0) {
    --unsure_;
    leave_doubt(is_outermost);
  }
  return flow;
}

/// Where a formula tells the condition: each way, with the rest that belongs to it.
Follower::Flow Follower::run_both(const Value& condition, const std::vector<Way>& ways, std::size_t way,
                                  const std::vector<int>& statements, std::size_t next, bool& did_rest) {
  const auto before = scope_->names;
  Flow yes = run_block(ways[way].block);
  Value first = result_;
  const auto after = scope_->names;
  scope_->names = before;
  bool did_other = false;
  Flow no = run_ways(ways, way + 1, statements, next, did_other);
  if (yes == Flow::next && no == Flow::next && !did_other) {
    for (const auto& [name, value] : after) {
      Value* const other = find_in(*scope_, name);
      if (other == nullptr)
        scope_->names.emplace_back(name, value);
      else if (formula_of(*other) != formula_of(value))
        *other = chosen(condition, value, *other);
    }
    return Flow::next;
  }
  did_rest = true;
  const auto go_on = [&](Flow flow) {
    if (flow == Flow::next && run(statements, next) != Flow::returns) result_ = Value::none();
  };
  if (!did_other) go_on(no);
  const Value second = result_;
  if (yes == Flow::next) {
    scope_->names = after;
    go_on(yes);
    first = result_;
  }
  result_ = chosen(condition, first, second);
  return Flow::returns;
}

Follower::Flow Follower::run_for(int node) {
  const int left = tree_.child_named(node, "left"), right = tree_.child_named(node, "right"),
            body = tree_.child_named(node, "body");
  if (left < 0 || right < 0) return Flow::next;
  const Value over = eval(right);
  const auto items = items_of(over);
  if (!items) {
    assign(left, Value::unknown(text(left)));
    ++unsure_;
    const bool is_outermost = enter_doubt({Unfollowed::Kind::loop, place(node), std::string(text(right))});
    const Flow flow = run_block(body);
    leave_doubt(is_outermost);
    --unsure_;
    return flow == Flow::returns && !result_.is(Kind::unknown) ? flow : Flow::next;
  }
  for (const Value& one : *items) {
    if (!spend()) break;
    assign(left, one);
    const Flow flow = run_block(body);
    if (flow == Flow::returns) return flow;
    if (flow == Flow::breaks) break;
  }
  return Flow::next;
}

Follower::Flow Follower::run_while(int node) {
  const int condition = tree_.child_named(node, "condition"), body = tree_.child_named(node, "body");
  if (condition < 0) return Flow::next;
  while (spend()) {
    const Truth is = truth(eval(condition));
    if (is == Truth::no) break;
    const bool is_unsure = is == Truth::unknown;
    bool is_outermost = false;
    if (is_unsure) {
      ++unsure_;
      is_outermost = enter_doubt({Unfollowed::Kind::loop, place(node), std::string(text(condition))});
    }
    const Flow flow = run_block(body);
    if (is_unsure) {
      leave_doubt(is_outermost);
      --unsure_;
    }
    if (flow == Flow::returns) return flow;
    if (flow == Flow::breaks || is == Truth::unknown) break;
  }
  return Flow::next;
}

Follower::Flow Follower::run_try(int node) {
  Flow flow = run_block(tree_.child_named(node, "body"));
  for (const int part : tree_.parts(node))
    if (kind(part) == "else_clause" || kind(part) == "finally_clause") {
      const int block = tree_.child_of_kind(part, "block");
      if (const Flow then = run_block(block); flow == Flow::next) flow = then;
    }
  return flow;
}

void Follower::run_with(int node) {
  for (const int clause : tree_.parts(node))
    if (kind(clause) == "with_clause")
      for (const int item : tree_.parts(clause)) {
        const int value = tree_.child_named(item, "value");
        if (value < 0) continue;
        if (kind(value) != "as_pattern") {
          eval(value);
          continue;
        }
        const std::vector<int> parts = tree_.parts(value);
        const int alias = tree_.child_named(value, "alias");
        if (!parts.empty() && alias >= 0 && !tree_.parts(alias).empty())
          assign(tree_.parts(alias).front(), eval(parts.front()));
      }
}

void Follower::define(int node) {
  const int named = tree_.child_named(node, "name");
  if (named < 0) return;
  Value value;
  value.kind = Kind::function;
  value.function = std::make_shared<const Function>(Function{node, scope_, this});
  assign_name(std::string(text(named)), value);
}

/// A number of the script's own gets its name in formulas.
void Follower::give_name(const std::string& wanted, Value& number) {
  const bool is_asked = number.is(Kind::symbol) && number.formula.empty();
  if ((!number.is(Kind::whole) || number.follows()) && !is_asked) return;
  if (!is_name(wanted)) return;
  std::string own = wanted;
  const std::optional<std::int64_t> given = is_asked ? std::nullopt : std::optional(number.whole);
  for (int i = 2; state_.numbers.contains(own) && state_.numbers.at(own) != given && i < 100; ++i)
    own = format("{}_{}", wanted, i);
  state_.numbers.emplace(own, given);
  number.formula = own;
  number.binding = Binding::primary;
}

void Follower::assign_name(const std::string& name, Value value) {
  give_name(name, value);
  constexpr std::array<std::string_view, 3> axes = {"x", "y", "z"};
  if (value.is(Kind::tuple) && value.items->size() <= axes.size()) {
    Value::Items items = *value.items;
    for (std::size_t i = 0; i < items.size(); ++i) give_name(format("{}_{}", name, axes[i]), items[i]);
    value = Value::sequence(Kind::tuple, std::move(items));
  }
  if (unsure_ > 0) note_change(name);
  Value* const known = find_in(*scope_, name);
  if (known == nullptr)
    scope_->names.emplace_back(name, std::move(value));
  else if (unsure_ == 0 || !value.is(Kind::unknown) || known->is(Kind::unknown))
    *known = std::move(value);
}

void Follower::assign_several(const std::vector<int>& targets, const Value& value) {
  const auto items = items_of(value);
  for (std::size_t i = 0; i < targets.size(); ++i)
    assign(targets[i], items && items->size() == targets.size() ? (*items)[i]
                       : value.is(Kind::object)                 ? value
                                                                : Value::unknown(text(targets[i])));
}

void Follower::assign_element(int target, Value value) {
  const int object = tree_.child_named(target, "value"), index = tree_.child_named(target, "subscript");
  if (object < 0 || index < 0) return;
  const Value of = eval(object);
  Value at = eval(index);
  note_change(text(object));
  if (of.is(Kind::dict)) {
    if (at.is(Kind::unknown) && doubt_) return;  // told with the statement around it
    if (const int whole = tree_.above(target, "assignment"); at.is(Kind::unknown) && whole >= 0)
      at = unknown_at(whole);
    if (of.pairs->size() < 10'000) of.set(at, std::move(value));
  } else if (of.is(Kind::list) && at.is_whole()) {
    const auto size = static_cast<std::int64_t>(of.items->size());
    const std::int64_t place = at.integer() < 0 ? at.integer() + size : at.integer();
    if (place >= 0 && place < size) (*of.items)[static_cast<std::size_t>(place)] = std::move(value);
  }
}

void Follower::assign(int target, Value value) {
  const std::string_view is = kind(target);
  if (is == "identifier")
    assign_name(std::string(text(target)), std::move(value));
  else if (is == "pattern_list" || is == "tuple_pattern" || is == "list_pattern" || is == "tuple" ||
           is == "list")
    assign_several(tree_.parts(target), value);
  else if (is == "subscript")
    assign_element(target, std::move(value));
  else if (is == "attribute")
    assign_name(std::string(text(target)), std::move(value));  // `self.n`, by its whole name
  else if (is == "parenthesized_expression" && !tree_.parts(target).empty())
    assign(tree_.parts(target).front(), std::move(value));
}

void Follower::assign_augmented(int node) {
  const int left = tree_.child_named(node, "left"), right = tree_.child_named(node, "right"),
            op = tree_.child_named(node, "operator");
  if (left < 0 || right < 0 || op < 0) return;
  const std::string_view sign = text(op);
  const Value old = eval(left), other = eval(right);
  if (old.is(Kind::list) && other.is_sequence() && sign == "+=" && spend(other.items->size())) {
    const Value::Items added = *other.items;
    old.items->insert(old.items->end(), added.begin(), added.end());
    return;
  }
  assign(left, binary(sign.substr(0, sign.size() - 1), old, other, text(node)));
}

/// `del`: an element of a dict or a list.
void Follower::remove(int node) {
  if (kind(node) == "expression_list" || kind(node) == "tuple") {
    for (const int part : tree_.parts(node)) remove(part);
    return;
  }
  const int object = tree_.child_named(node, "value"), index = tree_.child_named(node, "subscript");
  if (kind(node) != "subscript" || object < 0 || index < 0) return;
  const Value of = eval(object), at = eval(index);
  note_change(text(object));
  const bool is_place = of.is(Kind::list) && at.is_whole();
  if (of.is(Kind::dict) && (at.is(Kind::text) || at.is_number())) {
    std::erase_if(*of.pairs, [&](const auto& pair) { return equal(pair.first, at); });
  } else if (is_place) {
    const auto size = static_cast<std::int64_t>(of.items->size());
    const std::int64_t place = at.integer() < 0 ? at.integer() + size : at.integer();
    if (place >= 0 && place < size) of.items->erase(of.items->begin() + static_cast<std::ptrdiff_t>(place));
  } else {
    keep({Unfollowed::Kind::values, place(node), "del " + std::string(text(node)), {}});
  }
}

bool Follower::enter_doubt(Unfollowed statement) {
  if (doubt_) return false;
  doubt_ = std::move(statement);
  return true;
}

void Follower::leave_doubt(bool is_outermost) {
  if (!is_outermost) return;
  const Unfollowed statement = *std::exchange(doubt_, std::nullopt);
  if (!statement.names.empty()) keep(statement);
}

void Follower::note_change(std::string_view name) {
  if (doubt_ && std::ranges::find(doubt_->names, name) == doubt_->names.end())
    doubt_->names.emplace_back(name);
}

void Follower::keep(Unfollowed statement) {
  const bool is_known = std::ranges::any_of(state_.unfollowed, [&](const Unfollowed& one) {
    return one.place == statement.place && one.kind == statement.kind;
  });
  if (!is_known) state_.unfollowed.push_back(std::move(statement));
}

std::string Follower::source_of(const Value& function) {
  return std::string(function.function->owner->text(function.function->node));
}

Place Follower::place_of(const Value& function) {
  return function.function->owner->place(function.function->node);
}

std::vector<std::string> Follower::parameters_of(const Value& function) {
  const Follower& owner = *function.function->owner;
  const int parameters = owner.tree_.child_named(function.function->node, "parameters");
  std::vector<std::string> names;
  for (const int one : parameters < 0 ? std::vector<int>() : owner.tree_.parts(parameters))
    if (owner.kind(one) == "identifier") names.emplace_back(owner.text(one));
  return names;
}

Value Follower::call(const Value& function, const Arguments& arguments) {
  if (!function.is(Kind::function) || !spend()) return {};
  if (function.function->owner != this) return function.function->owner->call(function, arguments);
  const int node = function.function->node;
  const bool is_lambda = kind(node) == "lambda";
  if (++state_.depth > deepest) {
    --state_.depth;
    return {};
  }
  if (!is_lambda) called_.insert(node);
  const std::shared_ptr<Scope> caller = std::exchange(scope_, inner_scope(function.function->scope));
  const Value callers_result = std::exchange(result_, Value::none());
  const int unsure = std::exchange(unsure_, 0);
  const int parameters = tree_.child_named(node, "parameters"), body = tree_.child_named(node, "body");
  std::size_t place = 0;
  if (parameters >= 0)
    for (const int parameter : tree_.parts(parameters)) {
      const std::string_view is = kind(parameter);
      if (is == "list_splat_pattern" || is == "dictionary_splat_pattern") {
        if (const auto parts = tree_.parts(parameter); !parts.empty())
          assign(parts.front(), Value::unknown(text(parameter)));
        continue;
      }
      int named = is == "identifier" ? parameter : tree_.child_named(parameter, "name");
      if (is == "typed_parameter" && !tree_.parts(parameter).empty()) named = tree_.parts(parameter).front();
      if (named < 0) continue;
      const int otherwise = tree_.child_named(parameter, "value");
      const Value* const given = arguments.find(place++, text(named));
      if (given != nullptr) {
        assign_name(std::string(text(named)), *given);
      } else if (otherwise >= 0) {
        assign_name(std::string(text(named)), eval(otherwise));
      } else {
        assign_name(std::string(text(named)), Value::unknown(text(named)));
      }
    }
  if (body >= 0) {
    if (is_lambda)
      result_ = eval(body);
    else
      run_block(body);
  }
  Value result = std::exchange(result_, callers_result);
  scope_ = caller;
  unsure_ = unsure;
  --state_.depth;
  return result;
}

}  // namespace tune::described::python
