// SPDX-License-Identifier: MIT
// Elements that move: to another device, and to and from memory of the host without waiting.
#pragma once

#include <functional>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// A copy on the device of the placement's stream (by default the current one), with axes in memory
/// in the order that x has; x itself if it is on that device. The host waits only if the two
/// devices are of different run-times.
Array to_device(const Array& x, const Placement& placement = {});
/// Queues copying all elements, dense and in C's order, to `values`, which must live and not be
/// read until `stream`, of the array's device, is past it. Page-locked memory (see
/// Buffer::page_locked()) is copied while both sides go on; for other memory a driver may wait.
void copy_out(const Array& x, void* values, const std::shared_ptr<device::Stream>& stream);
/// The same, and then `wait()`, which returns once the stream is past the copy: the elements are
/// there when this returns (see Stream::fetch()).
void fetch(const Array& x, void* values, const std::shared_ptr<device::Stream>& stream,
           const std::function<void()>& wait);
/// As copy_out() from `values`, which must not change until then, as Array::set() does.
void copy_in(const Array& x, const void* values, const std::shared_ptr<device::Stream>& stream);

}  // namespace treadle::array
