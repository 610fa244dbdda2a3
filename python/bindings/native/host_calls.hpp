// SPDX-License-Identifier: MIT
// Lets streams call Python functions.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>

namespace treadle::bindings {

namespace nb = nanobind;

/// Returns a function that makes `callable` be called soon. The function may run on any thread,
/// without the GIL. `callable` runs on a thread of Treadle, because a driver's thread must not wait
/// for the GIL: the GIL's owner may be waiting for the driver. If the function never runs,
/// `callable` is dropped with the function's last copy. Needs the GIL.
std::function<void()> host_call(nb::object callable);

/// Called at the interpreter's exit: waits for the running call, and makes no further calls.
void end_host_calls() noexcept;

}  // namespace treadle::bindings
