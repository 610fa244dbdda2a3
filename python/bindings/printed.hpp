// SPDX-License-Identifier: MIT
// The text that kernels of the CPU device print, on its way to sys.stdout. It is kept here until a
// thread comes by that has the GIL: a thread that waits, when its wait is over or asks for Ctrl-C;
// or else Python's main thread, between two of its instructions.
#pragma once

namespace treadle::bindings {

/// From the import on.
void start_printing();
/// For the interpreter's exit: later text goes to the C library's stdout.
void end_printing() noexcept;
/// Writes the kept text to sys.stdout and flushes that. Needs the GIL, with no exception set. An
/// exception of sys.stdout is reported as Python reports those that nobody can catch.
void write_printed() noexcept;

}  // namespace treadle::bindings
