// SPDX-License-Identifier: Apache-2.0
// Values of a Python script that is followed, not run. A number may know how it follows from the script's own
// numbers and tuning parameters, as a formula; an array is its type, its shape and a description of its
// contents.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/expressions/expr_syntax.hpp"

namespace tune::described::python {

using search::Binding;

struct Array;
struct Function;

/// Where a script has something.
struct Place {
  int line = 0;  ///< 0: not known
  int file = 0;  ///< 0: the script itself; else a module beside it, `Follower::files`
  bool operator==(const Place&) const = default;
};

class Value {
 public:
  enum class Kind {
    unknown,  ///< `text`: the script's own text
    none,
    boolean,
    whole,
    real,
    text,
    symbol,  ///< a number or text that only `formula` describes
    list,
    tuple,
    set,
    dict,
    function,
    object,  ///< a module, a function or a type of a library, by its path: `numpy.random.randn`
    array
  };
  using Items = std::vector<Value>;
  using Pairs = std::vector<std::pair<Value, Value>>;

  Kind kind = Kind::unknown;
  Place place = {};  ///< unknown: where the script has it
  bool flag = false;
  std::int64_t whole = 0;
  double real = 0;
  std::string text = {};
  std::string formula = {};            ///< of a number that is no constant, in the notation of definitions
  Binding binding = Binding::primary;  ///< of the formula's outermost operator
  std::string type = {};               ///< numpy's name for the type of a number; empty for Python's own
  std::string origin =
      {};  ///< a text: the file that it was read from; a list: the key of the dict that holds it
  std::shared_ptr<Items> items = nullptr;
  std::shared_ptr<Pairs> pairs = nullptr;
  std::shared_ptr<const Function> function = nullptr;
  std::shared_ptr<const Array> array = nullptr;

  static Value none();
  static Value of(bool flag);
  static Value of(std::int64_t whole);
  static Value of(double real);
  static Value of(std::string text);
  static Value unknown(std::string_view text);
  static Value symbol(std::string formula, Binding binding = Binding::primary);
  static Value object(std::string path);
  static Value sequence(Kind kind, Items items);
  static Value dict();
  static Value of(Array array);

  bool is(Kind wanted) const { return kind == wanted; }
  /// A truth value counts as a number, as in Python.
  bool is_number() const { return kind == Kind::boolean || kind == Kind::whole || kind == Kind::real; }
  bool is_whole() const { return kind == Kind::boolean || kind == Kind::whole; }
  /// A list, tuple or set.
  bool is_sequence() const { return kind == Kind::list || kind == Kind::tuple || kind == Kind::set; }
  /// A number or symbol whose formula is not a constant.
  bool follows() const { return !formula.empty(); }
  double number() const { return kind == Kind::real ? real : static_cast<double>(integer()); }
  std::int64_t integer() const { return kind == Kind::boolean ? std::int64_t{flag} : whole; }

  /// Null where there is none; also for what is no dict.
  Value* find(std::string_view key) const;
  void set(Value key, Value value) const;
};

/// What fills an array, element by element.
struct ArrayContents {
  enum class Kind { unknown, constant, random, sequence, listed };
  Kind kind = Kind::unknown;
  double low = 0, high = 0;         ///< constant: `low`; sequence: `low` is the first, `high` the step
  std::vector<double> listed = {};  ///< all elements
  std::string why = {};             ///< unknown: the script's own text
  std::shared_ptr<const Value> bound = nullptr;  ///< random: the largest value, if it is no constant
  std::shared_ptr<const int> draw = nullptr;     ///< random: the call that drew the numbers
};

struct Array {
  std::string type = "float64";   ///< numpy's name
  std::vector<Value> shape = {};  ///< the slowest extent first
  ArrayContents contents = {};
  int call = -1;      ///< it is what a call that was looked for gives back: the node of the call
  int argument = -1;  ///< and of that call's argument
};

/// The names of a function or of the module.
struct Scope {
  std::vector<std::pair<std::string, Value>> names = {};
  std::shared_ptr<Scope> outer = nullptr;
};

class Follower;

struct Function {
  int node = -1;  ///< a definition, or a lambda
  std::shared_ptr<Scope> scope = nullptr;
  Follower* owner = nullptr;  ///< whose node it is
};

/// Python's equality of numbers, texts and sequences of them.
bool equal(const Value& a, const Value& b);

/// True for one of these names.
inline bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

/// Python's truth: nothing where it is not known.
enum class Truth { no, yes, unknown };
Truth truth(const Value& value);

/// The value in the notation of definitions: its formula, or a literal; with brackets where it binds looser
/// than `least`. Empty for what has none.
std::string formula_of(const Value& value, Binding least = Binding::anything);
/// The literal alone, also for a number with a formula.
std::string literal_of(const Value& value);
/// Python's `str()`; a symbol is its formula. Empty for what is not known.
std::string text_of(const Value& value);

}  // namespace tune::described::python
