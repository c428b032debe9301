// SPDX-License-Identifier: Apache-2.0
#include "cli/input/device_choice.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <set>
#include <sstream>
#include <tuple>

#include "cli/input/command.hpp"
#include "cli/input/stored.hpp"
#include "cli/output/printable_output.hpp"
#include "cli/output/text_layout.hpp"
#include "library/run/gpu.hpp"
#include "library/run/paths.hpp"
#include "tuner/backends/cuda/runner/devices.hpp"
#include "tuner/backends/host/host_device.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/host_limits.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::cli {
namespace {

/// What a command takes instead of a GPU, for users without one.
std::string_view without_gpu(DeviceUse use) {
  switch (use) {
    case DeviceUse::tuning:
      return "--device replay takes recorded results instead";
    case DeviceUse::checking:
      return "--device emulator checks the kernels on the CPU, --arch sm_90 only compiles them";
    case DeviceUse::measuring_again:
      return "stored winners can only be measured again on their device";
    case DeviceUse::limits:
      break;
  }
  return "--arch sm_90 takes an architecture's limits";
}

/// `--device 0` usually means "my GPU": without a GPU it counts as no choice. A script that needs a GPU
/// writes cuda:0.
bool first_gpu_will_do(std::string_view text) {
  return text.empty() || text == "0";
}

/// True for `0,1`.
bool is_list(std::string_view text) {
  const std::size_t comma = text.find(',');
  return comma != std::string_view::npos && run::device_number(text.substr(0, comma)).has_value();
}

bool names_several(std::string_view text) {
  return text == "all" || is_list(text);
}

/// By how much the extents differ, in powers of e.
double unlike(const std::string& size, const Instance& instance) {
  double sum = 0;
  std::istringstream extents(size);
  std::size_t number = 0;
  for (std::string extent; std::getline(extents, extent, 'x'); ++number) {
    const double recorded = std::strtod(extent.c_str(), nullptr);
    if (number < instance.extents.size() && recorded > 0)
      sum += std::abs(std::log(recorded / static_cast<double>(instance.extents[number].second)));
  }
  return sum;
}

/// How many settings differ, and by how much those that are numbers do, in powers of e.
std::pair<std::size_t, double> other_settings(const std::string& settings, const Instance& instance) {
  const Configuration recorded = Configuration::parse(settings);
  std::size_t count = 0;
  double sum = 0;
  for (const auto& entry : recorded.entries())  // an instance has no setting that does not apply to it
    if (std::ranges::count(instance.settings, entry.first, &std::pair<std::string, Value>::first) == 0)
      ++count;
  for (const auto& [name, value] : instance.settings) {
    const Value* const other = recorded.find(name);
    if (other != nullptr && *other == value) continue;
    ++count;
    if (other != nullptr && other->is_number() && value.is_number() && other->as_real() > 0 &&
        value.as_real() > 0)
      sum += std::abs(std::log(other->as_real() / value.as_real()));
  }
  return {count, sum};
}

}  // namespace

std::optional<std::vector<int>> several_devices(const std::string& text) {
  if (!names_several(text)) return std::nullopt;
  std::vector<int> numbers;
  if (text == "all") return numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::optional<int> number = run::device_number(part);
    if (!number)
      throw UsageError(
          format("--device {}: '{}' is not the number of a GPU; 'tune devices' lists them, 'all' takes all",
                 text, part));
    if (std::ranges::find(numbers, *number) != numbers.end())
      throw UsageError(format("--device {}: device {} is named twice; name each once", text, *number));
    numbers.push_back(*number);
    begin = end + 1;
  }
  return numbers;
}

DeviceName parse_device(const std::string& text) {
  using Kind = DeviceName::Kind;
  constexpr std::string_view replay = "replay:";
  if (text.empty()) return {};
  if (text == "emulator") return {.kind = Kind::emulator};
  if (text == "cpu") return {.kind = Kind::cpu};
  if (text == replay) throw UsageError("--device: name the recording: replay:FILE");
  if (text == "replay") return {.kind = Kind::replay};
  if (text.starts_with(replay)) return {.kind = Kind::replay, .text = text.substr(replay.size())};
  if (const auto number = run::device_number(text)) return {.kind = Kind::cuda, .number = *number};
  if (names_several(text))
    throw UsageError(format("--device {}: name one GPU, such as cuda:0; 'tune run' takes several", text));
  if (text == "cuda" || text == "cuda:")
    throw UsageError(format("--device {}: name the number of the GPU: cuda:0", text));
  return {.kind = Kind::named, .text = text};
}

namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// True where the text stands in the name as whole words: `H20` is not a part of `NVIDIA H200`.
bool has_words(const std::string& name, const std::string& text) {
  const auto joins = [&](std::size_t at) {
    return at < name.size() && std::isalnum(static_cast<unsigned char>(name[at])) != 0;
  };
  for (std::size_t at = name.find(text); at != std::string::npos; at = name.find(text, at + 1))
    if ((at == 0 || !joins(at - 1)) && !joins(at + text.size())) return true;
  return false;
}

/// The one of the names that is the text, or contains its words.
std::optional<std::string> name_with(const std::string& text, const std::vector<std::string>& names) {
  if (std::ranges::find(names, text) != names.end()) return text;
  std::set<std::string> fitting;
  for (const std::string& name : names)
    if (has_words(lower(name), lower(text))) fitting.insert(name);
  if (fitting.size() > 1)
    throw UsageError(format("--device: '{}' is part of several names: {}; write a longer part", text,
                            joined(fitting, {}, "; ")));
  return fitting.empty() ? std::nullopt : std::optional(*fitting.begin());
}

/// The number of this machine's GPU that the text names.
std::optional<int> gpu_with(const std::string& text) {
  std::vector<std::string> names;
  for (const DeviceProperties& device : cuda::list_devices(nullptr)) names.push_back(device.name);
  const std::optional<std::string> name = name_with(text, names);
  if (!name) return std::nullopt;
  return static_cast<int>(std::ranges::find(names, *name) - names.begin());
}

[[noreturn]] void refuse_device(const std::string& text, DeviceUse use) {
  if (parse_device(text).kind == DeviceName::Kind::replay)
    throw UsageError(format("--device {}: a replay only tunes: {}", text, without_gpu(use)));
  if (text == "emulator" && use != DeviceUse::checking)
    throw UsageError("--device: the emulator only checks kernels: use 'tune check --device emulator'");
  if (text == "cpu")
    throw UsageError(format(
        "--device cpu: this problem's kernels are of a GPU; the processor runs those in C++ (gemm_host, "
        "'language' of a definition) and commands; {}",
        without_gpu(use)));
  std::vector<std::string> words = {"cuda", "emulator"};
  if (use == DeviceUse::tuning) words.emplace_back("replay");
  throw UsageError(format("unknown device '{}'; {}", text,
                          suggestion(text.substr(0, text.find(':')), words,
                                     format("'tune devices' lists the devices; {}", without_gpu(use)))));
}

}  // namespace

std::optional<std::string> stored_device(const std::string& text, const std::vector<std::string>& names,
                                         const std::vector<std::string>& keys) {
  using Kind = DeviceName::Kind;
  if (std::ranges::find(keys, text) != keys.end()) return text;
  const DeviceName device = parse_device(text);
  if (device.kind == Kind::none) return std::string();
  if (device.kind == Kind::cuda) {
    run::check_device(device.number, "name a device that 'tune list devices' shows");
    return cuda::list_devices(nullptr).at(static_cast<std::size_t>(device.number)).name;
  }
  if (device.kind == Kind::cpu) return name_with(host::device_properties().name, names);
  if (device.kind != Kind::named)
    throw UsageError(
        format("--device {}: this command reads stored results: name a device that 'tune list "
               "devices' shows, or a part of its name",
               text));
  return name_with(text, names);
}

DeviceChoice chosen_device(const std::string& text, DeviceUse use) {
  if (first_gpu_will_do(text)) {
    std::string failure_reason;
    if (!cuda::list_devices(&failure_reason).empty()) return {};
    if (cuda::has_unusable_gpu())
      throw NoDeviceError(
          format("this machine has a GPU that cannot be used: {}; {}", failure_reason, without_gpu(use)));
    return {.kind = DeviceChoice::Kind::replay,
            .recording = {},
            .reason = format("no GPU here ({})", failure_reason)};
  }
  DeviceName device = parse_device(text);
  if (device.kind == DeviceName::Kind::replay && use == DeviceUse::tuning)
    return {.kind = DeviceChoice::Kind::replay, .recording = std::move(device.text), .reason = {}};
  if (device.kind == DeviceName::Kind::named) {
    const std::optional<int> number = gpu_with(text);
    if (!number) refuse_device(text, use);
    return {.number = *number, .recording = {}, .reason = {}};
  }
  if (device.kind != DeviceName::Kind::cuda) refuse_device(text, use);
  run::check_device(device.number, without_gpu(use));
  return {.number = device.number, .recording = {}, .reason = {}};
}

DeviceChoice chosen_device(const std::string& text, DeviceUse use, const ProblemInfo& problem) {
  if (problem.target == Target::gpu) {
    const auto numbers = use == DeviceUse::tuning ? several_devices(text) : std::nullopt;
    if (!numbers) return chosen_device(text, use);
    DeviceChoice choice;
    choice.others = run::equal_devices(*numbers, without_gpu(use), choice.left_out);
    choice.number = choice.others.front();
    choice.others.erase(choice.others.begin());
    return choice;
  }
  if (names_several(text))
    throw UsageError(format("--device {}: {} runs on the processor: --device cpu", text, problem.name));
  DeviceName device = parse_device(text);
  if (device.kind == DeviceName::Kind::none || device.kind == DeviceName::Kind::cpu)
    return {.kind = DeviceChoice::Kind::cpu, .recording = {}, .reason = {}};
  if (device.kind == DeviceName::Kind::replay && use == DeviceUse::tuning)
    return {.kind = DeviceChoice::Kind::replay, .recording = std::move(device.text), .reason = {}};
  throw UsageError(format("--device {}: {} runs on the processor: --device cpu", text, problem.name));
}

std::vector<std::string> nearest_first(std::vector<std::string> recorded, const Instance& instance) {
  const auto order = [&](const std::string& text) {
    std::istringstream words(text);
    std::string size, settings;
    words >> size >> settings;
    const auto [count, ratio] =
        other_settings(settings.find('=') != std::string::npos ? settings : "", instance);
    return std::tuple(count, unlike(size, instance), ratio, text);
  };
  std::ranges::sort(recorded, {}, order);
  recorded.erase(std::unique(recorded.begin(), recorded.end()), recorded.end());
  return recorded;
}

std::vector<std::string> recorded_sizes(const Instance& instance) {
  std::vector<std::string> all;
  for (const std::filesystem::path& path : run::shipped_recordings()) try {
      const db::Database database(path, db::OpenMode::immutable);
      for (std::string& one : db::recorded_instances(database, instance.problem))
        all.push_back(std::move(one));
    } catch (const Error& error) {
      tell_left_out(error.what());
    }
  return nearest_first(std::move(all), instance);
}

std::string options_of_recorded(const std::string& recorded) {
  std::istringstream words(recorded);
  std::string size, settings;
  words >> size >> settings;
  std::string options = "--size " + size;
  if (settings.find('=') != std::string::npos) options += " --set " + shell_quoted(settings);
  if (recorded.find(" with warm caches") != std::string::npos) options += " --cache warm";
  return options;
}

namespace {

/// The commands that replay what is recorded, at most ten; then how many more there are.
std::vector<std::string> commands_for(const std::vector<std::string>& recorded, const std::string& problem,
                                      const std::string& file) {
  constexpr std::size_t most = 10;
  const std::string device = file.empty() ? "replay" : "replay:" + shell_quoted(file);
  std::vector<std::string> lines;
  for (const std::string& one : recorded) {
    if (lines.size() == most) {
      lines.push_back(format(
          "and {} more: {}", recorded.size() - most,
          file.empty() ? "tune list problems " + problem : "tune list runs --db " + shell_quoted(file)));
      break;
    }
    lines.push_back(format("tune run {} {} --device {}", problem, options_of_recorded(one), device));
  }
  return lines;
}

}  // namespace

db::Recording open_recording(const DeviceChoice& choice, const Instance& instance, CacheState cache) {
  const bool shipped = choice.recording.empty();
  const std::vector<std::filesystem::path> files =
      shipped ? run::shipped_recordings() : std::vector<std::filesystem::path>{choice.recording};
  const std::string reason = choice.reason.empty() ? "" : choice.reason + ", and ";
  if (files.empty())
    throw UsageError(format(
        "{}no recordings were installed with the program; name one with --device replay:FILE, or tune on a GPU with --device cuda:0",
        reason));
  if (!shipped && !std::filesystem::exists(choice.recording))
    throw UsageError(format("--device: there is no recording '{}'", choice.recording));
  std::vector<std::string> recorded;
  bool all_were_read = true;
  for (const std::filesystem::path& path : files) try {
      const db::Database database(path, shipped ? db::OpenMode::immutable : db::OpenMode::read_only);
      const LeftOutRows left_out(database);
      if (auto found = db::find_recording(database, instance, cache, !shipped)) return std::move(*found);
      for (const std::string& other : db::recorded_instances(database, instance.problem))
        recorded.push_back(other);
    } catch (const Error& error) {
      if (!shipped) throw;
      tell_left_out(error.what());
      all_were_read = false;
    }
  if (!all_were_read && recorded.empty())
    throw Error(
        format("{}no recording that can be read has {} {}: see the reason above, or measure on a GPU with "
               "--device cuda:0",
               reason, instance.problem, instance.key()));
  const std::string missing =
      format("{}no recording has {} {}{}; on a machine with a GPU, --device cuda:0 measures", reason,
             instance.problem, instance.key(), cache == CacheState::warm ? " with warm caches" : "");
  if (recorded.empty())
    throw UsageError(
        missing +
        "; no size of this problem is recorded; 'tune check --device emulator' checks it on the CPU");
  throw ListedError(missing + "; recorded, the nearest first:",
                    commands_for(nearest_first(recorded, instance), instance.problem, choice.recording));
}

DeviceProperties properties_or_architecture(const std::string& device, const std::string& architecture,
                                            std::string& notice) {
  if (!architecture.empty()) return architecture_properties(architecture);
  std::string failure_reason;
  const std::vector<DeviceProperties> devices = cuda::list_devices(&failure_reason);
  if (first_gpu_will_do(device) && devices.empty()) {
    notice =
        format("no GPU here ({}): taking the limits of sm_90; choose others with --arch", failure_reason);
    return architecture_properties("sm_90");
  }
  if (parse_device(device).kind == DeviceName::Kind::named && !gpu_with(device)) {
    const StoredDatabases databases("");
    std::vector<std::string> names;
    std::vector<db::DeviceSummary> stored;
    for (const db::Database* database : databases.all())
      for (db::DeviceSummary& one : db::list_devices(*database)) {
        if (one.properties.compute_major == 0) continue;  // imported
        names.push_back(one.name);
        stored.push_back(std::move(one));
      }
    if (const auto name = name_with(device, names))
      return std::ranges::find(stored, *name, &db::DeviceSummary::name)->properties;
  }
  const DeviceChoice choice = chosen_device(device, DeviceUse::limits);
  return devices.at(static_cast<std::size_t>(choice.number));
}

void ProcessOptions::add_to(OptionTable& table) {
  table.seconds("timeout", "time limit of one execution of a kernel: 500ms, 10s, 2m", timeout)
      .by_default("10s")
      .tells(timeout_given);
  table
      .seconds("compile-timeout",
               "time limit of one compile, after which the configuration fails; not with --in-process",
               compile_timeout)
      .by_default("5m");
  table.count("compilers", "N",
              "number of kernels compiled at the same time; default: as many as cores and memory allow",
              compilers, 1);
  table.flag(
      "in-process",
      "launch and compile in this process, for debuggers and profilers: a fault or a hang then ends the run",
      in_process);
}

unsigned compilers_of(const ProcessOptions& options) {
  constexpr std::uint64_t most = 1024;  // each has a thread and a process
  return options.compilers > 0 ? static_cast<unsigned>(std::min(options.compilers, most))
                               : default_compilers();
}

std::unique_ptr<Backend> open_backend(const DeviceChoice& device, const ProcessOptions& options) {
  const bool is_gpu = device.kind == DeviceChoice::Kind::cuda;
  return run::open_device(is_gpu ? std::optional(device.number) : std::nullopt, options.timeout,
                          options.in_process, "--in-process", {}, options.compile_timeout);
}

void CacheOptions::add_to(OptionTable& table) {
  table.text(
      "cache-dir", "DIR",
      "keep compiled kernels in this folder; default: $TUNE_CACHE_DIR, else $XDG_CACHE_HOME/tune/binaries, else ~/.cache/tune/binaries",
      folder);
  table.flag("no-compile-cache", "neither use nor keep compiled kernels", off);
}

std::shared_ptr<cache::BinaryCache> chosen_cache(const CacheOptions& options) {
  return options.off ? nullptr : run::open_cache(options.folder);
}

void tell_notice(const cache::BinaryCache* cache) {
  if (cache != nullptr && !cache->notice().empty()) say(cache->notice());
}

}  // namespace tune::cli
