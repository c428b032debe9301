// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/described/source/conditions.hpp"
#include "kernels/described/source/syntax.hpp"

namespace tune::described {

struct TemplateParameter {
  std::string kind;  ///< `typename`, `int`, `bool`, ...
  std::string name;
};

/// A `struct` by its members: types (`float`, `float[3]`, `float*`) and names.
using StructMembers = std::vector<std::pair<std::string, std::string>>;

struct FunctionOfFile {
  int node = -1;        ///< its definition, or a declaration
  int declarator = -1;  ///< the function_declarator
  std::string name;
  std::string scope;  ///< `a::b::`
  bool is_kernel = false;
  bool is_of_device = false;  ///< a kernel, or what kernels may call
  std::vector<int> parameters = {};
};

/// A kernel and what it calls, and all words of these and of the macros that they use.
struct Reach {
  std::vector<const FunctionOfFile*> functions = {};
  std::set<std::string, std::less<>> words = {};
};

/// What a file declares. The branches live as long as it.
class SourceTree {
 public:
  explicit SourceTree(const Branches& branches);

  const Syntax& syntax() const { return tree_; }
  const Branches& branches() const { return branches_; }
  std::string_view text(int node) const { return tree_[node].text; }
  std::string_view kind(int node) const { return tree_[node].kind; }

  const std::vector<FunctionOfFile>& functions() const { return functions_; }
  const std::map<std::string, std::string, std::less<>>& aliases() const { return aliases_; }
  const std::map<std::string, StructMembers, std::less<>>& structs() const { return structs_; }
  std::vector<std::string> kernels() const;
  /// The names of values and types.
  std::set<std::string, std::less<>> declared() const;
  bool declares(std::string_view name) const { return declared_.contains(name); }

  /// The kernels that a name means, with or without its namespaces, or a line of one; the first of all
  /// without a name. Definitions only, where there are some.
  std::vector<const FunctionOfFile*> kernels_named(const std::string& name) const;
  Reach reach_of(const FunctionOfFile& kernel) const;
  std::vector<TemplateParameter> templates_of(const FunctionOfFile& kernel) const;
  /// Follows typedefs and macros to a type of a definition, or to the last name where there is none; types of
  /// templates stay.
  std::string resolved(std::string type, const std::vector<TemplateParameter>& templates) const;

  /// The name in a declarator: `x` of `*x[4]`; -1 where there is none.
  int name_in(int declarator) const;
  /// True for an identifier that is declared where it stands.
  bool is_declared(int node) const;

 private:
  void add_function(int declarator);
  bool is_of_scope(const std::string& name) const;
  void add_alias(int node);
  void add_struct(int node, std::string name = {});
  void add_words_of(std::string_view body, std::set<std::string, std::less<>>& words) const;

  const Branches& branches_;
  const Syntax tree_;
  std::vector<FunctionOfFile> functions_ = {};
  std::map<std::string, std::string, std::less<>> aliases_ = {};
  std::map<std::string, StructMembers, std::less<>> structs_ = {};
  std::set<std::string_view> declared_ = {};
};

/// True for a name, and nothing else: no number, no expression.
bool is_name(std::string_view text);

/// True for a text in which this word stands.
bool has_word(std::string_view text, std::string_view wanted);

}  // namespace tune::described
