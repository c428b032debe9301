// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/memory/memory_checker.hpp"

#include <algorithm>
#include <new>

#include "tuner/base/format.hpp"

namespace tune::emulator {

std::unique_ptr<Cell, Shadow::Free> Shadow::zeroed(std::size_t count) {
  auto* const cells = static_cast<Cell*>(std::calloc(count + 1, sizeof(Cell)));
  if (cells == nullptr) throw std::bad_alloc();
  return std::unique_ptr<Cell, Free>(cells);
}

Shadow::Shadow(std::size_t bytes) : bytes_(bytes), cells_(zeroed((bytes + 3) / 4)) {}

void Shadow::refine() {
  if (shift_ == 0) return;
  auto fine = zeroed(bytes_);
  for (std::size_t byte = 0; byte < bytes_; ++byte) {
    const Cell& coarse = at(byte);
    // Does not touch pages of zeros.
    if (coarse.write.epoch != 0 || coarse.first_read.epoch != 0 || coarse.flags != 0)
      fine.get()[byte] = coarse;
  }
  cells_ = std::move(fine);
  shift_ = 0;
}

namespace {

using tune_emulator::access_atomic;
using tune_emulator::access_bulk;
using tune_emulator::access_texture;
using tune_emulator::access_volatile;
using tune_emulator::access_write;

/// Accesses that other threads may make at the same time.
constexpr unsigned concurrent = access_atomic | access_volatile;

std::string verb(unsigned kind) {
  return (kind & access_atomic) != 0 ? "atomic access" : (kind & access_write) != 0 ? "write" : "read";
}

/// Returns `element 12 of 'tile' (shared, 1056 elements of 4 bytes)`; the element may be negative or too
/// large.
std::string element_text(const Array& array, std::int64_t byte) {
  const auto size = static_cast<std::int64_t>(array.element_bytes);
  const std::int64_t element = byte >= 0 ? byte / size : -((-byte + size - 1) / size);
  constexpr const char* spaces[] = {"input", "global", "shared", "variable"};
  return format("element {} of '{}' ({}, {} elements of {} bytes)", element, array.name,
                spaces[static_cast<int>(array.space)], array.bytes / array.element_bytes,
                array.element_bytes);
}

Finding finding_in(FindingKind kind, const Array& array, std::int64_t byte) {
  Finding finding;
  finding.kind = kind;
  finding.array = array.name;
  finding.offset = byte;
  return finding;
}

}  // namespace

void MemoryChecker::begin_plan(std::vector<Array> arrays) {
  std::ranges::sort(arrays, {}, &Array::begin);
  arrays_ = arrays;
  checked_.clear();
  for (Array& array : arrays) {
    const bool written = array.space != Array::Space::input;
    checked_.push_back({array, std::nullopt, {}});
    if (written) checked_.back().shadow.emplace(array.bytes);
  }
  last_ = 0;
  quick_ = nullptr;
  order_.begin_plan();
}

void MemoryChecker::begin_launch(const Array& dynamic, std::string meeting) {
  order_.begin_launch();
  meeting_ = std::move(meeting);
  elsewhere_ = nullptr;
  for (Checked& checked : checked_) checked.allowed.clear();
  const auto same = [&](const Array& array) { return array.begin == dynamic.begin; };
  std::erase_if(checked_, [&](const Checked& checked) { return same(checked.array); });
  std::erase_if(arrays_, same);
  if (dynamic.bytes > 0) {
    const auto at = std::ranges::upper_bound(arrays_, dynamic.begin, {}, &Array::begin) - arrays_.begin();
    arrays_.insert(arrays_.begin() + at, dynamic);
    checked_.insert(checked_.begin() + at, Checked{dynamic, Shadow(dynamic.bytes), {}});
  }
  last_ = 0;
  quick_ = nullptr;
}

void MemoryChecker::allow_only(const AllowedPiece& piece) {
  if (Checked* const checked = find(piece.bytes.data())) checked->allowed.push_back(piece);
}

bool MemoryChecker::check_allowed(const Checked& checked, const char* at, std::size_t bytes, unsigned kind,
                                  const Place& place) {
  bool is_read_only = false;
  const auto within = [&](const AllowedPiece& piece) {
    if (at < piece.bytes.data() || at + bytes > piece.bytes.data() + piece.bytes.size()) return false;
    const bool forbidden = piece.read_only && (kind & access_write) != 0;
    is_read_only = is_read_only || forbidden;
    return !forbidden;
  };
  if (checked.allowed.empty() || std::ranges::any_of(checked.allowed, within)) return true;
  Finding finding = finding_in(is_read_only ? FindingKind::write_to_input : FindingKind::out_of_bounds,
                               checked.array, at - checked.array.begin);
  finding.detail =
      format("{} of {} bytes at {}, {}", verb(kind), bytes, element_text(checked.array, finding.offset),
             is_read_only ? "which the launch says it only reads"
                          : "beyond the elements that the launch says it touches");
  add(std::move(finding), place);
  return false;
}

void MemoryChecker::exchange_shared(std::vector<Shadow>& other) {
  const bool fresh = other.empty();
  std::size_t next = 0;
  for (Checked& checked : checked_) {
    if (checked.array.space != Array::Space::shared) continue;
    if (fresh) other.emplace_back(checked.array.bytes);
    std::swap(*checked.shadow, other[next++]);
  }
}

MemoryChecker::Checked* MemoryChecker::find(const char* address) {
  if (last_ < checked_.size() && checked_[last_].array.contains(address)) return &checked_[last_];
  const auto after = std::upper_bound(checked_.begin(), checked_.end(), address,
                                      [](const char* at, const Checked& c) { return at < c.array.begin; });
  if (after == checked_.begin() || !(after - 1)->array.contains(address)) return nullptr;
  last_ = static_cast<std::size_t>(after - checked_.begin()) - 1;
  return &checked_[last_];
}

bool MemoryChecker::access(unsigned thread, const void* address, std::size_t bytes, unsigned kind,
                           const Place& place) {
  const auto* const at = static_cast<const char*>(address);
  Checked* const checked = find(at);
  if (checked == nullptr && elsewhere_)
    if (const auto remote = elsewhere_(at)) return access_elsewhere(*remote, thread, bytes, kind, place);
  if (checked == nullptr || at + bytes > checked->array.begin + checked->array.bytes) {
    out_of_bounds(at, bytes, kind, place);
    return false;
  }
  if (!check_allowed(*checked, at, bytes, kind, place)) return false;
  const auto byte = static_cast<std::size_t>(at - checked->array.begin);
  // g++'s checks cover the types of ordinary accesses, and arrays behind textures are aligned.
  const bool checked_here =
      (place.code == nullptr || (kind & access_atomic) != 0) && (kind & (access_texture | access_bulk)) == 0;
  if (checked_here && (bytes & (bytes - 1)) == 0 &&
      (reinterpret_cast<std::uintptr_t>(at) & (bytes - 1)) != 0) {
    misaligned(at, bytes, place);
    return false;
  }
  if (!checked->shadow) {
    if ((kind & access_write) != 0) {
      Finding finding =
          finding_in(FindingKind::write_to_input, checked->array, static_cast<std::int64_t>(byte));
      finding.detail = format("{} of {}", verb(kind), element_text(checked->array, finding.offset));
      add(std::move(finding), place);
      return false;
    }
    if (checked->allowed.empty()) quick_ = &arrays_[last_];
    return true;
  }
  if (checked->shadow->cell_bytes() > 1 && (bytes % 4 != 0 || byte % 4 != 0)) checked->shadow->refine();
  if ((kind & concurrent) != 0) order_.atomic(thread, address, (kind & access_write) != 0);
  const std::size_t step = checked->shadow->cell_bytes();
  for (std::size_t i = 0; i < bytes; i += step)
    judge(*checked, checked->shadow->at(byte + i), byte + i, bytes, thread, kind, place);
  return true;
}

bool MemoryChecker::access_elsewhere(const RemoteShared& at, unsigned thread, std::size_t bytes,
                                     unsigned kind, const Place& place) {
  std::size_t number = 0;
  const auto local = std::ranges::find_if(checked_, [&](const Checked& checked) {
    return checked.array.space == Array::Space::shared && number++ == at.array;
  });
  Checked remote{local->array, std::nullopt, {}};
  remote.array.name += format(" of block number {}", at.block);
  if (!at.lives || at.byte + bytes > remote.array.bytes) {
    Finding finding =
        finding_in(FindingKind::out_of_bounds, remote.array, static_cast<std::int64_t>(at.byte));
    finding.detail =
        format("{} of {} bytes at {}{}", verb(kind), bytes, element_text(remote.array, finding.offset),
               at.lives ? "" : ", which may not have begun or has ended: cluster.sync() is missing");
    add(std::move(finding), place);
    return false;
  }
  // The cells belong to a block that does not run now.
  remote.shadow.emplace(std::move((*at.cells)[at.array]));
  if (remote.shadow->cell_bytes() > 1 && (bytes % 4 != 0 || at.byte % 4 != 0)) remote.shadow->refine();
  if ((kind & concurrent) != 0)
    order_.atomic(thread, remote.array.begin + at.byte, (kind & access_write) != 0);
  const std::size_t step = remote.shadow->cell_bytes();
  for (std::size_t i = 0; i < bytes; i += step)
    judge(remote, remote.shadow->at(at.byte + i), at.byte + i, bytes, thread, kind, place);
  (*at.cells)[at.array] = std::move(*remote.shadow);
  return true;
}

void MemoryChecker::judge(Checked& checked, Cell& cell, std::size_t byte, std::size_t bytes, unsigned thread,
                          unsigned kind, const Place& place) {
  const Array& array = checked.array;
  const bool shared = array.space == Array::Space::shared;
  // Shared memory is new in every block: the cell still describes an earlier one.
  if (shared && !order_.of_this_block(cell.write) && !order_.of_this_block(cell.first_read)) cell = Cell{};
  const bool writes = (kind & access_write) != 0, atomic = (kind & concurrent) != 0;
  const bool reads = !writes || (kind & access_atomic) != 0;
  if ((cell.flags & cell_copying) != 0) {
    Finding finding = finding_in(FindingKind::unfinished_copy, array, static_cast<std::int64_t>(byte));
    finding.detail = format("{} of {}, to which an asynchronous copy of thread {} is still under way",
                            verb(kind), element_text(array, finding.offset), cell.write.thread);
    add(std::move(finding), place);
    cell.flags &= static_cast<std::uint16_t>(~cell_copying);
  }
  const bool defined = cell.write.epoch != 0 || array.initialised ||
                       (array.layout && !array.layout->contains(byte / array.element_bytes));
  if (!defined && reads && (cell.flags & cell_reported) == 0) {
    Finding finding = finding_in(FindingKind::uninitialised_read, array, static_cast<std::int64_t>(byte));
    finding.detail = format("{} of {} bytes at {}, which was never written", verb(kind), bytes,
                            element_text(array, finding.offset));
    add(std::move(finding), place);
    cell.flags |= cell_reported;
  }
  if ((kind & access_texture) != 0 && cell.write.epoch != 0 && order_.of_this_launch(cell.write)) {
    report_stale(checked, byte, cell.write, place);
    return;
  }
  const MemoryAccess now = order_.now(thread);
  const bool both_atomic = atomic && (cell.flags & cell_atomic) != 0;
  if (cell.write.epoch != 0 && !both_atomic && order_.unordered(cell.write, thread) != Unordered::no)
    report_race(checked, byte, cell.write, true, thread, kind, place);
  if (!writes) {
    if (atomic) return;  // is allowed between any two atomic writes
    const bool forgotten =
        cell.first_read.epoch == 0 || order_.unordered(cell.first_read, thread) == Unordered::no;
    (forgotten ? cell.first_read : cell.last_read) = now;
    return;
  }
  for (const MemoryAccess* read : {&cell.first_read, &cell.last_read}) {
    if (read->epoch == 0 || order_.unordered(*read, thread) == Unordered::no) continue;
    report_race(checked, byte, *read, false, thread, kind, place);
    break;
  }
  cell.first_read = cell.last_read = MemoryAccess{};
  // A plain write stays plain although its thread goes on with atomics: atomics of other threads race with
  // it.
  const bool plain_before = cell.write == now && (cell.flags & cell_atomic) == 0;
  cell.write = now;
  cell.flags = atomic && !plain_before ? cell_atomic : 0;
  cell.write_code = place.code == nullptr
                        ? 0
                        : static_cast<std::uint32_t>(static_cast<const char*>(place.code) - code_base_);
}

void MemoryChecker::report_race(const Checked& checked, std::size_t byte, const MemoryAccess& earlier,
                                bool earlier_wrote, unsigned thread, unsigned kind, const Place& place) {
  constexpr FindingKind kinds[] = {FindingKind::crash, FindingKind::race_in_warp, FindingKind::race_in_block,
                                   FindingKind::race_between_blocks};
  const char* const missing[] = {"", "neither __syncwarp nor __syncthreads", "no __syncthreads",
                                 meeting_.c_str()};
  const auto unordered = static_cast<std::size_t>(order_.unordered(earlier, thread));
  Finding finding = finding_in(kinds[unordered], checked.array, static_cast<std::int64_t>(byte));
  const bool copy = earlier.thread >= MemoryOrder::first_agent;
  std::string who = copy ? std::string("an asynchronous copy") : format("thread {}", earlier.thread);
  if (unordered == static_cast<std::size_t>(Unordered::between_blocks))
    who += format(" of block number {}", order_.block_of(earlier));
  finding.detail =
      format("{} by thread {} of {}, which {} has {} with {} between", verb(kind), thread,
             element_text(checked.array, finding.offset), who, earlier_wrote ? "written" : "read",
             copy ? "no wait for its mbarrier" : missing[unordered]);
  add(std::move(finding), place);
}

void MemoryChecker::report_stale(const Checked& checked, std::size_t byte, const MemoryAccess& earlier,
                                 const Place& place) {
  Finding finding = finding_in(FindingKind::stale_texture, checked.array, static_cast<std::int64_t>(byte));
  finding.detail = format(
      "read through a texture of {}, which thread {} of block number {} has "
      "written in the same launch: textures show what earlier launches left",
      element_text(checked.array, finding.offset), earlier.thread, order_.block_of(earlier));
  add(std::move(finding), place);
}

void MemoryChecker::misaligned(const void* address, std::size_t alignment, const Place& place) {
  Finding finding;
  if (auto described = describe(address)) finding = std::move(*described);
  finding.kind = FindingKind::misaligned;
  finding.detail =
      format("the address of {} is not aligned to {} bytes",
             finding.array.empty() ? std::string("a local variable") : finding.detail, alignment);
  add(std::move(finding), place);
}

void MemoryChecker::out_of_bounds(const char* address, std::size_t bytes, unsigned kind, const Place& place) {
  Finding finding;
  if (auto described = describe(address)) finding = std::move(*described);
  finding.kind = FindingKind::out_of_bounds;
  finding.detail = format("{} of {} bytes at {}", verb(kind), bytes,
                          finding.array.empty() ? format("address {}, which is not near any array",
                                                         static_cast<const void*>(address))
                                                : finding.detail);
  add(std::move(finding), place);
}

std::optional<Finding> MemoryChecker::describe(const void* address) const {
  // Looks for the nearest array within reach of a wrong index.
  constexpr std::size_t reach = std::size_t{1} << 20;
  const auto* const at = static_cast<const char*>(address);
  const Array* nearest = nullptr;
  std::size_t min = reach;
  for (const Array& array : arrays_) {
    const auto* const end = array.begin + array.bytes;
    const auto distance = at < array.begin ? static_cast<std::size_t>(array.begin - at)
                          : at < end       ? std::size_t{0}
                                           : static_cast<std::size_t>(at - end) + 1;
    if (distance >= min) continue;
    min = distance;
    nearest = &array;
  }
  if (nearest == nullptr) return std::nullopt;
  Finding finding = finding_in(FindingKind::out_of_bounds, *nearest, at - nearest->begin);
  finding.detail = element_text(*nearest, finding.offset);
  return finding;
}

bool MemoryChecker::begin_copy(unsigned thread, const void* to, std::size_t bytes, const Place& place,
                               unsigned kind) {
  if (!access(thread, to, bytes, access_write | kind, place)) return false;
  if (find(static_cast<const char*>(to)) == nullptr) {
    out_of_bounds(static_cast<const char*>(to), bytes, access_write, place);  // of another block
    return false;
  }
  mark_copying(static_cast<const char*>(to), bytes, true);
  return true;
}

void MemoryChecker::end_copy(unsigned thread, const void* to, std::size_t bytes) {
  end_copy(order_.now(thread), to, bytes);
}

void MemoryChecker::end_copy(const MemoryAccess& write, const void* to, std::size_t bytes) {
  mark_copying(static_cast<const char*>(to), bytes, false);
  Checked* const checked = find(static_cast<const char*>(to));
  const auto byte = static_cast<std::size_t>(static_cast<const char*>(to) - checked->array.begin);
  for (std::size_t i = 0; i < bytes; i += checked->shadow->cell_bytes())
    checked->shadow->at(byte + i).write = write;
}

void MemoryChecker::mark_copying(const char* to, std::size_t bytes, bool copying) {
  Checked* const checked = find(to);
  const auto byte = static_cast<std::size_t>(to - checked->array.begin);
  for (std::size_t i = 0; i < bytes; i += checked->shadow->cell_bytes()) {
    auto& flags = checked->shadow->at(byte + i).flags;
    flags = static_cast<std::uint16_t>(copying ? flags | cell_copying : flags & ~cell_copying);
  }
}

void MemoryChecker::forget(const void* address, std::size_t bytes) {
  Checked* const checked = find(static_cast<const char*>(address));
  const auto byte = static_cast<std::size_t>(static_cast<const char*>(address) - checked->array.begin);
  for (std::size_t i = 0; i < bytes; i += checked->shadow->cell_bytes())
    checked->shadow->at(byte + i) = Cell{};
}

void MemoryChecker::add(Finding finding, const Place& place) {
  locate_(finding);
  log_.add(std::move(finding), place);
}

}  // namespace tune::emulator
