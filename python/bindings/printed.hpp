// SPDX-License-Identifier: MIT
// Brings the text that kernels of the CPU device print to sys.stdout. The text is kept until a
// thread with the GIL writes it: a waiting thread, when its wait ends or checks for Ctrl-C, or else
// Python's main thread between two instructions.
#pragma once

namespace treadle::bindings {

/// Starts at the import.
void start_printing();
/// Called at the interpreter's exit: later text goes to the C library's stdout.
void end_printing() noexcept;
/// Writes the kept text to sys.stdout and flushes the stream. Needs the GIL, and no exception may
/// be set. An exception of sys.stdout is reported as one that nobody can catch.
void write_printed() noexcept;

}  // namespace treadle::bindings
