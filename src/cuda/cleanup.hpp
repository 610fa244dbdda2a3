// SPDX-License-Identifier: MIT
// What destructors of driver objects have in common.
#pragma once

#include "cuda/context_state.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {

/// Calls `body(table)`, which returns the code of `call`, with `context` current. Does nothing if
/// the context is gone, and what was in it with it; a failure is a warning that names `object`.
template <class Body>
void clean_up_by(const Context& context, const char* object, const char* call,
                 const Body& body) noexcept {
  if (!context.is_valid()) return;
  const Table& cu = context.state()->table();
  RawContext current = nullptr;
  bool pushed = false;
  int code = cu.cuCtxGetCurrent(&current);
  if (code == CUDA_SUCCESS && current != context.raw()) {
    code = cu.cuCtxPushCurrent(context.raw());
    pushed = code == CUDA_SUCCESS;
  }
  if (code == CUDA_SUCCESS) code = body(cu);
  warn_if_failed(cu, code, call, object);
  if (pushed) warn_if_failed(cu, cu.cuCtxPopCurrent(&current), "cuCtxPopCurrent", object);
}

/// Calls `slot` so.
template <class Call, class... Arguments>
void clean_up(const Context& context, const char* object, const char* call, Call Table::* slot,
              Arguments... arguments) noexcept {
  clean_up_by(context, object, call, [&](const Table& cu) { return (cu.*slot)(arguments...); });
}

}  // namespace treadle::cuda
