// SPDX-License-Identifier: MIT
// Python functions that streams call.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>

namespace treadle::bindings {

namespace nb = nanobind;

/// What calls `callable` when it is called itself, on any thread and without the GIL: soon, on a
/// thread of Treadle's own. The thread of a driver must not wait for the GIL, whose owner may be
/// waiting for the driver. Never called, it lets `callable` go when its last copy ends. Needs the
/// GIL.
std::function<void()> host_call(nb::object callable);

/// For the interpreter's exit: waits for the call that is under way, and makes none any more.
void end_host_calls() noexcept;

}  // namespace treadle::bindings
