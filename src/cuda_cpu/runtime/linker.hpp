// SPDX-License-Identifier: MIT
#pragma once

#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda_cpu/runtime/context.hpp"
#include "cuda_cpu/runtime/jit_log.hpp"
#include "cuda_cpu/runtime/module_header.hpp"

namespace treadle::cuda_cpu {

struct NamedObject {
  std::string name;
  std::vector<char> bytes;
};

/// What a linker was given so far; used by one thread at a time.
class LinkState {
 public:
  LinkState(std::shared_ptr<Context> owner, JitOptionList options)
      : context(std::move(owner)),
        errors(options, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES),
        notes(options, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES) {}

  /// Adds to the log, and gives the code back.
  CUresult fail(const LoadFailure& failure) {
    said_ += (said_.empty() ? "" : "\n") + failure.text;
    errors.write(said_);
    return failure.code;
  }

  const std::shared_ptr<Context> context;
  JitLog errors, notes;
  std::list<NamedObject> objects;
  std::vector<char> image;  ///< the result; the caller reads it until the state is destroyed

 private:
  std::string said_;  // what went wrong, in the order it did
};

using LinkHandles = HandleRegistry<LinkState, CUlinkState, HandleKind::link>;
LinkHandles& link_handles();

}  // namespace treadle::cuda_cpu
