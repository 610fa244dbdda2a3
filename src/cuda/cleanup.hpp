// SPDX-License-Identifier: MIT
// What destructors of driver objects have in common.
#pragma once

#include "cuda/context_state.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {

/// Calls `slot` with `context` current. Does nothing if the context is gone, and what was in it
/// with it; a failure is a warning that names `object`.
template <class Call, class... Arguments>
void clean_up(const Context& context, const char* object, const char* call, Call Table::* slot,
              Arguments... arguments) noexcept {
  if (!context.is_valid()) return;
  const Table& cu = context.state()->table();
  RawContext current = nullptr;
  bool pushed = false;
  int code = cu.cuCtxGetCurrent(&current);
  if (code == CUDA_SUCCESS && current != context.raw()) {
    code = cu.cuCtxPushCurrent(context.raw());
    pushed = code == CUDA_SUCCESS;
  }
  if (code == CUDA_SUCCESS) code = (cu.*slot)(arguments...);
  warn_if_failed(cu, code, call, object);
  if (pushed) warn_if_failed(cu, cu.cuCtxPopCurrent(&current), "cuCtxPopCurrent", object);
}

}  // namespace treadle::cuda
