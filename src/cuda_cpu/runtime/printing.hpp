// SPDX-License-Identifier: MIT
// Device-side printf. Output is buffered, in one order for the process, and written to stdout when
// CUDA writes it: when the program synchronizes, makes a blocking copy, unloads a module or
// destroys a context.
#pragma once

#include <cstdarg>
#include <cstddef>

namespace treadle::cuda_cpu {

/// Formats and collects; returns the number of arguments, as CUDA's printf does. Written at once
/// when more than `limit_bytes` have collected: nothing is lost.
int print_formatted(const char* format, std::va_list arguments, std::size_t limit_bytes);

/// What takes the place of stdout: see treadle_cpu_set_print_sink.
using PrintSink = void (*)(const char* text, std::size_t size);

/// Writes what has collected to stdout and flushes it, or to the sink. Costs one load where there
/// is nothing.
void flush_printed();

}  // namespace treadle::cuda_cpu
