// SPDX-License-Identifier: Apache-2.0
// The C interface: lookup.hpp with handles and status codes, without exceptions.
#include <cstdlib>
#include <exception>

#include "lookup/include/tune/lookup.h"
#include "lookup/include/tune/lookup.hpp"
#include "lookup/src/search.hpp"

using tune::lookup::Candidate;
using tune::lookup::Error;
using tune::lookup::Expected;
using tune::lookup::Lookup;

struct tune_lookup {
  Lookup lookup;
};

struct tune_lookup_candidate {
  Expected<Candidate> value;
};

namespace {

std::string& last_message() {
  thread_local std::string message;
  return message;
}

tune_lookup_status failed(const Error& error) {
  last_message() = error.message;
  return static_cast<tune_lookup_status>(error.code);
}

/// Calls the function, which returns a status; an exception becomes one too.
template<class Function>
tune_lookup_status guarded(Function function) noexcept {
  try {
    return function();
  } catch (const std::exception&) {
    try {
      last_message() = "out of memory";
    } catch (const std::exception&) {
      return TUNE_LOOKUP_NO_MEMORY;
    }
    return TUNE_LOOKUP_NO_MEMORY;
  }
}

tune_lookup_status null_pointer() {
  return failed({tune::lookup::Code::bad_query, "a null pointer was given to the lookup"});
}

std::string text_of(const char* text) {
  return text == nullptr ? std::string() : std::string(text);
}

tune::lookup::Query query_of(const tune_lookup_query& query, const tune_lookup_board* board) {
  tune::lookup::Query result;
  result.problem = text_of(query.problem);
  result.device.name = text_of(query.device.name);
  result.device.compute_major = query.device.compute_major;
  result.device.compute_minor = query.device.compute_minor;
  result.device.multiprocessors = query.device.multiprocessors;
  result.device.global_memory = query.device.global_memory;
  result.device.bandwidth = query.device.bandwidth;
  result.device.driver = text_of(query.device.driver);
  if (board != nullptr) result.device.board = text_of(board->uuid);
  if (board != nullptr) result.device.power_limit = board->power_limit;
  if (query.size != nullptr) result.size.assign(query.size, query.size + query.extents);
  if (query.settings != nullptr)
    for (std::size_t i = 0; i < query.setting_count; ++i)
      result.settings.emplace_back(text_of(query.settings[i].name), text_of(query.settings[i].value));
  result.compiler = text_of(query.compiler);
  result.source_hash = text_of(query.source_hash);
  result.warm_caches = query.warm_caches != 0;
  return result;
}

tune_lookup_status best_of(tune_lookup* lookup, const tune_lookup_query* query,
                           const tune_lookup_board* board, bool imported, tune_lookup_candidate** candidate) {
  return guarded([&] {
    if (lookup == nullptr || query == nullptr || candidate == nullptr) return null_pointer();
    *candidate = nullptr;
    tune::lookup::Query asked = query_of(*query, board);
    asked.imported = imported;
    const Expected<Candidate> found = lookup->lookup.best(asked);
    if (!found) return failed(found.error());
    *candidate = new tune_lookup_candidate{found};
    return TUNE_LOOKUP_OK;
  });
}

const std::string* find(const tune_lookup_candidate* candidate, const char* name) {
  if (candidate == nullptr || name == nullptr) return nullptr;
  for (const auto& [known, value] : candidate->value->configuration)
    if (known == name) return &value;
  return nullptr;
}

}  // namespace

extern "C" {

tune_lookup_status tune_lookup_open_in(const char* database, const char* recordings, const char* installed,
                                       tune_lookup** lookup) {
  return guarded([&] {
    if (lookup == nullptr) return null_pointer();
    *lookup = nullptr;
    tune::lookup::Options options;
    if (database != nullptr) options.database = database;
    if (recordings != nullptr) options.recordings.emplace();
    if (installed != nullptr) options.installed = installed;
    if (recordings != nullptr && *recordings != '\0') options.recordings->push_back(recordings);
    const Expected<Lookup> opened = Lookup::open(options);
    if (!opened) return failed(opened.error());
    *lookup = new tune_lookup{*opened};
    return TUNE_LOOKUP_OK;
  });
}

tune_lookup_status tune_lookup_open(const char* database, const char* recordings, tune_lookup** lookup) {
  return tune_lookup_open_in(database, recordings, nullptr, lookup);
}

void tune_lookup_close(tune_lookup* lookup) {
  delete lookup;
}

const char* tune_lookup_message(void) {
  return last_message().c_str();
}

void tune_lookup_refresh(tune_lookup* lookup) {
  if (lookup != nullptr) lookup->lookup.refresh();
}

tune_lookup_status tune_lookup_best(tune_lookup* lookup, const tune_lookup_query* query,
                                    tune_lookup_candidate** candidate) {
  return tune_lookup_best_on(lookup, query, nullptr, candidate);
}

tune_lookup_status tune_lookup_best_on(tune_lookup* lookup, const tune_lookup_query* query,
                                       const tune_lookup_board* board, tune_lookup_candidate** candidate) {
  return best_of(lookup, query, board, false, candidate);
}

tune_lookup_status tune_lookup_best_imported(tune_lookup* lookup, const tune_lookup_query* query,
                                             tune_lookup_candidate** candidate) {
  return best_of(lookup, query, nullptr, true, candidate);
}

tune_lookup_status tune_lookup_candidates(tune_lookup* lookup, const tune_lookup_query* query, size_t most,
                                          tune_lookup_candidate** candidates, size_t* count) {
  return tune_lookup_candidates_on(lookup, query, nullptr, most, candidates, count);
}

tune_lookup_status tune_lookup_candidates_on(tune_lookup* lookup, const tune_lookup_query* query,
                                             const tune_lookup_board* board, size_t most,
                                             tune_lookup_candidate** candidates, size_t* count) {
  return guarded([&] {
    if (lookup == nullptr || query == nullptr || candidates == nullptr || count == nullptr)
      return null_pointer();
    *count = 0;
    const auto found = lookup->lookup.candidates(query_of(*query, board), most);
    if (!found) return failed(found.error());
    std::vector<std::unique_ptr<tune_lookup_candidate>> made;
    for (const Candidate& one : *found)
      made.emplace_back(new tune_lookup_candidate{std::make_shared<const Candidate>(one)});
    for (auto& one : made) candidates[(*count)++] = one.release();
    return TUNE_LOOKUP_OK;
  });
}

void tune_lookup_free(tune_lookup_candidate* candidate) {
  delete candidate;
}

tune_lookup_match tune_lookup_match_of(const tune_lookup_candidate* candidate) {
  return candidate == nullptr ? TUNE_LOOKUP_NONE : static_cast<tune_lookup_match>(candidate->value->match);
}

double tune_lookup_seconds(const tune_lookup_candidate* candidate) {
  return candidate == nullptr ? 0 : candidate->value->seconds;
}

int tune_lookup_loss(const tune_lookup_candidate* candidate, double* expected, double* worst) {
  if (candidate == nullptr || !candidate->value->loss) return 0;
  if (expected != nullptr) *expected = candidate->value->loss->expected;
  if (worst != nullptr) *worst = candidate->value->loss->worst;
  return candidate->value->loss->pairs;
}

int tune_lookup_stale(const tune_lookup_candidate* candidate) {
  return candidate != nullptr && candidate->value->stale() ? 1 : 0;
}

const char* tune_lookup_why(const tune_lookup_candidate* candidate) {
  return candidate == nullptr ? "" : candidate->value->why.c_str();
}

const char* tune_lookup_board_difference(const tune_lookup_candidate* candidate) {
  return candidate == nullptr ? "" : candidate->value->board_difference.c_str();
}

size_t tune_lookup_count(const tune_lookup_candidate* candidate) {
  return candidate == nullptr ? 0 : candidate->value->configuration.size();
}

const char* tune_lookup_name(const tune_lookup_candidate* candidate, size_t index) {
  return index < tune_lookup_count(candidate) ? candidate->value->configuration[index].first.c_str()
                                              : nullptr;
}

const char* tune_lookup_value(const tune_lookup_candidate* candidate, size_t index) {
  return index < tune_lookup_count(candidate) ? candidate->value->configuration[index].second.c_str()
                                              : nullptr;
}

const char* tune_lookup_text(const tune_lookup_candidate* candidate, const char* name,
                             const char* otherwise) {
  const std::string* value = find(candidate, name);
  return value == nullptr ? otherwise : value->c_str();
}

long long tune_lookup_integer(const tune_lookup_candidate* candidate, const char* name, long long otherwise) {
  const std::string* value = find(candidate, name);
  if (value == nullptr) return otherwise;
  if (*value == "true" || *value == "false") return *value == "true" ? 1 : 0;
  char* end = nullptr;
  const long long number = std::strtoll(value->c_str(), &end, 10);
  return value->empty() || *end != '\0' ? otherwise : number;
}

double tune_lookup_real(const tune_lookup_candidate* candidate, const char* name, double otherwise) {
  const std::string* value = find(candidate, name);
  if (value == nullptr) return otherwise;
  return tune::lookup::real_or(*value, otherwise);
}

}  // extern "C"
