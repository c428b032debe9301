// SPDX-License-Identifier: Apache-2.0
#include "library/dispatcher/dispatcher_c.hpp"

#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/described/description.hpp"
#include "library/tuner/convert.hpp"
#include "library/tuner/option_setters.hpp"
#include "library/tuner/tuner_c.hpp"
#include "tuner/base/format.hpp"
#include "tuner/tensor/tensor.hpp"

namespace {

using namespace tune::api;
using namespace tune::api::in_c;

struct OpenOptions : DispatchOptions {
  std::size_t sizes = 16;
};

constexpr OptionEntry<OpenOptions> dispatch_options[] = {
    {"device", set_member<&DispatchOptions::device>},
    {"database", set_member<&DispatchOptions::database>},
    {"slowdown", set_member<&DispatchOptions::slowdown>},
    {"candidates", set_member<&DispatchOptions::candidates>},
    {"strategy", set_member<&DispatchOptions::strategy>},
    {"seed", set_member<&DispatchOptions::seed>},
    {"where", set_member<&DispatchOptions::where>},
    {"timeout", set_member<&DispatchOptions::timeout>},
    {"in_process", set_member<&DispatchOptions::in_process>},
    {"follow_drift", set_member<&DispatchOptions::follow_drift>},
    {"installed", set_member<&DispatchOptions::installed>},
    {"sizes", set_member<&OpenOptions::sizes>},
};

/// Calls the function with the pool; all exceptions become a status.
template<class Function>
tune_status with_pool(const tune_dispatcher* dispatcher, const char* name, Function function) {
  return status_of([&] {
    require(dispatcher, name);
    guarded([&] { function(*dispatcher->pool); });
  });
}

/// The sizes and arguments of a call.
struct Call {
  Call(const tune_assignment* given, std::size_t size_count, const tune_call_argument* passed,
       std::size_t count, const char* function) {
    if (given != nullptr) sizes = values_of(given, size_count, function);
    if (count > 0) require(passed, function);
    types.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      require(passed[i].type, function);
      require(passed[i].value, function);
      Dispatcher::Argument argument;
      std::string& type = types.emplace_back(passed[i].type);
      argument.pointer = type.ends_with('*');
      if (argument.pointer) type.pop_back();
      if (type == "void") type.clear();
      const auto known = tune::described::type_named(type);
      const std::size_t bytes = argument.pointer ? sizeof(void*)
                                : known          ? tune::element_size(known->element)
                                                 : 0;
      if (!argument.pointer && type != "struct" && (!known || known->components != 1))
        throw Error(
            tune::format("{}: argument {} has the type '{}': expected a number's type, one with * for a "
                         "pointer, or struct",
                         function, i + 1, type));
      if (bytes > 0 && passed[i].size != bytes)
        throw Error(tune::format("{}: argument {} of type {} has {} bytes, {} were given", function, i + 1,
                                 passed[i].type, bytes, passed[i].size));
      argument.type = type.c_str();
      argument.value = passed[i].value;
      argument.size = passed[i].size;
      arguments.push_back(argument);
    }
  }
  const Sizes* given_sizes() const { return sizes ? &*sizes : nullptr; }

  std::optional<Sizes> sizes;
  std::vector<std::string> types;
  std::vector<Dispatcher::Argument> arguments;
};

struct HeldState {
  tune_dispatch_state view{};
  const DispatchState value;
  const HeldConfiguration configuration;

  explicit HeldState(DispatchState given) : value(std::move(given)), configuration(value.configuration) {
    view = {value.settled ? 1 : 0, value.paused ? 1 : 0, value.retuned,
            &configuration.view,   value.tried,          value.failed,
            value.calls,           value.seconds,        value.lost,
            value.best_seconds,    value.notice.c_str()};
  }
};

}  // namespace

tune_status tune_dispatcher_open(const tune_problem* problem, const tune_assignment* options,
                                 size_t option_count, tune_dispatcher** dispatcher) {
  return tune_dispatcher_open_in(nullptr, problem, options, option_count, dispatcher);
}

tune_status tune_dispatcher_open_in(const char* installed, const tune_problem* problem,
                                    const tune_assignment* options, size_t option_count,
                                    tune_dispatcher** dispatcher) {
  return status_of([&] {
    constexpr const char* here = "tune_dispatcher_open";
    require(dispatcher, here);
    *dispatcher = nullptr;
    require(problem, here);
    if (option_count > 0) require(options, here);
    OpenOptions all;
    if (installed != nullptr) all.installed = installed;
    for (std::size_t i = 0; i < option_count; ++i)
      set_option<OpenOptions>(dispatch_options, all, options[i].name, options[i].value, here);
    *dispatcher = new tune_dispatcher{open_pool(problem->problem, all, all.sizes)};
  });
}

const char* tune_dispatch_option(size_t index) {
  return index < std::size(dispatch_options) ? dispatch_options[index].name : nullptr;
}

void tune_dispatcher_close(tune_dispatcher* dispatcher) {
  if (dispatcher != nullptr) end_unless_forked(dispatcher->pool);
  delete dispatcher;
}

tune_status tune_dispatcher_launch(tune_dispatcher* dispatcher, void* stream, const tune_assignment* sizes,
                                   size_t size_count, const tune_call_argument* arguments,
                                   size_t argument_count) {
  constexpr const char* here = "tune_dispatcher_launch";
  return with_pool(dispatcher, here, [&](Dispatchers::Pool& pool) {
    const Call call(sizes, size_count, arguments, argument_count, here);
    pool.launch(stream, call.given_sizes(), call.arguments.data(), call.arguments.size());
  });
}

tune_status tune_dispatcher_try(tune_dispatcher* dispatcher, void* stream, const tune_assignment* sizes,
                                size_t size_count, const tune_call_argument* arguments, size_t argument_count,
                                int* tried) {
  constexpr const char* here = "tune_dispatcher_try";
  return with_pool(dispatcher, here, [&](Dispatchers::Pool& pool) {
    require(tried, here);
    const Call call(sizes, size_count, arguments, argument_count, here);
    *tried = pool.try_now(stream, call.given_sizes(), call.arguments.data(), call.arguments.size()) ? 1 : 0;
  });
}

tune_status tune_dispatcher_symbol(tune_dispatcher* dispatcher, const char* name, const char* type,
                                   const void* data, size_t bytes) {
  constexpr const char* here = "tune_dispatcher_symbol";
  return with_pool(dispatcher, here, [&](Dispatchers::Pool& pool) {
    require(name, here);
    require(data, here);
    pool.set_variable(name, type == nullptr ? "" : type, data, bytes);
  });
}

tune_status tune_dispatcher_pause(tune_dispatcher* dispatcher) {
  return with_pool(dispatcher, "tune_dispatcher_pause", [](Dispatchers::Pool& pool) { pool.pause(true); });
}

tune_status tune_dispatcher_resume(tune_dispatcher* dispatcher) {
  return with_pool(dispatcher, "tune_dispatcher_resume", [](Dispatchers::Pool& pool) { pool.pause(false); });
}

tune_status tune_dispatcher_finish(tune_dispatcher* dispatcher) {
  return with_pool(dispatcher, "tune_dispatcher_finish", [](Dispatchers::Pool& pool) { pool.finish(); });
}

size_t tune_dispatcher_count(const tune_dispatcher* dispatcher) {
  return dispatcher == nullptr ? 0 : dispatcher->pool->count();
}

tune_status tune_dispatcher_state(const tune_dispatcher* dispatcher, const tune_assignment* sizes,
                                  size_t size_count, const tune_dispatch_state** state) {
  constexpr const char* here = "tune_dispatcher_state";
  if (state != nullptr) *state = nullptr;
  return with_pool(dispatcher, here, [&](const Dispatchers::Pool& pool) {
    require(state, here);
    DispatchState now = pool.state(values_of(sizes, size_count, here));
    if (!now.configuration.entries().empty()) *state = &(new HeldState(std::move(now)))->view;
  });
}

void tune_dispatch_state_free(const tune_dispatch_state* state) {
  delete reinterpret_cast<const HeldState*>(state);
}
