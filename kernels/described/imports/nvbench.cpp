// SPDX-License-Identifier: Apache-2.0
// A benchmark of nvbench whose file has the kernel: its axes become parameters and sizes.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "kernels/described/description.hpp"
#include "kernels/described/imports/import.hpp"
#include "kernels/described/source/c_expression.hpp"
#include "kernels/described/source/first_definition.hpp"
#include "search/expressions/nearest.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

struct BenchmarkAxis {
  std::string name;                      ///< as a parameter has it
  std::vector<std::string> values = {};  ///< as JSON
  bool is_type = false, is_text = false, is_whole = false;
};

struct Benchmark {
  std::string function;
  std::vector<BenchmarkAxis> axes = {};
  std::string kernel = {};  ///< that it launches; empty: none is seen
  int first = 0, last = 0;  ///< the lines of its function
};

constexpr std::size_t most_values = 1000;

/// The place of the bracket of any kind that closes the one at `open`; the text's length where there is none.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '{') ++depth;
    if ((text[at] == ')' || text[at] == '}') && --depth == 0) return at;
  }
  return text.size();
}

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/// The parts between commas outside of brackets.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> all;
  int depth = 0;
  std::string part;
  bool in_text = false;
  for (const char c : text) {
    if (c == '"') in_text = !in_text;
    if (!in_text && (c == '(' || c == '{' || c == '[' || c == '<')) ++depth;
    if (!in_text && (c == ')' || c == '}' || c == ']' || c == '>')) --depth;
    if (c == ',' && depth == 0 && !in_text) {
      all.emplace_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trimmed(part).empty()) all.emplace_back(trimmed(part));
  return all;
}

std::string identifier(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (is_word(c) && !(name.empty() && is_digit))
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (name.ends_with('_')) name.pop_back();
  return name.empty() ? "axis" : name;
}

std::string unquoted(std::string_view text) {
  text = trimmed(text);
  return std::string(text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text);
}

/// Numbers of `{1, 2}` or `nvbench::range(first, last, step)`.
std::vector<std::string> numbers_in(std::string_view text, bool is_power) {
  std::vector<std::string> all;
  const auto add = [&](std::int64_t value) {
    constexpr std::int64_t most_bits = 62;
    if (is_power && (value < 0 || value > most_bits)) return;
    if (all.size() < most_values) all.push_back(std::to_string(is_power ? std::int64_t{1} << value : value));
  };
  const std::size_t open = text.find_first_of("{(");
  if (open == std::string_view::npos) return all;
  const std::size_t close = closing(text, open);
  const std::vector<std::string> parts = parts_of(text.substr(open + 1, close - open - 1));
  if (text[open] == '(') {
    std::vector<std::int64_t> ends;
    for (const std::string& part : parts)
      if (const auto value = value_of(part, {})) ends.push_back(*value);
    if (text.find("range") == std::string_view::npos || ends.size() != parts.size() || ends.size() < 2)
      return all;
    const std::int64_t step = ends.size() > 2 ? ends[2] : 1;
    for (std::int64_t value = ends[0]; step > 0 && value <= ends[1] && all.size() < most_values;
         value += step) {
      add(value);
      if (ends[1] - value < step) break;
    }
    return all;
  }
  for (const std::string& part : parts) {
    if (const auto value = value_of(part, {}))
      add(*value);
    else if (nlohmann::json::parse(part, nullptr, false).is_number())
      all.push_back(part);
  }
  return all;
}

/// The arguments of `NAME(...)` that begins at `at`, which then is behind them.
std::optional<std::string> call_at(const std::string& text, std::string_view name, std::size_t& at) {
  if (text.compare(at, name.size(), name) != 0) return std::nullopt;
  std::size_t open = at + name.size();
  while (open < text.size() && is_space(text[open])) ++open;
  if (open >= text.size() || text[open] != '(') return std::nullopt;
  const std::size_t close = closing(text, open);
  if (close >= text.size()) return std::nullopt;
  at = close + 1;
  return text.substr(open + 1, close - open - 1);
}

/// The types, or values, of `using NAME = nvbench::type_list<...>`.
BenchmarkAxis type_axis(const std::string& text, const std::string& name) {
  BenchmarkAxis axis{identifier(name), {}, true, false};
  const std::size_t at = text.find("using " + name);
  std::string_view list =
      at == std::string::npos ? std::string_view(name) : std::string_view(text).substr(at);
  list = list.substr(0, list.find(';'));
  const std::size_t open = list.find('<'), close = list.rfind('>');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return axis;
  axis.is_type = list.find("enum_type_list") == std::string_view::npos;
  for (std::string part : parts_of(list.substr(open + 1, close - open - 1))) {
    if (part.starts_with("nvbench::")) {
      part.erase(0, 9);
      if (part == "float32_t") part = "float";
      if (part == "float64_t") part = "double";
    }
    if (axis.is_type ? type_named(part).has_value() : value_of(part, {}).has_value())
      axis.values.push_back(axis.is_type ? as_json(part) : std::to_string(*value_of(part, {})));
  }
  return axis;
}

std::vector<Benchmark> benchmarks_of(const std::string& text) {
  std::vector<Benchmark> all;
  for (std::size_t at = text.find("NVBENCH_BENCH"); at != std::string::npos;
       at = text.find("NVBENCH_BENCH", at + 1)) {
    std::size_t next = at;
    auto given = call_at(text, "NVBENCH_BENCH", next);
    Benchmark made;
    if (!given) {
      given = call_at(text, "NVBENCH_BENCH_TYPES", next);
      if (!given) continue;
      if (const std::size_t lists_at = given->find("NVBENCH_TYPE_AXES"); lists_at != std::string::npos) {
        std::size_t behind = lists_at;
        if (const auto lists = call_at(*given, "NVBENCH_TYPE_AXES", behind))
          for (const std::string& list : parts_of(*lists)) made.axes.push_back(type_axis(text, list));
      }
    }
    made.function = std::string(trimmed(std::string_view(*given).substr(0, given->find(','))));
    while (true) {  // .add_int64_axis(...)
      while (next < text.size() && is_space(text[next])) ++next;
      if (next >= text.size() || text[next] != '.') break;
      ++next;
      const std::string method(leading_word(std::string_view(text).substr(next)));
      const auto arguments = method.empty() ? std::nullopt : call_at(text, method, next);
      if (!arguments) break;
      const std::vector<std::string> parts = parts_of(*arguments);
      if (method == "set_type_axes_names") {
        const std::size_t open = arguments->find('{');
        const std::vector<std::string> names =
            open == std::string::npos
                ? parts
                : parts_of(
                      std::string_view(*arguments).substr(open + 1, closing(*arguments, open) - open - 1));
        for (std::size_t i = 0; i < std::min(names.size(), made.axes.size()); ++i)
          made.axes[i].name = identifier(unquoted(names[i]));
      }
      if (!method.starts_with("add_") || !method.ends_with("_axis") || parts.size() < 2) continue;
      BenchmarkAxis axis{identifier(unquoted(parts[0])), {}, false, method == "add_string_axis"};
      if (axis.is_text) {
        const std::size_t open = parts[1].find('{');
        if (open != std::string::npos)
          for (const std::string& one :
               parts_of(std::string_view(parts[1]).substr(open + 1, closing(parts[1], open) - open - 1)))
            axis.values.push_back(as_json(unquoted(one)));
      } else {
        axis.values = numbers_in(parts[1], method.find("power_of_two") != std::string::npos);
        axis.is_whole = method.starts_with("add_int64");
      }
      made.axes.push_back(std::move(axis));
    }
    all.push_back(std::move(made));
  }
  return all;
}

/// `Elements` for `state.get_int64("Elements")`: a name that the launch has then.
std::string with_names_of_axes(std::string text) {
  for (const std::string_view getter : {"get_int64", "get_float64", "get_string"})
    for (std::size_t at = text.find(getter); at != std::string::npos; at = text.find(getter, at)) {
      std::size_t end = at, begin = at;
      const auto argument = call_at(text, getter, end);
      if (!argument || text.find('\n', at) < end) {
        at += getter.size();
        continue;
      }
      while (begin > 0 && (is_word(text[begin - 1]) || text[begin - 1] == '.')) --begin;
      const std::string name = identifier(unquoted(*argument));
      // `static_cast<int>(state.get_int64("N"))`
      const std::size_t cast = text.rfind("static_cast<", begin);
      if (cast != std::string::npos && begin > 1 && text[begin - 1] == '(' && text[begin - 2] == '>' &&
          end < text.size() && text[end] == ')' && text.find_first_of(";(", cast) == begin - 1) {
        begin = cast;
        ++end;
      }
      text.replace(begin, end - begin, name);
      at = begin + name.size();
    }
  return text;
}

class NvbenchDraft {
 public:
  NvbenchDraft(const ImportRequest& request, Benchmark benchmark, const Examination& examination, Draft draft)
      : request_(request),
        benchmark_(std::move(benchmark)),
        facts_(examination.facts()),
        guesses_(examination.guesses()),
        draft_(std::move(draft)),
        sizes_(guesses_.sizes()) {
    for (const LaunchOfFile& launch : facts_.launches)
      if (launch_ == nullptr || (launch.line >= benchmark_.first && launch.line <= benchmark_.last &&
                                 launch_->line < benchmark_.first))
        launch_ = &launch;
  }

  Import import() {
    draft_.maker = "tune import";
    Import result;
    std::vector<std::string> unused;
    const bool has_types = use_types();
    for (const BenchmarkAxis& axis : benchmark_.axes)
      if (!(axis.is_type && has_types) && !use(axis)) unused.push_back(axis.name);
    if (!unused.empty())
      result.notes.push_back(
          format("the launch of the kernel does not follow from {}: left out", joined(unused)));
    follow_launch();
    write_sizes();
    result.draft = std::move(draft_);
    return result;
  }

 private:
  /// The argument of the kernel that is passed an axis; empty for none.
  std::string argument_for(const std::string& axis) const {
    if (launch_ != nullptr)
      for (const auto& [argument, value] : launch_->values)
        if (without_needless_brackets(without_casts(value)) == axis) return argument;
    return {};
  }

  bool is_of_launch(const std::string& axis) const {
    if (launch_ == nullptr) return false;
    std::string all = launch_->shared;
    for (const auto* extents : {&launch_->grid, &launch_->block})
      for (const std::string& one : *extents) all += " " + one;
    for (const std::string& one : launch_->template_arguments) all += " " + one;
    for (const auto& [argument, value] : launch_->elements) all += " " + value;
    return has_word(all, axis);
  }

  /// True where the grid depends on an argument, but no index is compared with it and no array is as long:
  /// the elements of a thread.
  bool is_step(const std::string& argument, const std::string& axis) {
    const DraftObject* const own = draft_.argument(argument);
    return own != nullptr && !own->guess.empty() && (is_of_launch(axis) || is_of_launch(argument)) &&
           std::ranges::none_of(draft_.arguments,
                                [&](const DraftObject& one) { return has_word(one.find("size"), argument); });
  }

  /// The axes of types for the types of the kernel's template, one after the other, where these are as many.
  bool use_types() {
    std::vector<std::string> settings, names;
    for (const TemplateParameter& one : facts_.templates)
      if (one.kind == "typename") names.push_back(one.name);
    for (const BenchmarkAxis& axis : benchmark_.axes) {
      if (!axis.is_type || axis.values.empty()) continue;
      if (settings.size() == names.size()) return false;
      settings.push_back(
          format("{}: {{\"values\": [{}]}}", as_json(names[settings.size()]), joined(axis.values)));
    }
    if (settings.empty() || settings.size() != names.size()) return false;
    for (DraftField& field : draft_.work)
      if (field.name == "settings") {
        field.json = "{" + joined(settings) + "}";
        field.guess.clear();
        return true;
      }
    return false;
  }

  /// A size, or a parameter.
  bool use(const BenchmarkAxis& axis) {
    if (axis.values.empty() || axis.is_text) return false;
    if (axis.is_type) {
      for (DraftObject& parameter : draft_.parameters)
        if (parameter.name == axis.name) return true;
      return false;
    }
    const std::string argument = argument_for(axis.name);
    const auto size = std::ranges::find(sizes_, argument, &GuessedSize::name);
    if (!argument.empty() && size != sizes_.end() && is_step(argument, axis.name)) {
      sizes_.erase(size);
      has_steps_ = true;
      std::erase_if(draft_.parameters, [](const DraftObject& one) { return one.name == "unused"; });
      draft_.parameters.push_back({argument, {{"values", json_list(axis.values)}}});
      draft_.argument(argument)->guess.clear();
      return true;
    }
    if (!argument.empty() && size != sizes_.end()) {
      size->value = std::max<std::int64_t>(1, number_of(axis.values.back()).value_or(size->value));
      return true;
    }
    for (DraftObject& parameter : draft_.parameters)
      if (parameter.name == axis.name ||
          (facts_.templates.size() == 1 && parameter.name == facts_.templates.front().name &&
           benchmark_.axes.size() == 1)) {
        parameter.members = {{"values", json_list(axis.values)}};
        parameter.guess.clear();
        return true;
      }
    if (!is_of_launch(axis.name) && argument.empty()) return false;
    std::erase_if(draft_.parameters, [](const DraftObject& one) { return one.name == "unused"; });
    draft_.parameters.push_back({axis.name, {{"values", json_list(axis.values)}}});
    names_.push_back(axis.name);
    if (DraftObject* const own = draft_.argument(argument)) {
      own->set("value", as_json(axis.name));
      own->guess.clear();
    }
    return true;
  }

  void follow_launch() {
    if (launch_ == nullptr || draft_.launches.empty()) return;
    const std::string before = draft_.launches.front()[2].json;
    for (DraftField& field : draft_.launches.front()) {
      const auto* extents = field.name == "grid"    ? &launch_->grid
                            : field.name == "block" ? &launch_->block
                                                    : nullptr;
      if (extents == nullptr) continue;
      std::vector<std::string> formulas;
      bool has_axis = false;
      for (const std::string& one : *extents) {
        std::string expression = one;
        constexpr std::array<std::string_view, 3> asked = {"blockDim.x", "blockDim.y", "blockDim.z"};
        for (std::size_t i = 0; i < std::min(asked.size(), launch_->block.size()); ++i)
          for (std::size_t at = expression.find(asked[i]); at != std::string::npos;
               at = expression.find(asked[i]))
            expression.replace(at, asked[i].size(), launch_->block[i]);
        const auto formula = guesses_.formula_of(expression, names_);
        if (!formula) break;
        for (const BenchmarkAxis& axis : benchmark_.axes)
          has_axis = has_axis || has_word(*formula, axis.name);
        formulas.push_back(as_json(*formula));
      }
      if (formulas.size() != extents->size() || formulas.empty() || !has_axis) continue;
      field.json = json_extents(formulas);
      field.guess.clear();
    }
    // A parameter of the launch alone, which the axis replaces.
    const std::string now = draft_.launches.front()[1].json + draft_.launches.front()[2].json;
    if (draft_.launches.front()[2].json != before)
      std::erase_if(draft_.parameters, [&](const DraftObject& one) {
        return one.guess.find("of the launch alone") != std::string::npos && !has_word(now, one.name);
      });
  }

  void write_sizes() {
    std::vector<std::string> all, checked;
    for (const GuessedSize& size : sizes_) {
      all.push_back(format("{}: {}", as_json(size.name), size.value));
      checked.push_back(format("{}: {}", as_json(size.name), size.check));
    }
    for (DraftField& field : draft_.work)
      if (field.name == "sizes")
        field.json = "{" + joined(all) + "}";
      else if (field.name == "check" && has_steps_)
        field.json = "[{" + joined(checked) + "}]";
  }

  const ImportRequest& request_;
  const Benchmark benchmark_;
  const KernelFacts& facts_;
  const Guesses guesses_;
  Draft draft_;
  const LaunchOfFile* launch_ = nullptr;
  std::vector<GuessedSize> sizes_;
  bool has_steps_ = false;               ///< sizes became parameters
  std::vector<std::string> names_ = {};  ///< of axes that became parameters
};

/// The name before `<<<`, without its namespaces and template arguments.
std::string launched_in(std::string_view body) {
  std::size_t end = body.find("<<<");
  if (end == std::string_view::npos) return {};
  const auto is_spaced = [&] { return end > 0 && is_space(body[end - 1]); };
  while (is_spaced()) --end;
  for (int depth = 0; end > 0 && (body[end - 1] == '>' || depth > 0); --end)
    depth += body[end - 1] == '>' ? 1 : body[end - 1] == '<' ? -1 : 0;
  while (is_spaced()) --end;
  std::size_t begin = end;
  while (begin > 0 && is_word(body[begin - 1])) --begin;
  return std::string(body.substr(begin, end - begin));
}

/// Finds what each benchmark's function launches.
void find_functions(const std::string& text, std::vector<Benchmark>& all) {
  const auto line_of = [&](std::size_t at) {
    return 1 +
           static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  };
  for (Benchmark& one : all) {
    const std::size_t begin = text.find(one.function + "("),
                      open = begin == std::string::npos ? begin : text.find('{', begin);
    if (open == std::string::npos) continue;
    const std::size_t end = std::min(closing(text, open), text.size() - 1);
    one.kernel = launched_in(std::string_view(text).substr(open, end - open));
    one.first = line_of(begin);
    one.last = line_of(end);
  }
}

/// By the name of the kernel or of the benchmark's function: one that launches a kernel, then one with axes
/// of whole numbers or types, then one with any.
const Benchmark& chosen_benchmark(const std::vector<Benchmark>& all, const ImportRequest& request) {
  const auto rank = [](const Benchmark& one) {
    const auto is_useful = [](const BenchmarkAxis& axis) { return axis.is_whole || axis.is_type; };
    return (one.kernel.empty() ? 0 : 4) + (std::ranges::any_of(one.axes, is_useful) ? 2 : 0) +
           (one.axes.empty() ? 0 : 1);
  };
  const Benchmark* chosen = nullptr;
  for (const Benchmark& one : all)
    if (request.kernel.empty() || one.kernel == request.kernel || one.function == request.kernel)
      if (chosen == nullptr || rank(one) > rank(*chosen)) chosen = &one;
  if (chosen != nullptr) return *chosen;
  std::vector<std::string> names;
  for (const Benchmark& one : all) names.push_back(one.function);
  throw UsageError(format("{}: no benchmark has the name '{}' or launches such a kernel{}; there are {}",
                          request.path.string(), shortened(request.kernel),
                          search::did_you_mean(request.kernel, names), joined(names)));
}

}  // namespace

Import import_nvbench(const ImportRequest& request) {
  const auto folders = folders_with_headers(request.path, {});
  KernelText text = read_kernel_text(request.path, folders, {});
  const std::string plain = without_comments(text.source.text);
  std::vector<Benchmark> all = benchmarks_of(plain);
  if (all.empty())
    throw UsageError(
        format("{}: there is no NVBENCH_BENCH; for a kernel's file take 'tune new'", request.path.string()));
  find_functions(plain, all);
  const Benchmark& chosen = chosen_benchmark(all, request);
  text.source.text = with_names_of_axes(plain);
  const auto name_of = [&](const std::filesystem::path& path) {
    return request.name_of ? request.name_of(path) : path.string();
  };
  const std::string name = name_of(request.path);
  const Examination examination(name, text, chosen.kernel,
                                request.compiler ? request.compiler(text) : UndefinedNames());
  Draft draft = draft_of_kernel(name, examination);
  std::vector<std::string> names;
  for (const std::filesystem::path& folder : folders) names.push_back(as_json(name_of(folder)));
  if (!names.empty()) draft.kernel.insert(draft.kernel.begin() + 1, {"include", json_list(names)});
  Import result = NvbenchDraft(request, chosen, examination, std::move(draft)).import();
  if (all.size() > 1)
    result.notes.push_back(format("of {} benchmarks '{}' is read; --kernel NAME takes another: {}",
                                  all.size(), chosen.function, joined(all, &Benchmark::function)));
  return result;
}

}  // namespace tune::described
