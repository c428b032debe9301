// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/backends/binary.hpp"

namespace tune::cuda {

/// True where the texts of a request may have what NVRTC does not take and nvcc does: headers that are
/// neither the request's nor known, launches, a `main`. Conditions are not evaluated.
bool may_hold_host_code(const CompileRequest& request);

/// Returns the first option of a request that nvcc has and NVRTC has not; empty for none.
std::string option_of_nvcc(const CompileRequest& request);

/// Returns why NVRTC cannot take a source that nvcc may take, from NVRTC's log: host code, or a header that
/// it does not find; empty for other failures and for headers in quotation marks that the request lacks.
std::string beyond_nvrtc(const CompileRequest& request, std::string_view log);

/// Returns the request without what only the host uses, and without the headers in angle brackets that have
/// no code of the device, as far as they are known.
CompileRequest device_request(CompileRequest request);

/// Compiles with NVRTC, as the request is or without its host code, and with nvcc what NVRTC cannot take so
/// either or what asks for nvcc. What succeeded is the first choice from then on, whatever the macros and
/// options are.
class CudaCompiler : public Compiler {
 public:
  /// Returns null, and the cause in one line, where there is no nvcc. Called at the first need.
  using MakeNvcc = std::function<std::unique_ptr<Compiler>(std::string* failure_reason)>;

  CudaCompiler(std::unique_ptr<Compiler> nvrtc, MakeNvcc make_nvcc);

  /// Failure{compile, "no nvcc"} where NVRTC cannot take the source and there is no nvcc. Throws Error where
  /// the request asks for nvcc and there is none.
  Result<Binary> compile(const CompileRequest& request) const override;
  void cancel() const override;
  /// NVRTC's.
  std::string version() const override { return nvrtc_->version(); }
  std::optional<std::string> version_for(const CompileRequest& request) const override;
  /// NVRTC's; that of nvcc is a part of files_key.
  std::string identity() const override { return nvrtc_->identity(); }
  std::optional<std::string> files_key(const CompileRequest& request) const override;

 private:
  /// Null where there is none.
  const Compiler* nvcc() const;
  Result<Binary> by_choice(const CompileRequest& request) const;
  Result<Binary> by_nvcc(const CompileRequest& request, std::string reason) const;
  Result<Binary> without_host_code(const CompileRequest& request) const;
  /// How texts were compiled that NVRTC did not take as they are.
  struct Choice {
    bool by_nvrtc = false;  ///< without their host code
    std::string reason;     ///< why not as they are
  };
  std::optional<Choice> known_choice(const CompileRequest& request) const;
  void remember(const CompileRequest& request, Choice choice) const;

  std::unique_ptr<Compiler> nvrtc_;
  MakeNvcc make_nvcc_;
  mutable std::mutex mutex_;
  mutable bool has_looked_ = false;
  mutable std::unique_ptr<Compiler> nvcc_;
  mutable std::string no_nvcc_;                    ///< why there is no nvcc
  mutable std::map<std::string, Choice> choices_;  ///< by the hash of the texts
};

/// Puts the choice in front of NVRTC's compiler, with this machine's nvcc for the architecture. `timeout`:
/// the seconds that a compile of nvcc may take.
std::unique_ptr<Compiler> with_nvcc(std::unique_ptr<Compiler> nvrtc, const std::string& architecture,
                                    double timeout = default_compile_timeout);

}  // namespace tune::cuda
