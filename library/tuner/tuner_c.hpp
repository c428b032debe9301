// SPDX-License-Identifier: Apache-2.0
// The inside of the C interface, and what its functions share.
#pragma once

#include <tune/tune.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <tune/tuner.hpp>
#include <vector>

#include "search/space/search_space.hpp"

struct tune_tuner {
  tune::api::Options options;
  tune::api::Tuner tuner;
  tune_progress_function on_progress = nullptr;
  void* progress_context = nullptr;
};

struct tune_problem {
  tune::api::Problem problem;
};

namespace tune::api::in_c {

/// The line of the thread's last error.
std::string& last_message();

/// Calls the function; an exception becomes a status and a message.
template<class Function>
tune_status status_of(Function function) noexcept {
  try {
    try {
      function();
      return TUNE_OK;
    } catch (const Error& error) {
      last_message() = error.what();
      return error.cause() == Error::Cause::wrong_use ? TUNE_WRONG_USE : TUNE_FAILED;
    } catch (const std::bad_alloc&) {
      last_message() = "out of memory";
    } catch (const std::exception& error) {
      last_message() = error.what();
      return TUNE_FAILED;
    }
  } catch (const std::exception&) {
    return TUNE_NO_MEMORY;
  }
  return TUNE_NO_MEMORY;
}

/// Throws Error for a null pointer that was given to this function.
void require(const void* pointer, const char* function);

Values values_of(const tune_assignment* assignments, std::size_t count, const char* function);

/// Values as texts, with their kinds; the texts live as long as the object.
class ValueTexts {
 public:
  const char* add(const Value& value);
  std::size_t count() const { return values_.size(); }
  const char* const* values() const { return values_.data(); }
  const tune_kind* kinds() const { return kinds_.data(); }

 private:
  std::deque<std::string> texts_;
  std::vector<const char*> values_;
  std::vector<tune_kind> kinds_;
};

/// Structures of one kind, and the array of their addresses.
template<class View>
class Views {
 public:
  View& add() {
    View& view = views_.emplace_back();
    pointers_.push_back(&view);
    return view;
  }
  void show(std::size_t& count, const View* const*& array) const {
    count = pointers_.size();
    array = pointers_.data();
  }

 private:
  std::deque<View> views_;
  std::vector<const View*> pointers_;
};

/// Throws Error for a strategy without a name or a function.
OwnStrategy own_strategy_of(const tune_strategy& strategy);

/// Holds the texts of a configuration.
struct HeldConfiguration {
  explicit HeldConfiguration(Configuration given);
  HeldConfiguration(const HeldConfiguration&) = delete;
  HeldConfiguration& operator=(const HeldConfiguration&) = delete;

  const Configuration value;
  const std::string text;
  ValueTexts texts;
  std::vector<tune_assignment> assignments;
  tune_configuration view{};
};

}  // namespace tune::api::in_c

/// The view of a space, which outlives it.
struct tune_space {
  explicit tune_space(const tune::search::SearchSpace& given);
  tune_space(const tune_space&) = delete;
  tune_space& operator=(const tune_space&) = delete;

  const tune::search::SearchSpace& space;
  tune::api::in_c::Views<tune_parameter> parameters;

 private:
  std::deque<std::string> names_;
  std::deque<tune::api::in_c::ValueTexts> lists_;
};
