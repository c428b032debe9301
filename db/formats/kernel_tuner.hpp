// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "db/formats/json_fields.hpp"
#include "db/formats/recorded_json.hpp"
#include "tuner/replay/recorded_space.hpp"

namespace tune::replay {

/// Reads the head of Kernel Tuner's cache (`device_name`, `kernel_name`, `problem_size`, `tune_params_keys`,
/// `tune_params`) into the record. Throws Error.
void read_kernel_tuner_head(const Json& head, ThirdPartyRecord& record, const std::string& file);

/// Reads one entry of its `cache`. Throws Error that names `key`.
void read_kernel_tuner_entry(const Json& entry, const std::string& key, ThirdPartyRecord& record,
                             const std::string& file, Samples samples = Samples::skip);

}  // namespace tune::replay
