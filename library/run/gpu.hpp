// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/backends/backend.hpp"
#include "tuner/cache/binary_cache.hpp"

namespace tune::run {

/// Says that this program is `tune`, so that it starts itself as its workers, whatever its name is.
void serve_workers();

/// Returns the number in `0` or `cuda:0`; nothing for another text.
std::optional<int> device_number(std::string_view text);

/// Throws NoDeviceError where this machine has no GPU of that number. The message lists the GPUs; where there
/// is none it names the cause and, with `instead`, what to do without one.
void check_device(int number, std::string_view instead);

/// Finds the program `tune`, which serves as the worker process: $TUNE_WORKER; this program where it is
/// `tune`, by whatever name; `tune` beside this program; bin/tune in the prefix of the shared library that
/// this code is in; in `installed`, if any; where the build was to be installed; `tune` in $PATH. Nothing
/// where there is none.
std::optional<std::filesystem::path> worker_program(const std::filesystem::path& installed = {});

/// Opens a GPU by its number, or the processor if `gpu` is empty. Kernels run in worker processes, unless
/// `in_process`; those of a GPU are compiled in workers too. `timeout`: seconds that a kernel may run once;
/// `installed`: see worker_program; `compile_timeout`: seconds that a compile may take, which only other
/// processes keep. Throws Error where there is no such device, no compiler for it, or no program for the
/// workers: the message then names `in_process_setting` as a cure.
std::unique_ptr<Backend> open_device(std::optional<int> gpu, double timeout, bool in_process,
                                     std::string_view in_process_setting,
                                     const std::filesystem::path& installed = {},
                                     double compile_timeout = default_compile_timeout);

/// Opens several GPUs, in worker processes, that share the compiler of the first, which must be of their
/// architecture and outlive them.
std::vector<std::unique_ptr<Backend>> open_more_devices(const Backend& first, const std::vector<int>& gpus,
                                                        double timeout);

/// The GPUs of `numbers` that can share a run with the first of them: of its model, with its driver.
/// `left_out` gets a line about each other one. Empty numbers stand for all GPUs. Throws as check_device,
/// whose `instead` it takes.
std::vector<int> equal_devices(std::vector<int> numbers, std::string_view instead,
                               std::vector<std::string>& left_out);
/// The same of these devices, which must be there.
std::vector<int> of_one_model(const std::vector<DeviceProperties>& devices, const std::vector<int>& numbers,
                              std::vector<std::string>& left_out);

/// Makes a compiler for an architecture, in worker processes, which can be ended while they compile; in this
/// process where `in_process` or where there is no program for the workers. Throws Error where there is none.
std::unique_ptr<Compiler> open_compiler(const std::string& architecture, bool in_process,
                                        double compile_timeout = default_compile_timeout);

/// Returns a question: does a compiler for devices take this request? It opens one at the first need. The
/// answer is no where there is none.
std::function<bool(const CompileRequest&)> device_takes(bool in_process,
                                                        double compile_timeout = default_compile_timeout);

/// Opens the cache of device binaries in `folder`, by default in cache_folder(), with the limit
/// $TUNE_CACHE_SIZE. Where the folder cannot be used, the cache has a notice. Throws UsageError for a size
/// that cannot be read.
std::shared_ptr<cache::BinaryCache> open_cache(const std::string& folder = {});

}  // namespace tune::run
