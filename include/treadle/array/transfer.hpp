// SPDX-License-Identifier: MIT
// Copies elements to another device, and to and from memory of the host without waiting.
#pragma once

#include <functional>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// A copy on the device of the placement's stream (by default the current one). Axes keep their
/// order in memory. Returns x itself if x is on that device. The host waits only if the two devices
/// belong to different run-times.
Array to_device(const Array& x, const Placement& placement = {});
/// Queues a copy of all elements to `values`, dense and in C's order. `stream` belongs to the
/// array's device. Until `stream` has passed the copy, `values` must live and must not be read. A
/// copy to page-locked memory (see Buffer::page_locked()) runs while the host and the device go on;
/// for other memory a driver may wait.
void copy_out(const Array& x, void* values, const std::shared_ptr<device::Stream>& stream);
/// Copies as copy_out(), and then calls `wait()`, which returns when the stream has passed the
/// copy. The elements are in `values` when fetch() returns (see Stream::fetch()).
void fetch(const Array& x, void* values, const std::shared_ptr<device::Stream>& stream,
           const std::function<void()>& wait);
/// Queues a copy from `values`, as Array::set() does. `values` must not change until `stream` has
/// passed the copy.
void copy_in(const Array& x, const void* values, const std::shared_ptr<device::Stream>& stream);

}  // namespace treadle::array
