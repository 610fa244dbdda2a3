// SPDX-License-Identifier: MIT
#include "treadle/cuda/context_settings.hpp"

#include <string>

#include "cuda/context_state.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {

void set_flags(const Context& context, ContextFlags flags) {
  const Activation active(context);
  check(active.table(), active.table().cuCtxSetFlags(static_cast<unsigned>(flags)), "cuCtxSetFlags",
        [&] { return "flags " + std::to_string(static_cast<unsigned>(flags)); });
}

std::uint64_t context_id(const Context& context) {
  const ContextState& state = valid_state(context);
  unsigned long long id = 0;
  check(state.table(), state.table().cuCtxGetId(state.raw(), &id), "cuCtxGetId");
  return id;
}

void set_primary_flags(const Device& device, ContextFlags flags) {
  const Table& cu = device.driver().table();
  check(cu, cu.cuDevicePrimaryCtxSetFlags(device.raw(), static_cast<unsigned>(flags)),
        "cuDevicePrimaryCtxSetFlags",
        [&] { return "flags " + std::to_string(static_cast<unsigned>(flags)); });
}

void reset_primary(const Device& device) {
  // Whatever holds the context here must know that it is gone.
  Context::primary(device).detach();
  const Table& cu = device.driver().table();
  check(cu, cu.cuDevicePrimaryCtxReset(device.raw()), "cuDevicePrimaryCtxReset",
        [&] { return device.name(); });
}

bool has_affinity(const Device& device) {
  const Table& cu = device.driver().table();
  int supported = 0;
  check(cu,
        cu.cuDeviceGetExecAffinitySupport(&supported, CU_EXEC_AFFINITY_TYPE_SM_COUNT, device.raw()),
        "cuDeviceGetExecAffinitySupport");
  return supported != 0;
}

unsigned multiprocessor_affinity(const Context& context) {
  const Activation active(context);
  CUexecAffinityParam raw{};
  check(active.table(), active.table().cuCtxGetExecAffinity(&raw, CU_EXEC_AFFINITY_TYPE_SM_COUNT),
        "cuCtxGetExecAffinity", [] { return "of contexts of MPS clients"; });
  return raw.param.smCount.val;
}

}  // namespace treadle::cuda
