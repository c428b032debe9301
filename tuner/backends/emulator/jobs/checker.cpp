// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/jobs/checker.hpp"

#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>

#include "tuner/backends/emulator/jobs/batch_worker.hpp"
#include "tuner/backends/emulator/jobs/worker_process.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/parallel.hpp"

namespace tune::emulator {
namespace {

using Clock = std::chrono::steady_clock;

/// Of a batch: what g++ needs at most, by far.
constexpr double compile_seconds = 300;

/// A folder that goes with the object.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tune-emulator-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw Error(format("cannot make a folder '{}': TMPDIR names another place", name));
    path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

CheckVerdict ended_by(FindingKind kind, const CheckJob& job, std::string detail) {
  Finding finding;
  finding.kind = kind;
  if (!job.cases.empty()) finding.kernel = step_name(job.cases.front().plan.launches.front());
  finding.detail = std::move(detail);
  CheckVerdict verdict;
  verdict.findings.push_back(std::move(finding));
  return verdict;
}

/// A worker with the jobs that it still owes.
struct Slot {
  Batch batch;
  std::vector<std::size_t> owed;
  std::unique_ptr<WorkerProcess> process;
  std::string bytes;
  std::optional<std::size_t> running;
  bool said_something = false;
  Clock::time_point deadline;
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
    // As many batches for each worker, so that none is idle at the end while another begins its last one.
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
    set_deadline(slot, compile_seconds);
    slot.process = std::make_unique<WorkerProcess>([this, &slot](const WorkerProcess::Send& send) {
      work_on(slot.batch, slot.owed, compiler_, options_.flavour, send);
    });
  }

  static void set_deadline(Slot& slot, double seconds) {
    slot.deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
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
      after_end(slot, false);
    } else if (Clock::now() > slot.deadline) {
      slot.process->kill();
      after_end(slot, true);
    }
  }

  void take(Slot& slot, Message message) {
    slot.said_something = true;
    switch (message.type) {
      case Message::Type::broken:
        throw Error(message.text);
      case Message::Type::begins:
        slot.running = message.job;
        set_deadline(slot, options_.seconds);
        break;
      case Message::Type::verdict:
        finish(slot, message.job, std::move(message.verdict));
        set_deadline(slot, options_.seconds);
        break;
      case Message::Type::unexplained:
        // It is still owed; the worker has nothing more to say.
        slot.running.reset();
        slot.batch.unexplained.insert_or_assign(message.job, std::move(message.verdict));
        break;
    }
  }

  void finish(Slot& slot, std::size_t job, CheckVerdict verdict) {
    slot.running.reset();
    std::erase(slot.owed, job);
    stopped_ = !done_(job, std::move(verdict));
  }

  /// A worker is gone. What it was working on is lost; a new one takes the rest.
  void after_end(Slot& slot, bool too_slow) {
    const int status = slot.process->wait();
    if (slot.running) {
      const std::size_t job = *slot.running;
      finish(slot, job,
             too_slow ? ended_by(FindingKind::hang, slot.batch.jobs.at(job),
                                 format("not finished after {} s", options_.seconds))
                      : ended_by(FindingKind::crash, slot.batch.jobs.at(job),
                                 WIFSIGNALED(status)
                                     ? format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                                     : format("the worker ended with status {}", status)));
      if (stopped_) return;
    } else if (!slot.said_something && !slot.owed.empty()) {
      throw Error(too_slow
                      ? format("g++ needs more than {} s for a batch", compile_seconds)
                      : std::string("a worker of the emulator ended before it had begun: is there memory?"));
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
  ScratchFolder folder_;
  ModuleCompiler compiler_;
  std::size_t batch_size_ = 1;
  std::size_t next_ = 0;  ///< the first job that is in no batch yet
  std::vector<Slot> slots_;
  bool stopped_ = false;
};

}  // namespace

void check(std::size_t count, const JobSource& jobs, const CheckOptions& options,
           const std::function<bool(std::size_t, CheckVerdict)>& done) {
  if (count > 0) Pool(count, jobs, options, done).run();
}

CheckVerdict check(const LaunchPlan& plan, const ReferenceData& expected, const CheckOptions& options) {
  const auto shared = std::make_shared<const ReferenceData>(expected);
  CheckVerdict verdict;
  check(
      1,
      [&](std::size_t) {
        return CheckJob{{{"", plan, shared}}, {}};
      },
      options,
      [&](std::size_t, CheckVerdict found) {
        verdict = std::move(found);
        return true;
      });
  return verdict;
}

}  // namespace tune::emulator
