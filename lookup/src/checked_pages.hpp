// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Checksums of the pages of a database: a damaged page is an error of SQLite (SQLITE_CORRUPT), whatever
/// reads it. Tables, indices and the schema are covered, because all of them are pages. For db/store and the
/// .cpp files of this folder; this header is not installed.
///
/// The checksum is in the last eight bytes of a page, which SQLite leaves free where byte 20 of the file says
/// so (SQLITE_FCNTL_RESERVE_BYTES). SQLite itself sees zeros there. So pages that another program copied from
/// the log into the file have zeros in place of a checksum, and are not verified; pages that it changed are
/// taken for damaged.
namespace tune::lookup {

/// The first schema whose files have checksums.
constexpr int first_checked_schema = 5;
/// Bytes at the end of a page.
constexpr int checksum_bytes = 8;

/// Returns the name of the layer of SQLite (VFS) that writes and verifies checksums: for sqlite3_open_v2. It
/// wraps the default layer, and is registered on the first call.
const char* checked_pages_vfs();

/// True when the pages of a file with this beginning have checksums.
bool has_page_checksums(const std::string& file);

/// Returns the numbers of the pages whose checksum does not match, from 1. Empty for a file without
/// checksums. The log beside the file is not read.
std::vector<std::uint32_t> damaged_pages(const std::string& file);

}  // namespace tune::lookup
