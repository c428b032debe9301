// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/jobs/batch_worker.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>

#include "tuner/backends/emulator/jobs/job_run.hpp"
#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

/// A variant as compiled: in a module, or the reason why not.
struct Compiled {
  CaseCode code;
  Failure failure;
};

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
    const auto whole = compiler.compile(requests, batch.name, effort, purpose);
    if (whole) {
      modules_.push_back(std::make_unique<LoadedModule>(*whole));
      for (std::size_t i = 0; i < requests.size(); ++i)
        compiled_[i].code = {modules_.back().get(), i, purpose};
      return;
    }
    // Whose fault is it? One that does not compile must not take the others with it.
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const auto single =
          requests.size() == 1
              ? whole
              : compiler.compile(std::span(&requests[i], 1), format("{}_{}", batch.name, i), effort, purpose);
      if (single) {
        modules_.push_back(std::make_unique<LoadedModule>(*single));
        compiled_[i].code = {modules_.back().get(), 0, purpose};
      } else {
        compiled_[i].failure = single.error();
      }
    }
  }

  const Compiled& of(const CompileRequest& request) const {
    return compiled_[numbers_.at(content_of(request))];
  }

 private:
  std::map<std::string, std::size_t> numbers_;  ///< by contents
  std::vector<Compiled> compiled_;
  std::vector<std::unique_ptr<LoadedModule>> modules_;
};

/// The verdict on a job of which a variant does not compile.
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

/// Runs are short where little memory is worked on: then compiling counts.
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
  Worker(const Batch& batch, const ModuleCompiler& compiler, Flavour flavour)
      : batch_(batch),
        compiler_(compiler),
        flavour_(flavour),
        effort_(effort_for(batch)),
        code_(batch, compiler, effort_, Purpose::search),
        emulation_(std::make_unique<Emulation>(flavour)) {}

  /// What is found, explained if that is possible.
  JobRun run_number(std::size_t number) {
    const CheckJob& job = batch_.jobs.at(number);
    const auto known = batch_.unexplained.find(number);
    JobRun found = known == batch_.unexplained.end() ? run(job, code_) : JobRun{known->second, false, true};
    // Without call-backs there is nothing to add.
    found.unexplained = found.unexplained && flavour_ == Flavour::sanitize;
    if (!found.unexplained || found.harmed) return found;
    const Batch alone{format("{}_lines_{}", batch_.name, number), {{number, job}}, {}};
    explaining_.push_back(std::make_unique<BatchCode>(alone, compiler_, effort_, Purpose::explain));
    JobRun explained = run(job, *explaining_.back());
    if (!explained.verdict.findings.empty()) found.verdict = std::move(explained.verdict);
    return {std::move(found.verdict), explained.harmed, false};
  }

 private:
  JobRun run(const CheckJob& job, const BatchCode& compiled) {
    std::vector<CaseCode> code;
    for (const Case& one : job.cases) {
      const Compiled& variant = compiled.of(one.plan.compile);
      if (variant.code.module == nullptr) return {refused(variant.failure)};
      code.push_back(variant.code);
    }
    return run_job(job, code, *emulation_, flavour_);
  }

  const Batch& batch_;
  const ModuleCompiler& compiler_;
  Flavour flavour_;
  Effort effort_;
  BatchCode code_;
  std::vector<std::unique_ptr<BatchCode>> explaining_;
  std::unique_ptr<Emulation> emulation_;
};

}  // namespace

void work_on(const Batch& batch, const std::vector<std::size_t>& wanted, const ModuleCompiler& compiler,
             Flavour flavour, const std::function<void(const Message&)>& send) {
  Worker worker(batch, compiler, flavour);
  for (const std::size_t number : wanted) {
    Message message;
    message.job = number;
    send(message);
    JobRun run = worker.run_number(number);
    message.type = run.unexplained ? Message::Type::unexplained : Message::Type::verdict;
    message.verdict = std::move(run.verdict);
    send(message);
    if (run.harmed) return;
  }
}

}  // namespace tune::emulator
