// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "db/formats/json_fields.hpp"
#include "db/formats/recorded_json.hpp"
#include "tuner/replay/recorded_space.hpp"

namespace tune::replay {

/// What stands in Kernel Tuner's cache before its entries (`device_name`, `kernel_name`, `problem_size`,
/// `tune_params_keys`, `tune_params`), into the record. Throws Error.
void read_kernel_tuner_head(const Json& head, ThirdPartyRecord& record, const std::string& file);

/// One entry of its `cache`. Throws Error that names `key`.
void read_kernel_tuner_entry(const Json& entry, const std::string& key, ThirdPartyRecord& record,
                             const std::string& file, Samples samples = Samples::skip);

}  // namespace tune::replay
