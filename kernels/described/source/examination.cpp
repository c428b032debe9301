// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source/examination.hpp"

#include <algorithm>
#include <regex>
#include <string_view>

#include "kernels/described/description.hpp"
#include "kernels/described/source/names.hpp"
#include "kernels/described/source/source_tree.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

/// A name of a compiler or of the CUDA toolkit in a condition, no parameter.
bool is_of_toolchain(std::string_view name) {
  return name.starts_with("_") || name.starts_with("CUDA_") || name.starts_with("CUDART_") ||
         name == "NDEBUG" || name.find("VERSION") != std::string_view::npos;
}

/// `{% for x in y %}`: what makes kernels is none itself.
void refuse_templates(const std::string& file_name, std::string_view text) {
  constexpr std::string_view begin = "{%";
  for (std::size_t at = text.find(begin); at != std::string_view::npos; at = text.find(begin, at + 1)) {
    std::string_view rest = text.substr(at + begin.size());
    if (rest.starts_with('-')) rest.remove_prefix(1);
    const std::string_view word = leading_word(trimmed(rest.substr(0, rest.find('\n'))));
    if (word != "for" && word != "if" && word != "set" && word != "macro" && word != "block") continue;
    throw UsageError(format(
        "{}:{}: this is a template of jinja, which makes a kernel for each configuration: render it once "
        "(jinja2.Template(text).render(...)), and take the file that comes out",
        file_name, 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')));
  }
}

/// Returns how often a text declares a number of that name.
std::size_t declarations_of_number(const std::string& plain, const std::string& name) {
  std::size_t count = 0;
  for (std::size_t at = plain.find(name); at != std::string::npos; at = plain.find(name, at + name.size())) {
    std::string_view before = trimmed(std::string_view(plain).substr(0, at));
    const std::size_t word =
        before.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    before.remove_prefix(word == std::string_view::npos ? 0 : word + 1);
    count += before == "int" || before == "unsigned" || before == "auto" || before == "long" ||
                     before == "short" || before.ends_with("_t")
                 ? 1
                 : 0;
  }
  return count;
}

/// Writes `#define N 4096` in the place of a line `constexpr int N = 4096;` outside of all brackets, where
/// nothing else has that name: `redefine` changes both.
std::string with_constants_as_macros(const std::string& text) {
  static const std::regex constant(
      R"(^\s*(?:static\s+|inline\s+)*(?:constexpr|const)\s+(?:static\s+)?(?:unsigned\s+|long\s+|std::)*)"
      R"((?:int|unsigned|long|short|size_t|u?int\d+_t)\s+(\w+)\s*(?:=\s*([^;{},]+)|\{([^{},;]+)\})\s*;\s*$)");
  constexpr std::size_t longest = 200;  // of a line: regular expressions read it
  const std::string plain = without_comments(text);
  std::string result;
  int depth = 0;
  std::string_view rest = text, rest_of_plain = plain;
  while (!rest_of_plain.empty()) {
    const std::string line(next_line(rest_of_plain));
    const std::string_view original = next_line(rest);
    std::smatch match;
    const bool is_constant = depth == 0 && line.size() <= longest &&
                             line.find("const") != std::string::npos &&
                             std::regex_match(line, match, constant);
    if (is_constant && declarations_of_number(plain, match[1]) == 1) {
      const std::string value = match[2].str() + match[3].str();
      const bool is_word = value.find_first_of("+-*/%<>&|^? ") == std::string::npos;
      result += format("#define {} ", match[1].str());
      result += is_word ? value : format("({})", value);
    } else {
      result += original;
    }
    result += '\n';
    if (!directive_of(line))
      depth += static_cast<int>(std::ranges::count(line, '{') - std::ranges::count(line, '}'));
  }
  return result;
}

KernelText with_constants_as_macros(KernelText text) {
  text.source.text = with_constants_as_macros(text.source.text);
  for (SourceFile& header : text.headers) header.text = with_constants_as_macros(header.text);
  return text;
}

}  // namespace

std::optional<std::int64_t> number_in(const std::string& text) {
  bool is_number = true;
  const auto value = value_of_condition(text, {}, [&](std::string_view) { is_number = false; });
  return is_number ? value : std::nullopt;
}

Examination::Examination(const std::string& file_name, const KernelText& text, const std::string& entry,
                         const UndefinedNames& undefined)
    : file_name_(file_name),
      text_(with_constants_as_macros(text)),
      entry_(entry),
      undefined_(undefined),
      places_(kernels_in(text)),
      comparisons_(comparisons_in(text_)) {
  refuse_templates(file_name, text.source.text);
  for (const GuardedMacro& macro : guarded_macros(text_))
    if (const auto value = number_in(macro.value)) {
      guarded_.push_back({macro.name, Tunable::Source::guarded, value});
      values_[macro.name] = macro.value;
    }
  declared_ = declared_in(every_branch(text_));
  constexpr int max_rounds = 8;
  for (int round = 0; round < max_rounds; ++round) {
    examine();
    if (!add_unknown()) break;
  }
  if (add_missing_types()) examine();
  leave_out_useless();
  ask_for_others();
}

bool Examination::add_missing_types() {
  std::set<std::string, std::less<>> names;
  for (const ParameterOfKernel& one : facts_->parameters)
    if (is_name(one.type) && !type_named(one.type) && !declared_.contains(one.type) &&
        !facts_->structs.contains(one.type))
      names.insert(one.type);
  if (names.empty() || !undefined_) return false;
  // The compiler takes the file with them alone: it hides a type among other errors.
  MacroValues with = values_;
  for (const std::string& name : names) with[name] = "float";
  const auto without = undefined_(values_);
  const bool is_missing = !without || std::ranges::any_of(*without, [&](const std::string& name) {
    return names.contains(name);
  });
  if (!is_missing || !undefined_(with)) return false;
  missing_types_.assign(names.begin(), names.end());
  values_ = with;
  return !missing_types_.empty();
}

std::vector<std::pair<std::string, std::string>> Examination::elsewhere() const {
  std::vector<std::string> names = facts_->unknown_elsewhere;
  for (const Tunable& one : unknown_)
    if (useless_.contains(one.name) && (undefined_elsewhere_ || is_in_default(one.name)))
      names.push_back(one.name);
  std::erase_if(names, [&](const std::string& name) {
    return declared_.contains(name) || dropped_.contains(name) ||
           (values_.contains(name) && !useless_.contains(name)) ||
           (undefined_elsewhere_ &&
            std::ranges::find(*undefined_elsewhere_, name) == undefined_elsewhere_->end());
  });
  names.insert(names.begin(), needed_.begin(), needed_.end());
  std::vector<std::pair<std::string, std::string>> defines;
  for (const std::string& name : names)
    if (std::ranges::find(defines, name, &std::pair<std::string, std::string>::first) == defines.end())
      defines.emplace_back(name, values_.contains(name)                  ? values_.at(name)
                                 : facts_->shared_extents.contains(name) ? "16"
                                                                         : "1");
  return defines;
}

std::vector<Tunable> Examination::tunables() const {
  std::vector<Tunable> all;
  for (const auto* some : {&guarded_, &unknown_})
    for (const Tunable& one : *some)
      if (!useless_.contains(one.name)) all.push_back(one);
  for (const auto& [name, body] : branches_.macros)
    if (!values_.contains(name) && facts_->words.contains(name) && names_a_parameter(name))
      if (const auto value = number_in(body)) all.push_back({name, Tunable::Source::fixed, value});
  for (std::size_t i = 0; i < facts_->templates.size(); ++i) {
    const TemplateParameter& one = facts_->templates[i];
    if (one.kind == "typename") continue;
    Tunable tunable{one.name, Tunable::Source::template_argument, std::nullopt, one.kind == "bool"};
    for (const LaunchOfFile& launch : facts_->launches) {
      if (i >= launch.template_arguments.size()) continue;
      const std::string& argument = launch.template_arguments[i];
      const auto value = argument == "true"    ? 1
                         : argument == "false" ? 0
                                               : number_in(expanded(argument, branches_.macros));
      if (!value) continue;
      if (!tunable.given) tunable.given = value;
      tunable.launched.insert(*value);
    }
    all.push_back(std::move(tunable));
  }
  return all;
}

void Examination::examine() {
  branches_ = follow_conditions(text_, values_);
  for (const auto& [name, body] : branches_.macros)  // `#define USE_CACHE read_only`
    if (const auto found = comparisons_.find(name);
        found != comparisons_.end() && leading_word(body) == body && !body.empty())
      comparisons_[body] = found->second;
  facts_ = read_kernel_source(branches_, file_name_, entry_, places_);
  asked_ = branches_.asked;
  const std::set<std::string, std::less<>> arrays = facts_->arrays_read();
  std::vector<std::string> default_types;
  for (const ParameterOfKernel& one : facts_->parameters) default_types.push_back(one.type);
  const Guesses now = guesses();
  for (const Tunable& one : now.tunables()) {
    if (!comparisons_.contains(one.name)) continue;  // no branch depends on it
    for (const std::int64_t value : now.values_of(one).values) {
      const std::string word = std::to_string(value);
      if (values_.contains(one.name) && values_.at(one.name) == word) continue;
      if (branches_.text.size() + 1'000 > bytes_left_) return;
      bytes_left_ -= branches_.text.size() + 1'000;
      MacroValues other = values_;
      other[one.name] = word;
      const Branches branches = follow_conditions(text_, other);
      for (const std::string& name : branches.asked)
        if (std::ranges::find(asked_, name) == asked_.end()) asked_.push_back(name);
      for (const std::string& name : branches.unrolls)
        if (std::ranges::find(branches_.unrolls, name) == branches_.unrolls.end())
          branches_.unrolls.push_back(name);
      try {
        const KernelFacts others =
            read_kernel_source(branches, file_name_, entry_.empty() ? facts_->name : entry_, places_);
        if (others.arrays_read() != arrays) deciding_.insert(one.name);
        for (std::size_t i = 0; i < std::min(others.parameters.size(), default_types.size()); ++i)
          if (others.parameters[i].type != default_types[i]) facts_->retyping.insert(one.name);
        add_facts(others, *facts_);
      } catch (const UsageError&) {
        continue;  // the kernel does not exist for this value
      }
    }
  }
}

void Examination::leave_out_useless() {
  const std::vector<ConditionalLines> conditions = conditional_lines(text_);
  std::set<std::string, std::less<>> used = facts_->words;
  used.insert(branches_.unrolls.begin(), branches_.unrolls.end());
  const auto matters = [&](const ConditionalLines& lines) {
    const auto is_used = [&](const std::string& name) { return used.contains(name); };
    return std::ranges::any_of(lines.defined, is_used) ||
           std::ranges::any_of(lines.words,
                               [&](const std::string& word) { return facts_->own_names.contains(word); }) ||
           (lines.last > 0 && std::ranges::any_of(facts_->lines, [&](const auto& range) {
              return lines.first <= range.second && range.first <= lines.last;
            }));
  };
  std::vector<bool> seen(conditions.size());
  for (bool again = true; again;) {  // a macro that is used by a condition alone
    again = false;
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      if (seen[i] || !matters(conditions[i])) continue;
      seen[i] = again = true;
      for (const std::string& name : conditions[i].names) {
        used.insert(name);
        const std::string all = expanded(name, branches_.macros, values_);
        for (std::string_view rest = all; !rest.empty();) {
          const std::string_view word = leading_word(rest);
          used.emplace(word);
          rest.remove_prefix(std::max<std::size_t>(1, word.size()));
        }
      }
    }
  }
  for (const auto* some : {&guarded_, &unknown_})
    for (const Tunable& one : *some)
      if (!used.contains(one.name)) useless_.insert(one.name);
}

void Examination::ask_for_others() {
  if (!undefined_ || (facts_->unknown_elsewhere.empty() && useless_.empty())) return;
  MacroValues defined = values_;
  for (const std::string& name : useless_) defined.erase(name);
  undefined_elsewhere_ = undefined_(defined);
  if (!undefined_elsewhere_) return;
  const std::set<std::string, std::less<>> missing(undefined_elsewhere_->begin(),
                                                   undefined_elsewhere_->end());
  const auto is_missing = [&](const std::string& name) { return missing.contains(name); };
  for (const ConditionalLines& lines : conditional_lines(text_)) {
    if (std::ranges::none_of(lines.defined, is_missing) && std::ranges::none_of(lines.words, is_missing))
      continue;
    for (const std::string& name : lines.names)
      if (useless_.contains(name) && values_.contains(name) &&
          std::ranges::find(needed_, name) == needed_.end()) {
        needed_.push_back(name);
        defined[name] = values_.at(name);
      }
  }
  if (!needed_.empty()) undefined_elsewhere_ = undefined_(defined);
}

bool Examination::add_unknown() {
  std::vector<std::string> found;
  const auto is_new = [&](const std::string& name) {
    return !values_.contains(name) && !dropped_.contains(name) &&
           std::ranges::find(found, name) == found.end();
  };
  for (const std::string& name : asked_)
    if (is_new(name) && !is_of_toolchain(name)) found.push_back(name);
  std::vector<std::string> undeclared;
  for (const std::string& name : facts_->unknown_names)
    if (is_new(name) && !declared_.contains(name)) undeclared.push_back(name);
  const auto confirmed = undeclared.empty() || !undefined_ ? std::nullopt : undefined_(values_);
  for (const std::string& name : undeclared) {
    if (!confirmed || std::ranges::find(*confirmed, name) != confirmed->end() || !is_in_default(name))
      found.push_back(name);
    else
      dropped_.insert(name);
  }
  for (const std::string& name : found) {
    unknown_.push_back({name, Tunable::Source::unknown, std::nullopt});
    values_[name] = "1";
  }
  if (found.empty()) return false;
  const Guesses now = guesses();
  for (const std::string& name : found) {
    const auto tunable = std::ranges::find(now.tunables(), name, &Tunable::name);
    const auto size = std::ranges::find(now.sizes(), name, &GuessedSize::name);
    if (tunable != now.tunables().end())
      values_[name] = std::to_string(now.values_of(*tunable).default_value);
    if (size != now.sizes().end()) values_[name] = std::to_string(size->value);
  }
  return true;
}

bool Examination::is_in_default(const std::string& name) const {
  const std::string& text = branches_.text;
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
    if ((at == 0 || !is_word(text[at - 1])) &&
        (at + name.size() == text.size() || !is_word(text[at + name.size()])))
      return true;
  return false;
}

}  // namespace tune::described
