// SPDX-License-Identifier: MIT
#include "treadle/opencl/error.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "opencl/query.hpp"
#include "treadle/opencl/allocation.hpp"
#include "treadle/opencl/table.hpp"
#include "treadle/process/kept_memory.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::opencl {
namespace {

/// Codes with which a launch is refused: the shape, the arguments, or the device's resources.
bool is_launch_failure(int code, std::string_view call) {
  if (call != "clEnqueueNDRangeKernel") return false;
  return code == CL_OUT_OF_RESOURCES || code == CL_INVALID_KERNEL_ARGS ||
         code == CL_INVALID_GLOBAL_WORK_SIZE ||
         (code <= CL_INVALID_WORK_DIMENSION && code >= CL_INVALID_GLOBAL_OFFSET);
}

[[noreturn]] void raise_absent(const Table& table, const char* call) {
  std::string by = "this OpenCL loader";
  if (!table.library.empty()) by += " (" + table.library.string() + ")";
  if (table.platform != nullptr) by = "platform " + platform_text(table);
  throw NotSupported(std::string(call) + " is not offered by " + by,
                     "run on a platform that implements a newer OpenCL, or has the extension");
}

[[noreturn]] void raise_forked(const char* call) {
  constexpr int code = CL_INVALID_OPERATION;
  throw DeviceError(DeviceFailure{code, error_name(code), call, error_text(code),
                                  "this process was forked from one that had used OpenCL, whose "
                                  "platforms have lost their threads here"},
                    "start the process with \"spawn\": multiprocessing.get_context(\"spawn\")");
}

std::string join_logs(const std::vector<BuildError::DeviceLog>& logs) {
  std::string text;
  for (const auto& log : logs) {
    if (log.text.find_first_not_of(" \t\r\n") == std::string::npos) continue;
    if (logs.size() > 1) text += "on " + log.device + ":\n";
    text += log.text;
    if (text.back() != '\n') text += '\n';
  }
  return text;
}

std::string build_message(int code, const std::string& call,
                          const std::vector<BuildError::DeviceLog>& logs) {
  std::string text = call + " failed: " + error_text(code);
  for (std::size_t i = 0; i < logs.size(); ++i) text += (i == 0 ? " on " : ", ") + logs[i].device;
  return text;
}

}  // namespace

BuildError::BuildError(int code, std::string call, std::vector<DeviceLog> logs, std::string source,
                       std::vector<std::string> options)
    : CompileError(build_message(code, call, logs), join_logs(logs), std::move(source),
                   std::move(options)),
      code_(code),
      call_(std::move(call)),
      logs_(std::move(logs)) {}

// CL_OUT_OF_RESOURCES means memory wherever no kernel is started: that is how NVIDIA's platform
// reports an allocation that does not fit.
bool is_out_of_memory(int code, std::string_view call) noexcept {
  if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY) return true;
  return code == CL_OUT_OF_RESOURCES && call != "clWaitForEvents" && call != "clFinish" &&
         call != "clEnqueueNDRangeKernel";
}

std::string error_name(int code) {
  const std::string_view name = enum_name("status_code", code);
  return name.empty() ? "CL_ERROR_" + std::to_string(code) : "CL_" + std::string(name);
}

std::string error_text(int code) {
  const std::string_view name = enum_name("status_code", code);
  if (name.empty()) return "error " + std::to_string(code);
  std::string text(name.ends_with("_KHR") ? name.substr(0, name.size() - 4) : name);
  for (char& c : text)
    c = c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

void raise(const Table& table, int code, const char* call, std::string detail, std::string hint) {
  if (code == absent_entry_point) raise_absent(table, call);
  if (code == forked_process) raise_forked(call);
  DeviceFailure failure{code, error_name(code), call, error_text(code), std::move(detail)};
  if (is_launch_failure(code, call)) throw LaunchError(std::move(failure), std::move(hint));
  if (is_out_of_memory(code, call)) {
    add_kept_memory(failure.detail);
    throw OutOfMemory(std::move(failure), std::move(hint));
  }
  throw DeviceError(std::move(failure), std::move(hint));
}

void warn_if_failed(int code, const char* call, const char* object) noexcept {
  if (code == CL_SUCCESS || code == forked_process) return;  // there is nothing to clean there
  try {
    warn("cleaning up " + std::string(object) + ": " + call + " failed: " + error_text(code) +
         " (" + error_name(code) + ")");
  } catch (...) {
    warn("cleaning up failed, and so did saying how");
  }
}

}  // namespace treadle::opencl
