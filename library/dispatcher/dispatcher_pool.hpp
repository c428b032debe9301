// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tune/dispatcher.hpp>
#include <utility>
#include <vector>

#include "library/dispatcher/dispatcher_engine.hpp"

namespace tune::api {

/// The inside of Dispatchers: engines by size, the least recently used of which goes.
class Dispatchers::Pool {
 public:
  using OpenStreams = std::function<std::unique_ptr<StreamRunner>()>;

  /// `streams` makes a runner for each size.
  Pool(const Problem& problem, const DispatchOptions& options, std::size_t most,
       std::shared_ptr<CheckingDevice> device, OpenStreams streams);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  /// `sizes`: null where the arguments have them.
  void launch(void* stream, const Sizes* sizes, const Dispatcher::Argument* arguments, std::size_t count);
  bool try_now(void* stream, const Sizes* sizes, const Dispatcher::Argument* arguments, std::size_t count);
  void set_variable(const std::string& name, const char* type, const void* data, std::size_t bytes);
  void pause(bool paused);
  void finish();
  DispatchState state(const Sizes& sizes) const;
  std::size_t count() const;

  const Maker maker = {};

 private:
  using Engine = Dispatcher::Engine;
  struct Held {
    std::shared_future<std::shared_ptr<Engine>> engine;  ///< an error where it could not be made
    std::uint64_t used = 0;
  };
  struct Contents {
    std::string type;
    std::vector<std::byte> bytes;
  };

  std::shared_ptr<Engine> engine_of(const Dispatcher::Argument* arguments, std::size_t count,
                                    std::vector<Dispatcher::Argument>& others);
  std::shared_ptr<Engine> engine_at(const Sizes& sizes);
  void make(const Sizes& sizes, std::promise<std::shared_ptr<Engine>>& promise);
  std::shared_ptr<Engine> last_used() const;
  void drop_oldest(const std::string& but);
  std::vector<std::shared_ptr<Engine>> all() const;

  const Problem problem_;
  const DispatchOptions options_;
  const std::size_t most_;
  const std::shared_ptr<CheckingDevice> device_;
  const OpenStreams streams_;
  const std::shared_ptr<const described::DescribedProblem> made_;
  const CallArguments with_sizes_;

  mutable std::mutex mutex_;                                           ///< guards the members below
  std::map<std::string, Held> held_;                                   ///< by the instance's key
  std::map<std::pair<std::string, std::size_t>, Contents> variables_;  ///< by name and bytes
  std::uint64_t uses_ = 0;
  bool paused_ = false;
  std::jthread leaving_;  ///< ends engines that go
};

/// Opens the device of the options. Throws Error where there is none.
std::unique_ptr<Dispatchers::Pool> open_pool(const Problem& problem, const DispatchOptions& options,
                                             std::size_t most);

}  // namespace tune::api
