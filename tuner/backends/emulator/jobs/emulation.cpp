// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/jobs/emulation.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <utility>

#include "tuner/backends/emulator/jobs/fourier.hpp"
#include "tuner/backends/emulator/memory/plan_memory.hpp"
#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

constexpr int lost_byte = 0xff;  ///< NaN in floating point
constexpr unsigned barrier_bytes = 8;
constexpr std::uintptr_t box_alignment = 128;
constexpr std::int64_t box_start = 16;  ///< bytes: a box begins at a multiple of these along dimension 0

using tune_emulator::access_atomic;
using tune_emulator::access_bulk;
using tune_emulator::access_read;
using tune_emulator::access_texture;
using tune_emulator::access_volatile;
using tune_emulator::access_write;
using tune_emulator::AsyncCall;
using tune_emulator::AsyncRequest;
using tune_emulator::HostTable;

Emulation& self(void* context) {
  return *static_cast<Emulation*>(context);
}

}  // namespace

Emulation::Emulation(Flavour flavour)
    : flavour_(flavour),
      memory_(log_, [this](Finding& finding) { locate(finding); }),
      blocks_(*this, flavour == Flavour::sanitize ? &memory_ : nullptr) {
  connect();
}

void Emulation::connect() {
  table_.context = this;
  table_.barrier = [](void* context, tune_emulator::Barrier kind, int predicate, const Place* place) {
    return self(context).scheduler().barrier(kind, predicate, *place);
  };
  table_.cluster_barrier = [](void* context, const Place* place) { self(context).cluster_barrier(*place); };
  table_.rank_in_cluster = [](void* context, const void* address) {
    return self(context).blocks_.rank_of(static_cast<const char*>(address));
  };
  table_.in_cluster = [](void* context, void* address, unsigned rank, const Place* place) {
    return self(context).in_cluster(address, rank, *place);
  };
  table_.grid_barrier = [](void* context, unsigned* counter, const Place* place) {
    self(context).grid_barrier(counter, *place);
  };
  table_.warp = [](void* context, const tune_emulator::WarpRequest* request) {
    return self(context).scheduler().warp(*request);
  };
  table_.access = [](void* context, const void* address, unsigned bytes, unsigned kind, const void* code) {
    self(context).access(address, bytes, kind, {nullptr, 0, code});
  };
  table_.misaligned = [](void* context, const void* address, unsigned alignment, const void* code) {
    Emulation& emulation = self(context);
    emulation.memory_.misaligned(address, alignment, {nullptr, 0, code});
    emulation.scheduler().abandon();
  };
  table_.copy_async = [](void* context, void* to, const void* from, unsigned bytes, unsigned filled,
                         const Place* place) { self(context).copy_async(to, from, bytes, filled, *place); };
  table_.commit_async = [](void* context) { self(context).copies().commit(self(context).running_thread()); };
  table_.wait_async = [](void* context, int pending) {
    self(context).wait_async(self(context).running_thread(), pending);
  };
  table_.async = [](void* context, const tune_emulator::AsyncRequest* request) {
    return self(context).async(*request);
  };
  table_.fence = [](void* context, int scope) {
    Emulation& emulation = self(context);
    if (emulation.flavour_ == Flavour::sanitize && scope > 0)
      emulation.memory_.order().fence(emulation.running_thread());
  };
  table_.texture = [](void* context, const tune_emulator::TextureRequest* request, unsigned* bits) {
    std::ranges::copy(self(context).fetch(*request), bits);
  };
  table_.yield = [](void* context) { self(context).scheduler().yield(); };
  table_.fail = [](void* context, const char* reason, const Place* place) {
    Emulation& emulation = self(context);
    emulation.on_divergence(FindingKind::failed, emulation.running_thread(), *place, reason);
    emulation.scheduler().abandon();
  };
}

void Emulation::begin_plan(const LoadedModule& module, std::size_t variant, std::vector<Array> arrays,
                           std::vector<Texture> textures, std::vector<PlacedMap> maps) {
  textures_ = std::move(textures);
  maps_ = std::move(maps);
  module_ = &module;
  indices_ = module.table().indices;
  *module.table().host = &table_;
  variables_ = module.variables(variant);
  arrays.insert(arrays.end(), variables_.begin(), variables_.end());
  memory_.begin_plan(std::move(arrays));
  memory_.set_code_base(module.base());
  table_.quick_begin = table_.quick_end = nullptr;
}

bool Emulation::run(const tune_emulator::Entry& entry, const Launch& launch, std::vector<void*> arguments,
                    Order order, std::span<const AllowedPiece> only) {
  kernel_ = entry.name;
  transforming_ = false;
  const Dim3 cluster{entry.cluster.x, entry.cluster.y, entry.cluster.z};
  std::vector<std::span<char>> shared =
      begin_launch(launch.dynamic_shared_memory, launch.cooperative    ? "no barrier of the grid"
                                                 : cluster.count() > 1 ? "no barrier of the cluster"
                                                                       : "nothing");
  for (const AllowedPiece& piece : only) memory_.allow_only(piece);
  indices_->block_extent = {launch.block.x, launch.block.y, launch.block.z};
  indices_->grid_extent = {launch.grid.x, launch.grid.y, launch.grid.z};
  indices_->cluster_extent = entry.cluster;
  cooperative_ = launch.cooperative;
  blocks_.begin_launch(launch, cluster, *indices_, std::move(shared));
  table_.stacks = blocks_.stacks().begin();
  table_.stacks_bytes = blocks_.stacks().size();
  return blocks_.run(
      order, [&] { entry.call(arguments.data()); }, [&] { return log_.full(); });
}

std::vector<std::span<char>> Emulation::begin_launch(std::uint64_t dynamic_shared_memory,
                                                     std::string meeting) {
  Array dynamic;
  dynamic.name = "dynamic shared memory";
  dynamic.begin = module_->table().dynamic_shared;
  dynamic.bytes = dynamic_shared_memory;
  dynamic.element_bytes = 4;
  dynamic.space = Array::Space::shared;
  memory_.begin_launch(dynamic, std::move(meeting));
  std::vector<std::span<char>> shared;
  for (const Array& array : variables_)
    if (array.space == Array::Space::shared) shared.emplace_back(array.begin, array.bytes);
  if (dynamic.bytes > 0) shared.emplace_back(dynamic.begin, dynamic.bytes);
  // As the checker has them.
  std::ranges::sort(shared, {}, [](const std::span<char>& array) { return array.data(); });
  return shared;
}

bool Emulation::run(const FourierTransform& transform, const FourierShape& shape, char* input, char* output) {
  kernel_ = step_name(transform);
  transforming_ = true;
  begin_launch(0, "nothing");
  if (flavour_ == Flavour::sanitize) memory_.order().begin_block(0, 1);
  if (!lies_within(shape, shape.input()) || !lies_within(shape, shape.output())) return false;
  if (!access_rows(shape, shape.input(), input, access_read)) return false;
  carry_out(shape, input, output);
  if (!access_rows(shape, shape.output(), output, access_write)) return false;
  if (shape.forward()) return true;
  forget_rows(shape, shape.complex, input, shape.in_place() ? shape.real.row : 0);
  return true;
}

bool Emulation::access_from_host(const std::string& name, std::size_t element, std::span<char> bytes,
                                 bool is_write) {
  kernel_ = name;
  transforming_ = true;
  begin_launch(0, "nothing");
  const std::size_t before = log_.size();
  if (flavour_ != Flavour::sanitize) return true;
  memory_.order().begin_block(0, 1);
  for (std::size_t i = 0; i < bytes.size(); i += element)
    if (!memory_.access(0, bytes.data() + i, static_cast<unsigned>(std::min(element, bytes.size() - i)),
                        is_write ? access_write : access_read, {nullptr, 0, nullptr}))
      return false;
  return log_.size() == before;
}

bool Emulation::run(const Zero& zero, std::size_t element, std::span<char> buffer) {
  if (!access_from_host(step_name(zero), element, buffer, true)) return false;
  std::ranges::fill(buffer, '\0');
  return true;
}

bool Emulation::run(const Copy& copy, std::size_t element, const char* from, char* to) {
  kernel_ = step_name(copy);
  transforming_ = true;
  begin_launch(0, "nothing");
  const bool checked = flavour_ == Flavour::sanitize;
  if (checked) memory_.order().begin_block(0, 1);
  const std::size_t before = log_.size();
  const auto bytes = static_cast<unsigned>(element);
  for (std::uint64_t row = 0; row < copy.rows; ++row) {
    const char* const source = from + row * copy.from.pitch * element;
    char* const target = to + row * copy.to.pitch * element;
    for (std::uint64_t i = 0; checked && i < copy.width; ++i)
      if (!memory_.access(0, source + i * element, bytes, access_read, {nullptr, 0, nullptr}) ||
          !memory_.access(0, target + i * element, bytes, access_write, {nullptr, 0, nullptr}))
        return false;
    std::memcpy(target, source, copy.width * element);
  }
  return log_.size() == before;
}

bool Emulation::lies_within(const FourierShape& shape, const FourierSide& side) {
  if (side.fits()) return true;
  Finding finding;
  finding.kind = FindingKind::out_of_bounds;
  finding.array = side.buffer;
  finding.offset = static_cast<std::int64_t>(side.allocation * element_size(shape.type));
  finding.detail = format("the transform reaches element {} of '{}', which has {} elements", side.end - 1,
                          side.buffer, side.allocation);
  locate(finding);
  log_.add(std::move(finding), {nullptr, 0, nullptr});
  return false;
}

/// Accesses all elements of a side in turn, as by one thread.
bool Emulation::access_rows(const FourierShape& shape, const FourierSide& side, const char* first,
                            unsigned kind) {
  if (flavour_ == Flavour::plain) return true;
  const std::size_t bytes = element_size(shape.type);
  const std::size_t before = log_.size();
  for (std::uint64_t row = 0; row < shape.rows(); ++row) {
    const char* const begin = first + shape.row_begin(side, row) * bytes;
    for (std::uint64_t i = 0; i < side.row; ++i)
      if (!memory_.access(0, begin + i * bytes, bytes, kind, {nullptr, 0, nullptr})) return false;
  }
  return log_.size() == before;
}

/// Forgets the elements of every row but the first `kept` ones.
void Emulation::forget_rows(const FourierShape& shape, const FourierSide& side, char* first,
                            std::uint64_t kept) {
  const std::size_t bytes = element_size(shape.type);
  for (std::uint64_t row = 0; row < shape.rows(); ++row) {
    char* const begin = first + (shape.row_begin(side, row) + kept) * bytes;
    const std::size_t lost = (side.row - kept) * bytes;
    std::memset(begin, lost_byte, lost);
    if (flavour_ == Flavour::sanitize) memory_.forget(begin, lost);
  }
}

void Emulation::grid_barrier(unsigned* counter, const Place& place) {
  std::string wrong;
  if (!cooperative_) {
    wrong =
        "a barrier of the grid in a launch that is not cooperative: its blocks may not run together (the launch of a "
        "definition needs \"cooperative\": true)";
  } else if (running_thread() == 0) {
    // On a device the first thread of a block counts it.
    constexpr unsigned kind = access_atomic | access_write;
    if (counter != nullptr && flavour_ == Flavour::sanitize &&
        !memory_.access(running_thread(), counter, sizeof *counter, kind, place))
      scheduler().abandon();
    wrong = blocks_.counter().arrive(counter);
  }
  if (!wrong.empty()) {
    on_divergence(FindingKind::failed, running_thread(), place, wrong);
    scheduler().abandon();
  }
  scheduler().grid_barrier(place);
}

void Emulation::cluster_barrier(const Place& place) {
  const Index3& extent = indices_->cluster_extent;
  if (extent.x * extent.y * extent.z == 1)
    scheduler().barrier(tune_emulator::Barrier::plain, 0, place);
  else
    scheduler().cluster_barrier(place);
}

void* Emulation::in_cluster(void* address, unsigned rank, const Place& place) {
  char* const found = blocks_.in_cluster(static_cast<char*>(address), rank);
  if (found != nullptr) return found;
  on_divergence(
      FindingKind::failed, running_thread(), place,
      format("map_shared_rank of an address that is not in the block's shared memory, or of a block {} that "
             "the cluster does not have",
             rank));
  scheduler().abandon();
}

void Emulation::on_switch(unsigned thread) {
  indices_->thread = index_of(thread);
  awaited_ = nullptr;
}

Index3 Emulation::index_of(unsigned thread) const {
  const Index3& extent = indices_->block_extent;
  return {thread % extent.x, thread / extent.x % extent.y, thread / extent.x / extent.y};
}

void Emulation::on_barrier() {
  if (flavour_ == Flavour::sanitize) memory_.order().barrier();
}

void Emulation::on_warp_sync(unsigned warp, unsigned lanes) {
  if (flavour_ == Flavour::sanitize) memory_.order().warp_sync(warp, lanes);
}

void Emulation::on_warpgroup_operation(unsigned warp, const WarpExchange& lanes) {
  using tune_emulator::WarpOperation;
  const Place& place = lanes.requests[0].place;
  switch (lanes.requests[0].operation) {
    case WarpOperation::warpgroup_start: {
      const WarpgroupProduct product(lanes);
      const std::string wrong = product.error();
      if (!wrong.empty()) {
        on_divergence(FindingKind::failed, running_thread(), place, wrong);
        scheduler().abandon();
      }
      // A device may read the operands at any time until the wait.
      if (!read_operand(warp, product)) scheduler().abandon();
      products().start(warp, product);
      break;
    }
    case WarpOperation::warpgroup_commit:
      products().commit(warp);
      break;
    default:
      products().wait(warp, static_cast<std::size_t>(lanes.requests[0].operand),
                      [&](const WarpgroupProduct& product) {
                        if (!read_operand(warp, product)) scheduler().abandon();
                        product.carry_out(module_->table().dynamic_shared);
                      });
  }
}

bool Emulation::read_operand(unsigned warp, const WarpgroupProduct& product) {
  if (flavour_ == Flavour::plain) return true;
  // Each lane reads some of the pieces.
  unsigned lane = 0;
  return product.each_piece([&](std::size_t offset) {
    const unsigned thread = warp * 32 + lane++ % 32;
    return memory_.access(thread, module_->table().dynamic_shared + offset, WarpgroupProduct::piece_bytes,
                          access_read, product.place()) &&
           !log_.full();
  });
}

void Emulation::on_end(unsigned thread) {
  check_block_end(thread);
  // A device completes a thread's copies when the thread ends.
  if (!copies().unfinished(thread)) return;
  copies().commit(thread);
  wait_async(thread, 0);
}

void Emulation::on_divergence(FindingKind kind, unsigned thread, const Place& place,
                              const std::string& detail) {
  Finding finding;
  finding.kind = kind;
  finding.detail = detail;
  locate(finding);
  finding.thread = index_of(thread);
  log_.add(std::move(finding), place);
}

void Emulation::locate(Finding& finding) const {
  finding.kernel = kernel_;
  finding.has_thread = !transforming_;
  if (!finding.has_thread) return;
  finding.block = indices_->block;
  finding.thread = indices_->thread;
}

void Emulation::access(const void* address, unsigned bytes, unsigned kind, const Place& place) {
  if ((kind & (access_atomic | access_volatile)) != 0) {
    // A thread that reads one variable repeatedly waits for another thread, which needs a turn. A thread that
    // reads what it has just written does not wait: yielding there would make lanes run in step.
    const bool looks = (kind & access_atomic) != 0 || (kind & access_write) == 0;
    const bool again = std::exchange(awaited_, looks ? address : nullptr) == address && looks;
    if (again) scheduler().yield();
  }
  // Stacks of threads are local memory.
  if (flavour_ == Flavour::plain || blocks_.stacks().contains(address)) return;
  if (!memory_.access(running_thread(), address, bytes, kind, place) || log_.full()) scheduler().abandon();
  if (const Array* const input = memory_.quick_input()) {
    table_.quick_begin = input->begin;
    table_.quick_end = input->begin + input->bytes;
  }
}

Texel Emulation::fetch(const tune_emulator::TextureRequest& request) {
  const Texture* const texture = PlanTextures::find(textures_, request.texture);
  const std::string wrong =
      texture == nullptr ? "the argument of a fetch is not a texture object" : mismatch(*texture, request);
  if (!wrong.empty()) {
    on_divergence(FindingKind::failed, running_thread(), request.place, wrong);
    scheduler().abandon();
  }
  const Footprint needed = footprint(*texture, request);
  for (const Tap& tap : std::span(needed.taps).first(static_cast<std::size_t>(needed.count)))
    if (tap.texel != nullptr)
      access(tap.texel, static_cast<unsigned>(texture->texel_bytes()), access_read | access_texture,
             request.place);
  return value(*texture, request, needed);
}

void Emulation::copy_async(void* to, const void* from, unsigned bytes, unsigned filled, const Place& place) {
  const unsigned thread = running_thread();
  if (flavour_ == Flavour::sanitize) {
    const bool fine = (filled == bytes || memory_.access(thread, from, bytes - filled, access_read, place)) &&
                      memory_.begin_copy(thread, to, bytes, place);
    if (!fine || log_.full()) scheduler().abandon();
  }
  copies().add(thread, {static_cast<char*>(to), static_cast<const char*>(from), bytes, filled});
}

void Emulation::wait_async(unsigned thread, int pending) {
  copies().wait(thread, static_cast<std::size_t>(pending), [&](const AsyncCopies::Copy& copy) {
    if (flavour_ == Flavour::sanitize) memory_.end_copy(thread, copy.to, copy.bytes);
  });
}

void Emulation::note_fault(int signal, const void* address) {
  Finding finding;
  if (signal == SIGFPE || signal == SIGILL) {
    // For these signals the address is that of the instruction.
    finding.kind = FindingKind::crash;
    finding.detail = signal == SIGFPE ? "an integer is divided by zero (the result on a device is undefined)"
                                      : "an instruction that traps";
  } else if (blocks_.stacks().in_guard(address)) {
    finding.kind = FindingKind::crash;
    finding.detail =
        format("a thread needs more than the emulator's {} KiB of local memory", Stacks::bytes >> 10);
  } else if (auto described = memory_.describe(address)) {
    finding = std::move(*described);
    finding.detail = "access to " + finding.detail;
  } else {
    finding.kind = FindingKind::out_of_bounds;
    finding.detail = format("access to address {}, which is not near any array", address);
  }
  locate(finding);
  log_.add(std::move(finding), {nullptr, 0, nullptr});
}

unsigned Emulation::async(const AsyncRequest& request) {
  const unsigned thread = running_thread();
  unsigned parity = 0;
  switch (request.call) {
    case AsyncCall::init:
      if (flavour_ == Flavour::sanitize &&
          !memory_.access(thread, request.barrier, barrier_bytes, access_write, request.place))
        scheduler().abandon();
      if (const AsyncBarrier* const before = barriers().find(request.barrier);
          before != nullptr && !before->copies.empty())
        give_up(FindingKind::misused_barrier, request.place,
                "an mbarrier is initialised while copies to it are under way");
      if (request.value == 0 || barriers().make(request.barrier, thread, request.value) == nullptr)
        give_up(FindingKind::misused_barrier, request.place,
                request.value == 0 ? "an mbarrier of no arrivals"
                                   : format("more than {} mbarriers are not emulated", AsyncBarriers::max));
      break;
    case AsyncCall::fence:
      barriers().fence(thread);
      break;
    case AsyncCall::arrive:
    case AsyncCall::drop:
      parity = arrive(barrier_of(request), request);
      break;
    case AsyncCall::wait:
      wait(barrier_of(request), request);
      break;
    case AsyncCall::copy:
      copy_box(request);
      break;
    case AsyncCall::copy_bytes:
      copy_bytes(request);
      break;
  }
  if (log_.full()) scheduler().abandon();
  return parity;
}

/// Checks that the thread is ordered after the barrier's initialisation: reads its bytes like a volatile
/// variable.
AsyncBarrier& Emulation::barrier_of(const AsyncRequest& request) {
  if (flavour_ == Flavour::sanitize && !memory_.access(running_thread(), request.barrier, barrier_bytes,
                                                       access_read | access_volatile, request.place))
    scheduler().abandon();
  AsyncBarrier* const barrier = barriers().find(request.barrier);
  if (barrier == nullptr)
    give_up(FindingKind::misused_barrier, request.place, "an mbarrier that was never initialised");
  return *barrier;
}

unsigned Emulation::arrive(AsyncBarrier& barrier, const AsyncRequest& request) {
  if (barrier.can_end()) end_phase(barrier);
  if (barrier.pending == 0)
    give_up(FindingKind::misused_barrier, request.place,
            format("one more arrival than the {} of a phase, which has not "
                   "ended: {} bytes are announced and not on their way",
                   barrier.count, barrier.bytes));
  if (flavour_ == Flavour::sanitize) memory_.order().release(running_thread(), barrier.arriving);
  const unsigned parity = barrier.phase & 1U;
  if (request.call == AsyncCall::drop)
    --barrier.count;  // of later phases
  else
    barrier.bytes += request.value;
  --barrier.pending;
  // Without copies the phase ends at once.
  if (barrier.copies.empty() && barrier.can_end()) end_phase(barrier);
  return parity;
}

void Emulation::end_phase(AsyncBarrier& barrier) {
  for (const BarrierCopy& copy : barrier.copies) {
    copy.carry_out();
    if (flavour_ == Flavour::sanitize)
      memory_.end_copy(memory_.order().copied(barrier.number, barrier.arriving), copy.to, copy.size());
  }
  barrier.end();
  scheduler().progress();
}

void Emulation::wait(AsyncBarrier& barrier, const AsyncRequest& request) {
  if (request.value > 1)
    give_up(FindingKind::misused_barrier, request.place, "the parity of a phase is 0 or 1");
  while (!barrier.has_ended(request.value))
    if (barrier.can_end())
      end_phase(barrier);
    else
      scheduler().yield(request.place);
  if (flavour_ == Flavour::sanitize) memory_.order().acquire(running_thread(), barrier.complete);
}

void Emulation::copy_box(const AsyncRequest& request) {
  const unsigned thread = running_thread();
  AsyncBarrier& barrier = barrier_of(request);
  const PlacedMap* const map = PlanMaps::find(maps_, request.map);
  if (map == nullptr)
    give_up(FindingKind::failed, request.place, "the argument of a copy is not a tensor map");
  if (static_cast<std::size_t>(request.rank) != map->spec.box.size())
    give_up(FindingKind::failed, request.place,
            format("a copy of {} dimensions by a tensor map over `{}` of {}", request.rank, map->buffer,
                   map->spec.box.size()));
  if (request.at[0] * static_cast<std::int64_t>(map->element) % box_start != 0)
    give_up(FindingKind::misaligned, request.place,
            format("a box of `{}` begins at element {} along its first dimension, "
                   "no multiple of {} bytes: an illegal instruction on a device",
                   map->buffer, request.at[0], box_start));
  if (!barrier.fenced)
    give_up(
        FindingKind::misused_barrier, request.place,
        "a copy uses an mbarrier without a fence after the initialisation, so that the copy engine may not see it");
  if (flavour_ == Flavour::sanitize && reinterpret_cast<std::uintptr_t>(request.to) % box_alignment != 0) {
    memory_.misaligned(request.to, box_alignment, request.place);
    scheduler().abandon();
  }
  BarrierCopy copy{static_cast<char*>(request.to), map};
  for (int i = 0; i < request.rank; ++i) copy.at[static_cast<std::size_t>(i)] = request.at[i];
  if (flavour_ == Flavour::sanitize) {
    bool fine = true;
    map->each_row(copy.at, [&](std::size_t, const char* from, std::size_t bytes, std::size_t) {
      fine = fine &&
             (bytes == 0 || memory_.access(thread, from, bytes, access_read | access_bulk, request.place));
    });
    if (!fine || !memory_.begin_copy(thread, copy.to, map->box_bytes(), request.place, access_bulk))
      scheduler().abandon();
  }
  barrier.copies.push_back(copy);
}

void Emulation::copy_bytes(const AsyncRequest& request) {
  AsyncBarrier& barrier = barrier_of(request);
  if (barrier.can_end()) end_phase(barrier);  // the copy is of the next one
  BarrierCopy copy{.to = static_cast<char*>(request.to),
                   .from = static_cast<const char*>(request.map),
                   .bytes = request.value};
  if (flavour_ == Flavour::sanitize &&
      (!memory_.access(running_thread(), copy.from, request.value, access_read, request.place) ||
       !memory_.begin_copy(running_thread(), copy.to, copy.bytes, request.place)))
    scheduler().abandon();
  barrier.copies.push_back(copy);
}

/// A copy that ends later would write to the shared memory of another block.
void Emulation::check_block_end(unsigned thread) {
  if (!scheduler().is_last()) return;
  const AsyncBarrier* const barrier = barriers().unfinished();
  if (barrier == nullptr) return;
  const PlacedMap* const map = barrier->copies.front().map;
  on_divergence(FindingKind::unfinished_copy, thread, {nullptr, 0, nullptr},
                format("the block ends while a copy {}to its shared memory is under way",
                       map == nullptr ? "" : format("of a box of `{}` ", map->buffer)));
  scheduler().abandon();
}

void Emulation::give_up(FindingKind kind, const Place& place, const std::string& detail) {
  on_divergence(kind, running_thread(), place, detail);
  scheduler().abandon();
}

}  // namespace tune::emulator
