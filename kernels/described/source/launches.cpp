// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source/launches.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "kernels/described/source/c_expression.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

using Names = std::map<std::string, std::string, std::less<>>;

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space || (!line.empty() && line.back() != ' ')) line += space ? ' ' : c;
  }
  return std::string(trimmed(line));
}

/// The divisions that round up, under the names that files give them.
bool rounds_up(std::string_view name) {
  std::string text;
  for (const char c : name)
    if (c != '_') text += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text == "ceildiv" || text == "divup" || text == "idivup" || text == "cdiv" || text == "divceil" ||
         text == "divroundup" || text == "rounddivup" || text == "divideup";
}

/// The name in `x`, `&x`, `(void**)&x` and `x.data()`; empty where there is none.
std::string variable_in(std::string_view argument) {
  while (!argument.empty()) {
    argument = trimmed(argument);
    if (argument.starts_with('&') || argument.starts_with('*')) {
      argument.remove_prefix(1);
    } else if (argument.starts_with('(')) {
      const std::size_t end = argument.find(')');
      if (end == std::string_view::npos) return {};
      if (end + 1 == argument.size()) {
        argument = argument.substr(1, end - 1);
      } else {
        argument.remove_prefix(end + 1);
      }
    } else {
      break;
    }
  }
  const std::string_view word = leading_word(argument);
  return is_name(word) && word == argument ? std::string(word) : std::string();
}

/// The variables of a function, and of the file around it, that get a value once; its parameters have the
/// values of the first call.
class Variables {
 public:
  explicit Variables(const SourceTree& tree, int function, int depth = 0) : tree_(tree) {
    constexpr int deepest = 3;
    if (depth < deepest) find_caller(function, depth);
    std::set<std::string_view> of_file, elsewhere;
    for (int node = 0; node < syntax().size(); ++node) {
      const bool is_inside = node >= function && node < syntax()[function].end;
      if (!is_inside && syntax().above(node, "compound_statement") >= 0) {
        if (tree_.kind(node) == "assignment_expression" || tree_.kind(node) == "update_expression")
          if (const auto parts = syntax().parts(node); !parts.empty())
            elsewhere.insert(tree_.text(parts.front()));
        continue;
      }
      if (!is_inside && tree_.kind(node) == "init_declarator" && tree_.name_in(node) >= 0)
        of_file.insert(tree_.text(tree_.name_in(node)));
      if (tree_.kind(node) == "init_declarator") add_declarator(node);
      if (tree_.kind(node) == "assignment_expression" || tree_.kind(node) == "update_expression")
        add_assignment(node);
      // `dim3 grid(n, 2);` may be read as a function that is declared.
      if (tree_.kind(node) == "function_declarator" && is_inside) add_constructor(node);
    }
    // A variable of the file that another function changes.
    for (const std::string_view name : elsewhere)
      if (of_file.contains(name)) changed_.insert(std::string(name));
    for (const std::string& name : changed_) {
      values_.erase(name);
      extents_.erase(name);
    }
  }

  /// The extents in `grid`, `dim3(a, b)`, `{a, b}` or an expression for x alone.
  std::vector<std::string> extents_of(int node, const Names& passed) const {
    std::vector<std::string> extents;
    if (is_name(tree_.text(node)))
      if (const auto known = extents_.find(tree_.text(node)); known != extents_.end()) {
        for (const std::string& one : known->second) extents.push_back(resolved(one, passed));
        return extents;
      }
    if (const int list = list_of_dim3(node); list >= 0) {
      for (const int one : syntax().parts(list)) extents.push_back(resolved(tree_.text(one), passed));
      return extents;
    }
    return {resolved(tree_.text(node), passed)};
  }

  /// Adds the names of the block's extents: `blockDim.x` for `threads`, `blockDim` for a `dim3`.
  void add_names_of_block(int node, Names& names) const {
    std::vector<std::string> extents = {std::string(tree_.text(node))};
    if (const auto known = extents_.find(tree_.text(node)); known != extents_.end()) {
      names.emplace(tree_.text(node), "blockDim");
      extents = known->second;
    } else if (const int list = list_of_dim3(node); list >= 0) {
      extents.clear();
      for (const int one : syntax().parts(list)) extents.emplace_back(tree_.text(one));
    }
    constexpr std::string_view axes[] = {"blockDim.x", "blockDim.y", "blockDim.z"};
    for (std::size_t axis = 0; axis < std::min(extents.size(), std::size(axes)); ++axis)
      if (is_name(extents[axis])) names.emplace(extents[axis], axes[axis]);
  }

  /// The name of an array in the outermost function that passes it on.
  std::string origin_of(const std::string& variable) const {
    const auto given = arguments_.find(variable);
    if (given == arguments_.end()) return variable;
    const std::string name = variable_in(given->second);
    return name.empty() ? variable : caller_->origin_of(name);
  }

  /// The expression with `passed` names and the values of variables.
  std::string resolved(std::string_view expression, const Names& passed, int depth = 0) const {
    constexpr int deepest = 6;
    constexpr std::size_t longest = 400;
    const std::string text = with_whole_divisions(without_casts(one_line(expression)));
    std::string result;
    char before = ' ';
    for (std::string_view rest = text; !rest.empty() && result.size() < longest;) {
      const std::string_view word = leading_word(rest);
      if (word.empty()) {
        before = rest.front() == ' ' ? before : rest.front();
        result += rest.front();
        rest.remove_prefix(1);
        continue;
      }
      rest.remove_prefix(word.size());
      const std::string_view behind = trimmed(rest);
      const auto name = passed.find(word);
      const bool is_block = name != passed.end() && name->second == "blockDim";
      const bool is_part = before == '.' || before == '>' ||
                           (behind.starts_with('.') ? !is_block : is_block || behind.starts_with("->"));
      const auto value = values_.find(word);
      const auto given = value == values_.end() ? arguments_.find(word) : arguments_.end();
      if (behind.starts_with('(') && rounds_up(word)) {
        result += "ceil_div";
      } else if (!is_part && name != passed.end()) {
        result += name->second;
      } else if (!is_part && value != values_.end() && depth < deepest) {
        const std::string inner = resolved(value->second, passed, depth + 1);
        result += leading_word(inner) == inner ? inner : "(" + inner + ")";
      } else if (!is_part && given != arguments_.end() && depth < deepest) {
        const std::string inner = caller_->resolved(given->second, {}, depth + 1);
        result += leading_word(inner) == inner ? inner : "(" + inner + ")";
      } else {
        result += word;
      }
      before = word.back();
    }
    return result;
  }

 private:
  const Syntax& syntax() const { return tree_.syntax(); }

  void find_caller(int function, int depth) {
    const auto own = std::ranges::find(tree_.functions(), function, &FunctionOfFile::node);
    if (own == tree_.functions().end() || own->parameters.empty()) return;
    for (int node = 0; node < syntax().size(); ++node) {
      if (tree_.kind(node) != "call_expression" || syntax().child_of_kind(node, "kernel_call_syntax") >= 0)
        continue;
      std::string_view callee = tree_.text(syntax().parts(node).front());
      callee = trimmed(callee.substr(0, callee.find('<')));
      const int from = syntax().above(node, "function_definition");
      const int list = syntax().child_of_kind(node, "argument_list");
      if (callee != own->name || from < 0 || from == function || list < 0) continue;
      const std::vector<int> given = syntax().parts(list);
      if (given.size() != own->parameters.size()) continue;
      for (std::size_t i = 0; i < given.size(); ++i)
        if (const int name = tree_.name_in(own->parameters[i]); name >= 0)
          arguments_.emplace(tree_.text(name), tree_.text(given[i]));
      caller_ = std::make_shared<Variables>(tree_, from, depth + 1);
      return;
    }
  }

  /// The arguments of `dim3(...)`, `dim3{...}` and `{...}`; -1 where there are none.
  int list_of_dim3(int node) const {
    if (tree_.kind(node) == "initializer_list") return node;
    const auto parts = syntax().parts(node);
    if ((tree_.kind(node) != "call_expression" && tree_.kind(node) != "compound_literal_expression") ||
        parts.size() < 2 || tree_.text(parts.front()) != "dim3")
      return -1;
    return parts.back();
  }

  bool declares_dim3(int node) const {
    const int declaration = syntax()[node].parent;
    if (declaration < 0) return false;
    const auto parts = syntax().parts(declaration);
    return std::ranges::any_of(parts, [&](int part) { return tree_.text(part) == "dim3"; });
  }

  void add_value(const std::string& name, std::string value) {
    if (!values_.emplace(name, std::move(value)).second) changed_.insert(name);
  }
  void add_extents(const std::string& name, int list) {
    std::vector<std::string> all;
    for (const int one : syntax().parts(list)) all.emplace_back(tree_.text(one));
    if (all.size() > 3 || all.empty() || !extents_.emplace(name, std::move(all)).second)
      changed_.insert(name);
  }

  void add_declarator(int node) {
    const auto parts = syntax().parts(node);
    const int name = parts.empty() ? -1 : tree_.name_in(parts.front());
    if (parts.size() < 2 || name < 0 || tree_.kind(parts.front()) != "identifier") return;
    const std::string named(tree_.text(name));
    const int value = parts.back();
    if (const int list = list_of_dim3(value); list >= 0 && (declares_dim3(node) || list != value))
      return add_extents(named, list);
    if (declares_dim3(node) && tree_.kind(value) == "argument_list") return add_extents(named, value);
    if (declares_dim3(node)) return add_extents_of_one(named, value);
    if (tree_.kind(value) == "argument_list" || tree_.kind(value) == "initializer_list") {
      const auto inner = syntax().parts(value);
      if (inner.size() == 1) add_value(named, std::string(tree_.text(inner.front())));
      return;
    }
    add_value(named, std::string(tree_.text(value)));
  }

  /// `dim3 grid = n;`
  void add_extents_of_one(const std::string& name, int value) {
    if (!extents_.emplace(name, std::vector<std::string>{std::string(tree_.text(value))}).second)
      changed_.insert(name);
  }

  void add_constructor(int node) {
    const int list = syntax().child_of_kind(node, "parameter_list");
    const int name = tree_.name_in(node);
    if (list >= 0 && name >= 0 && declares_dim3(node)) add_extents(std::string(tree_.text(name)), list);
  }

  /// `grid = dim3(a, b)`, `grid.y = b`, `n = a`: the first value of a variable that is declared without one.
  void add_assignment(int node) {
    const auto parts = syntax().parts(node);
    if (parts.empty()) return;
    const int target = parts.front();
    const std::string name(tree_.text(target));
    if (tree_.kind(node) == "update_expression" || syntax().child_of_kind(node, "=") < 0 ||
        parts.size() < 2) {
      changed_.insert(name);
      return;
    }
    if (tree_.kind(target) == "field_expression") {
      const auto of = syntax().parts(target);
      if (of.size() != 2) return;
      const std::string_view axis = tree_.text(of.back());
      if (axis != "x" && axis != "y" && axis != "z") return;
      auto& extents = extents_[std::string(tree_.text(of.front()))];
      const auto place = static_cast<std::size_t>(axis.front() - 'x');
      if (extents.size() <= place) extents.resize(place + 1, "1");
      extents[place] = std::string(tree_.text(parts.back()));
      return;
    }
    if (!is_name(name)) return;
    if (const int list = list_of_dim3(parts.back()); list >= 0) return add_extents(name, list);
    add_value(name, std::string(tree_.text(parts.back())));
  }

  const SourceTree& tree_;
  Names values_ = {};
  std::map<std::string, std::vector<std::string>, std::less<>> extents_ = {};
  std::set<std::string> changed_ = {};
  Names arguments_ = {};  ///< of the first call, by the function's parameters
  std::shared_ptr<const Variables> caller_ = nullptr;
};

/// `n * m` of `n * m * sizeof(float)`; the expression as it is where no size of a type is in it, which then
/// may be bytes.
std::string elements_in(const std::string& bytes) {
  std::string text = bytes;
  const std::size_t at = text.find("sizeof");
  if (at == std::string::npos) return {};
  const std::size_t end = text.find(')', at);
  if (end == std::string::npos) return {};
  std::size_t begin = at, behind = end + 1;
  const auto spaces = [&] {
    while (begin > 0 && text[begin - 1] == ' ') --begin;
    while (behind < text.size() && text[behind] == ' ') ++behind;
  };
  spaces();
  while (begin > 0 && behind < text.size() && text[begin - 1] == '(' && text[behind] == ')') {
    --begin, ++behind;
    spaces();
  }
  if (begin > 0 && text[begin - 1] == '*')
    text.erase(begin - 1, behind - begin + 1);
  else if (behind < text.size() && text[behind] == '*')
    text.erase(begin, behind - begin + 1);
  else
    return begin == 0 && behind == text.size() ? "1" : std::string();
  return text.find("sizeof") == std::string::npos ? std::string(trimmed(text)) : std::string();
}

/// A call that launches a kernel, in whichever way.
struct LaunchCall {
  int node = -1;
  int kernel = -1;                           ///< the expression that names it
  std::vector<int> how = {};                 ///< grid, block, bytes of shared memory
  std::vector<std::string_view> given = {};  ///< the arguments
  bool cooperative = false;
};

/// The arguments in `void* args[] = {&x, &n}`, of the function around a node.
std::vector<std::string_view> arguments_in(const SourceTree& tree, int node, std::string_view array) {
  const Syntax& syntax = tree.syntax();
  std::vector<std::string_view> given;
  const int function = syntax.above(node, "function_definition");
  const std::string name = variable_in(array);
  for (int at = std::max(function, 0); at < node; ++at) {
    if (tree.kind(at) != "init_declarator" || tree.name_in(at) < 0 || tree.text(tree.name_in(at)) != name)
      continue;
    if (const int list = syntax.child_of_kind(at, "initializer_list"); list >= 0) {
      given.clear();
      for (const int one : syntax.parts(list)) {
        std::string_view text = trimmed(tree.text(one));
        while (text.starts_with('(') && text.find(')') != std::string_view::npos)
          text = trimmed(text.substr(text.find(')') + 1));
        given.push_back(text.starts_with('&') ? trimmed(text.substr(1)) : text);
      }
    }
  }
  return given;
}

/// Reads `k<<<grid, block>>>(...)`, `cudaLaunchKernel` and its like, and `hipLaunchKernelGGL`.
std::optional<LaunchCall> launch_call(const SourceTree& tree, int node) {
  const Syntax& syntax = tree.syntax();
  if (tree.kind(node) != "call_expression") return std::nullopt;
  LaunchCall call{node, syntax.parts(node).front()};
  const int list = syntax.child_of_kind(node, "argument_list");
  const std::vector<int> listed = list < 0 ? std::vector<int>() : syntax.parts(list);
  const auto add_given = [&](std::size_t first) {
    for (std::size_t i = first; i < listed.size(); ++i) call.given.push_back(tree.text(listed[i]));
  };
  if (const int configuration = syntax.child_of_kind(node, "kernel_call_syntax"); configuration >= 0) {
    call.how = syntax.parts(configuration);
    add_given(0);
    return call;
  }
  const std::string_view callee = tree.text(call.kernel);
  if (callee == "hipLaunchKernelGGL" && listed.size() >= 5) {
    call.kernel = listed[0];
    call.how.assign(listed.begin() + 1, listed.begin() + 4);
    add_given(5);
    return call;
  }
  call.cooperative = callee.ends_with("LaunchCooperativeKernel");
  if ((!call.cooperative && !callee.ends_with("LaunchKernel")) ||
      (!callee.starts_with("cuda") && !callee.starts_with("hip")) || listed.size() < 4)
    return std::nullopt;
  call.kernel = listed[0];
  call.how.assign(listed.begin() + 1, listed.begin() + 3);
  if (listed.size() > 4) call.how.push_back(listed[4]);
  call.given = arguments_in(tree, node, tree.text(listed[3]));
  return call;
}

/// The name of the kernel that an expression stands for: `k` of `(void*)a::k<float>`.
std::string_view kernel_named_by(std::string_view expression) {
  for (bool is_wrapped = true; is_wrapped;) {
    expression = trimmed(expression);
    is_wrapped = true;
    if (expression.starts_with("HIP_KERNEL_NAME"))
      expression.remove_prefix(std::string_view("HIP_KERNEL_NAME").size());
    else if (expression.starts_with('&'))
      expression.remove_prefix(1);
    else if (expression.starts_with('(') && closing_bracket(expression) + 1 < expression.size())
      expression.remove_prefix(closing_bracket(expression) + 1);  // a cast
    else if (expression.starts_with('(') && expression.ends_with(')'))
      expression = expression.substr(1, expression.size() - 2);
    else
      is_wrapped = false;
  }
  expression = trimmed(expression.substr(0, expression.find('<')));
  if (const std::size_t colon = expression.rfind(':'); colon != std::string_view::npos)
    expression.remove_prefix(colon + 1);
  return expression;
}

class LaunchReader {
 public:
  LaunchReader(const SourceTree& tree, const std::vector<std::string>& arguments,
               const std::vector<std::string>& templates)
      : tree_(tree), arguments_(arguments), templates_(templates) {}

  LaunchOfFile read(const LaunchCall& call) const {
    const int function = syntax().above(call.node, "function_definition");
    const Variables variables(tree_, function < 0 ? call.node : function);
    LaunchOfFile launch;
    launch.line = syntax()[call.node].line;
    launch.cooperative = call.cooperative;
    Names passed;
    const std::vector<std::string_view>& given = call.given;
    for (std::size_t i = 0; i < std::min(given.size(), arguments_.size()); ++i)
      if (is_name(given[i])) passed.emplace(given[i], arguments_[i]);
    if (const int types = syntax().first_below(call.kernel, "template_argument_list"); types >= 0)
      for (const int one : syntax().parts(types)) {
        const std::size_t place = launch.template_arguments.size();
        launch.template_arguments.push_back(variables.resolved(tree_.text(one), {}));
        if (is_name(tree_.text(one)) && place < templates_.size())
          passed.emplace(tree_.text(one), templates_[place]);
      }
    const std::vector<int>& how = call.how;
    Names with_block = passed;
    if (how.size() > 1) {
      launch.block = variables.extents_of(how[1], passed);
      variables.add_names_of_block(how[1], with_block);
    }
    if (!how.empty()) launch.grid = variables.extents_of(how[0], with_block);
    if (how.size() > 2 && tree_.text(how[2]) != "0")
      launch.shared = variables.resolved(tree_.text(how[2]), with_block);
    for (std::size_t i = 0; i < std::min(given.size(), arguments_.size()); ++i) {
      const std::string first = first_of_loop(call.node, given[i]);
      if (!first.empty()) launch.counters.insert(arguments_[i]);
      launch.values.emplace(arguments_[i],
                            variables.resolved(first.empty() ? given[i] : std::string_view(first), {}));
      if (const std::string elements = allocated(variables.origin_of(variable_in(given[i])), passed);
          !elements.empty())
        launch.elements.emplace(arguments_[i], elements);
    }
    return launch;
  }

 private:
  const Syntax& syntax() const { return tree_.syntax(); }

  /// The first value of a variable that a loop around the node counts; empty where there is none.
  std::string first_of_loop(int node, std::string_view name) const {
    if (!is_name(name)) return {};
    for (int loop = syntax().above(node, "for_statement"); loop >= 0;
         loop = syntax().above(loop, "for_statement")) {
      const std::vector<int> parts = syntax().parts(loop);
      if (parts.size() < 2) continue;  // a loop without a start or a body
      for (int at = parts.front(); at < syntax()[parts.front()].end; ++at) {
        const bool declares = tree_.kind(at) == "init_declarator";
        if (!declares && tree_.kind(at) != "assignment_expression") continue;
        const std::vector<int> sides = syntax().parts(at);
        const int counter = sides.size() != 2 ? -1 : declares ? tree_.name_in(sides.front()) : sides.front();
        if (counter >= 0 && tree_.text(counter) == name) return std::string(tree_.text(sides.back()));
      }
    }
    return {};
  }

  /// The elements that a variable of this name is allocated with, in any function of the file.
  std::string allocated(const std::string& variable, const Names& passed) const {
    if (variable.empty()) return {};
    for (int node = 0; node < syntax().size(); ++node) {
      if (tree_.kind(node) != "call_expression") continue;
      const std::string_view callee = tree_.text(syntax().parts(node).front());
      if (!callee.starts_with("cudaMalloc") && !callee.starts_with("hipMalloc")) continue;
      const int list = syntax().child_of_kind(node, "argument_list");
      const std::vector<int> given = list < 0 ? std::vector<int>() : syntax().parts(list);
      if (given.size() < 2 || variable_in(tree_.text(given[0])) != variable) continue;
      const int function = syntax().above(node, "function_definition");
      return elements_in(
          Variables(tree_, function < 0 ? node : function).resolved(tree_.text(given[1]), passed));
    }
    return {};
  }

  const SourceTree& tree_;
  const std::vector<std::string>& arguments_;
  const std::vector<std::string>& templates_;
};

/// Returns a launch in a template, `k<SIZE><<<...>>>`, for each call of that template with numbers of its
/// own, `launch<64>(...)`; the launch itself where there is none.
std::vector<LaunchOfFile> with_arguments_of_calls(const SourceTree& tree, const LaunchOfFile& launch,
                                                  int node) {
  const Syntax& syntax = tree.syntax();
  const int definition = syntax.above(node, "function_definition");
  const int outside = definition < 0 ? -1 : syntax[definition].parent;
  const auto function = std::ranges::find(tree.functions(), definition, &FunctionOfFile::node);
  if (outside < 0 || tree.kind(outside) != "template_declaration" || function == tree.functions().end())
    return {launch};
  const int list = syntax.child_of_kind(outside, "template_parameter_list");
  std::vector<std::string> names;
  if (list >= 0)
    for (const int one : syntax.parts(list)) names.push_back(name_of_parameter(std::string(tree.text(one))));
  std::vector<LaunchOfFile> all;
  for (int call = 0; call < syntax.size(); ++call) {
    if (tree.kind(call) != "call_expression") continue;
    const int callee = syntax.parts(call).front();
    const int types = syntax.first_below(callee, "template_argument_list");
    if (types < 0 || kernel_named_by(tree.text(callee)) != function->name) continue;
    const std::vector<int> given = syntax.parts(types);
    LaunchOfFile one = launch;
    for (std::string& argument : one.template_arguments)
      if (const auto place = std::ranges::find(names, argument) - names.begin();
          static_cast<std::size_t>(place) < std::min(names.size(), given.size()))
        argument = tree.text(given[static_cast<std::size_t>(place)]);
    all.push_back(std::move(one));
  }
  return all.empty() ? std::vector{launch} : all;
}

}  // namespace

std::vector<LaunchOfFile> launches_of(const SourceTree& tree, std::string_view kernel,
                                      const std::vector<std::string>& arguments,
                                      const std::vector<std::string>& templates) {
  constexpr std::size_t most = 32;
  std::vector<LaunchOfFile> launches;
  const Syntax& syntax = tree.syntax();
  for (int node = 0; node < syntax.size() && launches.size() < most; ++node) {
    const std::optional<LaunchCall> call = launch_call(tree, node);
    if (!call || kernel_named_by(tree.text(call->kernel)) != kernel) continue;
    const LaunchOfFile launch = LaunchReader(tree, arguments, templates).read(*call);
    for (LaunchOfFile& one : with_arguments_of_calls(tree, launch, node)) launches.push_back(std::move(one));
  }
  return launches;
}

}  // namespace tune::described
