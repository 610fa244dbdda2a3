// SPDX-License-Identifier: MIT
// The functions that device headers declare and passes lower: `__treadle_barrier` and its like.
#pragma once

namespace llvm {
class CallBase;
class Function;
class Instruction;
}  // namespace llvm

namespace treadle::cuda_cpu {

enum class Marker {
  none,
  thread_index,
  block_index,
  block_size,
  grid_size,
  barrier,
  all_come,
  warp_masks,
  is_cooperative,
  shared_memory,
  shared_size,
  local_memory,
  local_size,
  stack,
  texture_at,
  print,
  assert_failed,
  trap,
  allocate,
  release,
  clock,
  check_access,
  check_step,
  sample_texture,
  stage_launch,
  runtime_call,
};

Marker marker_of(const llvm::Function& function);
/// The marker `instruction` calls directly; none for anything else.
Marker marker_of(const llvm::Instruction& instruction);

/// thread_index, block_index, block_size or grid_size: pure functions of a constant dimension.
constexpr bool is_index(Marker marker) {
  return marker >= Marker::thread_index && marker <= Marker::grid_size;
}
/// A field of the block's context.
constexpr bool is_context_field(Marker marker) {
  return marker >= Marker::warp_masks && marker <= Marker::stack;
}
/// Lowered to a call through the run-time's table of services.
constexpr bool is_service(Marker marker) { return marker >= Marker::print; }
/// Those of them that stay markers until a row of threads may be checked at once.
constexpr bool is_check(Marker marker) {
  return marker == Marker::check_access || marker == Marker::check_step;
}

/// The constant dimension 0..2 of an index marker call.
unsigned dimension_of(const llvm::CallBase& call);

}  // namespace treadle::cuda_cpu
