// SPDX-License-Identifier: MIT
#include "treadle/cuda/error.hpp"

#include <unistd.h>

#include "cuda/context_state.hpp"
#include "treadle/cuda/allocation.hpp"
#include "treadle/cuda/table.hpp"
#include "treadle/process/kept_memory.hpp"
#include "treadle/process/settings.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::cuda {
namespace {

/// Codes with which a kernel could not start or ended: the text of the CPU device's fault belongs
/// to them.
bool is_launch_failure(int code) {
  switch (code) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
      return true;
    default:
      return false;
  }
}

std::string version_text(const Table& table) {
  int version = 0;
  if (table.cuDriverGetVersion(&version) != CUDA_SUCCESS) return "this driver";
  return "driver version " + std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

[[noreturn]] void raise_absent(const Table& table, const char* call) {
  std::string text = std::string(call) + " is not offered by " + version_text(table);
  if (!table.library.empty()) text += " (" + table.library.string() + ")";
  throw NotSupported(std::move(text),
                     table.provider == Provider::nvidia
                         ? "install a newer NVIDIA driver"
                         : "run on an NVIDIA GPU: the CPU device has no such call");
}

void add_fault(const Table& table, int code, std::string& detail) {
  if (table.last_fault == nullptr || !is_launch_failure(code)) return;
  RawContext context = nullptr;
  table.cuCtxGetCurrent(&context);
  const char* fault = table.last_fault(context);
  if (fault == nullptr || *fault == '\0') return;
  detail += (detail.empty() ? "" : ": ") + std::string(fault);
}

/// After these every later call in the context fails, until it is destroyed.
bool loses_context(int code) {
  return is_launch_failure(code) && code != CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES &&
         code != CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING &&
         code != CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
}

/// A kernel's fault surfaces in whatever call comes next. Only the order of launches shows which
/// kernel it was; where each launch is waited for, the caller has named it.
void add_launches(const Table& table, int code, std::string& detail, std::string& hint) {
  if (!loses_context(code)) return;
  const std::string before = detail.empty() ? "" : "; ";
  RawContext context = nullptr;
  table.cuCtxGetCurrent(&context);
  const auto state = ContextState::find(table, context);
  const std::string launches =
      state && !settings().sync ? launches_text(state->launches()) : std::string();
  detail += before + launches + (launches.empty() ? "" : "; ") + "the context is lost";
  if (hint.empty() && !launches.empty())
    hint = "run with TREADLE_SYNC=1: it waits after every launch and names the one that fails";
}

/// The process that loaded this code. No driver works in a child that was forked from one that used
/// it.
const pid_t loaded_in = getpid();

void add_fork(int code, std::string& detail, std::string& hint) {
  if (code != CUDA_ERROR_NOT_INITIALIZED || getpid() == loaded_in) return;
  detail += (detail.empty() ? "" : ": ") +
            std::string("this process was forked from one that had initialized CUDA");
  hint = "start the process with \"spawn\": multiprocessing.get_context(\"spawn\")";
}

}  // namespace

bool is_out_of_memory(int status) noexcept { return status == CUDA_ERROR_OUT_OF_MEMORY; }

std::string error_name(const Table& table, int code) {
  const char* name = nullptr;
  if (table.cuGetErrorName(static_cast<CUresult>(code), &name) == CUDA_SUCCESS && name != nullptr)
    return name;
  return "CUDA_ERROR_" + std::to_string(code);
}

std::string error_text(const Table& table, int code) {
  const char* text = nullptr;
  if (table.cuGetErrorString(static_cast<CUresult>(code), &text) == CUDA_SUCCESS && text != nullptr)
    return text;
  return "error " + std::to_string(code);
}

void raise(const Table& table, int code, const char* call, std::string detail, std::string hint) {
  if (code == absent_entry_point) raise_absent(table, call);
  add_fault(table, code, detail);
  add_launches(table, code, detail, hint);
  add_fork(code, detail, hint);
  DeviceFailure failure{code, error_name(table, code), call, error_text(table, code),
                        std::move(detail)};
  if (is_out_of_memory(code)) {
    add_kept_memory(failure.detail);
    throw OutOfMemory(std::move(failure), std::move(hint));
  }
  if (is_launch_failure(code)) throw LaunchError(std::move(failure), std::move(hint));
  throw DeviceError(std::move(failure), std::move(hint));
}

void warn_if_failed(const Table& table, int code, const char* call, const char* object) noexcept {
  // A process that ends may shut the driver down before our last objects; nothing is lost by that.
  if (code == CUDA_SUCCESS || code == CUDA_ERROR_DEINITIALIZED ||
      code == CUDA_ERROR_CONTEXT_IS_DESTROYED)
    return;
  try {
    warn("cleaning up " + std::string(object) + ": " + call +
         " failed: " + error_text(table, code) + " (" + error_name(table, code) + ")");
  } catch (...) {
    warn("cleaning up failed, and so did saying how");
  }
}

}  // namespace treadle::cuda
