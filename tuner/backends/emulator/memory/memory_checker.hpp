// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/backends/emulator/memory/finding.hpp"
#include "tuner/backends/emulator/memory/memory_order.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::emulator {

/// What is remembered of a cell of an array. Of the readers since the last write, the first and the latest
/// other one: a later write that is unordered with any of them is, but for rare cases of partial __syncwarp,
/// with one of these.
struct Cell {
  MemoryAccess write;
  MemoryAccess first_read;
  MemoryAccess last_read;
  std::uint32_t write_code = 0;  ///< of the module, relative to its start
  std::uint16_t flags = 0;
  std::uint16_t unused = 0;
};

enum CellFlag : std::uint16_t { cell_atomic = 1, cell_copying = 2, cell_reported = 4 };

/// Cells of an array: one for 4 bytes, or, from the first smaller access on, one for each byte, so that
/// threads that write neighbouring bytes are not taken for rivals. Zero pages are not taken before they are
/// touched.
class Shadow {
 public:
  explicit Shadow(std::size_t bytes);

  unsigned cell_bytes() const { return 1U << shift_; }
  /// From now on one cell a byte.
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
  /// Of a buffer whose padding may be read before it is written.
  std::optional<Layout> layout = std::nullopt;
  bool initialised = false;  ///< before the first launch

  bool contains(const char* address) const { return address >= begin && address < begin + bytes; }
};

/// Judges every access of a kernel before it happens: within one array, aligned, of something that was
/// written, ordered with what other threads do. Inputs and constants are read only, so that the first two
/// suffice for them.
class MemoryChecker {
 public:
  /// Names the running thread in a finding.
  using Locate = std::function<void(Finding&)>;
  MemoryChecker(FindingLog& log, Locate locate) : log_(log), locate_(std::move(locate)) {}

  void begin_plan(std::vector<Array> arrays);
  /// Orders what follows after everything before; `dynamic` is the launch's dynamic shared memory.
  void begin_launch(const Array& dynamic, bool cooperative);
  /// Until the next launch begins, of the array around `from` only these bytes, and those that other calls
  /// name, may be touched.
  void allow_only(const char* from, std::size_t bytes);
  /// Exchanges what is known of all shared arrays with what is known of another block's; an empty list is
  /// that of a block that has not begun.
  void exchange_shared(std::vector<Shadow>& other);
  /// Code addresses are kept relative to this one.
  void set_code_base(const char* base) { code_base_ = base; }
  MemoryOrder& order() { return order_; }

  /// False where the access must not happen: it would harm, or end, the program.
  [[nodiscard]] bool access(unsigned thread, const void* address, std::size_t bytes, unsigned kind,
                            const Place& place);
  /// The type that is accessed there asks for an alignment that the address does not have.
  void misaligned(const void* address, std::size_t alignment, const Place& place);
  /// The bytes are the target of a copy that is not complete; nobody may touch them until it is. Checks them
  /// like a write; `kind` says more of it.
  [[nodiscard]] bool begin_copy(unsigned thread, const void* to, std::size_t bytes, const Place& place,
                                unsigned kind = 0);
  void end_copy(unsigned thread, const void* to, std::size_t bytes);
  /// The same of a copy that counts as this write.
  void end_copy(const MemoryAccess& write, const void* to, std::size_t bytes);

  /// What lies there, within one array that may be written, counts as never written.
  void forget(const void* address, std::size_t bytes);

  /// The array that an access ended in last, if it is an input: what is read there needs no call.
  const Array* quick_input() const { return quick_; }
  /// What an address is, for people: `element 12 of 'in' ...`; nothing where it is in or near no array.
  std::optional<Finding> describe(const void* address) const;
  const std::vector<Array>& arrays() const { return arrays_; }

 private:
  struct Checked {
    Array array;
    std::optional<Shadow> shadow;  ///< none: read only
    /// What the launch may touch, first byte and the one behind the last; empty: all.
    std::vector<std::pair<const char*, const char*>> allowed = {};
  };
  Checked* find(const char* address);
  bool check_allowed(const Checked& checked, const char* at, std::size_t bytes, unsigned kind,
                     const Place& place);
  void judge(Checked& checked, Cell& cell, std::size_t byte, std::size_t bytes, unsigned thread,
             unsigned kind, const Place& place);
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
  bool cooperative_ = false;  ///< the launch
  std::size_t last_ = 0;
  const Array* quick_ = nullptr;
  const char* code_base_ = nullptr;
};

}  // namespace tune::emulator
