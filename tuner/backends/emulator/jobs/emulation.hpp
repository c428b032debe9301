// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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

/// Carries launches out: the program's side of a module. One at a time in a process, because kernels find it
/// through their module and static shared memory is a static variable.
class Emulation final : private SchedulerEvents {
 public:
  explicit Emulation(Flavour flavour);
  Emulation(const Emulation&) = delete;
  Emulation& operator=(const Emulation&) = delete;
  ~Emulation() override = default;

  /// Connects a module's variant; `arrays` are the buffers of the plan to come, `textures` and `maps` lie in
  /// them.
  void begin_plan(const LoadedModule& module, std::size_t variant, std::vector<Array> arrays,
                  std::vector<Texture> textures, std::vector<PlacedMap> maps);
  /// Runs all blocks of a launch: one after another, or, of a cooperative launch, each as far as it comes
  /// without the others. `arguments` are the addresses of the kernel's arguments. Of the arrays that a
  /// piece of `only` lies in, it may touch these pieces alone. False where it was abandoned: the log says
  /// why.
  bool run(const tune_emulator::Entry& entry, const Launch& launch, std::vector<void*> arguments, Order order,
           std::span<const std::span<const char>> only = {});

  /// Carries a copy out, as one more launch; `element` is its elements' size, `from` and `to` are the
  /// addresses of the first ones. False where it was not done: the log says why.
  bool run(const Copy& copy, std::size_t element, const char* from, char* to);

  /// Carries a Fourier transform out, as one more launch; `input` and `output` are the addresses of the first
  /// element of either side. What cuFFT may overwrite without making it a result counts as never written
  /// afterwards. False where it was not done: the log says why.
  bool run(const FourierTransform& transform, const FourierShape& shape, char* input, char* output);

  FindingLog& log() { return log_; }
  /// What a fault of the running thread at this address means; for the handler of that signal.
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
  /// The memory that blocks share, for the scheduler of the blocks.
  std::vector<std::span<char>> begin_launch(std::uint64_t dynamic_shared_memory, bool cooperative);
  bool lies_within(const FourierShape& shape, const FourierSide& side);
  bool access_rows(const FourierShape& shape, const FourierSide& side, const char* first, unsigned kind);
  void forget_rows(const FourierShape& shape, const FourierSide& side, char* first, std::uint64_t kept);
  void access(const void* address, unsigned bytes, unsigned kind, const Place& place);
  void copy_async(void* to, const void* from, unsigned bytes, unsigned filled, const Place& place);
  void wait_async(unsigned thread, int pending);
  /// What a warp's part of a product reads of shared memory; false where it must not be read.
  bool read_operand(unsigned warp, const WarpgroupProduct& product);
  // async_requests.cpp
  void async(const tune_emulator::AsyncRequest& request);
  AsyncBarrier& barrier_of(const tune_emulator::AsyncRequest& request);
  void arrive(AsyncBarrier& barrier, const tune_emulator::AsyncRequest& request);
  void wait(AsyncBarrier& barrier, const tune_emulator::AsyncRequest& request);
  void end_phase(AsyncBarrier& barrier);
  void copy_box(const tune_emulator::AsyncRequest& request);
  void check_block_end(unsigned thread);
  [[noreturn]] void give_up(FindingKind kind, const Place& place, const std::string& detail);
  void grid_barrier(unsigned* counter, const Place& place);
  Texel fetch(const tune_emulator::TextureRequest& request);
  void locate(Finding& finding) const;
  Index3 index_of(unsigned thread) const;
  BlockScheduler& scheduler() { return blocks_.current().scheduler; }
  AsyncBarriers& barriers() { return blocks_.current().barriers; }
  AsyncCopies& copies() { return blocks_.current().copies; }
  WarpgroupProducts& products() { return blocks_.current().products; }
  /// The running one's number in its block.
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
  bool transforming_ = false;      ///< or copying: no kernel, whose threads could be named
  std::string kernel_;             ///< or what is carried out instead of one
  const void* awaited_ = nullptr;  ///< the atomic variable that the running thread touched last in its turn
};

}  // namespace tune::emulator
