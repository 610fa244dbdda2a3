// SPDX-License-Identifier: MIT
// The errors of the extension's functions for arguments that they cannot take. The binding library
// lists types; these name the argument, its value and what was wanted.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace treadle::bindings {

namespace nb = nanobind;

/// A value for an error: `5 (int)`, `'x' (str)`, `a numpy.ndarray`. Runs no code of the value's.
std::string shown(nb::handle value);

/// The name of a class of the extension under which programs know it: `pyopencl.Context`.
std::string public_name(std::string name);

/// Makes the functions, methods and properties in `module`, its classes and its submodules raise a
/// TypeError that names the argument. Once, when all are bound.
void explain_refusals(nb::module_& module);

}  // namespace treadle::bindings
