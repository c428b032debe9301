// SPDX-License-Identifier: Apache-2.0
// The parts of our own format that say how results are compared: `tolerance`, `compare`, `reference`,
// `verify`.
#include <algorithm>

#include "kernels/described/braces.hpp"
#include "kernels/described/readers/definition.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {
namespace {

double bound(const JsonField& field) {
  const double number = field.number();
  if (!(number >= 0)) field.fail("a tolerance cannot be negative");
  return number;
}

/// Reads a limit of each element: a formula of its number `i`, or contents such as those of a file.
Contents read_limits(const JsonField& field) {
  if (!field.is_text()) return read_contents(field);
  Contents contents;
  contents.kind = Contents::Kind::formula;
  contents.formula = field.expression();
  return contents;
}

/// Notes what the program needs. Fails for a name that stands for nothing.
void take_name(const KernelDescription& definition, const JsonField& place, const std::string& name,
               JudgeDescription& judge) {
  const JudgedName wanted(name);
  const Argument* const argument = definition.argument(wanted.array);
  const bool is_output = argument != nullptr && argument->is_written();
  const bool is_whole = name == wanted.array;
  if (is_output && wanted.which != JudgedName::Which::before &&
      std::ranges::count(judge.outputs, wanted.array) == 0)
    judge.outputs.push_back(wanted.array);
  if (is_output && wanted.which == JudgedName::Which::reference) {
    if (definition.reference.is_none)
      place.fail(format("'{{{}}}' needs right results, and 'reference' is 'none'", name));
    if (std::ranges::count(judge.references, wanted.array) == 0) judge.references.push_back(wanted.array);
    return;
  }
  const bool is_filled = argument != nullptr && argument->is_filled();
  const bool is_number = std::ranges::count(definition.extents, name, &ExtentInfo::name) > 0 ||
                         std::ranges::count(definition.settings, name, &SettingInfo::name) > 0 ||
                         std::ranges::count(definition.parameters, name, &search::Parameter::name) > 0;
  if (wanted.which == JudgedName::Which::before ? !is_filled
                                                : !is_whole || !(is_output || is_filled || is_number))
    place.fail(
        format("'{{{}}}': expected an array (OUT, OUT.reference, OUT.before), a size, a setting or a "
               "parameter",
               name));
}

}  // namespace

void read_tolerance(const JsonField& field, Argument& argument) {
  field.allow({"absolute", "relative", "each", "sum"});
  Bounds bounds;
  if (const auto relative = field.find("relative")) bounds.relative = bound(*relative);
  if (const auto sum = field.find("sum")) bounds.sum = bound(*sum);
  const auto read = [](const std::optional<JsonField>& given, double& number,
                       std::optional<Contents>& elements) {
    if (given && given->is_number())
      number = bound(*given);
    else if (given)
      elements = read_limits(*given);
  };
  read(field.find("absolute"), bounds.absolute, argument.comparison.absolute);
  read(field.find("each"), bounds.each, argument.comparison.each);
  argument.bounds = bounds;
}

void read_compared(const JsonField& field, Argument& argument) {
  field.allow({"first", "from", "to", "where"});
  ElementComparison& comparison = argument.comparison;
  const auto first = field.find("first"), from = field.find("from"), to = field.find("to"),
             where = field.find("where");
  if (first && (from || to)) first->fail("expected 'first', or 'from' and 'to'; found both");
  if (!first && !from && !to && !where) field.fail("expected 'first', 'from', 'to' or 'where'");
  if (first) comparison.to = first->expression();
  if (from) comparison.from = from->expression();
  if (to) comparison.to = to->expression();
  if (where) comparison.where = where->expression();
}

/// Adds the arrays that only kernels that judge know: `verdict`, and `OUT.reference`.
void add_judge_array(const JsonField& name, KernelDescription& definition) {
  const JudgedName wanted(name.text());
  const Argument* const known = definition.argument(wanted.array);
  Argument array{name.text(), name.place()};
  array.is_for_judge = true;
  if (name.text() == verdict_name) {
    array.type_name = "uint64";
    array.type = TypeName{ElementType::u64};
    array.extents = {{2.0, name.place()}};
    array.access = BufferAccess::scratch;
  } else {
    array.type_name = known->type_name;
    array.type = known->type;
    array.extents = known->extents;
    array.reference_of = wanted.array;
  }
  definition.arguments.push_back(std::move(array));
}

void read_judging_kernel(const JsonField& verify, KernelDescription& definition) {
  verify.allow({"kernel", "launches"});
  JudgeDescription& judge = definition.judge;
  if (definition.argument(verdict_name) != nullptr)
    verify.fail("the array 'verdict' is that of the checking kernel: expected another name for the argument");
  if (const auto kernel = verify.find("kernel"))
    for (const JsonField& file : kernel->one_or_more())
      definition.kernel.others.push_back(judge.folder / file.text());
  bool has_verdict = false;
  for (const JsonField& launch : verify.at("launches").one_or_more())
    for (const JsonField& name : launch.at("arguments").elements()) {
      has_verdict = has_verdict || name.text() == verdict_name;
      if (definition.argument(name.text()) == nullptr) {
        if (name.text() != verdict_name) {
          if (JudgedName(name.text()).which != JudgedName::Which::reference)
            name.fail(format("there is no argument '{}'", name.text()));
          take_name(definition, name, name.text(), judge);
        }
        add_judge_array(name, definition);
      } else if (definition.argument(name.text())->is_written()) {
        take_name(definition, name, name.text(), judge);
      }
    }
  if (!has_verdict || judge.outputs.empty())
    verify.at("launches").fail("expected an output and 'verdict' among the arguments");
  judge.launches = read_launches(verify.at("launches"), definition);
}

void read_check_sizes(const JsonField& root, KernelDescription& definition) {
  const auto check = root.find("check");
  if (!check) return;
  for (const JsonField& field : check->elements()) {
    std::vector<std::pair<std::string, std::int64_t>> size;
    for (const auto& [name, value] : field.members())
      if (std::ranges::find(definition.extents, name, &ExtentInfo::name) == definition.extents.end())
        value.fail(format("there is no size '{}'", name));
    for (const ExtentInfo& extent : definition.extents) {
      const auto value = field.find(extent.name);
      size.emplace_back(extent.name, value ? value->integer() : extent.default_value);
    }
    if (std::ranges::any_of(size, [](const auto& one) { return one.second < 1; }))
      field.fail("expected positive sizes");
    definition.check_sizes.push_back(std::move(size));
  }
}

void read_reference(const JsonField& root, KernelDescription& definition,
                    const std::filesystem::path& folder) {
  if (const auto tolerance = root.find("tolerance")) {
    tolerance->allow({"absolute", "relative"});
    const auto bound = [](const JsonField& field) {
      const double number = field.number();
      if (!(number >= 0)) field.fail("a tolerance cannot be negative");
      return number;
    };
    if (const auto absolute = tolerance->find("absolute")) definition.absolute_tolerance = bound(*absolute);
    if (const auto relative = tolerance->find("relative")) definition.relative_tolerance = bound(*relative);
  }
  const auto reference = root.find("reference");
  if (!reference) return;
  if (reference->is_text()) {
    if (reference->text() != "none") reference->fail("expected an object, or 'none' to compare nothing");
    definition.reference.is_none = true;
    definition.notes.push_back("results are not compared: a wrong kernel can win");
    return;
  }
  reference->allow({"configuration", "kernel", "launches", "same"});
  if (const auto same = reference->find("same"))
    for (const JsonField& name : same->one_or_more()) {
      if (std::ranges::count(definition.parameters, name.text(), &search::Parameter::name) == 0)
        name.fail(format("there is no parameter '{}'", name.text()));
      definition.reference.same.push_back(name.text());
    }
  if (const auto configuration = reference->find("configuration"))
    for (const auto& [name, value] : configuration->members())
      definition.reference.configuration.set(name, value.value().scalar());
  const auto kernel = reference->find("kernel"), launches = reference->find("launches");
  if (kernel || launches) {
    // Without a file of its own, the reference is another kernel of the definition's.
    definition.reference.kernel = kernel ? read_kernel(*kernel, folder) : definition.kernel;
    definition.reference.launches = read_launches(reference->at("launches"), definition);
  }
  if (reference->members().empty())
    reference->fail("expected 'launches', 'configuration' or 'same'; without a reference leave it out");
}

void read_judge(const JsonField& root, KernelDescription& definition) {
  const auto verify = root.find("verify");
  if (!verify) return;
  JudgeDescription& judge = definition.judge;
  judge.place = verify->place();
  judge.folder = root.file().parent_path();
  if (judge.folder.empty()) judge.folder = ".";
  if (verify->find("launches")) return read_judging_kernel(*verify, definition);
  verify->allow({"command", "seconds"});
  if (const auto seconds = verify->find("seconds")) {
    judge.seconds = seconds->number();
    if (!(judge.seconds > 0) || judge.seconds > 86400) seconds->fail("expected seconds, at most 86,400");
  }
  const JsonField command = verify->at("command");
  for (const JsonField& word : command.one_or_more()) {
    judge.command.push_back(word.text());
    for_each_brace(word.text(), [&](std::size_t, std::size_t, const std::string& name) {
      take_name(definition, word, name, judge);
    });
  }
  if (judge.command.empty() || judge.command.front().empty()) command.fail("expected a program");
  if (judge.outputs.empty())
    command.fail("the program gets no output: name one in braces, as in [\"./check\", \"{out}\"]");
}

}  // namespace tune::described
