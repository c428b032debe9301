// SPDX-License-Identifier: Apache-2.0
#include "lookup/src/checked_pages.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <list>
#include <mutex>

#include "lookup/src/connection.hpp"

namespace tune::lookup {
namespace {

using Byte = unsigned char;

constexpr int header_bytes = 100, smallest_page = 512;

std::uint32_t big_endian(const Byte* bytes) {
  return static_cast<std::uint32_t>(bytes[0]) << 24 | static_cast<std::uint32_t>(bytes[1]) << 16 |
         static_cast<std::uint32_t>(bytes[2]) << 8 | bytes[3];
}

/// Each step is one-to-one in the state and in the word: one changed word always changes the result.
std::uint64_t mixed(std::uint64_t state, std::uint64_t word) {
  state = (state ^ word) * 0x9e3779b97f4a7c15;
  return state ^ state >> 29;
}

/// Returns the checksum of a page without its last bytes, and of its place in the file. Never 0.
std::uint64_t checksum(const Byte* page, int bytes, std::int64_t offset) {
  std::uint64_t state = mixed(0x74756e652d706167, static_cast<std::uint64_t>(offset));
  for (int at = 0; at < bytes - checksum_bytes; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, page + at, sizeof word);
    state = mixed(state, word);
  }
  return state == 0 ? 1 : state;
}

std::uint64_t stored_checksum(const Byte* page, int bytes) {
  std::uint64_t stored = 0;
  std::memcpy(&stored, page + bytes - checksum_bytes, sizeof stored);
  return stored;
}

/// True where the page has no checksum, or the right one.
bool is_sound(const Byte* page, int bytes, std::int64_t offset) {
  const std::uint64_t stored = stored_checksum(page, bytes);
  return stored == 0 || stored == checksum(page, bytes, offset);
}

/// What the first bytes of a file say.
struct Header {
  bool known = false;  ///< there is a file with a header
  bool ours = false;   ///< of a schema with checksums
  int page_bytes = 0;
  int reserved = 0;  ///< bytes at the end of each page
};

Header header_of(const Byte* bytes) {
  Header header;
  if (std::memcmp(bytes, "SQLite format 3", 16) != 0) return header;
  header.known = true;
  header.page_bytes = bytes[16] << 8 | bytes[17];
  if (header.page_bytes == 1) header.page_bytes = 65536;
  header.reserved = bytes[20];
  header.ours = big_endian(bytes + 68) == application_id &&
                static_cast<std::int32_t>(big_endian(bytes + 60)) >= first_checked_schema;
  return header;
}

/// A file of SQLite with the file of the wrapped layer behind it.
struct CheckedFile {
  sqlite3_file base;
  Header header;

  sqlite3_file* wrapped() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  const sqlite3_io_methods* methods() { return wrapped()->pMethods; }
  bool writes() const { return header.known && header.reserved == checksum_bytes; }
  bool verifies() const { return writes() && header.ours; }
  bool is_page(int bytes, sqlite3_int64 offset) const {
    return bytes >= smallest_page && bytes == header.page_bytes && offset % bytes == 0;
  }
};

CheckedFile& of(sqlite3_file* file) {
  return *reinterpret_cast<CheckedFile*>(file);
}

/// True where the reserved bytes are those of a file with checksums but for this one number, which is damaged
/// then.
bool lost_its_reserve(const Header& header, const Byte* page, int bytes) {
  if (!header.ours || header.reserved == checksum_bytes) return false;
  if (header.reserved != 0) return true;  // tune writes 0 or checksum_bytes
  std::vector<Byte> repaired(page, page + bytes);
  repaired[20] = checksum_bytes;
  return stored_checksum(page, bytes) != 0 && is_sound(repaired.data(), bytes, 0);
}

int read(sqlite3_file* file, void* buffer, int bytes, sqlite3_int64 offset) {
  CheckedFile& checked = of(file);
  const int code = checked.methods()->xRead(checked.wrapped(), buffer, bytes, offset);
  if (code != SQLITE_OK) return code;
  auto* page = static_cast<Byte*>(buffer);
  if (offset == 0 && bytes >= header_bytes) checked.header = header_of(page);
  if (!checked.is_page(bytes, offset)) return SQLITE_OK;
  if (offset == 0 && lost_its_reserve(checked.header, page, bytes)) return SQLITE_CORRUPT;
  if (!checked.writes()) return SQLITE_OK;
  if (checked.verifies() && !is_sound(page, bytes, offset)) return SQLITE_CORRUPT;
  std::memset(page + bytes - checksum_bytes, 0, checksum_bytes);
  return SQLITE_OK;
}

int write(sqlite3_file* file, const void* buffer, int bytes, sqlite3_int64 offset) {
  CheckedFile& checked = of(file);
  const auto* page = static_cast<const Byte*>(buffer);
  if (offset == 0 && bytes >= header_bytes) {
    checked.header = header_of(page);
  } else if (!checked.header.known && bytes >= smallest_page) {  // another process made the file
    Byte start[header_bytes];
    if (checked.methods()->xRead(checked.wrapped(), start, header_bytes, 0) == SQLITE_OK)
      checked.header = header_of(start);
  }
  if (!checked.writes() || !checked.is_page(bytes, offset))
    return checked.methods()->xWrite(checked.wrapped(), buffer, bytes, offset);
  std::vector<Byte> copy(page, page + bytes);
  const std::uint64_t sum = checksum(page, bytes, offset);
  std::memcpy(copy.data() + bytes - checksum_bytes, &sum, sizeof sum);
  return checked.methods()->xWrite(checked.wrapped(), copy.data(), bytes, offset);
}

/// The function of the wrapped file, called with the same arguments.
template<auto Member, class... Arguments>
auto forward(sqlite3_file* file, Arguments... arguments) {
  return (of(file).methods()->*Member)(of(file).wrapped(), arguments...);
}

int close(sqlite3_file* file) {
  const int code = forward<&sqlite3_io_methods::xClose>(file);
  file->pMethods = nullptr;
  return code;
}

/// Version 1 for layers without shared memory. Without xFetch: mapped pages would not be verified.
sqlite3_io_methods methods_of(int version) {
  sqlite3_io_methods m = {};
  m.iVersion = version;
  m.xClose = close;
  m.xRead = read;
  m.xWrite = write;
  m.xTruncate = [](sqlite3_file* f, sqlite3_int64 size) {
    return forward<&sqlite3_io_methods::xTruncate>(f, size);
  };
  m.xSync = [](sqlite3_file* f, int flags) { return forward<&sqlite3_io_methods::xSync>(f, flags); };
  m.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
    return forward<&sqlite3_io_methods::xFileSize>(f, size);
  };
  m.xLock = [](sqlite3_file* f, int lock) { return forward<&sqlite3_io_methods::xLock>(f, lock); };
  m.xUnlock = [](sqlite3_file* f, int lock) { return forward<&sqlite3_io_methods::xUnlock>(f, lock); };
  m.xCheckReservedLock = [](sqlite3_file* f, int* out) {
    return forward<&sqlite3_io_methods::xCheckReservedLock>(f, out);
  };
  m.xFileControl = [](sqlite3_file* f, int what, void* value) {
    return forward<&sqlite3_io_methods::xFileControl>(f, what, value);
  };
  m.xSectorSize = [](sqlite3_file* f) { return forward<&sqlite3_io_methods::xSectorSize>(f); };
  m.xDeviceCharacteristics = [](sqlite3_file* f) {
    return forward<&sqlite3_io_methods::xDeviceCharacteristics>(f);
  };
  m.xShmMap = [](sqlite3_file* f, int page, int size, int extend, void volatile** memory) {
    return forward<&sqlite3_io_methods::xShmMap>(f, page, size, extend, memory);
  };
  m.xShmLock = [](sqlite3_file* f, int offset, int count, int flags) {
    return forward<&sqlite3_io_methods::xShmLock>(f, offset, count, flags);
  };
  m.xShmBarrier = [](sqlite3_file* f) { forward<&sqlite3_io_methods::xShmBarrier>(f); };
  m.xShmUnmap = [](sqlite3_file* f, int remove) {
    return forward<&sqlite3_io_methods::xShmUnmap>(f, remove);
  };
  return m;
}

sqlite3_vfs* wrapped(sqlite3_vfs* vfs) {
  return static_cast<sqlite3_vfs*>(vfs->pAppData);
}

/// Only the database itself is wrapped: SQLite's log has checksums of its own.
int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  static const sqlite3_io_methods with_shared_memory = methods_of(2), without = methods_of(1);
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0)
    return wrapped(vfs)->xOpen(wrapped(vfs), name, file, flags, out_flags);
  CheckedFile& checked = of(file);
  checked.header = {};
  checked.base.pMethods = nullptr;
  checked.wrapped()->pMethods = nullptr;
  const int code = wrapped(vfs)->xOpen(wrapped(vfs), name, checked.wrapped(), flags, out_flags);
  if (checked.methods() != nullptr)
    checked.base.pMethods = checked.methods()->iVersion >= 2 ? &with_shared_memory : &without;
  return code;
}

/// A layer around another one.
struct Layer {
  explicit Layer(sqlite3_vfs* inner) : name(std::string("tune-checked-") + inner->zName) {
    vfs = *inner;  // its functions that take no file keep working: they are given the wrapped layer
    vfs.pNext = nullptr;
    vfs.zName = name.c_str();
    vfs.pAppData = inner;
    vfs.iVersion = std::min(inner->iVersion, 2);
    vfs.szOsFile = static_cast<int>(sizeof(CheckedFile)) + inner->szOsFile;
    vfs.xOpen = open;
    vfs.xDelete = [](sqlite3_vfs* v, const char* file, int sync) {
      return wrapped(v)->xDelete(wrapped(v), file, sync);
    };
    vfs.xAccess = [](sqlite3_vfs* v, const char* file, int flags, int* out) {
      return wrapped(v)->xAccess(wrapped(v), file, flags, out);
    };
    vfs.xFullPathname = [](sqlite3_vfs* v, const char* file, int size, char* out) {
      return wrapped(v)->xFullPathname(wrapped(v), file, size, out);
    };
    vfs.xDlOpen = [](sqlite3_vfs* v, const char* file) { return wrapped(v)->xDlOpen(wrapped(v), file); };
    vfs.xDlError = [](sqlite3_vfs* v, int size, char* out) { wrapped(v)->xDlError(wrapped(v), size, out); };
    vfs.xDlSym = [](sqlite3_vfs* v, void* library, const char* symbol) {
      return wrapped(v)->xDlSym(wrapped(v), library, symbol);
    };
    vfs.xDlClose = [](sqlite3_vfs* v, void* library) { wrapped(v)->xDlClose(wrapped(v), library); };
    vfs.xRandomness = [](sqlite3_vfs* v, int size, char* out) {
      return wrapped(v)->xRandomness(wrapped(v), size, out);
    };
    vfs.xSleep = [](sqlite3_vfs* v, int microseconds) {
      return wrapped(v)->xSleep(wrapped(v), microseconds);
    };
    vfs.xCurrentTime = [](sqlite3_vfs* v, double* out) { return wrapped(v)->xCurrentTime(wrapped(v), out); };
    vfs.xGetLastError = [](sqlite3_vfs* v, int size, char* out) {
      return wrapped(v)->xGetLastError(wrapped(v), size, out);
    };
    vfs.xCurrentTimeInt64 = [](sqlite3_vfs* v, sqlite3_int64* out) {
      return wrapped(v)->xCurrentTimeInt64(wrapped(v), out);
    };
  }
  std::string name;
  sqlite3_vfs vfs;
};

/// Calls `page(number, bytes)` for each page of a file that has checksums.
template<class Page>
void each_page(const std::string& file, Page page) {
  std::ifstream stream(file, std::ios::binary);
  Byte start[header_bytes] = {};
  if (!stream.read(reinterpret_cast<char*>(start), header_bytes)) return;
  const Header header = header_of(start);
  if (!header.ours || header.reserved != checksum_bytes || header.page_bytes < smallest_page) return;
  std::vector<Byte> bytes(static_cast<std::size_t>(header.page_bytes));
  stream.seekg(0);
  for (std::uint32_t number = 1; stream.read(reinterpret_cast<char*>(bytes.data()), header.page_bytes);
       ++number)
    page(number, bytes);
}

}  // namespace

const char* checked_pages_vfs() {
  static std::mutex mutex;
  static auto& layers = *new std::list<Layer>;  // SQLite keeps pointers to them until the process ends
  const std::lock_guard lock(mutex);
  sqlite3_vfs* inner = sqlite3_vfs_find(nullptr);
  for (const Layer& layer : layers)
    if (layer.vfs.pAppData == inner || &layer.vfs == inner) return layer.vfs.zName;
  layers.emplace_back(inner);
  sqlite3_vfs_register(&layers.back().vfs, 0);
  return layers.back().vfs.zName;
}

bool has_page_checksums(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  Byte start[header_bytes] = {};
  if (!stream.read(reinterpret_cast<char*>(start), header_bytes)) return false;
  const Header header = header_of(start);
  return header.ours && header.reserved == checksum_bytes;
}

std::vector<std::uint32_t> damaged_pages(const std::string& file) {
  std::vector<std::uint32_t> damaged;
  each_page(file, [&](std::uint32_t number, const std::vector<Byte>& bytes) {
    const auto size = static_cast<int>(bytes.size());
    if (!is_sound(bytes.data(), size, static_cast<std::int64_t>(number - 1) * size))
      damaged.push_back(number);
  });
  return damaged;
}

}  // namespace tune::lookup
