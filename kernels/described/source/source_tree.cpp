// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source/source_tree.hpp"

#include <algorithm>

#include "kernels/described/description.hpp"
#include "kernels/described/kernel_text.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {

SourceTree::SourceTree(const Branches& branches) : branches_(branches), tree_(read_syntax(branches.text)) {
  for (int node = 0; node < tree_.size(); ++node) {
    const SyntaxNode& is = tree_[node];
    if (is.kind == "function_declarator") add_function(node);
    if (is.kind == "type_definition" || is.kind == "alias_declaration") add_alias(node);
    if (is.kind == "struct_specifier") add_struct(node);
    if (is.kind == "identifier" && is_declared(node)) declared_.insert(is.text);
    // Functions of a class use its members without more.
    if (is.kind == "field_identifier" && tree_.above(node, "field_declaration") >= 0)
      declared_.insert(is.text);
    if (is.kind.ends_with("type_parameter_declaration"))
      if (const int name = tree_.first_below(node, "type_identifier"); name >= 0)
        declared_.insert(tree_[name].text);
  }
}

std::vector<std::string> SourceTree::kernels() const {
  std::vector<std::string> names;
  for (const FunctionOfFile& function : functions_)
    if (function.is_kernel && std::ranges::find(names, function.name) == names.end())
      names.push_back(function.name);
  return names;
}

std::set<std::string, std::less<>> SourceTree::declared() const {
  std::set<std::string, std::less<>> names;
  for (const std::string_view name : declared_) names.emplace(name);
  for (const auto& alias : aliases_) names.insert(alias.first);
  for (const auto& one : structs_) names.insert(one.first);
  return names;
}

int SourceTree::name_in(int declarator) const {
  for (int node = declarator; node < tree_[declarator].end; ++node) {
    if (kind(node) == "identifier" || kind(node) == "field_identifier") return node;
    if (kind(node) == "parameter_list" || kind(node) == "subscript_argument_list") break;
  }
  return -1;
}

bool SourceTree::is_declared(int node) const {
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

void SourceTree::add_function(int declarator) {
  FunctionOfFile function;
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
  const std::string_view before =
      text(node).substr(0, static_cast<std::size_t>(text(declarator).data() - text(node).data()));
  const std::string qualifiers = expanded(before, branches_.macros);
  function.is_of_device = has_word(qualifiers, "__global__") || has_word(qualifiers, "__device__") ||
                          has_word(qualifiers, "constexpr");
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

void SourceTree::add_alias(int node) {
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

void SourceTree::add_struct(int node, std::string name) {
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

std::vector<const FunctionOfFile*> SourceTree::kernels_named(const std::string& name) const {
  std::vector<const FunctionOfFile*> defined, declared;
  for (const FunctionOfFile& function : functions_) {
    const bool is_it = name.empty() || name == function.name || name == function.scope + function.name ||
                       name == std::to_string(tree_[function.declarator].line);
    if (function.is_kernel && is_it)
      (kind(function.node) == "function_definition" ? defined : declared).push_back(&function);
  }
  std::vector<const FunctionOfFile*>& all = defined.empty() ? declared : defined;
  if (name.empty() && all.size() > 1) all.resize(1);
  // A specialisation is chosen by the arguments of its template, of which the first is the general one.
  const bool has_template =
      std::ranges::any_of(all, [&](const FunctionOfFile* one) { return !templates_of(*one).empty(); });
  const auto is_of_first = [&](const FunctionOfFile* one) { return one->scope == all.front()->scope; };
  if (has_template && std::ranges::all_of(all, is_of_first)) all.resize(1);
  return all;
}

std::vector<TemplateParameter> SourceTree::templates_of(const FunctionOfFile& kernel) const {
  std::vector<TemplateParameter> all;
  const int above = tree_[kernel.node].parent;
  if (above < 0 || kind(above) != "template_declaration") return all;
  const int list = tree_.child_of_kind(above, "template_parameter_list");
  if (list < 0) return all;
  for (const int parameter : tree_.parts(list)) {
    if (kind(parameter).find("type_parameter") != std::string_view::npos) {
      // `class Op = Plus<T>`: the launch leaves it out, and those behind it.
      const std::string_view declared = text(parameter);
      if (const std::size_t is = declared.find('=');
          is != std::string_view::npos && !type_named(trimmed(declared.substr(is + 1))))
        break;
      if (const int name = tree_.first_below(parameter, "type_identifier"); name >= 0)
        all.push_back({"typename", std::string(text(name))});
    } else if (kind(parameter).ends_with("parameter_declaration")) {
      const std::string declared(text(parameter));
      all.push_back({type_of_parameter(declared), name_of_parameter(declared)});
    }
  }
  return all;
}

/// True for a type that the file has in a namespace, or that a namespace has of the language.
bool SourceTree::is_of_scope(const std::string& name) const {
  return aliases_.contains(name) || structs_.contains(name) || type_named(name);
}

std::string SourceTree::resolved(std::string type, const std::vector<TemplateParameter>& templates) const {
  constexpr int max_rounds = 16;
  for (int round = 0; round < max_rounds; ++round) {
    for (std::size_t at = type.find(":: "); at != std::string::npos; at = type.find(":: "))
      type.erase(at + 2, 1);
    for (const std::string_view prefix :
         {"const ", "volatile ", "struct ", "typename ", "::", "cuda::std::", "std::"})
      while (type.starts_with(prefix)) type.erase(0, prefix.size());
    if (type == "unsigned") type = "unsigned int";
    if (std::ranges::find(templates, type, &TemplateParameter::name) != templates.end()) return type;
    const auto alias = aliases_.find(type);
    const auto macro = branches_.macros.find(type);
    // `using int32_t = std::int32_t;` in a namespace
    const bool is_itself =
        alias != aliases_.end() && (alias->second == type || alias->second.ends_with("::" + type));
    if (alias != aliases_.end() && !is_itself)
      type = alias->second;
    else if (macro != branches_.macros.end() && !macro->second.empty())
      type = macro->second;
    else if (const std::size_t scope = type.rfind("::");
             scope != std::string::npos && is_of_scope(type.substr(scope + 2)))
      type.erase(0, scope + 2);
    else
      break;
  }
  return type;
}

void SourceTree::add_words_of(std::string_view body, std::set<std::string, std::less<>>& words) const {
  std::vector<std::string_view> open = {body};
  while (!open.empty()) {
    std::string_view rest = open.back();
    open.pop_back();
    while (!rest.empty()) {
      const std::string_view word = leading_word(rest);
      rest.remove_prefix(std::max<std::size_t>(1, word.size()));
      if (word.empty() || (word.front() >= '0' && word.front() <= '9')) continue;
      if (!words.insert(std::string(word)).second) continue;
      for (const auto* macros : {&branches_.macros, &branches_.functions})
        if (const auto macro = macros->find(word); macro != macros->end()) open.emplace_back(macro->second);
    }
  }
}

Reach SourceTree::reach_of(const FunctionOfFile& kernel) const {
  Reach reach;
  std::vector<const FunctionOfFile*> open = {&kernel};
  while (!open.empty()) {
    const FunctionOfFile* const function = open.back();
    open.pop_back();
    if (std::ranges::find(reach.functions, function) != reach.functions.end()) continue;
    reach.functions.push_back(function);
    for (int node = function->node; node < tree_[function->node].end; ++node)
      if (tree_[node].end == node + 1) add_words_of(text(node), reach.words);
    for (const FunctionOfFile& other : functions_)
      if (!other.is_kernel && reach.words.contains(other.name) && kind(other.node) == "function_definition" &&
          std::ranges::find(reach.functions, &other) == reach.functions.end())
        open.push_back(&other);
  }
  return reach;
}

bool is_name(std::string_view text) {
  return !text.empty() && leading_word(text) == text && (text.front() < '0' || text.front() > '9');
}

bool has_word(std::string_view text, std::string_view wanted) {
  while (!text.empty()) {
    const std::string_view word = leading_word(text);
    if (word == wanted) return true;
    text.remove_prefix(std::max<std::size_t>(1, word.size()));
  }
  return false;
}

}  // namespace tune::described
