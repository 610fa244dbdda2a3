// SPDX-License-Identifier: MIT
// Finds the place in the user's program that a call comes from, for warnings and errors.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::bindings {

namespace nb = nanobind;

/// The innermost Python frame outside this package; null where the calling thread runs no Python
/// code of a user. Needs the GIL; raises nothing.
nb::object calling_frame() noexcept;

/// Tells the core the user's line of the launch or allocation that follows on this thread, for
/// errors that surface later. Needs the GIL; raises nothing.
void note_launch_site() noexcept;

/// Remembers the package's folder: code in it is not the user's. Called once, at import.
void find_package_folder();

}  // namespace treadle::bindings
