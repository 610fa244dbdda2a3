// SPDX-License-Identifier: MIT
#include "fft/transform.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <string>

#include "fft/generated.hpp"
#include "fft/host_launch.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/layout.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/device/device.hpp"
#include "treadle/kernel/host_code.hpp"

namespace treadle::fft {
namespace {

/// The bytes of an element on each side.
struct ElementSizes {
  std::int64_t input, output;
};
ElementSizes sizes_of(const Transform& transform, bool is_double) {
  const std::int64_t part = is_double ? 8 : 4;
  return {transform.kind == TransformKind::real_to_complex ? part : 2 * part,
          transform.kind == TransformKind::complex_to_real ? part : 2 * part};
}

/// What the engine is told, but for addresses. Axes of length 1 that are not transformed are left
/// out.
HostTask task_of(const Transform& transform, const array::ArrayPlace& input,
                 const array::ArrayPlace& output, bool is_double) {
  HostTask task;
  task.kind = transform.kind;
  task.is_forward = transform.is_forward;
  task.is_double = is_double;
  task.factor = transform.factor;
  const ElementSizes sizes = sizes_of(transform, is_double);
  const auto& real = transform.kind == TransformKind::real_to_complex ? input : output;
  std::array<std::uint8_t, 256> place_of = {};
  for (std::size_t axis = 0; axis < real.shape.size(); ++axis) {
    const bool is_transformed =
        std::ranges::find(transform.axes, static_cast<std::uint8_t>(axis)) != transform.axes.end();
    if (real.shape[axis] == 1 && !is_transformed) continue;
    if (task.rank == HostTask::max_rank)
      throw NotSupported("a transform of more than " + std::to_string(HostTask::max_rank) +
                             " axes that are longer than 1",
                         "reshape axes that are not transformed into one");
    place_of[axis] = static_cast<std::uint8_t>(task.rank);
    task.shape[task.rank] = real.shape[axis];
    task.input_strides[task.rank] = input.strides[axis] / sizes.input;
    task.output_strides[task.rank] = output.strides[axis] / sizes.output;
    ++task.rank;
  }
  for (const std::uint8_t axis : transform.axes) task.axes[task.axis_count++] = place_of[axis];
  return task;
}

std::size_t bytes_of(const array::ArrayPlace& place, std::int64_t element) {
  return static_cast<std::size_t>(element * element_count(place.shape));
}

/// On a device that host code cannot reach: dense elements go to the host, and back.
kernel::KernelNote run_through_host(device::Stream& stream, HostTask task,
                                    const array::ArrayPlace& input, const array::ArrayPlace& output,
                                    const ElementSizes& sizes) {
  const std::size_t in_bytes = bytes_of(input, sizes.input);
  const std::size_t out_bytes = bytes_of(output, sizes.output);
  const auto from = std::make_unique<double[]>((in_bytes + 7) / 8);
  const auto to = std::make_unique<double[]>((out_bytes + 7) / 8);
  const device::LeaveDeferred leave;
  stream.copy_out(from.get(), input.location, in_bytes);
  stream.synchronize();
  task.input = reinterpret_cast<std::uintptr_t>(from.get());
  task.output = reinterpret_cast<std::uintptr_t>(to.get());
  if (host_engine().run(task, 1, nullptr) != 0) throw std::bad_alloc();
  stream.copy_in(output.location, to.get(), out_bytes);
  stream.synchronize();
  return {};
}

}  // namespace

bool is_dense(const array::ArrayPlace& place, std::int64_t element) noexcept {
  std::int64_t expected = element;
  for (std::size_t axis = place.shape.size(); axis-- > 0; expected *= place.shape[axis])
    if (place.shape[axis] != 1 && place.strides[axis] != expected) return false;
  return true;
}

std::atomic<bool>& generates_everywhere() noexcept {
  static std::atomic<bool> value = false;
  return value;
}

std::string_view Transform::name() const {
  switch (kind) {
    case TransformKind::complex:
      return is_forward ? "fft" : "ifft";
    case TransformKind::real_to_complex:
      return is_forward ? "rfft" : "ihfft";
    case TransformKind::complex_to_real:
      return is_forward ? "hfft" : "irfft";
  }
  return "fft";
}

bool Transform::equals(const Computation& other) const noexcept {
  const auto* const same = dynamic_cast<const Transform*>(&other);
  return same != nullptr && kind == same->kind && axes == same->axes &&
         is_forward == same->is_forward && factor == same->factor;
}

kernel::KernelNote Transform::run(device::Stream& stream,
                                  const array::ComputationLaunch& launch) const {
  const array::ArrayPlace input = launch.input(0), output = *launch.result(0);
  const DType& dtype = launch.inputs[0].expression.leaves[0].dtype;
  const bool is_double = dtype.real_type() == Scalar::float64;
  const ElementSizes sizes = sizes_of(*this, is_double);
  if (std::ranges::find(output.shape, 0) != output.shape.end()) return {};
  if (!stream.device().info().traits.runs_kernels) return {};
  const bool is_processor = stream.device().info().kind == device::DeviceKind::cpu;
  if (!kernel::runs_host_code(stream.device()) || generates_everywhere()) {
    if (is_processor && !generates_everywhere())
      return run_through_host(stream, task_of(*this, input, output, is_double), input, output,
                              sizes);
    try {
      return run_generated(stream, *this, input, output, is_double);
    } catch (const NotSupported&) {
      if (generates_everywhere()) throw;
      HostTask task = task_of(*this, input, output, is_double);
      return run_through_host(stream, task, input, output, sizes);
    }
  }
  HostTask task = task_of(*this, input, output, is_double);
  task.input = input.location.handle + input.location.offset;
  task.output = output.location.handle + output.location.offset;
  if (is_dense(output, sizes.output) && task.input != task.output)
    kernel::announce_host_result(stream, output.location, bytes_of(output, sizes.output));
  return launch_on_host(stream, task);
}

}  // namespace treadle::fft
