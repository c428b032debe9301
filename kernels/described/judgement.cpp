// SPDX-License-Identifier: Apache-2.0
// How results of a description are compared and judged beyond the bounds of its outputs.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <span>

#include "kernels/described/braces.hpp"
#include "kernels/described/contents.hpp"
#include "kernels/described/problem.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/program.hpp"
#include "tuner/base/scratch_folder.hpp"
#include "tuner/tensor/reference_numbers.hpp"

namespace tune::described {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Marks elements that do not count in `absolute`.
void leave_out(const ElementComparison& comparison, const ExpressionScope& scope,
               std::span<double> absolute) {
  constexpr std::size_t at_once = 1 << 16;
  const auto place = [&](const std::optional<Expression>& given, std::size_t otherwise) {
    if (!given) return otherwise;
    const std::int64_t number = given->integer(scope);
    if (number < 0) given->fail(format("{} is not the number of an element", number));
    return std::min(static_cast<std::size_t>(number), absolute.size());
  };
  const std::size_t from = place(comparison.from, 0), to = place(comparison.to, absolute.size());
  std::fill_n(absolute.begin(), from, infinite);
  if (to < absolute.size()) std::ranges::fill(absolute.subspan(to), infinite);
  if (!comparison.where) return;
  for (std::size_t begin = from; begin < to; begin += at_once) {
    const std::size_t end = std::min(begin + at_once, to);
    const FormulaValue::List counts = comparison.where->elements(scope, begin, end);
    for (std::size_t i = begin; i < end; ++i)
      if (!counts[i - begin].to_bool()) absolute[i] = infinite;
  }
}

void check_limits(const HostTensor& limits, const Argument& argument) {
  for (const double limit : limits.as<double>())
    if (!(limit >= 0))
      argument.place.fail(format("the tolerance of an element of '{}' is {}", argument.name, limit));
}

/// The files of one call of the program.
class JudgedFiles {
 public:
  explicit JudgedFiles(const JudgedResults& results) : results_(results) {}

  /// Writes the array of this name, once, and returns the path of its file; empty for another name.
  std::string path_of(const std::string& name) {
    const JudgedName wanted(name);
    if (wanted.which == JudgedName::Which::reference) {
      const auto right = results_.reference.find(wanted.array);
      if (right == results_.reference.end()) return {};
      return write(name, from_reference(right->second, results_.outputs.at(wanted.array).type()));
    }
    if (wanted.which == JudgedName::Which::before) return write(name, results_.inputs.at(wanted.array));
    for (const TensorSet* const known : {&results_.outputs, &results_.inputs})
      if (const auto found = known->find(name); found != known->end()) return write(name, found->second);
    return {};
  }

 private:
  std::string write(const std::string& name, const HostTensor& tensor) {
    const std::filesystem::path path = folder_.path() / (name + ".bin");
    const std::span<const std::byte> bytes = tensor.bytes();
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) throw Error(format("cannot write {}: check the free disk space", path.string()));
    return path.string();
  }

  const JudgedResults& results_;
  ScratchFolder folder_{"tune-verify-"};
};

/// Runs the program of a description: it answers by its exit status.
Result<void> ask_program(const JudgeDescription& judge, const std::map<std::string, std::string>& words,
                         const JudgedResults& results) {
  JudgedFiles files(results);
  std::vector<std::string> command;
  for (const std::string& word : judge.command)
    command.push_back(with_values(word, [&](const std::string& name) {
      const std::string path = files.path_of(name);
      if (!path.empty()) return path;
      const auto value = words.find(name);
      if (value != words.end()) return value->second;
      judge.place.fail(
          format("'{{{}}}' has no value here: the parameter does not exist in this configuration", name));
    }));
  if (command.front().find('/') != std::string::npos)
    command.front() = std::filesystem::absolute(judge.folder / command.front()).lexically_normal().string();
  if (find_program(command.front()).empty())
    judge.place.fail(format("cannot start '{}': check that it exists and is executable", command.front()));
  const ProgramResult ended = run_program(command, {.folder = judge.folder, .seconds = judge.seconds});
  std::string says = one_line(ended.output);
  says.erase(says.find_last_not_of(' ') + 1);
  const auto wrong = [&](const std::string& what) {
    return fail(Phase::verify, "wrong result",
                format("{}, which judges '{}', {}", judge.name(), joined(judge.outputs, {}, "', '"), what));
  };
  if (ended.took_too_long)
    return wrong(format("has not ended after {} s ('seconds' of 'verify' gives it more)", judge.seconds));
  if (ended.status == 0) return {};
  if (ended.status == 126 || ended.status == 127)
    judge.place.fail(format("cannot run {}: {}", judge.name(), says.empty() ? "status 127" : says));
  if (!says.empty()) return wrong("says: " + says);
  return wrong(ended.signal != 0 ? format("was ended by signal {}", ended.signal)
                                 : format("ends with status {}", ended.status));
}

/// Reads what the checking kernels counted.
Result<void> read_verdict(const JudgeDescription& judge, const JudgedResults& results) {
  const auto verdict = results.outputs.find(verdict_name)->second.as<std::uint64_t>();
  if (verdict[0] == 0) return {};
  return fail(Phase::verify, "wrong result",
              format("{}, which judges '{}', counts {} wrong elements; one is element {}", judge.name(),
                     joined(judge.outputs, {}, "', '"), verdict[0], verdict[1]));
}

}  // namespace

LimitSet DescribedProblem::limits(const Instance& instance) const {
  LimitSet all;
  ExpressionScope scope(description_.parameters, instance);
  scope.take_parameters_from_settings();
  for (const Argument& argument : description_.arguments) {
    const ElementComparison& comparison = argument.comparison;
    if (!comparison.any() || !is_compared(argument) || description_.judge.judges(argument.name)) continue;
    const Extents extents = extents_of(argument, instance);
    const auto tensor_of = [&](const std::optional<Contents>& contents) {
      HostTensor made = contents ? make_tensor(*contents, argument, {ElementType::f64}, extents, 0, scope,
                                               is_check_size(instance))
                                 : HostTensor(ElementType::f64, extents);
      check_limits(made, argument);
      return made;
    };
    ElementLimits limits;
    limits.absolute = tensor_of(comparison.absolute);
    if (comparison.each) limits.each = tensor_of(comparison.each);
    leave_out(comparison, scope, limits.absolute.as<double>());
    if (limits.counted(element_count(extents)) == 0)
      argument.place.fail(format("no element of '{}' is compared at {}: look at its 'compare'", argument.name,
                                 instance.key()));
    all.emplace(argument.name, std::move(limits));
  }
  return all;
}

SharedJudgement DescribedProblem::judgement_of(const Instance& instance,
                                               const Configuration& configuration) const {
  const JudgeDescription& judge = description_.judge;
  if (judge.outputs.empty()) return nullptr;
  Judgement made{judge.outputs, judge.outputs, {}};
  if (!judge.launches.empty()) {
    made.looked_at = {std::string(verdict_name)};
    made.judge = [&judge](const JudgedResults& results) { return read_verdict(judge, results); };
  } else if (judge.function) {
    made.judge = [&judge, instance, configuration](const JudgedResults& results) {
      return judge.place.guarded([&] { return judge.function(instance, configuration, results); });
    };
  } else {
    made.judge = [&judge, words = ExpressionScope(description_.parameters, instance, configuration).words()](
                     const JudgedResults& results) { return ask_program(judge, words, results); };
  }
  return std::make_shared<const Judgement>(std::move(made));
}

}  // namespace tune::described
