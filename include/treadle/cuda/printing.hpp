// SPDX-License-Identifier: MIT
// What kernels print with printf. A driver keeps it until the program synchronizes, makes a
// blocking copy, unloads a module or destroys a context (NVIDIA's, until the next launch at the
// latest), and then writes it to the standard output.
//
//   cuda::PrintCapture capture(context);
//   kernel.launch(shape, x);
//   const std::string text = capture.end();
#pragma once

#include <cstddef>
#include <string>

#include "treadle/cuda/context.hpp"

namespace treadle::cuda {

/// Gets a piece of what kernels print. Called on the thread that synchronizes, or on a thread of
/// the driver's where much has collected, one piece at a time, with a lock held: it must neither
/// call the driver nor throw.
using PrintSink = void (*)(const char* text, std::size_t size_bytes);

/// From now on the CPU device gives what kernels print to `sink`, and what had collected to the one
/// before; null: the C library's stdout again. Any thread. NVIDIA's driver cannot be told: it
/// writes to file descriptor 1.
void set_print_sink(PrintSink sink);

/// Keeps what kernels of a context print from the standard output, and tells it. On the CPU device
/// that is the text of all its contexts. On a GPU it is whatever the process writes to file
/// descriptor 1 meanwhile, by other threads and child processes too, which are to write nothing:
/// the driver has no other way. One at a time in the process.
class PrintCapture {
 public:
  /// Waits for the context first, so that what was printed before goes where it belongs. Throws
  /// InvalidState while there is another, DeviceError, and FileError where the system has no files
  /// left.
  explicit PrintCapture(const Context& context);
  /// end(), without the text; a failure is a warning.
  ~PrintCapture();
  PrintCapture(const PrintCapture&) = delete;
  PrintCapture& operator=(const PrintCapture&) = delete;

  /// Waits for the context and returns what was printed, also if the work failed, which the next
  /// wait tells. Later text goes where it went before. Empty the second time.
  std::string end();

 private:
  std::string stop() noexcept;
  Context context_;
  int file_ = -1, output_ = -1;  ///< on a GPU: what is written to, and what descriptor 1 was
  bool is_active_ = false;
};

}  // namespace treadle::cuda
