// SPDX-License-Identifier: Apache-2.0
#include "tuner/emulator/batch_worker.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "tuner/core/format.hpp"
#include "tuner/emulator/job_run.hpp"

namespace tune::emulator {
namespace {

/// A variant as compiled: in a module, or the reason why not.
struct Compiled {
  CaseCode code;
  Failure failure;
};

class BatchCode {
 public:
  BatchCode(const Batch& batch, const ModuleCompiler& compiler) {
    std::vector<const CompileRequest*> requests;
    for (const auto& [number, job] : batch.jobs) {
      for (const Case& one : job.cases) {
        const auto [at, fresh] = numbers_.emplace(content_of(one.plan.compile), requests.size());
        if (fresh) requests.push_back(&one.plan.compile);
      }
    }
    compiled_.resize(requests.size());
    if (requests.empty()) return;
    const auto whole = compiler.compile(requests, batch.name);
    if (whole) {
      modules_.push_back(std::make_unique<LoadedModule>(*whole));
      for (std::size_t i = 0; i < requests.size(); ++i) compiled_[i].code = {modules_.back().get(), i};
      return;
    }
    // Whose fault is it? One that does not compile must not take the others with it.
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const auto single = requests.size() == 1
                              ? whole
                              : compiler.compile(std::span(&requests[i], 1), format("{}_{}", batch.name, i));
      if (single) {
        modules_.push_back(std::make_unique<LoadedModule>(*single));
        compiled_[i].code = {modules_.back().get(), 0};
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
Verdict refused(const Failure& failure) {
  Verdict verdict;
  if (failure.reason == cannot_be_emulated) {
    verdict.not_emulated = failure.detail;
    return verdict;
  }
  Finding finding;
  finding.kind = Kind::compile;
  finding.detail = failure.detail;
  verdict.findings.push_back(std::move(finding));
  return verdict;
}

}  // namespace

void work_on(const Batch& batch, const std::vector<std::size_t>& wanted, const ModuleCompiler& compiler,
             Flavour flavour, const std::function<void(const Message&)>& send) {
  const BatchCode compiled(batch, compiler);
  const auto emulation = std::make_unique<Emulation>(flavour);
  bool harmed = false;
  for (const std::size_t number : wanted) {
    Message message;
    message.job = number;
    send(message);
    message.type = Message::Type::verdict;
    std::vector<CaseCode> code;
    const Failure* failure = nullptr;
    for (const Case& one : batch.jobs.at(number).cases) {
      const Compiled& variant = compiled.of(one.plan.compile);
      if (variant.code.module == nullptr) failure = &variant.failure;
      code.push_back(variant.code);
    }
    message.verdict = failure != nullptr ? refused(*failure)
                                         : run_job(batch.jobs.at(number), code, *emulation, flavour, harmed);
    send(message);
    if (harmed) return;
  }
}

}  // namespace tune::emulator
