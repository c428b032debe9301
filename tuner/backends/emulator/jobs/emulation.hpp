// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tuner/backends/emulator/memory/memory_checker.hpp"
#include "tuner/backends/emulator/memory/plan_memory.hpp"
#include "tuner/backends/emulator/memory/texture_fetch.hpp"
#include "tuner/backends/emulator/module/loaded_module.hpp"
#include "tuner/backends/emulator/module/module_compiler.hpp"
#include "tuner/backends/emulator/threads/resident_blocks.hpp"
#include "tuner/plan/fourier_shape.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::emulator {

/// Carries launches out: the program's side of a module. One at a time in a process, because static shared
/// memory is a static variable.
class Emulation final : private SchedulerEvents {
 public:
  explicit Emulation(Flavour flavour);
  Emulation(const Emulation&) = delete;
  Emulation& operator=(const Emulation&) = delete;
  ~Emulation() override = default;

  /// Connects a module's variant; `arrays` are the plan's buffers, in which `textures` and `maps` lie.
  void begin_plan(const LoadedModule& module, std::size_t variant, std::vector<Array> arrays,
                  std::vector<Texture> textures, std::vector<PlacedMap> maps);
  /// Runs all blocks of a launch (see ResidentBlocks). `arguments` are the addresses of the kernel's
  /// arguments. In arrays with a piece of `only` the launch may touch only these pieces. False where it was
  /// abandoned: the log has the reason.
  bool run(const tune_emulator::Entry& entry, const Launch& launch, std::vector<void*> arguments, Order order,
           std::span<const AllowedPiece> only = {});

  /// Carries a copy out as a launch of its own; `element` is the size of its elements, `from` and `to` are
  /// the addresses of the first ones. False where it failed: the log has the reason.
  bool run(const Copy& copy, std::size_t element, const char* from, char* to);

  /// Sets a buffer to zero as a launch of its own.
  bool run(const Zero& zero, std::size_t element, std::span<char> buffer);
  /// Lets code of the host read (`is_write`: write) these bytes as a launch of its own.
  bool access_from_host(const std::string& name, std::size_t element, std::span<char> bytes, bool is_write);

  /// Carries a Fourier transform out as a launch of its own; `input` and `output` are the addresses of the
  /// first element of either side. Inputs that cuFFT may overwrite count as never written afterwards. False
  /// where it failed: the log has the reason.
  bool run(const FourierTransform& transform, const FourierShape& shape, char* input, char* output);

  FindingLog& log() { return log_; }
  /// Adds the finding for a fault of the running thread at this address; for the signal handler.
  void note_fault(int signal, const void* address);
  bool running() const { return blocks_.running(); }

 private:
  void on_switch(unsigned thread) override;
  void on_barrier() override;
  void on_warp_sync(unsigned warp, unsigned lanes) override;
  void on_warpgroup_operation(unsigned warp, const WarpExchange& lanes) override;
  void on_end(unsigned thread) override;
  void on_divergence(FindingKind kind, unsigned thread, const Place& place,
                     const std::string& detail) override;

  void connect();
  /// Returns the shared arrays.
  std::vector<std::span<char>> begin_launch(std::uint64_t dynamic_shared_memory, std::string meeting);
  bool lies_within(const FourierShape& shape, const FourierSide& side);
  bool access_rows(const FourierShape& shape, const FourierSide& side, const char* first, unsigned kind);
  void forget_rows(const FourierShape& shape, const FourierSide& side, char* first, std::uint64_t kept);
  void access(const void* address, unsigned bytes, unsigned kind, const Place& place);
  void copy_async(void* to, const void* from, unsigned bytes, unsigned filled, const Place& place);
  void wait_async(unsigned thread, int pending);
  /// Checks what a warp's part of a product reads of shared memory; false where it must not be read.
  bool read_operand(unsigned warp, const WarpgroupProduct& product);
  unsigned async(const tune_emulator::AsyncRequest& request);
  AsyncBarrier& barrier_of(const tune_emulator::AsyncRequest& request);
  /// Returns the parity of the phase that it belongs to.
  unsigned arrive(AsyncBarrier& barrier, const tune_emulator::AsyncRequest& request);
  void wait(AsyncBarrier& barrier, const tune_emulator::AsyncRequest& request);
  void end_phase(AsyncBarrier& barrier);
  void copy_box(const tune_emulator::AsyncRequest& request);
  void copy_bytes(const tune_emulator::AsyncRequest& request);
  void check_block_end(unsigned thread);
  [[noreturn]] void give_up(FindingKind kind, const Place& place, const std::string& detail);
  void grid_barrier(unsigned* counter, const Place& place);
  void cluster_barrier(const Place& place);
  void* in_cluster(void* address, unsigned rank, const Place& place);
  Texel fetch(const tune_emulator::TextureRequest& request);
  void locate(Finding& finding) const;
  Index3 index_of(unsigned thread) const;
  BlockScheduler& scheduler() { return blocks_.current().scheduler; }
  AsyncBarriers& barriers() { return blocks_.current().barriers; }
  AsyncCopies& copies() { return blocks_.current().copies; }
  WarpgroupProducts& products() { return blocks_.current().products; }
  /// The number of the running thread in its block.
  unsigned running_thread() { return scheduler().current(); }

  Flavour flavour_;
  FindingLog log_;
  MemoryChecker memory_;
  ResidentBlocks blocks_;
  bool cooperative_ = false;  ///< the launch
  tune_emulator::HostTable table_{};
  const LoadedModule* module_ = nullptr;
  std::vector<Array> variables_;
  std::vector<Texture> textures_;
  std::vector<PlacedMap> maps_;
  tune_emulator::Indices* indices_ = nullptr;
  bool transforming_ = false;      ///< or copying: there is no thread to name
  std::string kernel_;             ///< or the name of the transform or copy
  const void* awaited_ = nullptr;  ///< the atomic variable that the running thread read last in this turn
};

}  // namespace tune::emulator
