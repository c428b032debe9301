// SPDX-License-Identifier: Apache-2.0
// Descriptions of problems, and what is stored for them, for C.
#include <deque>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "library/tuner/tuner_c.hpp"

namespace {

using namespace tune::api;
using namespace tune::api::in_c;

/// A description with all that it points to; `view` comes first, so that its address is that of the whole.
struct HeldDescription {
  tune_description view{};
  const Description value;
  const HeldConfiguration defaults;
  std::deque<ValueTexts> lists;
  Views<tune_size> sizes;
  Views<tune_setting> settings;
  Views<tune_parameter> parameters;
  Views<tune_constraint> constraints;
  Views<tune_argument> arguments;

  explicit HeldDescription(Description given)
      : value(std::move(given)), defaults(value.default_configuration) {
    view.name = value.name.c_str();
    view.summary = value.summary.c_str();
    view.item = value.item.c_str();
    for (const Description::Size& size : value.sizes)
      sizes.add() = {size.name.c_str(), size.help.c_str(), size.value, size.default_value};
    for (const Description::Setting& setting : value.settings) add(setting);
    for (const Description::Parameter& parameter : value.parameters) add(parameter);
    for (const Description::Constraint& constraint : value.constraints)
      constraints.add() = {constraint.rule.c_str(), constraint.why.c_str()};
    for (const Description::Argument& argument : value.arguments)
      arguments.add() = {argument.name.c_str(),   argument.kind.c_str(),   argument.type.c_str(),
                         argument.extents.size(), argument.extents.data(), argument.value.c_str(),
                         argument.passed ? 1 : 0};
    sizes.show(view.size_count, view.sizes);
    settings.show(view.setting_count, view.settings);
    parameters.show(view.parameter_count, view.parameters);
    constraints.show(view.constraint_count, view.constraints);
    arguments.show(view.argument_count, view.arguments);
    view.default_configuration = &defaults.view;
    view.space_size = value.space_size;
    view.counted = value.counted ? 1 : 0;
  }

 private:
  const char* text_of(const Value& one) { return lists.emplace_back().add(one); }
  template<class View>
  void add_values(const std::vector<Value>& values, View& target) {
    ValueTexts& list = lists.emplace_back();
    for (const Value& one : values) list.add(one);
    target.count = list.count();
    target.values = list.values();
    target.kinds = list.kinds();
  }
  void add(const Description::Setting& setting) {
    tune_setting& made = settings.add();
    made.name = setting.name.c_str();
    made.help = setting.help.c_str();
    made.value = text_of(setting.value);
    made.default_value = text_of(setting.default_value);
    add_values(setting.values, made);
    if (setting.range) std::tie(made.low, made.high) = *setting.range;
  }
  void add(const Description::Parameter& parameter) {
    tune_parameter& made = parameters.add();
    made.name = parameter.name.c_str();
    made.help = parameter.help.c_str();
    made.default_value = text_of(parameter.default_value);
    made.condition = parameter.condition.c_str();
    add_values(parameter.values, made);
  }
};

struct HeldStored {
  tune_stored view{};
  const Stored value;
  const HeldConfiguration configuration;

  explicit HeldStored(Stored given) : value(std::move(given)), configuration(value.configuration) {
    view = {&configuration.view, value.seconds,      value.joules,        value.match.c_str(),
            value.why.c_str(),   value.size.c_str(), value.device.c_str()};
  }
};

}  // namespace

tune_status tune_best(tune_tuner* tuner, const tune_problem* problem, const tune_assignment* sizes,
                      size_t size_count, const tune_stored** stored) {
  return status_of([&] {
    require(stored, "tune_best");
    *stored = nullptr;
    require(tuner, "tune_best");
    require(problem, "tune_best");
    std::optional<Stored> found =
        tuner->tuner.best(problem->problem, values_of(sizes, size_count, "tune_best"));
    if (found) *stored = &(new HeldStored(std::move(*found)))->view;
  });
}

void tune_stored_free(const tune_stored* stored) {
  delete reinterpret_cast<const HeldStored*>(stored);
}

tune_status tune_describe(tune_tuner* tuner, const tune_problem* problem, const tune_assignment* sizes,
                          size_t size_count, const tune_description** description) {
  return status_of([&] {
    require(description, "tune_describe");
    *description = nullptr;
    require(problem, "tune_describe");
    const Sizes given = values_of(sizes, size_count, "tune_describe");
    auto held =
        std::make_unique<HeldDescription>(tuner == nullptr ? describe(problem->problem, given)
                                                           : tuner->tuner.describe(problem->problem, given));
    *description = &held.release()->view;
  });
}

void tune_description_free(const tune_description* description) {
  delete reinterpret_cast<const HeldDescription*>(description);
}
