// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/described/imports/python_value.hpp"
#include "kernels/described/source/syntax.hpp"

namespace tune::described::python {

/// The arguments of a call.
struct Arguments {
  std::vector<Value> positional = {};
  std::vector<std::pair<std::string, Value>> named = {};
  bool has_unknown = false;  ///< `*values` that are not known: further ones may follow

  /// The one of this name, or else in this place; null where neither is given.
  const Value* find(std::size_t place, std::string_view name) const;
  /// The one in this place; unknown where there is none.
  Value at(std::size_t place) const;
};

/// A call of a function that is looked for.
struct FoundCall {
  /// The script's text of an argument.
  struct Text {
    std::string name, text;  ///< name: its place where it has none; empty for `*values` that are not known
    Place place = {};
  };
  int node = -1;  ///< of the script; for modules beyond them
  Place place = {};
  std::string function;  ///< its last name: `tune_kernel`
  Arguments arguments = {};
  std::vector<Text> texts = {};
  int times = 1;               ///< how often the script comes to it, as far as it is followed
  std::size_t unfollowed = 0;  ///< how many statements before it were not followed
};

/// A statement that cannot be followed, though it may change what others use.
struct Unfollowed {
  enum class Kind {
    condition,  ///< each way counts
    loop,       ///< counts once, with unknown values
    values,     ///< what it gives is missing
    module,     ///< a file beside the script that cannot be read as a module
    jinja,      ///< a statement of a template
    end         ///< the script is too long: nothing behind it counts
  };
  Kind kind = Kind::condition;
  Place place = {};
  std::string text = {};                ///< of the condition, of what the loop goes over, or all
  std::vector<std::string> names = {};  ///< what it may change
};

/// What counts because nobody calls the script: the default of an option.
struct Assumption {
  Place place = {};
  std::string text;
};

/// Reads a file that the script reads; nothing where there is none. Paths are as the script has them.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

/// Follows a Python script to the calls of some functions: assignments, loops, functions of the script, and
/// what the language and numpy do with numbers, texts, lists and arrays. Nothing is run: what cannot be
/// followed is unknown.
class Follower {
 public:
  /// `wanted`: the last names of the functions to be found. Throws UsageError for a text that is no Python,
  /// and Error without a parser.
  Follower(std::string script, std::string path, std::set<std::string, std::less<>> wanted, ReadFile read);
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  /// A function knows the names around it, which may hold it: they are emptied.
  ~Follower();

  /// Follows the script, and then functions with such calls that nothing has called.
  void follow();
  /// Each call's first time, in the order of the script.
  const std::vector<FoundCall>& calls() const { return state_.calls; }
  /// In the order in which the script comes to them.
  const std::vector<Unfollowed>& unfollowed() const { return state_.unfollowed; }
  const std::vector<Assumption>& assumptions() const { return state_.assumptions; }
  /// The script, and the modules beside it that are followed, by their paths from there.
  const std::vector<std::string>& files() const { return state_.files; }
  /// Numbers by the names that formulas have for them; nothing where only the name is known.
  const std::map<std::string, std::optional<std::int64_t>, std::less<>>& numbers() const {
    return state_.numbers;
  }

  /// The value of a function or lambda of the script.
  Value call(const Value& function, const Arguments& arguments);
  /// The elements of a list, a tuple, a set, a short array, or the keys of a dict; nothing for others.
  std::optional<Value::Items> items_of(const Value& value);
  /// The script's own text of a function, and its place.
  static std::string source_of(const Value& function);
  static Place place_of(const Value& function);
  /// The names of a function's parameters.
  static std::vector<std::string> parameters_of(const Value& function);
  /// The value of an expression in a text of its own, such as a rule. `names`: what it may use.
  static Value expression(const std::string& text, const std::function<Value(std::string_view)>& names);

 private:
  enum class Flow { next, breaks, continues, returns };

  // statements
  Flow run(const std::vector<int>& statements, std::size_t from);
  Flow run_one(int node);
  struct Way {
    int condition = -1, block = -1;
  };
  std::vector<Way> ways_of(int node) const;
  Flow run_ways(const std::vector<Way>& ways, std::size_t from, const std::vector<int>& statements,
                std::size_t next, bool& did_rest);
  Flow run_both(const Value& condition, const std::vector<Way>& ways, std::size_t way,
                const std::vector<int>& statements, std::size_t next, bool& did_rest);
  Flow run_block(int node);
  Flow run_for(int node);
  Flow run_while(int node);
  Flow run_try(int node);
  void run_with(int node);
  void import(int node);
  /// The module's follower, after it has followed it; null where none lies beside the script.
  Follower* module(const std::string& name, int node);
  void import_from(int node, int module);
  Place place(int node) const { return {tree_[node].line, file_}; }
  void define(int node);
  void assign(int target, Value value);
  void give_name(const std::string& wanted, Value& number);
  void assign_name(const std::string& name, Value value);
  void assign_several(const std::vector<int>& targets, const Value& value);
  void assign_element(int target, Value value);
  void assign_augmented(int node);
  void remove(int node);
  /// A statement begins that is not followed for sure. Returns whether it is the outermost one.
  bool enter_doubt(Unfollowed statement);
  /// Keeps it, if it may have changed something.
  void leave_doubt(bool is_outermost);
  void note_change(std::string_view name);
  void keep(Unfollowed statement);
  void follow_the_rest();

  // expressions
  Value eval(int node);
  Value eval_here(int node);
  Value eval_string(int node);
  Value eval_interpolation(int node);
  Value eval_comparison(int node);
  Value eval_logical(int node);
  Value eval_comprehension(int node);
  void comprehend(const std::vector<int>& clauses, std::size_t next, const std::function<void()>& body);
  Value eval_subscript(int node);
  Value eval_slice(const Value& object, int slice, int node);
  Value eval_attribute(int node);
  Value eval_call(int node);
  Value eval_dict(int node);
  Value::Items eval_items(int node);
  Arguments eval_arguments(int node, FoundCall* found);
  Value name(std::string_view name) const;
  Value unknown_at(int node) const;
  std::string_view text(int node) const { return tree_[node].text; }
  std::string_view kind(int node) const { return tree_[node].kind; }
  bool spend(std::size_t steps = 1);
  /// A new scope within another.
  std::shared_ptr<Scope> inner_scope(std::shared_ptr<Scope> outer);

  // what the language and its libraries have
  struct Call {
    const std::string& name;  ///< of the function; with its path, where it is a library's
    const Arguments& arguments;
    int node;
  };
  Value conversion(const Call& call);
  Value extreme(const Call& call);
  Value range(const Call& call);
  Value function_of_number(const Call& call);
  Value power(const Call& call);
  Value length(const Call& call);
  Value made_list(const Call& call);
  Value made_dict(const Call& call);
  Value folded(const Call& call);
  Value rows(const Call& call);
  Value mapped(const Call& call);
  std::optional<std::vector<Value::Items>> lists_of(const Value::Items& values);
  /// Nothing: it is none of these after all.
  std::optional<Value> option_of_script(const Call& call);
  std::optional<Value> variable_of_environment(const Call& call);
  Value value_of_option(const std::string& name, int node);
  void assume(Assumption assumption);
  std::optional<Value> tunable_precision(const Call& call);
  std::optional<Value> path_of_parts(const Call& call);
  std::optional<Value> same_or_path(const Call& call);
  std::optional<Value> part_of_path(const Call& call);
  std::optional<Value> product_of_lists(const Call& call);
  std::optional<Value> array_of_torch(const Call& call);
  std::optional<Value> known_object(const Call& call);
  Value call_object(const std::string& path, const Arguments& arguments, int node);
  Value call_builtin(const std::string& name, const Arguments& arguments, int node);
  Value call_numpy(const std::string& name, const Arguments& arguments, int node);
  Value call_method(Value object, const std::string& method, const Arguments& arguments, int node);
  Value call_of_array(const Value& array, const std::string& method, const Arguments& arguments, int node);
  Value call_of_text(const Value& text, const std::string& method, const Arguments& arguments, int node);
  Value call_of_list(const Value& list, const std::string& method, const Arguments& arguments, int node);
  Value call_of_dict(const Value& dict, const std::string& method, const Arguments& arguments, int node);
  Value joined_text(const std::string& between, const Value& list, int node);
  Value split_text(const std::string& of, const Value& separator);
  Value open(const Value& path, int node);
  /// What `render` of a template of jinja2 makes; unknown where it has statements that CUDA has none for.
  Value rendered(const Value& text, const Arguments& arguments, int node);

  struct Option {
    Value value;
    Assumption assumption;
  };
  /// What the script and the modules beside it share.
  struct State {
    ReadFile read;
    std::set<std::string, std::less<>> wanted;
    std::map<std::string, std::optional<std::int64_t>, std::less<>> numbers = {};
    std::map<std::string, Option, std::less<>> options = {};  ///< of argparse
    std::vector<Assumption> assumptions = {};
    std::vector<FoundCall> calls = {};
    std::vector<Unfollowed> unfollowed = {};
    std::vector<std::string> files = {};
    std::vector<std::string> folders = {""};  ///< of modules, from the script's
    std::vector<std::pair<std::string, std::unique_ptr<Follower>>> modules = {};  ///< by name; null: none
    std::size_t steps = 0;
    int depth = 0;
  };
  Follower(std::string script, std::string path, State& state);

  const std::string script_, path_;
  const std::unique_ptr<State> own_state_;  ///< of the script itself
  State& state_;
  const int file_;
  const Syntax tree_;
  std::vector<std::weak_ptr<Scope>> scopes_ = {};  ///< all that were made
  std::shared_ptr<Scope> module_ = inner_scope(nullptr), scope_ = module_;
  std::function<Value(std::string_view)> outside_ = {};
  std::optional<Unfollowed> doubt_ = std::nullopt;  ///< the outermost statement that is not followed for sure
  std::vector<std::pair<std::string, int>> modules_ = {};
  std::set<int> called_ = {};  ///< nodes of functions
  Value result_ = {};          ///< of the function that is followed
  bool steps_known_ = true;    ///< of the comprehension that is followed
  int unsure_ = 0;
};

}  // namespace tune::described::python
