// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/jobs/job_run.hpp"

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>
#include <span>

#include "tuner/backends/emulator/memory/plan_memory.hpp"
#include "tuner/backends/emulator/module/loaded_module.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/evaluation/reference_data.hpp"
#include "tuner/plan/argument_sizes.hpp"
#include "tuner/plan/fourier_shape.hpp"
#include "tuner/plan/step_order.hpp"
#include "tuner/plan/tensor_part.hpp"
#include "tuner/tensor/reference_numbers.hpp"
#include "tuner/tensor/verifier.hpp"

namespace tune::emulator {
namespace {

/// Global, for the signal handler.
Emulation* handled_emulation = nullptr;
sigjmp_buf handled_return;

void on_fault(int signal, siginfo_t* info, void*) {
  if (handled_emulation == nullptr || !handled_emulation->running()) {
    std::signal(signal, SIG_DFL);
    return;  // the fault happens again and ends the process
  }
  handled_emulation->note_fault(signal, info->si_addr);
  siglongjmp(handled_return, 1);
}

/// Handles faults of a kernel on a separate stack, because the kernel's stack may be the cause.
class FaultHandler {
 public:
  explicit FaultHandler(Emulation& emulation) : stack_(std::make_unique<char[]>(bytes)) {
    handled_emulation = &emulation;
    stack_t stack{};
    stack.ss_sp = stack_.get();
    stack.ss_size = bytes;
    sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
  }
  FaultHandler(const FaultHandler&) = delete;
  FaultHandler& operator=(const FaultHandler&) = delete;
  ~FaultHandler() {
    handled_emulation = nullptr;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, SIG_DFL);
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }

 private:
  static constexpr std::size_t bytes = std::size_t{256} << 10;
  std::unique_ptr<char[]> stack_;
};

/// Puts room before the bytes, so that they begin where every `alignas` of a struct allows. Returns the
/// place.
std::byte* aligned(std::vector<std::byte>& bytes) {
  constexpr std::size_t alignment = 1024;
  std::size_t room = bytes.size() + alignment;
  std::vector<std::byte> all(room);
  void* place = all.data();
  std::align(alignment, bytes.size(), place, room);
  std::ranges::copy(bytes, static_cast<std::byte*>(place));
  bytes = std::move(all);
  return static_cast<std::byte*>(place);
}

/// The addresses of a launch's arguments; their values must outlive the launch.
struct Arguments {
  std::vector<std::uint64_t> values;
  std::vector<MapValue> maps;
  std::vector<StructArgument> structs;
  std::vector<void*> addresses;

  Arguments(const Launch& launch, const PlanMemory& memory, const PlanTextures& textures,
            const PlanMaps& plan_maps)
      : values(launch.arguments.size()), maps(launch.arguments.size()), structs(launch.arguments.size()) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (const auto* const buffer = std::get_if<BufferArgument>(&launch.arguments[i])) {
        values[i] = reinterpret_cast<std::uint64_t>(memory.address(buffer->buffer, buffer->offset));
      } else if (const auto* const texture = std::get_if<TextureArgument>(&launch.arguments[i])) {
        values[i] = textures.object(*texture);
      } else if (const auto* const map = std::get_if<TensorMapArgument>(&launch.arguments[i])) {
        maps[i] = plan_maps.value(*map);
        addresses.push_back(&maps[i]);
        continue;
      } else if (const auto* const object = std::get_if<StructArgument>(&launch.arguments[i])) {
        structs[i] = *object;
        place_pointers(structs[i], [&](const BufferArgument& target) {
          return memory.address(target.buffer, target.offset);
        });
        addresses.push_back(aligned(structs[i].bytes));
        continue;
      } else {
        std::visit([&](auto value) { std::memcpy(&values[i], &value, sizeof value); },
                   std::get<ScalarArgument>(launch.arguments[i]));
      }
      addresses.push_back(&values[i]);
    }
  }
};

/// The memory of a plan, for code of the host. Its accesses are checked as those of kernels.
class EmulatedMemory final : public HostAccess {
 public:
  EmulatedMemory(const LaunchPlan& plan, const PlanMemory& memory, Emulation& emulation, std::string step)
      : plan_(plan), memory_(memory), emulation_(emulation), step_(std::move(step)) {}

  const BufferSpec& buffer(std::string_view name) const override { return plan_.buffer(name); }
  void read(std::string_view buffer, std::uint64_t place, std::span<std::byte> to) override {
    const std::span<char> bytes = part(buffer, place, to.size(), false);
    std::memcpy(to.data(), bytes.data(), bytes.size());
  }
  void write(std::string_view buffer, std::uint64_t place, std::span<const std::byte> from) override {
    const std::span<char> bytes = part(buffer, place, from.size(), true);
    std::memcpy(bytes.data(), from.data(), bytes.size());
  }
  /// False after an access that was wrong.
  bool is_fine() const { return is_fine_; }

 private:
  std::span<char> part(std::string_view buffer, std::uint64_t place, std::size_t bytes, bool is_write) {
    char* const first = memory_.address(buffer) + place;
    is_fine_ = emulation_.access_from_host(step_, element_size(plan_.buffer(buffer).type), {first, bytes},
                                           is_write) &&
               is_fine_;
    return {first, is_fine_ ? bytes : 0};
  }

  const LaunchPlan& plan_;
  const PlanMemory& memory_;
  Emulation& emulation_;
  std::string step_;
  bool is_fine_ = true;
};

class CaseRun {
 public:
  /// `computed`: the results of the last reference case; a reference case replaces them.
  CaseRun(const Case& checked, const CaseCode& code, Emulation& emulation, StepBoard& steps, JobRun& outcome,
          TensorSet& computed)
      : case_(checked),
        code_(code),
        emulation_(emulation),
        steps_(steps),
        outcome_(outcome),
        verdict_(outcome.verdict),
        computed_(computed) {}

  void run(Order order) {
    check_steps(case_.plan);
    if (!check_order()) return;
    Result<PlanMemory> memory = PlanMemory::take(case_.plan.buffers);
    if (!memory) {
      verdict_.cannot_run = memory.error();
      return;
    }
    // A case that computes the reference has none yet, and no checks.
    TensorSet inputs = case_.is_reference ? TensorSet() : reference_inputs(case_.plan, all_references());
    for (const auto& [name, tensor] : case_.expected->inputs) inputs.emplace(name, tensor);
    memory->fill(inputs);
    const Result<PlanTextures> textures = PlanTextures::make(case_.plan, *memory);
    if (!textures) {
      verdict_.cannot_run = textures.error();
      return;
    }
    const Result<PlanMaps> maps = PlanMaps::make(case_.plan, *memory);
    if (!maps) {
      verdict_.cannot_run = maps.error();
      return;
    }
    if (!copy_symbols(*memory)) return;
    emulation_.begin_plan(*code_.module, code_.variant, memory->arrays(), textures->all(), maps->all());
    if (sigsetjmp(handled_return, 1) == 0) {
      launch_all(*memory, *textures, *maps, order);
    } else {
      outcome_.harmed = true;
    }
    for (Finding& finding : noted()) add(std::move(finding));
    if (!verdict_.findings.empty()) return;
    for (Finding& finding : memory->spoiled(inputs)) add(std::move(finding));
    if (!verdict_.findings.empty()) return;
    if (case_.is_reference)
      keep_outputs(*memory);
    else
      compare_outputs(*memory);
  }

 private:
  /// Copies inputs to their constant or device variables. False where one is too small.
  bool copy_symbols(const PlanMemory& memory) {
    std::vector<std::string> variables;
    for (const Array& variable : code_.module->variables(code_.variant)) variables.push_back(variable.name);
    if (std::string missing = missing_variable(case_.plan.buffers, variables); !missing.empty()) {
      add_refusal(std::move(missing));
      return false;
    }
    for (const BufferSpec& buffer : case_.plan.buffers) {
      if (buffer.symbol.empty()) continue;
      for (const Array& variable : code_.module->variables(code_.variant)) {
        if (variable.name != buffer.symbol) continue;
        if (std::string unfit = unfit_variable(buffer, variable.bytes); !unfit.empty()) {
          add_refusal(std::move(unfit));
          return false;
        }
        std::memcpy(variable.begin, memory.address(buffer.name),
                    static_cast<std::size_t>(buffer.allocation_bytes()));
      }
    }
    return true;
  }

  /// A device does not begin the launch.
  void add_refusal(std::string detail) {
    Finding finding;
    finding.kind = FindingKind::no_launch;
    finding.detail = std::move(detail);
    add(std::move(finding));
  }

  /// False where steps of different streams conflict, so that their results depend on chance.
  bool check_order() {
    constexpr std::size_t max = 8;  // further ones do not help
    for (const StepConflict& conflict : conflicts(case_.plan)) {
      if (verdict_.findings.size() == max) break;
      Finding finding;
      finding.kind = FindingKind::race_between_steps;
      finding.kernel = step_name(case_.plan.launches[conflict.second]);
      finding.array = conflict.buffer;
      finding.offset =
          static_cast<std::int64_t>(conflict.element * element_size(case_.plan.buffer(conflict.buffer).type));
      finding.detail = conflict.text(case_.plan);
      add(std::move(finding));
    }
    return verdict_.findings.empty();
  }

  void launch_all(const PlanMemory& memory, const PlanTextures& textures, const PlanMaps& maps, Order order) {
    const auto carry_out_step = [&](const PlanStep& step) {
      steps_.show(step_name(step), case_.size);
      if (const auto* const transform = std::get_if<FourierTransform>(&step))
        return carry_out(*transform, memory);
      if (const auto* const copy = std::get_if<Copy>(&step)) return carry_out(*copy, memory);
      if (const auto* const zero = std::get_if<Zero>(&step)) return carry_out(*zero, memory);
      return carry_out(std::get<Launch>(step), memory, textures, maps, order);
    };
    for (const PlanStep& step : case_.plan.setup)
      if (!carry_out_step(step)) return;
    const Sequence sequence = order == Order::forward ? Sequence::planned : Sequence::latest_first;
    const std::vector<std::size_t> all = sequence_of(case_.plan, sequence);
    std::uint64_t rounds = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const PlanStep& step = case_.plan.launches[all[i]];
      const auto* const host = std::get_if<HostStep>(&step);
      if (host == nullptr) {
        if (!carry_out_step(step)) return;
        continue;
      }
      steps_.show(step_name(step), case_.size);
      const std::optional<bool> again = run_host(*host, memory);
      if (!again) return;
      if (!*again) continue;
      i = host->again - 1;  // unsigned: one before the first is right, too
      if (++rounds < max_rounds) continue;
      Finding finding;
      finding.kind = FindingKind::hang;
      finding.kernel = step_name(step);
      finding.detail = format("goes back {} times: it does not end", max_rounds);
      add(std::move(finding));
      return;
    }
    for (const PlanStep& step : case_.plan.checks)
      if (!carry_out_step(step)) return;
  }

  /// Nothing where a finding ends the execution.
  [[gnu::noinline]] std::optional<bool> run_host(const HostStep& host, const PlanMemory& memory) {
    EmulatedMemory all(case_.plan, memory, emulation_, step_name(host));
    const bool again = host.code.run(all);
    return all.is_fine() ? std::optional(again) : std::nullopt;
  }

  /// Returns the parts of buffers that a launch may touch.
  std::vector<AllowedPiece> pieces_of(const Launch& launch, const PlanMemory& memory) const {
    std::vector<AllowedPiece> pieces;
    const auto all_of = [&](const BufferSpec& buffer, bool read_only = false) {
      return AllowedPiece{{memory.begin(buffer.name), buffer.allocation_bytes()}, read_only};
    };
    for (const KernelArgument& argument : launch.arguments) {
      if (const auto* const texture = std::get_if<TextureArgument>(&argument))
        pieces.push_back(all_of(case_.plan.buffer(texture->buffer)));
      if (const auto* const map = std::get_if<TensorMapArgument>(&argument))
        pieces.push_back(all_of(case_.plan.buffer(map->buffer)));
      each_buffer(argument, [&](const BufferArgument& given) {
        const BufferSpec& buffer = case_.plan.buffer(given.buffer);
        if (given.count == 0)
          pieces.push_back(all_of(buffer, given.read_only));
        else
          pieces.push_back(
              {{memory.address(given.buffer, given.offset), given.count * element_size(buffer.type)},
               given.read_only});
      });
    }
    return pieces;
  }

  /// False for a cluster that is not emulated, or that no device launches.
  bool check_cluster(const tune_emulator::Entry& entry, const Launch& launch) {
    constexpr std::uint64_t most = 16;  // of all devices, with permission
    const auto& [x, y, z] = entry.cluster;
    const std::uint64_t count = std::uint64_t{x} * y * z;
    if (count == 1) return true;
    const std::string extent =
        format("kernel `{}` has clusters of {} x {} x {} blocks", launch.entry, x, y, z);
    if (count == 0 || count > most || launch.grid.x % x != 0 || launch.grid.y % y != 0 ||
        launch.grid.z % z != 0) {
      verdict_.cannot_run =
          Failure{Phase::resources, "cluster",
                  format("{}, and its grid {} x {} x {}: it must be a multiple, of at most {} blocks", extent,
                         launch.grid.x, launch.grid.y, launch.grid.z, most)};
      return false;
    }
    if (!launch.cooperative) return true;
    verdict_.not_emulated = format("the emulator has no cooperative launch of clusters ({})", extent);
    return false;
  }

  bool carry_out(const Launch& launch, const PlanMemory& memory, const PlanTextures& textures,
                 const PlanMaps& maps, Order order) {
    const tune_emulator::Entry* const entry = code_.module->entry(code_.variant, launch.entry);
    if (entry == nullptr)
      throw Error(format("the plan launches '{}', which is not among its entries", launch.entry));
    const std::vector<std::size_t> sizes(entry->sizes, entry->sizes + entry->parameters);
    if (std::string unfit = unfit_arguments(launch, sizes); !unfit.empty()) {
      add_refusal(std::move(unfit));
      return false;
    }
    if (!check_cluster(*entry, launch)) return false;
    Arguments arguments(launch, memory, textures, maps);
    const bool parts = std::ranges::any_of(launch.arguments, [](const KernelArgument& argument) {
      const auto* const given = std::get_if<BufferArgument>(&argument);
      return given != nullptr && (given->count > 0 || given->read_only);
    });
    const auto pieces = parts ? pieces_of(launch, memory) : std::vector<AllowedPiece>();
    return emulation_.run(*entry, launch, arguments.addresses, order, pieces);
  }

  bool carry_out(const Copy& copy, const PlanMemory& memory) {
    return emulation_.run(copy, element_size(case_.plan.buffer(copy.from.buffer).type),
                          memory.address(copy.from.buffer, copy.from.offset),
                          memory.address(copy.to.buffer, copy.to.offset));
  }

  bool carry_out(const Zero& zero, const PlanMemory& memory) {
    const BufferSpec& buffer = case_.plan.buffer(zero.buffer);
    return emulation_.run(zero, element_size(buffer.type),
                          {memory.address(zero.buffer) - buffer.layout.offset * element_size(buffer.type),
                           static_cast<std::size_t>(buffer.allocation_bytes())});
  }

  bool carry_out(const FourierTransform& transform, const PlanMemory& memory) {
    return emulation_.run(transform, fourier_shape(case_.plan, transform), memory.address(transform.input),
                          memory.address(transform.output));
  }

  std::vector<Finding> noted() {
    std::vector<NotedFinding> all = emulation_.log().take();
    if (code_.purpose == Purpose::explain) return with_source_lines(std::move(all), *code_.module);
    std::vector<Finding> findings;
    for (NotedFinding& one : all) {
      // A fault may be a trap without a known cause.
      outcome_.unexplained = outcome_.unexplained || outcome_.harmed || one.code != nullptr;
      findings.push_back(std::move(one.finding));
    }
    return findings;
  }

  void keep_outputs(const PlanMemory& memory) {
    computed_.clear();
    for (const BufferSpec& buffer : case_.plan.buffers) {
      if (buffer.role != BufferRole::output) continue;
      const std::vector<std::byte> bytes = memory.fetch(buffer);
      computed_.emplace(buffer.name, as_reference({buffer.type, buffer.layout.extents, bytes}));
    }
  }

  /// Null where the output has no reference.
  const HostTensor* reference_of(const std::string& buffer) const {
    const TensorSet& given = case_.expected->reference;
    for (const TensorSet* known : {&given, static_cast<const TensorSet*>(&computed_)})
      if (const auto found = known->find(buffer); found != known->end()) return &found->second;
    return nullptr;
  }

  void compare_outputs(const PlanMemory& memory) {
    const Tolerance tolerance = tolerance_of(case_.plan, *case_.expected, computed_);
    if (std::string reason = refusal_of(allowed_share(case_.plan, *case_.expected)); !reason.empty()) {
      Finding finding;
      finding.kind = FindingKind::wrong_result;
      finding.kernel = step_name(case_.plan.launches.back());
      finding.detail = std::move(reason);
      add(std::move(finding));
    }
    for (const BufferSpec& buffer : case_.plan.buffers) {
      if (buffer.role != BufferRole::output || is_judged(case_.plan.judgement, buffer.name)) continue;
      const std::string& name = tensor_name(buffer);
      const HostTensor* const reference = reference_of(name);
      if (reference == nullptr) continue;
      const std::vector<std::byte> bytes = memory.fetch(buffer);
      const TensorView view{buffer.type, results_layout(buffer).extents, bytes};
      const Bounds bounds = tolerance.of(name);
      const ElementLimits& limits = element_limits(case_.expected->limits, name);
      const Comparison comparison = in_tensor(
          buffer,
          compare(view, reference_part(buffer, view_of(*reference)), bounds_of_part(buffer, bounds), limits));
      verdict_.error = std::max(verdict_.error, comparison.worst_error);
      verdict_.tolerance = std::max(verdict_.tolerance, widest(tolerance));
      if (is_right(comparison, bounds)) continue;
      Finding finding;
      finding.kind = FindingKind::wrong_result;
      finding.kernel = step_name(case_.plan.launches.back());
      finding.array = buffer.name;
      finding.no_reference = comparison.unwritten && comparison.no_reference;
      finding.offset = static_cast<std::int64_t>(comparison.worst_index * element_size(buffer.type));
      finding.detail = wrong_result(comparison, reference->extents(), bounds, name, limits).detail;
      add(std::move(finding));
    }
    if (case_.plan.judgement != nullptr && verdict_.findings.empty()) judge_outputs(memory);
  }

  TensorSet all_references() const {
    TensorSet all = case_.expected->reference;
    for (const auto& [name, tensor] : computed_) all.emplace(name, tensor);
    return all;
  }

  void judge_outputs(const PlanMemory& memory) {
    TensorSet outputs;
    const TensorSet reference = all_references();
    for (const std::string& name : case_.plan.judgement->looked_at) {
      const BufferSpec& buffer = case_.plan.buffer(name);
      HostTensor& tensor =
          outputs.emplace(name, HostTensor(buffer.type, buffer.layout.extents)).first->second;
      std::ranges::copy(memory.fetch(buffer), tensor.bytes().begin());
    }
    const Result<void> judged = case_.plan.judgement->judge({case_.expected->inputs, reference, outputs});
    if (judged) return;
    Finding finding;
    finding.kind = FindingKind::wrong_result;
    finding.kernel = step_name(case_.plan.launches.back());
    finding.detail = judged.error().detail;
    add(std::move(finding));
  }

  void add(Finding finding) {
    finding.size = case_.size;
    verdict_.findings.push_back(std::move(finding));
  }

  const Case& case_;
  const CaseCode& code_;
  Emulation& emulation_;
  StepBoard& steps_;
  JobRun& outcome_;
  CheckVerdict& verdict_;
  TensorSet& computed_;
};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Returns why the emulator cannot carry out the plan, whatever the source; empty where it can.
std::string beyond(const LaunchPlan& plan) {
  for (const Launch* step : kernel_launches(plan)) {
    const Launch& launch = *step;
    if (launch.cooperative && launch.grid.count() * launch.block.count() > ResidentBlocks::max_threads)
      return format(
          "a cooperative launch of {} blocks of {} threads: {} threads of a "
          "grid have room together here, take a smaller size or fewer blocks",
          launch.grid.count(), launch.block.count(), ResidentBlocks::max_threads);
  }
  return {};
}

}  // namespace

JobRun run_job(const CheckJob& job, const std::vector<CaseCode>& code, Emulation& emulation, Flavour flavour,
               StepBoard& steps) {
  const double start = processor_seconds();
  const FaultHandler handler(emulation);
  JobRun outcome;
  CheckVerdict& verdict = outcome.verdict;
  TensorSet computed;
  for (std::size_t i = 0; i < job.cases.size() && verdict.clean() && !outcome.harmed; ++i) {
    verdict.not_emulated = beyond(job.cases[i].plan);
    if (!verdict.not_emulated.empty()) break;
    CaseRun run(job.cases[i], code[i], emulation, steps, outcome, computed);
    run.run(Order::forward);
    if (flavour == Flavour::plain && verdict.clean() && !outcome.harmed) run.run(Order::reverse);
  }
  verdict.seconds = processor_seconds() - start;
  return outcome;
}

}  // namespace tune::emulator
