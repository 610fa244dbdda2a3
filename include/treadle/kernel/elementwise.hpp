// SPDX-License-Identifier: MIT
// Expressions on arrays, from their description to a launch. The kernel for an expression and a
// class of loop is made when it is first needed, and kept for the device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "treadle/base/number.hpp"
#include "treadle/codegen/elementwise.hpp"
#include "treadle/codegen/expression.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/location.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// An array as an operand of an elementwise launch.
struct ElementwiseArray {
  device::Location location;              ///< of its first element
  std::span<const std::int64_t> strides;  ///< in bytes, of each axis; 0 where it is broadcast
};

/// What is computed, and on what.
struct ElementwiseLaunch {
  const codegen::Expression& expression;  ///< a valid one
  std::span<const std::int64_t> extents;  ///< of the outputs
  /// The outputs, and then the leaves that are in place of none. No output may share memory with an
  /// array that it is not in place of, but for elements at the same place of equal arrays.
  std::span<const ElementwiseArray> arrays;
  std::span<const ElementBytes> scalars = {};  ///< as many as the expression has
  std::optional<Schedule> schedule = {};       ///< none: DeviceTraits::schedule
};

/// A kernel that was made for an expression on one device.
struct ElementwisePlan {
  codegen::ElementwiseText text;  ///< what was compiled
  device::Kernel kernel;          ///< loaded; does not keep the device alive
  unsigned group_size;            ///< work-items
  compile::Origin origin;         ///< where the binary came from
  double seconds;                 ///< to compile or find it
};

/// The plan for a launch with these operands, which is made if it is not there: any thread, and
/// two that want the same one make it once. Blocking, long the first time. It lives as long as the
/// device. Throws InvalidArgument if operands do not fit the expression, NotSupported if the
/// device takes fewer bytes of parameters, and as Program.
const ElementwisePlan& plan_elementwise(device::Device& device, const ElementwiseLaunch& launch);

/// A launch that was worked out, but for where its arrays begin and what its scalars are. Never
/// changes; any thread. Lives no longer than the device.
struct ElementwiseCall {
  /// What is passed for a parameter.
  struct Slot {
    enum class What : std::uint8_t {
      address,  ///< of an array, `number` bytes behind where it begins
      handle,   ///< of an array, where languages have no addresses
      offset,   ///< of that address behind the handle, in elements
      scalar,   ///< a value that launches have
      number,   ///< a value that is the same for all
    };
    What what;
    std::uint8_t index = 0;                                       ///< which array or scalar
    std::uint8_t size_bytes = 8;                                  ///< of a value
    device::ParameterKind kind = device::ParameterKind::integer;  ///< likewise
    std::int64_t number = 0;
    DType element = Scalar::int8;  ///< for `offset`
  };

  const ElementwisePlan* plan;
  device::LaunchShape shape;
  std::vector<Slot> slots;  ///< in the kernel's order

  /// Queues it. `arrays` says where those of the ElementwiseLaunch begin, modulo 16 as it was for
  /// prepare_elementwise(); there are as many scalars. Throws as Stream::launch().
  void launch(device::Stream& stream, std::span<const device::Location> arrays,
              std::span<const ElementBytes> scalars, const device::Order& order = {}) const;
};

/// What launch_elementwise() does, without doing it. Null where it runs nothing, or takes several
/// launches. Blocks and throws as plan_elementwise().
std::shared_ptr<const ElementwiseCall> prepare_elementwise(device::Device& device,
                                                           const ElementwiseLaunch& launch);

/// Queues the computation, and returns what runs (where it takes several launches, the first of
/// them). No elements run nothing, which is null, but their order holds. Throws as
/// plan_elementwise() and Stream::launch().
const ElementwisePlan* launch_elementwise(device::Stream& stream, const ElementwiseLaunch& launch,
                                          const device::Order& order = {});

}  // namespace treadle::kernel
