// SPDX-License-Identifier: Apache-2.0
// Fetches tuned configurations from databases: C++17, with headers of the standard library alone. See
// docs/reference/lookup.md.
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

/// The reason if there is no answer. The numbers are those of `tune_lookup_status` in lookup.h.
enum class Code {
  bad_query = 1,       ///< no problem named, an extent not positive, ...
  missing = 2,         ///< a named file does not exist
  older_schema = 3,    ///< written by a tune too old for this library
  newer_schema = 4,    ///< written by a tune newer than this library
  not_a_database = 5,  ///< a file of another kind
  damaged = 6,
  busy = 7,        ///< locked by another process for longer than Options::patience_ms
  unreadable = 8,  ///< permissions, a broken disk, no memory
};

struct Error {
  Code code = Code::unreadable;
  std::string message;  ///< one line that names the file and the cure
};

/// A value, or the error instead. Copies share the value, which never changes: copying is cheap, and a copy
/// may be used in another thread.
template<class T>
class Expected {
 public:
  Expected(std::shared_ptr<const T> value) : value_(std::move(value)) {}
  Expected(Error error) : error_(std::make_shared<const Error>(std::move(error))) {}

  explicit operator bool() const { return value_ != nullptr; }
  /// Returns the value; only if there is one.
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  /// Returns the error; only if there is no value.
  const Error& error() const { return *error_; }

 private:
  std::shared_ptr<const T> value_;
  std::shared_ptr<const Error> error_;
};

/// The device that will run the kernel. Members that are left out (empty, 0) match any record. A name
/// suffices for a device model with records; the other members find the most similar one if there are
/// none.
struct Device {
  std::string name;                ///< cudaDeviceProp::name: `NVIDIA H200`
  int compute_major = 0;           ///< cudaDeviceProp::major
  int compute_minor = 0;           ///< cudaDeviceProp::minor
  int multiprocessors = 0;         ///< cudaDeviceProp::multiProcessorCount
  std::int64_t global_memory = 0;  ///< bytes: cudaDeviceProp::totalGlobalMem
  double bandwidth = 0;            ///< bytes per second: 2 * memory clock * bus width / 8
  std::string driver;              ///< `580.159.04`, as NVML reports it
  /// Of a device model, results of this board come before those of others: if both members are given,
  /// first this board under this limit, then other boards under it, then those of unknown limits, then
  /// others.
  std::string board;       ///< its UUID: `GPU-...`, as NVML and `nvidia-smi -L` report it
  double power_limit = 0;  ///< watts, as enforced; limits within 1 % are equal
};

/// The problem and instance that will run.
struct Query {
  std::string problem;  ///< `stencil3d`
  Device device;        ///< empty: any
  /// The extents in the problem's order (`tune list problems`): nx, ny, nz. Empty: any.
  std::vector<std::int64_t> size;
  /// The settings, `{"type", "double"}`. Those left out are at their defaults. Records with other settings
  /// are never offered.
  std::vector<std::pair<std::string, std::string>> settings;
  std::string compiler;      ///< `NVRTC 13.0 sm_90`; empty: any
  std::string source_hash;   ///< of the kernel files that will be compiled; empty: any
  bool warm_caches = false;  ///< use times taken with warm caches instead of cold ones
  /// Use results that other programs measured, instead of those of tune: compiler, sources and driver are not
  /// known then, and nothing was checked.
  bool imported = false;
};

/// How a configuration was found, the best way first.
enum class Match {
  exact,              ///< recorded for this problem, size, settings and device model
  nearest_size,       ///< on this device model, at the nearest size that was recorded
  same_architecture,  ///< on the most similar device of the same compute capability, at the nearest size
  portfolio,          ///< the one that loses least over all records; none of them fits the query
  none,               ///< there are no records of this problem with these settings
};
/// Returns `exact`, `nearest size`, `same architecture`, `portfolio` or `none`.
TUNE_LOOKUP_API const char* to_string(Match match);

/// The loss against the best configuration, as a share of its time: 0.03 is 3 % slower.
struct Loss {
  double expected = 0;  ///< mean over the pairs
  double worst = 0;     ///< of the pairs
  /// The number of pairs of recorded workloads behind it: how much slower the winner of one was in the other.
  /// For a portfolio the number of workloads in which the configuration was measured.
  int pairs = 0;
};

/// A configuration, its expected time and loss, and how it was found.
struct TUNE_LOOKUP_API Candidate {
  Match match = Match::none;
  /// Names and values as text (`32`, `true`, `streaming`), in the problem's order. Empty for Match::none.
  std::vector<std::pair<std::string, std::string>> configuration;
  double seconds = 0;  ///< expected at the size asked for: the record's, scaled by the volume. 0: unknown
  double recorded_seconds = 0;  ///< at the size and on the device of the record
  double recorded_value = 0;    ///< the value that it was ranked by there: seconds
  double distance = 0;          ///< 0: the same size and device; see docs/reference/lookup.md
  std::optional<Loss> loss;     ///< of matches that are not exact, if the records show it
  bool other_driver = false;    ///< than asked for; each of these three makes a record stale
  bool other_compiler = false;
  bool other_sources = false;
  bool stale() const { return other_driver || other_compiler || other_sources; }
  bool imported = false;                  ///< another program measured it
  std::string size;                       ///< of the record: `512x512x512`
  std::string device;                     ///< of the record: its model
  std::string driver;                     ///< of the record
  std::string compiler;                   ///< of the record
  std::string database;                   ///< the file it is in
  std::int64_t work = 0, evaluation = 0;  ///< its rows there
  std::string board;                      ///< of the record: its UUID; empty: not known
  double power_limit = 0;                 ///< of the record, in watts; 0: not known
  /// How this limit differs from the one asked about, of a record on that device model: its times do not
  /// hold. Empty if it does not, or none was asked about.
  std::string board_difference;
  std::string why;  ///< one sentence: how the record fits

  /// Return the value of a parameter, or `otherwise` if the configuration has none of that name or of that
  /// type.
  std::string text(const std::string& name, const std::string& otherwise = {}) const;
  long long integer(const std::string& name, long long otherwise) const;
  double real(const std::string& name, double otherwise) const;
  bool flag(const std::string& name, bool otherwise) const;
};

/// The files to search. Those not named are found as by the command line.
struct Options {
  /// The user's database. Without a value it is $TUNE_DB, $XDG_DATA_HOME/tune/results.db or
  /// ~/.local/share/tune/results.db, which may be missing. Empty: none.
  std::optional<std::string> database;
  /// Recordings, which never change: files, or folders of *.db. Without a value they are in $TUNE_RECORDINGS,
  /// else ../share/tune/recordings beside the program and beside this library, else where it was installed.
  /// Empty: none.
  std::optional<std::vector<std::string>> recordings;
  int patience_ms = 250;  ///< to wait for a process that holds a file
  /// The prefix in which tune is installed: its share/tune/recordings is searched, too. A static library does
  /// not find it by itself, so that packages define it.
#ifdef TUNE_INSTALLED_IN
  std::string installed = TUNE_INSTALLED_IN;
#else
  std::string installed = {};
#endif
};

/// Open databases. All functions may be called from several threads at once, on one object and on copies: new
/// questions take a lock, repeated ones are answered in parallel. Copies share files and answers. No function
/// throws except std::bad_alloc; the files are never written. Open another one after a fork.
class TUNE_LOOKUP_API Lookup {
 public:
  static Expected<Lookup> open(const Options& options = {});

  /// Returns the best for the query, or a Candidate of Match::none if nothing fits. Answers are kept until
  /// `refresh`, by the whole query. Constraints are not checked: at another size the configuration may not be
  /// valid; then take the next of `candidates`.
  Expected<Candidate> best(const Query& query) const;
  /// Returns at most so many different configurations, the best first: those of the best fitting record by
  /// their rank, then of the next, at last the portfolio's. Empty if nothing fits.
  Expected<std::vector<Candidate>> candidates(const Query& query, std::size_t most) const;
  /// Forgets all answers, so that later records are seen.
  void refresh() const;
  /// Returns the open files, the user's own first.
  const std::vector<std::string>& files() const;

  class Shared;
  explicit Lookup(std::shared_ptr<Shared> shared);

 private:
  std::shared_ptr<Shared> shared_;
};

}  // namespace tune::lookup
