// SPDX-License-Identifier: MIT
// NVRTC's C interface over Compilation. The "PTX" and the "CUBIN" of this device are one thing, the
// module image.
#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "compile/nvrtc_types.h"
#include "cuda_cpu/compiler/compilation.hpp"
#include "cuda_cpu/compiler/kernel_part.hpp"
#include "cuda_cpu/compiler/precompiled_prelude.hpp"
#include "cuda_cpu/module_abi.h"

#define TREADLE_NVRTC_SYMBOL(result, name, parameters) \
  extern "C" __attribute__((visibility("default"))) result name parameters noexcept;
#include "compile/nvrtc_symbols.def"

struct _nvrtcProgram {
  treadle::cuda_cpu::Compilation program;
};

namespace {

using treadle::cuda_cpu::Compilation;
using treadle::cuda_cpu::CompileStatus;
using treadle::cuda_cpu::HeaderText;

constexpr int device_capability = 70;

/// Runs `body` and turns what it throws into a code: no exception leaves through a C interface.
template <class Body>
nvrtcResult guarded(Body&& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return NVRTC_ERROR_OUT_OF_MEMORY;
  } catch (const std::exception&) {
    return NVRTC_ERROR_INTERNAL_ERROR;
  }
}

nvrtcResult image_size(nvrtcProgram prog, std::size_t* size) {
  if (prog == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (size == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *size = prog->program.image().size();
  return *size == 0 ? NVRTC_ERROR_INVALID_PROGRAM : NVRTC_SUCCESS;
}

nvrtcResult copy_image(nvrtcProgram prog, char* to) {
  if (prog == nullptr || prog->program.image().empty()) return NVRTC_ERROR_INVALID_PROGRAM;
  if (to == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  std::copy(prog->program.image().begin(), prog->program.image().end(), to);
  return NVRTC_SUCCESS;
}

}  // namespace

/// Build step, no part of NVRTC: write_preludes.cpp.
extern "C" __attribute__((visibility("default"))) int treadle_clang_write_preludes(
    const char* folder) {
  return treadle::cuda_cpu::write_common_preludes(folder) ? 0 : 1;
}

/// Nor is this: CompileKernel of module_abi.h.
extern "C" __attribute__((visibility("default"))) int treadle_clang_compile_kernel(
    const treadle::cuda_cpu::ModuleDescriptor* module, const char* kernel,
    void (*take)(void* receiver, const char* bytes, std::size_t size), void* receiver) noexcept {
  std::string error = "error: out of memory";
  try {
    const treadle::cuda_cpu::KernelPart part = treadle::cuda_cpu::compile_kernel(
        {module->deferred, module->deferred_size}, kernel,
        {module->deferred_arguments, module->deferred_arguments_size});
    if (!part.image.empty()) {
      take(receiver, part.image.data(), part.image.size());
      return 0;
    }
    error = part.error;
  } catch (const std::bad_alloc&) {
  } catch (const std::exception& failure) {
    error = failure.what();
  }
  take(receiver, error.data(), error.size());
  return 1;
}

const char* nvrtcGetErrorString(nvrtcResult result) noexcept {
  switch (result) {
    case NVRTC_SUCCESS:
      return "NVRTC_SUCCESS";
    case NVRTC_ERROR_OUT_OF_MEMORY:
      return "NVRTC_ERROR_OUT_OF_MEMORY";
    case NVRTC_ERROR_PROGRAM_CREATION_FAILURE:
      return "NVRTC_ERROR_PROGRAM_CREATION_FAILURE";
    case NVRTC_ERROR_INVALID_INPUT:
      return "NVRTC_ERROR_INVALID_INPUT";
    case NVRTC_ERROR_INVALID_PROGRAM:
      return "NVRTC_ERROR_INVALID_PROGRAM";
    case NVRTC_ERROR_INVALID_OPTION:
      return "NVRTC_ERROR_INVALID_OPTION";
    case NVRTC_ERROR_COMPILATION:
      return "NVRTC_ERROR_COMPILATION";
    case NVRTC_ERROR_BUILTIN_OPERATION_FAILURE:
      return "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE";
    case NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION:
      return "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION";
    case NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION:
      return "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION";
    case NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID:
      return "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID";
    case NVRTC_ERROR_INTERNAL_ERROR:
      return "NVRTC_ERROR_INTERNAL_ERROR";
    case NVRTC_ERROR_TIME_FILE_WRITE_FAILED:
      return "NVRTC_ERROR_TIME_FILE_WRITE_FAILED";
    case NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED:
      return "NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED";
    case NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED:
      return "NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED";
    case NVRTC_ERROR_PCH_CREATE:
      return "NVRTC_ERROR_PCH_CREATE";
    case NVRTC_ERROR_CANCELLED:
      return "NVRTC_ERROR_CANCELLED";
    case NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED:
      return "NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED";
  }
  return "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int* major, int* minor) noexcept {
  if (major == nullptr || minor == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *major = 13;
  *minor = 0;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int* numArchs) noexcept {
  if (numArchs == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *numArchs = 1;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int* supportedArchs) noexcept {
  if (supportedArchs == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *supportedArchs = device_capability;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* prog, const char* src, const char* name,
                               int numHeaders, const char* const* headers,
                               const char* const* includeNames) noexcept {
  if (prog == nullptr || src == nullptr || numHeaders < 0) return NVRTC_ERROR_INVALID_INPUT;
  if (numHeaders > 0 && (headers == nullptr || includeNames == nullptr)) {
    return NVRTC_ERROR_INVALID_INPUT;
  }
  return guarded([&] {
    std::vector<HeaderText> texts;
    for (int i = 0; i < numHeaders; ++i) texts.push_back({includeNames[i], headers[i]});
    *prog = new _nvrtcProgram{Compilation(src, name == nullptr ? "" : name, std::move(texts))};
    return NVRTC_SUCCESS;
  });
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* prog) noexcept {
  if (prog == nullptr || *prog == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  delete *prog;
  *prog = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram prog, int numOptions,
                                const char* const* options) noexcept {
  if (prog == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (numOptions < 0 || (numOptions > 0 && options == nullptr)) return NVRTC_ERROR_INVALID_INPUT;
  return guarded([&] {
    switch (prog->program.compile({options, options + numOptions})) {
      case CompileStatus::success:
        return NVRTC_SUCCESS;
      case CompileStatus::invalid_option:
        return NVRTC_ERROR_INVALID_OPTION;
      case CompileStatus::failed:
        break;
    }
    return NVRTC_ERROR_COMPILATION;
  });
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram prog, std::size_t* ptxSizeRet) noexcept {
  return image_size(prog, ptxSizeRet);
}
nvrtcResult nvrtcGetPTX(nvrtcProgram prog, char* ptx) noexcept { return copy_image(prog, ptx); }
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram prog, std::size_t* cubinSizeRet) noexcept {
  return image_size(prog, cubinSizeRet);
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram prog, char* cubin) noexcept {
  return copy_image(prog, cubin);
}

// Intermediate forms for NVIDIA's linkers have no counterpart here.
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram, std::size_t*) noexcept {
  return NVRTC_ERROR_INVALID_PROGRAM;
}
nvrtcResult nvrtcGetLTOIR(nvrtcProgram, char*) noexcept { return NVRTC_ERROR_INVALID_PROGRAM; }
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram, std::size_t*) noexcept {
  return NVRTC_ERROR_INVALID_PROGRAM;
}
nvrtcResult nvrtcGetOptiXIR(nvrtcProgram, char*) noexcept { return NVRTC_ERROR_INVALID_PROGRAM; }

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram prog, std::size_t* logSizeRet) noexcept {
  if (prog == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (logSizeRet == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *logSizeRet = prog->program.log().size() + 1;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram prog, char* log) noexcept {
  if (prog == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (log == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  std::memcpy(log, prog->program.log().c_str(), prog->program.log().size() + 1);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram prog, const char* const name_expression) noexcept {
  if (prog == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (name_expression == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  if (prog->program.compiled()) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  return guarded([&] {
    prog->program.add_name_expression(name_expression);
    return NVRTC_SUCCESS;
  });
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram prog, const char* const name_expression,
                                const char** lowered_name) noexcept {
  if (prog == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (name_expression == nullptr || lowered_name == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  if (!prog->program.compiled()) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  return guarded([&] {
    const std::string* name = prog->program.lowered_name(name_expression);
    if (name == nullptr) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    *lowered_name = name->c_str();
    return NVRTC_SUCCESS;
  });
}

// Precompiled headers of the user's: none are made, which callers of these are prepared for.
nvrtcResult nvrtcGetPCHHeapSize(std::size_t* ret) noexcept {
  if (ret == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *ret = 0;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcSetPCHHeapSize(std::size_t) noexcept { return NVRTC_SUCCESS; }
nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram) noexcept {
  return NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED;
}
nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram, std::size_t*) noexcept {
  return NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED;
}
/// A compile here is over before it could be cancelled: the callback is never called.
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram prog, int (*)(void*, void*), void*) noexcept {
  return prog == nullptr ? NVRTC_ERROR_INVALID_PROGRAM : NVRTC_SUCCESS;
}
