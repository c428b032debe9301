// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/jobs/checker.hpp"

#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/backends/emulator/jobs/job_run.hpp"
#include "tuner/backends/emulator/jobs/worker_process.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/parallel.hpp"
#include "tuner/base/scratch_folder.hpp"
#include "tuner/base/stop_scope.hpp"
#include "tuner/plan/constant_memory.hpp"
#include "tuner/plan/launch_limits.hpp"

namespace tune::emulator {
namespace {

/// Jobs that are compiled together.
struct Batch {
  std::string name;                      ///< of its files
  std::map<std::size_t, CheckJob> jobs;  ///< by their numbers
  /// The findings of jobs that damaged their worker process.
  std::map<std::size_t, CheckVerdict> unexplained;
};

/// A compiled variant, or why it does not compile.
struct Compiled {
  CaseCode code;
  Failure failure;
};

std::uint64_t constant_bytes(const CompileRequest& request, const CaseCode& code) {
  const std::set<std::string> names = constant_names(request);
  if (names.empty()) return 0;
  std::uint64_t bytes = 0;
  for (const Array& variable : code.module->variables(code.variant)) {
    const std::size_t colons = variable.name.rfind(':');
    if (names.contains(colons == std::string::npos ? variable.name : variable.name.substr(colons + 1)))
      bytes += variable.bytes;
  }
  return bytes;
}

class BatchCode {
 public:
  BatchCode(const Batch& batch, const ModuleCompiler& compiler, Effort effort, Purpose purpose) {
    std::vector<const CompileRequest*> requests;
    for (const auto& [number, job] : batch.jobs) {
      for (const Case& one : job.cases) {
        const auto [at, fresh] = numbers_.emplace(content_of(one.plan.compile), requests.size());
        if (fresh) requests.push_back(&one.plan.compile);
      }
    }
    compiled_.resize(requests.size());
    if (requests.empty()) return;
    const auto whole = load(compiler.compile(requests, batch.name, effort, purpose));
    // Compiles each variant alone where the batch fails: one that does not compile must not fail the others.
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const auto own = whole || requests.size() == 1
                           ? whole
                           : load(compiler.compile(std::span(&requests[i], 1), format("{}_{}", batch.name, i),
                                                   effort, purpose));
      if (!own) {
        compiled_[i].failure = own.error();
        continue;
      }
      compiled_[i].code = {*own, whole ? i : 0, purpose};
      if (const std::uint64_t bytes = constant_bytes(*requests[i], compiled_[i].code);
          bytes > max_constant_bytes)
        compiled_[i] = {{}, beyond_constant_memory(*requests[i], bytes)};
    }
  }

  const Compiled& of(const CompileRequest& request) const {
    return compiled_[numbers_.at(content_of(request))];
  }

 private:
  Result<const LoadedModule*> load(const Result<std::filesystem::path>& path) {
    if (!path) return tl::unexpected(path.error());
    auto module = LoadedModule::load(*path);
    if (!module) return tl::unexpected(module.error());
    modules_.push_back(std::move(*module));
    return modules_.back().get();
  }

  std::map<std::string, std::size_t> numbers_;  ///< by contents
  std::vector<Compiled> compiled_;
  std::vector<std::unique_ptr<LoadedModule>> modules_;
};

/// The verdict on a job with a variant that does not compile.
CheckVerdict refused(const Failure& failure) {
  CheckVerdict verdict;
  if (failure.reason == cannot_be_emulated) {
    verdict.not_emulated = failure.detail;
    return verdict;
  }
  Finding finding;
  finding.kind = FindingKind::compile;
  finding.detail = failure.detail;
  verdict.findings.push_back(std::move(finding));
  return verdict;
}

/// The verdict on a job without cases.
CheckVerdict impossible(const Failure& why) {
  CheckVerdict verdict;
  if (is_beyond_device(why)) {
    verdict.cannot_run = why;
    return verdict;
  }
  Finding finding;
  finding.kind = FindingKind::no_launch;
  finding.detail = why.detail;
  verdict.findings.push_back(std::move(finding));
  return verdict;
}

/// Runs on little memory are short: then the time to compile counts.
Effort effort_for(const Batch& batch) {
  constexpr double little_computation = 512 << 10;  // a job, all buffers without their padding [bytes]
  double bytes = 0;
  for (const auto& [number, job] : batch.jobs)
    for (const Case& one : job.cases)
      for (const BufferSpec& buffer : one.plan.buffers)
        bytes += std::accumulate(buffer.layout.extents.begin(), buffer.layout.extents.end(),
                                 static_cast<double>(element_size(buffer.type)), std::multiplies<>());
  return bytes < little_computation * static_cast<double>(batch.jobs.size()) ? Effort::little : Effort::much;
}

class Worker {
 public:
  Worker(const Batch& batch, const ModuleCompiler& compiler, const CheckOptions& options, StepBoard& steps)
      : batch_(batch),
        compiler_(compiler),
        steps_(steps),
        flavour_(options.flavour),
        // Without call-backs there is nothing to explain.
        explains_(options.source_lines && options.flavour == Flavour::sanitize),
        effort_(effort_for(batch)),
        code_(batch, compiler, effort_, Purpose::search),
        emulation_(std::make_unique<Emulation>(flavour_)) {
    emulation_->log().allow(options.allowed);
  }

  /// Runs a job; where there are findings, runs it again to explain them.
  JobRun run_number(std::size_t number, const WorkerProcess::Send& send) {
    const CheckJob& job = batch_.jobs.at(number);
    const auto known = batch_.unexplained.find(number);
    JobRun found = known == batch_.unexplained.end() ? run(job, code_) : JobRun{known->second, false, true};
    found.unexplained = found.unexplained && explains_;
    if (!found.unexplained || found.harmed) return found;
    send({Message::Type::compiles, number, {}, {}});
    const BatchCode& with_lines = code_with_lines(number);
    send({Message::Type::begins, number, {}, {}});
    JobRun explained = run(job, with_lines);
    if (!explained.verdict.findings.empty()) found.verdict = std::move(explained.verdict);
    return {std::move(found.verdict), explained.harmed, false};
  }

 private:
  JobRun run(const CheckJob& job, const BatchCode& compiled) {
    if (job.impossible) return {impossible(*job.impossible)};
    std::vector<CaseCode> code;
    for (const Case& one : job.cases) {
      const Compiled& variant = compiled.of(one.plan.compile);
      if (variant.code.module == nullptr) return {refused(variant.failure)};
      code.push_back(variant.code);
    }
    return run_job(job, code, *emulation_, flavour_, steps_);
  }

  /// Compiles a job for explaining. After a few jobs it takes the whole batch: where so many have findings,
  /// most will.
  const BatchCode& code_with_lines(std::size_t number) {
    constexpr std::size_t alone = 2;
    if (all_with_lines_ != nullptr) return *all_with_lines_;
    const bool all = explaining_.size() + batch_.unexplained.size() > alone;
    Batch batch{format("{}_lines", batch_.name), {}, {}};
    if (all) {
      batch.jobs = batch_.jobs;
    } else {
      batch.name += format("_{}", number);
      batch.jobs.emplace(number, batch_.jobs.at(number));
    }
    explaining_.push_back(std::make_unique<BatchCode>(batch, compiler_, effort_, Purpose::explain));
    if (all) all_with_lines_ = explaining_.back().get();
    return *explaining_.back();
  }

  const Batch& batch_;
  const ModuleCompiler& compiler_;
  StepBoard& steps_;
  Flavour flavour_;
  bool explains_;
  Effort effort_;
  BatchCode code_;
  std::vector<std::unique_ptr<BatchCode>> explaining_;
  const BatchCode* all_with_lines_ = nullptr;  ///< of explaining_
  std::unique_ptr<Emulation> emulation_;
};

/// Compiles a batch, unless an earlier worker has, and runs its jobs in `wanted`, in order. A job with
/// findings is compiled and run again, to explain them. Called in a process of its own. Ends early,
/// without an error, when a job has damaged the process.
void work_on(const Batch& batch, const std::vector<std::size_t>& wanted, const ModuleCompiler& compiler,
             const CheckOptions& options, StepBoard& steps, const WorkerProcess::Send& send) {
  Worker worker(batch, compiler, options, steps);
  for (const std::size_t number : wanted) {
    Message message;
    message.job = number;
    send(message);
    JobRun run = worker.run_number(number, send);
    message.type = run.unexplained ? Message::Type::unexplained : Message::Type::verdict;
    message.verdict = std::move(run.verdict);
    send(message);
    if (run.harmed) return;
  }
}

using Clock = std::chrono::steady_clock;

/// A generous limit for g++ to compile a batch.
constexpr double compile_seconds = 300;
/// A job may compute this many times as long as one of its steps.
constexpr double limits_of_a_job = 10;
/// A job may wait this many times longer than it may compute: other programs use the processor too.
constexpr double patience = 20;

/// The verdict on a job whose worker ended while `step` ran.
CheckVerdict ended_by(FindingKind kind, const StepInFlight& step, std::string detail) {
  Finding finding;
  finding.kind = kind;
  finding.kernel = step.kernel;
  finding.size = step.size;
  finding.detail = std::move(detail);
  CheckVerdict verdict;
  verdict.findings.push_back(std::move(finding));
  return verdict;
}

/// How a worker ended.
enum class End { by_itself, hang, long_job };

/// A worker with the jobs that it still has to do.
struct Slot {
  Batch batch;
  std::vector<std::size_t> owed;
  std::unique_ptr<WorkerProcess> process;
  std::string bytes;
  std::optional<std::size_t> running;
  bool said_something = false;
  Clock::time_point deadline;
  double processor_limit = 0;  ///< of the step, in seconds of the worker's processor time
  double job_limit = 0;        ///< of the job
  std::uint64_t steps = 0;     ///< that the worker has begun
};

class Pool {
 public:
  Pool(std::size_t count, const JobSource& jobs, const CheckOptions& options,
       const std::function<bool(std::size_t, CheckVerdict)>& done)
      : count_(count),
        jobs_(jobs),
        options_(options),
        done_(done),
        compiler_(folder_.path(), options.flavour) {
    const unsigned workers = options.workers > 0 ? options.workers : host_threads();
    // All workers get the same number of batches, so that none is idle at the end while another begins its
    // last one.
    const std::size_t round = workers * std::max<std::size_t>(1, options.batch);
    const std::size_t batches = workers * ((count + round - 1) / round);
    batch_size_ = std::max<std::size_t>(1, (count + batches - 1) / batches);
    slots_.resize(std::min<std::size_t>(workers, (count + batch_size_ - 1) / batch_size_));
  }

  void run() {
    for (Slot& slot : slots_) next_batch(slot);
    while (!stopped_ &&
           std::ranges::any_of(slots_, [](const Slot& slot) { return slot.process != nullptr; })) {
      std::vector<pollfd> descriptors;
      std::vector<Slot*> owners;
      for (Slot& slot : slots_) {
        if (slot.process == nullptr) continue;
        descriptors.push_back({slot.process->descriptor(), POLLIN, 0});
        owners.push_back(&slot);
      }
      poll(descriptors.data(), descriptors.size(), 100);
      if (options_.stop && options_.stop()) return;  // the slots end their workers
      for (std::size_t i = 0; i < owners.size() && !stopped_; ++i)
        serve(*owners[i], descriptors[i].revents != 0);
    }
  }

 private:
  void next_batch(Slot& slot) {
    slot.process.reset();
    if (next_ == count_) return;
    slot.batch.name = format("batch{}", next_);
    slot.batch.jobs.clear();
    slot.batch.unexplained.clear();
    slot.owed.clear();
    for (; next_ < count_ && slot.owed.size() < batch_size_; ++next_) {
      slot.batch.jobs.emplace(next_, jobs_(next_));
      slot.owed.push_back(next_);
    }
    start(slot);
  }

  void start(Slot& slot) {
    slot.bytes.clear();
    slot.running.reset();
    slot.said_something = false;
    allow_compiling(slot);
    slot.process =
        std::make_unique<WorkerProcess>([this, &slot](const WorkerProcess::Send& send, StepBoard& steps) {
          work_on(slot.batch, slot.owed, compiler_, options_, steps, send);
        });
  }

  static void set_deadline(Slot& slot, double seconds) {
    slot.deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  static void allow_compiling(Slot& slot) {
    set_deadline(slot, compile_seconds);
    slot.processor_limit = slot.job_limit = std::numeric_limits<double>::infinity();
  }

  void allow_running(Slot& slot) const {
    set_deadline(slot, patience * options_.seconds);
    slot.processor_limit = slot.process->processor_seconds() + options_.seconds;
  }

  /// A job that goes from step to step does not hang.
  void look_at_step(Slot& slot) const {
    if (slot.running && std::exchange(slot.steps, slot.process->steps()) != slot.steps) allow_running(slot);
  }

  void serve(Slot& slot, bool readable) {
    const bool alive = !readable || slot.process->receive(slot.bytes);
    while (!stopped_) {
      std::optional<Message> message = take_message(slot.bytes);
      if (!message) break;
      take(slot, std::move(*message));
    }
    if (stopped_) return;
    if (!alive) {
      after_end(slot, End::by_itself);
      return;
    }
    look_at_step(slot);
    const double seconds = slot.process->processor_seconds();
    const bool hangs = Clock::now() > slot.deadline || seconds > slot.processor_limit;
    if (!hangs && seconds <= slot.job_limit) return;
    slot.process->kill();
    after_end(slot, hangs ? End::hang : End::long_job);
  }

  void take(Slot& slot, Message message) {
    slot.said_something = true;
    switch (message.type) {
      case Message::Type::broken:
        throw Error(message.text);
      case Message::Type::begins:
        slot.running = message.job;
        allow_running(slot);
        slot.job_limit = slot.process->processor_seconds() + limits_of_a_job * options_.seconds;
        break;
      case Message::Type::compiles:
        allow_compiling(slot);
        break;
      case Message::Type::verdict:
        finish(slot, message.job, std::move(message.verdict));
        allow_running(slot);
        slot.job_limit = std::numeric_limits<double>::infinity();
        break;
      case Message::Type::unexplained:
        // The job stays owed: this worker cannot explain it.
        slot.running.reset();
        slot.batch.unexplained.insert_or_assign(message.job, std::move(message.verdict));
        break;
    }
  }

  /// What the host's compiler refuses and that of a device takes is not emulated, and no error.
  void excuse(const CheckJob& job, CheckVerdict& verdict) {
    if (!options_.device_takes || verdict.findings.size() != 1 ||
        verdict.findings.front().kind != FindingKind::compile)
      return;
    const std::string message = verdict.findings.front().detail;
    const auto [known, is_new] = excused_.emplace(message, false);
    if (is_new)
      known->second = std::ranges::all_of(
          job.cases, [&](const Case& one) { return options_.device_takes(one.plan.compile); });
    if (!known->second) return;
    verdict.findings.clear();
    verdict.not_emulated = format("the emulator's compiler refuses what NVRTC takes: {}",
                                  message.substr(0, std::min(message.find("; "), message.find('\n'))));
  }

  void finish(Slot& slot, std::size_t job, CheckVerdict verdict) {
    excuse(slot.batch.jobs.at(job), verdict);
    slot.running.reset();
    std::erase(slot.owed, job);
    stopped_ = !done_(job, std::move(verdict));
  }

  /// Returns the verdict of a job whose worker has ended with this status.
  CheckVerdict verdict_of(const Slot& slot, End end, int status) const {
    CheckVerdict verdict;
    switch (end) {
      case End::hang:
        verdict = ended_by(
            FindingKind::hang, slot.process->step(),
            format(
                "not finished after {} s of processor time: a loop without an end, or too much work for the "
                "CPU at this size (check at a smaller one, or allow more with --timeout)",
                options_.seconds));
        verdict.is_unfinished = true;
        return verdict;
      case End::long_job:
        verdict.not_emulated =
            format("takes more than {} s of processor time: choose a smaller size or fewer steps",
                   limits_of_a_job * options_.seconds);
        return verdict;
      case End::by_itself:
        break;
    }
    return ended_by(FindingKind::crash, slot.process->step(),
                    WIFSIGNALED(status)
                        ? format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                        : format("the worker ended with status {}", status));
  }

  /// A worker has ended: its running job gets a verdict, and a new worker takes the rest.
  void after_end(Slot& slot, End end) {
    const int status = slot.process->wait();
    if (slot.running) {
      const std::size_t job = *slot.running;
      finish(slot, job, verdict_of(slot, end, status));
      if (stopped_) return;
    } else if (!slot.said_something && !slot.owed.empty()) {
      throw Error(
          end != End::by_itself
              ? format("g++ took more than {} s for a batch: lower the number of jobs compiled together",
                       compile_seconds)
              : std::string("a worker of the emulator ended before it began: free memory"));
    }
    if (slot.owed.empty())
      next_batch(slot);
    else
      start(slot);
  }

  std::size_t count_;
  const JobSource& jobs_;
  const CheckOptions& options_;
  const std::function<bool(std::size_t, CheckVerdict)>& done_;
  ScratchFolder folder_{"tune-emulator-"};
  ModuleCompiler compiler_;
  std::size_t batch_size_ = 1;
  std::size_t next_ = 0;  ///< the first job that is in no batch yet
  std::vector<Slot> slots_;
  std::map<std::string, bool> excused_ = {};  ///< by the messages of the host's compiler
  bool stopped_ = false;
};

}  // namespace

void check(std::size_t count, const JobSource& jobs, const CheckOptions& options,
           const std::function<bool(std::size_t, CheckVerdict)>& done) {
  if (count == 0) return;
  const StopScope scope(options.stop);
  try {
    Pool(count, jobs, options, done).run();
  } catch (const Stopped&) {
    return;  // as where it was stopped between two jobs
  }
}

CheckVerdict check(const LaunchPlan& plan, const ReferenceData& expected, const CheckOptions& options) {
  const auto shared = std::make_shared<const ReferenceData>(expected);
  CheckVerdict verdict;
  check(
      1,
      [&](std::size_t) {
        CheckJob job{{{"", plan, shared}}};
        if (const Result<void> fits = check_geometry(architecture_properties("sm_90"), plan); !fits)
          job = {{}, fits.error()};
        return job;
      },
      options,
      [&](std::size_t, CheckVerdict found) {
        verdict = std::move(found);
        return true;
      });
  return verdict;
}

Result<LaunchPlan> ProblemJobs::fitted(Result<LaunchPlan> plan, const Instance& instance,
                                       const std::string& what) const {
  if (!plan)
    return fail(plan.error().phase, plan.error().reason,
                format("no {} at {}: {}", what, instance.key(), plan.error().detail));
  if (const Result<void> fits = check_geometry(limits_, *plan); !fits) return tl::unexpected(fits.error());
  return plan;
}

Result<LaunchPlan> ProblemJobs::plan_at(const Instance& instance, const Configuration& configuration) const {
  return fitted(problem_.plan(instance, configuration, sources_), instance, "plan");
}

CheckJob ProblemJobs::job(const Configuration& configuration, std::span<const Instance> instances,
                          const Instance* executed) {
  CheckJob job;
  if (executed != nullptr)
    if (const auto plan = plan_at(*executed, configuration); !plan) return {{}, plan.error()};
  for (const Instance& instance : instances) {
    auto plan = plan_at(instance, configuration);
    if (!plan) return {{}, plan.error()};
    // Races and bounds do not depend on values: the inputs of one seed suffice.
    const Instance of_reference = problem_.reference_instance(instance, configuration);
    const auto expected = reference_cache_.at(of_reference, check_seeds[0]);
    if (auto reference = problem_.reference_plan(of_reference, sources_)) {
      reference = fitted(std::move(*reference), instance, "reference");
      if (!*reference) return {{}, reference->error()};
      job.cases.push_back({std::string(reference_at) + of_reference.key(), **reference, expected, true});
    }
    reference_cache_.note(*plan, *expected);
    job.cases.push_back({instance.key(), std::move(*plan), expected});
  }
  return job;
}

}  // namespace tune::emulator
