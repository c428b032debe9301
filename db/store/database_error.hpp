// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Exception.h>

#include <filesystem>

#include "tuner/base/error.hpp"

namespace tune::db {

/// What SQLite said of a file, as one line for people with the cure.
Error to_error(const SQLite::Exception& exception, const std::filesystem::path& path);

/// The file is something else.
Error not_a_database(const std::filesystem::path& path);

}  // namespace tune::db
