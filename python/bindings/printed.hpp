// SPDX-License-Identifier: MIT
// What kernels of the CPU device print, on its way to sys.stdout. The driver's text is kept here
// until a thread that has the GIL comes by: the one that waits, as soon as its wait is over or asks
// for Ctrl-C; else Python's main thread, between two of its instructions.
#pragma once

namespace treadle::bindings {

/// From the import on.
void start_printing();
/// For the interpreter's exit: later text goes to the C library's stdout.
void end_printing() noexcept;
/// Writes what is kept to sys.stdout and flushes that. With the GIL, and no exception set. What
/// sys.stdout raises is reported as Python reports what nobody can catch.
void write_printed() noexcept;

}  // namespace treadle::bindings
