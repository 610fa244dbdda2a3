// SPDX-License-Identifier: MIT
// Elements under a mask, moved side by side: what array::nonzero() and boolean selection launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "treadle/codegen/schedule.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// What is selected. Elements stay in their order.
struct MaskedElements {
  std::uint64_t size;                     ///< elements of the mask
  std::uint64_t capacity;                 ///< most elements that are stored; others are counted
  std::size_t item_bytes;                 ///< of an element; 0: its place as int64 is stored
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
};

/// Memory of the device, dense.
struct MaskedArguments {
  device::Argument mask;      ///< bytes, 0 where an element is left out
  device::Argument elements;  ///< as many; the mask again where places are stored
  device::Argument selected;  ///< room for `capacity` elements
  device::Argument count;     ///< one int64: how many the mask selects
};

/// Queues it. Kernels are made when they are first needed, and kept for the device. Throws as
/// Program and Stream::launch().
void launch_masked(device::Stream& stream, const MaskedElements& what,
                   const MaskedArguments& arguments, const device::Order& order = {});

}  // namespace treadle::kernel
