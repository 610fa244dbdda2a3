// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/opencl/raw.hpp"

namespace treadle::opencl {

/// What an entry point that is missing returns: raise() turns it into NotSupported. No status of
/// OpenCL has it.
inline constexpr int absent_entry_point = -99999;
/// What every entry point returns in a process that was forked from one that used OpenCL: platforms
/// have lost their threads there. raise() says how to start a process that has them.
inline constexpr int forked_process = -99998;

/// A platform refused to build, compile or link a program. log() holds what every device's compiler
/// said, each under the device's name if there are several.
class BuildError : public CompileError {
 public:
  /// What one device's compiler said.
  struct DeviceLog {
    std::string device, text;  ///< its name, and what its compiler said
  };
  /// The message names `call` and `code`; log() is put together from `logs`.
  BuildError(int code, std::string call, std::vector<DeviceLog> logs, std::string source,
             std::vector<std::string> options);
  /// OpenCL's status: CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BUILD_OPTIONS, ...
  int code() const noexcept { return code_; }
  /// The entry point that failed: "clBuildProgram", "clCompileProgram" or "clLinkProgram".
  const std::string& call() const noexcept { return call_; }
  /// One for each device that was built for.
  const std::vector<DeviceLog>& logs() const noexcept { return logs_; }

 private:
  int code_;
  std::string call_;
  std::vector<DeviceLog> logs_;
};

/// Throws what `code` means: OutOfMemory where memory of host or device is exhausted; LaunchError
/// where a kernel could not start; NotSupported, naming call and platform, for an entry point that
/// is missing; else DeviceError. The message is "<call> failed: <text>[ - <detail>]".
[[noreturn]] void raise(const Table& table, int code, const char* call, std::string detail = {},
                        std::string hint = {});

/// Throws if `code` is not CL_SUCCESS. `describe()` says what was attempted on which object; it is
/// called only on failure.
template <class Describe>
inline void check(const Table& table, int code, const char* call, Describe&& describe) {
  if (code != 0) [[unlikely]]
    raise(table, code, call, std::forward<Describe>(describe)());
}
inline void check(const Table& table, int code, const char* call) {
  if (code != 0) [[unlikely]]
    raise(table, code, call);
}

/// For destructors: hands a failure to the warning hook (treadle/process/warning.hpp) instead of
/// throwing.
void warn_if_failed(int code, const char* call, const char* object) noexcept;

/// "CL_INVALID_VALUE"; "CL_ERROR_<code>" for a code the standard does not name.
std::string error_name(int code);
/// "invalid value": the name in words, for OpenCL has no texts of its own.
std::string error_text(int code);

}  // namespace treadle::opencl
