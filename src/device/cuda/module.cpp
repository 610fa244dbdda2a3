// SPDX-License-Identifier: MIT
#include "device/cuda/module.hpp"

#include <algorithm>
#include <utility>

#include "cuda/kernel_names.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/context.hpp"
#include "treadle/cuda/error.hpp"
#include "treadle/cuda/table.hpp"
#include "treadle/device/device.hpp"

namespace treadle::device {
namespace {

ParameterKind kind_of(cuda::ParameterKind kind) {
  switch (kind) {
    case cuda::ParameterKind::integer:
      return ParameterKind::integer;
    case cuda::ParameterKind::floating:
      return ParameterKind::floating;
    case cuda::ParameterKind::pointer:
      return ParameterKind::memory;
    case cuda::ParameterKind::structure:
      return ParameterKind::structure;
    case cuda::ParameterKind::unknown:
      break;
  }
  return ParameterKind::unknown;
}

/// Runs `find`. A name that the module does not have is an argument that was refused, on this
/// device as on every other.
template <class Find>
auto find_named(std::string_view name, const char* what, Find&& find) {
  if (name.empty())
    throw InvalidArgument(std::string("the name of the ") + what + " that was asked for is empty");
  try {
    return find(name);
  } catch (const DeviceError& error) {
    if (error.code() != CUDA_ERROR_NOT_FOUND) throw;
    throw InvalidArgument(error.detail(), error.hint());
  }
}

}  // namespace

unsigned CudaKernel::resident_groups(unsigned group_items, std::size_t local_bytes) const {
  const cuda::Activation active(function.context());
  int blocks = 0;
  cuda::check(active.table(),
              active.table().cuOccupancyMaxActiveBlocksPerMultiprocessor(
                  &blocks, function.raw(), static_cast<int>(group_items), local_bytes),
              "cuOccupancyMaxActiveBlocksPerMultiprocessor",
              [&] { return "kernel \"" + name + "\""; });
  return static_cast<unsigned>(blocks);
}

void CudaKernel::ask_for_local_bytes(std::size_t bytes) const {
  const std::lock_guard lock(mutex_);
  using enum cuda::FunctionAttribute;
  const int allowed = function.attribute(max_dynamic_shared_size_bytes);
  try {
    if (std::cmp_less(allowed, bytes))
      function.set_attribute(max_dynamic_shared_size_bytes, static_cast<int>(bytes));
    allowed_local_bytes = std::max(bytes, static_cast<std::size_t>(std::max(allowed, 0)));
  } catch (const DeviceError&) {
    allowed_local_bytes = static_cast<std::size_t>(std::max(allowed, 0));
  }
}

Kernel CudaModule::kernel(std::string_view name) {
  auto state = std::make_shared<CudaKernel>(
      find_named(name, "kernel", [&](std::string_view n) { return module_.function(n); }));
  const cuda::Function& function = state->function;
  state->device = device().shared_from_this();
  state->name = function.name();
  state->parameters_known = function.parameters().known;
  for (const auto& p : function.parameters().parameters)
    state->parameters.push_back({p.name, p.type, kind_of(p.kind), p.size});
  const auto number = [&](cuda::FunctionAttribute attribute) {
    return static_cast<unsigned>(function.attribute(attribute));
  };
  using enum cuda::FunctionAttribute;
  state->resources = {.registers = number(num_regs),
                      .static_local_bytes = number(shared_size_bytes),
                      .private_bytes = number(local_size_bytes),
                      .preferred_group_multiple = device().info().traits.sub_group_width,
                      .max_group_items = number(max_threads_per_block)};
  state->group_limit_reason =
      "it uses " + std::to_string(state->resources.registers) + " registers";
  return Kernel(std::move(state));
}

std::vector<std::string> CudaModule::kernel_names() {
  std::vector<std::string> names;
  for (const std::string& readable : module_.function_names())
    names.push_back(cuda::kernel_name(readable));
  return names;
}

Global CudaModule::find_global(std::string_view name) {
  const auto [address, size_bytes] =
      find_named(name, "variable", [&](std::string_view n) { return module_.global(n); });
  return {{address, 0}, size_bytes};
}

}  // namespace treadle::device
