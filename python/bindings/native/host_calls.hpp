// SPDX-License-Identifier: MIT
// Python functions that streams call.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>

namespace treadle::bindings {

namespace nb = nanobind;

/// A function that calls `callable`. It may be called on any thread and without the GIL; `callable`
/// is called soon, on a thread of Treadle's own, because a driver's thread must not wait for the
/// GIL: its owner may be waiting for the driver. If the function is never called, `callable` ends
/// with its last copy. Needs the GIL.
std::function<void()> host_call(nb::object callable);

/// For the interpreter's exit: waits for the call that is under way, and makes none any more.
void end_host_calls() noexcept;

}  // namespace treadle::bindings
