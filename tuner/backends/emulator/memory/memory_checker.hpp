// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/backends/emulator/memory/finding.hpp"
#include "tuner/backends/emulator/memory/memory_order.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::emulator {

/// The latest accesses of a cell of an array. Of the readers since the last write it keeps the first and the
/// latest other one: a later write that is unordered with any of them is, except in rare cases of partial
/// __syncwarp, unordered with one of these.
struct Cell {
  MemoryAccess write;
  MemoryAccess first_read;
  MemoryAccess last_read;
  std::uint32_t write_code = 0;  ///< code address, relative to the module's start
  std::uint16_t flags = 0;
  std::uint16_t unused = 0;
};

enum CellFlag : std::uint16_t { cell_atomic = 1, cell_copying = 2, cell_reported = 4 };

/// The cells of an array: one for 4 bytes or, from the first smaller access on, one for each byte, so that
/// threads may write neighbouring bytes. Pages are taken when they are first touched.
class Shadow {
 public:
  explicit Shadow(std::size_t bytes);

  unsigned cell_bytes() const { return 1U << shift_; }
  /// Changes to one cell a byte.
  void refine();
  Cell& at(std::size_t byte) { return cells_.get()[byte >> shift_]; }

 private:
  struct Free {
    void operator()(Cell* cells) const { std::free(cells); }
  };
  static std::unique_ptr<Cell, Free> zeroed(std::size_t count);

  std::size_t bytes_;
  unsigned shift_ = 2;
  std::unique_ptr<Cell, Free> cells_;
};

/// Memory that threads of a kernel may use.
struct Array {
  enum class Space { input, global, shared, variable };

  std::string name;
  char* begin = nullptr;
  std::size_t bytes = 0;
  std::size_t element_bytes = 1;  ///< for reports
  Space space = Space::global;
  /// For a buffer whose padding may be read before it is written.
  std::optional<Layout> layout = std::nullopt;
  bool initialised = false;  ///< before the first launch

  bool contains(const char* address) const { return address >= begin && address < begin + bytes; }
};

/// Bytes of an array that a launch may touch.
struct AllowedPiece {
  std::span<const char> bytes;
  bool read_only = false;
};

/// A place in the shared memory of another block of the cluster, as MemoryChecker::Elsewhere finds it.
struct RemoteShared {
  std::vector<Shadow>* cells = nullptr;  ///< of all shared arrays of that block
  std::size_t array = 0;                 ///< the number among the shared arrays
  std::size_t byte = 0;
  std::uint32_t block = 0;  ///< the number in the grid
  bool lives = false;       ///< the block has begun and not ended
};

/// Checks every access of a kernel before it happens: that it lies within one array, is aligned, reads only
/// what was written, and is ordered with accesses of other threads. The first two suffice for inputs and
/// constants, which are read only.
class MemoryChecker {
 public:
  /// Adds the running thread to a finding.
  using Locate = std::function<void(Finding&)>;
  /// Finds addresses in the shared memory of blocks that do not run now.
  using Elsewhere = std::function<std::optional<RemoteShared>(const char*)>;
  MemoryChecker(FindingLog& log, Locate locate) : log_(log), locate_(std::move(locate)) {}

  void begin_plan(std::vector<Array> arrays);
  /// Orders everything that follows after everything before; `dynamic` is the launch's dynamic shared memory,
  /// `meeting` what orders its blocks, for reports.
  void begin_launch(const Array& dynamic, std::string meeting);
  /// For the blocks of clusters; nothing for others.
  void set_elsewhere(Elsewhere elsewhere) { elsewhere_ = std::move(elsewhere); }
  /// Limits the next launch: of the array around the piece it may touch only this and those of other calls.
  void allow_only(const AllowedPiece& piece);
  /// Exchanges the cells of all shared arrays with those of another block; an empty list is that of a block
  /// that has not begun.
  void exchange_shared(std::vector<Shadow>& other);
  /// Code addresses are stored relative to this one.
  void set_code_base(const char* base) { code_base_ = base; }
  MemoryOrder& order() { return order_; }

  /// False where the access must not happen because it would damage or end the program.
  [[nodiscard]] bool access(unsigned thread, const void* address, std::size_t bytes, unsigned kind,
                            const Place& place);
  /// Reports an address without the alignment of the accessed type.
  void misaligned(const void* address, std::size_t alignment, const Place& place);
  /// Marks the bytes as the target of a copy that is not complete: no thread may touch them until it is.
  /// Checks them like a write with the further flags `kind`.
  [[nodiscard]] bool begin_copy(unsigned thread, const void* to, std::size_t bytes, const Place& place,
                                unsigned kind = 0);
  void end_copy(unsigned thread, const void* to, std::size_t bytes);
  /// Ends a copy that counts as this write.
  void end_copy(const MemoryAccess& write, const void* to, std::size_t bytes);

  /// Makes the bytes, within one writable array, count as never written.
  void forget(const void* address, std::size_t bytes);

  /// Returns the array of the last access if it is an input: reading there needs no call.
  const Array* quick_input() const { return quick_; }
  /// Describes an address: `element 12 of 'in' ...`; nothing where it is not in or near an array.
  std::optional<Finding> describe(const void* address) const;
  const std::vector<Array>& arrays() const { return arrays_; }

 private:
  struct Checked {
    Array array;
    std::optional<Shadow> shadow;            ///< none: read only
    std::vector<AllowedPiece> allowed = {};  ///< empty: the launch may touch everything
  };
  Checked* find(const char* address);
  bool check_allowed(const Checked& checked, const char* at, std::size_t bytes, unsigned kind,
                     const Place& place);
  void judge(Checked& checked, Cell& cell, std::size_t byte, std::size_t bytes, unsigned thread,
             unsigned kind, const Place& place);
  bool access_elsewhere(const RemoteShared& at, unsigned thread, std::size_t bytes, unsigned kind,
                        const Place& place);
  void report_race(const Checked& checked, std::size_t byte, const MemoryAccess& earlier, bool earlier_wrote,
                   unsigned thread, unsigned kind, const Place& place);
  void report_stale(const Checked& checked, std::size_t byte, const MemoryAccess& earlier,
                    const Place& place);
  void out_of_bounds(const char* address, std::size_t bytes, unsigned kind, const Place& place);
  void add(Finding finding, const Place& place);
  void mark_copying(const char* to, std::size_t bytes, bool copying);

  FindingLog& log_;
  Locate locate_;
  MemoryOrder order_;
  std::vector<Checked> checked_;  ///< by address
  std::vector<Array> arrays_;
  std::string meeting_;  ///< what orders the blocks of the launch
  Elsewhere elsewhere_;
  std::size_t last_ = 0;
  const Array* quick_ = nullptr;
  const char* code_base_ = nullptr;
};

}  // namespace tune::emulator
