// SPDX-License-Identifier: MIT
#include "treadle/cuda/lazy_loading.hpp"

#include <string>

#include "treadle/cuda/table.hpp"

namespace treadle::cuda {

LoadingMode loading_mode(const Driver& driver) {
  driver.initialize();
  const Table& cu = driver.table();
  CUmoduleLoadingMode mode{};
  check(cu, cu.cuModuleGetLoadingMode(&mode), "cuModuleGetLoadingMode");
  return static_cast<LoadingMode>(mode);
}

bool is_loaded(const Function& function) {
  const Activation active(function.context());
  CUfunctionLoadingState state{};
  check(active.table(), active.table().cuFuncIsLoaded(&state, function.raw()), "cuFuncIsLoaded",
        [&] { return "kernel \"" + function.name() + "\""; });
  return state == CU_FUNCTION_LOADING_STATE_LOADED;
}

void load(const Function& function) {
  const Activation active(function.context());
  check(active.table(), active.table().cuFuncLoad(function.raw()), "cuFuncLoad",
        [&] { return "kernel \"" + function.name() + "\""; });
}

}  // namespace treadle::cuda
