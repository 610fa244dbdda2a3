// SPDX-License-Identifier: MIT
// Errors for arguments that the extension's functions cannot take. The binding library lists types;
// these errors name the argument, its value and the expected type.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace treadle::bindings {

namespace nb = nanobind;

/// Prints a value for an error: `5 (int)`, `'x' (str)`, `a numpy.ndarray`. Runs no code of the
/// value.
std::string shown(nb::handle value);

/// The public name of a class of the extension: `pyopencl.Context`.
std::string public_name(std::string name);

/// Makes the functions, methods and properties of `module`, its classes and its submodules raise a
/// TypeError that names the argument. Called once, after everything is bound.
void explain_refusals(nb::module_& module);

}  // namespace treadle::bindings
