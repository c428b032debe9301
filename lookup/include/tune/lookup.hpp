// SPDX-License-Identifier: Apache-2.0
// Fetches tuned configurations from a program: C++17, no header but the standard library's. See
// docs/lookup.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#if defined(__GNUC__)
#define TUNE_LOOKUP_API __attribute__((visibility("default")))
#else
#define TUNE_LOOKUP_API
#endif

namespace tune::lookup {

/// Why there is no answer. The numbers are those of `tune_lookup_status` in lookup.h.
enum class Code {
  bad_query = 1,       ///< no problem named, an extent that is not positive, ...
  missing = 2,         ///< a file that was named is not there
  older_schema = 3,    ///< made by a tune too old for this library
  newer_schema = 4,    ///< made by a tune newer than this library
  not_a_database = 5,  ///< some other file
  damaged = 6,
  busy = 7,        ///< locked by another process for longer than Options::patience_ms
  unreadable = 8,  ///< permissions, a broken disk, no memory
};

struct Error {
  Code code = Code::unreadable;
  std::string message;  ///< one line that names the file and the cure
};

/// A value, or why there is none. Copies share the value, which never changes: copying is cheap, and a copy
/// may be used in another thread.
template<class T>
class Expected {
 public:
  Expected(std::shared_ptr<const T> value) : value_(std::move(value)) {}
  Expected(Error error) : error_(std::make_shared<const Error>(std::move(error))) {}

  explicit operator bool() const { return value_ != nullptr; }
  /// Only where there is a value.
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  /// Only where there is none.
  const Error& error() const { return *error_; }

 private:
  std::shared_ptr<const T> value_;
  std::shared_ptr<const Error> error_;
};

/// The device that will run the kernel; what is left out (empty, 0) is not held against a record. A name
/// alone does for a device that was tuned on; the rest is what finds the nearest where it was not.
struct Device {
  std::string name;                ///< cudaDeviceProp::name: `NVIDIA H200`
  int compute_major = 0;           ///< cudaDeviceProp::major
  int compute_minor = 0;           ///< cudaDeviceProp::minor
  int multiprocessors = 0;         ///< cudaDeviceProp::multiProcessorCount
  std::int64_t global_memory = 0;  ///< bytes: cudaDeviceProp::totalGlobalMem
  double bandwidth = 0;            ///< bytes a second: 2 * memory clock * bus width / 8
  std::string driver;              ///< `580.159.04`, as NVML tells it
};

/// What is to be run.
struct Query {
  std::string problem;  ///< `stencil3d`
  Device device;        ///< empty: any
  /// Extents in the problem's order (`tune list problems`): nx, ny, nz. Empty: any.
  std::vector<std::int64_t> size;
  /// `{"type", "double"}`. What is left out is at its default. Works with other settings are never offered.
  std::vector<std::pair<std::string, std::string>> settings;
  std::string compiler;      ///< `NVRTC 13.0 sm_90`; empty: any
  std::string source_hash;   ///< of the kernel files that will be compiled; empty: any
  bool warm_caches = false;  ///< of times taken with warm caches instead of cold ones
};

/// How a configuration was found, the best first.
enum class Match {
  exact,              ///< recorded for this problem, size, settings and device model
  nearest_size,       ///< on this device model, at the nearest size that was recorded
  same_architecture,  ///< on the most similar device of the same compute capability, at the nearest size
  portfolio,          ///< what loses least over all recorded works: nothing like the query was recorded
  none,               ///< nothing is known of this problem with these settings
};
/// `exact`, `nearest size`, `same architecture`, `portfolio`, `none`.
TUNE_LOOKUP_API const char* to_string(Match match);

/// A share of the time that is lost against the best there is: 0.03 is 3 % slower.
struct Loss {
  double expected = 0;  ///< mean over the pairs
  double worst = 0;     ///< of the pairs
  /// Pairs of recorded works on which this rests: how much slower the winner of the one was in the other. For
  /// a portfolio: the works that the configuration was measured in.
  int pairs = 0;
};

/// A configuration, what to expect of it, and how it was found.
struct TUNE_LOOKUP_API Candidate {
  Match match = Match::none;
  /// Names and values as text (`32`, `true`, `streaming`), in the problem's order. Empty: Match::none.
  std::vector<std::pair<std::string, std::string>> configuration;
  double seconds = 0;  ///< expected at the size asked for: the record's, scaled by the volume. 0: unknown
  double recorded_seconds = 0;  ///< where it was recorded
  double recorded_value = 0;    ///< what it won by there: seconds
  double distance = 0;          ///< 0: the same size and device; see docs/lookup.md
  std::optional<Loss> loss;     ///< of matches that are not exact, where the records tell
  bool other_driver = false;    ///< than asked for; these three make a record stale
  bool other_compiler = false;
  bool other_sources = false;
  bool stale() const { return other_driver || other_compiler || other_sources; }
  std::string size;                       ///< of the record: `512x512x512`
  std::string device;                     ///< of the record: its model
  std::string driver;                     ///< of the record
  std::string compiler;                   ///< of the record
  std::string database;                   ///< the file it is in
  std::int64_t work = 0, evaluation = 0;  ///< its rows there
  std::string why;                        ///< one sentence for people

  /// The value of a parameter; `otherwise` where the configuration has none of that name, or it is no such
  /// value.
  std::string text(const std::string& name, const std::string& otherwise = {}) const;
  long long integer(const std::string& name, long long otherwise) const;
  double real(const std::string& name, double otherwise) const;
  bool flag(const std::string& name, bool otherwise) const;
};

/// Where to look. What is not given is searched where the command line does.
struct Options {
  /// The person's database. Not given: $TUNE_DB, $XDG_DATA_HOME/tune/results.db,
  /// ~/.local/share/tune/results.db; that one may be missing. Empty: none.
  std::optional<std::string> database;
  /// Recordings that nobody changes: files, or folders of *.db. Not given: $TUNE_RECORDINGS, else
  /// ../share/tune/recordings beside the program and beside this library, else where it was installed. Empty:
  /// none.
  std::optional<std::vector<std::string>> recordings;
  int patience_ms = 250;  ///< to wait for a process that holds a file
};

/// Open databases. All functions may be called from several threads at once, on one object and on copies: a
/// first answer of a kind is made under a lock, repeated ones are looked up side by side. Copies share files
/// and answers. No function throws but for lack of memory; the files are never written. After a fork, open
/// another.
class TUNE_LOOKUP_API Lookup {
 public:
  static Expected<Lookup> open(const Options& options = {});

  /// The best for the query; a Candidate of Match::none where nothing fits. An answer is kept until
  /// `refresh`, by the whole query. The library knows no constraints: at another size the configuration may
  /// not be valid. Then take the next of `candidates`.
  Expected<Candidate> best(const Query& query) const;
  /// At most so many different configurations, the best first: those of the record that fits best by their
  /// rank, then of the next, at last the portfolio's. Empty where nothing fits.
  Expected<std::vector<Candidate>> candidates(const Query& query, std::size_t most) const;
  /// Forgets all answers, to see what was recorded since.
  void refresh() const;
  /// The files that are open, the person's own first.
  const std::vector<std::string>& files() const;

  class Shared;
  explicit Lookup(std::shared_ptr<Shared> shared);

 private:
  std::shared_ptr<Shared> shared_;
};

}  // namespace tune::lookup
