// SPDX-License-Identifier: Apache-2.0
// A script of Kernel Tuner: which call, the kernel, its parameters and rules.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "kernels/described/imports/kernel_tuner_draft.hpp"
#include "kernels/described/readers/definition.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {
namespace {

using python::FoundCall;
using python::Value;
using Kind = Value::Kind;

/// Where tune_kernel has its parameters.
enum Place : std::size_t {
  kernel_name,
  kernel_source,
  problem_size,
  arguments,
  tune_params,
  restrictions = 8,
  verify = 11,
  lang = 13,
  compiler_options = 20,
  defines,
  strategy = 26,
  strategy_options,
  compiler_name = 19,
  metrics = 29,
  observers = 32,
  objective,
  higher_is_better
};

std::string name_in(const FoundCall& call) {
  const Value* const name = call.arguments.find(kernel_name, "kernel_name");
  return name != nullptr && name->is(Kind::text) ? name->text : "?";
}

const FoundCall& chosen_call(const std::vector<FoundCall>& all, const ImportRequest& request) {
  std::vector<const FoundCall*> calls;
  for (const FoundCall& call : all)
    if (call.function == "tune_kernel") calls.push_back(&call);
  const std::string file = request.path.string();
  if (calls.empty())
    throw UsageError(format(
        "{}: there is no call of tune_kernel that can be followed: for a kernel's file take 'tune new'",
        file));
  const std::string list = joined(
      calls, [](const FoundCall* call) { return format("{} (line {})", name_in(*call), call->place.line); });
  std::vector<const FoundCall*> fitting;
  for (const FoundCall* call : calls)
    if (request.kernel.empty() || name_in(*call) == request.kernel ||
        std::to_string(call->place.line) == request.kernel)
      fitting.push_back(call);
  if (fitting.empty())
    throw UsageError(
        format("{}: no call of tune_kernel is '{}'; there are {}", file, shortened(request.kernel), list));
  if (fitting.size() > 1)
    throw UsageError(format(
        "{}: {} calls of tune_kernel: {}; choose one with --kernel NAME, or --kernel LINE if names are equal",
        file, fitting.size(), list));
  return *fitting.front();
}

std::string json_of(const Value& value) {
  if (value.is(Kind::boolean)) return value.flag ? "true" : "false";
  if (value.is(Kind::text)) return as_json(value.text);
  return python::literal_of(value);
}

bool is_same_value(const Value& a, const Value& b) {
  return a.kind == b.kind && python::equal(a, b);
}

}  // namespace

KernelTunerDraft::KernelTunerDraft(python::Follower& script, const FoundCall& call,
                                   const ImportRequest& request)
    : script_(script), call_(call), request_(request), names_({}, {}) {}

const Value* KernelTunerDraft::given(std::size_t place, std::string_view name) const {
  const Value* const value = call_.arguments.find(place, name);
  return value == nullptr || value->is(Kind::none) ? nullptr : value;
}

Value KernelTunerDraft::name_of_parameter(std::string_view name) const {
  const bool is_known =
      std::ranges::find(parameters_, name, &std::pair<std::string, std::vector<Value>>::first) !=
      parameters_.end();
  if (is_known) return Value::symbol(std::string(name));
  return Value::object(std::string(name));
}

Value KernelTunerDraft::parsed(const std::string& text) {
  return python::Follower::expression(text,
                                      [this](std::string_view name) { return name_of_parameter(name); });
}

Value KernelTunerDraft::symbolic(const Value& function) {
  Value dict = Value::dict();
  for (const auto& [name, values] : parameters_) dict.set(Value::of(name), Value::symbol(name));
  // What a metric may use: milliseconds there, seconds here.
  dict.set(Value::of(std::string("time")), Value::symbol("time * 1000", search::Binding::product));
  for (const char* const energy : {"nvml_energy", "ps_energy", "pmt_energy", "energy"})
    if (dict.find(energy) == nullptr) dict.set(Value::of(std::string(energy)), Value::symbol("energy"));
  for (const char* const power : {"nvml_power", "ps_power", "pmt_power", "power"})
    if (dict.find(power) == nullptr) dict.set(Value::of(std::string(power)), Value::symbol("power"));
  // It takes all of them in a dict, or those that it names.
  python::Arguments given;
  for (const std::string& name : python::Follower::parameters_of(function))
    if (dict.find(name) != nullptr) given.named.emplace_back(name, *dict.find(name));
  if (given.named.empty()) given.positional = {dict};
  return script_.call(function, given);
}

void KernelTunerDraft::read_parameters() {
  const Value* const all = given(tune_params, "tune_params");
  if (all == nullptr || !all->is(Kind::dict)) {
    draft_.parameters.push_back(
        {"unused",
         {{"values", "[0]"}},
         format("the parameters: {}, which cannot be followed", said(tune_params, "tune_params"))});
    return;
  }
  for (const auto& [key, list] : *all->pairs) {
    if (!key.is(Kind::text)) {
      note(key.place.line == 0 ? place_of(tune_params, "tune_params") : key.place,
           format("'{}' gives parameters that cannot be followed: add them to \"parameters\"",
                  shortened(one_line(key.is(Kind::unknown) ? key.text : python::literal_of(key)), 80)));
      continue;
    }
    std::vector<std::string> values;
    std::vector<Value> known;
    bool is_known = true;
    const auto items = script_.items_of(list);
    for (const Value& one : items ? *items : std::vector<Value>()) {
      const bool is_twice =
          std::ranges::any_of(known, [&](const Value& other) { return is_same_value(one, other); });
      const std::string json = json_of(one);
      is_known = is_known && !json.empty() && !one.is(Kind::none) && !one.is_sequence();
      if (is_twice || !is_known) continue;
      known.push_back(one);
      values.push_back(json);
    }
    is_known = is_known && !values.empty();
    if (values.empty()) values = {"1"};
    parameters_.emplace_back(key.text, std::move(known));
    draft_.parameters.push_back(
        {key.text, {{"values", json_list(values)}}, is_known ? "" : "values to try: " + said(list)});
  }
  if (draft_.parameters.empty())
    draft_.parameters.push_back({"unused", {{"values", "[0]"}}, "the script has no parameters"});
  ScriptNames::Parameters names;
  for (const auto& [name, values] : parameters_) {
    auto& [low, high] = names[name];
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i].is_whole()) continue;
      low = i == 0 ? values[i].integer() : std::min(low, values[i].integer());
      high = i == 0 ? values[i].integer() : std::max(high, values[i].integer());
    }
  }
  names_ = ScriptNames(script_.numbers(), std::move(names));
}

void KernelTunerDraft::check_language() const {
  const Value* const language = given(lang, "lang");
  std::string name = language != nullptr && language->is(Kind::text) ? language->text : "";
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 'a' - 'A');
  const bool is_kernel = text_.source.text.find("__global__") != std::string::npos;
  if (name == "c")
    throw UsageError(format(
        "{}:{}: lang=\"C\" tunes a function of the host that launches kernels; describe a kernel of it "
        "with 'tune new'",
        request_.path.string(), call_.place.line));
  if (!name.empty() && !python::is_one_of(name, {"cuda", "cupy", "nvcuda", "hip", "hipbackend", "generic"}))
    throw UsageError(format(
        "{}:{}: the kernel is in {}: only CUDA, and HIP like it, can be tuned here: translate it first",
        request_.path.string(), call_.place.line, language->text));
  if (name.empty() && !text_.source.text.empty() && !is_kernel)
    throw UsageError(
        format("{}:{}: the source has no __global__ function: only kernels in CUDA can be tuned here",
               request_.path.string(), call_.place.line));
}

/// The kernel's text, from a file, or from the script: then it gets a file.
void KernelTunerDraft::read_source() {
  const Value* source = given(kernel_source, "kernel_source");
  if (source == nullptr)
    throw UsageError(format("{}:{}: tune_kernel gets no source", request_.path.string(), call_.place.line));
  Value made = *source;
  if (made.is_sequence() && !made.items->empty())
    made = Value(made.items->front());  // the others are included
  if (made.is(Kind::function)) made = symbolic(made);
  const std::filesystem::path folder = request_.path.parent_path();
  const auto is_file_name = [](const Value& value) {
    return value.is(Kind::text) && value.text.find('\n') == std::string::npos &&
           value.text.find('{') == std::string::npos;
  };
  std::string file = made.origin;
  if (file.empty() && is_file_name(made)) file = made.text;
  if (!file.empty()) {
    const std::filesystem::path path = folder / file;
    file_ = request_.name_of ? request_.name_of(path) : path.string();
    text_ = read_kernel_text(path, {}, {});
    return;
  }
  if (!made.is(Kind::text)) {
    file_ = request_.own_kernel;
    const bool has_jinja = std::ranges::find(script_.unfollowed(), python::Unfollowed::Kind::jinja,
                                             &python::Unfollowed::kind) != script_.unfollowed().end();
    const std::string what =
        has_jinja ? "a jinja template with statements that CUDA lacks: write its output to this file"
                  : "which cannot be followed: write it to this file";
    draft_.kernel.push_back(
        {"file", as_json(file_),
         format("the kernel's source: {}, {}", said(kernel_source, "kernel_source"), what)});
    draft_.missing.push_back("the kernel's source cannot be followed");
    return;
  }
  file_ = request_.own_kernel;
  text_ = {{file_, made.text}, {}};
  result_.kernel = text_.source;
}

void KernelTunerDraft::add_kernel() {
  if (draft_.kernel.empty()) draft_.kernel.push_back({"file", as_json(file_)});
  const std::filesystem::path folder = request_.path.parent_path();
  if (const Value* const options = given(compiler_options, "compiler_options")) {
    std::vector<std::string> all;
    for (const Value& one : options->is_sequence() ? *options->items : std::vector<Value>{*options})
      if (one.is(Kind::text)) all.push_back(one.text);
    std::string dropped;
    std::vector<std::string> used, folders;
    for (const std::string& option : t1::usable_options(all, CompilerName::automatic, dropped)) {
      if (option.starts_with("-I") && option.size() > 2)
        folders.push_back(
            as_json(request_.name_of ? request_.name_of(folder / option.substr(2)) : option.substr(2)));
      else
        used.push_back(as_json(option));
    }
    if (!folders.empty()) draft_.kernel.push_back({"include", json_list(folders)});
    if (!used.empty()) draft_.kernel.push_back({"options", json_list(used)});
    if (!dropped.empty())
      note(place_of(compiler_options, "compiler_options"), format("compiler_options: {} not used", dropped));
  }
  if (const Value* const name = given(compiler_name, "compiler")) {
    const bool is_nvcc = name->is(Kind::text) && name->text.ends_with("nvcc");
    if (is_nvcc)
      draft_.kernel.push_back({"compiler", as_json("nvcc")});
    else
      note(place_of(compiler_name, "compiler"),
           format("compiler: {} is not used; NVRTC or nvcc compiles", text_of(compiler_name, "compiler")));
  }
  std::vector<std::string> macros;
  const auto define = [&](const std::string& name, const std::string& value) {
    if (!value.empty() && !names_.is_parameter(name))
      macros.push_back(format("{}: {}", as_json(name), value));
  };
  // Kernel Tuner's own macros, where the kernel asks for them.
  const bool has_own = base_.facts.words.contains("kernel_tuner") ||
                       text_.source.text.find("kernel_tuner") != std::string::npos;
  constexpr std::array<char, 3> axes = {'x', 'y', 'z'};
  for (std::size_t i = 0; i < axes.size() && !has_own; ++i) {
    const std::string block = format("block_size_{}", axes[i]), grid = format("grid_size_{}", axes[i]);
    if (base_.facts.words.contains(block))
      define(block, i < geometry_.block.size() ? geometry_.block[i] : "1");
    if (base_.facts.words.contains(grid)) define(grid, i < geometry_.grid.size() ? geometry_.grid[i] : "1");
  }
  if (const Value* const own = given(defines, "defines"); own != nullptr && own->is(Kind::dict))
    for (const auto& [key, value] : *own->pairs) {
      const Value known = value.is(Kind::function) ? symbolic(value)
                          : value.is(Kind::text)   ? parsed(value.text)
                                                   : value;
      define(key.text, as_json(names_.formula(known, ScriptNames::Use::number)));
    }
  if (!macros.empty()) draft_.kernel.push_back({"defines", "{" + joined(macros) + "}"});
  std::vector<std::string> fixed;
  for (const auto& [macro, size] : macros_of_sizes(base_, names_.sizes()))
    if (!names_.is_parameter(macro)) fixed.push_back(format("{}: {}", as_json(macro), as_json(size)));
  if (!fixed.empty())
    draft_.kernel.push_back(
        {"redefine", "{" + joined(fixed) + "}",
         "the file fixes these by #define, with numbers of the script: do they follow its sizes?"});
}

std::string KernelTunerDraft::rule_of(const Value& rule) {
  Value known = rule;
  if (rule.is(Kind::function)) known = symbolic(rule);
  if (rule.is(Kind::text)) known = parsed(one_line(rule.text));
  const std::string formula = names_.formula(known, ScriptNames::Use::number);
  if (formula.empty()) return {};
  try {
    static_cast<void>(search::Expr::parse(formula));
  } catch (const search::ExprError&) {
    return {};
  }
  return formula;
}

void KernelTunerDraft::add_rule(const Value& rule) {
  const std::string formula = rule_of(rule);
  if (formula == "True") return;
  if (!formula.empty()) {
    draft_.constraints.push_back({"", as_json(formula)});
    return;
  }
  if (!draft_.further_constraints.empty()) draft_.further_constraints += "; ";
  const python::Place place = rule.is(Kind::function) ? python::Follower::place_of(rule)
                              : rule.place.line > 0   ? rule.place
                                                      : place_of(restrictions, "restrictions");
  draft_.further_constraints += format(
      "a rule of the script cannot be followed: '{}'{}",
      shortened(one_line(rule.is(Kind::function) ? python::Follower::source_of(rule) : rule.text), 100),
      shown(place));
}

void KernelTunerDraft::add_constraints() {
  // Kernel Tuner skips what the device refuses.
  std::vector<std::string> threads;
  std::int64_t most = 1;
  for (const std::string& extent : geometry_.block)
    for (const auto& [name, values] : parameters_)
      if (name == extent) {
        threads.push_back(name);
        std::int64_t largest = 1;
        for (const Value& value : values)
          if (value.is_whole()) largest = std::max(largest, std::min<std::int64_t>(value.integer(), 1 << 16));
        most *= largest;
      }
  constexpr std::int64_t usual_limit = 1024;
  if (most > usual_limit)
    draft_.constraints.push_back({"", as_json(joined(threads, {}, " * ") + " <= max_threads")});
  const Value* const rules = given(restrictions, "restrictions");
  if (rules == nullptr) return;

  if (rules->is_sequence())
    for (const Value& one : *rules->items) add_rule(one);
  else
    add_rule(*rules);
}

std::set<std::string> KernelTunerDraft::add_metrics() {
  const Value* const all = given(metrics, "metrics");
  if (all == nullptr || !all->is(Kind::dict)) return {};
  std::vector<std::string> known;
  std::set<std::string> names;
  ScriptNames measured = names_;
  for (const char* const name : {"time", "energy", "power"}) measured.allow(name);
  for (const auto& [key, value] : *all->pairs) {
    Value formula = value;
    if (value.is(Kind::function)) formula = symbolic(value);
    if (value.is(Kind::text))
      formula = python::Follower::expression(value.text, [this](std::string_view name) {
        if (name == "time") return Value::symbol("time * 1000", search::Binding::product);
        if (name.ends_with("_energy")) return Value::symbol("energy");
        return name_of_parameter(name);
      });
    const std::string text = measured.formula(formula, ScriptNames::Use::number);
    if (formula.follows() && !text.empty()) {
      known.push_back(format("{}: {}", as_json(key.text), as_json(text)));
      names.insert(key.text);
    } else
      note(place_of(metrics, "metrics"),
           format("the metric '{}' cannot be followed: give its formula in \"metrics\"", key.text));
  }
  if (!known.empty()) draft_.results.push_back({"metrics", "{" + joined(known) + "}"});
  return names;
}

/// Energy, or one of these metrics. Without a word of the script a rate is the better the larger it is.
void KernelTunerDraft::add_objective(const std::set<std::string>& known_metrics) {
  const Value* const wanted = given(objective, "objective");
  if (wanted == nullptr || (wanted->is(Kind::text) && wanted->text == "time")) return;
  if (wanted->is(Kind::text) && wanted->text.ends_with("energy")) {
    draft_.results.push_back({"objective", as_json("energy")});
    return;
  }
  const std::string name = wanted->is(Kind::text) ? wanted->text : text_of(objective, "objective");
  if (!known_metrics.contains(name)) {
    note(place_of(objective, "objective"),
         format(
             "objective: {} is not among the metrics that are followed: give its formula in \"metrics\", and "
             "\"objective\": \"max:{}\" or \"min:{}\"",
             text_of(objective, "objective"), name, name));
    return;
  }
  const Value* const given_direction = given(higher_is_better, "objective_higher_is_better");
  const bool is_told = given_direction != nullptr && given_direction->is(Kind::boolean);
  const bool is_rate = name.find("/s") != std::string::npos || name.find("FLOP") != std::string::npos ||
                       name.find("/W") != std::string::npos || name.find("/J") != std::string::npos;
  const bool is_max = is_told ? given_direction->flag : is_rate;
  draft_.results.push_back({"objective", as_json((is_max ? "max:" : "min:") + name),
                            is_told || is_rate ? "" : "whether less is better"});
}

/// Of `strategy_options`.
void KernelTunerDraft::add_budget() {
  const Value* const options = given(strategy_options, "strategy_options");
  if (options == nullptr) return;
  if (!options->is(Kind::dict)) {
    note(place_of(strategy_options, "strategy_options"),
         format("strategy_options: {} cannot be followed: give \"budget\"",
                text_of(strategy_options, "strategy_options")));
    return;
  }
  std::vector<std::string> budget;
  for (const auto& [theirs, ours] :
       {std::pair("max_fevals", "evaluations"), std::pair("time_limit", "seconds")})
    if (const Value* const limit = options->find(theirs); limit != nullptr && limit->is_number())
      budget.push_back(format("\"{}\": {}", ours, python::literal_of(*limit)));
  std::vector<std::string> other;
  for (const auto& [key, value] : *options->pairs)
    if (!python::is_one_of(key.text, {"max_fevals", "time_limit"})) other.push_back(key.text);
  if (!other.empty())
    note(place_of(strategy_options, "strategy_options"),
         format("strategy_options: {} not used; a run has its own: 'tune replay --options S' lists them",
                joined(other)));
  if (!budget.empty()) draft_.results.push_back({"budget", "{" + joined(budget) + "}"});
}

Import KernelTunerDraft::import() {
  draft_.maker = "tune import";
  entry_ = name_in(call_);
  draft_.problem = entry_.substr(0, entry_.find('<'));
  if (const std::size_t scope = draft_.problem.rfind(':'); scope != std::string::npos)
    draft_.problem.erase(0, scope + 1);
  read_parameters();
  read_source();
  check_language();
  std::vector<std::pair<std::string, std::string>> macros = {{"kernel_tuner", "1"}};
  for (const auto& [name, values] : parameters_)
    if (!values.empty()) macros.emplace_back(name, python::text_of(values.front()));
  base_ = read_kernel_base(file_, text_, entry_.substr(0, entry_.find('<')), macros, request_.compiler);
  geometry_ = geometry_of(call_, true);
  add_arguments();
  add_constants();
  add_launch();
  add_constraints();
  add_sizes();
  add_kernel();
  add_results();
  add_objective(add_metrics());
  add_budget();
  add_notes();
  if (!base_.why_not.empty() && !text_.source.text.empty()) result_.notes.push_back(base_.why_not);
  return std::move(result_);
}

Import import_kernel_tuner(const ImportRequest& request) {
  python::Follower script(request.text, request.path.filename().string(), {"tune_kernel", "run_kernel"},
                          request.read);
  script.follow();
  return KernelTunerDraft(script, chosen_call(script.calls(), request), request).import();
}

}  // namespace tune::described
