// SPDX-License-Identifier: MIT
// Turns the core's exceptions into pyopencl's: LogicError, MemoryError, RuntimeError by code.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>

#include "errors.hpp"
#include "treadle/base/error.hpp"
#include "treadle/opencl/error.hpp"

namespace treadle::bindings::cl {

/// Sets the Python error for the C++ exception that is being handled. The error derives both from
/// pyopencl's class for the code and from Treadle's own. Call inside catch (...).
void set_error() noexcept;

/// Makes errors of the native API, which arrays use, derive from pyopencl's classes if the program
/// has imported pyopencl.
void register_errors();

/// Throws pyopencl's exception for `code` with `text`; `routine` may be empty.
[[noreturn]] void raise_error(int code, const char* routine, const std::string& text);
/// pyopencl.LogicError, INVALID_VALUE.
[[noreturn]] void raise_logic_error(const char* routine, const std::string& text);

/// Wraps a lambda: its exceptions reach Python as pyopencl's classes.
template <class F>
auto pyopencl(F function) {
  return in_terms_of<set_error>(std::move(function), &F::operator());
}

template <class R, class... A>
auto pyopencl(R (*function)(A...)) {
  return pyopencl([function](A... arguments) { return function(std::forward<A>(arguments)...); });
}

/// Throws an error that was found before a call of OpenCL, naming the call that would have failed.
[[noreturn]] void raise_refused(const InvalidArgument& refused, const char* routine);

/// Whether the error means that memory of any kind is exhausted.
bool is_out_of_memory(const DeviceError& error) noexcept;
void collect_garbage();

/// Calls `attempt`. If memory is exhausted, runs Python's garbage collection once and tries again.
template <class F>
auto with_retry(F attempt) {
  try {
    return attempt();
  } catch (const DeviceError& error) {
    if (!is_out_of_memory(error)) throw;
  }
  collect_garbage();
  return attempt();
}

}  // namespace treadle::bindings::cl
