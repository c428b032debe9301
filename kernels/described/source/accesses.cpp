// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source/accesses.hpp"

#include <algorithm>

#include "kernels/described/kernel_text.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

class AccessReader {
 public:
  AccessReader(const SourceTree& tree, const std::set<std::string, std::less<>>& words)
      : tree_(tree), words_(words) {}

  /// What the function at `definition` does with the array that `name` points to.
  Accesses accesses_of(int definition, std::string_view name) {
    Accesses all;
    if (definition < 0 || !visited_.insert({definition, std::string(name)}).second) return all;
    constexpr std::size_t most = 200;
    if (visited_.size() > most) return something();
    const int body = tree_.syntax().child_of_kind(definition, "compound_statement");
    if (body < 0) {
      all.unknown = true;
      return all;
    }
    for (int node = body; node < tree_.syntax()[body].end; ++node)
      if (tree_.kind(node) == "identifier" && tree_.text(node) == name && !tree_.is_declared(node))
        all.add(use_of(node, definition));
    // In a macro nothing is seen; its own parameters are others.
    for (const auto* macros : {&tree_.branches().macros, &tree_.branches().functions})
      for (const auto& [macro, value] : *macros) {
        const std::size_t behind =
            macros == &tree_.branches().functions ? std::min(value.find(')'), value.size()) : 0;
        if (words_.contains(macro) && has_word(std::string_view(value).substr(behind), name) &&
            !has_word(std::string_view(value).substr(0, behind), name))
          all.unknown = true;
      }
    return all;
  }

 private:
  static Accesses reads() { return {true, false, false}; }
  static Accesses writes() { return {false, true, false}; }
  static Accesses both() { return {true, true, false}; }
  static Accesses something() { return {false, false, true}; }

  /// Climbs from a name that points to the array to what is done with it there.
  Accesses use_of(int node, int definition) {
    bool is_element = false;
    while (true) {
      if (++steps_ > max_steps) return something();
      const int from = node;
      node = tree_.syntax()[node].parent;
      if (node < 0) return something();
      const std::string_view is = tree_.kind(node);
      const auto parts = tree_.syntax().parts(node);
      steps_ += parts.size();
      const bool is_first = !parts.empty() && parts.front() == from;
      if (is == "parenthesized_expression" || is == "cast_expression") continue;
      if (is == "subscript_expression") {
        if (!is_first) return {};
        is_element = true;
      } else if (is == "pointer_expression") {
        is_element = !tree_.text(node).starts_with('&');
      } else if (is == "field_expression") {
        is_element = true;
      } else if (is == "assignment_expression") {
        const bool plain = tree_.syntax().child_of_kind(node, "=") >= 0;
        if (is_first) return !is_element ? Accesses{} : plain ? writes() : both();
        if (is_element) return reads();
        return tree_.kind(parts.front()) == "identifier" ? accesses_of(definition, tree_.text(parts.front()))
                                                         : something();
      } else if (is == "init_declarator") {
        const int name = tree_.name_in(parts.front());
        const bool reference = tree_.kind(parts.front()) == "reference_declarator";
        if (is_element && !reference) return reads();
        return name >= 0 && !is_element     ? accesses_of(definition, tree_.text(name))
               : is_const_declaration(node) ? reads()
                                            : both();
      } else if (is == "update_expression") {
        if (is_element) return both();
      } else if (is == "argument_list") {
        return passed(node, from, is_element);
      } else if (is_element) {
        return reads();
      } else if (is == "binary_expression") {
        if (tree_.syntax().child_of_kind(node, "+") < 0 && tree_.syntax().child_of_kind(node, "-") < 0)
          return {};
      } else if (is == "conditional_expression") {
        if (is_first) return {};
      } else {
        return is == "expression_statement" || is == "condition_clause" ? Accesses{} : something();
      }
    }
  }

  /// True for the body of a macro that assigns nothing and calls nothing but loads.
  static bool only_reads(std::string_view body) {
    const std::size_t parameters = body.find(')');
    body.remove_prefix(parameters == std::string_view::npos ? body.size() : parameters + 1);
    if (body.find('=') != std::string_view::npos || body.find("++") != std::string_view::npos ||
        body.find("--") != std::string_view::npos)
      return false;
    while (!body.empty()) {
      const std::string_view word = leading_word(body);
      body.remove_prefix(std::max<std::size_t>(1, word.size()));
      if (!word.empty() && trimmed(body).starts_with('(') && !word.starts_with("__ld")) return false;
    }
    return true;
  }

  bool is_const_declaration(int node) const {
    const int declaration = tree_.syntax()[node].parent;
    return declaration >= 0 && tree_.text(declaration).starts_with("const");
  }

  /// What the call at `list` does with its argument.
  Accesses passed(int list, int argument, bool is_element) {
    const int call = tree_.syntax()[list].parent;
    if (call < 0 || tree_.kind(call) != "call_expression") return is_element ? reads() : something();
    const int callee = tree_.syntax().parts(call).front();
    std::string_view name = tree_.text(callee);
    if (tree_.kind(callee) == "template_function") name = tree_.text(callee + 1);
    const auto given = tree_.syntax().parts(list);
    const auto place = static_cast<std::size_t>(std::ranges::find(given, argument) - given.begin());
    if (name.ends_with("_cast") && !is_element)
      return use_of(call, tree_.syntax().above(call, "function_definition"));
    if (name.starts_with("__ld") || name.starts_with("tex")) return reads();
    if (name.starts_with("__st")) return place == 0 ? writes() : reads();
    if (name.starts_with("atomic")) return both();
    if (name.ends_with("load_matrix_sync")) return reads();
    if (name.ends_with("store_matrix_sync")) return writes();
    Accesses all;
    bool found = false;
    if (const auto macro = tree_.branches().functions.find(name); macro != tree_.branches().functions.end())
      return is_element || only_reads(macro->second) ? reads() : something();
    for (const FunctionOfFile& function : tree_.functions()) {
      if (function.name != name || tree_.kind(function.node) != "function_definition" ||
          place >= function.parameters.size())
        continue;
      found = true;
      const std::string declared(tree_.text(function.parameters[place]));
      const bool reference = declared.find('&') != std::string::npos;
      if (is_element && !reference)
        all.add(reads());
      else if (reference && is_element)
        all.add(declared.starts_with("const") ? reads() : both());
      else
        all.add(accesses_of(function.node, name_of_parameter(declared)));
    }
    return found ? all : is_element ? reads() : something();
  }

  static constexpr std::size_t max_steps = 2'000'000;  ///< a second
  const SourceTree& tree_;
  const std::set<std::string, std::less<>>& words_;
  std::set<std::pair<int, std::string>> visited_ = {};
  std::size_t steps_ = 0;
};

}  // namespace

void Accesses::add(const Accesses& other) {
  read = read || other.read;
  written = written || other.written;
  unknown = unknown || other.unknown;
}

Accesses accesses_of(const SourceTree& tree, const std::set<std::string, std::less<>>& words, int definition,
                     std::string_view name) {
  return AccessReader(tree, words).accesses_of(definition, name);
}

}  // namespace tune::described
