// SPDX-License-Identifier: MIT
// What the core throws, in the words of pyopencl: LogicError, MemoryError, RuntimeError by code.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>

#include "errors.hpp"
#include "treadle/base/error.hpp"
#include "treadle/opencl/error.hpp"

namespace treadle::bindings::cl {

/// Sets the Python error that the C++ exception being handled stands for: one that is both
/// pyopencl's class for the code and Treadle's own. Call inside catch (...).
void set_error() noexcept;

/// Lets errors of the native API, which arrays are made of, be pyopencl's where it is imported.
void register_errors();

/// Throws pyopencl's exception for `code` with `text`; `routine` may be empty.
[[noreturn]] void raise_error(int code, const char* routine, const std::string& text);
/// pyopencl.LogicError, INVALID_VALUE.
[[noreturn]] void raise_logic_error(const char* routine, const std::string& text);

/// Wraps a lambda so that what it throws reaches Python as pyopencl's classes.
template <class F>
auto pyopencl(F function) {
  return in_terms_of<set_error>(std::move(function), &F::operator());
}

template <class R, class... A>
auto pyopencl(R (*function)(A...)) {
  return pyopencl([function](A... arguments) { return function(std::forward<A>(arguments)...); });
}

/// Throws what was refused before OpenCL was asked, with the call that would have refused it.
[[noreturn]] void raise_refused(const InvalidArgument& refused, const char* routine);

/// Whether memory of any kind was what was missing.
bool is_out_of_memory(const DeviceError& error) noexcept;
void collect_garbage();

/// Calls `attempt`; where memory is exhausted collects Python's garbage, once, and tries again.
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
