// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source/subscripts.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>

#include "kernels/described/description.hpp"
#include "kernels/described/source/c_expression.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

using Text = std::optional<std::string>;

std::string without_spaces(std::string_view text) {
  std::string all;
  for (const char c : text)
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') all += c;
  return all;
}

class SubscriptReader {
 public:
  SubscriptReader(const SourceTree& tree, int definition)
      : tree_(tree), syntax_(tree.syntax()), definition_(definition) {
    const int declarator = syntax_.child_of_kind(definition, "function_declarator");
    body_ = syntax_.child_of_kind(definition, "compound_statement");
    for (int node = definition; node < (body_ < 0 ? definition : body_); ++node)
      if (tree_.kind(node) == "identifier" && tree_.is_declared(node) && node > declarator)
        parameters_.insert(tree_.text(node));
    if (body_ < 0) return;
    for (int node = body_; node < syntax_[body_].end; ++node) {
      const std::string_view is = tree_.kind(node);
      if (is == "identifier" && tree_.is_declared(node)) names_[tree_.text(node)].declared.push_back(node);
      if (is != "update_expression" && is != "assignment_expression") continue;
      const auto parts = syntax_.parts(node);
      if (parts.empty() || tree_.kind(parts.front()) != "identifier") continue;
      const bool is_plain = is == "assignment_expression" && syntax_.child_of_kind(node, "=") >= 0;
      LocalName& name = names_[tree_.text(parts.front())];
      (is_plain ? name.assigned : name.changed).push_back(node);
    }
  }

  Subscripts read(const ArrayOfKernel& array) {
    result_ = {};
    steps_ = 0;
    pointers_ = 0;
    bytes_ = array.bytes;
    if (body_ < 0) return {{}, true};
    follow(array.name, {});
    return result_;
  }

 private:
  // ---- what is done with the array

  /// Where a pointer points: elements behind the array's first one, and how many of them it takes as one.
  struct Pointer {
    std::string offset = {};  ///< empty: none
    std::size_t elements = 1;

    std::string moved(const std::string& by) const {
      return (offset.empty() ? "" : offset + " + ") +
             (elements == 1 ? by : format("({}) * {}", by, elements));
    }
  };

  void follow(std::string_view name, const Pointer& pointer) {
    if (++pointers_ > most_pointers) {
      result_.unknown = true;
      return;
    }
    for (int node = body_; node < syntax_[body_].end && !result_.unknown; ++node)
      if (tree_.kind(node) == "identifier" && tree_.text(node) == name && !tree_.is_declared(node))
        use(node, pointer);
  }

  void add(const Text& subscript, const Pointer& pointer) {
    if (!subscript) return void(result_.unknown = true);
    result_.largest.push_back(pointer.moved(*subscript) +
                              (pointer.elements == 1 ? "" : format(" + {}", pointer.elements - 1)));
  }

  /// The elements that `const float4*` takes as one, of floats four; nothing where the sizes are not known.
  std::optional<std::size_t> elements_of(std::string_view pointer) const {
    const std::size_t star = pointer.find('*');
    if (star == std::string_view::npos || bytes_ == 0) return std::nullopt;
    std::string_view type = trimmed(pointer.substr(0, star));
    for (const std::string_view word : {"const", "volatile"})
      if (type.starts_with(word)) type = trimmed(type.substr(word.size()));
    const auto known = type_named(type);
    if (!known) return std::nullopt;
    const std::size_t bytes = element_size(known->element) * static_cast<std::size_t>(known->components);
    return bytes % bytes_ == 0 ? std::optional(bytes / bytes_) : std::nullopt;
  }

  /// Climbs from a name that points to the array to the element that is reached there.
  void use(int node, Pointer pointer) {
    while (true) {
      const int from = node;
      node = syntax_[node].parent;
      const std::string_view is = node < 0 ? std::string_view() : tree_.kind(node);
      const auto parts = node < 0 ? std::vector<int>() : syntax_.parts(node);
      const bool is_first = !parts.empty() && parts.front() == from;
      if (is == "parenthesized_expression") continue;
      if (is == "subscript_expression" && is_first) {
        const int list = parts.back();
        const auto inner =
            tree_.kind(list) == "subscript_argument_list" ? syntax_.parts(list) : std::vector<int>{list};
        return add(inner.size() == 1 ? bound(inner.front(), true) : std::nullopt, pointer);
      }
      if (is == "pointer_expression" && tree_.text(node).starts_with('*'))
        return add(std::string("0"), pointer);
      if (is == "cast_expression" && parts.size() == 2 && parts.back() == from) {
        const auto elements = elements_of(tree_.text(parts.front()));
        if (!elements) break;
        pointer.elements = *elements;
        continue;
      }
      if (is == "binary_expression" && syntax_.child_of_kind(node, "+") >= 0 && parts.size() == 2) {
        const Text more = bound(is_first ? parts.back() : parts.front(), true);
        if (!more) break;
        pointer.offset = pointer.moved(*more);
        continue;
      }
      if (is == "argument_list") {
        const int call = syntax_[node].parent;
        constexpr std::string_view cast = "reinterpret_cast<";
        const std::string_view text = call < 0 ? std::string_view() : tree_.text(call);
        if (!text.starts_with(cast)) return passed(node, from, pointer);
        const auto elements = elements_of(text.substr(cast.size(), text.find('>') - cast.size()));
        if (!elements) break;
        pointer.elements = *elements;
        node = call;
        continue;
      }
      if (is == "init_declarator" && !is_first) {
        const int name = tree_.name_in(parts.front());
        if (name < 0 || tree_.kind(parts.front()) == "reference_declarator" || values_of(name).size() != 1 ||
            changes(name))
          break;
        return follow(tree_.text(name), pointer);
      }
      break;
    }
    result_.unknown = true;
  }

  /// `atomicAdd(x + i, v)`, `__ldg(x + i)`, `load_matrix_sync(a, x + i, pitch)`, of which the first element
  /// of the last part is known, and macros that do no more than this: `LDG(x, i)`.
  void passed(int list, int argument, const Pointer& pointer) {
    const int call = syntax_[list].parent;
    if (call < 0 || tree_.kind(call) != "call_expression") return void(result_.unknown = true);
    const std::string_view name = tree_.text(syntax_.parts(call).front());
    if (name.starts_with("atomic") || name.starts_with("__ld") || name.ends_with("load_matrix_sync") ||
        name.ends_with("store_matrix_sync"))
      return add(std::string("0"), pointer);
    const auto macro = tree_.branches().functions.find(name);
    const auto given = syntax_.parts(list);
    if (macro == tree_.branches().functions.end() || given.size() > 2) return void(result_.unknown = true);
    if (given.size() == 1) return add(std::string("0"), pointer);
    add(bound(given.front() == argument ? given.back() : given.front(), true), pointer);
  }

  // ---- the largest and the smallest value of an expression

  Text bound(int node, bool is_max) {
    if (++steps_ > most_steps || depth_ > deepest) return std::nullopt;
    ++depth_;
    Text made = guarded(node, is_max);
    if (!made) made = bound_of_kind(node, is_max);
    --depth_;
    constexpr std::size_t longest = 1000;
    return made && made->size() > longest ? std::nullopt : made;
  }

  Text bound_of_kind(int node, bool is_max) {
    const std::string_view is = tree_.kind(node);
    const auto parts = syntax_.parts(node);
    if (is == "number_literal") {
      const auto value = number_of(tree_.text(node));
      return value ? Text(std::to_string(*value)) : std::nullopt;
    }
    if (is == "identifier") return variable(node, is_max);
    if (is == "parenthesized_expression" && parts.size() == 1) return bound(parts.front(), is_max);
    if (is == "cast_expression" && parts.size() == 2) return bound(parts.back(), is_max);
    if (is == "field_expression" && parts.size() == 2) return field(node, parts.front(), is_max);
    if (is == "unary_expression" && parts.size() == 1 && tree_.text(node).starts_with('-')) {
      const Text inner = bound(parts.front(), !is_max);
      return inner ? Text("(0 - " + *inner + ")") : std::nullopt;
    }
    if (is == "call_expression") return call(node, is_max);
    if (is == "conditional_expression" && parts.size() == 3) {
      const Text one = bound(parts[1], is_max), other = bound(parts[2], is_max);
      return one && other && is_max ? Text(format("max({}, {})", *one, *other)) : std::nullopt;
    }
    if (is == "binary_expression" && parts.size() == 2) return binary(node, parts, is_max);
    return std::nullopt;
  }

  Text field(int node, int object, bool is_max) const {
    const std::string_view of = tree_.text(object);
    if (of == "threadIdx" || of == "blockIdx") return is_max ? std::string(tree_.text(node)) : "0";
    if (of == "blockDim" || of == "gridDim") return std::string(tree_.text(node));
    if (parameters_.contains(of)) return std::string(tree_.text(syntax_.parts(node).back()));
    return std::nullopt;
  }

  Text call(int node, bool is_max) {
    const auto parts = syntax_.parts(node);
    const int list = syntax_.child_of_kind(node, "argument_list");
    if (list < 0) return std::nullopt;
    const auto given = syntax_.parts(list);
    const std::string_view name = tree_.text(parts.front());
    if (name.starts_with("static_cast") && given.size() == 1) return bound(given.front(), is_max);
    if ((name != "min" && name != "max") || given.size() != 2) return std::nullopt;
    const Text one = bound(given.front(), is_max), other = bound(given.back(), is_max);
    const bool is_looser = (name == "min") == is_max;  // either is a bound
    if (is_looser && !(one && other)) return one ? one : other;
    return one && other ? Text(format("{}({}, {})", name, *one, *other)) : std::nullopt;
  }

  Text binary(int node, const std::vector<int>& parts, bool is_max) {
    std::string_view op;
    for (const int child : syntax_.children(node))
      if (!syntax_[child].is_named) op = tree_.text(child);
    if (op == "%" || op == "&") {
      if (!is_max) return "0";
      const Text inner = bound(parts.back(), true);
      return inner ? Text(op == "%" ? "(" + *inner + " - 1)" : *inner) : std::nullopt;
    }
    if (op == "<<" || op == ">>") {
      constexpr std::int64_t most_bits = 30;
      const auto bits = number_of(tree_.text(parts.back()));
      const Text inner = bound(parts.front(), is_max);
      if (!inner || !bits || *bits < 0 || *bits > most_bits) return std::nullopt;
      return format("({} {} {})", *inner, op == "<<" ? '*' : '/', std::int64_t{1} << *bits);
    }
    if (op != "+" && op != "-" && op != "*" && op != "/") return std::nullopt;
    const Text one = bound(parts.front(), is_max),
               other = bound(parts.back(), op == "-" || op == "/" ? !is_max : is_max);
    return one && other ? Text(format("({} {} {})", *one, op, *other)) : std::nullopt;
  }

  Text variable(int node, bool is_max) {
    const std::string_view name = tree_.text(node);
    const int declared = declaration_of(name, node);
    if (declared < 0) return std::string(name);  // an argument, a macro, a template's argument
    const std::vector<int> values = values_of(declared);
    if (values.size() == 1 && !changes(declared)) return bound(values.front(), is_max);
    // A loop that counts up begins with its smallest value, one that counts down with its largest.
    for (int loop = syntax_[node].parent; loop >= 0; loop = syntax_[loop].parent) {
      if (tree_.kind(loop) != "for_statement") continue;
      const int update = syntax_.child_named(loop, "update");
      if (update < 0 || !has_word(tree_.text(update), name)) continue;
      const std::string_view text = tree_.text(update);
      const bool is_down =
          std::ranges::any_of(std::initializer_list<std::string_view>{"--", "-=", "/=", ">>="},
                              [&](std::string_view one) { return text.find(one) != std::string_view::npos; });
      if (is_down != is_max) return std::nullopt;
      for (const int value : values)
        if (value > loop && value < syntax_[loop].end) return bound(value, is_max);
    }
    return std::nullopt;
  }

  // ---- declarations and assignments

  struct LocalName {
    std::vector<int> declared = {}, assigned = {}, changed = {};  ///< nodes, in their order
  };

  /// The declaration that a name has at a node; -1 where the body declares none.
  int declaration_of(std::string_view name, int at) const {
    const auto found = names_.find(name);
    if (found == names_.end()) return -1;
    const auto reaches = [&](int declared) {
      if (declared >= at) return false;
      for (int scope = syntax_[declared].parent; scope >= 0; scope = syntax_[scope].parent)
        if (tree_.kind(scope) == "compound_statement" || tree_.kind(scope) == "for_statement")
          return at < syntax_[scope].end;
      return false;
    };
    const auto& all = found->second.declared;
    const auto last = std::find_if(all.rbegin(), all.rend(), reaches);
    return last == all.rend() ? -1 : *last;
  }

  /// The expressions that a variable is set to; not what `+=` and the like do.
  std::vector<int> values_of(int declared) const {
    const std::string_view name = tree_.text(declared);
    std::vector<int> values;
    int node = syntax_[declared].parent;
    while (node >= 0 && (tree_.kind(node) == "pointer_declarator")) node = syntax_[node].parent;
    if (node >= 0 && tree_.kind(node) == "init_declarator") values.push_back(syntax_.parts(node).back());
    for (const int one : names_.find(name)->second.assigned)
      if (declaration_of(name, one) == declared) values.push_back(syntax_.parts(one).back());
    return values;
  }

  bool changes(int declared) const {
    const std::string_view name = tree_.text(declared);
    return std::ranges::any_of(names_.find(name)->second.changed,
                               [&](int one) { return declaration_of(name, one) == declared; });
  }

  // ---- conditions under which a node is reached

  /// The bound that a condition around the node, or one that returns before it, gives this expression.
  Text guarded(int node, bool is_max) {
    if (!is_max || guards_ > 2) return std::nullopt;
    const std::string_view is = tree_.kind(node);
    if (is != "identifier" && is != "binary_expression") return std::nullopt;
    const std::string wanted = without_spaces(tree_.text(node));
    for (int at = node; at != definition_ && at >= 0; at = syntax_[at].parent) {
      const int above = syntax_[at].parent;
      if (above < 0) break;
      const std::string_view around = tree_.kind(above);
      const bool is_way = syntax_[at].field == "consequence" || syntax_[at].field == "body";
      int condition = -1;
      if ((around == "if_statement" || around == "while_statement" || around == "for_statement") && is_way)
        condition = syntax_.child_named(above, "condition");
      else if (around == "conditional_expression" && syntax_[at].field == "consequence")
        condition = syntax_.child_named(above, "condition");
      else if (around == "binary_expression" && syntax_.child_of_kind(above, "&&") >= 0 &&
               syntax_.parts(above).back() == at)
        condition = syntax_.parts(above).front();
      if (condition >= 0)
        if (Text found = below(condition, wanted, false, tree_.kind(above) == "for_statement")) return found;
      if (around == "compound_statement")
        for (const int before : syntax_.parts(above)) {
          if (before >= at) break;
          if (tree_.kind(before) != "if_statement") continue;
          const int way = syntax_.child_named(before, "consequence");
          if (way < 0 || (tree_.text(way).find("return") == std::string_view::npos &&
                          tree_.text(way).find("continue") == std::string_view::npos))
            continue;
          if (Text found = below(syntax_.child_named(before, "condition"), wanted, true, false)) return found;
        }
    }
    return std::nullopt;
  }

  /// The largest value that `wanted` has where the condition is true; `is_not`: where it is false. `i <= n`
  /// counts as `i < n` where it is no loop's: it is rather a mistake, which the emulator finds then.
  Text below(int condition, const std::string& wanted, bool is_not, bool is_loop) {
    if (condition < 0) return std::nullopt;
    const std::string_view is = tree_.kind(condition);
    const auto parts = syntax_.parts(condition);
    if (is == "parenthesized_expression" || is == "condition_clause") {
      return parts.size() == 1 ? below(parts.front(), wanted, is_not, is_loop) : std::nullopt;
    }
    if (is != "binary_expression" || parts.size() != 2) return std::nullopt;
    if (syntax_.child_of_kind(condition, is_not ? "||" : "&&") >= 0) {
      const Text one = below(parts.front(), wanted, is_not, is_loop);
      return one ? one : below(parts.back(), wanted, is_not, is_loop);
    }
    for (const bool is_swapped : {false, true}) {
      const int compared = parts[is_swapped ? 1 : 0], limit = parts[is_swapped ? 0 : 1];
      if (without_spaces(tree_.text(compared)) != wanted) continue;
      // `i < n`, and `n > i`; where it is false, `i >= n`.
      const bool is_turned = is_swapped != is_not;
      const bool is_strict = syntax_.child_of_kind(condition, is_turned ? ">" : "<") >= 0,
                 is_loose = syntax_.child_of_kind(condition, is_turned ? ">=" : "<=") >= 0;
      if (!is_strict && !is_loose) continue;
      ++guards_;
      const Text end = bound(limit, true);
      --guards_;
      if (!end) return std::nullopt;
      const bool is_inclusive = is_strict == is_not;
      return is_inclusive && is_loop ? *end : "(" + *end + " - 1)";
    }
    return std::nullopt;
  }

  static constexpr int deepest = 40, most_pointers = 20;
  static constexpr std::size_t most_steps = 20'000;
  const SourceTree& tree_;
  const Syntax& syntax_;
  const int definition_;
  int body_ = -1;
  std::set<std::string_view> parameters_ = {};
  std::map<std::string_view, LocalName> names_ = {};
  Subscripts result_ = {};
  std::size_t steps_ = 0, bytes_ = 0;
  int depth_ = 0, pointers_ = 0, guards_ = 0;
};

}  // namespace

void Subscripts::add(const Subscripts& other) {
  unknown = unknown || other.unknown;
  for (const std::string& one : other.largest)
    if (std::ranges::find(largest, one) == largest.end()) largest.push_back(one);
}

std::vector<Subscripts> subscripts_of(const SourceTree& tree, int definition,
                                      const std::vector<ArrayOfKernel>& arrays) {
  SubscriptReader reader(tree, definition);
  std::vector<Subscripts> all;
  for (const ArrayOfKernel& array : arrays) all.push_back(reader.read(array));
  return all;
}

}  // namespace tune::described
