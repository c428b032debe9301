// SPDX-License-Identifier: Apache-2.0
#include <tune/dispatcher.hpp>

#include "library/dispatcher/dispatcher_engine.hpp"
#include "library/tuner/convert.hpp"
#include "library/tuner/tuner_state.hpp"
#include "tuner/base/error.hpp"

namespace tune::api {

Dispatcher::Dispatcher(const Problem& problem, const Sizes& sizes, const DispatchOptions& options)
    : engine_(guarded([&] {
        if (options.device == "emulator")
          throw UsageError("a Dispatcher launches on a GPU; the emulator checks a problem with Tuner::run");
        return std::make_unique<Engine>(problem, sizes, options,
                                        open_gpu(options.device, options.timeout, options.in_process),
                                        open_streams(options.device));
      })) {}
Dispatcher::Dispatcher(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
Dispatcher::Dispatcher(Dispatcher&&) noexcept = default;
Dispatcher& Dispatcher::operator=(Dispatcher&&) noexcept = default;
Dispatcher::~Dispatcher() = default;

void Dispatcher::launch_all(CUstream_st* stream, const Argument* arguments, std::size_t count) {
  guarded([&] { engine_->launch(stream, arguments, count); });
}

DispatchState Dispatcher::state() const {
  return engine_->state();
}

void Dispatcher::finish() {
  guarded([&] { engine_->finish(); });
}

}  // namespace tune::api
