// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source/kernel_source.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "kernels/described/description.hpp"
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

class KernelReader {
 public:
  explicit KernelReader(const Branches& branches) : tree_(branches) {}

  KernelFacts read(const std::string& file_name, const std::string& wanted,
                   const std::vector<KernelPlace>& places) {
    const std::vector<const FunctionOfFile*> found = tree_.kernels_named(wanted);
    if (found.empty())
      throw UsageError(tree_.kernels().empty()
                           ? format("{}: there is no __global__ function in it", file_name)
                           : format("{}: {}", file_name, no_kernel(wanted, kernels_here(file_name, places))));
    const FunctionOfFile& kernel = *found.front();
    KernelFacts facts;
    facts.name = kernel.name;
    facts.entry = kernel.scope + kernel.name;
    facts.line = tree_.syntax()[kernel.declarator].line;
    for (const FunctionOfFile* one : found)
      facts.alike.emplace_back(tree_.syntax()[one->declarator].line, one->scope + one->name);
    reach_ = tree_.reach_of(kernel);
    facts.templates = tree_.templates_of(kernel);
    for (const int parameter : kernel.parameters) facts.parameters.push_back(parameter_of(parameter, facts));
    if (const int bounds = tree_.syntax().first_below(kernel.node, "launch_bounds"); bounds >= 0)
      if (const auto given = tree_.syntax().parts(bounds); !given.empty())
        facts.launch_bounds = std::string(tree_.syntax()[given.front()].text);
    read_collectives(kernel, facts);
    read_subscripts(kernel, facts);
    for (const FunctionOfFile* function : reach_.functions) {
      read_axes(tree_, *function, facts.axes);
      read_declarations(*function, facts);
    }
    if (facts.dynamic_shared.empty()) find_dynamic_shared(facts);
    std::vector<std::string> arguments, templates;
    for (const ParameterOfKernel& parameter : facts.parameters) arguments.push_back(parameter.name);
    for (const TemplateParameter& parameter : facts.templates) templates.push_back(parameter.name);
    facts.launches = launches_of(tree_, facts.name, arguments, templates);
    facts.kernels = tree_.kernels();
    read_constants(facts);
    find_textures(facts);
    facts.structs = tree_.structs();
    for (auto& [name, members] : facts.structs)
      for (auto& [type, member] : members) {
        const std::size_t end = std::min(type.find_first_of("[*"), type.size());
        type = tree_.resolved(type.substr(0, end), facts.templates) + type.substr(end);
      }
    find_words(facts);
    find_places(facts);
    for (const ParameterOfKernel& parameter : facts.parameters) facts.words.insert(parameter.name);
    return facts;
  }

 private:
  /// The kernels of the branches that are taken.
  std::vector<KernelPlace> kernels_here(const std::string& file_name,
                                        const std::vector<KernelPlace>& places) const {
    std::vector<KernelPlace> all;
    for (const std::string& name : tree_.kernels()) {
      const auto found = std::ranges::find(places, name, &KernelPlace::name);
      all.push_back(found == places.end() ? KernelPlace{name, file_name, 1} : *found);
    }
    return all;
  }

  ParameterOfKernel parameter_of(int node, const KernelFacts& facts) {
    ParameterOfKernel parameter;
    for (const char c : tree_.text(node)) {
      const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
      if (!space || (!parameter.declared.empty() && parameter.declared.back() != ' '))
        parameter.declared += space ? ' ' : c;
    }
    parameter.name = name_of_parameter(parameter.declared);
    parameter.type = tree_.resolved(type_of_parameter(parameter.declared), facts.templates);
    parameter.is_pointer = is_pointer(parameter.declared);
    if (parameter.type.ends_with('*')) {
      parameter.is_pointer = true;
      parameter.type = tree_.resolved(
          std::string(trimmed(parameter.type.substr(0, parameter.type.size() - 1))), facts.templates);
    }
    const std::size_t star = parameter.declared.find_first_of("*["),
                      constant = parameter.declared.find("const");
    parameter.is_const = constant < star;
    parameter.line = tree_.syntax()[node].line;
    if (parameter.is_pointer) {
      parameter.accesses =
          accesses_of(tree_, reach_.words, tree_.syntax().above(node, "function_definition"), parameter.name);
    }
    return parameter;
  }

  void read_subscripts(const FunctionOfFile& kernel, KernelFacts& facts) const {
    std::vector<ArrayOfKernel> arrays;
    for (const ParameterOfKernel& one : facts.parameters) {
      if (!one.is_pointer) continue;
      const auto type = type_named(one.type);
      arrays.push_back(
          {one.name, type ? element_size(type->element) * static_cast<std::size_t>(type->components) : 0});
    }
    std::vector<Subscripts> all = subscripts_of(tree_, kernel.node, arrays);
    std::size_t next = 0;
    for (ParameterOfKernel& one : facts.parameters)
      if (one.is_pointer) one.subscripts = std::move(all[next++]);
  }

  /// 256 of `cub::BlockReduce<float, 256>`: the block has that many threads.
  void read_collectives(const FunctionOfFile& kernel, KernelFacts& facts) const {
    const std::string text(tree_.text(kernel.node));
    constexpr std::string_view begin = "cub::Block";
    for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
      std::size_t first = text.find('<', at);
      if (first == std::string::npos || leading_word(text.substr(at + 5)).size() != first - at - 5) continue;
      int depth = 0;
      std::size_t comma = 0, end = first;
      for (; end < text.size(); ++end) {
        depth += text[end] == '<' || text[end] == '(' ? 1 : text[end] == '>' || text[end] == ')' ? -1 : 0;
        if (depth == 0) break;
        if (text[end] != ',' || depth != 1) continue;
        if (comma != 0) break;
        comma = end;
      }
      if (comma == 0 || end == text.size()) continue;
      facts.collective_block = trimmed(std::string_view(text).substr(comma + 1, end - comma - 1));
      return;
    }
  }

  /// Where the kernel and what it calls stand, and the names of what they use that the file declares.
  void find_places(KernelFacts& facts) const {
    for (const FunctionOfFile* function : reach_.functions) {
      int node = function->node;  // with the template's parameters
      if (const int above = tree_.syntax()[node].parent;
          above >= 0 && tree_.kind(above) == "template_declaration")
        node = above;
      const std::string_view all = tree_.text(node);
      facts.lines.emplace_back(tree_.syntax()[node].line,
                               tree_.syntax()[node].line + static_cast<int>(std::ranges::count(all, '\n')));
      facts.own_names.insert(function->name);
    }
    for (const auto& alias : tree_.aliases())
      if (reach_.words.contains(alias.first)) facts.own_names.insert(alias.first);
    for (const auto& one : tree_.structs())
      if (reach_.words.contains(one.first)) facts.own_names.insert(one.first);
  }

  void find_words(KernelFacts& facts) const {
    facts.words.insert(reach_.words.begin(), reach_.words.end());
    facts.declared = tree_.declared();
    std::set<std::string_view> seen;
    std::vector<std::string>* found = &facts.unknown_names;
    const auto add = [&](std::string_view name) {
      if (name.empty() || tree_.declares(name) || tree_.branches().macros.contains(name) ||
          tree_.branches().functions.contains(name) || is_of_language(name) || !seen.insert(name).second)
        return;
      found->emplace_back(name);
    };
    const auto add_names_of = [&](const FunctionOfFile& function) {
      for (int node = function.node; node < tree_.syntax()[function.node].end; ++node) {
        const int parent = tree_.syntax()[node].parent;
        const bool is_value =
            tree_.kind(node) == "identifier" && !tree_.is_declared(node) &&
            tree_.kind(parent) != "template_function" && tree_.kind(parent) != "qualified_identifier" &&
            tree_.kind(parent) != "attribute" &&
            !(tree_.kind(parent) == "call_expression" && tree_.syntax().parts(parent).front() == node);
        // `sum<TILE>(x)`: the grammar takes a name between angle brackets for a type.
        const bool is_argument = tree_.kind(node) == "type_identifier" &&
                                 tree_.kind(parent) == "type_descriptor" &&
                                 tree_.kind(tree_.syntax()[parent].parent) == "template_argument_list" &&
                                 tree_.text(parent) == tree_.text(node) &&
                                 !tree_.aliases().contains(std::string(tree_.text(node))) &&
                                 !tree_.structs().contains(tree_.text(node)) && !type_named(tree_.text(node));
        if (is_value || is_argument) add(tree_.text(node));
      }
    };
    for (const FunctionOfFile* function : reach_.functions) add_names_of(*function);
    // Names in the bodies of macros, but those of types, functions and their own parameters.
    for (const auto* macros : {&tree_.branches().macros, &tree_.branches().functions})
      for (const auto& [name, body] : *macros) {
        if (!reach_.words.contains(name)) continue;
        std::set<std::string_view> own;
        std::string_view rest = body;
        if (macros == &tree_.branches().functions)
          for (std::string_view list = rest.substr(0, rest.find(')')); !list.empty();) {
            const std::string_view word = leading_word(list);
            own.insert(word);
            list.remove_prefix(std::max<std::size_t>(1, word.size()));
          }
        char before = ' ';
        std::string_view last;
        while (!rest.empty()) {
          const std::string_view word = leading_word(rest);
          const std::string_view behind = trimmed(rest.substr(std::max<std::size_t>(1, word.size())));
          const bool is_name = !word.empty() && (word.front() < '0' || word.front() > '9') &&
                               !own.contains(word) && !behind.starts_with('(') && before != '.' &&
                               before != '>' && before != ':' && !type_named(word) &&
                               !behind.starts_with('*') && !behind.starts_with("::") && !is_keyword(word) &&
                               !tree_.aliases().contains(std::string(word)) &&
                               !tree_.structs().contains(word);
          // `const T name = call;`
          const bool is_declaration = is_name && begins_declaration(last) && !behind.starts_with("==") &&
                                      behind.find_first_of("=;[") == 0;
          if (is_declaration) own.insert(word);
          if (rest.front() != ' ') last = word.empty() ? rest.substr(0, 1) : word;
          // `NAME * 2` is a product, `float *` a type.
          const bool is_factor =
              behind.starts_with('*') && behind.size() > 1 &&
              is_word(trimmed(behind.substr(1)).empty() ? ' ' : trimmed(behind.substr(1)).front()) &&
              !type_named(word);
          if ((is_name && !is_declaration) || (is_factor && !own.contains(word) && !is_keyword(word) &&
                                               (word.front() < '0' || word.front() > '9')))
            add(word);
          before = word.empty() ? rest.front() : word.back();
          rest.remove_prefix(std::max<std::size_t>(1, word.size()));
        }
      }
    for (const std::string& name : tree_.branches().unrolls)
      if (reach_.words.contains(name) || !tree_.declares(name)) add(name);
    found = &facts.unknown_elsewhere;
    for (const FunctionOfFile& function : tree_.functions())
      if (function.is_of_device && std::ranges::find(reach_.functions, &function) == reach_.functions.end())
        add_names_of(function);
  }

  /// True for a word of a type, or the sign of a pointer, before a name that is declared.
  static bool begins_declaration(std::string_view last) {
    static const std::set<std::string_view> others = {"return", "else", "case", "do", "goto", "throw", "new"};
    return last == "*" || last == "&" || (is_name(last) && !others.contains(last));
  }

  static bool is_keyword(std::string_view word) {
    static const std::set<std::string_view> known = {
        "if",       "else",     "for",     "while", "do",     "return",  "const",
        "static",   "inline",   "sizeof",  "auto",  "struct", "typedef", "volatile",
        "unsigned", "signed",   "extern",  "true",  "false",  "void",    "asm",
        "template", "typename", "defined", "x",     "y",      "z",       "w"};
    return known.contains(word);
  }

  void read_declarations(const FunctionOfFile& function, KernelFacts& facts) const {
    for (int node = function.node; node < tree_.syntax()[function.node].end; ++node) {
      if (tree_.kind(node) != "declaration") continue;
      bool is_extern = false, is_shared = false;
      for (const int child : tree_.syntax().children(node)) {
        is_extern = is_extern || tree_.text(child) == "extern";
        is_shared = is_shared || tree_.text(child) == "__shared__";
      }
      if (is_shared) read_shared_extents(node, facts);
      if (!is_extern || !is_shared) continue;
      for (const int part : tree_.syntax().parts(node))
        if (tree_.kind(part) == "primitive_type" || tree_.kind(part) == "type_identifier" ||
            tree_.kind(part) == "sized_type_specifier")
          facts.dynamic_shared = tree_.resolved(std::string(tree_.text(part)), facts.templates);
    }
  }

  /// Dynamic shared memory by way of a struct with an operator (`SharedMemory<T>`), or HIP's macro.
  void find_dynamic_shared(KernelFacts& facts) const {
    constexpr std::string_view macro = "HIP_DYNAMIC_SHARED";
    for (const FunctionOfFile* function : reach_.functions) {
      const std::string_view text = tree_.text(function->node);
      const std::size_t at = text.find(macro);
      if (at == std::string_view::npos) continue;
      const std::string_view rest = trimmed(text.substr(at + macro.size()));
      if (rest.starts_with('('))
        facts.dynamic_shared =
            tree_.resolved(std::string(trimmed(rest.substr(1, rest.find(',') - 1))), facts.templates);
    }
    const Syntax& syntax = tree_.syntax();
    for (int node = 0; node < syntax.size(); ++node) {
      if (tree_.kind(node) != "struct_specifier" && tree_.kind(node) != "class_specifier") continue;
      const int name = syntax.child_named(node, "name");
      if (name < 0 || !reach_.words.contains(leading_word(tree_.text(name)))) continue;
      FunctionOfFile members;
      members.node = node;
      read_declarations(members, facts);
    }
  }

  void read_shared_extents(int declaration, KernelFacts& facts) const {
    for (int node = declaration; node < tree_.syntax()[declaration].end; ++node) {
      if (tree_.kind(node) != "identifier" || tree_.is_declared(node)) continue;
      int top = node;
      while (tree_.kind(tree_.syntax()[top].parent) == "parenthesized_expression" ||
             (tree_.kind(tree_.syntax()[top].parent) == "binary_expression" &&
              tree_.syntax().child_of_kind(tree_.syntax()[top].parent, "+") >= 0))
        top = tree_.syntax()[top].parent;
      if (tree_.kind(tree_.syntax()[top].parent) == "array_declarator")
        facts.shared_extents.emplace(tree_.text(node));
    }
  }

  void read_constants(KernelFacts& facts) const {
    for (int node = 0; node < tree_.syntax().size(); ++node) {
      if (tree_.kind(node) != "declaration" || tree_.syntax().above(node, "compound_statement") >= 0)
        continue;
      bool is_constant = false;
      for (const int child : tree_.syntax().children(node))
        is_constant = is_constant || tree_.text(child) == "__constant__";
      if (!is_constant) continue;
      std::string type;
      for (const int part : tree_.syntax().parts(node)) {
        if (tree_.kind(part) == "primitive_type" || tree_.kind(part) == "type_identifier" ||
            tree_.kind(part) == "sized_type_specifier")
          type = tree_.resolved(std::string(tree_.text(part)), facts.templates);
        if (tree_.kind(part) != "array_declarator" && tree_.kind(part) != "identifier") continue;
        ConstantArray array{type, "", {}};
        int inner = part;
        while (tree_.kind(inner) == "array_declarator") {
          const auto parts = tree_.syntax().parts(inner);
          if (parts.size() > 1)
            array.extents.insert(array.extents.begin(), std::string(tree_.text(parts.back())));
          if (parts.empty()) break;
          inner = parts.front();
        }
        array.name = std::string(tree_.text(inner));
        if (reach_.words.contains(array.name)) facts.constants.push_back(std::move(array));
      }
    }
  }

  void find_textures(KernelFacts& facts) const {
    for (const ParameterOfKernel& parameter : facts.parameters)
      if (parameter.type == "cudaTextureObject_t") facts.textures[parameter.name];
    for (const FunctionOfFile* function : reach_.functions)
      for (int node = function->node; node < tree_.syntax()[function->node].end; ++node) {
        if (tree_.kind(node) != "call_expression") continue;
        const int callee = tree_.syntax().parts(node).front(),
                  list = tree_.syntax().child_of_kind(node, "argument_list");
        const std::string_view name =
            tree_.kind(callee) == "template_function" ? tree_.text(callee + 1) : tree_.text(callee);
        if (!name.starts_with("tex") || name.size() < 4 || list < 0) continue;
        const std::size_t digit = name.find_first_of("123");
        for (auto& [argument, use] : facts.textures) {
          const bool by_name =
              std::ranges::any_of(tree_.syntax().parts(list),
                                  [&, &name_of = argument](int one) { return tree_.text(one) == name_of; });
          if ((!by_name && facts.textures.size() > 1) || digit == std::string_view::npos) continue;
          use.dimensions = name[digit] - '0';
          if (const int types = tree_.syntax().first_below(callee, "type_descriptor"); types >= 0)
            use.type = tree_.resolved(std::string(tree_.text(types)), facts.templates);
        }
      }
  }

  const SourceTree tree_;
  Reach reach_ = {};
};

template<class T>
void add_new(const std::vector<T>& from, std::vector<T>& to) {
  for (const T& one : from)
    if (std::ranges::find(to, one) == to.end()) to.push_back(one);
}

}  // namespace

std::set<std::string, std::less<>> declared_in(const std::string& text) {
  const Branches branches{text, {}, {}, {}, {}};
  return SourceTree(branches).declared();
}

KernelFacts read_kernel_source(const Branches& branches, const std::string& file_name,
                               const std::string& kernel, const std::vector<KernelPlace>& places) {
  return KernelReader(branches).read(file_name, kernel, places);
}

std::set<std::string, std::less<>> KernelFacts::arrays_read() const {
  std::set<std::string, std::less<>> names;
  for (const ParameterOfKernel& one : parameters)
    if (one.is_pointer && (one.accesses.read || one.accesses.unknown)) names.insert(one.name);
  for (const ConstantArray& one : constants) names.insert(one.name);
  return names;
}

std::vector<std::pair<int, std::string>> kernels_in(const std::string& text) {
  const Branches branches = follow_conditions({{"", text}, {}}, {});
  const SourceTree tree(branches);
  std::vector<std::pair<int, std::string>> all;
  for (const FunctionOfFile& function : tree.functions())
    if (function.is_kernel && tree.kind(function.node) == "function_definition")
      all.emplace_back(tree.syntax()[function.declarator].line, function.scope + function.name);
  return all;
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
    add_new(more.thread_bounds, axis.thread_bounds);
  }
  for (std::size_t i = 0; i < std::min(facts.parameters.size(), other.parameters.size()); ++i) {
    ParameterOfKernel& parameter = facts.parameters[i];
    const ParameterOfKernel& more = other.parameters[i];
    parameter.accesses.add(more.accesses);
    // Those of vectors count vectors: the subscripts of the default count.
    if (parameter.type == more.type || parameter.subscripts.largest.empty())
      parameter.subscripts.add(more.subscripts);
    const auto is = type_named(parameter.type), with = type_named(more.type);
    // An array is the same for all: of numbers, where it is read as vectors of several lengths.
    if (is && with && is->element == with->element && is->components != with->components)
      facts.components = std::max({facts.components, is->components, with->components});
    if (is && with && is->element == with->element && is->components != with->components)
      parameter.type = with->components == 1 ? more.type
                       : is->components == 1 ? parameter.type
                                             : std::string(to_string(is->element));
    if (!is && with) parameter.type = more.type;
  }
}

}  // namespace tune::described
