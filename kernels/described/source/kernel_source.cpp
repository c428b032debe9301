// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source/kernel_source.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "kernels/described/description.hpp"
#include "kernels/described/source/syntax.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

/// A name that no file declares, but headers and compilers do.
bool is_of_language(std::string_view name) {
  static const std::set<std::string_view> known = {
      "threadIdx", "blockIdx", "blockDim",  "gridDim",  "warpSize", "INFINITY", "NAN",
      "NULL",      "HUGE_VAL", "HUGE_VALF", "CHAR_BIT", "this",     "stderr",   "stdout"};
  const auto is_limit = [&](std::string_view of) {
    return name.starts_with(of) && (name.ends_with("_MAX") || name.ends_with("_MIN") ||
                                    name.ends_with("_EPSILON") || name.ends_with("_DIG"));
  };
  return known.contains(name) || name.starts_with("__") || name.starts_with("M_") ||
         name.starts_with("CUDART_") ||
         (name.starts_with("cuda") && name.size() > 4 && name[4] >= 'A' && name[4] <= 'Z') ||
         is_limit("FLT") || is_limit("DBL") || is_limit("INT") || is_limit("UINT") || is_limit("LONG") ||
         is_limit("ULONG") || is_limit("SHRT") || is_limit("USHRT") || is_limit("CHAR") ||
         is_limit("UCHAR") || is_limit("SCHAR") || is_limit("LLONG") || is_limit("ULLONG") ||
         is_limit("SIZE");
}

/// A function of the file.
struct Function {
  int node = -1;        ///< its definition, or a declaration
  int declarator = -1;  ///< the function_declarator
  std::string name, scope;
  bool is_kernel = false;
  std::vector<int> parameters = {};
};

class SourceReader {
 public:
  SourceReader(const Branches& branches, std::string file_name)
      : branches_(branches), file_name_(std::move(file_name)), tree_(read_syntax(branches.text)) {
    for (int node = 0; node < tree_.size(); ++node) {
      const SyntaxNode& is = tree_[node];
      if (is.kind == "function_declarator") add_function(node);
      if (is.kind == "type_definition" || is.kind == "alias_declaration") add_alias(node);
      if (is.kind == "struct_specifier") add_struct(node);
      if (is.kind == "identifier" && is_declared(node)) declared_.insert(is.text);
      if (is.kind == "type_parameter_declaration")
        if (const int name = tree_.first_below(node, "type_identifier"); name >= 0)
          declared_.insert(tree_[name].text);
    }
  }

  std::vector<std::string> kernels() const {
    std::vector<std::string> names;
    for (const Function& function : functions_)
      if (function.is_kernel && std::ranges::find(names, function.name) == names.end())
        names.push_back(function.name);
    return names;
  }

  std::set<std::string, std::less<>> declared() const {
    std::set<std::string, std::less<>> names;
    for (const std::string_view name : declared_) names.emplace(name);
    for (const auto& alias : aliases_) names.insert(alias.first);
    for (const auto& one : structs_) names.insert(one.first);
    return names;
  }

  KernelFacts read(const std::string& wanted) {
    const Function& kernel = chosen(wanted);
    KernelFacts facts;
    facts.name = kernel.name;
    facts.entry = kernel.scope + kernel.name;
    facts.line = tree_[kernel.declarator].line;
    reach(kernel);
    facts.templates = templates_of(kernel);
    for (const int parameter : kernel.parameters) facts.parameters.push_back(parameter_of(parameter, facts));
    if (const int bounds = tree_.first_below(kernel.node, "launch_bounds"); bounds >= 0)
      if (const auto given = tree_.parts(bounds); !given.empty())
        facts.launch_bounds = std::string(tree_[given.front()].text);
    for (const Function* function : reached_) {
      read_axes(*function, facts);
      read_declarations(*function, facts);
    }
    read_constants(facts);
    find_textures(facts);
    facts.structs = structs_;
    for (auto& [name, members] : facts.structs)
      for (auto& [type, member] : members) {
        const std::size_t end = std::min(type.find_first_of("[*"), type.size());
        type = resolved(type.substr(0, end), facts) + type.substr(end);
      }
    find_words(facts);
    find_places(facts);
    for (const ParameterOfKernel& parameter : facts.parameters) facts.words.insert(parameter.name);
    return facts;
  }

 private:
  // ---- what the file declares

  std::string_view text(int node) const { return tree_[node].text; }
  std::string_view kind(int node) const { return tree_[node].kind; }

  /// The name in a declarator: `x` of `*x[4]`.
  int name_in(int declarator) const {
    for (int node = declarator; node < tree_[declarator].end; ++node) {
      if (kind(node) == "identifier" || kind(node) == "field_identifier") return node;
      if (kind(node) == "parameter_list" || kind(node) == "subscript_argument_list") break;
    }
    return -1;
  }

  bool is_declared(int node) const {
    const int parent = tree_[node].parent;
    if (parent < 0) return false;
    const std::string_view of = kind(parent);
    // In a row of these the declarator comes first, a value or an extent behind it.
    if (of == "init_declarator" || of == "array_declarator" || of == "optional_parameter_declaration" ||
        of == "enumerator" || of == "for_range_loop")
      return tree_[node].field == "declarator" || tree_[node].field == "name";
    return of == "pointer_declarator" || of == "reference_declarator" || of == "parenthesized_declarator" ||
           of == "declaration" || of == "parameter_declaration" || of == "function_declarator" ||
           of == "structured_binding_declarator" || of == "lambda_capture_specifier" ||
           of == "variadic_declarator";
  }

  void add_function(int declarator) {
    Function function;
    function.declarator = declarator;
    int node = tree_[declarator].parent;
    while (node >= 0 && (kind(node) == "pointer_declarator" || kind(node) == "reference_declarator"))
      node = tree_[node].parent;
    if (node < 0 || (kind(node) != "function_definition" && kind(node) != "declaration")) return;
    function.node = node;
    const auto parts = tree_.parts(declarator);
    if (parts.empty()) return;
    function.name = std::string(text(parts.front()));
    for (int child = node + 1; child < declarator; ++child)
      if (text(child) == "__global__") function.is_kernel = true;
    for (int space = tree_.above(node, "namespace_definition"); space >= 0;
         space = tree_.above(space, "namespace_definition"))
      if (const int name = tree_.child_of_kind(space, "namespace_identifier"); name >= 0)
        function.scope = std::string(text(name)) + "::" + function.scope;
    if (const int list = tree_.child_of_kind(declarator, "parameter_list"); list >= 0)
      for (const int parameter : tree_.parts(list))
        if (kind(parameter) == "parameter_declaration" || kind(parameter) == "optional_parameter_declaration")
          if (text(parameter) != "void") function.parameters.push_back(parameter);
    functions_.push_back(std::move(function));
  }

  void add_alias(int node) {
    const auto parts = tree_.parts(node);
    if (parts.size() < 2) return;
    if (kind(node) == "alias_declaration") {
      aliases_[std::string(text(parts.front()))] = std::string(text(parts.back()));
      return;
    }
    const int name = parts.back();
    if (kind(name) != "type_identifier" && kind(name) != "primitive_type") return;
    std::string of;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      if (kind(parts[i]) == "struct_specifier") {
        add_struct(parts[i], std::string(text(name)));
        return;
      }
      of += (of.empty() ? "" : " ") + std::string(text(parts[i]));
    }
    aliases_[std::string(text(name))] = of;
  }

  void add_struct(int node, std::string name = {}) {
    if (const int own = tree_.child_of_kind(node, "type_identifier"); own >= 0 && name.empty())
      name = std::string(text(own));
    const int list = tree_.child_of_kind(node, "field_declaration_list");
    if (list < 0 || name.empty()) return;
    StructMembers members;
    for (const int field : tree_.parts(list)) {
      if (kind(field) != "field_declaration") continue;
      std::string type;
      for (const int part : tree_.parts(field)) {
        if (kind(part) == "field_identifier")
          members.emplace_back(type, std::string(text(part)));
        else if (const int inner = name_in(part); inner >= 0 && kind(part).ends_with("declarator"))
          members.emplace_back(
              type + (text(part).starts_with('*')
                          ? "*"
                          : std::string(text(part).substr(std::min(text(part).size(), text(inner).size())))),
              std::string(text(inner)));
        else if (kind(part) != "type_qualifier")
          type = std::string(text(part));
      }
    }
    structs_[name] = std::move(members);
  }

  const Function& chosen(const std::string& wanted) const {
    const Function* declared = nullptr;
    for (const Function& function : functions_) {
      if (!function.is_kernel || (!wanted.empty() && function.name != wanted)) continue;
      if (kind(function.node) == "function_definition") return function;
      if (declared == nullptr) declared = &function;
    }
    if (declared != nullptr) return *declared;
    throw UsageError(wanted.empty() ? format("{}: there is no __global__ function in it", file_name_)
                                    : format("{}: there is no kernel '{}' in it; there are: {}", file_name_,
                                             wanted, joined(kernels())));
  }

  std::vector<TemplateParameter> templates_of(const Function& kernel) const {
    std::vector<TemplateParameter> all;
    const int above = tree_[kernel.node].parent;
    if (above < 0 || kind(above) != "template_declaration") return all;
    const int list = tree_.child_of_kind(above, "template_parameter_list");
    if (list < 0) return all;
    for (const int parameter : tree_.parts(list)) {
      if (kind(parameter).find("type_parameter") != std::string_view::npos) {
        if (const int name = tree_.first_below(parameter, "type_identifier"); name >= 0)
          all.push_back({"typename", std::string(text(name))});
      } else if (kind(parameter).ends_with("parameter_declaration")) {
        const std::string declared(text(parameter));
        all.push_back({type_of_parameter(declared), name_of_parameter(declared)});
      }
    }
    return all;
  }

  /// Follows typedefs and macros to a type of the definition's; returns the last name where there is none.
  std::string resolved(std::string type, const KernelFacts& facts) const {
    constexpr int max_rounds = 16;
    for (int round = 0; round < max_rounds; ++round) {
      for (std::size_t at = type.find(":: "); at != std::string::npos; at = type.find(":: "))
        type.erase(at + 2, 1);
      for (const std::string_view prefix :
           {"const ", "volatile ", "struct ", "typename ", "::", "cuda::std::", "std::"})
        while (type.starts_with(prefix)) type.erase(0, prefix.size());
      if (type == "unsigned") type = "unsigned int";
      if (std::ranges::find(facts.templates, type, &TemplateParameter::name) != facts.templates.end())
        return type;
      const auto alias = aliases_.find(type);
      const auto macro = branches_.macros.find(type);
      if (alias != aliases_.end() && alias->second != type)
        type = alias->second;
      else if (macro != branches_.macros.end() && !macro->second.empty())
        type = macro->second;
      else
        break;
    }
    return type;
  }

  ParameterOfKernel parameter_of(int node, const KernelFacts& facts) {
    ParameterOfKernel parameter;
    for (const char c : text(node)) {
      const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
      if (!space || (!parameter.declared.empty() && parameter.declared.back() != ' '))
        parameter.declared += space ? ' ' : c;
    }
    parameter.name = name_of_parameter(parameter.declared);
    parameter.type = resolved(type_of_parameter(parameter.declared), facts);
    parameter.is_pointer = is_pointer(parameter.declared);
    if (parameter.type.ends_with('*')) {
      parameter.is_pointer = true;
      parameter.type =
          resolved(std::string(trimmed(parameter.type.substr(0, parameter.type.size() - 1))), facts);
    }
    const std::size_t star = parameter.declared.find_first_of("*["),
                      constant = parameter.declared.find("const");
    parameter.is_const = constant < star;
    parameter.line = tree_[node].line;
    if (parameter.is_pointer) {
      visited_.clear();
      parameter.accesses = accesses_of(tree_.above(node, "function_definition"), parameter.name);
    }
    return parameter;
  }

  // ---- what the kernel reaches

  static int body_of_macro(const MacroValues& macros, std::string_view name, std::string_view& body) {
    const auto found = macros.find(name);
    if (found == macros.end()) return 0;
    body = found->second;
    return 1;
  }

  void add_words_of(std::string_view body) {
    std::vector<std::string_view> open = {body};
    while (!open.empty()) {
      std::string_view rest = open.back();
      open.pop_back();
      while (!rest.empty()) {
        const std::string_view word = leading_word(rest);
        rest.remove_prefix(std::max<std::size_t>(1, word.size()));
        if (word.empty() || (word.front() >= '0' && word.front() <= '9') ||
            !words_.insert(std::string(word)).second)
          continue;
        std::string_view more;
        if (body_of_macro(branches_.macros, word, more) + body_of_macro(branches_.functions, word, more) > 0)
          open.push_back(more);
      }
    }
  }

  void reach(const Function& kernel) {
    std::vector<const Function*> open = {&kernel};
    while (!open.empty()) {
      const Function* const function = open.back();
      open.pop_back();
      if (std::ranges::find(reached_, function) != reached_.end()) continue;
      reached_.push_back(function);
      for (int node = function->node; node < tree_[function->node].end; ++node)
        if (tree_[node].end == node + 1) add_words_of(text(node));
      for (const Function& other : functions_)
        if (words_.contains(other.name) && !other.is_kernel && kind(other.node) == "function_definition" &&
            std::ranges::find(reached_, &other) == reached_.end())
          open.push_back(&other);
    }
  }

  /// Where the kernel and what it calls stand, and the names of what they use that the file declares.
  void find_places(KernelFacts& facts) const {
    for (const Function* function : reached_) {
      int node = function->node;  // with the template's parameters
      if (const int above = tree_[node].parent; above >= 0 && kind(above) == "template_declaration")
        node = above;
      const std::string_view all = text(node);
      facts.lines.emplace_back(tree_[node].line,
                               tree_[node].line + static_cast<int>(std::ranges::count(all, '\n')));
      facts.own_names.insert(function->name);
    }
    for (const auto& alias : aliases_)
      if (words_.contains(alias.first)) facts.own_names.insert(alias.first);
    for (const auto& one : structs_)
      if (words_.contains(one.first)) facts.own_names.insert(one.first);
  }

  void find_words(KernelFacts& facts) const {
    facts.words.insert(words_.begin(), words_.end());
    facts.declared = declared();
    std::set<std::string_view> seen;
    std::vector<std::string>* found = &facts.unknown_names;
    const auto add = [&](std::string_view name) {
      if (name.empty() || declared_.contains(name) || branches_.macros.contains(name) ||
          branches_.functions.contains(name) || is_of_language(name) || !seen.insert(name).second)
        return;
      found->emplace_back(name);
    };
    const auto add_names_of = [&](const Function& function) {
      for (int node = function.node; node < tree_[function.node].end; ++node) {
        const int parent = tree_[node].parent;
        const bool is_value = kind(node) == "identifier" && !is_declared(node) &&
                              kind(parent) != "template_function" && kind(parent) != "qualified_identifier" &&
                              kind(parent) != "attribute" &&
                              !(kind(parent) == "call_expression" && tree_.parts(parent).front() == node);
        // `sum<TILE>(x)`: the grammar takes a name between angle brackets for a type.
        const bool is_argument = kind(node) == "type_identifier" && kind(parent) == "type_descriptor" &&
                                 kind(tree_[parent].parent) == "template_argument_list" &&
                                 text(parent) == text(node) && !aliases_.contains(std::string(text(node))) &&
                                 !structs_.contains(text(node)) && !type_named(text(node));
        if (is_value || is_argument) add(text(node));
      }
    };
    for (const Function* function : reached_) add_names_of(*function);
    // Names in the bodies of macros, but those of types, functions and their own parameters.
    for (const auto* macros : {&branches_.macros, &branches_.functions})
      for (const auto& [name, body] : *macros) {
        if (!words_.contains(name)) continue;
        std::set<std::string_view> own;
        std::string_view rest = body;
        if (macros == &branches_.functions)
          for (std::string_view list = rest.substr(0, rest.find(')')); !list.empty();) {
            const std::string_view word = leading_word(list);
            own.insert(word);
            list.remove_prefix(std::max<std::size_t>(1, word.size()));
          }
        char before = ' ';
        while (!rest.empty()) {
          const std::string_view word = leading_word(rest);
          const std::string_view behind = trimmed(rest.substr(std::max<std::size_t>(1, word.size())));
          const bool is_name = !word.empty() && (word.front() < '0' || word.front() > '9') &&
                               !own.contains(word) && !behind.starts_with('(') && before != '.' &&
                               before != '>' && before != ':' && !type_named(word) &&
                               !behind.starts_with('*') && !behind.starts_with("::") && !is_keyword(word) &&
                               !aliases_.contains(std::string(word)) && !structs_.contains(word);
          // `NAME * 2` is a product, `float *` a type.
          const bool is_factor =
              behind.starts_with('*') && behind.size() > 1 &&
              is_word(trimmed(behind.substr(1)).empty() ? ' ' : trimmed(behind.substr(1)).front()) &&
              !type_named(word);
          if (is_name || (is_factor && !own.contains(word) && !is_keyword(word) &&
                          (word.front() < '0' || word.front() > '9')))
            add(word);
          before = word.empty() ? rest.front() : word.back();
          rest.remove_prefix(std::max<std::size_t>(1, word.size()));
        }
      }
    for (const std::string& name : branches_.unrolls)
      if (words_.contains(name) || !declared_.contains(name)) add(name);
    found = &facts.unknown_elsewhere;
    for (const Function& function : functions_)
      if (std::ranges::find(reached_, &function) == reached_.end()) add_names_of(function);
  }

  static bool is_keyword(std::string_view word) {
    static const std::set<std::string_view> known = {
        "if",       "else",     "for",     "while", "do",     "return",  "const",
        "static",   "inline",   "sizeof",  "auto",  "struct", "typedef", "volatile",
        "unsigned", "signed",   "extern",  "true",  "false",  "void",    "asm",
        "template", "typename", "defined", "x",     "y",      "z",       "w"};
    return known.contains(word);
  }

  // ---- accesses

  /// What the function at `definition` does with the array that `name` points to.
  Accesses accesses_of(int definition, std::string_view name) {
    Accesses all;
    if (definition < 0 || !visited_.insert({definition, std::string(name)}).second) return all;
    constexpr std::size_t most = 200;
    if (visited_.size() > most) return something();
    const int body = tree_.child_of_kind(definition, "compound_statement");
    if (body < 0) {
      all.unknown = true;
      return all;
    }
    for (int node = body; node < tree_[body].end; ++node)
      if (kind(node) == "identifier" && text(node) == name && !is_declared(node))
        all.add(use_of(node, definition));
    // In a macro nothing is seen; its own parameters are others.
    for (const auto* macros : {&branches_.macros, &branches_.functions})
      for (const auto& [macro, value] : *macros) {
        const std::size_t behind =
            macros == &branches_.functions ? std::min(value.find(')'), value.size()) : 0;
        if (words_.contains(macro) && has_word(std::string_view(value).substr(behind), name) &&
            !has_word(std::string_view(value).substr(0, behind), name))
          all.unknown = true;
      }
    return all;
  }

  static bool has_word(std::string_view text, std::string_view wanted) {
    while (!text.empty()) {
      const std::string_view word = leading_word(text);
      if (word == wanted) return true;
      text.remove_prefix(std::max<std::size_t>(1, word.size()));
    }
    return false;
  }

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
      node = tree_[node].parent;
      if (node < 0) return something();
      const std::string_view is = kind(node);
      const auto parts = tree_.parts(node);
      steps_ += parts.size();
      const bool is_first = !parts.empty() && parts.front() == from;
      if (is == "parenthesized_expression" || is == "cast_expression") continue;
      if (is == "subscript_expression") {
        if (!is_first) return {};
        is_element = true;
      } else if (is == "pointer_expression") {
        is_element = !text(node).starts_with('&');
      } else if (is == "field_expression") {
        is_element = true;
      } else if (is == "assignment_expression") {
        const bool plain = tree_.child_of_kind(node, "=") >= 0;
        if (is_first) return !is_element ? Accesses{} : plain ? writes() : both();
        if (is_element) return reads();
        return kind(parts.front()) == "identifier" ? accesses_of(definition, text(parts.front()))
                                                   : something();
      } else if (is == "init_declarator") {
        const int name = name_in(parts.front());
        const bool reference = kind(parts.front()) == "reference_declarator";
        if (is_element && !reference) return reads();
        return name >= 0 && !is_element     ? accesses_of(definition, text(name))
               : is_const_declaration(node) ? reads()
                                            : both();
      } else if (is == "update_expression") {
        if (is_element) return both();
      } else if (is == "argument_list") {
        return passed(node, from, is_element);
      } else if (is_element) {
        return reads();
      } else if (is == "binary_expression") {
        if (tree_.child_of_kind(node, "+") < 0 && tree_.child_of_kind(node, "-") < 0) return {};
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
    const int declaration = tree_[node].parent;
    return declaration >= 0 && text(declaration).starts_with("const");
  }

  /// What the call at `list` does with its argument.
  Accesses passed(int list, int argument, bool is_element) {
    const int call = tree_[list].parent;
    if (call < 0 || kind(call) != "call_expression") return is_element ? reads() : something();
    const int callee = tree_.parts(call).front();
    std::string_view name = text(callee);
    if (kind(callee) == "template_function") name = text(callee + 1);
    const auto given = tree_.parts(list);
    const auto place = static_cast<std::size_t>(std::ranges::find(given, argument) - given.begin());
    if (name.ends_with("_cast") && !is_element) return use_of(call, tree_.above(call, "function_definition"));
    if (name.starts_with("__ld") || name.starts_with("tex")) return reads();
    if (name.starts_with("__st")) return place == 0 ? writes() : reads();
    if (name.starts_with("atomic")) return both();
    Accesses all;
    bool found = false;
    if (const auto macro = branches_.functions.find(name); macro != branches_.functions.end())
      return is_element || only_reads(macro->second) ? reads() : something();
    for (const Function& function : functions_) {
      if (function.name != name || kind(function.node) != "function_definition" ||
          place >= function.parameters.size())
        continue;
      found = true;
      const std::string declared(text(function.parameters[place]));
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

  // ---- geometry

  std::optional<std::size_t> axis_of(int node, std::string_view& of) const {
    if (kind(node) != "field_expression") return std::nullopt;
    const auto parts = tree_.parts(node);
    if (parts.size() != 2) return std::nullopt;
    of = text(parts.front());
    if (of != "threadIdx" && of != "blockIdx" && of != "blockDim" && of != "gridDim") return std::nullopt;
    const auto axis = std::ranges::find(axis_names, text(parts.back()));
    if (axis == axis_names.end()) return std::nullopt;
    return static_cast<std::size_t>(axis - axis_names.begin());
  }

  /// The factors of an index on the way up from `node`; `top`: where the product and sum ends.
  std::vector<std::string> factors_of(int node, int& top) const {
    std::vector<std::string> factors;
    for (top = node; ++steps_ < max_steps; top = tree_[top].parent) {
      const int parent = tree_[top].parent;
      if (parent < 0) return factors;
      const std::string_view is = kind(parent);
      if (is == "parenthesized_expression" || is == "cast_expression") continue;
      if (is != "binary_expression") return factors;
      const auto parts = tree_.parts(parent);
      if (tree_.child_of_kind(parent, "*") >= 0)
        factors.emplace_back(text(parts.front() == top ? parts.back() : parts.front()));
      else if (tree_.child_of_kind(parent, "/") >= 0 && parts.front() == top)
        factors.push_back("/" + std::string(text(parts.back())));
      else if (tree_.child_of_kind(parent, "+") < 0 && tree_.child_of_kind(parent, "-") < 0)
        return factors;
    }
    return factors;
  }

  void read_axes(const Function& function, KernelFacts& facts) {
    std::map<std::string_view, std::set<std::size_t>> variables;        // the axes of their values
    std::map<std::string_view, std::size_t> block_names, thread_names;  // copies of blockIdx.x, threadIdx.x
    const auto axes_in = [&](int from) {
      std::set<std::size_t> axes;
      for (int node = from; node < tree_[from].end && ++steps_ < max_steps; ++node) {
        std::string_view of;
        if (const auto axis = axis_of(node, of); axis && (of == "threadIdx" || of == "blockIdx"))
          axes.insert(*axis);
        if (kind(node) == "identifier")
          if (const auto known = variables.find(text(node)); known != variables.end())
            axes.insert(known->second.begin(), known->second.end());
      }
      return axes;
    };
    std::set<std::string_view> of_block;  // variables that depend on blockIdx
    const auto of_blocks = [&](int from) {
      for (int node = from; node < tree_[from].end && ++steps_ < max_steps; ++node)
        if (text(node) == "blockIdx" || (kind(node) == "identifier" && of_block.contains(text(node))))
          return true;
      return false;
    };
    const auto follow_block = [&](int node, std::size_t axis) {
      int top = node;
      const std::vector<std::string> factors = factors_of(node, top);
      Axis& along = facts.axes[axis];
      if (!factors.empty()) {
        if (along.per_block.empty()) along.per_block = factors;
        return;
      }
      const int parent = tree_[top].parent;
      if (parent >= 0 && kind(parent) == "init_declarator")
        if (const int name = name_in(parent); name >= 0) block_names[text(name)] = axis;
    };
    for (int node = function.node; node < tree_[function.node].end; ++node) {
      const std::string_view is = kind(node);
      std::string_view of;
      if (const auto axis = axis_of(node, of)) {
        Axis& along = facts.axes[*axis];
        along.has_threads = along.has_threads || of == "threadIdx" || of == "blockDim";
        along.has_blocks = along.has_blocks || of == "blockIdx" || of == "gridDim";
        along.asks_block = along.asks_block || of == "blockDim";
        along.asks_grid = along.asks_grid || of == "gridDim";
        if (of == "blockIdx") follow_block(node, *axis);
        if (const int parent = tree_[node].parent; of == "threadIdx" && kind(parent) == "init_declarator")
          if (const int name = name_in(parent); name >= 0) thread_names[text(name)] = *axis;
      } else if (is == "identifier" && block_names.contains(text(node)) && !is_declared(node)) {
        follow_block(node, block_names[text(node)]);
      } else if (is == "init_declarator" || is == "assignment_expression") {
        const auto parts = tree_.parts(node);
        const int name = parts.empty()                         ? -1
                         : is == "init_declarator"             ? name_in(parts.front())
                         : kind(parts.front()) == "identifier" ? parts.front()
                                                               : -1;
        if (name >= 0 && parts.size() > 1) {
          const auto axes = axes_in(parts.back());
          // Steps of loops do not make an index of several axes one of one axis.
          if (!axes.empty()) variables[text(name)].insert(axes.begin(), axes.end());
          if (of_blocks(parts.back())) of_block.insert(text(name));
          if (axes.size() == 1 && thread_names.contains(text(parts.back())))
            thread_names[text(name)] = *axes.begin();
        }
      }
    }
    for (int node = function.node; node < tree_[function.node].end; ++node) {
      if (kind(node) == "binary_expression") read_bound(node, axes_in, of_blocks, facts);
      if (kind(node) == "for_statement") read_stride(node, variables, thread_names, facts);
    }
  }

  template<class AxesIn, class OfBlocks>
  void read_bound(int node, const AxesIn& axes_in, const OfBlocks& of_blocks, KernelFacts& facts) const {
    const auto parts = tree_.parts(node);
    if (parts.size() != 2) return;
    const bool less = tree_.child_of_kind(node, "<") >= 0 || tree_.child_of_kind(node, "<=") >= 0,
               greater = tree_.child_of_kind(node, ">") >= 0 || tree_.child_of_kind(node, ">=") >= 0;
    if (!less && !greater) return;
    for (const bool swapped : {false, true}) {
      const auto axes = axes_in(parts[swapped ? 1 : 0]);
      const int other = parts[swapped ? 0 : 1];
      // `x > 0`, `0 < x`: what lies below is left out.
      if (axes.size() == 1 && kind(other) == "number_literal" && greater != swapped &&
          of_blocks(parts[swapped ? 1 : 0]))
        facts.axes[*axes.begin()].has_rim = facts.axes[*axes.begin()].has_rim || text(other) != "0" ||
                                            tree_.child_of_kind(node, ">") >= 0 ||
                                            tree_.child_of_kind(node, "<") >= 0;
      if (axes.size() != 1 || !axes_in(other).empty() || !of_blocks(parts[swapped ? 1 : 0])) continue;
      facts.axes[*axes.begin()].bounds.emplace_back(text(other));
    }
  }

  /// `for (int i = threadIdx.x; ...; i += STEP)`
  void read_stride(int node, const std::map<std::string_view, std::set<std::size_t>>& variables,
                   const std::map<std::string_view, std::size_t>& thread_names, KernelFacts& facts) const {
    for (const int part : tree_.parts(node)) {
      if (kind(part) != "assignment_expression" || tree_.child_of_kind(part, "+=") < 0) continue;
      const auto sides = tree_.parts(part);
      if (sides.size() != 2 || kind(sides[1]) != "identifier") continue;
      const auto variable = variables.find(text(sides[0]));
      if (variable == variables.end() || variable->second.size() != 1) continue;
      const std::size_t axis = *variable->second.begin();
      // Only from an index of threads alone is the step the block's extent.
      const int start = tree_.parts(node).front();
      bool of_threads = true;
      for (int below = start; below < tree_[start].end; ++below) {
        std::string_view of;
        if (axis_of(below, of) && of != "threadIdx") of_threads = false;
        if (kind(below) == "identifier" && !is_declared(below) && text(below) != text(sides[0]) &&
            !thread_names.contains(text(below)) && text(below) != "threadIdx")
          of_threads = false;
      }
      if (of_threads) facts.axes[axis].strides.emplace_back(text(sides[1]));
    }
  }

  // ---- memory beside the arguments

  void read_declarations(const Function& function, KernelFacts& facts) const {
    for (int node = function.node; node < tree_[function.node].end; ++node) {
      if (kind(node) != "declaration") continue;
      bool is_extern = false, is_shared = false;
      for (const int child : tree_.children(node)) {
        is_extern = is_extern || text(child) == "extern";
        is_shared = is_shared || text(child) == "__shared__";
      }
      if (is_shared) read_shared_extents(node, facts);
      if (!is_extern || !is_shared) continue;
      for (const int part : tree_.parts(node))
        if (kind(part) == "primitive_type" || kind(part) == "type_identifier" ||
            kind(part) == "sized_type_specifier")
          facts.dynamic_shared = resolved(std::string(text(part)), facts);
    }
  }

  void read_shared_extents(int declaration, KernelFacts& facts) const {
    for (int node = declaration; node < tree_[declaration].end; ++node) {
      if (kind(node) != "identifier" || is_declared(node)) continue;
      int top = node;
      while (kind(tree_[top].parent) == "parenthesized_expression" ||
             (kind(tree_[top].parent) == "binary_expression" &&
              tree_.child_of_kind(tree_[top].parent, "+") >= 0))
        top = tree_[top].parent;
      if (kind(tree_[top].parent) == "array_declarator") facts.shared_extents.emplace(text(node));
    }
  }

  void read_constants(KernelFacts& facts) const {
    for (int node = 0; node < tree_.size(); ++node) {
      if (kind(node) != "declaration" || tree_.above(node, "compound_statement") >= 0) continue;
      bool is_constant = false;
      for (const int child : tree_.children(node)) is_constant = is_constant || text(child) == "__constant__";
      if (!is_constant) continue;
      std::string type;
      for (const int part : tree_.parts(node)) {
        if (kind(part) == "primitive_type" || kind(part) == "type_identifier" ||
            kind(part) == "sized_type_specifier")
          type = resolved(std::string(text(part)), facts);
        if (kind(part) != "array_declarator" && kind(part) != "identifier") continue;
        ConstantArray array{type, "", {}};
        int inner = part;
        while (kind(inner) == "array_declarator") {
          const auto parts = tree_.parts(inner);
          if (parts.size() > 1) array.extents.insert(array.extents.begin(), std::string(text(parts.back())));
          if (parts.empty()) break;
          inner = parts.front();
        }
        array.name = std::string(text(inner));
        if (words_.contains(array.name)) facts.constants.push_back(std::move(array));
      }
    }
  }

  void find_textures(KernelFacts& facts) const {
    for (const ParameterOfKernel& parameter : facts.parameters)
      if (parameter.type == "cudaTextureObject_t") facts.textures[parameter.name];
    for (const Function* function : reached_)
      for (int node = function->node; node < tree_[function->node].end; ++node) {
        if (kind(node) != "call_expression") continue;
        const int callee = tree_.parts(node).front(), list = tree_.child_of_kind(node, "argument_list");
        const std::string_view name = kind(callee) == "template_function" ? text(callee + 1) : text(callee);
        if (!name.starts_with("tex") || name.size() < 4 || list < 0) continue;
        const std::size_t digit = name.find_first_of("123");
        for (auto& [argument, use] : facts.textures) {
          const bool by_name =
              std::ranges::any_of(tree_.parts(list), [&](int one) { return text(one) == argument; });
          if ((!by_name && facts.textures.size() > 1) || digit == std::string_view::npos) continue;
          use.dimensions = name[digit] - '0';
          if (const int types = tree_.first_below(callee, "type_descriptor"); types >= 0)
            use.type = resolved(std::string(text(types)), facts);
        }
      }
  }

  const Branches& branches_;
  const std::string file_name_;
  const Syntax tree_;
  std::vector<Function> functions_ = {};
  std::map<std::string, std::string> aliases_ = {};
  std::map<std::string, StructMembers, std::less<>> structs_ = {};
  std::set<std::string_view> declared_ = {};
  std::vector<const Function*> reached_ = {};
  std::set<std::string, std::less<>> words_ = {};
  std::set<std::pair<int, std::string>> visited_ = {};
  static constexpr std::size_t max_steps = 2'000'000;  ///< a second
  mutable std::size_t steps_ = 0;
};

template<class T>
void add_new(const std::vector<T>& from, std::vector<T>& to) {
  for (const T& one : from)
    if (std::ranges::find(to, one) == to.end()) to.push_back(one);
}

}  // namespace

void Accesses::add(const Accesses& other) {
  read = read || other.read;
  written = written || other.written;
  unknown = unknown || other.unknown;
}

std::vector<std::string> kernels_in(const Branches& branches) {
  return SourceReader(branches, "").kernels();
}

std::set<std::string, std::less<>> declared_in(const std::string& text) {
  const Branches branches{text, {}, {}, {}, {}};
  return SourceReader(branches, "").declared();
}

KernelFacts read_kernel_source(const Branches& branches, const std::string& file_name,
                               const std::string& kernel) {
  return SourceReader(branches, file_name).read(kernel);
}

void add_facts(const KernelFacts& other, KernelFacts& facts) {
  add_new(other.unknown_names, facts.unknown_names);
  add_new(other.lines, facts.lines);
  facts.own_names.insert(other.own_names.begin(), other.own_names.end());
  facts.declared.insert(other.declared.begin(), other.declared.end());
  facts.shared_extents.insert(other.shared_extents.begin(), other.shared_extents.end());
  std::erase_if(facts.unknown_names, [&](const std::string& name) { return facts.declared.contains(name); });
  facts.words.insert(other.words.begin(), other.words.end());
  if (facts.dynamic_shared.empty()) facts.dynamic_shared = other.dynamic_shared;
  if (facts.launch_bounds.empty()) facts.launch_bounds = other.launch_bounds;
  for (const ConstantArray& array : other.constants)
    if (std::ranges::find(facts.constants, array.name, &ConstantArray::name) == facts.constants.end())
      facts.constants.push_back(array);
  for (std::size_t i = 0; i < facts.axes.size(); ++i) {
    Axis& axis = facts.axes[i];
    const Axis& more = other.axes[i];
    axis.has_threads = axis.has_threads || more.has_threads;
    axis.has_blocks = axis.has_blocks || more.has_blocks;
    axis.asks_block = axis.asks_block || more.asks_block;
    axis.asks_grid = axis.asks_grid || more.asks_grid;
    axis.has_rim = axis.has_rim || more.has_rim;
    if (axis.per_block.empty()) axis.per_block = more.per_block;
    add_new(more.strides, axis.strides);
    add_new(more.bounds, axis.bounds);
  }
  for (std::size_t i = 0; i < std::min(facts.parameters.size(), other.parameters.size()); ++i) {
    ParameterOfKernel& parameter = facts.parameters[i];
    const ParameterOfKernel& more = other.parameters[i];
    parameter.accesses.add(more.accesses);
    const auto is = type_named(parameter.type), with = type_named(more.type);
    // An array is the same for all: of numbers, where it is read as vectors of several lengths.
    if (is && with && is->element == with->element && is->components != with->components)
      parameter.type = with->components == 1 ? more.type
                       : is->components == 1 ? parameter.type
                                             : std::string(to_string(is->element));
    if (!is && with) parameter.type = more.type;
  }
}

}  // namespace tune::described
