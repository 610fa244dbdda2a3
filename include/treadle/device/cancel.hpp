// SPDX-License-Identifier: MIT
// Ending kernels that nobody wants any more.
#pragma once

namespace treadle::device {

class Stream;

/// Leaves the kernels that were put on a stream so far, running ones within milliseconds: what they
/// have written by then stays, and all else of the stream and of its device goes on. False where
/// the run-time cannot: all but the CPU device's. Any thread; does not wait. Throws DeviceError.
bool cancel_kernels(Stream& stream);

}  // namespace treadle::device
