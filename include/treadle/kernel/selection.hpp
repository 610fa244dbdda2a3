// SPDX-License-Identifier: MIT
// Moves the elements under a mask together: the kernels of array::nonzero() and of boolean
// selection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "treadle/codegen/schedule.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// The selection. Elements keep their order.
struct MaskedElements {
  std::uint64_t size;      ///< elements of the mask
  std::uint64_t capacity;  ///< the most elements to store; all are counted
  std::size_t item_bytes;  ///< bytes of an element; 0: the element's place is stored as int64
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
};

/// Memory of the device, contiguous.
struct MaskedArguments {
  device::Argument mask;      ///< bytes, 0 for an element that is not selected
  device::Argument elements;  ///< `size` elements; the mask again if places are stored
  device::Argument selected;  ///< room for `capacity` elements
  device::Argument count;     ///< one int64: the number of elements that the mask selects
};

/// Queues the selection. A kernel is made at its first use and kept for the device. Throws as
/// Program and Stream::launch().
void launch_masked(device::Stream& stream, const MaskedElements& what,
                   const MaskedArguments& arguments, const device::Order& order = {});

}  // namespace treadle::kernel
